/* Deals the ways of a cache to applications by the hits that they would bring each: the lookahead
 * algorithm of UCP (M. K. Qureshi, Y. N. Patt: Utility-based cache partitioning. MICRO 2006,
 * Algorithm 2).
 *
 *     all start with min_ways
 *     repeat until no way is left:
 *         for each application: the greatest utility per way over all extensions that fit (ties:
 *         the shortest); the best application (ties: the lowest) gets that extension
 *     if no application gains: the rest is dealt singly, from application 0
 */
#ifndef HEDDLE_CACHE_POLICIES_LOOKAHEAD_H
#define HEDDLE_CACHE_POLICIES_LOOKAHEAD_H

#include "cache/shared.h"

struct lookahead {
    uint32_t n_apps, n_ways, min_ways;
    uint32_t divide_by[SHARED_MAX_APPS]; /* divisor of each application's utility; 1 = unchanged */
    bool keeps_least[SHARED_MAX_APPS];   /* the application gets min_ways and no more */
};

/* hits[k][p]: hits of application k at recency p. */
void lookahead_partition(const struct lookahead *l, const uint64_t (*hits)[CACHE_MAX_WAYS],
                         uint32_t *quotas);

#endif
