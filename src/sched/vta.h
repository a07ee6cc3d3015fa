/* Victim tag arrays: each warp slot has a small one of its own, tags only, first in, first out
 * (S4 section 3.3.3; S4: ccws.c). Its set is chosen by the low bits of the line's number. */
#ifndef HEDDLE_SCHED_VTA_H
#define HEDDLE_SCHED_VTA_H

#include <stdbool.h>
#include <stdint.h>

/* Of one warp slot: `tags` has n_sets rings of n_ways lines, each with the index of its newest one
 * in front. From there on they are older and older; places that are empty come last. */
struct vta {
    uint32_t n_sets, n_ways, line_shift;
};

#define VTA_EMPTY UINT64_MAX /* no line has this address: it is not aligned */

/* How many words of `tags` that takes. */
static inline uint32_t vta_words(const struct vta *v)
{
    return v->n_sets * (v->n_ways + 1);
}

/* The ring of a line, without the index in front of it. */
static inline uint64_t *vta_set(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return tags + (line >> v->line_shift) % v->n_sets * (v->n_ways + 1) + 1;
}

static inline void vta_clear(const struct vta *v, uint64_t *tags)
{
    for (uint32_t i = 0; i < vta_words(v); i++)
        tags[i] = i % (v->n_ways + 1) ? VTA_EMPTY : 0;
}

/* Where a line is in its ring; n_ways if it is not there. */
static inline uint64_t vta_find(const struct vta *v, const uint64_t *set, uint64_t line)
{
    uint64_t i = 0;
    while (i < v->n_ways && set[i] != line)
        i++;
    return i;
}

static inline bool vta_has(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return vta_find(v, vta_set(v, tags, line), line) < v->n_ways;
}

/* Takes a line out; false if it was not there. Those that are older move up. */
static inline bool vta_remove(const struct vta *v, uint64_t *tags, uint64_t line)
{
    uint64_t *set = vta_set(v, tags, line), newest = set[-1], i = vta_find(v, set, line);
    if (i == v->n_ways)
        return false;
    for (uint64_t older; (older = i + 1 < v->n_ways ? i + 1 : 0) != newest; i = older)
        set[i] = set[older];
    set[i] = VTA_EMPTY;
    return true;
}

/* Puts a line in that is not there, and returns what had to leave, or VTA_EMPTY. */
static inline uint64_t vta_push(const struct vta *v, uint64_t *tags, uint64_t line)
{
    uint64_t *set = vta_set(v, tags, line), oldest = (set[-1] ? set[-1] : v->n_ways) - 1;
    uint64_t out = set[oldest];
    set[oldest] = line;
    set[-1] = oldest;
    return out;
}

/* The same of any line: one that is there already keeps its place in the queue, and is returned. */
static inline uint64_t vta_insert(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return vta_has(v, tags, line) ? line : vta_push(v, tags, line);
}

#endif
