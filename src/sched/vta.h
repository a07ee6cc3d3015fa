/* Victim tag arrays: each warp slot has a small one, tags only (S4 section 3.3.3; S4: ccws.c).
 * First in, first out (order: ours). The low bits of the line's number select the set. */
#ifndef HEDDLE_SCHED_VTA_H
#define HEDDLE_SCHED_VTA_H

#include <stdbool.h>
#include <stdint.h>

/* The array of one warp slot: `tags` has n_sets rings of n_ways lines, each preceded by the index
 * of its newest line. From there on lines are older and older; empty entries come last. */
struct vta {
    uint32_t n_sets, n_ways, line_shift;
};

#define VTA_EMPTY UINT64_MAX /* not a valid line address: it is not aligned */

/* The number of words of `tags`. */
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

/* The position of a line in its ring; n_ways if it is not there. */
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

/* Removes a line; false if it was not there. Older lines move up. */
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

/* Inserts a line that is not there. Returns the line that was dropped, or VTA_EMPTY. */
static inline uint64_t vta_push(const struct vta *v, uint64_t *tags, uint64_t line)
{
    uint64_t *set = vta_set(v, tags, line), oldest = (set[-1] ? set[-1] : v->n_ways) - 1;
    uint64_t out = set[oldest];
    set[oldest] = line;
    set[-1] = oldest;
    return out;
}

/* The same for any line: a line that is already there keeps its position and is returned. */
static inline uint64_t vta_insert(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return vta_has(v, tags, line) ? line : vta_push(v, tags, line);
}

#endif
