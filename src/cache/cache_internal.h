/* What the parts of a cache share: its state, looking up, and telling of events. */
#ifndef HEDDLE_CACHE_CACHE_INTERNAL_H
#define HEDDLE_CACHE_CACHE_INTERNAL_H

#include <assert.h>

#include "cache/cache.h"
#include "cache/mshr.h"
#include "cache/set_index.h"
#include "cache/tags.h"

#define NO_WAY (~0u)

struct cache_observer {
    void (*tell)(void *user, const struct cache_event_info *e);
    void *user;
};

/* Where an access stands before anything is done about it. */
struct lookup {
    struct cache_set *set;
    int way;        /* of the line, valid or reserved; -1 = none */
    uint32_t asked; /* sectors */
    uint32_t need;  /* those of them that are not valid */
};

/* Where a way keeps what a hit looks at, and its place in the index, if there is one. */
struct place {
    size_t in_index;
    const uint64_t *tag;
    struct cache_line *line;
    uint64_t *last_use;
};

static inline struct place cache_place(struct cache_set *s, uint32_t way)
{
    return (struct place){s->index ? way_index_place(s->index, s, way) : 0, &s->tags[way],
                          tags_line(s, way), (uint64_t *)&s->last_use[way]};
}

struct cache {
    struct tag_store tags;
    uint32_t all_sectors;
    uint32_t sectors_counted; /* of those asked for: all, or none where a line counts as one */
    uint32_t whole_line;      /* what counts as asked for in any case: the line where it is one */
    bool sectored;
    bool by_segments; /* its sectors are the segments that travel */
    bool minds_hits;  /* a hit is more than a use: somebody wants to know of it, or may drop it */
    bool is_lru;      /* then nothing can differ from it */
    /* LRU, and nobody to be told of anything: who brought a line in, and when, may not be known. */
    bool quiet;
    bool plain;         /* and lines are reserved at their miss */
    bool simple;        /* and they are whole, and few to a set */
    bool plain_indexed; /* plain, and sets have an index */
    uint64_t order;     /* counts uses of lines; 0 = never */
    struct mshr_file mshrs;
    struct cache_stats stats;
    struct cache_victim victim; /* the last one that was dirty */
    struct cache_config config;
    struct cache_policy policy;
    const struct cache_policy_desc *desc; /* policy.desc */
    struct set_indexer indexer;
    struct place last_hit;   /* of cache_load_hit(): most instructions lie where the last one lay */
    struct place other_hit;  /* before that: a loop may lie on two lines */
    uint64_t last_hit_order; /* `order` then: as long as it stands nothing else was used or came */
    uint64_t n_differences;
    struct mem_access first_difference; /* if there is one */
    struct cache_observer observers[CACHE_MAX_OBSERVERS];
    uint32_t n_observers;
    struct arena arena;
};

/* Sectors asked for; without sectors a line counts as one. */
static inline uint32_t cache_counted(const struct cache *c, uint32_t sectors)
{
    uint32_t asked = (sectors & c->sectors_counted) | c->whole_line;
    assert(asked);
    return asked;
}

static inline uint32_t cache_asked(const struct cache *c, const struct mem_access *a)
{
    return cache_counted(c, a->sector_mask);
}

static inline struct lookup cache_lookup_at(struct cache *c, const struct mem_access *a, int way)
{
    struct cache_set *s = &c->tags.sets[a->set];
    uint32_t asked = cache_asked(c, a);
    return (struct lookup){s, way, asked, way < 0 ? asked : asked & ~s->lines[way].valid_sectors};
}

static inline struct lookup cache_look_up(struct cache *c, const struct mem_access *a)
{
    assert(a->set < c->tags.n_sets);
    return cache_lookup_at(c, a, tags_find(&c->tags.sets[a->set], a->line));
}

/* The line is used: it is the most recent one, and has been of use beyond its insertion. `index` as
 * in tags.h. */
static inline void cache_use_line(struct cache *c, struct way_index *index, struct cache_set *s,
                                  uint32_t way, uint32_t pc)
{
    struct cache_line *line = tags_line(s, way);
    line->last_pc = pc;
    line->reused = true;
    tags_use_by(index, s, way, ++c->order);
}

/* The same for a line that the index has found. */
static inline void cache_use_place(struct cache *c, size_t place, uint32_t pc)
{
    struct cache_line *line = &c->tags.lines[place];
    line->last_pc = pc;
    line->reused = true;
    c->tags.last_use[place] = ++c->order;
    way_index_use(&c->tags.index, place, c->order);
}

static inline void cache_touch(struct cache *c, struct cache_set *s, int way,
                               const struct mem_access *a)
{
    cache_use_line(c, s->index, s, (uint32_t)way, a->pc);
}

static inline void cache_count_hit(struct cache *c)
{
    c->stats.loads++;
    c->stats.hits++;
}

/* The MSHR of a line that is fetched whole, in that way of the set or -1; or MSHR_NONE. */
static inline uint16_t cache_mshr_at(const struct cache_set *s, int way)
{
    return way >= 0 && s->reserved >> way & 1 ? s->lines[way].mshr : MSHR_NONE;
}

/* The MSHR that the access would join, or MSHR_NONE. Where lines are reserved as they are asked
 * for, none is outstanding that has no way. */
static inline uint16_t cache_outstanding(const struct cache *c, const struct cache_set *s,
                                         uint64_t line, int way, uint32_t need)
{
    if (!c->mshrs.heads)
        return cache_mshr_at(s, way);
    return way < 0 && !c->config.allocate_on_fill ? MSHR_NONE : mshr_find(&c->mshrs, line, need);
}

/* The line is removed from that way, if it has one: data that are on their way are not kept. */
static inline void cache_remove(struct cache *c, struct cache_set *s, int way, uint64_t line)
{
    uint16_t mshr = c->mshrs.heads ? MSHR_NONE : cache_mshr_at(s, way);
    if (way >= 0)
        tags_remove(s, (uint32_t)way);
    if (mshr != MSHR_NONE)
        mshr_detach(&c->mshrs, mshr);
    else if (c->mshrs.heads && c->mshrs.n_free < c->mshrs.n)
        mshr_detach_line(&c->mshrs, line);
}

/* What is dirty must be written back: the owner is told to ask for it. */
static inline void cache_write_back(struct cache *c, uint64_t line, uint32_t sectors)
{
    c->stats.writebacks++;
    c->victim = (struct cache_victim){line, sectors};
}

static inline struct cache_result cache_stalled(enum cache_stall cause)
{
    return (struct cache_result){.answer = CACHE_STALLED, .stall = cause, .mshr = CACHE_NO_MSHR};
}

/* --- Telling of events (events.c). Most policies care for few of them, and mostly nobody watches:
 * what nobody wants to know costs two comparisons. --- */

void cache_tell_hit(struct cache *c, struct cache_set *s, uint32_t way, const struct mem_access *a);
void cache_tell_merge(struct cache *c, struct cache_set *s, uint32_t way,
                      const struct mem_access *a);
void cache_tell_miss(struct cache *c, struct cache_set *s, int way, const struct mem_access *a);
void cache_tell_bypass(struct cache *c, struct cache_set *s, const struct mem_access *a,
                       enum cache_bypass_reason reason);
void cache_tell_reserve(struct cache *c, struct cache_set *s, uint32_t way,
                        const struct mem_access *a);
void cache_tell_fill(struct cache *c, struct cache_set *s, uint32_t way, const struct mshr *m,
                     uint64_t cycle);
void cache_tell_drop(struct cache *c, struct cache_set *s, const struct mshr *m, uint64_t cycle);
void cache_tell_resize(struct cache *c, uint32_t n_ways);
void cache_tell_evict(struct cache *c, struct cache_set *s, uint32_t way,
                      enum cache_evict_cause cause, const struct mem_access *a);
void cache_tell_store(struct cache *c, struct cache_set *s, int way, const struct mem_access *a);

#define CACHE_TELL(c, event, ...)                                                                  \
    do {                                                                                           \
        if ((c)->desc->on_##event || (c)->n_observers)                                             \
            cache_tell_##event((c), __VA_ARGS__);                                                  \
    } while (0)

/* Might a load be STALLED for want of an MSHR, whatever it asks for? */
static inline bool cache_waits_for_mshrs(const struct cache *c)
{
    return c->is_lru && !c->mshrs.n_free;
}

#endif
