#include "cache/way_index.h"

void way_index_init(struct way_index *x, struct arena *arena, const uint64_t *tags, uint32_t n_sets,
                    uint32_t way_bits)
{
    size_t n = ((size_t)n_sets + 1) << way_bits; /* places, those of set -1 included */
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
        for (uint32_t way = 0; way < places; way++) /* what is no way is never the oldest */
            x->use[((size_t)set + 1) * places + way] = way < n_ways ? 0 : UINT32_MAX;
}
