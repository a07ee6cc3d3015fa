/* A late cache: LRU, a line gets its place when its data come, sectors are the segments that
 * travel, nobody wants to be told of anything, and there is an index. What its fills do, inline for
 * an owner who waits for many of them (sm/reply.c). */
#ifndef HEDDLE_CACHE_LATE_H
#define HEDDLE_CACHE_LATE_H

#include "cache/alloc.h"

static inline bool cache_is_late(const struct cache *c)
{
    return c->quiet && c->config.allocate_on_fill && c->by_segments && c->tags.indexed;
}

/* A place for what an MSHR brings: an empty one of its set, or the oldest; 0 if that is dirty. */
static inline size_t late_make_place(struct cache *c, const struct mshr *m)
{
    struct way_index *index = &c->tags.index;
    struct cache_set *s = m->set;
    uint64_t empty = c->tags.all_ways & ~s->occupied;
    if (empty) {
        s->occupied |= empty & -empty;
        return way_index_place(index, s, (uint32_t)__builtin_ctzll(empty));
    }
    assert(!s->reserved); /* no line waits for data without having some */
    size_t place = way_index_place(index, s, (uint32_t)way_index_oldest(index, s));
    struct cache_line *line = &c->tags.lines[place];
    if (line->dirty_sectors)
        return 0;
    cache_count_eviction(c, line);
    way_index_forget(index, place, line->line);
    return place;
}

/* The line of an MSHR is in a place from now on. Who asked for it nobody will ask. */
static inline void late_insert(struct cache *c, const struct mshr *m, size_t place)
{
    struct cache_line *line = &c->tags.lines[place];
    uint64_t address = m->line, order = ++c->order;
    /* one by one: compilers would make up the record elsewhere and copy it */
    line->line = address;
    line->reused = m->reused;
    line->valid_sectors = m->sectors;
    line->dirty_sectors = m->dirty_sectors;
    c->tags.tags[place] = address;
    c->tags.last_use[place] = order;
    way_index_add(&c->tags.index, place, address);
    way_index_use(&c->tags.index, place, order);
}

/* Data have come, and whoever waits for them stays in the MSHR until that is used again. False, and
 * nothing done, if that is not for here: they are not to be kept, or what has to make room for them
 * is dirty. */
static inline __attribute__((always_inline)) bool late_fill(struct cache *c, uint32_t mshr,
                                                            uint64_t cycle)
{
    struct mshr *m = &c->mshrs.entries[mshr];
    if (m->detached)
        return false;
    size_t place = way_index_seek(&c->tags.index, m->line);
    if (place) {
        c->tags.lines[place].valid_sectors |= m->sectors;
        c->tags.lines[place].dirty_sectors |= m->dirty_sectors;
    } else {
        place = late_make_place(c, m);
        if (!place)
            return false;
        late_insert(c, m, place);
    }
    c->stats.fills++;
    mshr_release(&c->mshrs, mshr, cycle);
    return true;
}

#endif
