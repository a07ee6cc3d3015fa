/* Timelines of warps in the Trace Event Format that Perfetto and chrome://tracing show: an SM is a
 * process, a warp slot and a CTA slot are threads of it, a core cycle is a microsecond.
 *
 *   X   what a warp did, by category of sm/attribution.h, and the lifetimes of CTAs
 *   i   the exits of warps
 *   C   resident warps, instructions issued and L1D misses, every few cycles
 *   M   names of SMs and slots
 *
 * Written as it happens; what is kept does not grow with the run. The bytes depend neither on the
 * quantum nor on the engine nor on threads. */
#ifndef HEDDLE_ANALYSIS_TIMELINE_H
#define HEDDLE_ANALYSIS_TIMELINE_H

#include <stdint.h>

#include "base/sink.h"

/* Which part of a run to draw; zeroed, all of it. */
struct timeline_window {
    uint64_t from_cycle, to_cycle; /* to: the first one left out, 0 = none */
    const uint32_t *sms;
    uint32_t n_sms; /* 0 = all */
    uint64_t
        max_bytes; /* nothing is drawn of what follows the sample that exceeds them; 0 = none */
};

struct machine;
struct timeline;

/* Before the first launch, on a machine that attributes latencies. SMs it does not have are not
 * drawn. */
struct timeline *timeline_create(struct machine *m, const struct timeline_window *w,
                                 struct sink sink);
/* The end of the document; false if anything could not be written. */
bool timeline_finish(struct timeline *t);
/* Whether warps did anything in the window; *end is the first cycle after the run. */
bool timeline_is_empty(const struct timeline *t, uint64_t *end);
/* Whether it was cut off at max_bytes; *end is the first cycle that is not drawn. */
bool timeline_is_cut(const struct timeline *t, uint64_t *end);
void timeline_destroy(struct timeline *t); /* NULL is fine */

#endif
