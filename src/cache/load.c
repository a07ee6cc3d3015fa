/* Loads, in the order of S2 Fig. 1: hit, merge with an outstanding miss, policy decides, reserve a
 * line and an MSHR or go around; and the arrival of what was fetched.
 *
 * MODEL: a load joins one outstanding miss or none; if no single one brings all the sectors that it
 * lacks, it fetches all of those itself, also what is on its way already. */
#include "cache/load_hit.h"
#include "cache/late.h"
#include "cache/plain.h"

/* Tells of a hit; true if the policy drops the line. */
static __attribute__((noinline)) bool hit_drops(struct cache *c, const struct mem_access *a,
                                                uint32_t way)
{
    struct cache_set *s = &c->tags.sets[a->set];
    CACHE_TELL(c, hit, s, way, a);
    /* A line with sectors on their way is not given up: they need a place. */
    if (!c->desc->hit_action || c->desc->hit_action(&c->policy, s, way, a) == HIT_KEEP ||
        s->reserved >> way & 1)
        return false;
    c->stats.drops++;
    cache_evict(c, s, way, EVICT_INVALIDATE, a);
    tags_remove(s, way);
    return true;
}

static struct cache_result load_merges(struct cache *c, const struct lookup *q,
                                       const struct mem_access *a, uint16_t mshr, void *waiter)
{
    c->stats.loads++;
    c->stats.merges++;
    CACHE_TELL(c, merge, q->set, q->way < 0 ? NO_WAY : (uint32_t)q->way, a);
    if (q->way >= 0)
        cache_touch(c, q->set, q->way, a);
    c->mshrs.entries[mshr].reused = true;
    mshr_join(&c->mshrs, mshr, waiter);
    return (struct cache_result){.answer = CACHE_MERGE, .mshr = mshr};
}

static struct cache_result load_goes_around(struct cache *c, const struct mem_access *a,
                                            enum cache_bypass_reason reason)
{
    struct cache_set *s = &c->tags.sets[a->set];
    c->stats.loads++;
    c->stats.bypasses++;
    c->stats.stall_bypasses += reason == BYPASS_STALL;
    if (reason != BYPASS_NO_CACHE) {
        cache_count_difference(c, a);
        CACHE_TELL(c, miss, s, -1, a);
    }
    CACHE_TELL(c, bypass, s, a, reason);
    return (struct cache_result){.answer = CACHE_BYPASSED, .mshr = CACHE_NO_MSHR};
}

/* A load that cannot be accepted as it should may go around, if the policy wants that and there is
 * room; otherwise it waits for what it lacked in the first place. */
static struct cache_result load_stalls(struct cache *c, const struct mem_access *a,
                                       struct cache_room room, enum cache_stall cause)
{
    if (room.port && room.bypass_table && c->desc->would_stall &&
        c->desc->would_stall(&c->policy, cause, a))
        return load_goes_around(c, a, BYPASS_STALL);
    return cache_stalled(cause);
}

static struct cache_result load_bypasses(struct cache *c, const struct mem_access *a,
                                         struct cache_room room, enum cache_bypass_reason reason)
{
    if (!room.port)
        return cache_stalled(STALL_PORT);
    if (!room.bypass_table)
        return cache_stalled(STALL_BYPASS_TABLE);
    return load_goes_around(c, a, reason);
}

/* A load that found neither its line nor an outstanding miss. `found` as in load_misses(). */
static __attribute__((noinline)) struct cache_result load_allocates(struct cache *c,
                                                                    const struct mem_access *a,
                                                                    struct cache_room room,
                                                                    void *waiter, int found)
{
    struct lookup q = cache_lookup_at(c, a, found);
    int way = found >= 0 ? found : CACHE_STALL;
    bool later = c->is_lru && c->config.allocate_on_fill; /* it never goes around: asked then */
    if (found < 0 && !later)
        way = cache_choose_way(c, q.set, a);
    if (way == CACHE_BYPASS)
        return load_bypasses(c, a, room, BYPASS_POLICY);
    enum cache_stall lacks = cache_missing_resource(c, room, way);
    if (lacks != N_CACHE_STALLS)
        return load_stalls(c, a, room, lacks);
    c->stats.loads++;
    c->stats.misses++;
    CACHE_TELL(c, miss, q.set, found, a);
    struct cache_result r = {.answer = CACHE_MISS};
    cache_start_fetch(c, a, &q, way, waiter, &r);
    return r;
}

/* --- The usual case of what load_allocates() does, in a plain cache (plain.h). --- */

static __attribute__((noinline)) struct cache_result
load_plain(struct cache *c, const struct mem_access *a, struct cache_room room, void *waiter)
{
    struct cache_set *s = &c->tags.sets[a->set];
    int way = plain_way(c, NULL, s, room);
    if (way < 0)
        return cache_stalled((enum cache_stall) ~way);
    if (s->lines[way].dirty_sectors)
        return load_allocates(c, a, room, waiter, -1);
    uint32_t need = cache_asked(c, a);
    plain_insert(c, NULL, s, (uint32_t)way, s->tags[way] != TAG_EMPTY, a->line);
    uint16_t mshr = cache_ask_for(c, s, a, way, need, waiter);
    return (struct cache_result){.answer = CACHE_MISS, .mshr = mshr, .fetch_sectors = need};
}

static __attribute__((noinline)) struct cache_result load_plain_indexed(struct cache *c,
                                                                        const struct mem_access *a,
                                                                        struct cache_room room,
                                                                        void *waiter)
{
    struct cache_set *s = &c->tags.sets[a->set];
    int way = plain_way(c, s->index, s, room);
    if (way < 0)
        return cache_stalled((enum cache_stall) ~way);
    if (s->lines[way].dirty_sectors)
        return load_allocates(c, a, room, waiter, -1);
    uint32_t need = cache_asked(c, a);
    plain_insert(c, s->index, s, (uint32_t)way, s->tags[way] != TAG_EMPTY, a->line);
    uint16_t mshr = cache_ask_for(c, s, a, way, need, waiter);
    return (struct cache_result){.answer = CACHE_MISS, .mshr = mshr, .fetch_sectors = need};
}

static __attribute__((noinline)) struct cache_result
load_joins(struct cache *c, const struct mem_access *a, struct cache_room room, void *waiter,
           int found, uint16_t mshr)
{
    struct lookup q = cache_lookup_at(c, a, found);
    return mshr_has_room(&c->mshrs, mshr) ? load_merges(c, &q, a, mshr, waiter)
                                          : load_stalls(c, a, room, STALL_MERGE);
}

/* In a quiet cache: asks for what is needed of the line in that way, or, if there is none (-1), of
 * one that gets its place when its data come. Nobody else's fetch brings it. */
static inline __attribute__((always_inline)) struct cache_result
ask_for_missing(struct cache *c, const struct mem_access *a, struct cache_room room, void *waiter,
                int way, uint32_t need)
{
    struct cache_set *s = &c->tags.sets[a->set];
    if (!c->mshrs.n_free)
        return cache_stalled(STALL_MSHR);
    if (!room.miss_queue)
        return cache_stalled(STALL_MISS_QUEUE);
    c->stats.loads++;
    c->stats.misses++;
    if (way >= 0) {
        struct cache_line *line = tags_line(s, (uint32_t)way);
        c->stats.sector_misses++;
        tags_use(s, (uint32_t)way, ++c->order);
        line->last_pc = a->pc;
        line->n_fetches = (uint16_t)(line->n_fetches + c->plain);
    }
    if (c->plain)
        tags_reserve(s, (uint32_t)way);
    else /* even a line that is there may be gone when the data come */
        way = -1;
    uint16_t mshr = cache_ask_for(c, s, a, way, need, waiter);
    return (struct cache_result){.answer = CACHE_MISS, .mshr = mshr, .fetch_sectors = need};
}

static __attribute__((noinline)) struct cache_result load_missing(struct cache *c,
                                                                  const struct mem_access *a,
                                                                  struct cache_room room,
                                                                  void *waiter, int way)
{
    struct lookup q = cache_lookup_at(c, a, way);
    uint32_t need = q.need;
    uint16_t mshr =
        c->mshrs.heads ? mshr_find(&c->mshrs, a->line, need) : cache_mshr_at(q.set, way);
    if (mshr != MSHR_NONE)
        return load_joins(c, a, room, waiter, way, mshr);
    return ask_for_missing(c, a, room, waiter, way, need);
}

/* Apart from cache_load(), so that a hit does not save registers for the sake of a miss. `found` is
 * the way of the line if only its sectors are missing, else -1. */
static __attribute__((noinline)) struct cache_result load_misses(struct cache *c,
                                                                 const struct mem_access *a,
                                                                 struct cache_room room,
                                                                 void *waiter, int found)
{
    struct lookup q = cache_lookup_at(c, a, found);
    uint16_t mshr = cache_outstanding(c, q.set, a->line, found, q.need);
    if (mshr != MSHR_NONE)
        return load_joins(c, a, room, waiter, found, mshr);
    if (c->is_lru && !c->mshrs.n_free) /* it never goes around: no need to ask it for a way */
        return cache_stalled(STALL_MSHR);
    return load_allocates(c, a, room, waiter, found);
}

static __attribute__((noinline)) struct cache_result
load_hits_told(struct cache *c, const struct mem_access *a, uint32_t way)
{
    cache_count_hit(c);
    if (!hit_drops(c, a, way))
        cache_touch(c, &c->tags.sets[a->set], (int)way, a);
    return (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
}

/* Apart from load_indexed(), which so needs no more registers than it may use without saving. */
static __attribute__((noinline)) struct cache_result load_hits_at(struct cache *c, size_t place,
                                                                  uint32_t pc)
{
    cache_count_hit(c);
    cache_use_place(c, place, pc);
    return (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
}

/* cache_load() where sets have an index. */
static __attribute__((noinline)) struct cache_result
load_indexed(struct cache *c, const struct mem_access *a, struct cache_room room, void *waiter)
{
    size_t place = way_index_seek(&c->tags.index, a->line);
    if (!place && c->plain)
        return load_plain_indexed(c, a, room, waiter);
    int way = place ? (int)way_index_way(&c->tags.index, place) : -1;
    if (cache_asked(c, a) & ~c->tags.lines[place].valid_sectors)
        return c->quiet ? load_missing(c, a, room, waiter, way)
                        : load_misses(c, a, room, waiter, way);
    if (c->minds_hits)
        return load_hits_told(c, a, (uint32_t)way);
    return load_hits_at(c, place, a->pc);
}

struct cache_result cache_load(struct cache *c, const struct mem_access *a, struct cache_room room,
                               void *waiter)
{
    assert(a->set < c->tags.n_sets);
    if (c->tags.indexed)
        return load_indexed(c, a, room, waiter);
    struct cache_set *s = &c->tags.sets[a->set];
    int way = tags_find_by(NULL, s, a->line);
    if (way < 0 && c->plain)
        return load_plain(c, a, room, waiter);
    if (way < 0 || cache_asked(c, a) & ~s->lines[way].valid_sectors)
        return c->quiet ? load_missing(c, a, room, waiter, way)
                        : load_misses(c, a, room, waiter, way);
    if (c->minds_hits)
        return load_hits_told(c, a, (uint32_t)way);
    cache_count_hit(c);
    cache_use_line(c, NULL, s, (uint32_t)way, a->pc);
    return (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
}

struct cache_result cache_load_absent(struct cache *c, const struct mem_access *a,
                                      struct cache_room room, void *waiter)
{
    if (!c->plain)
        return ask_for_missing(c, a, room, waiter, -1, cache_asked(c, a));
    return c->tags.indexed ? load_plain_indexed(c, a, room, waiter)
                           : load_plain(c, a, room, waiter);
}

static __attribute__((noinline)) bool needs_mshr(const struct cache *c, const struct mem_access *a)
{
    const struct cache_set *s = &c->tags.sets[a->set];
    int way = tags_find(s, a->line);
    uint32_t asked = cache_asked(c, a);
    uint32_t need = way < 0 ? asked : asked & ~s->lines[way].valid_sectors;
    return need && cache_outstanding(c, s, a->line, way, need) == MSHR_NONE;
}

bool cache_load_lacks_mshr(const struct cache *c, const struct mem_access *a)
{
    if (!cache_waits_for_mshrs(c))
        return false;
    /* In a plain cache a line without a way has no MSHR either. */
    if (c->plain && !c->tags.indexed && tags_find_by(NULL, &c->tags.sets[a->set], a->line) < 0)
        return true;
    return needs_mshr(c, a);
}

bool cache_find_hit(struct cache *c, uint64_t line)
{
    struct cache_set *s = &c->tags.sets[set_index_of(&c->indexer, line)];
    int way = tags_find(s, line);
    if (way < 0 || c->all_sectors & ~tags_line(s, (uint32_t)way)->valid_sectors)
        return false;
    c->other_hit = c->last_hit;
    c->last_hit = cache_place(s, (uint32_t)way);
    return true;
}

struct cache_result cache_load_around(struct cache *c, const struct mem_access *a,
                                      struct cache_room room)
{
    return load_bypasses(c, a, room, BYPASS_NO_CACHE);
}

/* Lines are allocated only now: the way of the line if it has come meanwhile, else one that the
 * policy gives; -1 = none. `*dirty` if that has a victim. */
static int allocate_late(struct cache *c, uint32_t mshr, bool *dirty)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    struct cache_set *s = m->set;
    int way = tags_find(s, m->line);
    if (way >= 0)
        return way;
    struct mem_access *a = &c->mshrs.accesses[mshr];
    if (c->quiet) /* nothing of it was kept */
        *a = (struct mem_access){.line = m->line};
    way = cache_choose_way(c, s, a);
    if (way < 0) {
        cache_count_difference(c, a);
        return -1;
    }
    *dirty = cache_replace(c, s, (uint32_t)way, a);
    tags_line(s, (uint32_t)way)->reused = m->reused;
    return way;
}

/* Nobody keeps the data; what stores had added to them must not be lost: true if there is any. */
static bool data_pass(struct cache *c, const struct mshr *m, uint64_t cycle)
{
    c->stats.fills_dropped++;
    cache_tell_drop(c, m->set, m, cycle);
    if (m->dirty_sectors)
        cache_write_back(c, m->line, m->dirty_sectors);
    return m->dirty_sectors != 0;
}

/* Data that look for a place, have lost theirs, or that somebody wants to know of. */
static __attribute__((noinline)) struct cache_arrival fill_told(struct cache *c, uint32_t mshr,
                                                                uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    bool dirty = false;
    int way = m->way >= 0 || m->detached ? m->way : allocate_late(c, mshr, &dirty);
    if (way >= 0) {
        data_arrive(c, m, (uint32_t)way, m->way >= 0);
        CACHE_TELL(c, fill, m->set, (uint32_t)way, m, cycle);
    } else {
        dirty = data_pass(c, m, cycle);
    }
    struct cache_arrival got = {m->waiters, m->n_waiters, way >= 0, dirty};
    mshr_release(&c->mshrs, mshr, cycle);
    return got;
}

/* What an MSHR brought has its place. */
static inline struct cache_arrival arrived(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    uint32_t n_waiters = m->n_waiters;
    mshr_release(&c->mshrs, mshr, cycle);
    return (struct cache_arrival){m->waiters, n_waiters, .kept = true};
}

/* Data for which no place was kept, in a quiet cache: they get one now, of a clean line. */
static __attribute__((noinline)) struct cache_arrival fill_late(struct cache *c, uint32_t mshr,
                                                                uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    struct cache_set *s = m->set;
    int way = tags_find_by(NULL, s, m->line);
    if (way < 0) {
        way = cache_lru_way(c, NULL, s);
        if (way < 0 || s->lines[way].dirty_sectors)
            return fill_told(c, mshr, cycle);
        if (s->tags[way] != TAG_EMPTY)
            cache_count_eviction(c, &s->lines[way]);
        struct cache_line line = {.line = m->line, .reused = m->reused, .inserted = ++c->order};
        tags_insert_by(NULL, s, (uint32_t)way, line);
    }
    data_arrive(c, m, (uint32_t)way, false);
    return arrived(c, mshr, cycle);
}

static __attribute__((noinline)) struct cache_arrival
fill_late_indexed(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    uint32_t n_waiters = m->n_waiters;
    if (!late_fill(c, &c->mshrs.entries[mshr], mshr, cycle))
        return fill_told(c, mshr, cycle);
    return (struct cache_arrival){m->waiters, n_waiters, .kept = true};
}

struct cache_arrival cache_fill(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    const struct mshr *m = &c->mshrs.entries[mshr];
    assert(mshr < c->mshrs.n && m->n_waiters);
    if (!c->quiet || m->detached)
        return fill_told(c, mshr, cycle);
    if (m->way < 0)
        return c->tags.indexed ? fill_late_indexed(c, mshr, cycle) : fill_late(c, mshr, cycle);
    data_arrive(c, m, (uint32_t)m->way, true);
    return arrived(c, mshr, cycle);
}
