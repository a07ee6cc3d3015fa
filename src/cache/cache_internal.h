/* What the parts of a cache share: its state, and telling of events. */
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

struct cache {
    struct cache_config config;
    struct cache_policy policy;
    const struct cache_policy_desc *desc; /* policy.desc */
    struct tag_store tags;
    struct mshr_file mshrs;
    struct set_indexer indexer;
    uint32_t all_sectors;
    bool sectored;
    uint64_t order; /* counts uses of lines; 0 = never */
    struct cache_stats stats;
    bool is_lru; /* then nothing can differ from it */
    uint64_t n_differences, first_difference;
    struct cache_observer observers[CACHE_MAX_OBSERVERS];
    uint32_t n_observers;
    struct arena arena;
};

/* Where an access stands before anything is done about it. */
struct lookup {
    uint32_t set;
    int way;        /* of the line, valid or reserved; -1 = none */
    uint32_t asked; /* sectors */
    uint32_t need;  /* those of them that are not valid */
};

static inline struct cache_line *line_at(struct cache *c, uint32_t set, uint32_t way)
{
    return &c->tags.lines[tags_at(&c->tags, set, way)];
}

static inline struct lookup cache_look_up(struct cache *c, const struct mem_access *a)
{
    struct lookup q = {.set = a->set, .asked = 1, .need = 1};
    assert(a->set < c->tags.n_sets);
    if (c->sectored) {
        assert(a->sector_mask && !(a->sector_mask & ~c->all_sectors));
        q.asked = q.need = a->sector_mask;
    }
    q.way = tags_find(&c->tags, a->set, a->line);
    if (q.way >= 0)
        q.need = q.asked & ~line_at(c, q.set, (uint32_t)q.way)->valid_sectors;
    return q;
}

/* --- alloc.c: how a line gets a place and leaves it --- */

/* The way for an access that found no line: the policy's answer, or the first empty way. */
int cache_choose_way(const struct cache *c, const struct mem_access *a);
/* Gives the way to the access's line, reserved; what was there is replaced. */
void cache_replace(struct cache *c, const struct mem_access *a, uint32_t way,
                   struct cache_result *r);
/* Takes an MSHR for what is needed; `way` is the line's, or the one to replace. */
void cache_start_fetch(struct cache *c, const struct mem_access *a, const struct lookup *q, int way,
                       void *waiter, struct cache_result *r);
void cache_remove(struct cache *c, uint32_t set, uint32_t way, enum cache_evict_cause cause,
                  const struct mem_access *a, struct cache_result *r);
/* The first resource that a miss lacks, in the order of cache_policy.h; N_CACHE_STALLS = none. */
enum cache_stall cache_missing_resource(const struct cache *c, struct cache_room room, int way);
void cache_count_difference(struct cache *c, const struct mem_access *a);

/* The line is used: it is the most recent one, and has been of use beyond its insertion. */
static inline void cache_touch(struct cache *c, const struct lookup *q, const struct mem_access *a)
{
    size_t at = tags_at(&c->tags, q->set, (uint32_t)q->way);
    c->tags.last_use[at] = ++c->order;
    c->tags.lines[at].last_pc = a->pc;
    c->tags.lines[at].reused = true;
}

static inline struct cache_result cache_stalled(enum cache_stall cause)
{
    return (struct cache_result){.answer = CACHE_STALLED, .stall = cause, .mshr = CACHE_NO_MSHR};
}

/* --- events.c --- */
void cache_tell_hit(struct cache *c, uint32_t set, uint32_t way, const struct mem_access *a);
void cache_tell_merge(struct cache *c, uint32_t set, uint32_t way, const struct mem_access *a);
void cache_tell_miss(struct cache *c, int way, const struct mem_access *a);
void cache_tell_bypass(struct cache *c, const struct mem_access *a,
                       enum cache_bypass_reason reason);
void cache_tell_reserve(struct cache *c, uint32_t way, const struct mem_access *a);
void cache_tell_fill(struct cache *c, uint32_t set, uint32_t way, uint64_t cycle);
void cache_tell_evict(struct cache *c, uint32_t set, uint32_t way, enum cache_evict_cause cause,
                      const struct mem_access *a);
void cache_tell_store(struct cache *c, int way, const struct mem_access *a);

#endif
