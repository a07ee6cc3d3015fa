/* What the owner of a cache may ask for ahead of time, or at once, because nobody but itself
 * changes what the answer depends on. Only of LRU that nobody watches. */
#include "cache/hit_ahead.h"
#include "cache/late_load.h"
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
    p.lacks_mshr = cache_waits_for_mshrs(c) &&
                   cache_outstanding(c, &c->tags.sets[set], line, way, need) == MSHR_NONE;
    return p;
}

/* A load that is looked up: the place of its line, 0 if there is none, and the sectors it lacks. */
struct sought {
    size_t place;
    uint32_t lacks;
};

static inline struct sought seek(const struct cache *c, const struct line_access *x)
{
    size_t place = way_index_seek(&c->tags.index, x->line);
    uint32_t asked = cache_counted(c, cache_sectors_of(&c->config, x->segments));
    return (struct sought){place, asked & ~c->tags.lines[place].valid_sectors};
}

/* What a load will find that was looked up and is not done. */
static __attribute__((noinline)) struct cache_prospect foresee(const struct cache *c, uint64_t line,
                                                               struct sought s)
{
    struct cache_prospect p = {.set = set_index_of(&c->indexer, line)};
    if (!s.lacks) {
        p.hit = c->quiet;
        return p;
    }
    if (!c->mshrs.n_free || c->plain) {
        int way = s.place ? (int)way_index_way(&c->tags.index, s.place) : -1;
        return look_for_data(c, line, p.set, way, s.lacks);
    }
    p.absent = c->quiet && !s.place && mshr_find(&c->mshrs, line, 0) == MSHR_NONE;
    return p;
}

static __attribute__((noinline)) uint32_t
look_ahead_in_index(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                    uint32_t pc, struct cache_prospect *next)
{
    struct sought s = {0};
    uint32_t hits = 0;
    for (; hits < n_done; hits++, x++) {
        s = seek(c, x);
        if (s.lacks)
            break;
        cache_use_place(c, s.place, pc);
    }
    c->stats.loads += hits;
    c->stats.hits += hits;
    *next = (struct cache_prospect){0};
    if (hits == n)
        return hits;
    if (hits == n_done)
        s = seek(c, x);
    *next = foresee(c, x->line, s);
    return hits;
}

/* Where there is no index. What does not change from one load to the next is read once: after each
 * store the host would have to read it again. */
static __attribute__((noinline)) uint32_t
look_ahead_in_ways(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                   uint32_t pc, struct cache_prospect *next)
{
    struct cache_set *sets = c->tags.sets;
    uint64_t order = c->order;
    uint32_t hits = 0;
    *next = (struct cache_prospect){0};
    for (; hits < n; hits++, x++) {
        uint32_t set = set_index_of(&c->indexer, x->line);
        uint32_t need = c->by_segments
                            ? x->segments
                            : cache_counted(c, cache_sectors_of(&c->config, x->segments));
        struct cache_set *s = &sets[set];
        int way = tags_find_by(NULL, s, x->line);
        if (way >= 0)
            need &= ~s->lines[way].valid_sectors;
        if (need) {
            *next = look_for_data(c, x->line, set, way, need);
            break;
        }
        if (hits == n_done) {
            *next = (struct cache_prospect){.set = set, .hit = c->quiet};
            break;
        }
        struct cache_line *line = tags_line(s, (uint32_t)way);
        line->last_pc = pc;
        line->reused = true;
        ((uint64_t *)s->last_use)[way] = ++order;
    }
    c->order = order;
    c->stats.loads += hits;
    c->stats.hits += hits;
    return hits;
}

uint32_t cache_look_ahead(struct cache *c, const struct line_access *x, uint32_t n, uint32_t n_done,
                          uint32_t pc, struct cache_prospect *next)
{
    if (!c->quiet)
        n_done = 0;
    return c->tags.indexed ? look_ahead_in_index(c, x, n, n_done, pc, next)
                           : look_ahead_in_ways(c, x, n, n_done, pc, next);
}

static inline bool load_ahead(struct cache *c, struct cache_part part, uint32_t pc)
{
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, part.line)];
    int way = tags_find_by(NULL, s, part.line);
    if (way < 0 || cache_counted(c, part.sectors) & ~s->lines[way].valid_sectors)
        return false;
    cache_count_hit(c);
    cache_use_line(c, NULL, s, (uint32_t)way, pc);
    return true;
}

bool cache_load_ahead(struct cache *c, struct cache_part part, uint32_t pc)
{
    if (!c->plain)
        return false;
    return c->tags.indexed ? cache_hit_in_index(c, part) : load_ahead(c, part, pc);
}

bool cache_load_misses(const struct cache *c, const struct mem_access *a)
{
    const struct cache_set *s = &c->tags.sets[a->set];
    int way = tags_find(s, a->line);
    if (way < 0) /* a line that waits is not pushed out, one that has its data may be */
        return !s->reserved || c->tags.all_ways & ~s->occupied;
    uint32_t need = cache_asked(c, a) & ~s->lines[way].valid_sectors;
    bool one = !(need & (need - 1)); /* of several, some may be on their way */
    if (!one || !c->mshrs.heads)
        return need && !(s->reserved >> way & 1);
    return need && mshr_find(&c->mshrs, a->line, need) == MSHR_NONE;
}

/* What does not change from one load to the next is read once: after each store the host would have
 * to read it again. Which instruction used a line last is not written down: nobody is there to read
 * it. What a load lacks is worked out for the last alone: of others it is enough that it is
 * nothing.
 */
struct late_next late_load_hits(struct cache *c, const struct line_access *x, uint64_t most,
                                struct late_found found)
{
    const struct way_index index = c->tags.index;
    struct cache_line *lines = c->tags.lines;
    uint64_t *last_use = c->tags.last_use, order = c->order, end = order + most;
    size_t place = found.place;
    struct cache_line *line = &lines[place];
    do {
        line->reused = true;
        last_use[place] = ++order;
        index.use[place] = (uint32_t)order;
        place = late_seek(&index, lines, (++x)->line);
        line = &lines[place];
    } while ((x->segments & line->valid_sectors) == x->segments && order < end);
    __asm__("" : "+r"(x)); /* or compilers would keep that of each */
    found = (struct late_found){(uint32_t)place, x->segments & ~line->valid_sectors};
    uint64_t n_hits = order - c->order;
    c->order = order;
    c->stats.loads += n_hits;
    c->stats.hits += n_hits;
    return (struct late_next){n_hits, found};
}
