/* The fast path of loads gives the same answers and effects as cache_load(): two caches get the
 * same loads, stores, invalidations and fills, and one of them calls cache_load_fast() or
 * cache_load_silent_hits() first. For every policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/fast.h"
#include "unit/random_bits.h"

enum { LINE_BYTES = 128, N_ACCESSES = 6000, N_LINES = 24, N_MSHRS = 4 };

/* Few ways, reserved at a miss or at its fill, and so many ways that sets have an index. */
static const struct shape {
    uint32_t n_sets, n_ways, sector_bytes;
    bool on_fill;
} shapes[] = {
    {4, 3, 128, false}, {4, 3, 128, true},  {4, 6, 128, false}, {4, 3, 32, false},
    {4, 3, 32, true},   {2, 9, 128, false}, {2, 9, 32, true},   {2, 16, 64, false},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

struct duel {
    struct cache *slow, *fast;
    uint32_t mshr[N_MSHRS], n_out; /* misses in flight, oldest first */
    uint64_t n_hits, n_stalls;     /* that the fast path answered */
    uint64_t n_told;               /* hits that it left to cache_do_hit() */
    uint32_t longest;              /* run of hits */
};

static void count_hits(void *user, const struct cache_event_info *e)
{
    assert_int_equal(e->event, CE_HIT);
    ++*(uint64_t *)user;
}

static struct cache *make(const struct cache_policy_desc *policy, const struct shape *shape,
                          bool fast)
{
    struct cache_config config = {.n_sets = shape->n_sets,
                                  .n_ways = shape->n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = shape->sector_bytes,
                                  .n_mshrs = N_MSHRS,
                                  .mshr_merges = 2,
                                  .allocate_on_fill = shape->on_fill,
                                  .write_evict = true,
                                  .no_fast_paths = !fast,
                                  .policy = policy->name};
    struct strbuf why = {0};
    bool fits = cache_config_check(&config, policy, NULL, &why);
    strbuf_destroy(&why);
    return fits ? cache_create(&config, policy, NULL, 48, 1) : NULL;
}

static struct mem_access random_access(uint64_t *seed, const struct cache *c, uint64_t now)
{
    uint64_t line = random_u64(seed) % N_LINES * LINE_BYTES;
    uint32_t n_sectors = c->config.line_bytes / c->config.sector_bytes;
    return (struct mem_access){.id = now,
                               .cycle = now,
                               .pc = (uint32_t)random_u64(seed) % 5,
                               .warp_slot = (uint32_t)random_u64(seed) % 48,
                               .line = line,
                               .set = cache_set_of(c, line),
                               .sector_mask = 1u << random_u64(seed) % n_sectors,
                               .is_critical = random_u64(seed) % 2};
}

static void load(struct duel *d, const struct mem_access *a, struct cache_resources room)
{
    struct cache_result want = cache_load(d->slow, a, room, d), got = {0};
    struct cache_location at = cache_find(d->fast, a->line);
    enum cache_fast fast = cache_load_fast(d->fast, at, a->sector_mask, a->pc);
    if (fast == CACHE_FAST_DECLINED)
        got = cache_load_at(d->fast, a, &room, d, at);
    else if (fast == CACHE_FAST_NO_MSHR)
        got = (struct cache_result){
            .answer = CACHE_STALLED, .stall = STALL_MSHR, .mshr = CACHE_NO_MSHR};
    else
        got = (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
    if (fast == CACHE_FAST_CRITICAL && !a->is_critical)
        cache_load_silently(d->fast, at, a->pc);
    else if (fast == CACHE_FAST_CRITICAL || fast == CACHE_FAST_LISTENERS)
        got.dropped = cache_do_hit(d->fast, at, a);
    d->n_hits += fast == CACHE_FAST_HIT;
    d->n_stalls += fast == CACHE_FAST_NO_MSHR;
    d->n_told += fast == CACHE_FAST_LISTENERS || fast == CACHE_FAST_CRITICAL;
    assert_int_equal(got.answer, want.answer);
    assert_int_equal(got.dropped, want.dropped);
    if (want.answer == CACHE_STALLED)
        assert_int_equal(got.stall, want.stall);
    assert_int_equal(got.mshr, want.mshr);
    assert_int_equal(got.fetch_sectors, want.fetch_sectors);
    if (want.answer == CACHE_MISS)
        d->mshr[d->n_out++] = want.mshr;
}

/* Several loads in order, as far as all hit; the first that does not is then tried by itself. */
static void load_run(struct duel *d, struct mem_access a, uint64_t *seed)
{
    struct line_access run[6];
    uint32_t n = 1 + (uint32_t)random_u64(seed) % 6;
    for (uint32_t i = 0; i < n; i++)
        run[i] = (struct line_access){.line = random_u64(seed) % N_LINES * LINE_BYTES,
                                      .segments = 1 + (uint32_t)random_u64(seed) % 15};
    uint32_t n_hits = cache_load_silent_hits(d->fast, run, n, a.pc, a.is_critical);
    assert_true(n_hits <= n);
    d->n_hits += n_hits;
    d->longest = n_hits > d->longest ? n_hits : d->longest;
    for (uint32_t i = 0; i < n && i <= n_hits; i++) {
        a.line = run[i].line;
        a.set = cache_set_of(d->slow, a.line);
        a.sector_mask = cache_sectors_of(&d->slow->config, run[i].segments);
        uint64_t before = d->n_hits;
        if (i < n_hits)
            assert_int_equal(cache_load(d->slow, &a, (struct cache_resources){0}, d).answer,
                             CACHE_HIT);
        else
            load(d, &a, (struct cache_resources){true, true, true});
        assert_int_equal(d->n_hits, before);
    }
}

static void fill_oldest(struct duel *d, uint64_t now)
{
    struct cache_arrival want = cache_fill(d->slow, d->mshr[0], now);
    struct cache_arrival got = cache_fill(d->fast, d->mshr[0], now);
    assert_int_equal(got.n_waiters, want.n_waiters);
    assert_int_equal(got.kept, want.kept);
    memmove(d->mshr, d->mshr + 1, --d->n_out * sizeof *d->mshr);
}

static void store(struct duel *d, const struct mem_access *a)
{
    struct cache_resources room = {true, true, true};
    struct mem_access s = *a;
    s.kind = MEM_STORE;
    struct cache_result want = cache_store(d->slow, &s, room, NULL);
    struct cache_result got = cache_store(d->fast, &s, room, NULL);
    assert_int_equal(got.answer, want.answer);
}

static void expect_same_lines(const struct cache *a, const struct cache *b)
{
    for (uint32_t s = 0; s < a->tags.n_sets; s++) {
        const struct cache_set *x = &a->tags.sets[s], *y = &b->tags.sets[s];
        assert_int_equal(x->occupied, y->occupied);
        assert_int_equal(x->reserved, y->reserved);
        for (uint32_t w = 0; w < x->n_ways; w++) {
            if (!(x->occupied >> w & 1))
                continue;
            assert_int_equal(x->tags[w], y->tags[w]);
            assert_int_equal(x->lines[w].reused, y->lines[w].reused);
            assert_int_equal(x->lines[w].last_pc, y->lines[w].last_pc);
            assert_int_equal(x->lines[w].valid_sectors, y->lines[w].valid_sectors);
        }
    }
}

static void expect_alike(struct duel *d)
{
    struct queue_account a = cache_mshr_account(d->slow), b = cache_mshr_account(d->fast);
    assert_int_equal(occupancy_area(&a.occupancy), occupancy_area(&b.occupancy));
    assert_memory_equal(cache_stats(d->slow), cache_stats(d->fast), sizeof *cache_stats(d->slow));
    expect_same_lines(d->slow, d->fast);
}

static struct duel fight(const struct cache_policy_desc *policy, const struct shape *shape,
                         bool watched)
{
    struct duel d = {.slow = make(policy, shape, false), .fast = make(policy, shape, true)};
    uint64_t seed = 11, n_told = 0;
    if (!d.slow)
        return d;
    if (watched)
        cache_observe_some(d.fast, 1u << CE_HIT, count_hits, &n_told);
    for (uint64_t now = 1; now < N_ACCESSES; now++) {
        struct mem_access a = random_access(&seed, d.slow, now);
        uint32_t what = (uint32_t)random_u64(&seed) % 16;
        struct cache_resources room = {random_u64(&seed) % 8 != 0, true,
                                       random_u64(&seed) % 8 != 0};
        if (what == 0)
            store(&d, &a);
        else if (what == 1) {
            cache_invalidate_line(d.slow, a.line);
            cache_invalidate_line(d.fast, a.line);
        } else if (what < 5)
            load_run(&d, a, &seed);
        else
            load(&d, &a, room);
        if (d.n_out && random_u64(&seed) % 4 == 0)
            fill_oldest(&d, now);
        expect_alike(&d);
    }
    assert_int_equal(n_told, watched ? cache_stats(d.fast)->hits : 0);
    assert_true(cache_stats(d.slow)->hits > 0 || policy->never_bypasses == false);
    return d;
}

static void end(struct duel *d)
{
    cache_destroy(d->slow);
    cache_destroy(d->fast);
}

static void every_policy_is_answered_alike(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < cache_policy_count(); i++)
        for (uint32_t k = 0; k < N_SHAPES; k++) {
            const struct cache_policy_desc *p = cache_policy_at(i);
            struct duel d = fight(p, &shapes[k], false);
            bool minds = (p->on_hit && !p->hit_effect) || p->hit_action;
            if (d.slow) {
                uint64_t n_hits = cache_stats(d.fast)->hits;
                assert_int_equal(d.n_hits + d.n_told, n_hits);
                assert_true(!minds || !d.n_hits);
                assert_true(p->on_hit || p->hit_action || !d.n_told);
                assert_true(d.longest > 1 || p->on_hit || minds || !p->never_bypasses);
                bool stalls = p->never_bypasses && !shapes[k].on_fill;
                assert_int_equal(d.n_stalls > 0, stalls);
            }
            end(&d);
        }
}

/* Listeners to hits receive each of them. */
static void a_watched_hit_is_told(void **state)
{
    (void)state;
    struct duel d = fight(cache_policy_find("lru"), &shapes[0], true);
    assert_int_equal(d.n_hits, 0);
    assert_true(cache_stats(d.fast)->hits > N_ACCESSES / 20);
    end(&d);
}

static enum cache_line_action drop_evens(const struct cache_policy *p, const struct cache_set *s,
                                         uint32_t way, const struct mem_access *a)
{
    (void)p, (void)s, (void)way;
    return a->pc % 2 ? LINE_KEEP : LINE_DROP;
}

/* A policy that does not listen to hits, but may drop their lines. */
static void a_hit_that_may_drop_its_line_is_asked_about(void **state)
{
    (void)state;
    struct cache_policy_desc desc = *cache_policy_find("lru");
    desc.hit_action = drop_evens;
    struct duel d = fight(&desc, &shapes[0], false);
    assert_int_equal(d.n_hits, 0);
    assert_true(cache_stats(d.fast)->drops > N_ACCESSES / 50);
    end(&d);
}

struct heard {
    uint32_t wants;
    uint64_t n[32];
};

static void hear(void *user, const struct cache_event_info *e)
{
    struct heard *h = user;
    assert_true(h->wants >> e->event & 1);
    h->n[e->event]++;
}

static uint64_t n_reserved; /* events of the policy */

static void count_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                          const struct mem_access *a)
{
    (void)p, (void)s, (void)way, (void)a;
    n_reserved++;
}

/* A policy and two observers that want different things: each receives all it wants, and an
 * observer of nothing else. */
static void every_listener_is_told_what_it_wants(void **state)
{
    (void)state;
    struct cache_policy_desc desc = *cache_policy_find("lru");
    desc.on_reserve = count_reserve;
    struct duel d = {.slow = make(&desc, &shapes[0], false), .fast = make(&desc, &shapes[0], true)};
    struct heard first = {.wants = 1u << CE_HIT | 1u << CE_MISS}, second = {.wants = 1u << CE_FILL};
    uint64_t seed = 5;
    cache_observe_some(d.fast, first.wants, hear, &first);
    cache_observe_some(d.fast, second.wants, hear, &second);
    n_reserved = 0;
    for (uint64_t now = 1; now < N_ACCESSES; now++) {
        struct mem_access a = random_access(&seed, d.slow, now);
        load(&d, &a, (struct cache_resources){true, true, true});
        if (d.n_out && now % 3 == 0)
            fill_oldest(&d, now);
    }
    const struct cache_stats *s = cache_stats(d.fast);
    assert_true(s->hits && s->misses && s->fills);
    assert_int_equal(first.n[CE_HIT], s->hits);
    assert_int_equal(first.n[CE_MISS], s->misses);
    assert_int_equal(second.n[CE_FILL], s->fills);
    assert_int_equal(n_reserved, 2 * s->misses); /* of both caches */
    end(&d);
}

/* Four at a time against one by one: all masks, rows with gaps, equal numbers, and the ends of what
 * a row holds. */
static void a_scan_is_a_loop(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 4096; i++) {
        uint64_t row[SCAN_STEP], except = i % 16 | random_u64(&seed) << SCAN_STEP;
        for (int k = 0; k < SCAN_STEP; k++)
            row[k] = random_u64(&seed) % 4 == 0 ? INT64_MAX : random_u64(&seed) >> (1 + i % 63);
        uint64_t sought = row[i % SCAN_STEP] + (i & 64), least = INT64_MAX;
        int place = SCAN_NONE;
        uint32_t equal = 0;
        for (int k = 0; k < SCAN_STEP; k++) {
            equal |= (uint32_t)(row[k] == sought) << k;
            if (row[k] < least && !(except >> k & 1)) {
                least = row[k];
                place = k;
            }
        }
        assert_int_equal(scan_equal(row, sought), equal);
        assert_int_equal(scan_least(row, except), place);
    }
}

enum { WIDE_WAYS = 13, WIDE_LINES = 20 };

/* The line that was used longest ago, of those that are there. */
static uint64_t oldest_line(const uint64_t *used_at)
{
    uint64_t oldest = WIDE_LINES;
    for (uint64_t i = 0; i < WIDE_LINES; i++)
        if (used_at[i] && (oldest == WIDE_LINES || used_at[i] < used_at[oldest]))
            oldest = i;
    return oldest;
}

/* The order of uses is given by 32 of its 64 bits, as long as these suffice. */
static void the_oldest_is_known_however_many_uses_there_were(void **state)
{
    (void)state;
    struct cache *c =
        make(cache_policy_find("lru"), &(struct shape){1, WIDE_WAYS, LINE_BYTES, true}, true);
    uint64_t used_at[WIDE_LINES] = {0}, seed = 11, n_evictions = 0;
    c->order = UINT32_MAX - 100;
    for (uint64_t now = 1; now < 400; now++) {
        uint64_t i = random_u64(&seed) % WIDE_LINES;
        struct mem_access a = {.cycle = now, .line = i * LINE_BYTES, .sector_mask = 1};
        struct cache_result r = cache_load(c, &a, (struct cache_resources){true, true, true}, c);
        assert_int_equal(r.answer, used_at[i] ? CACHE_HIT : CACHE_MISS);
        if (r.answer == CACHE_MISS) {
            cache_fill(c, r.mshr, now);
            if (cache_stats(c)->evictions > n_evictions)
                used_at[oldest_line(used_at)] = 0;
            n_evictions = cache_stats(c)->evictions;
        }
        used_at[i] = now;
    }
    assert_true(n_evictions > 50 && c->order > UINT32_MAX + 100ull);
    cache_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_is_answered_alike),
        cmocka_unit_test(a_watched_hit_is_told),
        cmocka_unit_test(a_hit_that_may_drop_its_line_is_asked_about),
        cmocka_unit_test(every_listener_is_told_what_it_wants),
        cmocka_unit_test(a_scan_is_a_loop),
        cmocka_unit_test(the_oldest_is_known_however_many_uses_there_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
