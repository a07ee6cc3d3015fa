/* Matrices on which float arithmetic makes no error.
 *
 * Values are eighths in [-1, 1), factors are short binary numbers such as 1.5: a product is an
 * integer multiple of 1/128, and a sum of some thousand of them needs fewer than 24 bits. So every
 * partial sum is exact in a float, in any order, fused or not, and results can be compared without
 * a tolerance that could hide a wrong kernel. */
#ifndef HEDDLE_WORKLOADS_EIGHTHS_H
#define HEDDLE_WORKLOADS_EIGHTHS_H

#include "base/arena.h"
#include "workloads/workload.h"

static inline float *random_eighths(struct arena *arena, struct workload_rng *rng, size_t n)
{
    float *m = ARENA_ARRAY(arena, float, n);
    for (size_t i = 0; i < n; i++)
        m[i] = (float)((int)workload_rng_below(rng, 16) - 8) / 8.0f;
    return m;
}

#endif
