/* The tag store: which lines are where. Data are not kept, nobody needs them.
 *
 * What a look-up reads is laid out densely, apart from the rest of a line's record: one byte of
 * hash per way, eight of which are compared at a time, then the tag itself. */
#ifndef HEDDLE_CACHE_TAGS_H
#define HEDDLE_CACHE_TAGS_H

#include <string.h>

#include "cache/cache_policy.h"

#define TAG_EMPTY UINT64_MAX /* no line has this address: it is not aligned */

struct set_masks {
    uint64_t occupied, reserved; /* of ways */
};

struct tag_store {
    uint32_t n_sets, n_ways, words_per_set; /* words of eight hash bytes */
    uint64_t *hashes;
    uint64_t *tags; /* [set][way], like the following */
    uint64_t *last_use;
    struct cache_line *lines;
    void **bits; /* NULL if the policy keeps nothing per line */
    struct set_masks *masks;
};

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes);
/* Puts a line into an empty way, reserved; the caller completes its record. */
void tags_insert(struct tag_store *t, uint32_t set, uint32_t way, uint64_t line);
void tags_remove(struct tag_store *t, uint32_t set, uint32_t way);
/* The line waits for nothing any more. */
void tags_validate(struct tag_store *t, uint32_t set, uint32_t way);
/* The line waits (again): sectors of it are fetched. */
void tags_reserve(struct tag_store *t, uint32_t set, uint32_t way);

static inline size_t tags_at(const struct tag_store *t, uint32_t set, uint32_t way)
{
    return (size_t)set * t->n_ways + way;
}

static inline uint64_t tag_hash(uint64_t line)
{
    return line * 0x9e3779b97f4a7c15ull >> 56;
}

/* The way that holds the line, reserved or valid; -1 if none does. */
static inline int tags_find(const struct tag_store *t, uint32_t set, uint64_t line)
{
    const uint64_t ones = 0x0101010101010101ull;
    const uint64_t *tags = t->tags + tags_at(t, set, 0);
    const uint64_t *hashes = t->hashes + (size_t)set * t->words_per_set;
    uint64_t wanted = tag_hash(line) * ones;
    for (uint32_t i = 0; i < t->words_per_set; i++) {
        /* A byte of `differs` is 0 where the hash is equal; that sets the byte's top bit in
         * `candidates`, and borrows may set others, which the tags then refute. */
        uint64_t differs = hashes[i] ^ wanted;
        uint64_t candidates = (differs - ones) & ~differs & ones << 7;
        for (; candidates; candidates &= candidates - 1) {
            uint32_t way = 8 * i + ((uint32_t)__builtin_ctzll(candidates) >> 3);
            if (way < t->n_ways && tags[way] == line)
                return (int)way;
        }
    }
    return -1;
}

static inline struct cache_set tags_view(const struct tag_store *t, uint32_t set)
{
    size_t first = tags_at(t, set, 0);
    return (struct cache_set){.set = set,
                              .n_ways = t->n_ways,
                              .occupied = t->masks[set].occupied,
                              .reserved = t->masks[set].reserved,
                              .lines = t->lines + first,
                              .last_use = t->last_use + first,
                              .bits = t->bits ? t->bits + first : NULL};
}

#endif
