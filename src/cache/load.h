/* Loads, in the order of S2 Fig. 1: hit, merge with an outstanding miss, policy decides, reserve a
 * line and an MSHR or bypass. Inline, because every miss of the load/store unit comes here.
 *
 * MODEL: a load joins one outstanding miss or none; if no single one brings all the sectors that
 * the load lacks, the load fetches all of them itself, including those in flight. */
#ifndef HEDDLE_CACHE_LOAD_H
#define HEDDLE_CACHE_LOAD_H

#include "base/hot_assert.h"
#include "cache/alloc.h"

/* --- load.c: the less frequent answers --- */
/* True if the policy drops the line at this hit. Only for policies with hit_action(). */
bool cache_hit_drops(struct cache *c, struct cache_location at, const struct mem_access *a);
struct cache_result cache_do_merge(struct cache *c, struct cache_location at,
                                   const struct mem_access *a, uint16_t mshr, void *waiter);
/* The load lacks a resource: it stalls, or bypasses if the policy wants that and it is possible. */
struct cache_result cache_stall_or_bypass(struct cache *c, const struct mem_access *a,
                                          const struct cache_resources *room,
                                          enum cache_stall cause);
struct cache_result cache_try_bypass(struct cache *c, const struct mem_access *a,
                                     const struct cache_resources *room,
                                     enum cache_bypass_reason reason);

/* Performs a hit. True if the line was dropped. */
static inline bool cache_do_hit(struct cache *c, struct cache_location at,
                                const struct mem_access *a)
{
    cache_count_hits(c, 1);
    CACHE_TELL(c, HIT, hit, at.set, (uint32_t)at.way, a);
    if (c->desc->hit_action && cache_hit_drops(c, at, a))
        return true;
    cache_use_line(c, at.set, (uint32_t)at.way, a->pc);
    return false;
}

/* A load that found neither its sectors nor an outstanding miss: misses, bypasses or stalls. */
static inline struct cache_result cache_handle_miss(struct cache *c, const struct lookup *q,
                                                    const struct mem_access *a,
                                                    const struct cache_resources *room,
                                                    void *waiter)
{
    if (c->never_bypasses && !c->mshrs.n_free) /* it stalls whatever the way */
        return cache_stalled(STALL_MSHR);
    bool later = c->never_bypasses && c->config.allocate_on_fill; /* chosen at the fill */
    int way = q->way >= 0 ? q->way : later ? CACHE_STALL : cache_choose_way(c, q->set, a);
    if (way == CACHE_BYPASS)
        return cache_try_bypass(c, a, room, BYPASS_POLICY);
    enum cache_stall lacks = cache_missing_resource(c, room, way);
    if (lacks != N_CACHE_STALLS)
        return cache_stall_or_bypass(c, a, room, lacks);
    bool writeback = false;
    cache_count_miss(c);
    CACHE_TELL(c, MISS, miss, q->set, q->way, a);
    uint16_t mshr = cache_start_fetch(c, a, q, way, waiter, &writeback);
    return (struct cache_result){
        .answer = CACHE_MISS, .writeback = writeback, .mshr = mshr, .fetch_sectors = q->need};
}

/* cache_load() for a line that has been looked up. */
static inline struct cache_result cache_load_at(struct cache *c, const struct mem_access *a,
                                                const struct cache_resources *room, void *waiter,
                                                struct cache_location at)
{
    struct lookup q = cache_lookup_at(c, a, at);
    if (!q.need) {
        bool dropped = cache_do_hit(c, at, a);
        return (struct cache_result){
            .answer = CACHE_HIT, .mshr = CACHE_NO_MSHR, .dropped = dropped};
    }
    uint16_t mshr = cache_outstanding(c, &q, a->line);
    if (mshr == MSHR_NONE)
        return cache_handle_miss(c, &q, a, room, waiter);
    return mshr_has_room(&c->mshrs, mshr) ? cache_do_merge(c, at, a, mshr, waiter)
                                          : cache_stall_or_bypass(c, a, room, STALL_MERGE);
}

/* --- fills --- */

/* Allocate on fill: the way of the line if it is present by now, else an empty way, else the one
 * that the policy chooses; -1 = none. Sets `*dirty` if the victim is dirty. */
int cache_allocate_late(struct cache *c, uint32_t mshr, bool *dirty);
/* Notifies listeners of the fill. True if the line stays. */
bool cache_tell_arrival(struct cache *c, const struct mshr *m, uint32_t way, uint64_t cycle);
/* Discards the data. True if stores have added bytes to them, which must be written back. */
bool cache_discard_fill(struct cache *c, const struct mshr *m, uint64_t cycle);

/* Marks the sectors that have arrived as valid. */
static inline void cache_data_arrive(struct cache *c, const struct mshr *m, uint32_t way)
{
    struct cache_line *line = tags_line(m->set, way);
    bool reserved = m->way >= 0; /* a way was reserved for these data at the miss */
    line->valid_sectors |= m->sectors;
    line->dirty_sectors |= m->dirty_sectors;
    line->n_fetches = (uint16_t)(line->n_fetches - reserved);
    if (line->n_fetches == 0)
        tags_validate(m->set, way);
    c->stats.fills++;
}

/* cache_fill(), inline. */
static inline __attribute__((always_inline)) struct cache_arrival
cache_fill_now(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    hot_assert(mshr < c->mshrs.n && m->n_waiters);
    bool dirty = false;
    int way = m->way >= 0 || m->detached ? m->way : cache_allocate_late(c, mshr, &dirty);
    bool kept = way >= 0;
    if (kept) {
        cache_data_arrive(c, m, (uint32_t)way);
        if (c->told >> CE_FILL & 1)
            kept = cache_tell_arrival(c, m, (uint32_t)way, cycle);
    } else {
        dirty = cache_discard_fill(c, m, cycle);
    }
    struct cache_arrival got = {m->waiters, m->n_waiters, m->set->set, kept, dirty};
    mshr_release(&c->mshrs, mshr, cycle);
    return got;
}

#endif
