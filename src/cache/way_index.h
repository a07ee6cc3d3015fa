/* An index for caches with many ways: finds a line, and the least recently used line of a set,
 * without scanning every way. It is a chained hash of all lines, and a row of numbers that give the
 * order of uses.
 *
 * A way is identified by its place in the cache, counted set by set; each set has a power of two of
 * places, so a look-up needs no set number. An unused set comes first: place 0 ends a chain and
 * never holds a line or sectors. */
#ifndef HEDDLE_CACHE_WAY_INDEX_H
#define HEDDLE_CACHE_WAY_INDEX_H

#include "base/arena.h"
#include "cache/cache_policy.h"

struct way_index {
    uint32_t *use;        /* per place: the low 32 bits of the order of its last use */
    uint32_t *head;       /* per chain */
    uint32_t *next;       /* per place: the next in its chain */
    const uint64_t *tags; /* per place */
    uint32_t way_bits, n_sets, hash_shift;
};

/* For sets of 1 << way_bits places; `tags` are those of all places, all TAG_EMPTY. */
void way_index_init(struct way_index *x, struct arena *arena, const uint64_t *tags, uint32_t n_sets,
                    uint32_t way_bits);
/* Resets the order of uses, for sets of n_ways ways. */
void way_index_start(struct way_index *x, uint32_t n_ways);

/* Places are size_t, which the host adds to an address without a conversion. */
static inline size_t way_index_place(const struct way_index *x, const struct cache_set *s,
                                     uint32_t way)
{
    return (((size_t)s->set + 1) << x->way_bits) + way;
}

static inline uint32_t way_index_way(const struct way_index *x, size_t place)
{
    return (uint32_t)place & ((1u << x->way_bits) - 1);
}

static inline size_t way_index_set(const struct way_index *x, size_t place)
{
    return (place >> x->way_bits) - 1;
}

/* Makes the place the most recently used of its set; `order` is greater than in all calls before.
 */
static inline void way_index_use(struct way_index *x, size_t place, uint64_t order)
{
    x->use[place] = (uint32_t)order;
}

static inline size_t way_index_bucket(const struct way_index *x, uint64_t line)
{
    return line * 0x9e3779b97f4a7c15ull >> x->hash_shift;
}

/* The place that holds the line; 0 = none. */
static inline size_t way_index_place_of(const struct way_index *x, uint64_t line)
{
    size_t place = x->head[way_index_bucket(x, line)];
    while (__builtin_expect(x->tags[place] != line, 0) && place)
        place = x->next[place];
    return place;
}

/* The way that holds the line in its set; -1 = none. */
static inline int way_index_find(const struct way_index *x, uint64_t line)
{
    size_t place = way_index_place_of(x, line);
    return place ? (int)way_index_way(x, place) : -1;
}

/* Removes the line in this place from the index. */
static inline void way_index_forget(struct way_index *x, size_t place, uint64_t line)
{
    uint32_t *link = &x->head[way_index_bucket(x, line)];
    while (*link != place)
        link = &x->next[*link];
    *link = x->next[place];
}

/* Adds the line in this place, which was empty, to the index. */
static inline void way_index_add(struct way_index *x, size_t place, uint64_t line)
{
    uint32_t *head = &x->head[way_index_bucket(x, line)];
    x->next[place] = *head;
    *head = (uint32_t)place;
}

/* What cache_set_lru() returns for a full set. */
int way_index_oldest(const struct way_index *x, const struct cache_set *s);

#endif
