/* Finds where two runs diverge: both run concurrently, each writing its decisions
 * (analysis/decisions.h) into a pipe, and are stopped at the first difference. */
#ifndef HEDDLE_LAB_FIRST_DIFFERENCE_H
#define HEDDLE_LAB_FIRST_DIFFERENCE_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

enum { DIFFERENCE_SIDES = 2, DIFFERENCE_CONTEXT = 3 };

/* A decision in words. */
struct difference_item {
    uint64_t cycle;
    uint32_t launch, sm; /* launches count from 0 */
    char *text;
};

/* A zeroed struct is valid. */
struct first_difference {
    bool is_same;      /* both made the same decisions to their ends */
    uint64_t n_common; /* decisions before the difference */
    struct difference_item before[DIFFERENCE_CONTEXT]; /* the last common ones */
    uint32_t n_before;
    /* The first difference and what follows it; none = the run has ended. */
    struct difference_item after[DIFFERENCE_SIDES][DIFFERENCE_CONTEXT];
    uint32_t n_after[DIFFERENCE_SIDES];
};

/* `runs` are the arguments of `heddle run` each, with a shell's quoting: "kmn --scheduler lrr". A
 * run that fails reports this on standard error; its status is returned. */
enum heddle_status first_difference_find(const char *program,
                                         const char *const runs[DIFFERENCE_SIDES],
                                         struct first_difference *out, struct strbuf *error);
void first_difference_destroy(struct first_difference *d);

#endif
