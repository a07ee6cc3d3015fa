/* cache_load_ahead(), inline for an L2 that most of its requests hit: where the cache is simple
 * (exchange.h), there is a line or there is none. */
#ifndef HEDDLE_CACHE_HIT_AHEAD_H
#define HEDDLE_CACHE_HIT_AHEAD_H

#include "cache/exchange.h"

/* Does it do nothing but look up, fetch and replace the oldest, which is told to nobody? */
static inline bool cache_is_plain(const struct cache *c)
{
    return c->plain;
}

/* Where there is an index. Which instruction used the line last nobody will ask. */
static inline bool cache_hit_in_index(struct cache *c, struct cache_part part)
{
    size_t place = way_index_seek(&c->tags.index, part.line);
    struct cache_line *line = &c->tags.lines[place];
    uint32_t asked = c->by_segments ? part.sectors : cache_counted(c, part.sectors);
    if (asked & ~line->valid_sectors)
        return false;
    uint64_t order = ++c->order;
    cache_count_hit(c);
    line->reused = true;
    c->tags.last_use[place] = order;
    way_index_use(&c->tags.index, place, order);
    return true;
}

static inline __attribute__((always_inline)) bool
cache_hit_ahead(struct cache *c, struct cache_part part, uint32_t pc)
{
    if (!cache_is_simple(c))
        return c->plain && c->tags.indexed ? cache_hit_in_index(c, part)
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
