#include "cache/tags.h"

#include <assert.h>

void tags_init(struct tag_store *t, struct arena *arena, uint32_t n_sets, uint32_t n_ways,
               size_t policy_line_bytes)
{
    size_t n_lines = (size_t)n_sets * n_ways;
    uint32_t words = (n_ways + 7) / 8;
    *t = (struct tag_store){
        .n_sets = n_sets,
        .n_ways = n_ways,
        .words_per_set = words,
        .hashes = ARENA_ARRAY(arena, uint64_t, (size_t)n_sets * words),
        .tags = ARENA_ARRAY(arena, uint64_t, n_lines),
        .last_use = ARENA_ARRAY(arena, uint64_t, n_lines),
        .lines = ARENA_ARRAY(arena, struct cache_line, n_lines),
        .masks = ARENA_ARRAY(arena, struct set_masks, n_sets),
    };
    for (size_t i = 0; i < n_lines; i++)
        t->tags[i] = TAG_EMPTY;
    if (!policy_line_bytes)
        return;
    size_t stride = (policy_line_bytes + 7) & ~(size_t)7;
    char *block = arena_alloc(arena, n_lines * stride);
    t->bits = ARENA_ARRAY(arena, void *, n_lines);
    for (size_t i = 0; i < n_lines; i++)
        t->bits[i] = block + i * stride;
}

void tags_insert(struct tag_store *t, uint32_t set, uint32_t way, uint64_t line)
{
    size_t at = tags_at(t, set, way);
    assert(t->tags[at] == TAG_EMPTY);
    uint64_t *word = &t->hashes[(size_t)set * t->words_per_set + way / 8];
    uint32_t shift = way % 8 * 8;
    *word = (*word & ~(0xffull << shift)) | tag_hash(line) << shift;
    t->tags[at] = line;
    t->lines[at] = (struct cache_line){.line = line, .state = LINE_RESERVED};
    t->masks[set].occupied |= 1ull << way;
    t->masks[set].reserved |= 1ull << way;
}

void tags_remove(struct tag_store *t, uint32_t set, uint32_t way)
{
    size_t at = tags_at(t, set, way);
    t->tags[at] = TAG_EMPTY;
    t->lines[at].state = LINE_INVALID;
    t->masks[set].occupied &= ~(1ull << way);
    t->masks[set].reserved &= ~(1ull << way);
}

void tags_validate(struct tag_store *t, uint32_t set, uint32_t way)
{
    t->lines[tags_at(t, set, way)].state = LINE_VALID;
    t->masks[set].reserved &= ~(1ull << way);
}

void tags_reserve(struct tag_store *t, uint32_t set, uint32_t way)
{
    t->lines[tags_at(t, set, way)].state = LINE_RESERVED;
    t->masks[set].reserved |= 1ull << way;
}
