#include "cache/tags.h"

static uint32_t fill_up(uint32_t n_ways)
{
    return (n_ways + SCAN_STEP - 1) / SCAN_STEP * SCAN_STEP;
}

static void init_set(struct cache_set *s, struct arena *arena, bool indexed)
{
    uint32_t n = fill_up(s->n_ways);
    uint64_t *tags = ARENA_ARRAY(arena, uint64_t, n), *last_use = ARENA_ARRAY(arena, uint64_t, n);
    for (uint32_t i = 0; i < n; i++)
        tags[i] = TAG_EMPTY;
    s->tags = tags;
    s->last_use = last_use;
    s->lines = ARENA_ARRAY(arena, struct cache_line, s->n_ways);
    if (indexed)
        s->index = ARENA_ARRAY(arena, struct way_index, 1);
}

static void init_policy_data(struct cache_set *s, struct arena *arena, size_t bytes)
{
    size_t stride = (bytes + 7) & ~(size_t)7;
    char *data = arena_alloc(arena, s->n_ways * stride);
    void **bits = ARENA_ARRAY(arena, void *, s->n_ways);
    for (uint32_t way = 0; way < s->n_ways; way++)
        bits[way] = data + way * stride;
    s->bits = bits;
}

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes)
{
    *t = (struct tag_store){.sets = ARENA_ARRAY(arena, struct cache_set, n_sets),
                            .n_sets = n_sets,
                            .indexed = n_ways > SCANNED_WAYS};
    for (uint32_t set = 0; set < n_sets; set++) {
        t->sets[set] = (struct cache_set){.set = set, .n_ways = n_ways};
        init_set(&t->sets[set], arena, t->indexed);
        if (policy_line_bytes)
            init_policy_data(&t->sets[set], arena, policy_line_bytes);
    }
    tags_resize(t, n_ways);
}

void tags_resize(struct tag_store *t, uint32_t n_ways)
{
    for (struct cache_set *s = t->sets; s != t->sets + t->n_sets; s++) {
        s->n_ways = n_ways;
        for (uint32_t way = 0; way < fill_up(n_ways); way++)
            ((uint64_t *)s->last_use)[way] = way < n_ways ? 0 : NEVER_OLDEST;
        if (s->index)
            way_index_start(s->index, n_ways);
    }
    t->all_ways = cache_set_ways(t->sets);
}
