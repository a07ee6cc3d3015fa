/* Loads of a late cache (late.h), inline for an owner who does many of them in a row (sm/gather.c):
 * what cache_load() does for them, in pieces, and without a record of each access. */
#ifndef HEDDLE_CACHE_LATE_LOAD_H
#define HEDDLE_CACHE_LATE_LOAD_H

#include "cache/late.h"

/* Where a load stands before anything is done about it. */
struct late_found {
    uint32_t place; /* of its line; 0 = it has none */
    uint32_t lacks; /* sectors that it asks for and that are not there; 0 = it hits */
};

static inline struct late_found late_find(const struct cache *c, const struct line_access *x)
{
    uint32_t place = (uint32_t)way_index_seek(&c->tags.index, x->line);
    return (struct late_found){place, x->segments & ~c->tags.lines[place].valid_sectors};
}

/* The load `x`, which hits, and those that follow and come before `end`, as long as they hit too:
 * the first that is not done, and what it finds. */
struct late_next {
    const struct line_access *x;
    struct late_found found;
};
struct late_next late_load_hits(struct cache *c, const struct line_access *x,
                                const struct line_access *end, struct late_found found);

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

/* It fetches what it lacks, as nobody else does: there is a free MSHR, which it returns. */
static inline __attribute__((always_inline)) uint16_t
late_fetch(struct cache *c, uint64_t line, struct late_found f, uint64_t now, void *waiter)
{
    struct cache_set *s =
        f.place ? late_use_partly(c, f.place) : &c->tags.sets[set_index_of(&c->indexer, line)];
    c->stats.loads++;
    c->stats.misses++;
    c->stats.sectors_fetched += cache_count_sectors(f.lacks);
    return mshr_take(&c->mshrs, line, s, -1, f.lacks, waiter, now);
}

#endif
