/* What the parts of a cache share: its state, looking up, and telling of events. */
#ifndef HEDDLE_CACHE_CACHE_INTERNAL_H
#define HEDDLE_CACHE_CACHE_INTERNAL_H

#include <assert.h>

#include "base/hot_assert.h"
#include "cache/cache.h"
#include "cache/mshr.h"
#include "cache/set_index.h"
#include "cache/tags.h"

#define NO_WAY (~0u)

struct cache_observer {
    uint32_t events; /* a bit for each enum cache_event it wants */
    void (*tell)(void *user, const struct cache_event_info *e);
    void *user;
};

/* Where a line is: its set, and the way it has there, valid or reserved; -1 = none. */
struct cache_location {
    struct cache_set *set;
    int64_t way; /* so wide for want of padding: it stays in registers */
};

/* Where an access stands before anything is done about it. */
struct lookup {
    struct cache_set *set;
    int way;        /* of the line, valid or reserved; -1 = none */
    uint32_t asked; /* sectors */
    uint32_t need;  /* those of them that are not valid */
};

struct cache {
    struct tag_store tags;
    uint32_t sectors_counted; /* of those asked for: all, or none where a line counts as one */
    uint32_t whole_line;      /* what counts as asked for in any case: the line where it is one */
    uint32_t line_segments;   /* all of them, as a mask */
    bool sectored;
    bool fast_hits;      /* a hit is a use of its line and nothing else: fast.h may do it */
    bool fast_stalls;    /* a load of a line that has no way waits if there is no MSHR: likewise */
    bool never_bypasses; /* the policy's */
    bool is_lru;         /* decide() is known, and nothing can differ from LRU */
    uint32_t told;       /* a bit for each enum cache_event that the policy or an observer wants */
    uint32_t watched;    /* ... that an observer wants */
    uint64_t order;      /* counts uses of lines; 0 = never */
    struct mshr_file mshrs;
    struct cache_stats stats;
    struct cache_victim victim; /* the last one that was dirty */
    struct cache_config config;
    struct cache_policy policy;
    const struct cache_policy_desc *desc; /* policy.desc */
    struct set_indexer indexer;
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
    hot_assert(asked);
    return asked;
}

static inline struct cache_location cache_find_in(const struct cache *c, uint32_t set,
                                                  uint64_t line)
{
    struct cache_set *s = &c->tags.sets[set];
    return (struct cache_location){s, tags_find(s, line)};
}

static inline struct lookup cache_lookup_at(struct cache *c, const struct mem_access *a,
                                            struct cache_location at)
{
    uint32_t asked = cache_counted(c, a->sector_mask);
    uint32_t valid = at.way < 0 ? 0 : at.set->lines[at.way].valid_sectors;
    return (struct lookup){at.set, (int)at.way, asked, asked & ~valid};
}

static inline struct lookup cache_look_up(struct cache *c, const struct mem_access *a)
{
    assert(a->set < c->tags.n_sets);
    return cache_lookup_at(c, a, cache_find_in(c, a->set, a->line));
}

/* --- Each event is counted here, and nowhere else. --- */

static inline void cache_count_hits(struct cache *c, uint32_t n)
{
    c->stats.loads += n;
    c->stats.hits += n;
}

static inline void cache_count_merge(struct cache *c)
{
    c->stats.loads++;
    c->stats.merges++;
}

static inline void cache_count_miss(struct cache *c)
{
    c->stats.loads++;
    c->stats.misses++;
}

static inline void cache_count_eviction(struct cache *c, const struct cache_line *line)
{
    c->stats.evictions++;
    c->stats.evictions_unused += !line->reused;
}

/* --- Lines and their MSHRs --- */

/* The line is used: it is the most recent one, and has been of use beyond its insertion. */
static inline void cache_use_line(struct cache *c, struct cache_set *s, uint32_t way, uint32_t pc)
{
    struct cache_line *line = tags_line(s, way);
    line->last_pc = pc;
    line->reused = true;
    tags_use(s, way, ++c->order);
}

/* The MSHR of a line that is fetched whole, in that way of the set or -1; or MSHR_NONE. */
static inline uint16_t cache_mshr_at(const struct cache_set *s, int way)
{
    return way >= 0 && s->reserved >> way & 1 ? s->lines[way].mshr : MSHR_NONE;
}

/* The MSHR that the access would join, or MSHR_NONE. Where lines are reserved as they are asked
 * for, none is outstanding that has no way. */
static inline uint16_t cache_outstanding(const struct cache *c, const struct lookup *q,
                                         uint64_t line)
{
    if (!c->mshrs.heads)
        return cache_mshr_at(q->set, q->way);
    return q->way < 0 && !c->config.allocate_on_fill ? MSHR_NONE
                                                     : mshr_find(&c->mshrs, line, q->need);
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
    return (struct cache_result){
        .answer = CACHE_STALLED, .stall = (uint8_t)cause, .mshr = CACHE_NO_MSHR};
}

/* --- Telling of events (events.c): one that nobody wants costs one test. --- */

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
void cache_tell_resize(struct cache *c, struct cache_set *s, uint32_t n_ways);
void cache_tell_evict(struct cache *c, struct cache_set *s, uint32_t way,
                      enum cache_evict_cause cause, const struct mem_access *a);
void cache_tell_store(struct cache *c, struct cache_set *s, int way, const struct mem_access *a);
/* Recomputes `told` and `fast_hits`: the policy, the observers or the switch have changed. */
void cache_note_listeners(struct cache *c);

/* Fills, and what policies do not hear of. */
#define CACHE_TELL_BY_CALL(c, EVENT, event, ...)                                                   \
    do {                                                                                           \
        if ((c)->told >> CE_##EVENT & 1)                                                           \
            cache_tell_##event((c), __VA_ARGS__);                                                  \
    } while (0)

/* One that the policy alone wants costs no more than its call. */
#define CACHE_TELL(c, EVENT, event, ...)                                                           \
    do {                                                                                           \
        if (!((c)->told >> CE_##EVENT & 1))                                                        \
            break;                                                                                 \
        if ((c)->watched >> CE_##EVENT & 1)                                                        \
            cache_tell_##event((c), __VA_ARGS__);                                                  \
        else                                                                                       \
            (c)->desc->on_##event(&(c)->policy, __VA_ARGS__);                                      \
    } while (0)

#endif
