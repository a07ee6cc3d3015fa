/* Loads of a late cache (late.h), inline for an owner who does many of them in a row (sm/gather.c):
 * what cache_load() does for them, in pieces, and without a record of each access. */
#ifndef HEDDLE_CACHE_LATE_LOAD_H
#define HEDDLE_CACHE_LATE_LOAD_H

#include "cache/late.h"

/* way_index_seek() by the lines' records, where all else that a load looks at is as well: a place
 * in a chain holds the line that its record says, and place 0, where chains end, has no sectors. */
static inline size_t late_seek(const struct way_index *x, const struct cache_line *lines,
                               uint64_t line)
{
    size_t place = x->head[way_index_bucket(x, line)];
    while (__builtin_expect(lines[place].line != line, 0) && place)
        place = x->next[place];
    return place;
}

static inline struct late_found late_find(const struct cache *c, const struct line_access *x)
{
    const struct cache_line *lines = c->tags.lines;
    size_t place = late_seek(&c->tags.index, lines, x->line);
    return (struct late_found){(uint32_t)place, x->segments & ~lines[place].valid_sectors};
}

/* The load `x`, which hits, and those that follow, `most` at most, as long as they hit too: how
 * many that were, and what the first finds that is not done. */
struct late_next {
    uint64_t n_hits;
    struct late_found found;
};
struct late_next late_load_hits(struct cache *c, const struct line_access *x, uint64_t most,
                                struct late_found found);

/* A load hits, or joins a fetch of what its line lacks. Which instruction used a line last is not
 * written down: nobody is there to read it. */
static inline void late_use(struct cache *c, size_t place)
{
    c->tags.lines[place].reused = true;
    c->tags.last_use[place] = ++c->order;
    way_index_use(&c->tags.index, place, c->order);
}

/* Would it have to wait for an MSHR? Nothing but a fill changes that. */
static inline bool late_lacks_mshr(const struct cache *c, uint64_t line, struct late_found f)
{
    return !c->mshrs.n_free && f.lacks && mshr_find(&c->mshrs, line, f.lacks) == MSHR_NONE;
}

/* A load that was found to lack something joins the fetch that brings all of that, if it has room;
 * false if it has not, and nothing done. */
static inline bool late_join(struct cache *c, struct late_found f, uint16_t mshr, void *waiter)
{
    if (!mshr_has_room(&c->mshrs, mshr))
        return false;
    c->stats.loads++;
    c->stats.merges++;
    if (f.place)
        late_use(c, f.place);
    c->mshrs.entries[mshr].reused = true;
    mshr_join(&c->mshrs, mshr, waiter);
    return true;
}

/* The line is used, though it may be gone when the data come. */
static inline struct cache_set *late_use_partly(struct cache *c, size_t place)
{
    c->stats.sector_misses++;
    c->tags.last_use[place] = ++c->order;
    way_index_use(&c->tags.index, place, c->order);
    return &c->tags.sets[way_index_set(&c->tags.index, place)];
}

/* It fetches what it lacks, as nobody else does: there is a free MSHR, which it returns, and whose
 * bucket is known. */
static inline __attribute__((always_inline)) uint16_t late_fetch(struct cache *c, uint64_t line,
                                                                 size_t bucket, struct late_found f,
                                                                 uint64_t now, void *waiter)
{
    struct cache_set *s =
        f.place ? late_use_partly(c, f.place) : &c->tags.sets[set_index_of(&c->indexer, line)];
    uint16_t mshr = mshr_take_apart(&c->mshrs, line, s, -1, f.lacks, waiter, now);
    mshr_link(&c->mshrs, &c->mshrs.entries[mshr], mshr, bucket);
    c->stats.loads++;
    c->stats.misses++;
    c->stats.sectors_fetched += cache_count_sectors(f.lacks);
    return mshr;
}

#endif
