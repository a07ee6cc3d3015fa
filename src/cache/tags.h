/* The tag store: which lines are where. Data are not kept, nobody needs them.
 *
 * A set's record is what policies are shown; only the functions here change it. Tags lie apart from
 * the rest of the lines' records, so that a look-up reads one row of them. All but init is inline:
 * every access passes here, and calls would cost more than the work. */
#ifndef HEDDLE_CACHE_TAGS_H
#define HEDDLE_CACHE_TAGS_H

#include "cache/scan.h"
#include "cache/way_index.h"

/* Sets of more ways than these are given an index; up to here looking at all of them is as fast,
 * four at a time: rows of tags and of last uses are filled up with TAG_EMPTY and NEVER_OLDEST. */
enum { SCANNED_WAYS = 8 };
#define NEVER_OLDEST INT64_MAX /* no order of use comes so far */

struct tag_store {
    struct cache_set *sets;
    uint64_t all_ways; /* cache_set_ways() of each */
    uint32_t n_sets;
    bool indexed; /* its sets have an index; else none has */
    /* Of all ways, set by set; with an index by their places in that. */
    struct cache_line *lines;
    uint64_t *tags, *last_use;
    struct way_index index; /* if it is indexed */
};

/* `may_index`: sets of many ways get an index; otherwise all ways are looked at. */
void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes, bool may_index);
/* An empty store goes on with so many ways of those it was made with. */
void tags_resize(struct tag_store *t, uint32_t n_ways);

/* --- Who knows that no set has an index says so by `index` = NULL, and spares asking each. --- */

/* The way that holds the line, reserved or valid; -1 if none does. */
static inline int tags_find_by(const struct way_index *index, const struct cache_set *s,
                               uint64_t line)
{
    if (index)
        return way_index_find(index, line);
    const uint64_t *tag = s->tags, *end = tag + s->n_ways;
    int way = 0;
    do {
#pragma GCC unroll 4
        for (int i = 0; i < SCAN_STEP; i++)
            if (tag[i] == line)
                return way + i;
        way += SCAN_STEP;
        tag += SCAN_STEP;
    } while (tag < end);
    return -1;
}

/* What cache_set_lru() says of a full set. */
static inline int tags_oldest_by(const struct way_index *index, const struct cache_set *s)
{
    if (index)
        return way_index_oldest(index, s);
    const uint64_t *use = s->last_use, *end = use + s->n_ways;
    uint64_t oldest = NEVER_OLDEST, reserved = s->reserved;
    int way = 0, found = CACHE_STALL;
    do {
#pragma GCC unroll 4
        for (int i = 0; i < SCAN_STEP; i++)
            if (use[i] < oldest && !(reserved >> i & 1)) {
                oldest = use[i];
                found = way + i;
            }
        way += SCAN_STEP;
        use += SCAN_STEP;
        reserved >>= SCAN_STEP;
    } while (use < end);
    return found;
}

/* The record of a line, to change it. */
static inline struct cache_line *tags_line(struct cache_set *s, uint32_t way)
{
    return (struct cache_line *)s->lines + way;
}

/* The line is the most recent one; `order` is greater than all before. */
static inline void tags_use_by(struct way_index *index, struct cache_set *s, uint32_t way,
                               uint64_t order)
{
    ((uint64_t *)s->last_use)[way] = order;
    if (index)
        way_index_use(index, way_index_place(index, s, way), order);
}

/* tags_find_by() and tags_oldest_by() for who has much else to do and little space: without an
 * index, and with few jumps. */
static inline bool tags_hold_line(const struct cache_set *s, uint64_t line)
{
    return scan_equal(s->tags, line) || (s->n_ways > SCAN_STEP && tags_find_by(NULL, s, line) >= 0);
}
static inline int tags_way_of(const struct cache_set *s, uint64_t line)
{
    uint32_t equal = scan_equal(s->tags, line);
    if (equal)
        return __builtin_ctz(equal);
    return s->n_ways > SCAN_STEP ? tags_find_by(NULL, s, line) : -1;
}
static inline int tags_oldest_way(const struct cache_set *s)
{
    return s->n_ways > SCAN_STEP ? tags_oldest_by(NULL, s) : scan_least(s->last_use, s->reserved);
}

/* The line has that way now, reserved. Of its record somebody else takes care. */
static inline void tags_take_way(struct way_index *index, struct cache_set *s, uint32_t way,
                                 uint64_t line, uint64_t order)
{
    if (index) {
        size_t place = way_index_place(index, s, way);
        if (s->tags[way] != TAG_EMPTY)
            way_index_forget(index, place, s->tags[way]);
        way_index_add(index, place, line);
        way_index_use(index, place, order);
    }
    s->occupied |= 1ull << way;
    s->reserved |= 1ull << way;
    ((uint64_t *)s->tags)[way] = line;
    ((uint64_t *)s->last_use)[way] = order;
}

/* Puts a line into a way, reserved; what was there is forgotten. */
static inline void tags_insert_by(struct way_index *index, struct cache_set *s, uint32_t way,
                                  struct cache_line record)
{
    *tags_line(s, way) = record;
    tags_take_way(index, s, way, record.line, record.inserted);
}

/* --- and for everybody else --- */

static inline int tags_find(const struct cache_set *s, uint64_t line)
{
    return tags_find_by(s->index, s, line);
}

static inline int tags_oldest(const struct cache_set *s)
{
    return tags_oldest_by(s->index, s);
}

static inline void tags_use(struct cache_set *s, uint32_t way, uint64_t order)
{
    tags_use_by(s->index, s, way, order);
}

static inline void tags_insert(struct cache_set *s, uint32_t way, struct cache_line record)
{
    tags_insert_by(s->index, s, way, record);
}

static inline void tags_remove(struct cache_set *s, uint32_t way)
{
    if (s->index)
        way_index_forget(s->index, way_index_place(s->index, s, way), s->tags[way]);
    ((uint64_t *)s->tags)[way] = TAG_EMPTY;
    s->occupied &= ~(1ull << way);
    s->reserved &= ~(1ull << way);
}

/* The line waits for nothing any more. */
static inline void tags_validate(struct cache_set *s, uint32_t way)
{
    s->reserved &= ~(1ull << way);
}

/* The line waits (again): sectors of it are fetched. */
static inline void tags_reserve(struct cache_set *s, uint32_t way)
{
    s->reserved |= 1ull << way;
}

#endif
