/* A plain cache: LRU, a line is reserved at its miss, and nobody wants to be told of anything. What
 * its misses and fills have in common, however they are asked for. `index` as in tags.h; where it
 * is NULL nobody is called, so that no register needs saving. */
#ifndef HEDDLE_CACHE_PLAIN_H
#define HEDDLE_CACHE_PLAIN_H

#include "cache/alloc.h"

/* The way that a line gets; ~cause if it has to wait. */
static inline __attribute__((always_inline)) int plain_way(const struct cache *c,
                                                           const struct way_index *index,
                                                           const struct cache_set *s,
                                                           struct cache_room room)
{
    if (!c->mshrs.n_free)
        return ~STALL_MSHR;
    if (!room.miss_queue)
        return ~STALL_MISS_QUEUE;
    int way = cache_lru_way(c, index, s);
    return way == CACHE_STALL ? ~STALL_LINE : way;
}

/* A load misses and reserves the way, which is empty or, if it `evicts`, has a line that is clean.
 * What it is given it keeps: after each store the host would have to read it again. */
static inline __attribute__((always_inline)) void plain_insert(struct cache *c,
                                                               struct way_index *index,
                                                               struct cache_set *s, uint32_t way,
                                                               bool evicts, uint64_t address)
{
    struct cache_line *line = tags_line(s, way);
    uint64_t order = ++c->order;
    if (evicts)
        cache_count_eviction(c, line);
    c->stats.loads++;
    c->stats.misses++;
    /* cache_new_line(), one by one: compilers would make up the record elsewhere and copy it. Who
     * asked nobody will ask for. */
    line->line = address;
    line->reused = line->spare = false;
    line->n_fetches = 1;
    line->valid_sectors = 0; /* none is dirty */
    tags_take_way(index, s, way, address, order);
}

/* `reserved`: for these data, as they were asked for. */
static inline void data_arrive(struct cache *c, const struct mshr *m, uint32_t way, bool reserved)
{
    struct cache_set *s = m->set;
    struct cache_line *line = tags_line(s, way);
    line->valid_sectors |= m->sectors;
    line->dirty_sectors |= m->dirty_sectors;
    line->n_fetches = (uint16_t)(line->n_fetches - reserved);
    if (line->n_fetches == 0)
        tags_validate(s, way);
    c->stats.fills++;
}

/* cache_fill(), for an owner who waits for many. */
static inline struct cache_arrival plain_fill(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    struct cache_arrival got = {m->waiters, m->n_waiters, .kept = true};
    if (m->detached)
        return cache_fill(c, mshr, cycle);
    data_arrive(c, m, (uint32_t)m->way, true);
    mshr_release(&c->mshrs, mshr, cycle);
    return got;
}

#endif
