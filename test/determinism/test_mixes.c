/* Machines with CPU cores beside the GPU: nothing that they count depends on the quantum, the
 * engine, its fast paths or the threads; launches end although CPU cores never rest; decisions of
 * the last-level cache's controller take effect when they should.
 *
 * `test_mixes FIRST N` runs N random mixes from a seed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cache/cache_policy.h"
#include "cpu/inst_record.h"
#include "determinism/observe.h"
#include "determinism/random_testbed.h"
#include "gpu/sim.h"
#include "slice/llc.h"

/* --- CPU programs --- */

/* The last one is for hosts alone: kernels are repeated while it runs. */
enum { N_TRACES = 3, LONG_TRACE = N_TRACES, N_ALL_TRACES, SHORT_INSTS = 300 };
static char traces[N_ALL_TRACES][64];

/* Loads of consecutive lines of `bytes`, over and over, each with its own register; one of eight
 * instructions is a store there, every other one computes. */
static void write_trace(const char *path, uint32_t n_insts, uint64_t bytes, uint64_t step)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (uint32_t i = 0; i < n_insts; i++) {
        struct cpu_inst inst = {.ip = 0x1000 + i % 64 * 4};
        uint64_t address = 0x100000 + i / 2 * step % bytes;
        if (i % 8 == 3)
            inst.dest_memory[0] = address;
        else if (i % 2 == 0) {
            inst.source_memory[0] = address;
            inst.dest_regs[0] = (unsigned char)(1 + i % 20);
        }
        assert_int_equal(fwrite(&inst, sizeof inst, 1, f), 1);
    }
    assert_int_equal(fclose(f), 0);
}

/* One that fits a small cache, one that does not, one that streams. */
static int make_traces(void **state)
{
    (void)state;
    static const struct {
        uint32_t n_insts;
        uint64_t bytes, step;
    } shapes[N_ALL_TRACES] = {{SHORT_INSTS, 24 << 10, 64},
                              {400, 80 << 10, 192},
                              {250, 1 << 30, 64},
                              {20000, 5 << 10, 64}};
    for (uint32_t i = 0; i < N_ALL_TRACES; i++) {
        snprintf(traces[i], sizeof traces[i], "/tmp/heddle_mix_%d_%u.champsim", (int)getpid(), i);
        write_trace(traces[i], shapes[i].n_insts, shapes[i].bytes, shapes[i].step);
    }
    return 0;
}

static int remove_traces(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_ALL_TRACES; i++)
        remove(traces[i]);
    return 0;
}

/* --- random mixes --- */

static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, fast paths off", .no_fast_paths = true},
    {.name = "skip, quantum 1", .quantum = 1},
    {.name = "skip, 2 threads", .threads = 2},
    {.name = "cycle", .every_cycle = true},
};
enum { N_MANNERS = sizeof manners / sizeof manners[0] };
static const struct manner many_threads = {
    .name = "skip, quantum 3, 7 threads", .quantum = 3, .threads = 7};

static const struct choice {
    const char *name;
    const char *values[6];
} choices[] = {
    {"n_sms", {"2", "3"}},
    {"l2.policy", {"ucp", "tap_ucp", "tap_rrip", "lru", "drrip", "srrip"}},
    {"llc.period", {"80", "200", "333", "1000"}},
    {"llc.link_cycles", {"1", "5", "12", "30"}},
    {"llc.sample_sms", {"0,1", "1,0"}},
    {"cpu.clock_mhz", {"2800", "700", "1000"}},
    {"cpu.rob", {"2", "16", "128"}},
    {"cpu.mlp", {"1", "2", "8"}},
    {"cpu.l1_bytes", {"512", "4K"}},
    {"cpu.l2_bytes", {"1K", "8K"}},
    {"core_clock_mhz", {"700", "1400", "330"}},
    {"noc_clock_mhz", {"1400", "700", "650"}},
    {"l2_clock_mhz", {"1400", "700", "460"}},
    {"visibility_cycles", {"0", "1", "7", "300"}},
    {"memory.n_partitions", {"1", "2", "3"}},
    {"memory.banks", {"1", "2"}},
    {"memory.input_queue", {"1", "8"}},
    {"memory.dram_queue", {"1", "8"}},
    {"memory.reply_queue", {"1", "8"}},
    {"l2.n_sets", {"1", "4", "16"}},
    {"l2.n_ways", {"5", "8", "32"}},
    {"l2.n_mshrs", {"1", "3", "32"}},
    {"l2.mshr_merges", {"1", "8"}},
    {"l2.sector_bytes", {"32", "64", "128"}},
    {"l1d.n_mshrs", {"1", "32"}},
    {"noc.latency_cycles", {"2", "12"}},
    {"noc.buffer_flits", {"0", "20"}},
    {"noc.sms_per_port", {"1", "2"}},
    {"atomics.unit", {"at_l2", "atom_dir"}},
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

static const char *pick(const struct choice *c, struct workload_rng *rng)
{
    uint32_t n = 0;
    while (n < sizeof c->values / sizeof c->values[0] && c->values[n])
        n++;
    return c->values[workload_rng_below(rng, n)];
}

/* One to three programs, of which two may be the same. */
static const char *programs(struct workload_rng *rng, uint32_t n_traces, struct arena *arena)
{
    const char *text = "";
    uint32_t n = 1 + workload_rng_below(rng, 3);
    for (uint32_t i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? "," : "",
                            traces[workload_rng_below(rng, n_traces)]);
    return text;
}

/* A discrete GPU and its host: two memory systems, transfers, and kernels on either side. */
static const struct choice host_choices[] = {
    {"testbed.on", {"cmp", "gpu"}},
    {"testbed.launch", {"0", "1", "2"}},
    {"testbed.deal_cycles", {"1", "100"}},
    {"n_sms", {"2", "3"}},
    {"cpu.cores", {"4"}},
    {"cpu.clock_mhz", {"3400", "700", "1000"}},
    {"cpu.rob", {"2", "16", "168"}},
    {"cpu.mlp", {"1", "2", "10"}},
    {"cpu.width", {"1", "4"}},
    {"cpu.store_buffer", {"8", "36"}},
    {"cpu.simd_width", {"1", "4", "8"}},
    {"cpu.follow_registers", {"true", "false"}},
    {"cpu.l1_bytes", {"512", "4K"}},
    {"cpu.l2_bytes", {"1K", "8K"}},
    {"core_clock_mhz", {"900", "400"}},
    {"host_memory.noc_clock_mhz", {"3400", "700"}},
    {"host_memory.llc_clock_mhz", {"3400", "460"}},
    {"host_memory.n_partitions", {"1", "2", "3"}},
    {"host_memory.banks", {"1", "2"}},
    {"host_memory.dram_queue", {"1", "16"}},
    {"host_memory.input_queue", {"1", "8"}},
    {"host_memory.pcie_requests", {"1", "3", "64"}},
    {"host_llc.n_sets", {"1", "16"}},
    {"host_llc.n_mshrs", {"1", "32"}},
    {"host_llc.policy", {"lru", "drrip"}},
    {"host_noc.latency_cycles", {"1", "6"}},
    {"host.pcie_latency_ns", {"1", "700"}},
};
enum { N_HOST_CHOICES = sizeof host_choices / sizeof host_choices[0] };

static struct testbed random_machine(const char *gpu, uint32_t n_traces, const struct choice *list,
                                     uint32_t n_list, uint64_t seed, struct arena *arena)
{
    struct testbed bed = {.name = "mix", .gpu = gpu};
    struct workload_rng rng = {seed * 77};
    uint32_t n = 0;
    bed.settings[n++] = arena_printf(arena, "cpu.programs=%s", programs(&rng, n_traces, arena));
    for (uint32_t i = 0; i < n_list; i++)
        bed.settings[n++] = arena_printf(arena, "%s=%s", list[i].name, pick(&list[i], &rng));
    return bed;
}

static void fail_with(const struct testbed *bed, uint64_t seed, const char *what,
                      const struct strbuf *why)
{
    struct strbuf text = {0};
    describe_testbed(bed, &text);
    fail_msg("seed %llu, %s on %s:\n%s", (unsigned long long)seed, what, strbuf_text(&text),
             strbuf_text(why));
}

static void run_mix(uint64_t seed, bool is_discrete)
{
    struct arena arena = {0};
    struct random_case random = {0};
    struct strbuf first = {0}, other = {0}, why = {0};
    struct testbed bed =
        is_discrete
            ? random_machine("i7-s9150", N_ALL_TRACES, host_choices, N_HOST_CHOICES, seed, &arena)
            : random_machine("hetero", N_TRACES, choices, N_CHOICES, seed, &arena);
    random_case_make(&random, seed, false);
    if (observe_kernel(&random.k, &bed, &manners[0], &first) != HEDDLE_OK)
        fail_with(&bed, seed, "does not run", &first);
    for (uint32_t i = 1; i < N_MANNERS; i++) {
        strbuf_clear(&other);
        observe_kernel(&random.k, &bed, &manners[i], &other);
        if (!observations_agree(&first, &other, &why))
            fail_with(&bed, seed, manners[i].name, &why);
    }
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
    random_case_destroy(&random);
    arena_destroy(&arena);
}

static uint64_t first_seed = 1, n_mixes = 5;

static void nothing_depends_on_quantum_engine_or_threads(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < n_mixes; i++)
        run_mix(first_seed + i, false);
}

static void nor_do_kernels_on_cores_and_transfers(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < n_mixes; i++)
        run_mix(first_seed + i, true);
}

/* --- launches among CPU programs --- */

static struct testbed small_mix(struct arena *arena, const char *programs)
{
    return (struct testbed){.name = "small",
                            .gpu = "hetero",
                            .settings = {arena_printf(arena, "cpu.programs=%s", programs),
                                         "n_sms=2", "llc.period=1000"}};
}

/* CPU cores continue, so only the GPU's own state shows that nothing can happen to it. */
static void a_deadlock_of_the_gpu_is_found_beside_cpu_programs(void **state)
{
    (void)state;
    static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                              ".visible .entry k()\n{ .reg .pred %p; .reg .u32 %t;\n"
                              "mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 32;\n"
                              "@%p bra FIRST;\nbar.sync 1, 64;\nbra END;\nFIRST:\n"
                              "bar.sync 2, 64;\nEND: ret; }\n";
    const struct kernel_launch launch = {"k", 1, 64};
    const struct kernel_case k = {
        .name = "bad.ptx", .ptx = ptx, .launches = &launch, .n_launches = 1};
    struct arena arena = {0};
    struct testbed bed = small_mix(&arena, traces[1]);
    struct strbuf first = {0}, why = {0};
    assert_int_equal(observe_kernel(&k, &bed, &manners[0], &first), HEDDLE_KERNEL_FAULT);
    assert_non_null(strstr(strbuf_text(&first), "deadlock: nothing can happen any more"));
    assert_non_null(strstr(strbuf_text(&first), "waits at barrier 2"));
    for (uint32_t i = 1; i <= N_MANNERS; i++) {
        const struct manner *m = i < N_MANNERS ? &manners[i] : &many_threads;
        struct strbuf other = {0};
        observe_kernel(&k, &bed, m, &other);
        if (!observations_agree(&first, &other, &why))
            fail_with(&bed, 0, m->name, &why);
        strbuf_destroy(&other);
    }
    strbuf_destroy(&first);
    arena_destroy(&arena);
}

/* --- simulations --- */

static struct heddle_sim *create(const struct testbed *bed)
{
    struct heddle_options o = {
        .struct_size = sizeof o, .timing = true, .gpu = bed->gpu, .settings = bed->settings};
    struct heddle_sim *sim;
    while (bed->settings[o.n_settings])
        o.n_settings++;
    if (heddle_create(&o, &sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return sim;
}

static struct heddle_stat stat_of(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s = {0};
    if (!heddle_stat_find(sim, name, &s))
        fail_msg("no statistic %s", name);
    return s;
}

static void run_workload(struct heddle_sim *sim, const char *name)
{
    const struct workload *w = workload_find(name);
    struct workload_result result = {0};
    struct device *d = device_create_heddle(sim);
    workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, &result);
    if (!result.verified)
        fail_msg("%s", strbuf_text(&result.message));
    workload_result_destroy(&result);
    device_destroy(d);
}

/* A short program restarts while kernels run, and its statistics stop at its first end; a long one
 * runs to its end after the last kernel, while the GPU's time does not advance. */
static void programs_end_once_and_begin_again(void **state)
{
    (void)state;
    struct arena arena = {0};
    char path[80];
    snprintf(path, sizeof path, "%s.long", traces[0]);
    write_trace(path, 300000, 1 << 24, 64);
    struct testbed bed = small_mix(&arena, arena_printf(&arena, "%s,%s", traces[0], path));
    struct heddle_sim *mix = create(&bed);
    run_workload(mix, "nw");
    assert_int_equal(stat_of(mix, "cpu0.insts").count, SHORT_INSTS);
    assert_int_equal(stat_of(mix, "cpu0.ended").count, 1);
    assert_true(stat_of(mix, "cpu0.restarts").count > 3);
    assert_true(stat_of(mix, "cpu0.cycles").count < 4 * stat_of(mix, "cycles").count);
    assert_int_equal(stat_of(mix, "cpu1.insts").count, 300000);
    assert_int_equal(stat_of(mix, "cpu1.restarts").count, 1);
    assert_true(stat_of(mix, "cpu1.cycles").count > 4 * stat_of(mix, "elapsed_cycles").count);
    assert_int_equal(stat_of(mix, "elapsed_cycles").count,
                     stat_of(mix, "cycles").count + stat_of(mix, "wait_cycles").count);
    heddle_destroy(mix);
    remove(path);
    arena_destroy(&arena);
}

/* Beside a program that stays in its own caches, the GPU takes the same cycles as alone; one that
 * shares memory may delay it or, by another order of replies, even speed it up a little. */
static void an_idle_neighbour_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"cycles",  "wait_cycles", "l1d.hits",  "l1d.misses",
                                        "l2.hits", "l2.accesses", "dram.bytes"};
    enum { N_NAMES = sizeof names / sizeof names[0] };
    static const char *const neighbours[] = {"", "cache_bubble_0"};
    uint64_t counts[2][N_NAMES];
    for (uint32_t i = 0; i < 2; i++) {
        struct arena arena = {0};
        struct testbed bed = small_mix(&arena, neighbours[i]);
        bed.settings[3] = "cpu.insts=2000";
        struct heddle_sim *sim = create(&bed);
        run_workload(sim, "nw");
        for (uint32_t n = 0; n < N_NAMES; n++)
            counts[i][n] = stat_of(sim, names[n]).count;
        heddle_destroy(sim);
        arena_destroy(&arena);
    }
    for (uint32_t n = 0; n < N_NAMES; n++)
        assert_int_equal(counts[0][n], counts[1][n]);
}

/* --- the controller --- */

struct times {
    uint64_t decided, applied; /* the first cycles that see the first decision */
};

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct times *t = user;
    if (!t->decided && machine_llc_controller(m)->n_periods)
        t->decided = cycle;
    if (!t->applied && machine_slice(m, 0)->llc->n_applied)
        t->applied = cycle;
}

/* With one clock for all: reports leave in cycle 1000, the controller decides in 1012, slices apply
 * in 1024. An observer in a cycle sees what happened before it. */
static void decisions_take_a_link_to_the_controller_and_one_back(void **state)
{
    (void)state;
    static const char *const policies[] = {"ucp", "tap_ucp", "tap_rrip"};
    for (uint32_t i = 0; i < 3; i++) {
        struct arena arena = {0};
        struct times t = {0};
        struct testbed bed = small_mix(&arena, traces[1]);
        bed.settings[3] = "noc_clock_mhz=700";
        bed.settings[4] = "l2_clock_mhz=700";
        bed.settings[5] = "llc.link_cycles=12";
        bed.settings[6] = arena_printf(&arena, "l2.policy=%s", policies[i]);
        struct heddle_sim *sim = create(&bed);
        machine_watch(sim->machine,
                      (struct machine_watcher){.period_cycles = 1, .look = look, .user = &t});
        assert_int_equal(heddle_finish(sim), HEDDLE_OK);
        assert_int_equal(t.decided, 1013);
        assert_int_equal(t.applied, 1025);
        heddle_destroy(sim);
        arena_destroy(&arena);
    }
}

/* --- what partitions do --- */

static struct testbed tiny_llc(struct arena *arena, const char *first, const char *second,
                               const char *policy)
{
    return (struct testbed){.name = "tiny",
                            .gpu = "hetero",
                            .settings = {arena_printf(arena, "cpu.programs=%s,%s", first, second),
                                         arena_printf(arena, "l2.policy=%s", policy),
                                         "cpu.l1_bytes=512", "cpu.l2_bytes=512", "l2.n_sets=4",
                                         "l2.n_ways=16", "llc.period=500", "memory.n_partitions=2",
                                         "memory.banks=2", "n_sms=2"}};
}

/* 24 KB are used over and over, next to a stream, in a cache of 32 KB. */
static void a_stream_hurts_its_neighbour_under_lru_but_not_under_ucp(void **state)
{
    (void)state;
    static const char *const policies[] = {"lru", "ucp"};
    double misses[2], ipc[2], occupied[2];
    char again[80], stream[80];
    snprintf(again, sizeof again, "%s.again", traces[0]);
    snprintf(stream, sizeof stream, "%s.stream", traces[0]);
    write_trace(again, 6000, 24 << 10, 64);
    write_trace(stream, 7000, 1 << 30, 64);
    for (uint32_t i = 0; i < 2; i++) {
        struct arena arena = {0};
        struct testbed bed = tiny_llc(&arena, again, stream, policies[i]);
        struct heddle_sim *sim = create(&bed);
        assert_int_equal(heddle_finish(sim), HEDDLE_OK);
        misses[i] = stat_of(sim, "llc.cpu0.miss_rate").real;
        ipc[i] = stat_of(sim, "cpu0.ipc").real;
        occupied[i] = stat_of(sim, "llc.cpu1.occupancy").real;
        heddle_destroy(sim);
        arena_destroy(&arena);
    }
    print_message("miss rate lru %.3f ucp %.3f, IPC %.3f %.3f, stream has %.3f %.3f\n", misses[0],
                  misses[1], ipc[0], ipc[1], occupied[0], occupied[1]);
    remove(again);
    remove(stream);
    assert_true(misses[0] > 2 * misses[1]);
    assert_true(ipc[1] > 1.1 * ipc[0]);
    assert_true(occupied[0] > 0.4 && occupied[1] < 0.3);
}

/* A second implementation of fixed quotas: each application has a list of its lines in a set, by
 * their last use, and knows of no monitors. */
struct partition_line {
    uint64_t used;
    uint32_t app;
};
static const uint32_t partition_quotas[] = {2, 2, 4};
static uint64_t partition_clock;

static int partition_decide(const struct cache_policy *p, const struct cache_set *s,
                            const struct mem_access *a)
{
    (void)p;
    uint32_t own = 0;
    int oldest[2] = {CACHE_STALL, CACHE_STALL}; /* of others, its own */
    for (uint32_t w = 0; w < s->n_ways; w++) {
        const struct partition_line *l = s->line_state[w];
        if (!(s->occupied >> w & 1))
            continue;
        bool mine = l->app == a->app;
        own += mine;
        const struct partition_line *o = oldest[mine] < 0 ? NULL : s->line_state[oldest[mine]];
        if (!(s->reserved >> w & 1) && (!o || l->used < o->used))
            oldest[mine] = (int)w;
    }
    return oldest[own >= partition_quotas[a->app]];
}

static void partition_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                          const struct mem_access *a)
{
    (void)p, (void)a;
    if (way != ~0u)
        ((struct partition_line *)s->line_state[way])->used = ++partition_clock;
}

static void partition_look(struct cache_policy *p, const struct cache_set *s, int way,
                           const struct mem_access *a)
{
    partition_use(p, s, (uint32_t)way, a);
}

static void partition_insert(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                             const struct mem_access *a)
{
    ((struct partition_line *)s->line_state[way])->app = a->app;
    partition_use(p, s, way, a);
}

static uint64_t partition_cost(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)g, (void)params;
    return plugin_cost(parts, "nothing", 1);
}

static const struct cache_policy_desc partition = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "test_partition",
    .summary = "fixed numbers of ways",
    .citation = "this test",
    .line_state_bytes = sizeof(struct partition_line),
    .cost_bits = partition_cost,
    .l2_only = true,
    .never_bypasses = true,
    .decide = partition_decide,
    .on_hit = partition_use,
    .on_merge = partition_use,
    .on_miss = partition_look,
    .on_store = partition_look,
    .on_reserve = partition_insert,
};

/* The period never ends, so that monitors decide nothing. */
static void observe_partition(const char *policy, const char *quotas, struct strbuf *out)
{
    struct arena arena = {0};
    struct random_case random = {0};
    struct testbed bed = tiny_llc(&arena, traces[0], traces[2], policy);
    bed.settings[5] = "l2.n_ways=8";
    bed.settings[6] = "llc.period=1000000000";
    bed.settings[10] = quotas;
    random_case_make(&random, 5, false);
    if (observe_kernel(&random.k, &bed, &manners[0], out) != HEDDLE_OK)
        fail_with(&bed, 5, policy, out);
    random_case_destroy(&random);
    arena_destroy(&arena);
}

static void forced_quotas_are_a_static_partition_cycle_by_cycle(void **state)
{
    (void)state;
    struct strbuf why = {0}, ucp = {0}, fixed = {0}, other = {0};
    assert_true(cache_policy_register(&partition, &why));
    observe_partition("ucp", "l2.policy.quotas=2,2,4", &ucp);
    observe_partition("test_partition", NULL, &fixed);
    if (!observations_agree(&ucp, &fixed, &why))
        fail_msg("%s", strbuf_text(&why));
    observe_partition("ucp", "l2.policy.quotas=4,2,2", &other);
    assert_false(observations_agree(&ucp, &other, &why));
    strbuf_destroy(&why);
    strbuf_destroy(&ucp);
    strbuf_destroy(&fixed);
    strbuf_destroy(&other);
}

/* --- quotas, set by set --- */

enum { QUOTA_SETS = 4, QUOTA_WAYS = 16, QUOTA_BANKS = 4, QUOTA_APPS = 3 };

/* A bank as an observer of its events knows it. */
struct seen_bank {
    const struct slice *slice;
    uint32_t owners[QUOTA_SETS][QUOTA_WAYS]; /* application + 1; 0 = empty */
    uint64_t n_applied;
    uint32_t quotas[QUOTA_APPS];
    uint64_t n_evictions, n_of_others;
};

/* The victim is a line of others if the application has fewer than its quota, otherwise one of its
 * own. The test of forced quotas says which one. */
static void check_victim(struct seen_bank *b, const struct cache_event_info *e)
{
    const uint32_t *owners = b->owners[e->set];
    uint32_t app = e->access->app + 1u, own = 0;
    for (uint32_t w = 0; w < QUOTA_WAYS; w++) {
        assert_int_not_equal(owners[w], 0); /* an empty way would have been filled */
        own += owners[w] == app;
    }
    bool is_own = owners[e->way] == app;
    assert_int_equal(is_own, own >= b->quotas[app - 1]);
    b->n_evictions++;
    b->n_of_others += !is_own;
}

static void see(void *user, const struct cache_event_info *e)
{
    struct seen_bank *b = user;
    const struct slice_llc *l = b->slice->llc;
    if (l->n_applied != b->n_applied)
        memcpy(b->quotas, l->decision->quotas, sizeof b->quotas);
    b->n_applied = l->n_applied;
    if (e->event == CE_EVICT) {
        check_victim(b, e);
        b->owners[e->set][e->way] = 0;
    } else {
        b->owners[e->set][e->way] = e->access->app + 1u;
    }
}

static void watch_quotas(struct heddle_sim *sim, struct seen_bank *banks)
{
    static const uint32_t equal[QUOTA_APPS] = {6, 5, 5};
    for (uint32_t i = 0; i < QUOTA_BANKS; i++) {
        const struct slice *p = machine_slice(sim->machine, i / 2);
        banks[i].slice = p;
        memcpy(banks[i].quotas, equal, sizeof equal);
        cache_observe_some(p->banks[i % 2].cache, 1u << CE_RESERVE | 1u << CE_EVICT, see,
                           &banks[i]);
    }
}

/* Every line that leaves while two CPU programs and a kernel share the cache, under both policies
 * that partition it. */
static void quotas_are_obeyed_in_every_set(void **state)
{
    (void)state;
    static const char *const policies[] = {"ucp", "tap_ucp"};
    char again[80];
    snprintf(again, sizeof again, "%s.again", traces[0]);
    write_trace(again, 6000, 24 << 10, 64);
    for (uint32_t i = 0; i < 2; i++) {
        struct arena arena = {0};
        struct seen_bank *banks = calloc(QUOTA_BANKS, sizeof *banks);
        struct testbed bed = tiny_llc(&arena, again, traces[1], policies[i]);
        struct heddle_sim *sim = create(&bed);
        uint64_t n = 0, of_others = 0, applied = 0;
        watch_quotas(sim, banks);
        run_workload(sim, "nw");
        for (uint32_t b = 0; b < QUOTA_BANKS; b++) {
            n += banks[b].n_evictions;
            of_others += banks[b].n_of_others;
            applied += banks[b].n_applied;
        }
        assert_true(stat_of(sim, "llc.quota_changes").count > 10 && applied > 40);
        assert_true(n > 1000 && of_others > 100 && of_others < n);
        heddle_destroy(sim);
        free(banks);
        arena_destroy(&arena);
    }
    remove(again);
}

/* --- core sampling --- */

/* Shares of the judged periods after which caching helps the GPU. */
static double share_that_helps(const char *workload, const char *n_sets)
{
    struct arena arena = {0};
    struct testbed bed = small_mix(&arena, traces[0]);
    bed.settings[1] = "n_sms=6";
    bed.settings[2] = "llc.period=4000";
    bed.settings[3] = "l2.policy=tap_ucp";
    bed.settings[4] = n_sets;
    struct heddle_sim *sim = create(&bed);
    run_workload(sim, workload);
    double judged = (double)stat_of(sim, "llc.periods_judged").count;
    double helps = (double)stat_of(sim, "llc.periods_caching_helps").count;
    print_message("%s: caching helps in %.0f of %.0f periods\n", workload, helps, judged);
    assert_true(judged >= 5);
    heddle_destroy(sim);
    arena_destroy(&arena);
    return helps / judged;
}

/* A kernel that loads the same lines over and over, which L1D cannot hold, and one that loads each
 * line once: the SM that inserts at the LRU position falls behind in the first alone. */
static void core_sampling_tells_who_gains_from_the_cache(void **state)
{
    (void)state;
    double gains = share_that_helps("mm", "l2.n_sets=32");
    double streams = share_that_helps("dct", "l2.n_sets=32");
    assert_true(gains > 0.5);
    assert_true(streams < 0.1);
}

/* --- what users do wrong --- */

static void expect_refusal(const char *setting, const char *programs, const char *text)
{
    struct arena arena = {0};
    struct testbed bed = small_mix(&arena, programs);
    bed.settings[3] = "l2.policy=tap_ucp";
    bed.settings[4] = setting;
    struct heddle_options o = {
        .struct_size = sizeof o, .timing = true, .gpu = "hetero", .settings = bed.settings};
    struct heddle_sim *sim;
    while (bed.settings[o.n_settings])
        o.n_settings++;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_BAD_INPUT);
    if (!strstr(heddle_error(sim), text))
        fail_msg("not '%s': %s", text, heddle_error(sim));
    heddle_destroy(sim);
    arena_destroy(&arena);
}

static void machines_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    const char *t = traces[0];
    expect_refusal("llc.sample_sms=0,2", t, "expected the numbers of two SMs");
    expect_refusal("llc.sample_sms=1,1", t, "expected the numbers of two SMs");
    expect_refusal("llc.period=20", t, "llc.period (20) must be at least");
    expect_refusal("flush_l2=true", t, "cannot be emptied while CPU cores run");
    expect_refusal("cpu.cores=1", arena_printf(&arena, "%s,%s", t, t), "2 programs, but cpu.cores");
    expect_refusal("l2.n_ways=1", t, "min_ways");
    expect_refusal("cpu.mlp=32", t, "cpu.write_buffer");
    arena_destroy(&arena);
}

/* The recording ends in the middle of an instruction. */
static void a_truncated_trace_is_an_error_with_its_offset(void **state)
{
    (void)state;
    struct arena arena = {0};
    char path[80];
    snprintf(path, sizeof path, "%s.cut", traces[0]);
    write_trace(path, 500, 1 << 20, 64);
    assert_int_equal(truncate(path, 500 * 64 - 30), 0);
    struct testbed bed = small_mix(&arena, path);
    struct heddle_sim *sim = create(&bed);
    assert_int_equal(heddle_finish(sim), HEDDLE_BAD_INPUT);
    if (!strstr(heddle_error(sim), "byte 31970") ||
        !strstr(heddle_error(sim), "after 499 instructions"))
        fail_msg("%s", heddle_error(sim));
    heddle_destroy(sim);
    remove(path);
    arena_destroy(&arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_that_cannot_be_are_refused),
        cmocka_unit_test(a_truncated_trace_is_an_error_with_its_offset),
        cmocka_unit_test(decisions_take_a_link_to_the_controller_and_one_back),
        cmocka_unit_test(programs_end_once_and_begin_again),
        cmocka_unit_test(an_idle_neighbour_changes_nothing),
        cmocka_unit_test(a_deadlock_of_the_gpu_is_found_beside_cpu_programs),
        cmocka_unit_test(a_stream_hurts_its_neighbour_under_lru_but_not_under_ucp),
        cmocka_unit_test(forced_quotas_are_a_static_partition_cycle_by_cycle),
        cmocka_unit_test(quotas_are_obeyed_in_every_set),
        cmocka_unit_test(core_sampling_tells_who_gains_from_the_cache),
        cmocka_unit_test(nothing_depends_on_quantum_engine_or_threads),
        cmocka_unit_test(nor_do_kernels_on_cores_and_transfers),
    };
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        n_mixes = strtoull(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, make_traces, remove_traces);
}
