/* The tag store: which lines are where. Data are not kept, nobody needs them.
 *
 * A set's record is what policies are shown; only the functions here change it. Tags lie apart from
 * the rest of the lines' records, so that a look-up reads one row of them. All but init is inline:
 * every access passes here, and calls would cost more than the work. */
#ifndef HEDDLE_CACHE_TAGS_H
#define HEDDLE_CACHE_TAGS_H

#include "cache/cache_policy.h"

struct tag_store {
    uint32_t n_sets, n_ways;
    struct cache_set *sets;
};

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes);

/* The way that holds the line, reserved or valid; -1 if none does. */
static inline int tags_find(const struct cache_set *s, uint64_t line)
{
    const uint64_t *end = s->tags + s->n_ways;
    for (const uint64_t *tag = s->tags; tag != end; tag++)
        if (*tag == line)
            return (int)(tag - s->tags);
    return -1;
}

/* The record of a line, to change it. */
static inline struct cache_line *tags_line(struct cache_set *s, uint32_t way)
{
    return (struct cache_line *)s->lines + way;
}

static inline void tags_set_last_use(struct cache_set *s, uint32_t way, uint64_t order)
{
    ((uint64_t *)s->last_use)[way] = order;
}

/* Puts a line into a way, reserved; what was there is forgotten. */
static inline void tags_insert(struct cache_set *s, uint32_t way, struct cache_line record)
{
    record.state = LINE_RESERVED;
    *tags_line(s, way) = record;
    ((uint64_t *)s->tags)[way] = record.line;
    tags_set_last_use(s, way, record.inserted);
    s->occupied |= 1ull << way;
    s->reserved |= 1ull << way;
}

static inline void tags_remove(struct cache_set *s, uint32_t way)
{
    tags_line(s, way)->state = LINE_INVALID;
    ((uint64_t *)s->tags)[way] = TAG_EMPTY;
    s->occupied &= ~(1ull << way);
    s->reserved &= ~(1ull << way);
}

/* The line waits for nothing any more. */
static inline void tags_validate(struct cache_set *s, uint32_t way)
{
    tags_line(s, way)->state = LINE_VALID;
    s->reserved &= ~(1ull << way);
}

/* The line waits (again): sectors of it are fetched. */
static inline void tags_reserve(struct cache_set *s, uint32_t way)
{
    tags_line(s, way)->state = LINE_RESERVED;
    s->reserved |= 1ull << way;
}

#endif
