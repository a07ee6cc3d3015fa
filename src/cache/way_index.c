#include "cache/way_index.h"

void way_index_init(struct way_index *x, struct arena *arena, const uint64_t *tags, uint32_t n_sets,
                    uint32_t way_bits)
{
    size_t n = ((size_t)n_sets + 1) << way_bits; /* places, those of set -1 included */
    uint32_t bucket_bits = 1;
    while ((size_t)1 << bucket_bits < 2 * n)
        bucket_bits++;
    *x = (struct way_index){
        .use = ARENA_ARRAY(arena, struct way_neighbours, n + n_sets),
        .head = ARENA_ARRAY(arena, uint32_t, (size_t)1 << bucket_bits),
        .next = ARENA_ARRAY(arena, uint32_t, n),
        .tags = tags,
        .way_bits = way_bits,
        .n_sets = n_sets,
        .hash_shift = 64 - bucket_bits,
        .knots = (uint32_t)n - 1,
    };
}

void way_index_start(struct way_index *x, uint32_t n_ways)
{
    for (uint32_t set = 0; set < x->n_sets; set++) {
        uint32_t first = (set + 1) << x->way_bits, last = first + n_ways - 1;
        uint32_t knot = (uint32_t)way_index_knot(x, first);
        x->use[knot] = (struct way_neighbours){.older = first, .newer = last};
        for (uint32_t i = first; i <= last; i++)
            x->use[i] = (struct way_neighbours){.older = i == last ? knot : i + 1,
                                                .newer = i == first ? knot : i - 1};
    }
}

void way_index_replace(struct way_index *x, size_t place, uint64_t old, uint64_t line)
{
    if (old != TAG_EMPTY)
        way_index_forget(x, place, old);
    if (line != TAG_EMPTY)
        way_index_add(x, place, line);
    else
        way_index_use(x, place);
}
