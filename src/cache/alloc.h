/* How a line is allocated and evicted. Loads and stores share this code; it is inline because every
 * miss passes through most of it. */
#ifndef HEDDLE_CACHE_ALLOC_H
#define HEDDLE_CACHE_ALLOC_H

#include "cache/cache_internal.h"

/* The way for an access whose line is absent: the first empty one, else the one that the policy
 * chooses. A policy that never bypasses is not asked while there is an empty way. */
static inline int cache_choose_way(const struct cache *c, const struct cache_set *s,
                                   const struct mem_access *a)
{
    uint64_t empty = c->tags.all_ways & ~s->occupied;
    if (empty && c->never_bypasses)
        return __builtin_ctzll(empty);
    if (c->is_lru)
        return tags_oldest(s);
    int choice = c->desc->decide(&c->policy, s, a);
    if (choice == CACHE_BYPASS)
        return choice;
    if (empty)
        return __builtin_ctzll(empty);
    assert(choice == CACHE_STALL || ((uint32_t)choice < s->n_ways && !(s->reserved >> choice & 1)));
    return choice;
}

/* The first resource that a miss lacks, in the order that enum cache_stall gives; N_CACHE_STALLS =
 * none. */
static inline enum cache_stall cache_missing_resource(const struct cache *c,
                                                      const struct cache_resources *room, int way)
{
    if (!c->mshrs.n_free)
        return STALL_MSHR;
    if (!room->miss_queue)
        return STALL_MISS_QUEUE;
    if (way == CACHE_STALL && !c->config.allocate_on_fill)
        return STALL_LINE;
    return N_CACHE_STALLS;
}

void cache_note_difference(struct cache *c, const struct mem_access *a);
static inline void cache_count_difference(struct cache *c, const struct mem_access *a)
{
    if (c->n_differences++ == 0)
        cache_note_difference(c, a); /* a call: a copy here would enlarge every caller's frame */
}

/* The line is about to leave: notifies listeners. True if it has dirty sectors to write back; then
 * it is the victim. */
static inline bool cache_evict(struct cache *c, struct cache_set *s, uint32_t way,
                               enum cache_evict_cause cause, const struct mem_access *a)
{
    const struct cache_line *line = &s->lines[way];
    CACHE_TELL(c, EVICT, evict, s, way, cause, a);
    if (!line->dirty_sectors || cause == EVICT_INVALIDATE)
        return false;
    cache_write_back(c, line->line, line->dirty_sectors);
    return true;
}

/* Replaces what the way holds by the access's line, reserved. True if the replaced line is dirty.
 * `n_fetches` (0 or 1) fetches of the new line are in flight, in `mshr`. */
static inline __attribute__((always_inline)) bool cache_replace(struct cache *c,
                                                                struct cache_set *s, uint32_t way,
                                                                const struct mem_access *a,
                                                                uint16_t n_fetches, uint16_t mshr)
{
    bool dirty = false;
    if (s->occupied >> way & 1) {
        if (!c->is_lru && tags_oldest(s) != (int)way)
            cache_count_difference(c, a);
        cache_count_eviction(c, &s->lines[way]);
        dirty = cache_evict(c, s, way, EVICT_REPLACE, a);
    }
    tags_insert(s, way,
                (struct cache_line){.line = a->line,
                                    .n_fetches = n_fetches,
                                    .mshr = mshr,
                                    .reserver_slot = (uint16_t)a->warp_slot,
                                    .insert_pc = a->pc,
                                    .last_pc = a->pc,
                                    .inserted = ++c->order});
    CACHE_TELL(c, RESERVE, reserve, s, way, a);
    return dirty;
}

/* The mask has few bits, mostly one: without a host instruction that counts bits, this loop is
 * faster than a call. */
static inline uint32_t cache_count_sectors(uint32_t sectors)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcount(sectors);
#else
    uint32_t n = 1;
    while (sectors &= sectors - 1)
        n++;
    return n;
#endif
}

/* Fetches the sectors that are needed. `way` is the way of the line if it is present, else the way
 * to replace; its victim may have to be written back. Returns the MSHR. */
static inline uint16_t cache_start_fetch(struct cache *c, const struct mem_access *a,
                                         const struct lookup *q, int way, void *waiter,
                                         bool *writeback)
{
    bool line_is_there = q->way >= 0;
    if (line_is_there) {
        c->stats.sector_misses++;
        tags_use(q->set, (uint32_t)way, ++c->order);
        tags_line(q->set, (uint32_t)way)->last_pc = a->pc;
    }
    if (c->config.allocate_on_fill)
        way = -1; /* even a line that is present now may be gone when the data arrive */
    c->stats.sectors_fetched += cache_count_sectors(q->need);
    uint16_t mshr = mshr_take(&c->mshrs, a->line, q->set, way, q->need, waiter, a->cycle);
    if (way >= 0 && line_is_there) {
        struct cache_line *line = tags_line(q->set, (uint32_t)way);
        tags_reserve(q->set, (uint32_t)way);
        line->n_fetches++;
        line->mshr = mshr;
    } else if (way >= 0) {
        *writeback = cache_replace(c, q->set, (uint32_t)way, a, 1, mshr);
    }
    if (c->mshrs.accesses)
        c->mshrs.accesses[mshr] = *a;
    return mshr;
}

#endif
