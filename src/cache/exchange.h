/* A line comes, and the load that waited for its MSHR takes that over: the fill and the miss in
 * one, for an owner who does nothing else (sm/refill.c). In a simple cache (simple.h). */
#ifndef HEDDLE_CACHE_EXCHANGE_H
#define HEDDLE_CACHE_EXCHANGE_H

#include "cache/simple.h"

/* Does it hold the line, or is the line on its way? That is the same in a plain cache. */
static inline bool cache_simple_holds(const struct cache *c, uint32_t set, uint64_t line)
{
    return tags_hold_line(&c->tags.sets[set], line);
}

/* cache_fill(), then cache_load() of a line that is absent, with room at the next level. Returns
 * who waited for the data; NULL, and nothing done that cache_fill() would not do, if it is not as
 * simple as that: others wait too, or stores, who have no name; the data have lost their place, or
 * nobody has to give one up to the load, or nobody can. */
static inline __attribute__((always_inline)) void *cache_exchange(struct cache *c, uint32_t number,
                                                                  const struct mem_access *a,
                                                                  uint64_t now, void *waiter)
{
    struct mshr *m = &c->mshrs.entries[number];
    int was = m->way;
    if (m->n_waiters != 1 || was < 0)
        return NULL;
    struct cache_set *from = m->set, *s = &c->tags.sets[a->set];
    tags_validate(from, (uint32_t)was); /* first: that may make room for the load */
    uint64_t address = a->line;
    void *waited = m->waiters[0];
    if (!waited)
        return NULL;
    if (s->occupied != c->tags.all_ways)
        return NULL;
    int way = tags_oldest_way(s);
    if (way < 0)
        return NULL;
    struct cache_line *come = tags_line(from, (uint32_t)was), *line = tags_line(s, (uint32_t)way);
    if (line->dirty_sectors)
        return NULL;
    come->valid_sectors = 1;
    come->n_fetches = 0;
    line->mshr = (uint16_t)number;
    c->stats.fills++;
    c->stats.sectors_fetched++;
    plain_insert(c, NULL, s, (uint32_t)way, true, address);
    mshr_retake(&c->mshrs, m, address, s, way, waiter, now);
    return waited;
}

#endif
