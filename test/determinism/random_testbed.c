#include "determinism/random_testbed.h"

#include <assert.h>
#include <string.h>

#include "cache/cache_policy.h"
#include "config/gpu.h"
#include "gpu/machine_config.h"

/* One of these for each parameter, with a chance of one in two; else the GPU's own. */
static const struct choice {
    const char *name;
    const char *values[6];
} choices[] = {
    {"warps_per_sm", {"64"}}, /* fewer may not hold the threads that the GPU has */
    {"ctas_per_sm", {"8", "3", "16"}},
    {"core_clock_mhz", {"700", "1300", "330", "701"}},
    {"noc_clock_mhz", {"330", "650", "700"}},
    {"l2_clock_mhz", {"460", "700", "1400"}},
    {"dram_clock_mhz", {"510", "924", "800"}},
    {"dispatch_cycles", {"1", "2", "30"}},
    {"launch_cycles", {"0", "1", "777"}},
    {"visibility_cycles", {"0", "1", "7", "100", "1500"}},
    {"flush_l1", {"true", "false"}},
    {"flush_l2", {"true", "false"}},
    {"sm.n_schedulers", {"1", "2", "3", "4"}},
    {"sm.sub_cores", {"true", "false"}},
    {"sm.rotate_schedulers", {"true", "false"}},
    {"sm.ibuffer_entries", {"1", "2", "4"}},
    {"sm.fetch_insts", {"1", "2", "4"}},
    {"sm.fetch_warps", {"1", "2", "4"}},
    {"sm.n_sp_units", {"1", "2"}},
    {"sm.n_int_units", {"0", "1", "2"}},
    {"sm.n_fp64_units", {"0", "1"}},
    {"sm.int_collectors", {"1", "3"}},
    {"sm.sp_collectors", {"1", "2", "6"}},
    {"sm.sfu_collectors", {"1", "8"}},
    {"sm.register_banks", {"1", "4", "16"}},
    {"sm.ldst_queue", {"1", "2", "4"}},
    {"sm.shared_latency", {"1", "24"}},
    {"sm.coalesce_lanes", {"8", "16", "32"}},
    {"sm.miss_queue", {"1", "2", "8"}},
    {"sm.bypass_slots", {"1", "3", "64"}},
    {"sm.bypass_bytes", {"32", "128"}},
    {"sm.l1d_latency", {"1", "30", "999"}},
    {"sm.l1d_global", {"true", "true", "false"}},
    {"l1d.n_sets", {"1", "2", "32"}},
    {"l1d.n_ways", {"1", "2", "4"}},
    {"l1d.index", {"linear", "hash"}},
    {"l1d.n_mshrs", {"1", "2", "32"}},
    {"l1d.mshr_merges", {"1", "2", "8"}},
    {"l1d.allocate_on_fill", {"false", "true"}},
    {"l1d.sector_bytes", {"32", "64", "128"}},
    {"l2.sector_bytes", {"32", "64", "128"}},
    {"l1d.write_back", {"true", "false"}},
    {"l1d.write_evict", {"true", "false"}},
    {"l2.policy", {"lru", "none", "fifo"}},
    {"l2.allocate_on_fill", {"false", "true"}},
    {"l2.write_back", {"true", "true", "false"}},
    {"l2.write_allocate", {"true", "true", "false"}},
    {"l1i.n_sets", {"1", "4"}},
    {"l1i.n_ways", {"1", "4"}},
    {"l1i.n_mshrs", {"1", "2"}},
    {"l1i.mshr_merges", {"1", "32"}},
    {"l1c.n_mshrs", {"1", "2"}},
    {"l1c.n_sets", {"1", "64"}},
    {"l2.n_sets", {"1", "4", "64"}},
    {"l2.n_ways", {"1", "8"}},
    {"l2.n_mshrs", {"1", "3", "32"}},
    {"l2.mshr_merges", {"1", "4"}},
    {"memory.n_partitions", {"1", "2", "3", "6"}},
    {"memory.banks", {"1", "2", "4"}},
    {"memory.input_queue", {"1", "2", "8"}},
    {"memory.rop_latency", {"1", "60"}},
    {"memory.l2_latency", {"1", "10"}},
    {"memory.dram_latency", {"0", "50"}},
    {"memory.dram_queue", {"1", "2", "8"}},
    {"memory.reply_queue", {"1", "8"}},
    {"memory.atomics_per_cycle", {"1", "32"}},
    {"dram.queue_entries", {"1", "2", "32"}},
    {"dram.n_banks", {"4", "16"}},
    {"noc.latency_cycles", {"1", "3", "12"}},
    {"noc.flit_bytes", {"8", "32"}},
    {"noc.buffer_flits", {"0", "20", "40"}},
    {"noc.flits_per_cycle_up", {"1", "2"}},
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

static const char *pick_value(const struct choice *c, struct workload_rng *rng)
{
    uint32_t n = 0;
    while (n < sizeof c->values / sizeof c->values[0] && c->values[n])
        n++;
    return c->values[workload_rng_below(rng, n)];
}

/* Settings that can be combined only in some ways, after everything else: an L1D that shares its
 * memory gives up ways that it needs; a hash needs a power of two of partitions. */
static uint32_t add_combinations(const char **settings, struct workload_rng *rng,
                                 struct arena *arena)
{
    uint32_t n = 0;
    bool carved = workload_rng_below(rng, 3) == 0, hashed = workload_rng_below(rng, 2) == 0;
    settings[n++] = carved ? "sm.carveout=0,8K" : "sm.carveout=none";
    if (carved)
        settings[n++] = "l1d.n_sets=32";
    if (carved)
        settings[n++] = "l1d.n_ways=4";
    settings[n++] = hashed ? "memory.hash_partitions=true" : "memory.hash_partitions=false";
    if (hashed)
        settings[n++] =
            arena_printf(arena, "memory.n_partitions=%u", 1u << workload_rng_below(rng, 4));
    return n;
}
enum { MAX_COMBINATIONS = 5 };

/* Independent choices seldom give an L1D like that of today's GPUs: LRU with many ways, allocation
 * on fill, and no listeners. Its loads have fast paths. */
static const char *const late_l1d[] = {
    "l1d.policy=lru", "criticality=none",          "scheduler=gto",      "sm.carveout=none",
    "l1d.n_ways=16",  "l1d.allocate_on_fill=true", "l1d.sector_bytes=32"};
enum { N_LATE = sizeof late_l1d / sizeof late_l1d[0] };

/* Nor an L2 of as many ways whose lines come in pieces, where loads have short ways too. */
static const char *const wide_l2[] = {"l2.policy=lru", "l2.n_ways=12", "l2.sector_bytes=32",
                                      "l2.allocate_on_fill=false", "l2.write_allocate=true"};
enum { N_WIDE = sizeof wide_l2 / sizeof wide_l2[0] };

/* There is nothing to part in a set of one way, and the clocks of v100, a prime among them, leave
 * no room for another. */
static bool is_refused(const char *gpu, const char *policy, const char *name, const char *value)
{
    return (!strcmp(policy, "cacp") && !strcmp(name, "l1d.n_ways") && !strcmp(value, "1")) ||
           (!strcmp(gpu, "v100") && !strcmp(value, "701"));
}

/* One that every cache may have: with those for L2 alone, old seeds would change. */
static const char *any_policy(struct workload_rng *rng)
{
    uint32_t n = 0;
    const char *names[64];
    for (uint32_t i = 0; i < cache_policy_count(); i++)
        if (!cache_policy_at(i)->l2_only)
            names[n++] = cache_policy_at(i)->name;
    assert(n <= 64);
    return names[workload_rng_below(rng, n)];
}

/* Of half of the machines two or three SMs share a port, if the network has room for it. */
static const char *shared_ports(const struct testbed *bed, uint32_t n, uint64_t seed)
{
    static const char *const values[] = {"noc.sms_per_port=1", "noc.sms_per_port=2",
                                         "noc.sms_per_port=1", "noc.sms_per_port=3"};
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(bed->settings[i], "noc.latency_cycles=1"))
            return values[0];
    return values[seed >> 7 & 3]; /* not by the generator, or old seeds would change */
}

enum { N_GPUS = 6 }; /* with those that came later, old seeds would change: see test_mixes.c */
enum { MOST_CHOICES = 42 }; /* settings before combinations: with more, old seeds would change */

void random_testbed_make(struct testbed *bed, uint64_t seed, struct arena *arena)
{
    struct workload_rng rng = {seed};
    uint32_t n = 0, most = MOST_CHOICES;
    *bed = (struct testbed){.name = "random", .gpu = gpu_names[workload_rng_below(&rng, N_GPUS)]};
    bed->settings[n++] = arena_printf(arena, "n_sms=%u", 1 + workload_rng_below(&rng, 3));
    bed->settings[n++] = arena_printf(
        arena, "scheduler=%s", scheduler_at(workload_rng_below(&rng, scheduler_count()))->name);
    bed->settings[n++] = workload_rng_below(&rng, 2) ? "criticality=cpl" : "criticality=none";
    const char *policy = any_policy(&rng);
    bed->settings[n++] = arena_printf(arena, "l1d.policy=%s", policy);
    uint32_t from = workload_rng_below(&rng, N_CHOICES);
    for (uint32_t i = 0; i < N_CHOICES && n < most; i++) {
        const struct choice *c = &choices[(from + i) % N_CHOICES];
        const char *value = pick_value(c, &rng);
        if (workload_rng_below(&rng, 2) && !is_refused(bed->gpu, policy, c->name, value))
            bed->settings[n++] = arena_printf(arena, "%s=%s", c->name, value);
    }
    n += add_combinations(bed->settings + n, &rng, arena);
    if (workload_rng_below(&rng, 4) == 1) {
        memcpy(bed->settings + n, late_l1d, sizeof late_l1d);
        n += N_LATE;
    }
    if (workload_rng_below(&rng, 3) == 1) {
        memcpy(bed->settings + n, wide_l2, sizeof wide_l2);
        n += N_WIDE;
    }
    bed->settings[n] = shared_ports(bed, n, seed);
}

/* --- wide machines --- */

struct widening {
    struct testbed *bed;
    uint32_t n; /* settings */
    struct workload_rng rng;
    struct arena *arena;
};

static bool one_in(struct widening *w, uint32_t n)
{
    return workload_rng_below(&w->rng, n) == 0;
}

static void set(struct widening *w, const char *name, const char *value)
{
    assert(w->n + 1 < sizeof w->bed->settings / sizeof w->bed->settings[0]);
    w->bed->settings[w->n++] = arena_printf(w->arena, "%s=%s", name, value);
}

/* Any that is registered, plug-ins among them; often those for which there are most fast paths. */
static void set_mechanisms(struct widening *w)
{
    const char *policies[] = {"lru", "lru"};
    for (uint32_t i = 0; i < 2; i++)
        if (!one_in(w, 2))
            policies[i] = any_policy(&w->rng);
    set(w, "l1d.policy", policies[0]);
    set(w, "l2.policy", policies[1]);
    const char *scheduler = scheduler_at(workload_rng_below(&w->rng, scheduler_count()))->name;
    set(w, "scheduler", one_in(w, 3) ? "gto" : scheduler);
    const char *provider = criticality_at(workload_rng_below(&w->rng, criticality_count()))->name;
    set(w, "criticality", one_in(w, 2) ? "auto" : provider);
}

static void set_cache(struct widening *w, const char *cache)
{
    static const char *const ways[] = {"1", "2", "3", "4", "8", "9", "16", "64"};
    static const char *const mshrs[] = {"1", "2", "3", "16"}, *const merges[] = {"1", "2", "8"};
    const char *name = arena_printf(w->arena, "%s.allocate_on_fill", cache);
    set(w, name, one_in(w, 2) ? "true" : "false");
    if (one_in(w, 3))
        set(w, arena_printf(w->arena, "%s.n_ways", cache), ways[workload_rng_below(&w->rng, 8)]);
    if (one_in(w, 3))
        set(w, arena_printf(w->arena, "%s.n_mshrs", cache), mshrs[workload_rng_below(&w->rng, 4)]);
    if (one_in(w, 3))
        set(w, arena_printf(w->arena, "%s.mshr_merges", cache),
            merges[workload_rng_below(&w->rng, 3)]);
}

/* Few MSHRs and few places in all queues, at once. */
static void set_shortages(struct widening *w)
{
    static const char *const places[] = {
        "l1d.n_mshrs",       "l1d.mshr_merges",    "l1i.n_mshrs",       "l1i.mshr_merges",
        "l1c.n_mshrs",       "l1c.mshr_merges",    "l2.n_mshrs",        "l2.mshr_merges",
        "sm.miss_queue",     "sm.ldst_queue",      "sm.bypass_slots",   "memory.input_queue",
        "memory.dram_queue", "memory.reply_queue", "dram.queue_entries"};
    uint32_t most = 1 + workload_rng_below(&w->rng, 4);
    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++)
        set(w, places[i], arena_printf(w->arena, "%u", 1 + workload_rng_below(&w->rng, most)));
    set(w, "noc.buffer_flits", one_in(w, 2) ? "20" : "0");
}

/* Lines of L1D that are shorter than those of L2. */
static void set_short_lines(struct widening *w)
{
    bool shortest = one_in(w, 2);
    set(w, "l1d.line_bytes", shortest ? "32" : "64");
    set(w, "l1d.sector_bytes", shortest || one_in(w, 2) ? "32" : "64");
    set(w, "sm.bypass_bytes", "32");
}

/* Machines of today's kind, where most fast paths are open: all that would close them is as usual
 * (the atomics unit too, see set_any_unit()), and caches are small, so that lines come and go. */
static void set_usual(struct widening *w)
{
    static const char *const usual[] = {
        "scheduler=gto",     "criticality=none",     "sm.carveout=none",
        "sm.miss_queue=32",  "sm.fetch_warps=1",     "sm.l1d_global=true",
        "l1d.policy=lru",    "l2.policy=lru",        "l1d.n_mshrs=32",
        "l1d.mshr_merges=8", "l1d.write_back=false", "sm.rotate_schedulers=false",
        "noc.buffer_flits=0"};
    static const char *const late[] = {"l1d.n_ways=16", "l1d.line_bytes=128", "l1d.sector_bytes=32",
                                       "l1d.allocate_on_fill=true"};
    static const char *const simple[] = {"l1d.n_ways=4", "l1d.line_bytes=128",
                                         "l1d.sector_bytes=128", "l1d.allocate_on_fill=false"};
    const char *const *l1d = one_in(w, 2) ? late : simple;
    for (uint32_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        w->bed->settings[w->n++] = usual[i];
    for (uint32_t i = 0; i < sizeof late / sizeof late[0]; i++)
        w->bed->settings[w->n++] = l1d[i];
    set(w, "l1d.n_sets", one_in(w, 2) ? "1" : "4");
    if (one_in(w, 2))
        set(w, "l1d.n_mshrs", one_in(w, 2) ? "2" : "5");
    bool wide = one_in(w, 2);
    for (uint32_t i = 0; wide && i < N_WIDE; i++)
        w->bed->settings[w->n++] = wide_l2[i];
    if (one_in(w, 2)) { /* the network keeps time with the SMs */
        set(w, "core_clock_mhz", "700");
        set(w, "noc_clock_mhz", "700");
        set(w, "noc.flits_per_cycle_up", "1");
    }
}

/* One of its values, if the unit has the parameter. */
static void set_of_unit(struct widening *w, const struct atomics_desc *d, const char *name,
                        const char *const *values, uint32_t n)
{
    for (uint32_t i = 0; i < d->n_params; i++)
        if (!strcmp(d->params[i].name, name))
            set(w, arena_printf(w->arena, "atomics.%s", name),
                values[workload_rng_below(&w->rng, n)]);
}

/* Few mutexes, so that SMs contend, and everything that can be short or slow. */
static void set_unit(struct widening *w, const struct atomics_desc *d)
{
    static const struct {
        const char *name, *values[4];
    } choices_of_units[] = {{"mutexes", {"1", "3", "16", "256"}},
                            {"hop_cycles", {"1", "2", "2", "7"}},
                            {"queue", {"1", "2", "5", "64"}},
                            {"hold_max", {"1", "2", "32", "32"}},
                            {"per_cycle", {"0", "1", "4", "32"}},
                            {"rows", {"0", "1", "2", "0"}},
                            {"busy_wires", {"0", "1", "3", "8"}},
                            {"spec_fetch", {"true", "true", "true", "false"}},
                            {"epoch_cycles", {"1", "64", "128", "5000"}}};
    set(w, "atomics.unit", d->name);
    if (d->net && one_in(w, 2))
        set(w, "n_sms", one_in(w, 2) ? "4" : "6");
    for (uint32_t i = 0; i < sizeof choices_of_units / sizeof choices_of_units[0]; i++)
        if (one_in(w, 2))
            set_of_unit(w, d, choices_of_units[i].name, choices_of_units[i].values, 4);
}

/* Every kernel has atomics on global memory, and units that perform these in SMs close the SMs'
 * fast paths. So at least half of the machines have the default unit, which does not. */
static void set_any_unit(struct widening *w, bool usual)
{
    bool is_default = usual || one_in(w, 2);
    set_unit(w, is_default ? atomics_find("at_l2")
                           : atomics_at(workload_rng_below(&w->rng, atomics_count())));
}

static void widen_once(struct widening *w)
{
    static const char *const caches[] = {"l1d", "l1i", "l1c", "l2"};
    set_mechanisms(w);
    for (uint32_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        set_cache(w, caches[i]);
    if (one_in(w, 2))
        set(w, "l1d.write_allocate", one_in(w, 2) ? "true" : "false");
    if (one_in(w, 4))
        set_short_lines(w);
    if (one_in(w, 4))
        set_shortages(w);
    bool usual = one_in(w, 3);
    if (usual)
        set_usual(w);
    set_any_unit(w, usual);
}

bool testbed_is_accepted(const struct testbed *bed)
{
    struct diag_list diags = {0};
    uint32_t n = 0;
    while (bed->settings[n])
        n++;
    struct machine_config *config = machine_config_load(bed->gpu, bed->settings, n, &diags);
    bool accepted = config != NULL;
    machine_config_destroy(config);
    diag_list_destroy(&diags);
    return accepted;
}

/* Write-buffering in L2, of a third of the machines, whatever policy was drawn before. */
static void set_write_buffering(struct widening *w)
{
    static const char *const drops[] = {"all_read", "first_hit", "demote"};
    uint32_t n = w->n;
    if (!one_in(w, 3))
        return;
    set(w, "l2.policy", "write_buffering");
    set(w, "l2.policy.drop", drops[workload_rng_below(&w->rng, 3)]);
    set(w, "l2.policy.mark_stores", one_in(w, 2) ? "true" : "false");
    set(w, "l2.policy.mark_loads", one_in(w, 3) ? "true" : "false");
    set(w, "l2.allocate_on_fill", "false");
    set(w, "l2.write_back", "true");
    set(w, "l2.write_allocate", "true");
    if (testbed_is_accepted(w->bed))
        return;
    memset(w->bed->settings + n, 0, (w->n - n) * sizeof w->bed->settings[0]);
    w->n = n;
}

/* Policies for caches that applications share, in an L2 that they do not: of a quarter of the
 * machines without write-buffering. Not by the generator, or old seeds would change. */
static void set_shared_policy(struct widening *w, uint64_t seed)
{
    static const char *const policies[] = {"ucp", "tap_ucp", "tap_rrip"};
    uint32_t n = w->n;
    if (seed >> 3 & 3)
        return;
    set(w, "l2.policy", policies[(seed >> 5) % 3]);
    if (testbed_is_accepted(w->bed))
        return;
    w->bed->settings[n] = NULL;
    w->n = n;
}

enum { TRIES = 20 };

/* What does not go together is drawn again. */
void random_testbed_widen(struct testbed *bed, uint64_t seed, struct arena *arena)
{
    uint32_t n = 0;
    while (bed->settings[n])
        n++;
    struct widening w = {.bed = bed, .rng = {~seed}, .arena = arena};
    for (uint32_t i = 0; i < TRIES; i++) {
        w.n = n;
        widen_once(&w);
        if (testbed_is_accepted(bed)) {
            w.rng = (struct workload_rng){seed ^ UINT64_C(0x51ab)};
            set_write_buffering(&w);
            set_shared_policy(&w, seed);
            random_testbed_set_memory(bed, seed);
            return;
        }
        memset(bed->settings + n, 0, (w.n - n) * sizeof bed->settings[0]);
    }
}

void random_testbed_set_unit(struct testbed *bed, const struct atomics_desc *unit, uint64_t seed,
                             struct arena *arena)
{
    struct widening w = {.bed = bed, .rng = {seed}, .arena = arena};
    for (uint32_t i = 0; bed->settings[i]; i++)
        if (strncmp(bed->settings[i], "atomics.", 8) != 0)
            bed->settings[w.n++] = bed->settings[i];
    size_t rest = sizeof bed->settings - w.n * sizeof bed->settings[0];
    uint32_t n = w.n;
    for (uint32_t i = 0; i < TRIES; i++) {
        w.n = n;
        memset(bed->settings + n, 0, rest);
        set_unit(&w, unit);
        if (testbed_is_accepted(bed))
            return;
    }
}

/* --- cases --- */

void random_case_make(struct random_case *c, uint64_t seed, bool racy)
{
    struct workload_rng rng = {seed};
    random_kernel_make(&c->kernel, workload_rng_u64(&rng), racy);
    random_testbed_make(&c->bed, workload_rng_u64(&rng), &c->arena);
    for (uint32_t i = 0; i < RANDOM_INPUT_WORDS; i++)
        c->input[i] = (uint32_t)workload_rng_u64(&rng) >> workload_rng_below(&rng, 32);
    uint64_t threads = (uint64_t)c->kernel.grid * c->kernel.block;
    c->buffers[0] = (struct kernel_buffer){sizeof c->input, c->input, false};
    c->buffers[1] = (struct kernel_buffer){threads * RANDOM_OWN_WORDS * 4, NULL, true};
    c->buffers[2] = (struct kernel_buffer){RANDOM_COUNTERS * 4, NULL, true};
    c->buffers[3] = (struct kernel_buffer){RANDOM_COUNTERS * 4, NULL, true};
    for (uint32_t i = 0; i < RANDOM_MAX_LAUNCHES; i++)
        c->launches[i] = (struct kernel_launch){"k", c->kernel.grid, c->kernel.block};
    c->k = (struct kernel_case){.name = "random.ptx",
                                .ptx = strbuf_text(&c->kernel.ptx),
                                .buffers = c->buffers,
                                .n_buffers = 4,
                                .launches = c->launches,
                                .n_launches = c->kernel.launches,
                                .max_cycles = 200000000};
}

/* Half of the plain stores and loads get marks for L2. */
static void mark_accesses(struct random_case *c, struct workload_rng rng)
{
    static const char store[] = "st.global.u32", load[] = "ld.global.u32";
    struct strbuf marked = {0};
    for (const char *at = c->k.ptx; *at; at++) {
        bool is_store = strncmp(at, store, sizeof store - 1) == 0;
        bool is_load = strncmp(at, load, sizeof load - 1) == 0;
        if ((is_store || is_load) && workload_rng_below(&rng, 2)) {
            strbuf_add(&marked, is_store ? "st.global.cc" : "ld.global.cp");
            at += sizeof "st.global" - 1;
        }
        strbuf_add_char(&marked, *at);
    }
    c->k.ptx = arena_strdup(&c->arena, strbuf_text(&marked));
    strbuf_destroy(&marked);
}

void random_case_widen(struct random_case *c, uint64_t seed)
{
    struct workload_rng rng = {seed ^ UINT64_C(0x9e3779b97f4a7c15)};
    random_testbed_widen(&c->bed, seed, &c->arena);
    c->k.n_launches = 1 + workload_rng_below(&rng, RANDOM_MAX_LAUNCHES);
    for (uint32_t i = 1; i < RANDOM_MAX_LAUNCHES; i++)
        c->launches[i].grid = 1 + workload_rng_below(&rng, c->kernel.grid);
    mark_accesses(c, rng);
}

void random_case_destroy(struct random_case *c)
{
    random_kernel_destroy(&c->kernel);
    arena_destroy(&c->arena);
}
