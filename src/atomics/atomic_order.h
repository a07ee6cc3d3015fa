/* Atomics of one L2 line are performed in the order of their arrival, even if their data arrive in
 * another order: with sectors, one may find all it needs while an earlier one still waits. A
 * thread's own atomics on one address depend on this.
 *
 * An L2 bank records the lines whose atomics wait, and for which MSHR. Another atomic of such a
 * line may wait for the same MSHR, which keeps the order of arrival; otherwise it is held back
 * until those before it have been performed. */
#ifndef HEDDLE_ATOMICS_ATOMIC_ORDER_H
#define HEDDLE_ATOMICS_ATOMIC_ORDER_H

#include "base/arena.h"
#include "cache/cache.h"

struct waiting_atomics {
    uint64_t line;
    uint32_t mshr; /* CACHE_NO_MSHR = it bypasses L2 */
    uint32_t n;
};

struct atomic_order {
    struct waiting_atomics *lines; /* in any order */
    uint32_t n_lines, cap_lines;
};

static inline struct waiting_atomics *atomic_order_find(const struct atomic_order *o, uint64_t line)
{
    for (uint32_t i = 0; i < o->n_lines; i++)
        if (o->lines[i].line == line)
            return &o->lines[i];
    return NULL;
}

/* May the atomic be served now? */
static inline bool atomic_order_allows(const struct atomic_order *o, struct cache *cache,
                                       const struct mem_access *a)
{
    const struct waiting_atomics *w = atomic_order_find(o, a->line);
    return !w || (w->mshr != CACHE_NO_MSHR && cache_mshr_for(cache, a) == w->mshr);
}

/* It must wait for its data. */
static inline void atomic_order_wait(struct atomic_order *o, uint64_t line, uint32_t mshr)
{
    struct waiting_atomics *w = atomic_order_find(o, line);
    if (!w) {
        ARRAY_RESERVE(o->lines, o->cap_lines, o->n_lines + 1);
        w = &o->lines[o->n_lines++];
        *w = (struct waiting_atomics){.line = line, .mshr = mshr};
    }
    w->n++;
}

/* The first waiting atomic is performed. */
static inline void atomic_order_perform(struct atomic_order *o, uint64_t line)
{
    struct waiting_atomics *w = atomic_order_find(o, line);
    if (--w->n == 0)
        *w = o->lines[--o->n_lines];
}

#endif
