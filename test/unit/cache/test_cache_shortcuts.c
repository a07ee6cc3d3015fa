/* What spares its caller the long way must say and do the same as the long way: two caches get the
 * same loads, one of them through cache_load() alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/exchange.h"
#include "cache/load_hit.h"
#include "cache/plain_load.h"
#include "unit/random_bits.h"

enum { LINE_BYTES = 128, N_LOADS = 20000, N_LINES = 24, MAX_MSHRS = 4 };
static const struct cache_room roomy = {true, true, true};

/* Few ways, reserved at a miss or at its fill, and so many that sets have an index. */
static const struct shape {
    uint32_t n_sets, n_ways;
    bool on_fill;
    uint32_t index;
} shapes[] = {{4, 3, false, INDEX_LINEAR},
              {4, 3, true, INDEX_LINEAR},
              {1, 9, false, INDEX_LINEAR},
              {1, 9, true, INDEX_LINEAR}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static struct cache *make(const char *policy, const struct shape *shape, uint32_t sector_bytes)
{
    struct cache_config config = {.n_sets = shape->n_sets,
                                  .n_ways = shape->n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = sector_bytes,
                                  .index = shape->index,
                                  .n_mshrs = MAX_MSHRS,
                                  .mshr_merges = 2,
                                  .allocate_on_fill = shape->on_fill,
                                  .policy = policy};
    return cache_create(&config, cache_policy_find(policy), NULL, 48, 1);
}

/* The same where stores leave lines dirty. */
static struct cache *make_written(const struct shape *shape, uint32_t sector_bytes)
{
    struct cache *c = make("lru", shape, sector_bytes);
    struct cache_config config = c->config;
    cache_destroy(c);
    config.write_back = config.write_allocate = true;
    return cache_create(&config, cache_policy_find("lru"), NULL, 48, 1);
}

/* Misses on their way, oldest first. */
struct flights {
    uint32_t mshr[MAX_MSHRS], n;
};

/* Returns how many have waited. */
static uint32_t land(struct cache *c, struct flights *f, uint64_t now)
{
    uint32_t n_waiters = cache_fill(c, f->mshr[0], now).n_waiters;
    memmove(f->mshr, f->mshr + 1, --f->n * sizeof *f->mshr);
    return n_waiters;
}

static struct mem_access random_load(uint64_t *seed, struct cache *c, uint64_t now, bool sectored)
{
    uint64_t line = random_u64(seed) % N_LINES * LINE_BYTES;
    uint32_t sectors = sectored ? 1u << random_u64(seed) % 4 : 1;
    return (struct mem_access){.id = now,
                               .cycle = now,
                               .pc = (uint32_t)now,
                               .line = line,
                               .set = cache_set_of(c, line),
                               .sector_mask = sectors};
}

static bool hit_of_a_line(struct cache *c, const struct mem_access *a)
{
    return cache_load_hit(c, a->line, a->pc);
}

static bool hit_as_before(struct cache *c, const struct mem_access *a)
{
    return cache_load_again(c, a->line, a->pc) || cache_load_hit(c, a->line, a->pc);
}

static bool hit_ahead(struct cache *c, const struct mem_access *a)
{
    return cache_load_ahead(c, (struct cache_part){a->line, a->sector_mask}, a->pc);
}

static bool join(struct cache *c, const struct mem_access *a)
{
    return cache_load_joins(c, a->line, c);
}

/* Whatever gets that answer goes the short way, and nothing else does. The evictions that follow
 * show whether it counted as a use. */
static void expect_alike(const struct shape *shape, uint32_t sector_bytes, enum cache_answer answer,
                         bool (*goes)(struct cache *c, const struct mem_access *a))
{
    struct cache *plain = make("lru", shape, sector_bytes);
    struct cache *quick = make("lru", shape, sector_bytes);
    struct flights p = {0}, q = {0};
    uint64_t seed = 5, n_short = 0;
    for (uint64_t now = 0; now < N_LOADS; now++) {
        struct mem_access a = random_load(&seed, plain, now, sector_bytes < LINE_BYTES);
        struct cache_result want = cache_load(plain, &a, roomy, plain), got;
        bool went = goes(quick, &a);
        assert_int_equal(went, want.answer == answer);
        n_short += went;
        got = went ? want : cache_load(quick, &a, roomy, quick);
        assert_int_equal(got.answer, want.answer);
        if (want.answer == CACHE_MISS) {
            p.mshr[p.n++] = want.mshr;
            q.mshr[q.n++] = got.mshr;
        }
        if (p.n && random_u64(&seed) % 3 == 0) {
            uint32_t n = land(plain, &p, now);
            assert_int_equal(land(quick, &q, now), n);
        }
    }
    assert_true(n_short > N_LOADS / 20);
    assert_memory_equal(cache_stats(plain), cache_stats(quick), sizeof *cache_stats(plain));
    cache_destroy(plain);
    cache_destroy(quick);
}

static void a_hit_by_the_short_way_is_a_hit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SHAPES; i++) {
        expect_alike(&shapes[i], LINE_BYTES, CACHE_HIT, hit_of_a_line);
        expect_alike(&shapes[i], LINE_BYTES, CACHE_HIT, hit_as_before);
    }
}

static void a_hit_ahead_of_its_time_is_a_hit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        if (!shapes[i].on_fill) {
            expect_alike(&shapes[i], LINE_BYTES, CACHE_HIT, hit_ahead);
            expect_alike(&shapes[i], LINE_BYTES / 4, CACHE_HIT, hit_ahead);
        }
}

/* How many wait for a line shows when it comes. */
static void a_merge_by_the_short_way_is_a_merge(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        if (shapes[i].on_fill)
            expect_alike(&shapes[i], LINE_BYTES, CACHE_MERGE, join);
}

/* Where a line is reserved at its miss a merge is a use of it; somebody may want to be told. */
static void no_merge_is_short_where_it_is_more(void **state)
{
    (void)state;
    struct cache *caches[] = {make("lru", &shapes[0], LINE_BYTES),
                              make("fifo", &shapes[1], LINE_BYTES),
                              make("lru", &shapes[1], LINE_BYTES / 4)};
    for (uint32_t i = 0; i < 3; i++) {
        struct mem_access a = {.line = 0, .set = cache_set_of(caches[i], 0), .sector_mask = 15};
        assert_int_equal(cache_load(caches[i], &a, roomy, caches[i]).answer, CACHE_MISS);
        assert_false(join(caches[i], &a));
        assert_int_equal(cache_load(caches[i], &a, roomy, caches[i]).answer, CACHE_MERGE);
        cache_destroy(caches[i]);
    }
}

/* Where data that come may push out a line, or somebody wants to be told, it matters when. */
static void no_hit_is_ahead_of_its_time_where_that_matters(void **state)
{
    (void)state;
    struct cache *caches[] = {make("lru", &shapes[1], LINE_BYTES),
                              make("fifo", &shapes[0], LINE_BYTES)};
    for (uint32_t i = 0; i < 2; i++) {
        struct mem_access a = {.line = 0, .set = cache_set_of(caches[i], 0), .sector_mask = 1};
        cache_fill(caches[i], cache_load(caches[i], &a, roomy, caches[i]).mshr, 0);
        assert_false(hit_ahead(caches[i], &a));
        assert_int_equal(cache_load(caches[i], &a, roomy, caches[i]).answer, CACHE_HIT);
        cache_destroy(caches[i]);
    }
}

/* Foretold exactly under LRU; never foretold wrongly under any policy. */
static void expect_foretold(const char *policy, const struct shape *shape, uint32_t sector_bytes)
{
    struct cache *c = make(policy, shape, sector_bytes);
    struct flights f = {0};
    uint64_t seed = 9, n_foretold = 0;
    for (uint64_t now = 0; now < N_LOADS; now++) {
        struct mem_access a = random_load(&seed, c, now, sector_bytes < LINE_BYTES);
        bool foretold = cache_load_lacks_mshr(c, &a);
        struct cache_result r = cache_load(c, &a, roomy, c);
        bool lacks = r.answer == CACHE_STALLED && r.stall == STALL_MSHR;
        assert_true(!foretold || lacks);
        if (strcmp(policy, "lru") == 0)
            assert_int_equal(foretold, lacks);
        n_foretold += foretold;
        if (r.answer == CACHE_MISS)
            f.mshr[f.n++] = r.mshr;
        if (f.n && random_u64(&seed) % 3 == 0)
            land(c, &f, now);
    }
    assert_true(strcmp(policy, "lru") != 0 || n_foretold > N_LOADS / 20);
    cache_destroy(c);
}

static void a_lack_of_mshrs_is_foretold(void **state)
{
    (void)state;
    static const char *const policies[] = {"lru", "fifo", "none"};
    for (uint32_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (uint32_t j = 0; j < N_SHAPES; j++) {
            expect_foretold(policies[i], &shapes[j], LINE_BYTES);
            expect_foretold(policies[i], &shapes[j], LINE_BYTES / 4);
        }
}

static void ignore_event(void *user, const struct cache_event_info *e)
{
    (void)user;
    (void)e;
}

/* One load, looked up ahead of its time, and performed if it hits and may be. */
static struct cache_prospect look_ahead(struct cache *c, uint64_t line, uint32_t segments,
                                        uint32_t pc, bool performs)
{
    struct line_access x = {.line = line, .segments = segments};
    struct cache_prospect seen;
    if (cache_look_ahead(c, &x, 1, performs, pc, &seen)) /* there is no next one to tell of */
        return (struct cache_prospect){.set = cache_set_of(c, line), .hit = true};
    return seen;
}

/* What was foreseen comes true: a hit is performed by looking, an absent line is asked for without
 * looking again; both caches count and evict alike. */
static void expect_foreseen(const struct shape *shape, uint32_t sector_bytes)
{
    struct cache *plain = make("lru", shape, sector_bytes),
                 *quick = make("lru", shape, sector_bytes);
    struct flights p = {0}, q = {0};
    uint64_t seed = 3, n_hits = 0, n_absent = 0;
    for (uint64_t now = 0; now < N_LOADS; now++) {
        struct mem_access a = random_load(&seed, plain, now, sector_bytes < LINE_BYTES);
        struct cache_prospect seen = look_ahead(quick, a.line, a.sector_mask, a.pc, now % 2);
        bool filled = !seen.hit && p.n && random_u64(&seed) % 2;
        if (filled) { /* which makes no line that is absent appear */
            land(plain, &p, now);
            land(quick, &q, now);
        }
        struct cache_result want = cache_load(plain, &a, roomy, plain), got = want;
        bool lacks_mshr = want.answer == CACHE_STALLED && want.stall == STALL_MSHR;
        assert_int_equal(seen.set, a.set);
        if (!filled) {
            assert_int_equal(seen.hit, want.answer == CACHE_HIT);
            assert_int_equal(seen.lacks_mshr, lacks_mshr);
        }
        if (seen.absent)
            got = cache_load_absent(quick, &a, roomy, quick);
        else if (!seen.hit || now % 2 == 0)
            got = cache_load(quick, &a, roomy, quick);
        assert_memory_equal(&got, &want, sizeof got);
        n_hits += seen.hit;
        n_absent += seen.absent && want.answer == CACHE_MISS;
        if (want.answer == CACHE_MISS) {
            p.mshr[p.n++] = want.mshr;
            q.mshr[q.n++] = got.mshr;
        }
    }
    assert_true(n_hits > N_LOADS / 20 && n_absent > N_LOADS / 50);
    assert_memory_equal(cache_stats(plain), cache_stats(quick), sizeof *cache_stats(plain));
    cache_destroy(plain);
    cache_destroy(quick);
}

static void what_is_foreseen_comes_true(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SHAPES; i++) {
        expect_foreseen(&shapes[i], LINE_BYTES);
        expect_foreseen(&shapes[i], LINE_BYTES / 4);
    }
}

enum { RUN = 8 };

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

/* The order of uses is told by 32 of its 64 bits as far as these go. */
static void the_oldest_is_known_however_many_uses_there_were(void **state)
{
    (void)state;
    struct cache *c = make("lru", &(struct shape){1, WIDE_WAYS, true, INDEX_LINEAR}, LINE_BYTES);
    uint64_t used_at[WIDE_LINES] = {0}, seed = 11, n_evictions = 0;
    c->order = UINT32_MAX - 100;
    for (uint64_t now = 1; now < 400; now++) {
        uint64_t i = random_u64(&seed) % WIDE_LINES;
        struct mem_access a = {.cycle = now, .line = i * LINE_BYTES, .sector_mask = 1};
        struct cache_result r = cache_load(c, &a, roomy, c);
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

/* Loads of one instruction up to the first that does not hit, at once and one by one. */
static void expect_run(const struct shape *shape, uint32_t sector_bytes)
{
    struct cache *plain = make("lru", shape, sector_bytes),
                 *quick = make("lru", shape, sector_bytes);
    uint64_t n_lines = shape->n_sets * shape->n_ways + 4; /* so that several hit in a row */
    uint64_t seed = 5, n_hits = 0, n_cut = 0;
    for (uint64_t now = 0; now < N_LOADS; now++) {
        struct mem_access a[RUN];
        struct line_access x[RUN];
        uint32_t n = (uint32_t)(random_u64(&seed) % (RUN + 1));
        uint32_t n_done = (uint32_t)(random_u64(&seed) % (n + 1));
        for (uint32_t i = 0; i < n; i++) {
            a[i] = random_load(&seed, plain, now, sector_bytes < LINE_BYTES);
            a[i].line = random_u64(&seed) % n_lines * LINE_BYTES;
            a[i].set = cache_set_of(plain, a[i].line);
            a[i].pc = (uint32_t)now;
            x[i] = (struct line_access){.line = a[i].line, .segments = a[i].sector_mask};
        }
        struct cache_prospect seen;
        uint32_t n_hit = cache_look_ahead(quick, x, n, n_done, (uint32_t)now, &seen);
        assert_true(n_hit <= n_done);
        for (uint32_t i = 0; i < n_hit; i++)
            assert_int_equal(cache_load(plain, &a[i], roomy, plain).answer, CACHE_HIT);
        n_hits += n_hit;
        if (n_hit == n) {
            assert_false(seen.hit || seen.absent || seen.lacks_mshr);
            continue;
        }
        const struct mem_access *next = &a[n_hit];
        struct cache_result want = cache_load(plain, next, roomy, plain),
                            got = cache_load(quick, next, roomy, quick);
        assert_memory_equal(&got, &want, sizeof got);
        assert_int_equal(seen.set, next->set);
        assert_int_equal(seen.hit, want.answer == CACHE_HIT);
        assert_true(!seen.hit || n_hit == n_done);
        n_cut += seen.hit;
        if (want.answer == CACHE_MISS) {
            cache_fill(plain, want.mshr, now);
            cache_fill(quick, got.mshr, now);
        }
    }
    assert_true(n_hits > N_LOADS / 4 && n_cut > N_LOADS / 50);
    assert_memory_equal(cache_stats(plain), cache_stats(quick), sizeof *cache_stats(plain));
    cache_destroy(plain);
    cache_destroy(quick);
}

static void hits_of_one_instruction_are_hits_one_by_one(void **state)
{
    (void)state;
    static const struct shape hashed = {16, 9, true, INDEX_HASH};
    expect_run(&hashed, LINE_BYTES);
    expect_run(&hashed, LINE_BYTES / 4);
    for (uint32_t i = 0; i < N_SHAPES; i++) {
        expect_run(&shapes[i], LINE_BYTES);
        expect_run(&shapes[i], LINE_BYTES / 4);
    }
}

/* cache_load() in pieces. What these leave to the long way is a load that waits, or one that pushes
 * a dirty line out. */
static struct cache_result load_in_pieces(struct cache *c, const struct mem_access *a)
{
    struct plain_found f = plain_find(c, (struct cache_part){a->line, a->sector_mask});
    assert_int_equal(f.lacks && plain_misses(c, a->line, f), cache_load_misses(c, a));
    if (!f.lacks) {
        plain_hit(c, f.place);
        return (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
    }
    uint16_t mshr = plain_outstanding(c, a->line, f);
    if (mshr != MSHR_NONE && plain_join(c, f, mshr, c))
        return (struct cache_result){.answer = CACHE_MERGE, .mshr = mshr};
    if (mshr == MSHR_NONE)
        mshr = f.place ? plain_fetch_sectors(c, a->line, f, c, a->cycle)
                       : plain_fetch_line(c, a->line, f.lacks, c, a->cycle);
    else
        mshr = MSHR_NONE;
    if (mshr != MSHR_NONE)
        return (struct cache_result){.answer = CACHE_MISS, .mshr = mshr, .fetch_sectors = f.lacks};
    struct cache_result r = cache_load(c, a, roomy, c);
    assert_true(r.answer == CACHE_STALLED || r.writeback);
    return r;
}

static void expect_pieces(const struct shape *shape, uint32_t sector_bytes)
{
    struct cache *whole = make_written(shape, sector_bytes),
                 *pieces = make_written(shape, sector_bytes);
    struct flights w = {0}, p = {0};
    uint64_t seed = 17, n[CACHE_STALLED + 1] = {0}, n_dirty = 0;
    for (uint64_t now = 0; now < N_LOADS; now++) {
        struct mem_access a = random_load(&seed, whole, now, sector_bytes < LINE_BYTES);
        bool store = random_u64(&seed) % 8 == 0;
        a.sector_mask = 1u + (uint32_t)(random_u64(&seed) % whole->all_sectors); /* any but none */
        a.kind = store ? MEM_STORE : MEM_LOAD;
        struct cache_result want =
            store ? cache_store(whole, &a, roomy, NULL) : cache_load(whole, &a, roomy, whole);
        struct cache_result got =
            store ? cache_store(pieces, &a, roomy, NULL) : load_in_pieces(pieces, &a);
        assert_memory_equal(&got, &want, sizeof got);
        n[want.answer] += !store;
        n_dirty += want.writeback;
        if (want.answer == CACHE_MISS) {
            w.mshr[w.n++] = want.mshr;
            p.mshr[p.n++] = got.mshr;
        }
        if (w.n && random_u64(&seed) % 3 == 0) {
            uint32_t n_waiters = land(whole, &w, now);
            assert_int_equal(land(pieces, &p, now), n_waiters);
        }
    }
    assert_true(n[CACHE_HIT] > N_LOADS / 20 && n[CACHE_MERGE] > N_LOADS / 200 && n_dirty > 50);
    assert_true(n[CACHE_MISS] > N_LOADS / 20 && n[CACHE_STALLED] > N_LOADS / 50);
    assert_memory_equal(cache_stats(whole), cache_stats(pieces), sizeof *cache_stats(whole));
    cache_destroy(whole);
    cache_destroy(pieces);
}

static void a_load_in_pieces_is_a_load(void **state)
{
    (void)state;
    static const struct shape wide[] = {{1, 9, false, INDEX_LINEAR}, {2, 9, false, INDEX_HASH}};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t sector_bytes = LINE_BYTES / 4; sector_bytes <= LINE_BYTES; sector_bytes *= 2)
            expect_pieces(&wide[i], sector_bytes);
}

/* Somebody who watches is told of every hit, when it is performed and not before. */
static void expect_prospects(bool watched)
{
    struct cache *c = make("lru", &shapes[0], LINE_BYTES);
    if (watched)
        cache_observe(c, ignore_event, NULL);
    struct mem_access a = {.line = 0, .set = cache_set_of(c, 0), .sector_mask = 1};
    struct cache_result r = cache_load(c, &a, roomy, c);
    cache_fill(c, r.mshr, 1);
    assert_int_equal(look_ahead(c, 0, 1, 0, watched).hit, !watched);
    assert_int_equal(look_ahead(c, LINE_BYTES, 1, 0, watched).absent, !watched);
    assert_int_equal(cache_stats(c)->hits, 0);
    cache_destroy(c);
}

static void a_watched_cache_foresees_no_hits(void **state)
{
    (void)state;
    expect_prospects(false);
    expect_prospects(true);
}

static struct cache_result load(struct cache *c, uint64_t line, uint64_t now)
{
    struct mem_access a = {.line = line,
                           .set = cache_set_of(c, line),
                           .sector_mask = 1,
                           .cycle = now,
                           .pc = (uint32_t)now};
    return cache_load(c, &a, roomy, c);
}

/* The oldest fetch comes; whoever finds no MSHR waits for the one that it had. */
static void exchange(struct cache *c, struct flights *f, uint64_t line, uint64_t now, bool at_once)
{
    struct mem_access a = {.line = line,
                           .set = cache_set_of(c, line),
                           .sector_mask = 1,
                           .cycle = now,
                           .pc = (uint32_t)now};
    uint32_t mshr = f->mshr[0];
    if (at_once && cache_exchange(c, mshr, &a, now, c)) {
        memmove(f->mshr, f->mshr + 1, (f->n - 1) * sizeof *f->mshr);
        f->mshr[f->n - 1] = mshr;
        return;
    }
    land(c, f, now);
    struct cache_result r = cache_load(c, &a, roomy, c);
    if (r.answer == CACHE_MISS)
        f->mshr[f->n++] = r.mshr;
}

/* Four at a time against one by one: all masks, rows with gaps, and the ends of what a row holds.
 */
static void a_scan_is_a_loop(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 4096; i++) {
        uint64_t row[SCAN_STEP], except = i % 16 | random_u64(&seed) << SCAN_STEP;
        for (int k = 0; k < SCAN_STEP; k++)
            row[k] = random_u64(&seed) % 4 == 0 ? INT64_MAX : random_u64(&seed) >> (1 + i % 60);
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
        int got = scan_least(row, except);
        assert_int_equal(got == SCAN_NONE, place == SCAN_NONE);
        if (got != SCAN_NONE) { /* of equal ones it may be any */
            assert_false(except >> got & 1);
            assert_int_equal(row[got], least);
        }
    }
}

/* A cache that fills and loads at once, and one that does so in two steps. */
static void an_exchange_is_a_fill_and_a_miss(void **state)
{
    (void)state;
    struct cache *plain = make("lru", &shapes[0], LINE_BYTES),
                 *quick = make("lru", &shapes[0], LINE_BYTES);
    struct flights p = {0}, q = {0};
    uint64_t seed = 7, n_exchanged = 0;
    assert_true(cache_is_simple(quick));
    for (uint64_t now = 0; now < N_LOADS; now++) {
        uint64_t line = random_u64(&seed) % N_LINES * LINE_BYTES;
        struct cache_result want = load(plain, line, now), got = load(quick, line, now);
        assert_memory_equal(&got, &want, sizeof got);
        if (want.answer == CACHE_MISS) {
            p.mshr[p.n++] = want.mshr;
            q.mshr[q.n++] = got.mshr;
        } else if (p.n == MAX_MSHRS && want.answer == CACHE_STALLED) {
            bool absent = look_ahead(quick, line, 1, 0, false).absent;
            exchange(plain, &p, line, now, false);
            exchange(quick, &q, line, now, absent);
            n_exchanged += absent;
        }
        assert_int_equal(p.n, q.n);
        assert_memory_equal(p.mshr, q.mshr, p.n * sizeof *p.mshr);
    }
    assert_true(n_exchanged > N_LOADS / 10);
    struct queue_account a = cache_mshr_account(plain), b = cache_mshr_account(quick);
    assert_int_equal(occupancy_area(&a.occupancy), occupancy_area(&b.occupancy));
    assert_int_equal(a.stays, b.stays);
    assert_memory_equal(cache_stats(plain), cache_stats(quick), sizeof *cache_stats(plain));
    cache_destroy(plain);
    cache_destroy(quick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_by_the_short_way_is_a_hit),
        cmocka_unit_test(a_hit_ahead_of_its_time_is_a_hit),
        cmocka_unit_test(a_merge_by_the_short_way_is_a_merge),
        cmocka_unit_test(no_merge_is_short_where_it_is_more),
        cmocka_unit_test(no_hit_is_ahead_of_its_time_where_that_matters),
        cmocka_unit_test(a_lack_of_mshrs_is_foretold),
        cmocka_unit_test(what_is_foreseen_comes_true),
        cmocka_unit_test(the_oldest_is_known_however_many_uses_there_were),
        cmocka_unit_test(hits_of_one_instruction_are_hits_one_by_one),
        cmocka_unit_test(a_load_in_pieces_is_a_load),
        cmocka_unit_test(a_watched_cache_foresees_no_hits),
        cmocka_unit_test(a_scan_is_a_loop),
        cmocka_unit_test(an_exchange_is_a_fill_and_a_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
