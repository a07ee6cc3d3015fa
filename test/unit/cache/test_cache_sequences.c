/* Caches against mathematics: LRU against stack distances, known optima of loops, and where the
 * set index sends strided addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/cache.h"
#include "unit/random_bits.h"

enum { LINE_BYTES = 128, N_LOADS = 20000, N_LINES = 200 };
static const struct cache_resources roomy = {true, true, true};

static struct cache *make(const char *policy, uint32_t n_sets, uint32_t n_ways, uint32_t index)
{
    struct cache_config config = {.n_sets = n_sets,
                                  .n_ways = n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .index = index,
                                  .n_mshrs = 1,
                                  .mshr_merges = 1};
    return cache_create(&config, cache_policy_find(policy), NULL, 48, 1);
}

/* A load whose data come at once; was it a hit? */
static bool hits(struct cache *c, uint64_t line)
{
    struct mem_access a = {.line = line * LINE_BYTES, .sector_mask = 1};
    a.set = cache_set_of(c, a.line);
    struct cache_result r = cache_load(c, &a, roomy, c);
    if (r.answer == CACHE_MISS)
        cache_fill(c, r.mshr, 0);
    return r.answer == CACHE_HIT;
}

/* Distinct other lines of the same set since the last load of this one; -1 = never loaded. Found by
 * walking back through the trace (Mattson 1970: LRU with W ways hits exactly when it is below W).
 */
static int stack_distance(const uint64_t *trace, int at, uint32_t n_sets)
{
    bool seen[N_LINES] = {false};
    int distance = 0;
    for (int i = at - 1; i >= 0; i--) {
        if (trace[i] == trace[at])
            return distance;
        if (trace[i] % n_sets == trace[at] % n_sets && !seen[trace[i]]) {
            seen[trace[i]] = true;
            distance++;
        }
    }
    return -1;
}

static void lru_hits_exactly_when_the_stack_distance_is_below_the_ways(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{1, 4}, {4, 2}, {8, 4}, {3, 6}, {1, 64}, {16, 16}};
    static uint64_t trace[N_LOADS];
    uint64_t random = 42;
    /* Half of the loads go to a few lines, so that all distances occur. */
    for (int i = 0; i < N_LOADS; i++)
        trace[i] = random_u64(&random) % (random_u64(&random) % 2 ? N_LINES : 12);
    for (int shape = 0; shape < 6; shape++) {
        uint32_t n_sets = shapes[shape][0], n_ways = shapes[shape][1];
        struct cache *c = make("lru", n_sets, n_ways, INDEX_LINEAR);
        for (int i = 0; i < N_LOADS; i++) {
            int distance = stack_distance(trace, i, n_sets);
            assert_int_equal(hits(c, trace[i]), distance >= 0 && distance < (int)n_ways);
        }
        cache_destroy(c);
    }
}

static uint32_t hits_of_loop(const char *policy, uint32_t n_ways, uint32_t n_lines, uint32_t rounds)
{
    struct cache *c = make(policy, 1, n_ways, INDEX_LINEAR);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rounds * n_lines; i++)
        n += hits(c, i % n_lines);
    cache_destroy(c);
    return n;
}

static void a_loop_that_fits_hits_and_one_line_more_defeats_lru_and_fifo(void **state)
{
    (void)state;
    static const char *const policies[] = {"lru", "fifo", "plru", "random"};
    for (int p = 0; p < 4; p++)
        assert_int_equal(hits_of_loop(policies[p], 8, 8, 10), 9 * 8);
    assert_int_equal(hits_of_loop("lru", 8, 9, 100), 0);
    assert_int_equal(hits_of_loop("fifo", 8, 9, 100), 0);
    assert_true(hits_of_loop("plru", 8, 9, 100) > 0);
    assert_true(hits_of_loop("random", 8, 9, 100) > 300);
    assert_int_equal(hits_of_loop("none", 8, 4, 10), 0);
}

/* Two random caches with one seed agree, with two seeds they do not. */
static void random_replacement_follows_its_seed(void **state)
{
    (void)state;
    struct cache_config config = {.n_sets = 4,
                                  .n_ways = 4,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = 1,
                                  .mshr_merges = 1};
    const struct cache_policy_desc *d = cache_policy_find("random");
    struct cache *first = cache_create(&config, d, NULL, 48, 5);
    struct cache *same = cache_create(&config, d, NULL, 48, 5);
    struct cache *other = cache_create(&config, d, NULL, 48, 6);
    uint64_t random = 9, parameter = 1;
    struct cache *sum = cache_create(&config, d, &parameter, 48, 4); /* 4 + 1 = 5 */
    int n_differ = 0;
    for (int i = 0; i < 4000; i++) {
        uint64_t line = random_u64(&random) % 24;
        bool hit = hits(first, line);
        assert_int_equal(hits(same, line), hit);
        assert_int_equal(hits(sum, line), hit);
        n_differ += hits(other, line) != hit;
    }
    assert_true(n_differ > 0);
    cache_destroy(first);
    cache_destroy(same);
    cache_destroy(other);
    cache_destroy(sum);
}

/* --- set index --- */

static uint32_t sets_used(uint32_t n_sets, uint32_t index, uint64_t stride_bytes, uint32_t n)
{
    struct cache *c = make("lru", n_sets, 4, index);
    bool used[128] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t set = cache_set_of(c, i * stride_bytes);
        assert_true(set < n_sets);
        count += !used[set];
        used[set] = true;
    }
    cache_destroy(c);
    return count;
}

static void hashing_spreads_power_of_two_strides(void **state)
{
    (void)state;
    static const uint32_t sets[] = {8, 16, 32, 64, 128};
    for (int i = 0; i < 5; i++) {
        uint32_t n = sets[i];
        uint64_t column = (uint64_t)n * LINE_BYTES; /* as a matrix column of n lines a row */
        assert_int_equal(sets_used(n, INDEX_LINEAR, column, n), 1);
        if (n != 32 && n != 64)
            assert_int_equal(sets_used(n, INDEX_HASH, column, n), n);
        assert_int_equal(sets_used(n, INDEX_HASH, LINE_BYTES, n), n);
    }
    /* Fermi's: 8 KB strides walk address bits 13, 14, 15, 17 and 19 of 13 to 19: of 128 strides
     * all 32 sets are used, where linear indexing uses one. */
    assert_int_equal(sets_used(32, INDEX_HASH, 8192, 128), 32);
    assert_int_equal(sets_used(32, INDEX_LINEAR, 8192, 128), 1);
}

/* Points of the published function, bit by bit: each address bit flips the set bit it should. */
static void fermis_index_is_the_published_one(void **state)
{
    (void)state;
    static const int flips_32[20] = {[7] = 1,  [8] = 2,  [9] = 4,  [10] = 8, [11] = 16,
                                     [13] = 1, [14] = 2, [15] = 4, [17] = 8, [19] = 16};
    for (uint32_t n_sets = 32; n_sets <= 64; n_sets *= 2) {
        struct cache *c = make("lru", n_sets, 4, INDEX_HASH);
        uint64_t random = 3;
        for (int i = 0; i < 1000; i++) {
            uint64_t line = random_u64(&random) >> 30 & ~127ull;
            for (int bit = 7; bit < 34; bit++) {
                int flips = bit < 20 ? flips_32[bit] : 0;
                if (bit == 12 && n_sets == 64)
                    flips = 32;
                assert_int_equal(cache_set_of(c, line) ^ cache_set_of(c, line ^ 1ull << bit),
                                 flips);
            }
        }
        assert_int_equal(cache_set_of(c, 0), 0);
        cache_destroy(c);
    }
}

/* Elsewhere bit i of a line's number flips bit i modulo the width of a set number, whatever the
 * others are. */
static void other_hashes_fold_the_line_number(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (uint32_t set_bits = 1; set_bits <= 12; set_bits++) {
        if (set_bits == 5 || set_bits == 6)
            continue; /* Fermi's */
        struct cache *c = make("lru", 1u << set_bits, 1, INDEX_HASH);
        uint64_t line = random_u64(&random) & ~127ull;
        for (uint32_t bit = 0; bit < 57; bit++)
            assert_int_equal(cache_set_of(c, line) ^ cache_set_of(c, line ^ 128ull << bit),
                             1u << bit % set_bits);
        assert_int_equal(cache_set_of(c, 0), 0);
        cache_destroy(c);
    }
}

static void sets_need_not_be_a_power_of_two(void **state)
{
    (void)state;
    struct cache *c = make("lru", 12, 4, INDEX_LINEAR);
    assert_int_equal(cache_set_of(c, 25 * LINE_BYTES), 1);
    cache_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_hits_exactly_when_the_stack_distance_is_below_the_ways),
        cmocka_unit_test(a_loop_that_fits_hits_and_one_line_more_defeats_lru_and_fifo),
        cmocka_unit_test(random_replacement_follows_its_seed),
        cmocka_unit_test(hashing_spreads_power_of_two_strides),
        cmocka_unit_test(fermis_index_is_the_published_one),
        cmocka_unit_test(other_hashes_fold_the_line_number),
        cmocka_unit_test(sets_need_not_be_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
