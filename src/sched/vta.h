/* Victim tag arrays: each warp slot has a small one of its own, tags only, first in, first out
 * (S4 section 3.3.3; S4: ccws.c). Its set is chosen by the low bits of the line's number. */
#ifndef HEDDLE_SCHED_VTA_H
#define HEDDLE_SCHED_VTA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Of one warp slot: `tags` has n_sets x n_ways lines, the newest of a set first. */
struct vta {
    uint32_t n_sets, n_ways, line_shift;
};

#define VTA_EMPTY UINT64_MAX /* no line has this address: it is not aligned */

static inline uint64_t *vta_set(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return tags + (line >> v->line_shift) % v->n_sets * v->n_ways;
}

static inline void vta_clear(const struct vta *v, uint64_t *tags)
{
    for (uint32_t i = 0; i < v->n_sets * v->n_ways; i++)
        tags[i] = VTA_EMPTY;
}

static inline bool vta_find(const struct vta *v, uint64_t *tags, uint64_t line)
{
    const uint64_t *set = vta_set(v, tags, line);
    for (uint32_t i = 0; i < v->n_ways; i++)
        if (set[i] == line)
            return true;
    return false;
}

/* Takes a line out; false if it was not there. */
static inline bool vta_remove(const struct vta *v, uint64_t *tags, uint64_t line)
{
    uint64_t *set = vta_set(v, tags, line);
    uint32_t i = 0;
    while (i < v->n_ways && set[i] != line)
        i++;
    if (i == v->n_ways)
        return false;
    for (; i + 1 < v->n_ways; i++)
        set[i] = set[i + 1];
    set[v->n_ways - 1] = VTA_EMPTY;
    return true;
}

/* Puts a line in that is not there, and returns what had to leave, or VTA_EMPTY. */
static inline uint64_t vta_push(const struct vta *v, uint64_t *tags, uint64_t line)
{
    uint64_t *set = vta_set(v, tags, line), out = set[v->n_ways - 1];
    memmove(set + 1, set, (v->n_ways - 1) * sizeof *set);
    set[0] = line;
    return out;
}

/* The same of any line: one that is there already keeps its place in the queue, and is returned. */
static inline uint64_t vta_insert(const struct vta *v, uint64_t *tags, uint64_t line)
{
    return vta_find(v, tags, line) ? line : vta_push(v, tags, line);
}

#endif
