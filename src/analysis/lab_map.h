/* Maps a line to a number: an open-addressing hash table that only grows. A zeroed struct is empty
 * and valid. UINT64_MAX is not a valid line: it would be the key of an empty entry. */
#ifndef HEDDLE_ANALYSIS_LAB_MAP_H
#define HEDDLE_ANALYSIS_LAB_MAP_H

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

struct lab_entry {
    uint64_t key; /* the line plus 1; 0 = empty */
    uint64_t value;
};

struct lab_map {
    struct lab_entry *entries;
    size_t n, cap; /* cap is a power of two, at most half full */
};

static inline struct lab_entry *lab_map_slot(const struct lab_map *m, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h ^ h >> 32) & (m->cap - 1);
    while (m->entries[i].key && m->entries[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

/* Prefetches the entry of a line that will soon be looked up. */
static inline void lab_map_expect(const struct lab_map *m, uint64_t line)
{
    uint64_t h = (line + 1) * 0x9e3779b97f4a7c15ull;
    if (m->cap)
        __builtin_prefetch(&m->entries[(size_t)(h ^ h >> 32) & (m->cap - 1)]);
}

static inline void lab_map_grow(struct lab_map *m)
{
    struct lab_map bigger = {.n = m->n, .cap = m->cap ? 2 * m->cap : 64};
    bigger.entries = xcalloc(bigger.cap, sizeof *bigger.entries);
    for (size_t i = 0; i < m->cap; i++)
        if (m->entries[i].key)
            *lab_map_slot(&bigger, m->entries[i].key) = m->entries[i];
    free(m->entries);
    *m = bigger;
}

/* The line's number, initially `fresh`. Valid until the next call. */
static inline uint64_t *lab_map_at(struct lab_map *m, uint64_t line, uint64_t fresh)
{
    if (2 * m->n >= m->cap)
        lab_map_grow(m);
    struct lab_entry *e = lab_map_slot(m, line + 1);
    if (!e->key) {
        *e = (struct lab_entry){line + 1, fresh};
        m->n++;
    }
    return &e->value;
}

static inline void lab_map_destroy(struct lab_map *m)
{
    free(m->entries);
    *m = (struct lab_map){0};
}

#endif
