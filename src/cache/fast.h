/* The fast path of cache_load(), and the only private part of a cache that others include.
 *
 * A load that hits is nothing but a use of its line where neither the policy nor an observer wants
 * to know of hits. Then it needs no struct mem_access. cache_load_fast() does such a hit, or
 * nothing at all; whatever it declines is for cache_load(), which does everything. */
#ifndef HEDDLE_CACHE_FAST_H
#define HEDDLE_CACHE_FAST_H

#include "cache/cache_internal.h"

/* Performs a load of these sectors (as in struct mem_access) if it hits and nobody minds; false,
 * and nothing done, otherwise. */
static inline __attribute__((always_inline)) bool cache_load_fast(struct cache *c, uint64_t line,
                                                                  uint32_t sectors, uint32_t pc)
{
    if (!c->fast_hits)
        return false;
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
    int way = tags_find(s, line);
    if (way < 0 || cache_counted(c, sectors) & ~s->lines[way].valid_sectors)
        return false;
    cache_count_hit(c);
    cache_use_line(c, s, (uint32_t)way, pc);
    return true;
}

#endif
