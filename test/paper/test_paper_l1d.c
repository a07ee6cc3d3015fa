/* Worked examples and sizes of the papers on L1D management, on the cache itself.
 * S2: X. Zhu, R. Wernsman, J. Zambreno, ICPP 2018 (dynamic line protection).
 * S3: S.-Y. Lee, thesis, Arizona State University 2017, chapter 5 (Ctrl-C). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "unit/plugin_params.h"

enum { LINE_BYTES = 128 };

struct stage {
    struct arena arena;
    struct cache *cache;
    uint64_t n;
    uint64_t victim; /* of the last load; 0 = none */
};

static void watch(void *user, const struct cache_event_info *e)
{
    struct stage *s = user;
    if (e->event == CE_EVICT)
        s->victim = e->line->line;
}

static void stage_init(struct stage *s, const char *policy, const char *words, uint32_t n_sets,
                       uint32_t n_ways)
{
    const struct cache_policy_desc *d = cache_policy_find(policy);
    struct cache_config config = {.n_sets = n_sets,
                                  .n_ways = n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = 1,
                                  .mshr_merges = 1,
                                  .policy = policy,
                                  .write_evict = true};
    *s = (struct stage){0};
    const void *params = plugin_params(&d->plugin, words, &s->arena);
    assert_non_null(params);
    s->cache = cache_create(&config, d, params, 48, 1);
    cache_observe(s->cache, watch, s);
}

static void stage_destroy(struct stage *s)
{
    cache_destroy(s->cache);
    arena_destroy(&s->arena);
}

/* Line `number` of a set, loaded by an instruction; its data come at once. */
static enum cache_answer load(struct stage *s, uint32_t set, uint32_t n_sets, uint32_t number,
                              uint32_t pc)
{
    struct mem_access a = {.id = s->n++, .pc = pc, .sector_mask = 1, .kind = MEM_LOAD};
    a.address = a.line = (uint64_t)LINE_BYTES * (1 + number) * n_sets + LINE_BYTES * set;
    a.set = cache_set_of(s->cache, a.line);
    assert_int_equal(a.set, set);
    s->victim = 0;
    struct cache_result r = cache_load(s->cache, &a, (struct cache_room){true, true, true}, NULL);
    if (r.answer == CACHE_MISS)
        cache_fill(s->cache, r.mshr, s->n);
    return r.answer;
}

/* S2 section 4: protected lines are not replaced, and every access brings the end of their
 * protection nearer. Two ways, all distances 3: a and b come in, c goes around, d replaces a. */
static void dlp_protects_for_as_many_accesses_as_the_distance_says(void **state)
{
    (void)state;
    enum { A, B, C, D };
    struct stage s;
    stage_init(&s, "dlp", "pd_init=3", 1, 2);
    assert_int_equal(load(&s, 0, 1, A, 1), CACHE_MISS);
    assert_int_equal(load(&s, 0, 1, B, 1), CACHE_MISS);
    assert_int_equal(load(&s, 0, 1, C, 1), CACHE_BYPASSED);
    assert_int_equal(load(&s, 0, 1, D, 1), CACHE_MISS);
    assert_int_equal(s.victim, (1 + A) * LINE_BYTES);
    assert_int_equal(load(&s, 0, 1, B, 1), CACHE_HIT);
    assert_int_equal(load(&s, 0, 1, D, 1), CACHE_HIT);
    stage_destroy(&s);
}

/* S2 section 4.3: hits in the VTA and in the cache per instruction, and by how much its distance
 * rises with four VTA ways: 4, 2, 1, 1/2 times the ways; it fits into 4 bits. */
static const struct {
    uint32_t vta_hits, tda_hits, pd;
} rises[] = {{8, 2, 15}, {4, 2, 8}, {2, 2, 4}, {1, 2, 2},
             {1, 3, 2},  {0, 2, 0}, {0, 0, 0}, {1, 0, 15}};
enum { N_RISES = sizeof rises / sizeof rises[0], N_SETS = 32, OTHER_PC = 100, SAMPLE = 200 };

/* One way, so that a set holds one line, and four VTA ways. Each instruction has a set. */
static void make_hits(struct stage *s, uint32_t i)
{
    uint32_t pc = 1 + i;
    for (uint32_t n = 0; n < 2 + rises[i].vta_hits; n++) /* x, y, then each finds its tag */
        assert_int_equal(load(s, i, N_SETS, n % 2, pc), CACHE_MISS);
    for (uint32_t n = 0; n < rises[i].tda_hits; n++)
        assert_int_equal(load(s, i, N_SETS, (1 + rises[i].vta_hits) % 2, pc), CACHE_HIT);
}

/* The distance, from how many loads a line of the instruction keeps out; 0 and 1 look alike. */
static uint32_t measure_pd(struct stage *s, uint32_t set, uint32_t pc)
{
    uint32_t n_kept_out = 0;
    assert_int_equal(load(s, set, N_SETS, 0, pc), CACHE_MISS);
    while (load(s, set, N_SETS, 1 + n_kept_out, OTHER_PC) == CACHE_BYPASSED)
        n_kept_out++;
    return n_kept_out ? n_kept_out + 1 : 0;
}

static void dlp_distances_rise_as_the_table_says(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "dlp", "vta_ways=4", N_SETS, 1);
    for (uint32_t i = 0; i < N_RISES; i++)
        make_hits(&s, i);
    for (uint32_t n = 0; s.n < SAMPLE; n++) /* all new: no hits of any kind */
        assert_int_equal(load(&s, N_SETS - 1 - n % 8, N_SETS, n, OTHER_PC), CACHE_MISS);
    for (uint32_t i = 0; i < N_RISES; i++)
        assert_int_equal(measure_pd(&s, N_RISES + i, 1 + i), rises[i].pd);
    stage_destroy(&s);
}

/* The sample is of 200 loads: after 199 nothing is known yet. */
static void dlp_distances_change_after_the_last_load_of_a_sample(void **state)
{
    (void)state;
    for (uint32_t n_loads = SAMPLE - 1; n_loads <= SAMPLE; n_loads++) {
        struct stage s;
        stage_init(&s, "dlp", "vta_ways=4", N_SETS, 1);
        make_hits(&s, 0);
        for (uint32_t n = 0; s.n < n_loads; n++)
            load(&s, N_SETS - 1 - n % 8, N_SETS, n, OTHER_PC);
        uint32_t measured = measure_pd(&s, N_RISES, 1);
        assert_int_equal(measured, n_loads == SAMPLE ? 15 : 0);
        stage_destroy(&s);
    }
}

/* S3 Algorithm 11: with AGG held at 3, seven misses of an instruction go around and the eighth is
 * inserted, whatever other instructions do. */
static void ctrl_c_inserts_every_eighth_miss_at_aggressiveness_3(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "ctrl_c", "agg_init=3 agg_hold=true", 1, 4);
    for (uint32_t n = 0; n < 64; n++) {
        enum cache_answer expected = n % 8 == 7 ? CACHE_MISS : CACHE_BYPASSED;
        assert_int_equal(load(&s, 0, 1, 2 * n, 1), expected);
        if (n % 3 == 0)
            load(&s, 0, 1, 2 * n + 1, 2);
    }
    stage_destroy(&s);
}

/* --- sizes --- */

static uint64_t cost_bits(const char *policy, const char *part)
{
    struct arena arena = {0};
    struct strbuf parts = {0};
    const struct cache_policy_desc *d = cache_policy_find(policy);
    const struct cache_geometry g = {.n_sets = 32,
                                     .n_ways = 4,
                                     .line_bytes = LINE_BYTES,
                                     .sector_bytes = LINE_BYTES,
                                     .n_warps = 48,
                                     .tag_bits = 32};
    uint64_t bits = d->cost_bits(&g, plugin_values(&d->plugin, NULL, &arena), &parts);
    if (part) {
        const char *at = strstr(strbuf_text(&parts), part);
        assert_non_null(at);
        bits = strtoull(at + strlen(part), NULL, 10);
    }
    strbuf_destroy(&parts);
    arena_destroy(&arena);
    return bits;
}

/* S2 section 4.5, a 16 KB cache with tags of 32 bits: 176 bytes in the lines, 624 in the VTA, 464
 * in the table; 7.48 % of data and tags. */
static void dlp_costs_1264_bytes(void **state)
{
    (void)state;
    assert_int_equal(cost_bits("dlp", "line ids and protected lives"), 8 * 176);
    assert_int_equal(cost_bits("dlp", "victim tag array"), 8 * 624);
    assert_int_equal(cost_bits("dlp", "protection distances"), 8 * 464);
    assert_int_equal(cost_bits("dlp", NULL), 8 * 1264);
    uint64_t per_10000 = cost_bits("dlp", NULL) / 8 * 10000 / (16384 + 128 * 4);
    assert_int_equal(per_10000, 748);
}

/* S3 Table 5.2: 128 rows of 30 bits, and 8 bits for each of 128 lines. */
static void ctrl_c_costs_608_bytes(void **state)
{
    (void)state;
    assert_int_equal(cost_bits("ctrl_c", "iReuse table"), 8 * 480);
    assert_int_equal(cost_bits("ctrl_c", "insertion PCs and reuse bits"), 8 * 128);
    assert_int_equal(cost_bits("ctrl_c", NULL), 8 * 608);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dlp_protects_for_as_many_accesses_as_the_distance_says),
        cmocka_unit_test(dlp_distances_rise_as_the_table_says),
        cmocka_unit_test(dlp_distances_change_after_the_last_load_of_a_sample),
        cmocka_unit_test(ctrl_c_inserts_every_eighth_miss_at_aggressiveness_3),
        cmocka_unit_test(dlp_costs_1264_bytes),
        cmocka_unit_test(ctrl_c_costs_608_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
