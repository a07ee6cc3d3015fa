/* Timelines of warps in the Trace Event Format that Perfetto and chrome://tracing show: an SM is a
 * process, a warp slot and a CTA slot are its threads, a core cycle is a microsecond.
 *
 *   X   what a warp did, by category of sm/attribution.h, and the lifetimes of CTAs
 *   i   the exits of warps
 *   C   resident warps, instructions issued and L1D misses, every few cycles
 *   M   names of SMs and slots
 *
 * Events are written as they happen, so memory does not grow with the run. The bytes do not depend
 * on the quantum, the engine or the threads. */
#ifndef HEDDLE_ANALYSIS_TIMELINE_H
#define HEDDLE_ANALYSIS_TIMELINE_H

#include <stdint.h>

#include "base/sink.h"

/* The part of a run to draw; zeroed = all of it. */
struct timeline_window {
    uint64_t from_cycle, to_cycle; /* to: the first cycle not drawn; 0 = no limit */
    const uint32_t *sms;
    uint32_t n_sms;     /* 0 = all */
    uint64_t max_bytes; /* stop drawing after the sample that exceeds this size; 0 = no limit */
};

struct machine;
struct timeline;

/* Call it before the first launch, on a machine that attributes latencies. SMs that do not exist
 * are ignored. */
struct timeline *timeline_create(struct machine *m, const struct timeline_window *w,
                                 struct sink sink);
/* Ends the document; false if a write failed. */
bool timeline_finish(struct timeline *t);
/* Did warps do nothing in the window? *end is the first cycle after the run. */
bool timeline_is_empty(const struct timeline *t, uint64_t *end);
/* Was it cut off at max_bytes? *end is the first cycle not drawn. */
bool timeline_is_cut(const struct timeline *t, uint64_t *end);
void timeline_destroy(struct timeline *t); /* NULL is fine */

#endif
