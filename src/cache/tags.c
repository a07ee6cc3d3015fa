#include "cache/tags.h"

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes)
{
    size_t n_lines = (size_t)n_sets * n_ways;
    size_t stride = (policy_line_bytes + 7) & ~(size_t)7;
    uint64_t *tags = ARENA_ARRAY(arena, uint64_t, n_lines);
    uint64_t *last_use = ARENA_ARRAY(arena, uint64_t, n_lines);
    struct cache_line *lines = ARENA_ARRAY(arena, struct cache_line, n_lines);
    void **bits = stride ? ARENA_ARRAY(arena, void *, n_lines) : NULL;
    char *policy_data = arena_alloc(arena, n_lines * stride);
    for (size_t i = 0; i < n_lines; i++) {
        tags[i] = TAG_EMPTY;
        if (bits)
            bits[i] = policy_data + i * stride;
    }
    *t = (struct tag_store){n_sets, n_ways, ARENA_ARRAY(arena, struct cache_set, n_sets)};
    for (uint32_t set = 0; set < n_sets; set++) {
        size_t first = (size_t)set * n_ways;
        t->sets[set] = (struct cache_set){.set = set,
                                          .n_ways = n_ways,
                                          .tags = tags + first,
                                          .lines = lines + first,
                                          .last_use = last_use + first,
                                          .bits = bits ? bits + first : NULL};
    }
}
