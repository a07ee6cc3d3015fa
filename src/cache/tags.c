#include "cache/tags.h"

static uint32_t padded(uint32_t n_ways)
{
    return (n_ways + SCAN_STEP - 1) / SCAN_STEP * SCAN_STEP;
}

/* The places of a set; a power of two if the cache is indexed. */
static uint32_t places_of(uint32_t n_ways, bool indexed)
{
    uint32_t n = padded(n_ways);
    while (indexed && n & (n - 1))
        n += n & -n;
    return n;
}

/* Allocates one array of each kind for all sets. Those of an indexed cache begin with an unused
 * set. */
static void init_sets(struct tag_store *t, struct arena *arena, uint32_t n_ways)
{
    uint32_t places = places_of(n_ways, t->indexed);
    size_t n = ((size_t)t->n_sets + t->indexed) * places;
    t->tags = ARENA_ARRAY(arena, uint64_t, n);
    for (size_t i = 0; i < n; i++)
        t->tags[i] = TAG_EMPTY;
    t->lines = ARENA_ARRAY(arena, struct cache_line, n);
    t->last_use = ARENA_ARRAY(arena, uint64_t, n);
    if (t->indexed)
        way_index_init(&t->index, arena, t->tags, t->n_sets, (uint32_t)__builtin_ctz(places));
    for (uint32_t set = 0; set < t->n_sets; set++) {
        size_t first = ((size_t)set + t->indexed) * places;
        t->sets[set] = (struct cache_set){.set = set,
                                          .n_ways = (uint16_t)n_ways,
                                          .tags = t->tags + first,
                                          .lines = t->lines + first,
                                          .last_use = t->last_use + first,
                                          .index = t->indexed ? &t->index : NULL};
    }
}

static void init_line_state(struct cache_set *s, struct arena *arena, size_t bytes)
{
    size_t stride = (bytes + 7) & ~(size_t)7;
    char *data = arena_alloc(arena, s->n_ways * stride);
    void **line_state = ARENA_ARRAY(arena, void *, s->n_ways);
    for (uint32_t way = 0; way < s->n_ways; way++)
        line_state[way] = data + way * stride;
    s->line_state = line_state;
}

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t line_state_bytes, bool may_index)
{
    *t = (struct tag_store){.sets = ARENA_ARRAY(arena, struct cache_set, n_sets),
                            .n_sets = n_sets,
                            .indexed = may_index && n_ways > SCANNED_WAYS};
    init_sets(t, arena, n_ways);
    for (uint32_t set = 0; line_state_bytes && set < n_sets; set++)
        init_line_state(&t->sets[set], arena, line_state_bytes);
    tags_resize(t, n_ways);
}

void tags_resize(struct tag_store *t, uint32_t n_ways)
{
    for (struct cache_set *s = t->sets; s != t->sets + t->n_sets; s++) {
        s->n_ways = (uint16_t)n_ways;
        for (uint32_t way = 0; way < padded(n_ways); way++)
            ((uint64_t *)s->last_use)[way] = way < n_ways ? 0 : NEVER_OLDEST;
    }
    if (t->indexed)
        way_index_start(&t->index, n_ways);
    t->all_ways = cache_set_ways(t->sets);
}
