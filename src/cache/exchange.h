/* A line comes, and the load that waited for its MSHR takes that over: the fill and the miss in
 * one, for an owner who does nothing else (sm/refill.c). In a simple cache: plain (plain.h), lines
 * are whole and few to a set. */
#ifndef HEDDLE_CACHE_EXCHANGE_H
#define HEDDLE_CACHE_EXCHANGE_H

#include "cache/plain.h"

static inline bool cache_is_simple(const struct cache *c)
{
    return c->plain && !c->sectored && !c->tags.indexed;
}

/* Does it hold the line, or is the line on its way? That is the same in a plain cache. */
static inline bool cache_simple_holds(const struct cache *c, uint32_t set, uint64_t line)
{
    return tags_find_by(NULL, &c->tags.sets[set], line) >= 0;
}

/* cache_fill(), then cache_load() of a line that is absent, with room at the next level. Returns
 * who waited for the data; NULL, and nothing done that cache_fill() would not do, if it is not as
 * simple as that: others wait too, the data have lost their place, or the load has none yet. */
static inline __attribute__((always_inline)) void *
cache_exchange(struct cache *c, uint32_t number, const struct mem_access *a, void *waiter)
{
    struct mshr *m = &c->mshrs.entries[number];
    struct cache_set *from = m->set, *s = &c->tags.sets[a->set];
    void *waited = m->waiters[0];
    if (m->way < 0 || m->n_waiters != 1 || !waited || m->dirty_sectors)
        return NULL;
    tags_validate(from, (uint32_t)m->way); /* first: that may make room for the load */
    int way = cache_lru_way(c, NULL, s);
    if (way < 0 || s->lines[way].dirty_sectors)
        return NULL;
    struct cache_line *come = tags_line(from, (uint32_t)m->way);
    come->valid_sectors = 1;
    come->n_fetches = 0;
    c->stats.fills++;
    plain_insert(c, NULL, s, (uint32_t)way, a);
    c->stats.sectors_fetched++;
    mshr_retake(&c->mshrs, number, a->line, s, way, 1, waiter, a->cycle);
    return waited;
}

#endif
