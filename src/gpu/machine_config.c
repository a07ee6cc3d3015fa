#include "gpu/machine_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct memory_config, field, dflt, lo, hi, unit, help)
static const struct param memory_params[] = {
    M32(n_partitions, "6", 1, 64, "partitions",
        "memory partitions, each with L2 banks and a DRAM channel"),
    M32(interleave_bytes, "256", 128, 65536, "bytes", "consecutive addresses of one partition"),
    PARAM_BOOL(struct memory_config, hash_partitions, "false",
               "partitions are chosen by a hash of the address, so that no stride camps on one"),
    M32(banks, "2", 1, 16, "banks", "L2 banks of a partition"),
    M32(input_queue, "8", 1, 1024, "requests", "requests waiting for an L2 bank"),
    M32(rop_latency, "60", 1, 10000, "L2 cycles", "from the network to L2"),
    M32(l2_latency, "10", 1, 10000, "L2 cycles", "from an L2 hit to the reply"),
    M32(dram_latency, "50", 0, 10000, "L2 cycles", "added to a DRAM access on its way to L2"),
    M32(dram_queue, "8", 1, 1024, "requests", "requests between L2 and DRAM"),
    M32(reply_queue, "8", 1, 1024, "replies", "replies waiting for the network before L2 stalls"),
    M32(atomics_per_cycle, "1", 1, 32, "operations", "lane operations an L2 bank performs a cycle"),
};

#define N32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct noc_config, field, dflt, lo, hi, unit, help)
static const struct param noc_params[] = {
    N32(flit_bytes, "32", 1, 1024, "bytes", "what a port moves at once"),
    N32(header_bytes, "8", 0, 1024, "bytes", "of a message beside its data"),
    N32(latency_cycles, "12", 1, 10000, "network cycles", "one way"),
    N32(flits_per_cycle_up, "1", 1, 64, "flits", "of a port towards memory, a cycle"),
    N32(flits_per_cycle_down, "1", 1, 64, "flits", "of a port back, a cycle"),
    N32(buffer_flits, "0", 0, 65536, "flits",
        "at a receiver per sender; 0 = bandwidth x round trip"),
};

#define R32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct run_config, field, dflt, lo, hi, unit, help)
static const struct param run_params[] = {
    R32(noc_clock_mhz, "700", 1, 100000, "MHz", "clock of the network"),
    R32(l2_clock_mhz, "700", 1, 100000, "MHz", "clock of L2"),
    R32(dram_clock_mhz, "924", 1, 100000, "MHz", "command clock of DRAM"),
    R32(dispatch_cycles, "12", 1, 10000, "core cycles", "between the CTA dispatcher and an SM"),
    R32(launch_cycles, "0", 0, 10000000, "core cycles", "overhead of a kernel launch"),
    R32(visibility_cycles, "0", 0, 100000, "core cycles",
        "stores become visible to other SMs at multiples of this; 0 = the way from an SM to L2"),
    PARAM_BOOL(struct run_config, flush_l1, "true", "L1 caches are emptied between kernels"),
    PARAM_BOOL(struct run_config, flush_l2, "false", "L2 is emptied between kernels"),
    PARAM_STRING(struct run_config, scheduler, "gto", "warp scheduler"),
    PARAM_STRING(struct run_config, criticality, "auto",
                 "criticality provider; auto = what the scheduler or the L1D policy needs"),
};

#define BIND(set, prefix, table, values, diags)                                                    \
    param_set_bind(set, prefix, table, sizeof(table) / sizeof(table)[0], values, diags)

/* What a machine cannot do without is said in the YAML; these are the defaults before that. */
static void bind_cache(struct param_set *set, const char *prefix, struct cache_config *c,
                       struct diag_list *diags)
{
    param_set_bind(set, prefix, cache_params, n_cache_params, c, diags);
}

/* Says that there is no such thing, and which there are. */
static void complain(struct diag_list *diags, const char *what, const char *name,
                     const struct plugin *(*at)(uint32_t), uint32_t n, const char *hint)
{
    const char **names = xcalloc(n, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = at(i)->name;
    const char *near = suggest_hint(&diags->arena, name, names, n);
    diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, near ? near : hint, "there is no %s '%s'", what,
             name);
    free(names);
}

#define PLUGIN_AT(kind)                                                                            \
    static const struct plugin *kind##_plugin_at(uint32_t i)                                       \
    {                                                                                              \
        return &kind##_at(i)->plugin;                                                              \
    }
PLUGIN_AT(cache_policy)
PLUGIN_AT(scheduler)
PLUGIN_AT(criticality)

static const struct cache_policy_desc *find_policy(const char *name, const char *where,
                                                   struct diag_list *diags)
{
    const struct cache_policy_desc *d = cache_policy_find(name);
    if (!d) {
        char what[64];
        snprintf(what, sizeof what, "cache policy for %s", where);
        complain(diags, what, name, cache_policy_plugin_at, cache_policy_count(),
                 "`heddle show policies` lists them");
    }
    return d ? d : cache_policy_find("lru");
}

static const struct scheduler_desc *find_scheduler(const char *name, struct diag_list *diags)
{
    const struct scheduler_desc *d = scheduler_find(name);
    if (!d)
        complain(diags, "scheduler", name, scheduler_plugin_at, scheduler_count(),
                 "`heddle show schedulers` lists them");
    return d ? d : scheduler_find("gto");
}

/* What was asked for, or what the mechanisms need. */
static const struct criticality_desc *find_criticality(const struct machine_config *c,
                                                       struct diag_list *diags)
{
    const char *name = c->run.criticality;
    if (!strcmp(name, "auto"))
        name = c->scheduler->criticality    ? c->scheduler->criticality
               : c->l1d_policy->criticality ? c->l1d_policy->criticality
                                            : "none";
    const struct criticality_desc *d = criticality_find(name);
    if (!d)
        complain(diags, "criticality provider", name, criticality_plugin_at, criticality_count(),
                 NULL);
    return d ? d : criticality_find("none");
}

static void bind_criticality(struct machine_config *c, struct param_set *set,
                             struct diag_list *diags)
{
    struct arena *arena = &set->settings.arena;
    struct strbuf why = {0};
    uint32_t errors = diags->n_errors;
    const struct criticality_desc *d = c->criticality = find_criticality(c, diags);
    if (d->n_params) {
        void *values = arena_alloc(arena, d->params_bytes);
        param_set_bind(set, "criticality", d->params, d->n_params, values, diags);
        c->criticality_params = values;
    }
    if (!d->load || diags->n_errors != errors)
        return;
    c->criticality_input = d->load(c->criticality_params, arena, &why);
    if (!c->criticality_input)
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "criticality provider '%s': %s",
                 d->name, strbuf_text(&why));
    strbuf_destroy(&why);
}

/* A scheduler may be half of a pair: its L1D policy is the other, unless another one is asked for.
 */
static void pair_policy(struct machine_config *c, const struct param_set *set)
{
    const struct setting *asked = settings_find(&set->settings, "l1d.policy");
    bool by_hand = asked && asked->value_line == 0;
    if (c->scheduler->l1d_policy && !by_hand)
        c->sm.l1d.policy = c->scheduler->l1d_policy;
}

static const void *bind_scheduler(const struct scheduler_desc *d, struct param_set *set,
                                  struct diag_list *diags)
{
    if (!d->n_params)
        return NULL;
    void *values = arena_alloc(&set->settings.arena, d->params_bytes);
    param_set_bind(set, "scheduler", d->params, d->n_params, values, diags);
    return values;
}

static void bind_all(struct param_set *set, void *user, struct diag_list *diags)
{
    struct machine_config *c = user;
    param_set_bind(set, "sm", sm_params, n_sm_params, &c->sm, diags);
    bind_cache(set, "l1d", &c->sm.l1d, diags);
    bind_cache(set, "l1i", &c->sm.l1i, diags);
    bind_cache(set, "l1c", &c->sm.l1c, diags);
    BIND(set, "memory", memory_params, &c->memory, diags);
    bind_cache(set, "l2", &c->l2, diags);
    BIND(set, "noc", noc_params, &c->noc, diags);
    param_set_bind(set, "dram", dram_params, n_dram_params, &c->dram, diags);
    BIND(set, "", run_params, &c->run, diags);
    c->noc.max_data_bytes = 128;
    c->scheduler = find_scheduler(c->run.scheduler, diags);
    c->scheduler_params = bind_scheduler(c->scheduler, set, diags);
    pair_policy(c, set);
    c->l1d_policy = find_policy(c->sm.l1d.policy, "l1d", diags);
    c->l1d_params = cache_policy_bind(c->l1d_policy, set, "l1d", diags);
    c->l2_policy = find_policy(c->l2.policy, "l2", diags);
    c->l2_params = cache_policy_bind(c->l2_policy, set, "l2", diags);
    bind_criticality(c, set, diags);
}

static void check_caches(struct machine_config *c, struct diag_list *diags)
{
    struct strbuf why = {0};
    const struct cache_policy_desc *lru = cache_policy_find("lru");
    cache_config_check(&c->sm.l1d, c->l1d_policy, c->l1d_params, &why);
    cache_config_check(&c->sm.l1i, lru, NULL, &why);
    cache_config_check(&c->sm.l1c, lru, NULL, &why);
    cache_config_check(&c->l2, c->l2_policy, c->l2_params, &why);
    if (why.len)
        diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0, NULL, "%s", strbuf_text(&why));
    strbuf_destroy(&why);
}

static void check_lines(struct machine_config *c, struct diag_list *diags)
{
    const struct {
        const char *name;
        const struct cache_config *cache;
    } l1[] = {{"l1d", &c->sm.l1d}, {"l1i", &c->sm.l1i}, {"l1c", &c->sm.l1c}};
    for (uint32_t i = 0; i < sizeof l1 / sizeof l1[0]; i++) {
        const struct cache_config *cache = l1[i].cache;
        if (cache->line_bytes > c->l2.line_bytes)
            diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0, NULL,
                     "lines of %s (%u bytes) must not be larger than those of l2 (%u)", l1[i].name,
                     cache->line_bytes, c->l2.line_bytes);
        if (cache != &c->sm.l1d && cache->sector_bytes != cache->line_bytes)
            diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0,
                     "set its sector_bytes to its line_bytes", "lines of %s have no sectors",
                     l1[i].name);
    }
}

/* The policy must be able to work beside each of the sizes of shared memory. */
static void check_carveout(struct machine_config *c, struct diag_list *diags)
{
    struct strbuf why = {0};
    struct carveout *d = &c->sm.division;
    bool ok = carveout_parse(c->sm.carveout, d, &why) && carveout_check(d, &c->sm.l1d, &why);
    for (uint32_t i = 0; ok && i < d->n; i++) {
        struct cache_config l1d = c->sm.l1d;
        l1d.n_ways = carveout_ways(d, &l1d, d->shared_bytes[i]);
        ok = cache_config_check(&l1d, c->l1d_policy, c->l1d_params, &why);
    }
    if (!ok)
        diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0, NULL, "sm.carveout: %s",
                 strbuf_text(&why));
    strbuf_destroy(&why);
}

static void check_clocks(struct machine_config *c, struct diag_list *diags)
{
    struct clock_domain clocks[] = {{"core", c->gpu->core_clock_mhz, 0},
                                    {"network", c->run.noc_clock_mhz, 0},
                                    {"L2", c->run.l2_clock_mhz, 0},
                                    {"DRAM", c->run.dram_clock_mhz, 0}};
    if (!clocks_resolve(clocks, sizeof clocks / sizeof clocks[0]))
        diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0,
                 "choose frequencies with a larger common divisor",
                 "the clocks of %u, %u, %u and %u MHz meet too rarely to be counted in whole units",
                 clocks[0].mhz, clocks[1].mhz, clocks[2].mhz, clocks[3].mhz);
}

static void check_machine(struct machine_config *c, struct diag_list *diags)
{
    struct strbuf why = {0};
    check_caches(c, diags);
    check_lines(c, diags);
    check_carveout(c, diags);
    check_clocks(c, diags);
    if (c->memory.hash_partitions && (c->memory.n_partitions & (c->memory.n_partitions - 1)))
        diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0, NULL,
                 "memory.hash_partitions needs a power of two of partitions, not %u",
                 c->memory.n_partitions);
    if (c->gpu->warps_per_sm > 64 || c->gpu->ctas_per_sm > 32)
        diag_add(diags, DIAG_ERROR, c->gpu->name, NULL, 0, 0, NULL,
                 "the cycle-level machine takes at most 64 warps and 32 CTAs per SM");
    enum noc_buffer_verdict v = noc_check_buffer(&c->noc, c->noc.flits_per_cycle_up, &why);
    if (v != NOC_BUFFER_FULL)
        diag_add(diags, v == NOC_BUFFER_SHALLOW ? DIAG_WARNING : DIAG_ERROR, c->gpu->name, NULL, 0,
                 0, NULL, "noc.buffer_flits: %s", strbuf_text(&why));
    strbuf_destroy(&why);
}

struct machine_config *machine_config_load(const char *name_or_path, const char *const *words,
                                           uint32_t n_words, struct diag_list *diags)
{
    struct machine_config *c = xcalloc(1, sizeof *c);
    uint32_t errors = diags->n_errors;
    c->gpu = gpu_config_load_with(name_or_path, words, n_words, bind_all, c, diags);
    if (c->gpu && diags->n_errors == errors)
        check_machine(c, diags);
    if (diags->n_errors == errors)
        return c;
    machine_config_destroy(c);
    return NULL;
}

void machine_config_destroy(struct machine_config *c)
{
    if (!c)
        return;
    gpu_config_destroy(c->gpu);
    free(c);
}
