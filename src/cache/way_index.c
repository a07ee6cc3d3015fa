#include "cache/way_index.h"

#include "cache/least.h"

void way_index_init(struct way_index *x, struct arena *arena, const uint64_t *tags, uint32_t n_sets,
                    uint32_t way_bits)
{
    size_t n = ((size_t)n_sets + 1) << way_bits; /* including those of the unused first set */
    uint32_t bucket_bits = 1;
    while ((size_t)1 << bucket_bits < 2 * n)
        bucket_bits++;
    *x = (struct way_index){
        .use = ARENA_ARRAY(arena, uint32_t, n),
        .head = ARENA_ARRAY(arena, uint32_t, (size_t)1 << bucket_bits),
        .next = ARENA_ARRAY(arena, uint32_t, n),
        .tags = tags,
        .way_bits = way_bits,
        .n_sets = n_sets,
        .hash_shift = 64 - bucket_bits,
    };
}

void way_index_start(struct way_index *x, uint32_t n_ways)
{
    uint32_t places = 1u << x->way_bits;
    for (uint32_t set = 0; set < x->n_sets; set++)
        for (uint32_t way = 0; way < places;
             way++) /* a place that is not a way is never the oldest */
            x->use[((size_t)set + 1) * places + way] = way < n_ways ? 0 : UINT32_MAX;
}

/* `use` has the low 32 bits of each order, so the least of them is the oldest line unless its full
 * order is larger than 32 bits. In that case, or if the line found is reserved, all ways are
 * searched. */
int way_index_oldest(const struct way_index *x, const struct cache_set *s)
{
    uint32_t way = least_of(x->use + way_index_place(x, s, 0), (size_t)1 << x->way_bits);
    return s->last_use[way] >> 32 || s->reserved >> way & 1 ? cache_set_lru(s) : (int)way;
}

int cache_full_set_lru(const struct cache_set *s)
{
    return s->index ? way_index_oldest(s->index, s) : cache_set_lru(s);
}
