/* What the parts of a cache share: its state, look-ups, and event notification. */
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
    uint32_t events; /* a bit for each enum cache_event that it listens to */
    void (*tell)(void *user, const struct cache_event_info *e);
    void *user;
};

/* Where a line is: its set and its way there, valid or reserved; -1 = absent. */
struct cache_location {
    struct cache_set *set;
    int64_t way; /* 64 bits wide so that the struct has no padding and stays in registers */
};

/* The state of an access before it has any effect. */
struct lookup {
    struct cache_set *set;
    int way;        /* of the line, valid or reserved; -1 = none */
    uint32_t asked; /* sectors that the access needs */
    uint32_t need;  /* those of them that are not valid */
};

/* What a hit is beyond a use of its line. */
enum hit_kind {
    HITS_SILENT,   /* nothing: fast.h may do it */
    HITS_MAY_IDLE, /* an event of the policy, which says when it is nothing */
    HITS_MATTER    /* an event that somebody wants, or fast paths are off */
};

struct cache {
    struct tag_store tags;
    uint32_t sectors_counted; /* the sectors that count: all; none if lines have none */
    uint32_t whole_line; /* sectors that every access needs: 1 if lines have no sectors, else 0 */
    uint32_t line_segments; /* all segments of a line, as a mask */
    bool sectored;
    enum hit_kind hits;
    bool fast_stalls; /* a load of an absent line stalls if no MSHR is free: fast.h may handle it */
    bool never_bypasses; /* as in the policy's descriptor */
    bool
        is_lru; /* the built-in LRU: decide() need not be called, and nothing can differ from LRU */
    uint32_t told; /* a bit for each enum cache_event that the policy or an observer listens to */
    uint32_t watched; /* ... that an observer listens to */
    uint64_t order;   /* counts uses of lines; 0 = unused */
    struct mshr_file mshrs;
    struct cache_stats stats;
    struct cache_victim victim; /* the last dirty one */
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

/* The sectors that count; without sectors, a line counts as one. */
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

/* Makes the line the most recently used, and marks it as reused since its insertion. */
static inline void cache_use_line(struct cache *c, struct cache_set *s, uint32_t way, uint32_t pc)
{
    struct cache_line *line = tags_line(s, way);
    line->last_pc = pc;
    line->reused = true;
    tags_use(s, way, ++c->order);
}

/* The MSHR of a line that is fetched whole, by its way (-1 = absent); MSHR_NONE if there is none.
 */
static inline uint16_t cache_mshr_at(const struct cache_set *s, int way)
{
    return way >= 0 && s->reserved >> way & 1 ? s->lines[way].mshr : MSHR_NONE;
}

/* The MSHR that the access would join, or MSHR_NONE. If lines are reserved at the miss, a line
 * without a way has no outstanding fetch. */
static inline uint16_t cache_outstanding(const struct cache *c, const struct lookup *q,
                                         uint64_t line)
{
    if (!c->mshrs.heads)
        return cache_mshr_at(q->set, q->way);
    return q->way < 0 && !c->config.allocate_on_fill ? MSHR_NONE
                                                     : mshr_find(&c->mshrs, line, q->need);
}

/* Removes the line from its way, if it has one; data in flight will not be kept. */
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

/* Makes sectors of a line the victim: the owner reads it and must write these sectors back. */
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

/* --- Notification (events.c): an event without listeners costs one test. --- */

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
/* Recomputes `told` and `hits`: the policy, the observers or the switch have changed. */
void cache_note_listeners(struct cache *c);

/* Fills, and events that policies do not receive. */
#define CACHE_TELL_BY_CALL(c, EVENT, event, ...)                                                   \
    do {                                                                                           \
        if ((c)->told >> CE_##EVENT & 1)                                                           \
            cache_tell_##event((c), __VA_ARGS__);                                                  \
    } while (0)

/* An event that only the policy listens to costs no more than its callback. */
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
