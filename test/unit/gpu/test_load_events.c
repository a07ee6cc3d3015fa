/* What a policy of L1D reads of each load: the lanes and the thread that load, and whether the warp
 * is critical. The policy checks every load against what the kernel does and against a provider
 * whose answers depend only on the cycle; fast paths, engines and quanta must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sim.h"
#include "unit/gpu/sim_stats.h"

/* A warp is critical in every other TIDE of TIDE_CYCLES: less than a load of 32 lines takes. */
enum { TIDE_CYCLES = 5 };
/* Each pair of lanes loads a line of its own. */
enum { N_CTAS = 2, N_THREADS = 128, LANES_PER_LINE = 2, N_LOOPS = 12 };

static uint64_t no_cost(const struct cache_geometry *g, const void *params, struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

/* --- the provider --- */

static bool is_high(uint32_t warp, uint64_t now)
{
    return (now / TIDE_CYCLES + warp) % 2;
}

static int64_t tide_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c;
    return is_high(warp, now);
}

static bool tide_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c;
    return is_high(warp, now);
}

static uint64_t tide_steady_until(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)warp;
    return now / TIDE_CYCLES * TIDE_CYCLES + TIDE_CYCLES - 1;
}

static uint64_t tide_cost_bits(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0;
}

static const struct criticality_desc tide = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "tide",
    .summary = "makes warps critical in turns",
    .citation = "this test",
    .cost_bits = tide_cost_bits,
    .value = tide_value,
    .is_critical = tide_is_critical,
    .steady_until = tide_steady_until,
};

/* --- the policies --- */

struct load_stats {
    uint64_t hits, critical_hits, merges, critical_merges, misses; /* of which it was notified */
    uint64_t misrated;    /* hits and merges with another criticality than the provider's */
    uint64_t wrong_lanes; /* loads whose first lane or thread does not fit their lanes */
    uint64_t lanes, first_threads; /* sums over all loads */
};

static const struct plugin_stat load_stats[] = {
    STAT_COUNT(struct load_stats, hits, "loads", "hits that the policy saw"),
    STAT_COUNT(struct load_stats, critical_hits, "loads", "of these, by critical warps"),
    STAT_COUNT(struct load_stats, merges, "loads", "merges"),
    STAT_COUNT(struct load_stats, critical_merges, "loads", "of these, by critical warps"),
    STAT_COUNT(struct load_stats, misses, "loads", "misses"),
    STAT_COUNT(struct load_stats, misrated, "loads", "hits and merges with a wrong criticality"),
    STAT_COUNT(struct load_stats, wrong_lanes, "loads", "with lanes that do not fit"),
    STAT_COUNT(struct load_stats, lanes, "lanes", "sum of the lanes of all loads"),
    STAT_COUNT(struct load_stats, first_threads, "threads", "sum of the first threads"),
};

struct load_line {
    uint64_t n_hits;
};

static int lru_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    (void)p, (void)a;
    return cache_set_lru(s);
}

static void check_lanes(struct load_stats *n, const struct mem_access *a)
{
    uint32_t lane = a->first_lane;
    n->wrong_lanes += a->active_mask != 3u << lane || lane % LANES_PER_LINE ||
                      (uint32_t)a->first_thread % 32 != lane;
    n->lanes += (uint32_t)__builtin_popcount(a->active_mask);
    n->first_threads += a->first_thread;
}

static void on_load_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        const struct mem_access *a)
{
    struct load_stats *n = p->stats;
    ((struct load_line *)s->line_state[way])->n_hits++;
    n->hits++;
    n->critical_hits += a->is_critical;
    n->misrated += a->is_critical != is_high(a->warp_slot, a->cycle);
    check_lanes(n, a);
}

static void on_load_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                          const struct mem_access *a)
{
    (void)s, (void)way;
    struct load_stats *n = p->stats;
    n->merges++;
    n->critical_merges += a->is_critical;
    n->misrated += a->is_critical != is_high(a->warp_slot, a->cycle);
    check_lanes(n, a);
}

static void on_load_miss(struct cache_policy *p, const struct cache_set *s, int way,
                         const struct mem_access *a)
{
    (void)s, (void)way;
    struct load_stats *n = p->stats;
    n->misses++;
    check_lanes(n, a);
}

/* From the second hit of a line on, only hits of critical warps matter. */
static enum cache_hit_effect later_hits_matter_if_critical(const struct cache_policy *p,
                                                           const struct cache_set *s, uint32_t way)
{
    (void)p;
    const struct load_line *line = s->line_state[way];
    return line->n_hits ? HIT_MATTERS_IF_CRITICAL : HIT_MATTERS;
}

#define CHECKS_LOADS                                                                               \
    .abi_version = CACHE_POLICY_ABI, .struct_size = sizeof(struct cache_policy_desc),              \
    .summary = "checks loads", .citation = "this test",                                            \
    PLUGIN_STATS(load_stats, struct load_stats), .line_state_bytes = sizeof(struct load_line),     \
    .cost_bits = no_cost, .decide = lru_decide, .on_hit = on_load_hit, .on_merge = on_load_merge,  \
    .on_miss = on_load_miss
#define READS_CRITICALITY                                                                          \
    .criticality = "tide", .reads_criticality_on_hits_only = true, .reads_is_critical_only = true

static const struct cache_policy_desc every_load = {CHECKS_LOADS, .name = "every_load"};

static const struct cache_policy_desc rated_loads = {CHECKS_LOADS, READS_CRITICALITY,
                                                     .name = "rated_loads"};

/* Need not be notified of hits that do not matter. */
static const struct cache_policy_desc critical_hits = {CHECKS_LOADS, READS_CRITICALITY,
                                                       .name = "critical_hits",
                                                       .hit_effect = later_hits_matter_if_critical};

/* --- the runs --- */

/* Every warp loads the same 16 lines, N_LOOPS times: lane i loads at 64 i. */
static const char kernel[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %laneid; mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
    "mul.wide.u32 %b, %r0, 64; add.u64 %b, %a, %b;\n"
    "L: ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 12; @%q bra L; ret; }\n";

struct manner {
    bool every_cycle, no_fast_paths;
    uint32_t quantum;
};

static struct heddle_sim *run(const char *policy, const char *criticality, struct manner how)
{
    const char *const settings[] = {"n_sms=2", policy, criticality, "scheduler=lrr"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .timing = true,
                               .settings = settings,
                               .n_settings = sizeof settings / sizeof settings[0],
                               .quantum = how.quantum,
                               .every_cycle = how.every_cycle,
                               .no_fast_paths = how.no_fast_paths};
    struct heddle_sim *sim;
    struct heddle_module *module = NULL;
    uint64_t buffer;
    if (heddle_create(&o, &sim) != HEDDLE_OK ||
        heddle_load(sim, HEDDLE_PTX, "k", kernel, strlen(kernel), NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    assert_int_equal(heddle_alloc(sim, 4096, "buffer", &buffer), HEDDLE_OK);
    struct heddle_arg arg = {&buffer, sizeof buffer, false};
    struct heddle_launch l = {.grid = {N_CTAS}, .block = {N_THREADS}, .args = &arg, .n_args = 1};
    if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return sim;
}

static const struct manner manners[] = {
    {0}, {.no_fast_paths = true}, {.every_cycle = true}, {.quantum = 1}, {.quantum = 3}};

/* Of each pair of lanes that share a line, the first counts. */
static uint64_t sum_of_first_threads(void)
{
    uint64_t sum = 0;
    for (uint32_t thread = 0; thread < N_CTAS * N_THREADS; thread += LANES_PER_LINE)
        sum += thread;
    return sum * N_LOOPS;
}

static void every_load_names_its_lanes_and_thread(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        struct heddle_sim *sim = run("l1d.policy=every_load", "criticality=none", manners[i]);
        assert_int_equal(count_of(sim, "l1d.policy.wrong_lanes"), 0);
        assert_int_equal(count_of(sim, "l1d.policy.lanes"), N_CTAS * N_THREADS * N_LOOPS);
        assert_int_equal(count_of(sim, "l1d.policy.first_threads"), sum_of_first_threads());
        heddle_destroy(sim);
    }
}

/* A merge finds its line in flight, so its criticality is determined like that of a hit. */
static void hits_and_merges_are_rated_in_their_cycle(void **state)
{
    (void)state;
    static const char *const policies[] = {"l1d.policy=rated_loads", "l1d.policy=critical_hits"};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct strbuf first = {0}, other = {0};
        uint64_t n_critical = 0;
        for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
            struct heddle_sim *sim = run(policies[p], "criticality=tide", manners[i]);
            assert_int_equal(count_of(sim, "l1d.policy.misrated"), 0);
            assert_true(count_of(sim, "l1d.policy.critical_hits") > 100);
            assert_true(count_of(sim, "l1d.policy.critical_merges") > 10);
            if (i == 0)
                n_critical = count_of(sim, "l1d.policy.critical_hits");
            assert_int_equal(count_of(sim, "l1d.policy.critical_hits"), n_critical);
            strbuf_clear(&other);
            add_stats(sim, i ? &other : &first);
            if (i && p == 0) /* with hit_effect, hits that do not matter need not be notified */
                assert_string_equal(strbuf_text(&other), strbuf_text(&first));
            heddle_destroy(sim);
        }
        strbuf_destroy(&first);
        strbuf_destroy(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_load_names_its_lanes_and_thread),
        cmocka_unit_test(hits_and_merges_are_rated_in_their_cycle),
    };
    struct strbuf why = {0};
    if (!criticality_register(&tide, &why) || !cache_policy_register(&every_load, &why) ||
        !cache_policy_register(&rated_loads, &why) ||
        !cache_policy_register(&critical_hits, &why)) {
        print_error("%s\n", strbuf_text(&why));
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
