/* A late cache: LRU, a line gets its place when its data come, sectors are the segments that
 * travel, nobody wants to be told of anything, and there is an index. What its fills do, inline for
 * an owner who waits for many of them (sm/reply.c). */
#ifndef HEDDLE_CACHE_LATE_H
#define HEDDLE_CACHE_LATE_H

#include "cache/alloc.h"
#include "cache/least.h"

static inline bool cache_is_late(const struct cache *c)
{
    return c->quiet && c->config.allocate_on_fill && c->by_segments && c->tags.indexed;
}

/* Apart, so that a fill which finds an empty place saves no register for its sake. As many ways as
 * there can be are looked at without loops. */
static __attribute__((noinline)) uint32_t late_oldest(const uint32_t *use, size_t n)
{
    return n == CACHE_MAX_WAYS ? least_of(use, CACHE_MAX_WAYS) : least_of(use, n);
}

/* A place for what an MSHR brings: an empty one of its set, or the oldest. 0 if that is dirty, or
 * so many uses old that they have to be looked at one by one. */
static inline size_t late_make_place(struct cache *c, const struct mshr *m)
{
    struct way_index *index = &c->tags.index;
    struct cache_set *s = m->set;
    uint64_t empty = c->tags.all_ways & ~s->occupied;
    size_t first = way_index_place(index, s, 0);
    if (empty) {
        s->occupied |= empty & -empty;
        return first + (uint32_t)__builtin_ctzll(empty);
    }
    assert(!s->reserved); /* no line waits for data without having some */
    size_t place = first + late_oldest(index->use + first, (size_t)1 << index->way_bits);
    struct cache_line *line = &c->tags.lines[place];
    if (line->dirty_sectors || c->tags.last_use[place] >> 32)
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
    way_index_use(&c->tags.index, place, order);
}

/* The data of an MSHR have come, and whoever waits for them stays there until that is used again.
 * False, and nothing done, if that is not for here: they are not to be kept, or cannot have the
 * place of the oldest line without more ado. */
static inline __attribute__((always_inline)) bool late_fill(struct cache *c, struct mshr *m,
                                                            uint32_t number, uint64_t cycle)
{
    struct way_index *index = &c->tags.index;
    if (m->detached)
        return false;
    size_t bucket = way_index_bucket(index, m->line);
    size_t place = way_index_seek_in(index, bucket, m->line);
    if (place) {
        struct cache_line *line = &c->tags.lines[place];
        line->valid_sectors |= m->sectors;
        line->dirty_sectors |= m->dirty_sectors;
    } else {
        place = late_make_place(c, m);
        if (!place)
            return false;
        late_insert(c, m, place);
        way_index_add_to(index, bucket, place);
    }
    c->stats.fills++;
    mshr_unlink(&c->mshrs, m, number);
    mshr_free(&c->mshrs, m, number, cycle);
    return true;
}

#endif
