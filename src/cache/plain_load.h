/* Loads of a plain cache (plain.h) with an index, inline for an owner who serves many of them
 * (gpu/l2_ahead.c): what cache_load() does for them, in pieces, and without a record of each
 * access. */
#ifndef HEDDLE_CACHE_PLAIN_LOAD_H
#define HEDDLE_CACHE_PLAIN_LOAD_H

#include "cache/plain.h"

static inline bool cache_is_plain_indexed(const struct cache *c)
{
    return c->plain && c->tags.indexed;
}

/* Where a load stands before anything is done about it. */
struct plain_found {
    uint32_t place; /* of its line, which is there or on its way; 0 = neither */
    uint32_t lacks; /* sectors that it asks for and that are not there; 0 = it hits */
};

static inline struct plain_found plain_find(const struct cache *c, struct cache_part part)
{
    size_t place = way_index_seek(&c->tags.index, part.line);
    uint32_t asked = c->by_segments ? part.sectors : cache_counted(c, part.sectors);
    return (struct plain_found){(uint32_t)place, asked & ~c->tags.lines[place].valid_sectors};
}

/* The line is the newest of its set. Which instruction used it last nobody will ask. */
static inline void plain_use(struct cache *c, size_t place)
{
    uint64_t order = ++c->order;
    c->tags.last_use[place] = order;
    way_index_use(&c->tags.index, place, order);
}

static inline void plain_hit(struct cache *c, size_t place)
{
    cache_count_hit(c);
    c->tags.lines[place].reused = true;
    plain_use(c, place);
}

/* The MSHR that brings all that a load lacks, or MSHR_NONE. A line that waits for nothing has none,
 * so that most need not be looked for. */
static inline uint16_t plain_outstanding(const struct cache *c, uint64_t line, struct plain_found f)
{
    const struct cache_line *there = &c->tags.lines[f.place];
    if (!f.place || !there->n_fetches)
        return MSHR_NONE;
    return c->mshrs.heads ? mshr_find(&c->mshrs, line, f.lacks) : there->mshr;
}

/* Will it do the same whatever data come before its turn? As cache_load_misses(). */
static inline bool plain_misses(const struct cache *c, uint64_t line, struct plain_found f)
{
    if (!f.place) { /* a line that waits is not pushed out, one that has its data may be */
        const struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
        return !s->reserved || c->tags.all_ways & ~s->occupied;
    }
    bool one = !(f.lacks & (f.lacks - 1)); /* of several, some may be on their way */
    return !c->tags.lines[f.place].n_fetches || (one && plain_outstanding(c, line, f) == MSHR_NONE);
}

/* Is there one fetch for the line, and does it bring all that a load lacks? Then whether its data
 * come before the load decides no more than whether that hits or joins. */
static inline bool plain_comes_at_once(const struct cache *c, uint64_t line, struct plain_found f)
{
    return f.place && c->tags.lines[f.place].n_fetches == 1 &&
           plain_outstanding(c, line, f) != MSHR_NONE;
}

/* A load joins the fetch that brings what it lacks, if it has room; false if it has not. */
static inline bool plain_join(struct cache *c, struct plain_found f, uint16_t mshr, void *waiter)
{
    if (!mshr_has_room(&c->mshrs, mshr))
        return false;
    c->stats.loads++;
    c->stats.merges++;
    c->tags.lines[f.place].reused = true;
    plain_use(c, f.place);
    mshr_join(&c->mshrs, mshr, waiter);
    return true;
}

/* A load that has joined one whose data come before it hits. */
static inline void plain_hit_after_all(struct cache *c)
{
    c->stats.merges--;
    c->stats.hits++;
}

/* The way that a fetch is for, and -1 if there is none. */
struct plain_place {
    struct cache_set *set;
    int way;
};

/* A line that is absent gets an empty way, or that of the oldest, if it is clean. */
static inline struct plain_place plain_insert_line(struct cache *c, uint64_t line)
{
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
    int way = cache_lru_way(c, &c->tags.index, s);
    if (way < 0 || s->lines[way].dirty_sectors)
        return (struct plain_place){s, -1};
    plain_insert(c, &c->tags.index, s, (uint32_t)way, s->tags[way] != TAG_EMPTY, line);
    return (struct plain_place){s, way};
}

/* One that lacks sectors keeps its way. */
static inline struct plain_place plain_ask_for_more(struct cache *c, size_t place)
{
    uint32_t way = way_index_way(&c->tags.index, place);
    struct cache_set *s = &c->tags.sets[way_index_set(&c->tags.index, place)];
    c->stats.loads++;
    c->stats.misses++;
    c->stats.sector_misses++;
    c->tags.lines[place].n_fetches++;
    tags_reserve(s, way);
    plain_use(c, place);
    return (struct plain_place){s, (int)way};
}

/* A load fetches what it lacks, as nobody else does: the MSHR that it takes, or MSHR_NONE, and
 * nothing done, if there is none, or what has to make room for it is dirty or waits itself. */
static inline __attribute__((always_inline)) uint16_t
plain_fetch(struct cache *c, uint64_t line, struct plain_found f, void *waiter, uint64_t now)
{
    if (!c->mshrs.n_free)
        return MSHR_NONE;
    struct plain_place at = f.place ? plain_ask_for_more(c, f.place) : plain_insert_line(c, line);
    if (at.way < 0)
        return MSHR_NONE;
    c->stats.sectors_fetched += cache_count_sectors(f.lacks);
    uint16_t mshr = mshr_take(&c->mshrs, line, at.set, at.way, f.lacks, waiter, now);
    tags_line(at.set, (uint32_t)at.way)->mshr = mshr;
    return mshr;
}

#endif
