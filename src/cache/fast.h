/* The fast path of cache_load(), and the only private part of a cache that others include.
 *
 * Two answers need no struct mem_access. A load that hits is nothing but a use of its line where
 * neither the policy nor an observer wants to know of hits. A load that finds neither its line nor
 * a free MSHR waits, if the policy never bypasses. cache_load_fast() gives one of these answers, or
 * does nothing at all; whatever it declines is for cache_load(), which does everything. */
#ifndef HEDDLE_CACHE_FAST_H
#define HEDDLE_CACHE_FAST_H

#include "cache/load.h"

/* cache_set_of(), inline. */
static inline uint32_t cache_find_set(const struct cache *c, uint64_t line)
{
    return set_index_of(&c->indexer, line);
}

/* Has the line a place there, whether its data have come or not? */
static inline bool cache_has_line(const struct cache *c, uint32_t set, uint64_t line)
{
    return tags_find(&c->tags.sets[set], line) >= 0;
}

enum cache_fast {
    CACHE_FAST_DECLINED, /* nothing was done: cache_load_at() has to */
    CACHE_FAST_HIT,
    CACHE_FAST_NO_MSHR /* it is STALLED for want of one */
};

/* The way of the line, valid or reserved; -1 = it has none. */
static inline int cache_find_way(const struct cache *c, uint64_t line, uint32_t set)
{
    return tags_find(&c->tags.sets[set], line);
}

/* A load of these sectors (as in struct mem_access, like the set) of a line that has that way. */
static inline __attribute__((always_inline)) enum cache_fast
cache_load_fast(struct cache *c, uint32_t set, int way, uint32_t sectors, uint32_t pc)
{
    struct cache_set *s = &c->tags.sets[set];
    if (way < 0)
        return c->fast_stalls && !c->mshrs.n_free ? CACHE_FAST_NO_MSHR : CACHE_FAST_DECLINED;
    if (!c->fast_hits || cache_counted(c, sectors) & ~s->lines[way].valid_sectors)
        return CACHE_FAST_DECLINED;
    cache_count_hit(c);
    cache_use_line(c, s, (uint32_t)way, pc);
    return CACHE_FAST_HIT;
}

#endif
