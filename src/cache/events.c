/* Events go to the policy, if it has the callback, and then to the observers of that event. */
#include "cache/cache_internal.h"

#define TELL_POLICY(c, event, ...)                                                                 \
    do {                                                                                           \
        if ((c)->desc->event)                                                                      \
            (c)->desc->event(&(c)->policy, __VA_ARGS__);                                           \
    } while (0)

/* The arguments are fields of struct cache_event_info; set, line and cycle follow. */
#define TELL_OBSERVERS(c, s, ...) tell_observers((c), (s), &(struct cache_event_info){__VA_ARGS__})

/* Inline, so that the compiler knows which event it is. */
static inline __attribute__((always_inline)) void
tell_observers(struct cache *c, const struct cache_set *s, struct cache_event_info *e)
{
    e->set = s->set;
    e->line = e->way == NO_WAY ? NULL : &s->lines[e->way];
    if (e->access)
        e->cycle = e->access->cycle;
    const struct cache_observer *o = c->observers, *end = o + c->n_observers;
    for (; o < end; o++)
        if (o->events >> e->event & 1)
            o->tell(o->user, e);
}

/* -1 becomes NO_WAY. */
static uint32_t way_or_none(int way)
{
    return (uint32_t)way;
}

void cache_tell_hit(struct cache *c, struct cache_set *s, uint32_t way, const struct mem_access *a)
{
    TELL_POLICY(c, on_hit, s, way, a);
    TELL_OBSERVERS(c, s, .event = CE_HIT, .access = a, .way = way);
}

void cache_tell_merge(struct cache *c, struct cache_set *s, uint32_t way,
                      const struct mem_access *a)
{
    TELL_POLICY(c, on_merge, s, way, a);
    TELL_OBSERVERS(c, s, .event = CE_MERGE, .access = a, .way = way);
}

void cache_tell_miss(struct cache *c, struct cache_set *s, int way, const struct mem_access *a)
{
    TELL_POLICY(c, on_miss, s, way, a);
    TELL_OBSERVERS(c, s, .event = CE_MISS, .access = a, .way = way_or_none(way));
}

void cache_tell_bypass(struct cache *c, struct cache_set *s, const struct mem_access *a,
                       enum cache_bypass_reason reason)
{
    TELL_POLICY(c, on_bypass, s, a, reason);
    TELL_OBSERVERS(c, s, .event = CE_BYPASS, .access = a, .reason = reason, .way = NO_WAY);
}

void cache_tell_reserve(struct cache *c, struct cache_set *s, uint32_t way,
                        const struct mem_access *a)
{
    TELL_POLICY(c, on_reserve, s, way, a);
    TELL_OBSERVERS(c, s, .event = CE_RESERVE, .access = a, .way = way);
}

void cache_tell_fill(struct cache *c, struct cache_set *s, uint32_t way, const struct mshr *m,
                     uint64_t cycle)
{
    TELL_POLICY(c, on_fill, s, way, cycle);
    TELL_OBSERVERS(c, s, .event = CE_FILL, .way = way, .cycle = cycle, .fetched_line = m->line,
                   .asked_cycle = m->taken_at);
}

void cache_tell_drop(struct cache *c, struct cache_set *s, const struct mshr *m, uint64_t cycle)
{
    TELL_OBSERVERS(c, s, .event = CE_DROP, .way = NO_WAY, .cycle = cycle, .fetched_line = m->line,
                   .asked_cycle = m->taken_at);
}

void cache_tell_resize(struct cache *c, struct cache_set *s, uint32_t n_ways)
{
    TELL_OBSERVERS(c, s, .event = CE_RESIZE, .way = NO_WAY, .n_ways = n_ways);
}

void cache_tell_evict(struct cache *c, struct cache_set *s, uint32_t way,
                      enum cache_evict_cause cause, const struct mem_access *a)
{
    TELL_POLICY(c, on_evict, s, way, cause, a);
    TELL_OBSERVERS(c, s, .event = CE_EVICT, .access = a, .cause = cause, .way = way);
}

void cache_tell_store(struct cache *c, struct cache_set *s, int way, const struct mem_access *a)
{
    TELL_POLICY(c, on_store, s, way, a);
    TELL_OBSERVERS(c, s, .event = CE_STORE, .access = a, .way = way_or_none(way));
}

static uint32_t policy_events(const struct cache_policy_desc *d)
{
    return (uint32_t)(d->on_hit != NULL) << CE_HIT | (uint32_t)(d->on_merge != NULL) << CE_MERGE |
           (uint32_t)(d->on_miss != NULL) << CE_MISS |
           (uint32_t)(d->on_bypass != NULL) << CE_BYPASS |
           (uint32_t)(d->on_reserve != NULL) << CE_RESERVE |
           (uint32_t)(d->on_fill || d->fill_action) << CE_FILL |
           (uint32_t)(d->on_evict != NULL) << CE_EVICT |
           (uint32_t)(d->on_store != NULL) << CE_STORE;
}

void cache_note_listeners(struct cache *c)
{
    c->watched = 0;
    for (uint32_t i = 0; i < c->n_observers; i++)
        c->watched |= c->observers[i].events;
    c->told = c->watched | policy_events(c->desc);
    bool fast = !c->config.no_fast_paths;
    bool policy_only = fast && !(c->watched >> CE_HIT & 1) && !c->desc->hit_action;
    c->hits = policy_only && !c->desc->on_hit      ? HITS_SILENT
              : policy_only && c->desc->hit_effect ? HITS_MAY_IDLE
                                                   : HITS_MATTER;
    /* If lines are reserved at the miss, a line without a way is not in flight either. */
    c->fast_stalls = fast && c->desc->never_bypasses && !c->config.allocate_on_fill;
}

void cache_observe_some(struct cache *c, uint32_t events,
                        void (*observer)(void *user, const struct cache_event_info *e), void *user)
{
    assert(c->n_observers < CACHE_MAX_OBSERVERS);
    c->observers[c->n_observers++] = (struct cache_observer){events, observer, user};
    cache_note_listeners(c);
}

void cache_observe(struct cache *c, void (*observer)(void *user, const struct cache_event_info *e),
                   void *user)
{
    cache_observe_some(c, CACHE_ALL_EVENTS, observer, user);
}

void cache_change_events(struct cache *c, uint32_t events,
                         void (*observer)(void *user, const struct cache_event_info *e),
                         const void *user)
{
    for (uint32_t i = 0; i < c->n_observers; i++)
        if (c->observers[i].tell == observer && c->observers[i].user == user)
            c->observers[i].events = events;
    cache_note_listeners(c);
}

bool cache_hears_fills(const struct cache *c)
{
    return c->desc->on_fill || c->desc->fill_action;
}

bool cache_wants_bytes(const struct cache *c)
{
    bool wants = c->desc->wants_bytes;
    for (uint32_t i = 0; i < c->n_observers; i++)
        wants |= c->observers[i].events == CACHE_ALL_EVENTS;
    return wants;
}

bool cache_notifies_loads(const struct cache *c)
{
    return !c->is_lru || c->told;
}

uint32_t cache_n_observers(const struct cache *c)
{
    return c->n_observers;
}
