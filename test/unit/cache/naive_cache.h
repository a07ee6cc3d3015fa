/* A cache written from the contract in cache.h and cache_policy.h and from nothing else: arrays,
 * linear searches, no hashing, policies by ordered lists. Slow and plain, to be compared with. */
#ifndef HEDDLE_TEST_NAIVE_CACHE_H
#define HEDDLE_TEST_NAIVE_CACHE_H

#include <assert.h>
#include <string.h>

#include "cache/cache.h"

enum { NAIVE_SETS = 16, NAIVE_WAYS = 16, NAIVE_MSHRS = 8, NAIVE_WAITERS = 8, NAIVE_LOG = 16 };

struct naive_line {
    bool present;
    uint64_t line;
    uint32_t valid, dirty; /* sectors */
    int fetches;           /* outstanding */
    bool reused;
};

struct naive_set {
    struct naive_line ways[NAIVE_WAYS];
    int by_use[NAIVE_WAYS], n_by_use; /* way numbers, most recently used last */
    int by_age[NAIVE_WAYS], n_by_age; /* in the order of insertion */
    bool tree[2 * NAIVE_WAYS];        /* plru: true = the victim is among the upper ways */
};

struct naive_mshr {
    bool busy, detached, reused;
    uint64_t serial; /* order of birth */
    uint32_t set;
    int way;
    uint32_t sectors, dirty;
    uint16_t number; /* what the cache under test calls it */
    struct mem_access access;
    void *waiters[NAIVE_WAITERS];
    uint32_t n_waiters;
};

struct naive_event {
    int event, cause, reason;
    uint64_t access_id, line;
    uint32_t set, way;
};

struct naive_cache {
    struct cache_config config;
    uint32_t all_sectors;
    uint64_t random_state;
    struct naive_set sets[NAIVE_SETS];
    struct naive_mshr mshrs[NAIVE_MSHRS];
    uint64_t births;
    struct cache_stats stats;
    struct cache_victim victim; /* the last one that was dirty */
    struct naive_event log[NAIVE_LOG];
    uint32_t n_log;
    bool wants_stall_bypass;
};

static inline void naive_log(struct naive_cache *n, int event, const struct mem_access *a,
                             uint32_t set, int way, int cause, int reason)
{
    assert(n->n_log < NAIVE_LOG);
    n->log[n->n_log++] = (struct naive_event){.event = event,
                                              .cause = cause,
                                              .reason = reason,
                                              .access_id = a ? a->id : ~0ull,
                                              .line = way < 0 ? 0 : n->sets[set].ways[way].line,
                                              .set = set,
                                              .way = (uint32_t)way};
}

/* --- ordered lists of ways --- */

static inline void list_remove(int *list, int *n, int way)
{
    for (int i = 0; i < *n; i++)
        if (list[i] == way) {
            memmove(list + i, list + i + 1, (size_t)(*n - i - 1) * sizeof *list);
            (*n)--;
            return;
        }
}

static inline void list_append(int *list, int *n, int way)
{
    list_remove(list, n, way);
    list[(*n)++] = way;
}

/* --- pseudo-LRU as a recursion over halves --- */

static inline void tree_use(bool *tree, int node, int first, int n_ways, int way)
{
    if (n_ways == 1)
        return;
    int half = n_ways / 2;
    bool in_upper = way >= first + half;
    tree[node] = !in_upper;
    tree_use(tree, 2 * node + in_upper, first + in_upper * half, half, way);
}

static inline int tree_victim(const struct naive_set *s, int node, int first, int n_ways)
{
    if (n_ways == 1)
        return s->ways[first].fetches > 0 ? CACHE_STALL : first;
    int half = n_ways / 2, upper = s->tree[node];
    int way = tree_victim(s, 2 * node + upper, first + upper * half, half);
    return way != CACHE_STALL ? way
                              : tree_victim(s, 2 * node + !upper, first + !upper * half, half);
}

/* --- the victim of a full set --- */

static inline int naive_random_victim(const struct naive_cache *n, const struct naive_set *s)
{
    int candidates[NAIVE_WAYS];
    uint64_t n_candidates = 0;
    for (int w = 0; w < (int)n->config.n_ways; w++)
        if (s->ways[w].fetches == 0)
            candidates[n_candidates++] = w;
    if (!n_candidates)
        return CACHE_STALL;
    uint64_t z = n->random_state;
    z = (z ^ (z >> 30)) * 13787848793156543929ull;
    z = (z ^ (z >> 27)) * 10723151780598845931ull;
    z = z ^ (z >> 31);
    return candidates[(z / 4294967296ull) * n_candidates / 4294967296ull];
}

static inline int naive_first_unreserved(const struct naive_set *s, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (s->ways[list[i]].fetches == 0)
            return list[i];
    return CACHE_STALL;
}

static inline int naive_choose(const struct naive_cache *n, const struct naive_set *s)
{
    const char *policy = n->config.policy;
    if (strcmp(policy, "none") == 0)
        return CACHE_BYPASS;
    for (int w = 0; w < (int)n->config.n_ways; w++)
        if (!s->ways[w].present)
            return w;
    if (strcmp(policy, "lru") == 0)
        return naive_first_unreserved(s, s->by_use, s->n_by_use);
    if (strcmp(policy, "fifo") == 0)
        return naive_first_unreserved(s, s->by_age, s->n_by_age);
    if (strcmp(policy, "plru") == 0)
        return tree_victim(s, 1, 0, (int)n->config.n_ways);
    assert(strcmp(policy, "random") == 0);
    return naive_random_victim(n, s);
}

/* --- lines come and go --- */

static inline void naive_use(struct naive_cache *n, struct naive_set *s, int way)
{
    list_append(s->by_use, &s->n_by_use, way);
    tree_use(s->tree, 1, 0, (int)n->config.n_ways, way);
}

static inline void naive_leave(struct naive_cache *n, uint32_t set, int way, int cause,
                               const struct mem_access *a, struct cache_result *r)
{
    struct naive_set *s = &n->sets[set];
    struct naive_line *l = &s->ways[way];
    naive_log(n, CE_EVICT, a, set, way, cause, 0);
    if (l->dirty && cause != EVICT_INVALIDATE) {
        n->stats.writebacks++;
        r->writeback = true;
        n->victim = (struct cache_victim){l->line, l->dirty};
    }
    list_remove(s->by_use, &s->n_by_use, way);
    list_remove(s->by_age, &s->n_by_age, way);
    memset(l, 0, sizeof *l);
}

static inline void naive_enter(struct naive_cache *n, const struct mem_access *a, int way,
                               struct cache_result *r)
{
    struct naive_set *s = &n->sets[a->set];
    if (s->ways[way].present) {
        n->stats.evictions++;
        n->stats.evictions_unused += !s->ways[way].reused;
        naive_leave(n, a->set, way, EVICT_REPLACE, a, r);
    }
    s->ways[way] = (struct naive_line){.present = true, .line = a->line};
    naive_use(n, s, way);
    list_append(s->by_age, &s->n_by_age, way);
    n->random_state += 11400714819323198485ull;
    naive_log(n, CE_RESERVE, a, a->set, way, 0, 0);
}

static inline int naive_find(const struct naive_cache *n, const struct mem_access *a)
{
    for (int w = 0; w < (int)n->config.n_ways; w++)
        if (n->sets[a->set].ways[w].present && n->sets[a->set].ways[w].line == a->line)
            return w;
    return -1;
}

/* --- outstanding misses --- */

static inline struct naive_mshr *naive_pending(struct naive_cache *n, uint64_t line, uint32_t need)
{
    struct naive_mshr *newest = NULL;
    for (uint32_t i = 0; i < n->config.n_mshrs; i++) {
        struct naive_mshr *m = &n->mshrs[i];
        if (m->busy && !m->detached && m->access.line == line && !(need & ~m->sectors) &&
            (!newest || m->serial > newest->serial))
            newest = m;
    }
    return newest;
}

static inline struct naive_mshr *naive_free_mshr(struct naive_cache *n)
{
    for (uint32_t i = 0; i < n->config.n_mshrs; i++)
        if (!n->mshrs[i].busy)
            return &n->mshrs[i];
    return NULL;
}

static inline void naive_detach(struct naive_cache *n, uint64_t line)
{
    for (struct naive_mshr *m; (m = naive_pending(n, line, 0));)
        m->detached = true;
}

static inline void naive_fetch(struct naive_cache *n, const struct mem_access *a, int present,
                               int way, uint32_t need, uint32_t dirty, void *waiter,
                               struct cache_result *r)
{
    struct naive_mshr *m = naive_free_mshr(n);
    n->stats.sector_misses += present >= 0;
    if (present >= 0)
        naive_use(n, &n->sets[a->set], present);
    if (n->config.allocate_on_fill) {
        way = -1;
    } else {
        if (present < 0)
            naive_enter(n, a, way, r);
        n->sets[a->set].ways[way].fetches++;
    }
    *m = (struct naive_mshr){.busy = true,
                             .serial = n->births++,
                             .set = a->set,
                             .way = way,
                             .sectors = need,
                             .dirty = dirty,
                             .access = *a,
                             .waiters = {waiter},
                             .n_waiters = 1};
    r->fetch_sectors = need;
    for (uint32_t sector = 0; sector < 32; sector++)
        n->stats.sectors_fetched += need >> sector & 1;
}

static inline int naive_lacks(struct naive_cache *n, struct cache_resources room, int way)
{
    if (!naive_free_mshr(n))
        return STALL_MSHR;
    if (!room.miss_queue)
        return STALL_MISS_QUEUE;
    return way == CACHE_STALL && !n->config.allocate_on_fill ? STALL_LINE : -1;
}

static inline struct cache_result naive_stall(int cause)
{
    return (struct cache_result){.answer = CACHE_STALLED, .stall = (uint8_t)cause};
}

/* --- loads --- */

static inline struct cache_result naive_around(struct naive_cache *n, const struct mem_access *a,
                                               int reason)
{
    n->stats.loads++;
    n->stats.bypasses++;
    n->stats.stall_bypasses += reason == BYPASS_STALL;
    naive_log(n, CE_MISS, a, a->set, -1, 0, 0);
    naive_log(n, CE_BYPASS, a, a->set, -1, 0, reason);
    return (struct cache_result){.answer = CACHE_BYPASSED};
}

static inline struct cache_result naive_load_stalls(struct naive_cache *n,
                                                    const struct mem_access *a,
                                                    struct cache_resources room, int cause)
{
    if (n->wants_stall_bypass && room.port && room.bypass_table)
        return naive_around(n, a, BYPASS_STALL);
    return naive_stall(cause);
}

static inline uint32_t naive_asked(const struct naive_cache *n, const struct mem_access *a)
{
    return n->all_sectors == 1 ? 1 : a->sector_mask;
}

static inline struct cache_result naive_load(struct naive_cache *n, const struct mem_access *a,
                                             struct cache_resources room, void *waiter)
{
    struct naive_set *s = &n->sets[a->set];
    int present = naive_find(n, a);
    uint32_t need = naive_asked(n, a) & ~(present < 0 ? 0 : s->ways[present].valid);
    struct cache_result r = {.answer = CACHE_HIT};
    if (present >= 0 && !need) {
        n->stats.loads++, n->stats.hits++;
        naive_log(n, CE_HIT, a, a->set, present, 0, 0);
        s->ways[present].reused = true;
        naive_use(n, s, present);
        return r;
    }
    struct naive_mshr *m = naive_pending(n, a->line, need);
    if (m) {
        if (m->n_waiters == n->config.mshr_merges)
            return naive_load_stalls(n, a, room, STALL_MERGE);
        n->stats.loads++, n->stats.merges++;
        naive_log(n, CE_MERGE, a, a->set, present, 0, 0);
        m->waiters[m->n_waiters++] = waiter;
        m->reused = true;
        if (present >= 0) {
            s->ways[present].reused = true;
            naive_use(n, s, present);
        }
        r.answer = CACHE_MERGE;
        r.mshr = m->number;
        return r;
    }
    int way = present >= 0 ? present : naive_choose(n, s);
    if (way == CACHE_BYPASS)
        return !room.port           ? naive_stall(STALL_PORT)
               : !room.bypass_table ? naive_stall(STALL_BYPASS_TABLE)
                                    : naive_around(n, a, BYPASS_POLICY);
    int lacks = naive_lacks(n, room, way);
    if (lacks >= 0)
        return naive_load_stalls(n, a, room, lacks);
    n->stats.loads++, n->stats.misses++;
    naive_log(n, CE_MISS, a, a->set, present, 0, 0);
    r.answer = CACHE_MISS;
    naive_fetch(n, a, present, way, need, 0, waiter, &r);
    return r;
}

/* --- stores --- */

static inline struct cache_result naive_store_evicts(struct naive_cache *n,
                                                     const struct mem_access *a)
{
    int present = naive_find(n, a);
    struct cache_result r = {.answer = present < 0 ? CACHE_MISS : CACHE_HIT, .forward = true};
    n->stats.stores++;
    naive_log(n, CE_STORE, a, a->set, present, 0, 0);
    if (present < 0) {
        n->stats.store_misses++;
    } else {
        n->stats.store_hits++, n->stats.write_evictions++;
        naive_leave(n, a->set, present, EVICT_WRITE, a, &r);
    }
    naive_detach(n, a->line);
    return r;
}

static inline bool naive_store_is_whole(const struct naive_cache *n, const struct mem_access *a)
{
    uint32_t per_sector = n->config.sector_bytes;
    for (uint32_t b = 0; b < n->config.line_bytes; b++) {
        bool written = a->byte_mask[b / 64] & 1ull << b % 64;
        if (a->sector_mask & 1u << b / per_sector && !written)
            return false;
    }
    return true;
}

static inline struct cache_result naive_store_allocates(struct naive_cache *n,
                                                        const struct mem_access *a,
                                                        struct cache_resources room, int present,
                                                        uint32_t need, void *waiter)
{
    struct naive_set *s = &n->sets[a->set];
    uint32_t asked = naive_asked(n, a), dirty = n->config.write_back ? asked : 0;
    struct cache_result r = {.answer = CACHE_HIT, .forward = !n->config.write_back};
    int way = present >= 0 ? present : naive_choose(n, s);
    bool whole = naive_store_is_whole(n, a);
    int lacks = whole ? (way == CACHE_STALL ? STALL_LINE : -1) : naive_lacks(n, room, way);
    if (way == CACHE_BYPASS && !room.port)
        return naive_stall(STALL_PORT);
    if (way != CACHE_BYPASS && lacks >= 0)
        return naive_stall(lacks);
    n->stats.stores++;
    naive_log(n, CE_STORE, a, a->set, present, 0, 0);
    if (way == CACHE_BYPASS) {
        n->stats.store_bypasses++;
        naive_log(n, CE_BYPASS, a, a->set, -1, 0, BYPASS_POLICY);
        return (struct cache_result){.answer = CACHE_BYPASSED, .forward = true};
    }
    n->stats.store_misses++;
    if (!whole) {
        r.answer = CACHE_MISS;
        naive_fetch(n, a, present, way, need, dirty, waiter, &r);
        return r;
    }
    if (present < 0)
        naive_enter(n, a, way, &r);
    else
        s->ways[way].reused = true, naive_use(n, s, way);
    s->ways[way].valid |= asked;
    s->ways[way].dirty |= dirty;
    return r;
}

static inline struct cache_result naive_store(struct naive_cache *n, const struct mem_access *a,
                                              struct cache_resources room, void *waiter)
{
    if (n->config.write_evict && a->space != MEM_LOCAL)
        return naive_store_evicts(n, a);
    struct naive_set *s = &n->sets[a->set];
    int present = naive_find(n, a);
    uint32_t asked = naive_asked(n, a), dirty = n->config.write_back ? asked : 0;
    uint32_t need = asked & ~(present < 0 ? 0 : s->ways[present].valid);
    struct cache_result r = {.answer = CACHE_HIT, .forward = !n->config.write_back};
    struct naive_mshr *m = naive_pending(n, a->line, need);
    if (need && n->config.write_allocate && !m)
        return naive_store_allocates(n, a, room, present, need, waiter);
    if (need && n->config.write_allocate && m->n_waiters == n->config.mshr_merges)
        return naive_stall(STALL_MERGE);
    n->stats.stores++;
    if (need && !n->config.write_allocate) {
        n->stats.store_misses++;
        naive_log(n, CE_STORE, a, a->set, -1, 0, 0);
        return (struct cache_result){.answer = CACHE_MISS, .forward = true};
    }
    naive_log(n, CE_STORE, a, a->set, present, 0, 0);
    if (present >= 0) {
        s->ways[present].reused = true;
        naive_use(n, s, present);
    }
    if (!need) {
        n->stats.store_hits++;
        s->ways[present].dirty |= dirty;
        return r;
    }
    n->stats.store_merges++;
    m->waiters[m->n_waiters++] = waiter;
    m->reused = true;
    m->dirty |= dirty;
    r.answer = CACHE_MERGE;
    r.mshr = m->number;
    return r;
}

/* --- data arrive --- */

static inline struct cache_result naive_fill(struct naive_cache *n, struct naive_mshr *m)
{
    struct naive_set *s = &n->sets[m->set];
    struct cache_result r = {.answer = CACHE_HIT};
    int way = m->detached ? -1 : m->way;
    if (way >= 0) {
        s->ways[way].fetches--;
    } else if (!m->detached) {
        way = naive_find(n, &m->access);
        if (way < 0) {
            way = naive_choose(n, s);
            if (way >= 0) {
                naive_enter(n, &m->access, way, &r);
                s->ways[way].reused = m->reused;
            }
        }
    }
    m->busy = false;
    if (way < 0) {
        n->stats.fills_dropped++;
        naive_log(n, CE_DROP, NULL, m->set, -1, 0, 0);
        r.answer = CACHE_BYPASSED;
        if (m->dirty) {
            n->stats.writebacks++;
            r.writeback = true;
            n->victim = (struct cache_victim){m->access.line, m->dirty};
        }
        return r;
    }
    n->stats.fills++;
    s->ways[way].valid |= m->sectors;
    s->ways[way].dirty |= m->dirty;
    naive_log(n, CE_FILL, NULL, m->set, way, 0, 0);
    return r;
}

static inline void naive_init(struct naive_cache *n, const struct cache_config *config,
                              uint64_t seed)
{
    memset(n, 0, sizeof *n);
    n->config = *config;
    n->all_sectors = (1u << config->line_bytes / config->sector_bytes) - 1;
    n->random_state = seed;
}

#endif
