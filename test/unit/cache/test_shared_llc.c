/* Policies of a last-level cache that applications share: worked examples of monitors, partitions,
 * quotas, core sampling and XSRATIO. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lab_curve.h"
#include "cache/cache.h"
#include "cache/policies/duel.h"
#include "cache/policies/lookahead.h"
#include "cache/policies/tap.h"
#include "cache/policies/umon.h"

/* --- Monitors --- */

static void assert_umon(const char *lines, const uint64_t want[4], uint64_t misses)
{
    struct cache_geometry g = {.n_sets = 1, .n_ways = 4, .n_apps = 1};
    struct umon u;
    struct shared_report r = {0};
    void *memory = calloc(1, umon_bytes(&g));
    umon_init(&u, &g, memory);
    for (const char *c = lines; *c; c++)
        umon_access(&u, &(struct mem_access){.line = (uint64_t)(*c - 'a') * 128});
    umon_report(&u, &r);
    for (int p = 0; p < 4; p++) {
        assert_int_equal(r.hits[0][p], want[p]);
        misses += r.hits[0][p];
    }
    assert_int_equal(r.accesses[0], misses);
    umon_report(&u, &r); /* what was not halved comes again */
    for (int p = 0; p < 4; p++)
        assert_int_equal(r.hits[0][p], want[p] + want[p] / 2);
    free(memory);
}

static void monitors_count_hits_by_recency(void **state)
{
    (void)state;
    assert_umon("abcabcadab", (const uint64_t[]){0, 1, 4, 1}, 4);
    assert_umon("aabbaabb", (const uint64_t[]){4, 2, 0, 0}, 2);
}

/* Of 128 sets every fourth is monitored, for each application by itself. */
static void some_sets_are_monitored(void **state)
{
    (void)state;
    struct cache_geometry g = {.n_sets = 128, .n_ways = 2, .n_apps = 2};
    struct umon u;
    struct shared_report r = {0};
    void *memory = calloc(1, umon_bytes(&g));
    umon_init(&u, &g, memory);
    for (uint32_t set = 0; set < 128; set++)
        for (int twice = 0; twice < 2; twice++)
            umon_access(&u, &(struct mem_access){.line = set * 128, .set = set, .app = set >= 64});
    umon_report(&u, &r);
    assert_int_equal(r.hits[0][0], 16);
    assert_int_equal(r.hits[1][0], 16);
    assert_int_equal(r.accesses[1], 128);
    free(memory);
}

/* Random lines, many of them near each other in time. */
static uint64_t draw_line(uint32_t *random, uint32_t app)
{
    *random = *random * 1664525 + 1013904223;
    uint32_t far = *random >> 31, within = (*random >> 12) % (far ? 900 : 120);
    return (uint64_t)app << 20 | within;
}

/* What an application would hit with p + 1 ways is what the cache laboratory says about its
 * accesses alone: stack distances of the monitored sets, whatever the other application does. */
static void assert_curves(uint32_t n_sets, uint32_t n_ways)
{
    struct cache_geometry g = {.n_sets = n_sets, .n_ways = n_ways, .n_apps = 2};
    uint32_t random = n_sets + n_ways, stride = n_sets > UMON_SETS ? n_sets / UMON_SETS : 1;
    void *memory = calloc(1, umon_bytes(&g));
    struct shared_report r = {0};
    struct lab_stream alone[2] = {{0}};
    struct umon u;
    umon_init(&u, &g, memory);
    for (int i = 0; i < 20000; i++) {
        uint32_t app = (random >> 9) % 5 == 0;
        uint64_t line = draw_line(&random, app), set = line % n_sets;
        umon_access(&u, &(struct mem_access){
                            .line = line * 128, .set = (uint32_t)set, .app = (uint8_t)app});
        if (set % stride == 0 && set / stride < UMON_SETS)
            lab_stream_add(&alone[app],
                           &(struct lab_access){.kind = MEM_LOAD, .address = line * 128});
    }
    umon_report(&u, &r);
    for (int app = 0; app < 2; app++) {
        struct lab_curve curve;
        uint64_t hits = 0;
        lab_curve_make(&alone[app], n_sets, 128, INDEX_LINEAR, &curve);
        for (uint32_t p = 0; p < n_ways; p++)
            assert_int_equal(hits += r.hits[app][p], lab_curve_hits(&curve, p + 1));
        assert_true(hits > 100);
        lab_curve_destroy(&curve);
        lab_stream_destroy(&alone[app]);
    }
    free(memory);
}

static void monitors_tell_the_curves_of_the_laboratory(void **state)
{
    (void)state;
    assert_curves(1, 16);
    assert_curves(8, 8);
    assert_curves(32, 4);
    assert_curves(64, 32);
    assert_curves(100, 8); /* strides are rounded down */
}

/* --- Hardware --- */

/* A bank of 256 sets and 32 ways, one of eight, for four CPU programs and the GPU. */
static void costs_are_those_of_all_applications(void **state)
{
    (void)state;
    const struct cache_geometry g = {
        .n_sets = 256, .n_ways = 32, .n_apps = 5, .all_sets = 2048, .tag_bits = 32};
    uint64_t owners = 256 * 32 * 3, quotas = 5 * 6;
    uint64_t tags = 5 * 4 * 32 * (32 + 5), counters = 5 * (32 + 1) * 32;
    const struct cache_policy_desc *ucp = cache_policy_find("ucp");
    const struct cache_policy_desc *tap_ucp = cache_policy_find("tap_ucp");
    const struct cache_policy_desc *tap_rrip = cache_policy_find("tap_rrip");
    struct arena arena = {0};
    const void *params = plugin_values(&tap_rrip->plugin, NULL, &arena);
    assert_int_equal(ucp->cost_bits(&g, NULL, NULL), owners + quotas + tags + counters);
    assert_int_equal(tap_ucp->cost_bits(&g, NULL, NULL), owners + quotas + tags + counters);
    assert_int_equal(tap_rrip->cost_bits(&g, params, NULL), 256 * 32 * 2 + 5 * 10 + 5 * 5);
    /* Of the controller: two counters of instructions, one of accesses an application, XSRATIO. */
    assert_null(ucp->control_cost_bits);
    assert_int_equal(tap_ucp->control_cost_bits(&g, NULL, NULL), 2 * 32 + 5 * 32 + 10);
    assert_int_equal(tap_rrip->control_cost_bits(&g, NULL, NULL), 2 * 32 + 5 * 32 + 10);
    arena_destroy(&arena);
}

/* --- Partitions --- */

static void assert_partition(uint32_t n_apps, uint32_t n_ways,
                             const uint64_t (*hits)[CACHE_MAX_WAYS], const uint32_t *want)
{
    struct lookahead l = {.n_apps = n_apps, .n_ways = n_ways, .min_ways = 1};
    uint32_t quotas[SHARED_MAX_APPS];
    for (uint32_t k = 0; k < n_apps; k++)
        l.divide_by[k] = 1;
    lookahead_partition(&l, hits, quotas);
    for (uint32_t k = 0; k < n_apps; k++)
        assert_int_equal(quotas[k], want[k]);
}

static void lookahead_deals_ways_by_utility(void **state)
{
    (void)state;
    static const uint64_t late[][CACHE_MAX_WAYS] = {{40, 30, 20, 10, 5, 3, 2, 1},
                                                    {0, 0, 0, 0, 0, 120, 0, 0}};
    static const uint64_t none[3][CACHE_MAX_WAYS];
    /* It is a heuristic: 1 and 3 ways would be better. */
    static const uint64_t astray[][CACHE_MAX_WAYS] = {{0, 1, 0, 0}, {3, 0, 2, 2}};
    assert_partition(2, 8, late, (const uint32_t[]){2, 6});
    assert_partition(3, 8, none, (const uint32_t[]){3, 3, 2});
    assert_partition(2, 4, astray, (const uint32_t[]){3, 1});
}

/* The most hits that any partition gives. */
static uint64_t best_hits(uint32_t n_ways, const uint64_t (*hits)[CACHE_MAX_WAYS])
{
    uint64_t best = 0;
    for (uint32_t first = 1; first < n_ways; first++) {
        uint64_t sum = 0;
        for (uint32_t p = 0; p < n_ways; p++)
            sum += p < first ? hits[0][p] : hits[1][p - first];
        best = sum > best ? sum : best;
    }
    return best;
}

static void lookahead_is_optimal_where_utilities_fall(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 1000; round++) {
        enum { WAYS = 12 };
        uint64_t hits[2][CACHE_MAX_WAYS] = {{0}}, sum = 0;
        uint32_t quotas[SHARED_MAX_APPS];
        struct lookahead l = {.n_apps = 2, .n_ways = WAYS, .min_ways = 1, .divide_by = {1, 1}};
        for (int k = 0; k < 2; k++)
            for (int p = WAYS - 1; p >= 0; p--) {
                random = random * 1664525 + 1013904223;
                hits[k][p] = hits[k][p + 1] + (random >> 20) % 50;
            }
        lookahead_partition(&l, (const uint64_t(*)[CACHE_MAX_WAYS])hits, quotas);
        assert_int_equal(quotas[0] + quotas[1], WAYS);
        for (int k = 0; k < 2; k++)
            for (uint32_t p = 0; p < quotas[k]; p++)
                sum += hits[k][p];
        assert_int_equal(sum, best_hits(WAYS, (const uint64_t(*)[CACHE_MAX_WAYS])hits));
    }
}

/* --- Quotas --- */

static uint64_t evicted;

static void note_victim(void *user, const struct cache_event_info *e)
{
    (void)user;
    evicted = e->line->line;
}

static struct cache *make_cache(const char *policy, uint32_t n_sets, uint32_t n_ways,
                                uint32_t n_apps)
{
    struct cache_config shape = {.n_sets = n_sets,
                                 .n_ways = n_ways,
                                 .line_bytes = 128,
                                 .sector_bytes = 128,
                                 .n_mshrs = 1,
                                 .mshr_merges = 1,
                                 .write_back = true,
                                 .write_allocate = true,
                                 .n_apps = n_apps,
                                 .policy = policy};
    struct cache *c = cache_create(&shape, cache_policy_find(policy), NULL, 0, 0);
    cache_observe_some(c, 1u << CE_EVICT, note_victim, NULL);
    return c;
}

/* Returns the line that it replaces as a letter, '+' for a hit, '-' for none. */
static char load(struct cache *c, char line, uint32_t app, enum mem_role role)
{
    static const struct cache_resources room = {true, true, true};
    struct mem_access a = {
        .line = (uint64_t)(line - 'a') * 128, .sector_mask = 1, .app = app, .role = role};
    a.set = cache_set_of(c, a.line);
    evicted = UINT64_MAX;
    struct cache_result r = cache_load(c, &a, room, NULL);
    if (r.answer == CACHE_HIT)
        return '+';
    cache_fill(c, r.mshr, 0);
    return evicted == UINT64_MAX ? '-' : (char)('a' + evicted / 128);
}

static void assert_quotas(uint32_t first, uint32_t second, const char *want)
{
    static const char lines[] = "abwxcyza", apps[] = "00110110";
    struct cache *c = make_cache("ucp", 1, 4, 2);
    struct shared_decision d = {.n_apps = 2, .quotas = {first, second}};
    char got[sizeof lines] = "";
    cache_apply(c, &d, sizeof d);
    for (int i = 0; lines[i]; i++)
        got[i] = load(c, lines[i], (uint32_t)(apps[i] - '0'), MEM_ROLE_NONE);
    assert_string_equal(got, want);
    cache_destroy(c);
}

static void quotas_choose_whose_line_leaves(void **state)
{
    (void)state;
    assert_quotas(3, 1, "----wxy+");
    assert_quotas(2, 2, "----awxb");
}

static void ways_are_dealt_equally_at_first(void **state)
{
    (void)state;
    struct shared_decision d = shared_decision_first(3, 8, 2);
    assert_int_equal(d.quotas[0], 3);
    assert_int_equal(d.quotas[1], 3);
    assert_int_equal(d.quotas[2], 2);
    assert_true(d.caching_helps);
}

/* --- TAP --- */

static struct shared_decision decide(const char *policy, const struct shared_report *r)
{
    const struct cache_policy_desc *d = cache_policy_find(policy);
    struct cache *c = make_cache(policy, 1, r->n_ways, r->n_apps);
    struct shared_decision decision = shared_decision_first(r->n_apps, r->n_ways, r->gpu_app);
    d->control(cache_get_policy(c)->params, r, &decision);
    cache_destroy(c);
    return decision;
}

static bool caching_helps(uint64_t lru, uint64_t mru)
{
    struct shared_report r = {
        .n_apps = 2, .n_ways = 8, .gpu_app = 1, .has_samples = true, .sampled_insts = {lru, mru}};
    return decide("tap_ucp", &r).caching_helps;
}

static void sampling_sms_tell_whether_caching_helps(void **state)
{
    (void)state;
    assert_false(caching_helps(1000, 950));
    assert_true(caching_helps(1000, 949));
    assert_false(caching_helps(950, 1000));
    assert_true(caching_helps(949, 1000));
}

static void without_samples_the_decision_stays(void **state)
{
    (void)state;
    struct shared_report r = {.n_apps = 2, .n_ways = 8, .gpu_app = 1};
    struct tap tap = {5, 10};
    struct shared_decision d = {.caching_helps = false};
    tap_decide(tap, &r, &d);
    assert_false(d.caching_helps);
}

static uint32_t ratio(uint64_t gpu, uint64_t cpu)
{
    struct shared_report r = {
        .n_apps = 3, .n_ways = 8, .gpu_app = 2, .accesses = {cpu / 2, cpu, gpu}};
    return decide("tap_ucp", &r).xs_ratio;
}

static void xs_ratio_counts_beyond_its_threshold(void **state)
{
    (void)state;
    assert_int_equal(ratio(1000, 100), 1);
    assert_int_equal(ratio(1010, 100), 10);
    assert_int_equal(ratio(1100, 100), 11);
    assert_int_equal(ratio(10, 0), 1023);
    assert_int_equal(ratio(0, 0), 1);
    assert_int_equal(ratio(5000000, 100), 1023);
}

static void tap_ucp_weighs_the_gpu(void **state)
{
    (void)state;
    struct shared_report r = {
        .n_apps = 2,
        .n_ways = 8,
        .gpu_app = 1,
        .accesses = {100, 100},
        .hits = {{100, 60, 40, 20, 10, 6, 4, 2}, {400, 300, 200, 100, 90, 80, 70, 60}},
    };
    assert_int_equal(decide("ucp", &r).quotas[0], 1);
    assert_int_equal(decide("tap_ucp", &r).quotas[0], 1);
    r.accesses[1] = 1200;
    assert_int_equal(decide("tap_ucp", &r).quotas[0], 5);
    assert_int_equal(decide("tap_ucp", &r).quotas[1], 3);
    r.has_samples = true; /* equal: caching does not help */
    assert_int_equal(decide("tap_ucp", &r).quotas[0], 7);
    assert_int_equal(decide("tap_ucp", &r).quotas[1], 1);
}

static void tap_rrip_sends_the_gpu_to_brrip(void **state)
{
    (void)state;
    struct shared_report r = {.n_apps = 2, .n_ways = 8, .gpu_app = 1, .accesses = {100, 800}};
    assert_false(decide("tap_rrip", &r).gpu_brrip);
    r.accesses[1] = 1000;
    assert_false(decide("tap_rrip", &r).gpu_brrip);
    r.accesses[1] = 1001;
    assert_true(decide("tap_rrip", &r).gpu_brrip);
    r.accesses[1] = 1;
    r.has_samples = true;
    assert_true(decide("tap_rrip", &r).gpu_brrip);
}

/* b comes in older than all, although it is the newest; a use makes it an ordinary line. */
static void sampled_lines_come_in_at_the_lru_position(void **state)
{
    (void)state;
    struct cache *c = make_cache("tap_ucp", 1, 4, 1);
    for (const char *line = "acd"; *line; line++)
        load(c, *line, 0, MEM_ROLE_NONE);
    load(c, 'b', 0, MEM_ROLE_SAMPLE_LRU);
    assert_int_equal(load(c, 'e', 0, MEM_ROLE_SAMPLE_MRU), 'b');
    assert_int_equal(load(c, 'f', 0, MEM_ROLE_SAMPLE_LRU), 'a');
    assert_int_equal(load(c, 'f', 0, MEM_ROLE_NONE), '+');
    assert_int_equal(load(c, 'g', 0, MEM_ROLE_NONE), 'c');
    cache_destroy(c);
}

/* --- Duels --- */

static void each_application_has_leader_sets(void **state)
{
    (void)state;
    const struct cache_geometry g = {.n_sets = 1024}, small = {.n_sets = 16}, mid = {.n_sets = 64};
    uint32_t n[3] = {0};
    for (uint32_t set = 0; set < 1024; set++)
        n[duel_leads(&g, set, 1)]++;
    assert_int_equal(n[DUEL_SRRIP], 32);
    assert_int_equal(n[DUEL_BRRIP], 32);
    assert_int_equal(duel_leads(&g, 0, 0), DUEL_SRRIP);
    assert_int_equal(duel_leads(&g, 1, 0), DUEL_BRRIP);
    assert_int_equal(duel_leads(&g, 2, 1), DUEL_SRRIP);
    assert_int_equal(duel_leads(&g, 34, 1), DUEL_SRRIP);
    assert_int_equal(duel_leads(&g, 2, 0), DUEL_OPEN);
    assert_int_equal(duel_leads(&small, 5, 3), DUEL_SRRIP); /* all lead both */
    assert_int_equal(duel_leads(&mid, 1, 16), DUEL_BRRIP);  /* offsets 32 and 33 of stride 2 */
}

/* Eight banks of 32 sets have the leader sets of one cache of 256, so that most sets follow. */
static void leader_sets_are_those_of_all_banks(void **state)
{
    (void)state;
    const struct cache_geometry whole = {.n_sets = 256};
    for (uint32_t bank = 0; bank < 8; bank++) {
        const struct cache_geometry g = {.n_sets = 32, .all_sets = 256, .first_set = 32 * bank};
        uint32_t n[3] = {0};
        for (uint32_t set = 0; set < 32; set++) {
            assert_int_equal(duel_leads(&g, set, 1), duel_leads(&whole, 32 * bank + set, 1));
            n[duel_leads(&g, set, 1)]++;
        }
        assert_int_equal(n[DUEL_SRRIP], 4);
        assert_int_equal(n[DUEL_BRRIP], 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monitors_count_hits_by_recency),
        cmocka_unit_test(some_sets_are_monitored),
        cmocka_unit_test(monitors_tell_the_curves_of_the_laboratory),
        cmocka_unit_test(costs_are_those_of_all_applications),
        cmocka_unit_test(lookahead_deals_ways_by_utility),
        cmocka_unit_test(lookahead_is_optimal_where_utilities_fall),
        cmocka_unit_test(quotas_choose_whose_line_leaves),
        cmocka_unit_test(ways_are_dealt_equally_at_first),
        cmocka_unit_test(sampling_sms_tell_whether_caching_helps),
        cmocka_unit_test(without_samples_the_decision_stays),
        cmocka_unit_test(xs_ratio_counts_beyond_its_threshold),
        cmocka_unit_test(tap_ucp_weighs_the_gpu),
        cmocka_unit_test(tap_rrip_sends_the_gpu_to_brrip),
        cmocka_unit_test(sampled_lines_come_in_at_the_lru_position),
        cmocka_unit_test(each_application_has_leader_sets),
        cmocka_unit_test(leader_sets_are_those_of_all_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
