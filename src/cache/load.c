/* The less frequent answers to loads, cache_load() as a function, and fills. */
#include "cache/fast.h"

/* Drops a line, dirty or not, because the policy says so. */
static void drop_line(struct cache *c, struct cache_set *s, uint32_t way,
                      const struct mem_access *a)
{
    c->stats.drops++;
    cache_evict(c, s, way, EVICT_INVALIDATE, a);
    tags_remove(s, way);
}

/* A line with sectors in flight is not dropped: they need its way. */
bool cache_hit_drops(struct cache *c, struct cache_location at, const struct mem_access *a)
{
    uint32_t way = (uint32_t)at.way;
    if (c->desc->hit_action(&c->policy, at.set, way, a) == LINE_KEEP || at.set->reserved >> way & 1)
        return false;
    drop_line(c, at.set, way, a);
    return true;
}

struct cache_result cache_do_merge(struct cache *c, struct cache_location at,
                                   const struct mem_access *a, uint16_t mshr, void *waiter)
{
    cache_count_merge(c);
    CACHE_TELL(c, MERGE, merge, at.set, at.way < 0 ? NO_WAY : (uint32_t)at.way, a);
    if (at.way >= 0)
        cache_use_line(c, at.set, (uint32_t)at.way, a->pc);
    c->mshrs.entries[mshr].reused = true;
    mshr_join(&c->mshrs, mshr, waiter);
    return (struct cache_result){.answer = CACHE_MERGE, .mshr = mshr};
}

static struct cache_result bypass_load(struct cache *c, const struct mem_access *a,
                                       enum cache_bypass_reason reason)
{
    struct cache_set *s = &c->tags.sets[a->set];
    c->stats.loads++;
    c->stats.bypasses++;
    c->stats.stall_bypasses += reason == BYPASS_STALL;
    if (reason != BYPASS_NO_CACHE) {
        cache_count_difference(c, a);
        CACHE_TELL(c, MISS, miss, s, -1, a);
    }
    CACHE_TELL(c, BYPASS, bypass, s, a, reason);
    return (struct cache_result){.answer = CACHE_BYPASSED, .mshr = CACHE_NO_MSHR};
}

/* A load that lacks a resource bypasses if the policy says so and a bypass is possible; otherwise
 * it stalls for the resource it lacked first. */
struct cache_result cache_stall_or_bypass(struct cache *c, const struct mem_access *a,
                                          const struct cache_resources *room,
                                          enum cache_stall cause)
{
    if (room->port && room->bypass_table && c->desc->would_stall &&
        c->desc->would_stall(&c->policy, cause, a))
        return bypass_load(c, a, BYPASS_STALL);
    return cache_stalled(cause);
}

struct cache_result cache_try_bypass(struct cache *c, const struct mem_access *a,
                                     const struct cache_resources *room,
                                     enum cache_bypass_reason reason)
{
    if (!room->port)
        return cache_stalled(STALL_PORT);
    if (!room->bypass_table)
        return cache_stalled(STALL_BYPASS_TABLE);
    return bypass_load(c, a, reason);
}

struct cache_result cache_load(struct cache *c, const struct mem_access *a,
                               struct cache_resources room, void *waiter)
{
    return cache_load_at(c, a, &room, waiter, cache_find_in(c, a->set, a->line));
}

struct cache_result cache_load_bypassing(struct cache *c, const struct mem_access *a,
                                         struct cache_resources room)
{
    return cache_try_bypass(c, a, &room, BYPASS_NO_CACHE);
}

/* Lines are allocated at the fill: the way of the line if it is present by now, else the way that
 * the policy chooses; -1 = none. Sets `*dirty` if the victim is dirty. */
int cache_allocate_late(struct cache *c, uint32_t mshr, bool *dirty)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    const struct mem_access *a = &c->mshrs.accesses[mshr];
    int way = tags_find(m->set, m->line);
    if (way >= 0)
        return way;
    m->set->filling = true;
    way = cache_choose_way(c, m->set, a);
    m->set->filling = false;
    if (way < 0) {
        cache_count_difference(c, a);
        return -1;
    }
    *dirty = cache_replace(c, m->set, (uint32_t)way, a, 0, MSHR_NONE);
    tags_line(m->set, (uint32_t)way)->reused = m->reused;
    return way;
}

/* Notifies the policy and observers that data have arrived. True if the line stays. */
bool cache_tell_arrival(struct cache *c, const struct mshr *m, uint32_t way, uint64_t cycle)
{
    cache_tell_fill(c, m->set, way, m, cycle);
    if (!c->desc->fill_action || m->set->reserved >> way & 1 ||
        c->desc->fill_action(&c->policy, m->set, way) == LINE_KEEP)
        return true;
    drop_line(c, m->set, way, NULL);
    return false;
}

/* The data are not kept. True if stores have added bytes to them that must be written back. */
bool cache_discard_fill(struct cache *c, const struct mshr *m, uint64_t cycle)
{
    c->stats.fills_dropped++;
    CACHE_TELL_BY_CALL(c, DROP, drop, m->set, m, cycle);
    if (m->dirty_sectors)
        cache_write_back(c, m->line, m->dirty_sectors);
    return m->dirty_sectors != 0;
}

struct cache_arrival cache_fill(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    return cache_fill_now(c, mshr, cycle);
}

/* Uses lines that the index finds, as long as each has the sectors asked for and its hit is silent;
 * returns how many do. An absent line is found at place 0, which has no sectors. Local copies let
 * the compiler keep these values in registers. */
static inline __attribute__((always_inline)) uint32_t
use_indexed(struct cache *c, const struct line_access *x, uint32_t n, uint32_t pc,
            bool may_be_critical, bool may_matter)
{
    struct way_index index = c->tags.index;
    struct cache_line *lines = c->tags.lines;
    uint64_t order = c->order, *last_use = c->tags.last_use;
    uint32_t counted = c->sectors_counted, whole_line = c->whole_line;
    bool by_segment = c->config.sector_bytes == CACHE_SEGMENT_BYTES || !c->sectored;
    uint32_t i = 0;
    for (; i < n; i++) {
        size_t place = way_index_place_of(&index, x[i].line);
        uint32_t segments = x[i].segments;
        uint32_t sectors = by_segment ? segments : cache_join_segments(&c->config, segments);
        if (((sectors & counted) | whole_line) & ~lines[place].valid_sectors)
            break;
        if (may_matter) {
            struct cache_location at = cache_location_of(c, place);
            enum cache_hit_effect e = c->desc->hit_effect(&c->policy, at.set, (uint32_t)at.way);
            if (!cache_effect_is_silent(e, may_be_critical))
                break;
        }
        lines[place].last_pc = pc;
        lines[place].reused = true;
        last_use[place] = ++order;
        way_index_use(&index, place, order);
    }
    c->order = order;
    return i;
}

uint32_t cache_load_silent_hits(struct cache *c, const struct line_access *x, uint32_t n,
                                uint32_t pc, bool may_be_critical)
{
    uint32_t i = 0;
    if (c->hits == HITS_MATTER)
        return 0;
    if (c->tags.indexed) {
        i = c->hits == HITS_SILENT ? use_indexed(c, x, n, pc, false, false)
                                   : use_indexed(c, x, n, pc, may_be_critical, true);
        cache_count_hits(c, i);
        return i;
    }
    for (; i < n; i++) {
        struct cache_location at = cache_find(c, x[i].line);
        if (!cache_is_hit(c, at, cache_sectors_for(c, x[i].segments)) ||
            !cache_effect_is_silent(cache_hit_effect(c, at), may_be_critical))
            break;
        cache_load_silently(c, at, pc);
    }
    return i;
}
