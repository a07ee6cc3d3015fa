/* From a line to a number: an open hash table that only grows. A zeroed struct is empty and valid.
 */
#ifndef HEDDLE_ANALYSIS_LAB_MAP_H
#define HEDDLE_ANALYSIS_LAB_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

struct lab_entry {
    uint64_t line, value;
    bool used;
};

struct lab_map {
    struct lab_entry *entries;
    size_t n, cap; /* cap is a power of two, at most half full */
};

static inline struct lab_entry *lab_map_slot(const struct lab_map *m, uint64_t line)
{
    uint64_t h = line * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h ^ h >> 32) & (m->cap - 1);
    while (m->entries[i].used && m->entries[i].line != line)
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

static inline void lab_map_grow(struct lab_map *m)
{
    struct lab_map bigger = {.n = m->n, .cap = m->cap ? 2 * m->cap : 64};
    bigger.entries = xcalloc(bigger.cap, sizeof *bigger.entries);
    for (size_t i = 0; i < m->cap; i++)
        if (m->entries[i].used)
            *lab_map_slot(&bigger, m->entries[i].line) = m->entries[i];
    free(m->entries);
    *m = bigger;
}

/* The line's number, `fresh` if it has none yet. Holds until the next call. */
static inline uint64_t *lab_map_at(struct lab_map *m, uint64_t line, uint64_t fresh)
{
    if (2 * m->n >= m->cap)
        lab_map_grow(m);
    struct lab_entry *e = lab_map_slot(m, line);
    if (!e->used) {
        *e = (struct lab_entry){line, fresh, true};
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
