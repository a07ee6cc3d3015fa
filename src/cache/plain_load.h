/* Loads of a plain cache (plain.h) with an index, inline for an owner who serves many of them
 * (gpu/l2_ahead.c): what cache_load() does for them, in pieces, and without a record of each
 * access. */
#ifndef HEDDLE_CACHE_PLAIN_LOAD_H
#define HEDDLE_CACHE_PLAIN_LOAD_H

#include "cache/plain.h"

static inline bool cache_is_plain_indexed(const struct cache *c)
{
    return c->plain_indexed;
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

/* A load fetches the sectors that its line lacks, as nobody else does: the MSHR that it takes, or
 * MSHR_NONE, and nothing done, if there is none. */
static inline __attribute__((always_inline)) uint16_t
plain_fetch_sectors(struct cache *c, uint64_t line, struct plain_found f, void *waiter,
                    uint64_t now)
{
    const struct way_index *index = &c->tags.index;
    uint32_t way = way_index_way(index, f.place);
    struct cache_set *s = &c->tags.sets[way_index_set(index, f.place)];
    struct cache_line *there = &c->tags.lines[f.place];
    if (!c->mshrs.n_free)
        return MSHR_NONE;
    uint16_t mshr = mshr_take(&c->mshrs, line, s, (int)way, f.lacks, waiter, now);
    there->n_fetches++;
    there->mshr = mshr;
    tags_reserve(s, way);
    plain_use(c, f.place);
    c->stats.loads++;
    c->stats.misses++;
    c->stats.sector_misses++;
    c->stats.sectors_fetched += cache_count_sectors(f.lacks);
    return mshr;
}

/* The same of a line that is absent. It gets an empty way, or that of the oldest; MSHR_NONE also if
 * that is dirty, or if all wait for data. */
static inline uint16_t plain_fetch_line(struct cache *c, uint64_t line, uint32_t lacks,
                                        void *waiter, uint64_t now)
{
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
    if (!c->mshrs.n_free)
        return MSHR_NONE;
    int way = cache_lru_way(c, &c->tags.index, s);
    if (way < 0 || s->lines[way].dirty_sectors)
        return MSHR_NONE;
    uint16_t mshr = mshr_take(&c->mshrs, line, s, way, lacks, waiter, now);
    plain_insert(c, &c->tags.index, s, (uint32_t)way, s->tags[way] != TAG_EMPTY, line);
    tags_line(s, (uint32_t)way)->mshr = mshr;
    c->stats.sectors_fetched += cache_count_sectors(lacks);
    return mshr;
}

#endif
