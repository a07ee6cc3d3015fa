/* Sets with many ways: where a line is and which line was used longest ago, without looking at
 * every way. A hash of lines with chains, and a ring of ways in the order of their use.
 *
 * A way is known as way + 1: 0 ends a chain, and is the knot of the ring between its newest and its
 * oldest way. Bytes, so that all of it lies in a few of the host's cache lines. */
#ifndef HEDDLE_CACHE_WAY_INDEX_H
#define HEDDLE_CACHE_WAY_INDEX_H

#include "cache/cache_policy.h"

enum { WAY_BUCKET_BITS = 7 };

struct way_neighbours {
    uint8_t older, newer;
};

struct way_index {
    struct way_neighbours use[CACHE_MAX_WAYS + 1];
    uint8_t next[CACHE_MAX_WAYS + 1]; /* in the chain */
    uint8_t head[1 << WAY_BUCKET_BITS];
};

/* As it is when nothing has been used. */
void way_index_start(struct way_index *x, uint32_t n_ways);
/* The way, which held `old`, holds `line` from now on and is the newest; either may be TAG_EMPTY.
 */
void way_index_replace(struct way_index *x, uint32_t way, uint64_t old, uint64_t line);

/* The way becomes the newest. */
static inline void way_index_use(struct way_index *x, uint32_t way)
{
    uint32_t i = way + 1, newest = x->use[0].older;
    if (newest == i)
        return;
    struct way_neighbours was = x->use[i];
    x->use[was.older].newer = was.newer;
    x->use[was.newer].older = was.older;
    x->use[i] = (struct way_neighbours){.older = (uint8_t)newest, .newer = 0};
    x->use[newest].newer = (uint8_t)i;
    x->use[0].older = (uint8_t)i;
}

static inline uint32_t way_index_bucket(uint64_t line)
{
    return (uint32_t)(line * 0x9e3779b97f4a7c15ull >> (64 - WAY_BUCKET_BITS));
}

/* Where the line is, as way + 1; 0 = nowhere. A size_t, so that the host adds what is taken away by
 * the way, in its addresses. */
static inline size_t way_index_seek(const struct way_index *x, const uint64_t *tags, uint64_t line)
{
    size_t i = x->head[way_index_bucket(line)];
    while (i && tags[i - 1] != line)
        i = x->next[i];
    return i;
}

static inline int way_index_find(const struct way_index *x, const uint64_t *tags, uint64_t line)
{
    return (int)way_index_seek(x, tags, line) - 1;
}

/* The oldest way that is not in the mask; CACHE_STALL if all are. */
static inline int way_index_oldest(const struct way_index *x, uint64_t except)
{
    for (uint32_t i = x->use[0].newer; i; i = x->use[i].newer)
        if (!(except >> (i - 1) & 1))
            return (int)i - 1;
    return CACHE_STALL;
}

#endif
