/* The fast path of cache_load(), and the only private part of a cache that others include.
 *
 * Two answers need no struct mem_access. A load that hits is nothing but a use of its line where
 * neither the policy nor an observer wants to know of hits. A load that finds neither its line nor
 * a free MSHR waits, if the policy never bypasses. cache_load_fast() gives one of these answers, or
 * does nothing at all; whatever it declines is for cache_load(), which does everything. */
#ifndef HEDDLE_CACHE_FAST_H
#define HEDDLE_CACHE_FAST_H

#include "cache/load.h"

static inline struct cache_place cache_find(const struct cache *c, uint64_t line)
{
    return cache_find_in(c, set_index_of(&c->indexer, line), line);
}

enum cache_fast {
    CACHE_FAST_DECLINED, /* nothing was done: cache_load_at() has to */
    CACHE_FAST_HIT,
    CACHE_FAST_NO_MSHR /* it is STALLED for want of one */
};

/* A load of these sectors (as in struct mem_access; not looked at if the line has no way) of a line
 * that is there. */
static inline __attribute__((always_inline)) enum cache_fast
cache_load_fast(struct cache *c, struct cache_place at, uint32_t sectors, uint32_t pc)
{
    if (at.way < 0)
        return c->fast_stalls && !c->mshrs.n_free ? CACHE_FAST_NO_MSHR : CACHE_FAST_DECLINED;
    if (!c->fast_hits || cache_counted(c, sectors) & ~at.set->lines[at.way].valid_sectors)
        return CACHE_FAST_DECLINED;
    cache_count_hit(c);
    cache_use_line(c, at.set, (uint32_t)at.way, pc);
    return CACHE_FAST_HIT;
}

#endif
