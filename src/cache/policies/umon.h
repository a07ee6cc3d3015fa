/* Utility monitors (M. K. Qureshi, Y. N. Patt: Utility-based cache partitioning. MICRO 2006): the
 * hits that each application would have with any number of ways, alone in the cache.
 *     per application, for some sets: tags of as many ways as the cache has, true LRU
 *     a hit at recency p (0 = most recent): hits[p] + 1
 *     at the end of a period hits are halved
 *     write-backs of CPU cores are not counted
 * Sets i * (sets / 32) are monitored, 32 of them; all sets of a cache that has fewer. In a cache of
 * several banks, sets are numbered across the banks, and each bank monitors its own. */
#ifndef HEDDLE_CACHE_POLICIES_UMON_H
#define HEDDLE_CACHE_POLICIES_UMON_H

#include "cache/shared.h"

enum { UMON_SETS = 32 };

/* The monitored sets of a bank: n of them. `first` is the number of the first one among all. */
struct umon_sets {
    uint32_t stride, first, n;
    uint32_t before; /* sets in earlier banks */
};

struct umon {
    uint32_t n_apps, n_ways;
    struct umon_sets sets;
    uint64_t accesses[SHARED_MAX_APPS]; /* of all sets */
    uint64_t *hits;                     /* applications x ways */
    uint64_t *tags; /* applications x monitored sets x ways, most recent first; 0 = none */
};

/* Size of the `memory` that umon_init() needs. */
size_t umon_bytes(const struct cache_geometry *g);
void umon_init(struct umon *u, const struct cache_geometry *g, void *memory);
void umon_access(struct umon *u, const struct mem_access *a);
/* Adds the counts of the period to the report, and begins the next period. */
void umon_report(struct umon *u, struct shared_report *r);
uint64_t umon_cost(const struct cache_geometry *g, struct strbuf *parts);

#endif
