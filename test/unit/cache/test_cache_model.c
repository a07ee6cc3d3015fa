/* The whole cache against naive_cache.h: every answer, every event, every counter, every waiter, on
 * random and adversarial streams, for every built-in policy, under random shortages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "unit/cache/naive_cache.h"
#include "unit/random_bits.h"

/* Each has its rule in naive_cache.h. */
static const char *const policies[] = {"lru", "fifo", "random", "plru", "none"};
enum { N_POLICIES = sizeof policies / sizeof policies[0], LINE_BYTES = 128, N_WAITERS = 64 };

/* How addresses come; each breaks something that the others leave alone. */
enum stream { UNIFORM, CYCLIC_JUST_TOO_BIG, HOT_AND_SCAN, ONE_SET, N_STREAMS };

struct duel {
    struct cache *cache;
    struct naive_cache naive;
    enum stream stream;
    uint64_t random, next_id, cyclic, seed;
    uint32_t built_ways;
    struct naive_event log[NAIVE_LOG];
    uint32_t n_log;
    bool watched;  /* otherwise there are no events to compare: events without listeners take other
                    * paths */
    bool flushing; /* too much for the log, and told by the write-backs */
};

static void record(void *user, const struct cache_event_info *e)
{
    struct duel *d = user;
    if (d->flushing)
        return;
    assert_true(d->n_log < NAIVE_LOG);
    if (e->event == CE_RESIZE)
        assert_int_equal(e->n_ways, d->naive.config.n_ways);
    d->log[d->n_log++] = (struct naive_event){.event = (int)e->event,
                                              .cause = e->event == CE_EVICT ? (int)e->cause : 0,
                                              .reason = e->event == CE_BYPASS ? (int)e->reason : 0,
                                              .access_id = e->access ? e->access->id : ~0ull,
                                              .line = e->line ? e->line->line : 0,
                                              .set = e->set,
                                              .way = e->way};
}

static uint32_t below(struct duel *d, uint32_t n)
{
    return (uint32_t)(random_u64(&d->random) % n);
}

static void compare_events(struct duel *d)
{
    if (d->watched)
        assert_int_equal(d->n_log, d->naive.n_log);
    for (uint32_t i = 0; i < d->n_log; i++) {
        const struct naive_event *x = &d->log[i], *y = &d->naive.log[i];
        assert_int_equal(x->event, y->event);
        assert_int_equal(x->cause, y->cause);
        assert_int_equal(x->reason, y->reason);
        assert_int_equal(x->access_id, y->access_id);
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->set, y->set);
        assert_int_equal(x->way, y->way);
    }
    d->n_log = d->naive.n_log = 0;
}

static void compare_victims(const struct duel *d)
{
    assert_int_equal(cache_victim(d->cache)->line, d->naive.victim.line);
    assert_int_equal(cache_victim(d->cache)->sectors, d->naive.victim.sectors);
}

static void compare_results(const struct duel *d, const struct cache_result *x,
                            const struct cache_result *y)
{
    assert_int_equal(x->answer, y->answer);
    if (x->answer == CACHE_STALLED) {
        assert_int_equal(x->stall, y->stall);
        return;
    }
    assert_int_equal(x->forward, y->forward);
    assert_int_equal(x->fetch_sectors, y->fetch_sectors);
    assert_int_equal(x->writeback, y->writeback);
    if (x->writeback)
        compare_victims(d);
    if (x->answer == CACHE_MERGE)
        assert_int_equal(x->mshr, y->mshr);
}

static void compare_counters(struct duel *d)
{
    struct strbuf why = {0};
    assert_memory_equal(cache_stats(d->cache), &d->naive.stats, sizeof d->naive.stats);
    assert_true(cache_stats_check(cache_stats(d->cache), &why));
    strbuf_destroy(&why);
}

static uint64_t next_line(struct duel *d)
{
    const struct cache_config *g = &d->naive.config;
    uint32_t capacity = g->n_sets * g->n_ways;
    switch (d->stream) {
    case UNIFORM:
        return below(d, 2 * capacity + 1);
    case CYCLIC_JUST_TOO_BIG:
        return d->cyclic++ % (capacity + g->n_sets);
    case HOT_AND_SCAN:
        return below(d, 3) ? below(d, capacity / 2 + 1) : 1000 + d->cyclic++;
    default:
        return below(d, 2 * g->n_ways + 1) * g->n_sets;
    }
}

static struct mem_access next_access(struct duel *d)
{
    struct mem_access a = {.id = d->next_id++, .pc = below(d, 8), .warp_slot = below(d, 48)};
    const struct cache_config *g = &d->naive.config;
    a.line = 0x10000000 + next_line(d) * LINE_BYTES;
    a.set = (uint32_t)(a.line / LINE_BYTES % g->n_sets);
    a.kind = below(d, 4) ? MEM_LOAD : MEM_STORE;
    a.space = below(d, 3) ? MEM_GLOBAL : MEM_LOCAL;
    a.sector_mask = 1 + below(d, d->naive.all_sectors);
    bool full_line = below(d, 4) == 0;
    if (full_line)
        a.sector_mask = d->naive.all_sectors;
    /* Half of the stores write their sectors whole, the others leave out a byte. */
    uint32_t per_sector = g->sector_bytes;
    for (uint32_t b = 0; b < LINE_BYTES; b++)
        if (a.sector_mask >> b / per_sector & 1)
            a.byte_mask[b / 64] |= 1ull << b % 64;
    if (!full_line && below(d, 2))
        a.byte_mask[below(d, 2)] &= ~(1ull << below(d, 64));
    return a;
}

/* The MSHR that the access would join. */
static void compare_mshr(struct duel *d, const struct mem_access *a)
{
    int way = naive_find(&d->naive, a);
    uint32_t asked = d->naive.all_sectors == 1 ? 1 : a->sector_mask;
    uint32_t need = asked & ~(way < 0 ? 0 : d->naive.sets[a->set].ways[way].valid);
    const struct naive_mshr *m = need ? naive_pending(&d->naive, a->line, need) : NULL;
    assert_int_equal(cache_mshr_for(d->cache, a), m ? m->number : CACHE_NO_MSHR);
}

/* Offers the access once to both; true if it was accepted. */
static bool offer(struct duel *d, const struct mem_access *a, void *waiter)
{
    struct cache_resources room = {below(d, 5) > 0, below(d, 5) > 0, below(d, 5) > 0};
    bool load = a->kind == MEM_LOAD;
    compare_mshr(d, a);
    struct cache_result x = (load ? cache_load : cache_store)(d->cache, a, room, waiter);
    struct cache_result y = (load ? naive_load : naive_store)(&d->naive, a, room, waiter);
    compare_results(d, &x, &y);
    if (x.answer == CACHE_MISS && x.fetch_sectors) {
        struct naive_mshr *m = NULL;
        for (uint32_t i = 0; i < d->naive.config.n_mshrs; i++) {
            struct naive_mshr *other = &d->naive.mshrs[i];
            if (other->busy && other->serial == d->naive.births - 1)
                m = other;
            else
                assert_false(other->busy && other->number == x.mshr);
        }
        assert_non_null(m);
        m->number = x.mshr;
        assert_int_equal(cache_mshr_line(d->cache, x.mshr), a->line);
    }
    compare_events(d);
    return x.answer != CACHE_STALLED;
}

/* Data of a random outstanding miss arrive; false if there is none. */
static bool fill_one(struct duel *d)
{
    uint32_t n = d->naive.config.n_mshrs, start = below(d, n);
    for (uint32_t i = 0; i < n; i++) {
        struct naive_mshr *m = &d->naive.mshrs[(start + i) % n];
        if (!m->busy)
            continue;
        struct cache_result y = naive_fill(&d->naive, m);
        struct cache_arrival x = cache_fill(d->cache, m->number, 7);
        assert_int_equal(x.n_waiters, m->n_waiters);
        assert_memory_equal(x.waiters, m->waiters, x.n_waiters * sizeof *x.waiters);
        assert_int_equal(x.kept, y.answer == CACHE_HIT);
        assert_int_equal(x.writeback, y.writeback);
        if (x.writeback)
            compare_victims(d);
        compare_events(d);
        return true;
    }
    return false;
}

static void invalidate_one(struct duel *d)
{
    struct mem_access a = next_access(d);
    struct cache_result unused = {0};
    int way = naive_find(&d->naive, &a);
    if (way >= 0)
        naive_leave(&d->naive, a.set, way, EVICT_INVALIDATE, NULL, &unused);
    naive_detach(&d->naive, a.line);
    cache_invalidate_line(d->cache, a.line);
    compare_events(d);
}

struct flushed {
    uint64_t lines[NAIVE_SETS * NAIVE_WAYS];
    uint32_t n;
};

static void count_writeback(void *user, uint64_t line, uint32_t sectors)
{
    struct flushed *f = user;
    assert_int_not_equal(sectors, 0);
    f->lines[f->n++] = line;
}

/* Everything must leave, dirty lines through the callback, set by set. */
static void flush_both(struct duel *d)
{
    while (fill_one(d))
        ;
    assert_int_equal(cache_mshrs_in_use(d->cache), 0);
    uint64_t expected[NAIVE_SETS * NAIVE_WAYS];
    uint32_t n = 0;
    for (uint32_t set = 0; set < d->naive.config.n_sets; set++)
        for (int way = 0; way < (int)d->naive.config.n_ways; way++) {
            struct cache_result r = {0};
            if (d->naive.sets[set].ways[way].present)
                naive_leave(&d->naive, set, way, EVICT_FLUSH, NULL, &r);
            if (r.writeback)
                expected[n++] = d->naive.victim.line;
            d->naive.n_log = 0;
        }
    struct flushed flushed = {0};
    d->flushing = true;
    cache_flush(d->cache, count_writeback, &flushed);
    d->flushing = false;
    assert_int_equal(flushed.n, n);
    assert_memory_equal(flushed.lines, expected, n * sizeof *expected);
}

/* The cache continues with fewer or more ways, like a new one except for its counters. */
static void resize_both(struct duel *d)
{
    struct cache_config config = d->naive.config;
    bool tree = strcmp(config.policy, "plru") == 0;
    config.n_ways = tree ? d->built_ways >> below(d, 2) : 1 + below(d, d->built_ways);
    if (!config.n_ways)
        config.n_ways = 1;
    flush_both(d);
    struct cache_stats counted = d->naive.stats;
    if (config.n_ways != d->naive.config.n_ways) {
        bool wants_stall_bypass = d->naive.wants_stall_bypass;
        naive_init(&d->naive, &config, d->seed);
        d->naive.wants_stall_bypass = wants_stall_bypass;
        d->naive.stats = counted;
        naive_log(&d->naive, CE_RESIZE, NULL, 0, -1, 0, 0);
    }
    cache_resize(d->cache, config.n_ways, count_writeback, &(struct flushed){0});
    compare_events(d);
}

static bool always_bypass(const struct cache_policy *p, enum cache_stall cause,
                          const struct mem_access *a)
{
    (void)p, (void)cause, (void)a;
    return true;
}

static void play(struct duel *d, uint32_t n_accesses)
{
    static char waiters[N_WAITERS];
    struct mem_access a = next_access(d);
    for (uint32_t i = 0; i < n_accesses; i++) {
        if (offer(d, &a, &waiters[a.id % N_WAITERS]))
            a = next_access(d);
        else if (below(d, 2) == 0)
            fill_one(d);
        if (below(d, 3) == 0)
            fill_one(d);
        if (below(d, 64) == 0)
            invalidate_one(d);
        if (below(d, 700) == 0)
            flush_both(d);
        if (below(d, 700) == 0)
            resize_both(d);
    }
    flush_both(d);
    compare_counters(d);
}

static struct cache_config random_config(struct duel *d, const char *policy)
{
    static const uint32_t sets[] = {1, 2, 3, 4, 8, 16}, ways[] = {1, 2, 4, 8, 16, 3, 6, 12};
    bool tree = strcmp(policy, "plru") == 0;
    return (struct cache_config){.n_sets = sets[below(d, 6)],
                                 .n_ways = ways[below(d, tree ? 5 : 8)],
                                 .line_bytes = LINE_BYTES,
                                 .sector_bytes = LINE_BYTES >> below(d, 3),
                                 .index = INDEX_LINEAR,
                                 .n_mshrs = 1 + below(d, NAIVE_MSHRS),
                                 .mshr_merges = 1 + below(d, NAIVE_WAITERS),
                                 .allocate_on_fill = below(d, 3) == 0,
                                 .policy = policy,
                                 .write_back = below(d, 2),
                                 .write_allocate = below(d, 2),
                                 .write_evict = below(d, 2)};
}

static void duel(const char *policy, enum stream stream, uint64_t seed)
{
    struct duel d = {.random = seed, .stream = stream, .seed = seed};
    struct cache_config config = random_config(&d, policy);
    d.built_ways = config.n_ways;
    d.watched = below(&d, 2);
    const struct cache_policy_desc *desc = cache_policy_find(policy);
    struct cache_policy_desc reluctant = *desc;
    reluctant.would_stall = always_bypass;
    reluctant.never_bypasses = false;
    naive_init(&d.naive, &config, seed);
    d.naive.wants_stall_bypass = seed % 3 == 0;
    if (d.naive.wants_stall_bypass)
        desc = &reluctant;
    struct strbuf why = {0};
    assert_true(cache_config_check(&config, desc, NULL, &why));
    d.cache = cache_create(&config, desc, NULL, 48, seed);
    if (d.watched)
        cache_observe(d.cache, record, &d);
    play(&d, 3000);
    cache_destroy(d.cache);
}

static void every_policy_agrees_with_the_naive_cache(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++)
        for (int p = 0; p < N_POLICIES; p++)
            for (int stream = 0; stream < N_STREAMS; stream++)
                duel(policies[p], (enum stream)stream, seed * 1000 + (uint64_t)(p * 10 + stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_agrees_with_the_naive_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
