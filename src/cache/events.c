/* Each event goes to the policy, if it cares, and then to whoever watches. */
#include "cache/cache_internal.h"

/* Gives the policy's function, if there is one, the set as it is now. */
#define TELL_POLICY(c, event, set_number, ...)                                                     \
    do {                                                                                           \
        if ((c)->desc->event) {                                                                    \
            struct cache_set view_ = tags_view(&(c)->tags, (set_number));                          \
            (c)->desc->event(&(c)->policy, &view_, __VA_ARGS__);                                   \
        }                                                                                          \
    } while (0)

/* The arguments are fields of struct cache_event_info; line and cycle follow from the others. */
#define TELL_OBSERVERS(c, ...)                                                                     \
    do {                                                                                           \
        if ((c)->n_observers)                                                                      \
            tell_observers((c), (struct cache_event_info){__VA_ARGS__});                           \
    } while (0)

static void tell_observers(struct cache *c, struct cache_event_info e)
{
    e.line = e.way == NO_WAY ? NULL : line_at(c, e.set, e.way);
    if (e.access)
        e.cycle = e.access->cycle;
    for (uint32_t i = 0; i < c->n_observers; i++)
        c->observers[i].tell(c->observers[i].user, &e);
}

/* -1 becomes NO_WAY. */
static uint32_t way_or_none(int way)
{
    return (uint32_t)way;
}

void cache_tell_hit(struct cache *c, uint32_t set, uint32_t way, const struct mem_access *a)
{
    TELL_POLICY(c, on_hit, set, way, a);
    TELL_OBSERVERS(c, .event = CE_HIT, .access = a, .set = set, .way = way);
}

void cache_tell_merge(struct cache *c, uint32_t set, uint32_t way, const struct mem_access *a)
{
    TELL_POLICY(c, on_merge, set, way, a);
    TELL_OBSERVERS(c, .event = CE_MERGE, .access = a, .set = set, .way = way);
}

void cache_tell_miss(struct cache *c, int way, const struct mem_access *a)
{
    TELL_POLICY(c, on_miss, a->set, way, a);
    TELL_OBSERVERS(c, .event = CE_MISS, .access = a, .set = a->set, .way = way_or_none(way));
}

void cache_tell_bypass(struct cache *c, const struct mem_access *a, enum cache_bypass_reason reason)
{
    TELL_POLICY(c, on_bypass, a->set, a, reason);
    TELL_OBSERVERS(c, .event = CE_BYPASS, .access = a, .reason = reason, .set = a->set,
                   .way = NO_WAY);
}

void cache_tell_reserve(struct cache *c, uint32_t way, const struct mem_access *a)
{
    TELL_POLICY(c, on_reserve, a->set, way, a);
    TELL_OBSERVERS(c, .event = CE_RESERVE, .access = a, .set = a->set, .way = way);
}

void cache_tell_fill(struct cache *c, uint32_t set, uint32_t way, uint64_t cycle)
{
    TELL_POLICY(c, on_fill, set, way, cycle);
    TELL_OBSERVERS(c, .event = CE_FILL, .set = set, .way = way, .cycle = cycle);
}

void cache_tell_evict(struct cache *c, uint32_t set, uint32_t way, enum cache_evict_cause cause,
                      const struct mem_access *a)
{
    TELL_POLICY(c, on_evict, set, way, cause, a);
    TELL_OBSERVERS(c, .event = CE_EVICT, .access = a, .cause = cause, .set = set, .way = way);
}

void cache_tell_store(struct cache *c, int way, const struct mem_access *a)
{
    TELL_POLICY(c, on_store, a->set, way, a);
    TELL_OBSERVERS(c, .event = CE_STORE, .access = a, .set = a->set, .way = way_or_none(way));
}

void cache_observe(struct cache *c, void (*observer)(void *user, const struct cache_event_info *e),
                   void *user)
{
    assert(c->n_observers < CACHE_MAX_OBSERVERS);
    c->observers[c->n_observers++] = (struct cache_observer){observer, user};
}
