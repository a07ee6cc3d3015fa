/* The tag store: which lines are where. Data are not stored; nothing needs them.
 *
 * Policies see a set's record; only the functions here change it. Tags are stored apart from the
 * rest of the lines' records, so that a look-up reads one row of tags. Everything except init is
 * inline: every access comes here, and a call would cost more than the work. */
#ifndef HEDDLE_CACHE_TAGS_H
#define HEDDLE_CACHE_TAGS_H

#include "cache/scan.h"
#include "cache/way_index.h"

/* Sets with more ways than this are indexed. With fewer, scanning all ways is as fast, four at a
 * time: rows of tags and of last uses are padded with TAG_EMPTY and NEVER_OLDEST. */
enum { SCANNED_WAYS = 8 };
#define NEVER_OLDEST INT64_MAX /* larger than any order of use */
_Static_assert((int)SCAN_NONE == (int)CACHE_STALL, "scan_least() and cache_set_lru() must agree");

struct tag_store {
    struct cache_set *sets;
    uint64_t all_ways; /* cache_set_ways() of each */
    uint32_t n_sets;
    bool indexed; /* all its sets are indexed; otherwise none is */
    /* Of all ways, set by set; if indexed, by the index's places. */
    struct cache_line *lines;
    uint64_t *tags, *last_use;
    struct way_index index; /* if indexed */
};

/* `may_index`: sets with many ways are indexed; otherwise all ways are scanned. */
void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t line_state_bytes, bool may_index);
/* Lets an empty store continue with n_ways of the ways it was created with. */
void tags_resize(struct tag_store *t, uint32_t n_ways);

/* The way that holds the line, reserved or valid; -1 if none does. */
static inline int tags_find(const struct cache_set *s, uint64_t line)
{
    if (s->index)
        return way_index_find(s->index, line);
    uint32_t way = 0;
    do {
        uint32_t equal = scan_equal(s->tags + way, line);
        if (equal)
            return (int)(way + (uint32_t)__builtin_ctz(equal));
    } while ((way += SCAN_STEP) < s->n_ways);
    return -1;
}

/* What cache_set_lru() returns for a full set. */
static inline __attribute__((always_inline)) int tags_oldest(const struct cache_set *s)
{
    if (s->index)
        return way_index_oldest(s->index, s);
    int oldest = scan_least(s->last_use, s->reserved);
    for (uint32_t way = SCAN_STEP; way < s->n_ways; way += SCAN_STEP) {
        int found = scan_least(s->last_use + way, s->reserved >> way);
        if (found >= 0 && (oldest < 0 || s->last_use[way + found] < s->last_use[oldest]))
            oldest = (int)way + found;
    }
    return oldest;
}

/* The record of a line, writable. */
static inline struct cache_line *tags_line(struct cache_set *s, uint32_t way)
{
    return (struct cache_line *)s->lines + way;
}

/* Makes the line the most recently used; `order` is greater than in all calls before. */
static inline void tags_use(struct cache_set *s, uint32_t way, uint64_t order)
{
    ((uint64_t *)s->last_use)[way] = order;
    if (s->index)
        way_index_use(s->index, way_index_place(s->index, s, way), order);
}

/* Puts a line into a way, reserved; the previous line is forgotten. */
static inline void tags_insert(struct cache_set *s, uint32_t way, struct cache_line record)
{
    uint64_t old = s->tags[way];
    /* Field by field: to copy it whole, the compiler builds the record in memory first. */
    struct cache_line *line = tags_line(s, way);
    line->line = record.line;
    line->reused = record.reused;
    line->n_fetches = record.n_fetches;
    line->valid_sectors = record.valid_sectors;
    line->dirty_sectors = record.dirty_sectors;
    line->reserver_slot = record.reserver_slot;
    line->mshr = record.mshr;
    line->insert_pc = record.insert_pc;
    line->last_pc = record.last_pc;
    line->inserted = record.inserted;
    s->occupied |= 1ull << way;
    s->reserved |= 1ull << way;
    ((uint64_t *)s->tags)[way] = record.line;
    ((uint64_t *)s->last_use)[way] = record.inserted;
    if (s->index) {
        size_t place = way_index_place(s->index, s, way);
        if (old != TAG_EMPTY)
            way_index_forget(s->index, place, old);
        way_index_add(s->index, place, record.line);
        way_index_use(s->index, place, record.inserted);
    }
}

static inline void tags_remove(struct cache_set *s, uint32_t way)
{
    if (s->index)
        way_index_forget(s->index, way_index_place(s->index, s, way), s->tags[way]);
    ((uint64_t *)s->tags)[way] = TAG_EMPTY;
    s->occupied &= ~(1ull << way);
    s->reserved &= ~(1ull << way);
}

/* Marks the line as no longer waiting for data. */
static inline void tags_validate(struct cache_set *s, uint32_t way)
{
    s->reserved &= ~(1ull << way);
}

/* Marks the line as waiting for data, for the first time or again. */
static inline void tags_reserve(struct cache_set *s, uint32_t way)
{
    s->reserved |= 1ull << way;
}

#endif
