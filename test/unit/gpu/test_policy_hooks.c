/* Time-driven events of cache policies: kernels and epochs. A policy that spies on its cache
 * receives each in the cycle it belongs to, in L1D, in L2 and in the last-level cache of a discrete
 * GPU's host, whatever the engine, quantum and number of threads; it decides by them, so that the
 * statistics would show a difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sim.h"
#include "unit/gpu/sim_stats.h"

enum { L1D_EPOCH = 97, L2_EPOCH = 61, LLC_EPOCH = 83, N_LAUNCHES = 3 };

struct spy_stats {
    uint64_t starts, ends, epochs, late, apart, accesses;
};

static struct spy_stats *stats_of(const struct cache_policy *p)
{
    return p->stats;
}

static bool is_l1d(const struct cache_policy *p)
{
    return p->geometry.n_warps > 0;
}

/* Of a discrete GPU's host: nothing else is shared here. */
static bool is_llc(const struct cache_policy *p)
{
    return p->geometry.n_apps > 0;
}

/* CPU programs use it between launches too. */
static bool has_programs(const struct cache_policy *p)
{
    return p->geometry.n_apps > 1;
}

/* Has everything been reported that should have been by that cycle, and nothing else? */
static void check_time(struct cache_policy *p, uint64_t cycle)
{
    struct spy_stats *n = stats_of(p);
    n->late += n->epochs != cycle / (is_l1d(p) ? L1D_EPOCH : is_llc(p) ? LLC_EPOCH : L2_EPOCH);
    n->late += !has_programs(p) && n->starts != n->ends + 1;
}

/* Bytes lie in the requested segments; for a load, all of them do. */
static void check_bytes(struct cache_policy *p, const struct mem_access *a)
{
    struct spy_stats *n = stats_of(p);
    n->accesses++;
    for (uint32_t i = 0; i < 4 && !is_l1d(p) && !is_llc(p); i++) {
        uint32_t bytes = (uint32_t)(a->byte_mask[i / 2] >> i % 2 * 32);
        bool is_asked = a->segments >> i & 1;
        bool is_whole = a->kind != MEM_STORE && a->kind != MEM_ATOMIC;
        n->apart += is_asked ? (is_whole ? bytes != ~0u : !bytes) : bytes != 0;
    }
}

/* Bypasses, waits for the next epoch or replaces, by turns. */
static int spy_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    const struct spy_stats *n = p->stats;
    if (a->kind == MEM_STORE || a->kind == MEM_ATOMIC)
        return cache_set_lru(s);
    if (n->epochs % (is_l1d(p) ? 5 : 4) == 2 && cache_set_empty_way(s) < 0)
        return CACHE_STALL;
    return n->epochs % 3 == 1 ? CACHE_BYPASS : cache_set_lru(s);
}

static void spy_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a)
{
    (void)s, (void)way;
    check_time(p, a->cycle);
    check_bytes(p, a);
}

static void spy_on_lookup(struct cache_policy *p, const struct cache_set *s, int way,
                          const struct mem_access *a)
{
    spy_on_use(p, s, (uint32_t)way, a);
}

static void spy_on_fill(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        uint64_t cycle)
{
    (void)s, (void)way;
    check_time(p, cycle);
}

static void spy_on_kernel_start(struct cache_policy *p, uint32_t launch)
{
    struct spy_stats *n = stats_of(p);
    n->late += launch != n->starts || n->starts++ != n->ends;
}

static void spy_on_kernel_end(struct cache_policy *p, uint32_t launch)
{
    struct spy_stats *n = stats_of(p);
    n->late += launch != n->ends++ || n->starts != n->ends;
}

static void spy_on_epoch(struct cache_policy *p, uint64_t epoch)
{
    struct spy_stats *n = stats_of(p);
    n->late += epoch != ++n->epochs;
}

static uint64_t spy_cost_bits(const struct cache_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

static const struct plugin_stat spy_stats[] = {
    STAT_COUNT(struct spy_stats, starts, "launches", "on_kernel_start"),
    STAT_COUNT(struct spy_stats, ends, "launches", "on_kernel_end"),
    STAT_COUNT(struct spy_stats, epochs, "epochs", "on_epoch"),
    STAT_COUNT(struct spy_stats, late, "events", "that were told at another time than they are of"),
    STAT_COUNT(struct spy_stats, apart, "segments", "with bytes that do not agree"),
    STAT_COUNT(struct spy_stats, accesses, "accesses", "that were looked at"),
};

static const struct cache_policy_desc spy = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "spy",
    .summary = "checks when it is told what",
    .citation = "this test",
    PLUGIN_STATS(spy_stats, struct spy_stats),
    .cost_bits = spy_cost_bits,
    .decide = spy_decide,
    .on_hit = spy_on_use,
    .on_merge = spy_on_use,
    .on_miss = spy_on_lookup,
    .on_store = spy_on_lookup,
    .on_fill = spy_on_fill,
    .on_kernel_start = spy_on_kernel_start,
    .on_kernel_end = spy_on_kernel_end,
    .on_epoch = spy_on_epoch,
};

static const char kernel[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<8>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r1, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 36, %r1; mad.lo.u32 %r2, %r6, 1052, %r2; and.b32 %r2, %r2, 16380;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "and.b32 %r5, %r1, 511; setp.eq.u32 %q, %r5, 0; @%q st.global.u32 [%b], %r4;\n"
    "@%q red.global.add.u32 [%b+4], 1;\n"
    "add.u32 %r1, %r1, 260; setp.lt.u32 %q, %r1, 6000; @%q bra L; ret; }\n";

static void check_counts(const struct heddle_sim *sim)
{
    const struct machine *m = sim->machine;
    uint64_t n_sms = m->config->gpu->n_sms,
             n_slices = (uint64_t)m->config->memory.n_partitions * m->config->memory.banks;
    sim_time end = m->kernel_free_at;
    assert_int_equal(count_of(sim, "l1d.policy.late"), 0);
    assert_int_equal(count_of(sim, "l2.policy.late"), 0);
    assert_int_equal(count_of(sim, "l2.policy.apart"), 0);
    assert_true(count_of(sim, "l2.policy.accesses") > 1000);
    assert_int_equal(count_of(sim, "l1d.policy.starts"), N_LAUNCHES * n_sms);
    assert_int_equal(count_of(sim, "l1d.policy.ends"), N_LAUNCHES * n_sms);
    assert_int_equal(count_of(sim, "l2.policy.starts"), N_LAUNCHES * n_slices);
    assert_int_equal(count_of(sim, "l2.policy.ends"), N_LAUNCHES * n_slices);
    assert_int_equal(count_of(sim, "l1d.policy.epochs"),
                     end / m->clocks[CLOCK_CORE].period / L1D_EPOCH * n_sms);
    assert_int_equal(count_of(sim, "l2.policy.epochs"),
                     end / m->clocks[CLOCK_L2].period / L2_EPOCH * n_slices);
}

struct manner {
    const char *gpu;
    bool every_cycle;
    uint32_t quantum, threads;
    bool no_fast_paths;
};

/* A simulation in which the kernel has been launched N_LAUNCHES times with `n_ctas`. */
static struct heddle_sim *launch_all(const struct heddle_options *o, uint32_t n_ctas)
{
    struct heddle_sim *sim;
    struct heddle_module *module = NULL;
    uint64_t buffer;
    if (heddle_create(o, &sim) != HEDDLE_OK ||
        heddle_load(sim, HEDDLE_PTX, "k", kernel, strlen(kernel), NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    assert_int_equal(heddle_alloc(sim, 32768, "buffer", &buffer), HEDDLE_OK);
    struct heddle_arg arg = {&buffer, sizeof buffer, false};
    struct heddle_launch l = {.grid = {n_ctas}, .block = {96}, .args = &arg, .n_args = 1};
    for (int i = 0; i < N_LAUNCHES; i++)
        if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
            fail_msg("%s", heddle_error(sim));
    return sim;
}

static void run(struct manner how, struct strbuf *out)
{
    /* The last would not leave v100's L1D any shared memory. */
    const char *const settings[] = {
        "n_sms=3",          "memory.n_partitions=2", "l1d.policy=spy",      "l2.policy=spy",
        "l2.n_sets=2",      "l2.n_ways=4",           "l1d.epoch_cycles=97", "l2.epoch_cycles=61",
        "l2_clock_mhz=650", "l1d.n_sets=4"};
    uint32_t n_settings = sizeof settings / sizeof settings[0];
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = how.gpu,
                               .timing = true,
                               .settings = settings,
                               .n_settings = n_settings - (strcmp(how.gpu, "v100") == 0),
                               .every_cycle = how.every_cycle,
                               .quantum = how.quantum,
                               .threads = how.threads,
                               .no_fast_paths = how.no_fast_paths};
    struct heddle_sim *sim = launch_all(&o, 12);
    check_counts(sim);
    add_stats(sim, out);
    heddle_destroy(sim);
}

static void policies_are_told_in_the_cycle_it_belongs_to(void **state)
{
    (void)state;
    static const struct manner manners[] = {{.gpu = "gtx480", .every_cycle = true},
                                            {.gpu = "gtx480", .quantum = 1},
                                            {.gpu = "gtx480", .threads = 3},
                                            {.gpu = "gtx480", .quantum = 3, .threads = 2},
                                            {.gpu = "gtx480", .no_fast_paths = true},
                                            {.gpu = "v100", .every_cycle = true},
                                            {.gpu = "v100"}};
    struct strbuf first = {0}, other = {0}, v100 = {0};
    run((struct manner){.gpu = "gtx480"}, &first);
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        bool is_v100 = strcmp(manners[i].gpu, "v100") == 0;
        strbuf_clear(&other);
        run(manners[i], &other);
        if (is_v100 && !v100.len)
            strbuf_add(&v100, strbuf_text(&other));
        assert_string_equal(strbuf_text(&other), strbuf_text(is_v100 ? &v100 : &first));
    }
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&v100);
}

/* --- the host's last-level cache --- */

static void check_llc(const struct heddle_sim *sim, uint32_t n_launches)
{
    const struct machine *m = sim->machine;
    uint64_t n_banks =
        (uint64_t)m->config->host_memory.memory.n_partitions * m->config->host_memory.memory.banks;
    assert_int_equal(count_of(sim, "host_llc.policy.late"), 0);
    assert_true(count_of(sim, "host_llc.policy.accesses") > 500);
    assert_int_equal(count_of(sim, "host_llc.policy.starts"), n_launches * n_banks);
    assert_int_equal(count_of(sim, "host_llc.policy.ends"), n_launches * n_banks);
    assert_int_equal(count_of(sim, "host_llc.policy.epochs"),
                     m->kernel_free_at / m->clocks[CLOCK_HOST_LLC].period / LLC_EPOCH * n_banks);
}

/* Kernels on CPU cores use the cache; those on the GPU do not, but a program on a core does. */
static void run_beside_host(struct manner how, bool on_cmp, struct strbuf *out)
{
    const char *const settings[] = {"n_sms=2",
                                    "host_llc.policy=spy",
                                    "host_llc.epoch_cycles=83",
                                    "host_llc.n_sets=8",
                                    "cpu.l2_bytes=8K",
                                    "cpu.l1_bytes=4K",
                                    on_cmp ? "testbed.on=cmp" : "testbed.on=gpu",
                                    on_cmp ? "cpu.programs=" : "cpu.programs=bandwidth_bubble_8"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "i7-s9150",
                               .timing = true,
                               .settings = settings,
                               .n_settings = sizeof settings / sizeof settings[0],
                               .every_cycle = how.every_cycle,
                               .quantum = how.quantum,
                               .threads = how.threads};
    struct heddle_sim *sim = launch_all(&o, 6);
    check_llc(sim, N_LAUNCHES);
    add_stats(sim, out);
    heddle_destroy(sim);
}

static void the_hosts_cache_is_told_of_kernels_on_either_side(void **state)
{
    (void)state;
    static const struct manner manners[] = {
        {.every_cycle = true}, {.quantum = 1}, {.quantum = 3, .threads = 2}};
    for (int on_cmp = 0; on_cmp < 2; on_cmp++) {
        struct strbuf first = {0}, other = {0};
        run_beside_host((struct manner){0}, on_cmp, &first);
        for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
            strbuf_clear(&other);
            run_beside_host(manners[i], on_cmp, &other);
            assert_string_equal(strbuf_text(&other), strbuf_text(&first));
        }
        strbuf_destroy(&first);
        strbuf_destroy(&other);
    }
}

/* --- a policy that allows one line in flight at a time in full sets, over all sets --- */

struct one_state {
    uint64_t n_out;
};

static size_t one_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct one_state);
}

static int one_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    (void)a;
    const struct one_state *one = p->state;
    return one->n_out ? CACHE_STALL : cache_set_lru(s);
}

static void one_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                           const struct mem_access *a)
{
    (void)s, (void)way, (void)a;
    ((struct one_state *)p->state)->n_out++;
}

static void one_on_fill(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        uint64_t cycle)
{
    (void)s, (void)way, (void)cycle;
    ((struct one_state *)p->state)->n_out--;
}

static const struct cache_policy_desc one = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "one",
    .summary = "fetches one line at a time",
    .citation = "this test",
    .never_bypasses = true,
    .state_bytes = one_state_bytes,
    .cost_bits = spy_cost_bits,
    .decide = one_decide,
    .on_reserve = one_on_reserve,
    .on_fill = one_on_fill,
};

static const char loads[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 196, %r1; and.b32 %r2, %r2, 16380;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "add.u32 %r1, %r1, 260; setp.lt.u32 %q, %r1, 1600; @%q bra L; ret; }\n";

struct criticality_seen {
    uint64_t n_critical;
    int64_t sum;
};

static void see_criticality(void *user, const struct cache_event_info *e)
{
    struct criticality_seen *seen = user;
    seen->n_critical += e->access->is_critical;
    seen->sum += e->access->criticality;
}

/* `tell`, if it is not NULL, receives misses. */
static void run_loads(const char *policy, const char *criticality, const char *mshrs,
                      bool every_cycle, void (*tell)(void *, const struct cache_event_info *),
                      void *user, struct strbuf *out)
{
    const char *const settings[] = {
        "n_sms=2", "memory.n_partitions=2",      policy,         criticality,
        mshrs,     "l1d.allocate_on_fill=false", "l1d.n_sets=4", "l1d.n_ways=2"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .timing = true,
                               .settings = settings,
                               .n_settings = sizeof settings / sizeof settings[0],
                               .every_cycle = every_cycle};
    struct heddle_sim *sim;
    struct heddle_module *module = NULL;
    uint64_t buffer;
    if (heddle_create(&o, &sim) != HEDDLE_OK ||
        heddle_load(sim, HEDDLE_PTX, "k", loads, strlen(loads), NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    for (uint32_t i = 0; i < 2 && tell; i++)
        cache_observe_some(machine_sm(sim->machine, i)->l1d, 1u << CE_MISS, tell, user);
    assert_int_equal(heddle_alloc(sim, 32768, "buffer", &buffer), HEDDLE_OK);
    struct heddle_arg arg = {&buffer, sizeof buffer, false};
    struct heddle_launch l = {.grid = {6}, .block = {96}, .args = &arg, .n_args = 1};
    if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    assert_true(count_of(sim, "l1d.reservation_fails") > 100);
    add_stats(sim, out);
    heddle_destroy(sim);
}

static void compare_loads(const char *policy, const char *criticality, const char *mshrs)
{
    struct strbuf stepped = {0}, skipped = {0};
    run_loads(policy, criticality, mshrs, true, NULL, NULL, &stepped);
    run_loads(policy, criticality, mshrs, false, NULL, NULL, &skipped);
    assert_string_equal(strbuf_text(&skipped), strbuf_text(&stepped));
    strbuf_destroy(&stepped);
    strbuf_destroy(&skipped);
}

/* An access waits for a line of its set, and may have one when data of any other come. */
static void a_policy_that_hears_of_fills_is_asked_after_each(void **state)
{
    (void)state;
    compare_loads("l1d.policy=one", "criticality=none", "l1d.n_mshrs=32");
}

struct seen {
    uint64_t n, hash;
};

static void note_who_loads(void *user, const struct cache_event_info *e)
{
    const struct mem_access *a = e->access;
    const uint64_t words[] = {a->id, a->active_mask, a->first_lane, a->first_thread};
    struct seen *seen = user;
    seen->n++;
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        seen->hash += (words[i] + i) * (words[i] + 0x9e3779b97f4a7c15ull); /* in any order of SMs */
}

/* Under LRU nothing else listens. */
static void who_observes_some_events_sees_who_loads(void **state)
{
    (void)state;
    struct strbuf out = {0};
    struct seen stepped = {0}, skipped = {0};
    run_loads("l1d.policy=lru", "criticality=none", "l1d.n_mshrs=8", true, note_who_loads, &stepped,
              &out);
    run_loads("l1d.policy=lru", "criticality=none", "l1d.n_mshrs=8", false, note_who_loads,
              &skipped, &out);
    assert_true(stepped.n > 100);
    assert_int_equal(skipped.n, stepped.n);
    assert_int_equal(skipped.hash, stepped.hash);
    strbuf_destroy(&out);
}

/* --- a policy that sends critical warps around --- */

static int around_decide(const struct cache_policy *p, const struct cache_set *s,
                         const struct mem_access *a)
{
    (void)p;
    return a->is_critical ? CACHE_BYPASS : cache_set_lru(s);
}

static const struct cache_policy_desc around = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "around",
    .summary = "sends critical warps around the cache",
    .citation = "this test",
    .criticality = "cpl",
    .cost_bits = spy_cost_bits,
    .decide = around_decide,
};

/* A load waits for an MSHR until its warp becomes critical, for which nothing need happen to it. */
static void a_policy_that_goes_by_criticality_is_asked_in_every_cycle(void **state)
{
    (void)state;
    compare_loads("l1d.policy=around", "criticality=cpl", "l1d.n_mshrs=2");
}

/* CACP reads whether warps whose lines are present are critical, other observers of L1D how
 * critical all are. */
static void who_watches_is_shown_critical_misses(void **state)
{
    (void)state;
    struct strbuf stepped = {0}, skipped = {0};
    struct criticality_seen seen = {0}, seen_skipped = {0};
    run_loads("l1d.policy=cacp", "criticality=cpl", "l1d.n_mshrs=4", true, see_criticality, &seen,
              &stepped);
    run_loads("l1d.policy=cacp", "criticality=cpl", "l1d.n_mshrs=4", false, see_criticality,
              &seen_skipped, &skipped);
    assert_true(seen.n_critical > 0 && seen.sum > 0);
    assert_int_equal(seen_skipped.n_critical, seen.n_critical);
    assert_int_equal(seen_skipped.sum, seen.sum);
    strbuf_destroy(&stepped);
    strbuf_destroy(&skipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_told_in_the_cycle_it_belongs_to),
        cmocka_unit_test(the_hosts_cache_is_told_of_kernels_on_either_side),
        cmocka_unit_test(a_policy_that_hears_of_fills_is_asked_after_each),
        cmocka_unit_test(who_observes_some_events_sees_who_loads),
        cmocka_unit_test(a_policy_that_goes_by_criticality_is_asked_in_every_cycle),
        cmocka_unit_test(who_watches_is_shown_critical_misses),
    };
    struct strbuf why = {0};
    if (!cache_policy_register(&spy, &why) || !cache_policy_register(&one, &why) ||
        !cache_policy_register(&around, &why)) {
        print_error("%s\n", strbuf_text(&why));
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
