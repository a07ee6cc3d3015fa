/* Why one run is faster than another: both run with attributed cycles, with hits classified by who
 * brought the line, and with a time series. The output lists the numbers that differ; the reader
 * draws the conclusion. */
#ifndef HEDDLE_LAB_WHY_H
#define HEDDLE_LAB_WHY_H

#include "base/strbuf.h"
#include "lab/result.h"

enum { WHY_SIDES = 2, WHY_STEPS = 8 };

/* One of several equal parts of a run's time. */
struct why_step {
    double hit_rate;       /* of the loads at L1D in this part; 0 if there were none */
    double resident_warps; /* means over its samples, summed over all SMs */
    double warps_may_load;
    uint64_t vta_hits;
};

struct why_side {
    struct result_set set; /* a single result */
    struct why_step steps[WHY_STEPS];
    struct why_step whole;
};

/* A zeroed struct is valid. */
struct why {
    struct why_side sides[WHY_SIDES];
    struct arena arena;
};

/* `runs` are the arguments of `heddle run` each, as for first_difference_find(). */
enum heddle_status why_find(const char *program, const char *const runs[WHY_SIDES], struct why *out,
                            struct strbuf *error);
void why_destroy(struct why *w);

#endif
