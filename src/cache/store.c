/* Stores: write-evict (global stores of an L1D, S4 section 2), write-through in place, and
 * write-back with or without allocation (an L2; local memory in an L1D).
 *
 * MODEL: a store that removes a line also detaches the line's outstanding misses: their data, older
 * than the store, serve the waiting loads and are not kept; later loads fetch again. MODEL: a store
 * that needs data in flight waits in the MSHR with the loads, even when it covers the whole line.
 * MODEL: a store that hits and keeps its line is a use: it updates recency and sets the reuse bit.
 */
#include "cache/alloc.h"

/* Counts a store that takes effect, and its outcome, and notifies listeners. */
static inline __attribute__((always_inline)) void count_store(struct cache *c, uint64_t *outcome,
                                                              struct cache_set *s, int way,
                                                              const struct mem_access *a)
{
    c->stats.stores++;
    ++*outcome;
    CACHE_TELL(c, STORE, store, s, way, a);
}

static struct cache_result store_evicts(struct cache *c, const struct mem_access *a)
{
    struct cache_set *s = &c->tags.sets[a->set];
    int way = tags_find(s, a->line);
    struct cache_result r = {
        .answer = way < 0 ? CACHE_MISS : CACHE_HIT, .mshr = CACHE_NO_MSHR, .forward = true};
    count_store(c, way < 0 ? &c->stats.store_misses : &c->stats.store_hits, s, way, a);
    if (way >= 0) {
        c->stats.write_evictions++;
        r.writeback = cache_evict(c, s, (uint32_t)way, EVICT_WRITE, a);
    }
    cache_remove(c, s, way, a->line);
    return r;
}

static struct cache_result store_hits(struct cache *c, const struct lookup *q,
                                      const struct mem_access *a)
{
    count_store(c, &c->stats.store_hits, q->set, q->way, a);
    cache_use_line(c, q->set, (uint32_t)q->way, a->pc);
    if (c->config.write_back)
        tags_line(q->set, (uint32_t)q->way)->dirty_sectors |= q->asked;
    return (struct cache_result){
        .answer = CACHE_HIT, .mshr = CACHE_NO_MSHR, .forward = !c->config.write_back};
}

static struct cache_result store_merges(struct cache *c, const struct lookup *q,
                                        const struct mem_access *a, uint16_t mshr, void *waiter)
{
    count_store(c, &c->stats.store_merges, q->set, q->way, a);
    if (q->way >= 0)
        cache_use_line(c, q->set, (uint32_t)q->way, a->pc);
    c->mshrs.entries[mshr].reused = true;
    if (c->config.write_back)
        c->mshrs.entries[mshr].dirty_sectors |= q->asked;
    mshr_join(&c->mshrs, mshr, waiter);
    return (struct cache_result){
        .answer = CACHE_MERGE, .mshr = mshr, .forward = !c->config.write_back};
}

/* The store is forwarded and allocates nothing. */
static struct cache_result store_passes(struct cache *c, struct cache_set *s,
                                        const struct mem_access *a)
{
    count_store(c, &c->stats.store_misses, s, -1, a);
    return (struct cache_result){.answer = CACHE_MISS, .mshr = CACHE_NO_MSHR, .forward = true};
}

static struct cache_result store_bypasses(struct cache *c, struct cache_set *s,
                                          const struct mem_access *a,
                                          const struct cache_resources *room)
{
    if (!room->port)
        return cache_stalled(STALL_PORT);
    if (a->kind != MEM_STORE && !room->bypass_table)
        return cache_stalled(STALL_BYPASS_TABLE);
    cache_count_difference(c, a);
    count_store(c, &c->stats.store_bypasses, s, -1, a);
    CACHE_TELL(c, BYPASS, bypass, s, a, BYPASS_POLICY);
    return (struct cache_result){.answer = CACHE_BYPASSED, .mshr = CACHE_NO_MSHR, .forward = true};
}

/* Does the store write every byte of the sectors it touches? Then nothing needs to be fetched. An
 * atomic reads before it writes. */
static bool covers_its_sectors(const struct cache *c, const struct mem_access *a, uint32_t sectors)
{
    return a->kind == MEM_STORE && mem_covers_sectors(a, sectors, c->config.sector_bytes);
}

/* The sectors become valid, without a fetch. True if a dirty line was replaced. */
static inline bool put_sectors(struct cache *c, const struct lookup *q, const struct mem_access *a,
                               uint32_t way)
{
    bool writeback = false;
    if (q->way >= 0)
        cache_use_line(c, q->set, (uint32_t)q->way, a->pc);
    else
        writeback = cache_replace(c, q->set, way, a, 0, MSHR_NONE);
    struct cache_line *line = tags_line(q->set, way);
    line->valid_sectors |= q->asked;
    if (line->n_fetches == 0)
        tags_validate(q->set, way);
    return writeback;
}

static struct cache_result store_fills(struct cache *c, const struct lookup *q,
                                       const struct mem_access *a, uint32_t way)
{
    struct cache_result r = {
        .answer = CACHE_HIT, .mshr = CACHE_NO_MSHR, .forward = !c->config.write_back};
    count_store(c, &c->stats.store_misses, q->set, q->way, a);
    r.writeback = put_sectors(c, q, a, way);
    if (c->config.write_back)
        tags_line(q->set, way)->dirty_sectors |= q->asked;
    return r;
}

static struct cache_result store_misses(struct cache *c, const struct lookup *q,
                                        const struct mem_access *a,
                                        const struct cache_resources *room, void *waiter)
{
    int way = q->way >= 0 ? q->way : cache_choose_way(c, q->set, a);
    if (way == CACHE_BYPASS)
        return store_bypasses(c, q->set, a, room);
    if (covers_its_sectors(c, a, q->asked))
        return way == CACHE_STALL ? cache_stalled(STALL_LINE) : store_fills(c, q, a, (uint32_t)way);
    enum cache_stall lacks = cache_missing_resource(c, room, way);
    if (lacks != N_CACHE_STALLS)
        return cache_stalled(lacks);
    count_store(c, &c->stats.store_misses, q->set, q->way, a);
    bool writeback = false;
    uint16_t mshr = cache_start_fetch(c, a, q, way, waiter, &writeback);
    if (c->config.write_back)
        c->mshrs.entries[mshr].dirty_sectors |= q->asked;
    return (struct cache_result){.answer = CACHE_MISS,
                                 .forward = !c->config.write_back,
                                 .writeback = writeback,
                                 .mshr = mshr,
                                 .fetch_sectors = q->need};
}

struct cache_result cache_store(struct cache *c, const struct mem_access *a,
                                struct cache_resources room, void *waiter)
{
    if (c->config.write_evict && a->space != MEM_LOCAL)
        return store_evicts(c, a);
    struct lookup q = cache_look_up(c, a);
    if (!q.need)
        return store_hits(c, &q, a);
    if (!c->config.write_allocate)
        return store_passes(c, q.set, a);
    uint16_t mshr = cache_outstanding(c, &q, a->line);
    if (mshr == MSHR_NONE)
        return store_misses(c, &q, a, &room, waiter);
    return mshr_has_room(&c->mshrs, mshr) ? store_merges(c, &q, a, mshr, waiter)
                                          : cache_stalled(STALL_MERGE);
}

/* Empties a way without counting an eviction. True if its line must be written back. */
static bool clear_way(struct cache *c, struct cache_set *s, uint32_t way,
                      const struct mem_access *a)
{
    if (!(s->occupied >> way & 1))
        return false;
    if (!c->is_lru && tags_oldest(s) != (int)way)
        cache_count_difference(c, a);
    CACHE_TELL(c, EVICT, evict, s, way, EVICT_REPLACE, a);
    uint32_t dirty = s->lines[way].dirty_sectors;
    if (dirty)
        c->victim = (struct cache_victim){s->lines[way].line, dirty};
    tags_remove(s, way);
    return dirty != 0;
}

bool cache_copy_in(struct cache *c, const struct mem_access *a)
{
    struct lookup q = cache_look_up(c, a);
    assert(cache_mshrs_in_use(c) == 0);
    if (!q.need) {
        cache_use_line(c, q.set, (uint32_t)q.way, a->pc);
        return false;
    }
    int way = q.way >= 0 ? q.way : cache_choose_way(c, q.set, a);
    if (way < 0)
        return false;
    CACHE_TELL(c, STORE, store, q.set, q.way, a);
    bool writeback = q.way < 0 && clear_way(c, q.set, (uint32_t)way, a);
    put_sectors(c, &q, a, (uint32_t)way);
    return writeback;
}
