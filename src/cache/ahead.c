/* What the owner of a cache may ask for ahead of time, or at once, because nobody but itself
 * changes what the answer depends on. Only of LRU that nobody watches. */
#include "cache/plain.h"

/* It lacks sectors, or its line, which may be on their way. */
static __attribute__((noinline)) struct cache_prospect
look_for_data(const struct cache *c, uint64_t line, uint32_t set, int way, uint32_t need)
{
    struct cache_prospect p = {.set = set};
    if (way < 0 && c->plain) { /* and no MSHR either */
        p.absent = true;
        p.lacks_mshr = !c->mshrs.n_free;
        return p;
    }
    p.absent = c->quiet && way < 0 && mshr_find(&c->mshrs, line, 0) == MSHR_NONE;
    p.lacks_mshr = cache_waits_for_mshrs(c) && cache_outstanding(c, line, way, need) == MSHR_NONE;
    return p;
}

/* Where the line is, as way + 1; 0 = nowhere. */
static inline size_t seek(const struct cache_set *s, uint64_t line, bool indexed)
{
    if (indexed)
        return way_index_seek(s->index, s->tags, line);
    return (size_t)(tags_find_by(NULL, s, line) + 1);
}

/* cache_use_line() where that is. */
static inline void use_at(struct cache_set *s, size_t i, uint64_t order, uint32_t pc, bool indexed)
{
    struct cache_line *line = (struct cache_line *)s->lines + i - 1;
    line->last_pc = pc;
    line->reused = true;
    ((uint64_t *)s->last_use)[i - 1] = order;
    if (indexed)
        way_index_use(s->index, (uint32_t)i - 1);
}

/* Compiled for caches whose sets have an index and for others. What does not change from one load
 * to the next is read once: after each store the host would have to read it again. */
static inline __attribute__((always_inline)) uint32_t
look_ahead(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done, uint32_t pc,
           struct cache_prospect *next, bool indexed)
{
    bool of_16 = c->indexer.kind == SET_XOR_16;
    uint32_t line_shift = c->indexer.line_shift;
    bool by_segments = c->sectored && c->config.sector_bytes == CACHE_SEGMENT_BYTES;
    struct cache_set *sets = c->tags.sets;
    uint64_t order = c->order;
    uint32_t hits = 0;
    if (!c->quiet)
        n_done = 0;
    *next = (struct cache_prospect){0};
    for (; hits < n; hits++, x++) {
        uint32_t set =
            of_16 ? set_index_folded_16(x->line >> line_shift) : set_index_of(&c->indexer, x->line);
        uint32_t need = x->segments;
        struct cache_set *s = &sets[set];
        size_t i = seek(s, x->line, indexed);
        if (!by_segments)
            need = cache_counted(c, cache_sectors_of(&c->config, need));
        if (i)
            need &= ~s->lines[i - 1].valid_sectors;
        if (need) {
            *next = look_for_data(c, x->line, set, (int)i - 1, need);
            break;
        }
        if (hits == n_done) {
            *next = (struct cache_prospect){.set = set, .hit = c->quiet};
            break;
        }
        use_at(s, i, ++order, pc, indexed);
    }
    c->order = order;
    c->stats.loads += hits;
    c->stats.hits += hits;
    return hits;
}

static __attribute__((noinline)) uint32_t
look_ahead_in_index(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                    uint32_t pc, struct cache_prospect *next)
{
    return look_ahead(c, x, n, n_done, pc, next, true);
}

static __attribute__((noinline)) uint32_t
look_ahead_in_ways(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                   uint32_t pc, struct cache_prospect *next)
{
    return look_ahead(c, x, n, n_done, pc, next, false);
}

uint32_t cache_look_ahead(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                          uint32_t pc, struct cache_prospect *next)
{
    return c->tags.indexed ? look_ahead_in_index(c, x, n, n_done, pc, next)
                           : look_ahead_in_ways(c, x, n, n_done, pc, next);
}

static inline __attribute__((always_inline)) bool load_ahead(struct cache *c,
                                                             struct way_index *index,
                                                             struct cache_set *s,
                                                             struct cache_part part, uint32_t pc)
{
    int way = tags_find_by(index, s, part.line);
    if (way < 0 || cache_counted(c, part.sectors) & ~s->lines[way].valid_sectors)
        return false;
    cache_count_hit(c);
    cache_use_line(c, index, s, (uint32_t)way, pc);
    return true;
}

static __attribute__((noinline)) bool load_ahead_indexed(struct cache *c, struct cache_part part,
                                                         uint32_t pc)
{
    struct cache_set *s = &c->tags.sets[part.set];
    return load_ahead(c, s->index, s, part, pc);
}

bool cache_load_ahead(struct cache *c, struct cache_part part, uint32_t pc)
{
    if (!c->plain)
        return false;
    if (c->tags.indexed)
        return load_ahead_indexed(c, part, pc);
    return load_ahead(c, NULL, &c->tags.sets[part.set], part, pc);
}
