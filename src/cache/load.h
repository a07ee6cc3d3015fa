/* Loads, in the order of S2 Fig. 1: hit, merge with an outstanding miss, policy decides, reserve a
 * line and an MSHR or bypass. Inline, for the load/store unit passes here with every miss.
 *
 * MODEL: a load joins one outstanding miss or none; if no single one brings all the sectors that it
 * lacks, it fetches all of those itself, also what is on its way already. */
#ifndef HEDDLE_CACHE_LOAD_H
#define HEDDLE_CACHE_LOAD_H

#include "cache/alloc.h"

/* --- load.c: the answers that are less frequent, or need to be told --- */
struct cache_result cache_load_hits(struct cache *c, const struct lookup *q,
                                    const struct mem_access *a);
struct cache_result cache_load_merges(struct cache *c, const struct lookup *q,
                                      const struct mem_access *a, uint16_t mshr, void *waiter);
/* It cannot be accepted as it should. */
struct cache_result cache_load_stalls(struct cache *c, const struct mem_access *a,
                                      struct cache_room room, enum cache_stall cause);
struct cache_result cache_load_bypasses(struct cache *c, const struct mem_access *a,
                                        struct cache_room room, enum cache_bypass_reason reason);

/* A load that found neither its line nor an outstanding miss. */
static inline struct cache_result cache_load_misses(struct cache *c, const struct lookup *q,
                                                    const struct mem_access *a,
                                                    struct cache_room room, void *waiter)
{
    if (c->desc->never_bypasses && !c->mshrs.n_free) /* no need to ask it for a way */
        return cache_stalled(STALL_MSHR);
    bool later = c->desc->never_bypasses && c->config.allocate_on_fill; /* nor before data come */
    int way = q->way >= 0 ? q->way : later ? CACHE_STALL : cache_choose_way(c, q->set, a);
    if (way == CACHE_BYPASS)
        return cache_load_bypasses(c, a, room, BYPASS_POLICY);
    enum cache_stall lacks = cache_missing_resource(c, room, way);
    if (lacks != N_CACHE_STALLS)
        return cache_load_stalls(c, a, room, lacks);
    bool writeback = false;
    cache_count_miss(c);
    CACHE_TELL(c, MISS, miss, q->set, q->way, a);
    uint16_t mshr = cache_start_fetch(c, a, q, way, waiter, &writeback);
    return (struct cache_result){
        .answer = CACHE_MISS, .writeback = writeback, .mshr = mshr, .fetch_sectors = q->need};
}

/* cache_load() of a line that is known to have that way, or none. */
static inline struct cache_result cache_load_at(struct cache *c, const struct mem_access *a,
                                                struct cache_room room, void *waiter, int way)
{
    struct lookup q = cache_lookup_at(c, a, way);
    if (!q.need)
        return cache_load_hits(c, &q, a);
    uint16_t mshr = cache_outstanding(c, &q, a->line);
    if (mshr == MSHR_NONE)
        return cache_load_misses(c, &q, a, room, waiter);
    return mshr_has_room(&c->mshrs, mshr) ? cache_load_merges(c, &q, a, mshr, waiter)
                                          : cache_load_stalls(c, a, room, STALL_MERGE);
}

#endif
