/* Bubble-up (S3 section 6.4.5): how much a native program slows down when others put pressure on
 * what they share with it. A table per program holds its slowdown beside bubbles, programs of
 * graded pressure on the last-level cache or on DRAM bandwidth. */
#ifndef HEDDLE_HETERO_BUBBLE_H
#define HEDDLE_HETERO_BUBBLE_H

#include <stdbool.h>
#include <stdint.h>

enum { BUBBLE_STEPS = 8 }; /* pressures 0/8 to 8/8 of the whole */

struct bubble_table {
    double cache[BUBBLE_STEPS + 1];     /* slowdown beside i/8 of the LLC */
    double bandwidth[BUBBLE_STEPS + 1]; /* ... and beside i/8 of the DRAM bandwidth */
};

/* The capacity of the testbed's LLC and DRAM, and of the link between host and GPU. S3 Table
 * 6.1. */
struct hetero_machine {
    double llc_bytes;
    double dram_gbps; /* 10^9 bytes per second, usable */
    double pcie_gbps;
    double cores, lanes; /* cores free for a kernel, SIMD lanes of each */
};
extern const struct hetero_machine hetero_testbed;

struct pressure {
    double llc_bytes, dram_gbps;
};

/* How the pressure of a kernel on the LLC is estimated. */
enum pressure_rule {
    PRESSURE_LIVE,      /* S3: the part of its buffers that concurrent threads use */
    PRESSURE_FOOTPRINT, /* all of its buffers */
    /* The pressure of the bubble that slows down a chosen native program, the reporter, as much as
     * the kernel does. */
    PRESSURE_MEASURED,
};

/* Piecewise linear between the steps; `share` of the whole is clamped to 0 and 1. */
double bubble_interpolate(const double steps[BUBBLE_STEPS + 1], double share);

/* The smallest share of the whole whose bubble causes at least this slowdown; held at 0 and 1. */
double bubble_share_of(const double steps[BUBBLE_STEPS + 1], double slowdown);

/* Slowdowns by pressure on the cache, by pressure on bandwidth, and by both:
 * 1 + (cache - 1) + (bandwidth - 1). */
struct bubble_effect {
    double cache, bandwidth, both;
};
struct bubble_effect bubble_effect_of(const struct bubble_table *t, const struct hetero_machine *m,
                                      struct pressure p);

/* A kernel of so many threads and bytes of buffers on the CMP: pressure on the LLC alone. Not for
 * PRESSURE_MEASURED. */
struct pressure pressure_on_cmp(const struct hetero_machine *m, enum pressure_rule rule,
                                double threads, double buffer_bytes);
/* A kernel on the CMP beside which a reporter with this table has had this slowdown. */
struct pressure pressure_measured(const struct hetero_machine *m, const struct bubble_table *t,
                                  double slowdown);
/* A kernel on the GPU that takes `alone_s` and moves `transfer_bytes` bytes: pressure on DRAM only.
 */
struct pressure pressure_on_gpu(const struct hetero_machine *m, double transfer_bytes,
                                double alone_s);

#endif
