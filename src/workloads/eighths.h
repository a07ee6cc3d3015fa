/* Matrices on which float arithmetic makes no error.
 *
 * Eighths in [-1, 1) and short binary factors such as 1.5: a product is a whole number of 1/128 and
 * a sum of some thousand of them needs fewer than 24 bits, so every partial sum is exact in a
 * float, in any order, fused or not. Results can be compared without a tolerance in which a wrong
 * kernel could hide. */
#ifndef HEDDLE_WORKLOADS_EIGHTHS_H
#define HEDDLE_WORKLOADS_EIGHTHS_H

#include "base/arena.h"
#include "workloads/workload.h"

static inline float *random_eighths(struct arena *arena, struct workload_rng *rng, size_t n)
{
    float *m = ARENA_ARRAY(arena, float, n);
    for (size_t i = 0; i < n; i++)
        m[i] = (float)((int)rng_below(rng, 16) - 8) / 8.0f;
    return m;
}

#endif
