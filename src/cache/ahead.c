/* What the owner of a cache may ask for ahead of time, or at once, because nobody but itself
 * changes what the answer depends on. Only of LRU that nobody watches. */
#include "cache/plain.h"

/* It lacks sectors, or its line, which may be on their way. */
static __attribute__((noinline)) struct cache_prospect
look_for_data(const struct cache *c, uint64_t line, int way, uint32_t need, struct cache_prospect p)
{
    p.absent = c->quiet && way < 0 && mshr_find(&c->mshrs, line, 0) == MSHR_NONE;
    p.lacks_mshr = cache_waits_for_mshrs(c) && cache_outstanding(c, line, way, need) == MSHR_NONE;
    return p;
}

struct cache_prospect cache_look_ahead(struct cache *c, uint64_t line, uint32_t sectors,
                                       uint32_t pc, bool performs)
{
    struct cache_prospect p = {.set = set_index_of(&c->indexer, line)};
    struct cache_set *s = &c->tags.sets[p.set];
    int way =
        c->tags.indexed ? way_index_find(s->index, s->tags, line) : tags_find_by(NULL, s, line);
    if (way < 0 && c->plain) { /* and no MSHR either */
        p.absent = true;
        p.lacks_mshr = !c->mshrs.n_free;
        return p;
    }
    uint32_t asked = cache_counted(c, sectors);
    uint32_t need = way < 0 ? asked : asked & ~s->lines[way].valid_sectors;
    if (need)
        return look_for_data(c, line, way, need, p);
    p.hit = c->quiet;
    if (performs && p.hit) {
        cache_count_hit(c);
        cache_use_line(c, s->index, s, (uint32_t)way, pc);
    }
    return p;
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
