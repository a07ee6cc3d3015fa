/* Why one run is faster than another: both run with their cycles attributed, their hits told by who
 * brought the line, and watched over time.
 * Told are the numbers that differ; the reader draws the conclusion. */
#ifndef HEDDLE_LAB_WHY_H
#define HEDDLE_LAB_WHY_H

#include "base/strbuf.h"
#include "lab/result.h"

enum { WHY_SIDES = 2, WHY_STEPS = 8 };

/* A part of a run's time, all parts equally long. */
struct why_step {
    double hit_rate;       /* of the loads that L1D was asked for in it; 0 if there were none */
    double resident_warps; /* means over its samples, all SMs together */
    double warps_may_load;
    uint64_t vta_hits;
};

struct why_side {
    struct result_set set; /* of one result */
    struct why_step steps[WHY_STEPS];
    struct why_step whole;
};

/* A zeroed struct is valid. */
struct why {
    struct why_side sides[WHY_SIDES];
    struct arena arena;
};

/* `runs` are the words of `heddle run` each, as for first_difference_find(). */
enum heddle_status why_find(const char *program, const char *const runs[WHY_SIDES], struct why *out,
                            struct strbuf *error);
void why_destroy(struct why *w);

#endif
