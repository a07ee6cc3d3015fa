/* A simple cache: plain (plain.h), its lines are whole and few to a set. What its loads do, inline
 * for an owner who does many of them in a row (sm/gather_simple.c, sm/refill.c), and without a
 * record of each access. */
#ifndef HEDDLE_CACHE_SIMPLE_H
#define HEDDLE_CACHE_SIMPLE_H

#include <limits.h>

#include "cache/plain.h"

static inline bool cache_is_simple(const struct cache *c)
{
    return c->simple;
}

/* Where a load stands before anything is done about it. */
struct simple_found {
    struct cache_set *set;
    int way; /* of its line, which is there or on its way; -1 = neither */
};

static inline __attribute__((always_inline)) struct simple_found simple_find(const struct cache *c,
                                                                             uint64_t line)
{
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
    return (struct simple_found){s, tags_way_of(s, line)};
}

static inline bool simple_hits(struct simple_found f)
{
    return f.way >= 0 && f.set->lines[f.way].valid_sectors;
}

/* Does a load that hits. Which instruction used a line last is not written down: nobody is there to
 * read it. */
static inline void simple_hit(struct cache *c, struct simple_found f)
{
    cache_count_hit(c);
    tags_line(f.set, (uint32_t)f.way)->reused = true;
    tags_use_by(NULL, f.set, (uint32_t)f.way, ++c->order);
}

/* What comes of a load whose line is absent. */
enum { SIMPLE_NOT = INT_MIN };

/* cache_load() of a line that is absent, with `room` in the miss queue or not: the MSHR that it
 * takes, ~cause if it has to wait, or SIMPLE_NOT, and nothing done, if what has to make room for it
 * is dirty, or was when it left the way empty: that stands in its record still. */
static inline __attribute__((always_inline)) int simple_fetch(struct cache *c, struct cache_set *s,
                                                              uint64_t line, bool room,
                                                              void *waiter, uint64_t now)
{
    if (!c->mshrs.n_free)
        return ~STALL_MSHR;
    if (!room)
        return ~STALL_MISS_QUEUE;
    uint64_t empty = c->tags.all_ways & ~s->occupied;
    int way = empty ? __builtin_ctzll(empty) : tags_oldest_way(s);
    if (way < 0)
        return ~STALL_LINE;
    if (s->lines[way].dirty_sectors)
        return SIMPLE_NOT;
    plain_insert(c, NULL, s, (uint32_t)way, !empty, line);
    c->stats.sectors_fetched++;
    uint16_t mshr = mshr_take(&c->mshrs, line, s, way, 1, waiter, now);
    tags_line(s, (uint32_t)way)->mshr = mshr;
    return mshr;
}

#endif
