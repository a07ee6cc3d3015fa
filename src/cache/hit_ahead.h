/* cache_load_ahead(), inline for an L2 that most of its requests hit: where the cache is simple
 * (exchange.h), there is a line or there is none. */
#ifndef HEDDLE_CACHE_HIT_AHEAD_H
#define HEDDLE_CACHE_HIT_AHEAD_H

#include "cache/exchange.h"
#include "cache/plain_load.h"

/* Does it do nothing but look up, fetch and replace the oldest, which is told to nobody? */
static inline bool cache_is_plain(const struct cache *c)
{
    return c->plain;
}

/* Where there is an index. */
static inline bool cache_hit_in_index(struct cache *c, struct cache_part part)
{
    struct plain_found f = plain_find(c, part);
    if (f.lacks)
        return false;
    plain_hit(c, f.place);
    return true;
}

static inline __attribute__((always_inline)) bool
cache_hit_ahead(struct cache *c, struct cache_part part, uint32_t pc)
{
    if (!cache_is_simple(c))
        return cache_is_plain_indexed(c) ? cache_hit_in_index(c, part)
                                         : cache_load_ahead(c, part, pc);
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, part.line)];
    int way = tags_find_by(NULL, s, part.line);
    if (way < 0 || !s->lines[way].valid_sectors)
        return false;
    cache_count_hit(c);
    cache_use_line(c, NULL, s, (uint32_t)way, pc);
    return true;
}

#endif
