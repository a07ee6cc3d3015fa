#include "gpu/config_check.h"

#include <stdio.h>
#include <string.h>

#include "gpu/mechanisms.h"
#include "sm/sm.h"

#define COMPLAIN(c, names, hint, diags, ...)                                                       \
    param_set_complain(&(c)->gpu->params, DIAG_ERROR, "", names, hint, diags, __VA_ARGS__)

static void report_flaw(const struct machine_config *c, const char *prefix,
                        const struct param_flaw *flaw, struct diag_list *diags)
{
    param_set_complain(&c->gpu->params, DIAG_ERROR, prefix, flaw->names, NULL, diags, "%s",
                       flaw->what);
}

/* --- caches --- */

/* A cache of the machine, and the prefix of its parameters. */
struct place {
    const char *prefix;
    const struct cache_config *cache;
};

/* The names that a policy's check reads: the policy, its own parameters, and the geometry. */
static const char *const *policy_names(const struct cache_policy_desc *d, struct arena *arena)
{
    static const char *const geometry[] = {"policy", "n_ways", "n_sets", "line_bytes",
                                           "sector_bytes"};
    enum { N_GEOMETRY = sizeof geometry / sizeof geometry[0] };
    const char **names = ARENA_ARRAY(arena, const char *, N_GEOMETRY + d->n_params + 1);
    memcpy(names, geometry, sizeof geometry);
    for (uint32_t i = 0; i < d->n_params; i++)
        names[N_GEOMETRY + i] = arena_printf(arena, "policy.%s", d->params[i].name);
    return names;
}

static void check_policy(struct machine_config *c, const struct place *at,
                         const struct cache_policy_desc *policy, const void *params,
                         struct diag_list *diags)
{
    struct strbuf why = {0};
    if (!cache_policy_fits(at->cache, policy, params, &why))
        param_set_complain(&c->gpu->params, DIAG_ERROR, at->prefix,
                           policy_names(policy, &diags->arena), NULL, diags, "%s.policy: %s",
                           at->prefix, strbuf_text(&why));
    strbuf_destroy(&why);
}

/* Caches of instructions and constants support only LRU without sectors. */
static void check_plain(struct machine_config *c, const struct place *at, struct diag_list *diags)
{
    if (strcmp(at->cache->policy, "lru") != 0)
        param_set_complain(&c->gpu->params, DIAG_ERROR, at->prefix, PARAM_NAMES("policy"), NULL,
                           diags, "%s.policy (%s): %s supports only lru", at->prefix,
                           at->cache->policy, at->prefix);
    if (at->cache->sector_bytes != at->cache->line_bytes)
        param_set_complain(
            &c->gpu->params, DIAG_ERROR, at->prefix, PARAM_NAMES("sector_bytes", "line_bytes"),
            NULL, diags,
            "%s.sector_bytes (%u) must equal %s.line_bytes (%u): its lines have no sectors",
            at->prefix, at->cache->sector_bytes, at->prefix, at->cache->line_bytes);
}

/* True if every cache can be built. */
static bool check_geometry(struct machine_config *c, const struct place *places, uint32_t n,
                           struct diag_list *diags)
{
    uint32_t errors = diags->n_errors;
    for (uint32_t i = 0; i < n; i++) {
        struct param_flaw flaw;
        const char *dotted = arena_printf(&diags->arena, "%s.", places[i].prefix);
        if (!cache_config_sound(places[i].cache, dotted, &flaw))
            report_flaw(c, places[i].prefix, &flaw, diags);
    }
    return diags->n_errors == errors;
}

/* A line of L1 must be within one line of L2. */
static void check_line(struct machine_config *c, const struct place *at, struct diag_list *diags)
{
    const char *name = arena_printf(&diags->arena, "%s.line_bytes", at->prefix);
    if (at->cache->line_bytes > c->l2.line_bytes)
        COMPLAIN(c, PARAM_NAMES(name, "l2.line_bytes"), NULL, diags,
                 "%s (%u) must not be more than l2.line_bytes (%u)", name, at->cache->line_bytes,
                 c->l2.line_bytes);
}

static bool check_caches(struct machine_config *c, struct diag_list *diags)
{
    const struct place places[] = {
        {"l1d", &c->sm.l1d}, {"l2", &c->l2}, {"l1i", &c->sm.l1i}, {"l1c", &c->sm.l1c}};
    enum { L1D, L2, L1I, L1C, N };
    uint32_t errors = diags->n_errors;
    if (!check_geometry(c, places, N, diags))
        return false;
    if (!mechanism_section_accepts(AT_L1D, &c->l1d_policy->plugin))
        COMPLAIN(c, PARAM_NAMES("l1d.policy"),
                 arena_printf(&diags->arena, "`--set l2.policy=%s`", c->l1d_policy->name), diags,
                 "l1d.policy (%s) is only for L2: L1D treats .cc and .cp as unmarked",
                 c->l1d_policy->name);
    check_policy(c, &places[L1D], c->l1d_policy, c->l1d_params, diags);
    check_policy(c, &places[L2], c->l2_policy, c->l2_params, diags);
    check_plain(c, &places[L1I], diags);
    check_plain(c, &places[L1C], diags);
    check_line(c, &places[L1D], diags);
    check_line(c, &places[L1I], diags);
    check_line(c, &places[L1C], diags);
    return diags->n_errors == errors;
}

static bool policy_fits_beside(const struct machine_config *c, uint64_t shared_bytes,
                               struct strbuf *why)
{
    struct cache_config l1d = c->sm.l1d;
    l1d.n_ways = carveout_ways(&c->sm.division, &l1d, shared_bytes);
    return cache_policy_fits(&l1d, c->l1d_policy, c->l1d_params, why);
}

/* The sizes of shared memory with which the policy works, each on its own; NULL if there are
 * none. */
static const char *sizes_that_fit(const struct machine_config *c, struct arena *arena)
{
    const struct carveout *d = &c->sm.division;
    const char *hint = NULL;
    struct strbuf why = {0};
    for (uint32_t i = 0; i < d->n; i++)
        if (policy_fits_beside(c, d->shared_bytes[i], &why))
            hint = arena_printf(arena, hint ? "%s or %llu" : "%s%llu",
                                hint ? hint : "it works with a single size: sm.carveout=",
                                (unsigned long long)d->shared_bytes[i]);
    strbuf_destroy(&why);
    return hint;
}

/* The policy must work with each size of shared memory. */
static void check_carveout(struct machine_config *c, struct diag_list *diags)
{
    const char *hint = NULL;
    struct strbuf why = {0};
    struct carveout *d = &c->sm.division;
    bool ok = carveout_parse(c->sm.carveout, d, &why) && carveout_check(d, &c->sm.l1d, &why);
    for (uint32_t i = 0; ok && i < d->n; i++) {
        ok = policy_fits_beside(c, d->shared_bytes[i], &why);
        hint = ok ? NULL : sizes_that_fit(c, &diags->arena);
    }
    if (!ok)
        COMPLAIN(
            c,
            PARAM_NAMES("sm.carveout", "l1d.n_sets", "l1d.n_ways", "l1d.line_bytes", "l1d.policy"),
            hint, diags, "sm.carveout (%s): %s", c->sm.carveout, strbuf_text(&why));
    strbuf_destroy(&why);
}

/* --- memory --- */

/* A memory system, and the prefix of its parameters. */
struct memory_place {
    const char *memory, *cache, *dram;
    const struct memory_config *config;
    const struct dram_config *dram_config;
    uint32_t line_bytes;
};

/* Interleaving must be a multiple of the line size. */
static void check_pieces(struct machine_config *c, const struct memory_place *at,
                         struct diag_list *diags)
{
    const struct {
        const char *prefix, *name;
        uint32_t bytes;
    } pieces[] = {{at->memory, "interleave_bytes", at->config->interleave_bytes},
                  {at->dram, "row_bytes", at->dram_config->row_bytes},
                  {at->dram, "bank_interleave_bytes", at->dram_config->bank_interleave_bytes}};
    const char *line = arena_printf(&diags->arena, "%s.line_bytes", at->cache);
    for (uint32_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        const char *name = arena_printf(&diags->arena, "%s.%s", pieces[i].prefix, pieces[i].name);
        if (pieces[i].bytes % at->line_bytes)
            COMPLAIN(c, PARAM_NAMES(name, line), NULL, diags,
                     "%s (%u) must be a multiple of %s (%u)", name, pieces[i].bytes, line,
                     at->line_bytes);
    }
}

static void check_memory(struct machine_config *c, const struct memory_place *at,
                         struct diag_list *diags)
{
    struct param_flaw flaw;
    uint32_t n = at->config->n_partitions;
    if (!dram_config_sound(at->dram_config, &flaw))
        report_flaw(c, at->dram, &flaw, diags);
    if (at->config->hash_partitions && (n & (n - 1)))
        param_set_complain(&c->gpu->params, DIAG_ERROR, at->memory,
                           PARAM_NAMES("n_partitions", "hash_partitions"), NULL, diags,
                           "%s.n_partitions (%u) must be a power of two where %s.hash_partitions "
                           "is true",
                           at->memory, n, at->memory);
    check_pieces(c, at, diags);
}

static void check_memories(struct machine_config *c, struct diag_list *diags)
{
    const struct host_memory_config *h = &c->host_memory;
    check_memory(
        c, &(struct memory_place){"memory", "l2", "dram", &c->memory, &c->dram, c->l2.line_bytes},
        diags);
    if (h->is_separate)
        check_memory(c,
                     &(struct memory_place){"host_memory", "host_llc", "host_dram", &h->memory,
                                            &h->dram, h->llc.line_bytes},
                     diags);
}

/* --- the rest --- */

static void check_clocks(struct machine_config *c, struct diag_list *diags)
{
    struct clock_domain clocks[] = {{"core", c->gpu->core_clock_mhz, 0},
                                    {"network", c->run.noc_clock_mhz, 0},
                                    {"L2", c->run.l2_clock_mhz, 0},
                                    {"DRAM", c->run.dram_clock_mhz, 0},
                                    {"CPU", machine_config_cpu_mhz(c), 0}};
    struct clock_domain host[] = {
        clocks[0],
        clocks[1],
        clocks[2],
        clocks[3],
        clocks[4],
        {"host network", machine_config_host_mhz(c, c->host_memory.noc_clock_mhz), 0},
        {"LLC", machine_config_host_mhz(c, c->host_memory.llc_clock_mhz), 0},
        {"host DRAM", machine_config_host_mhz(c, c->host_memory.dram_clock_mhz), 0}};
    enum { N = sizeof clocks / sizeof clocks[0], N_HOST = sizeof host / sizeof host[0] };
    bool ok = clocks_resolve(clocks, N - 1);
    if (!ok)
        COMPLAIN(c,
                 PARAM_NAMES("core_clock_mhz", "noc_clock_mhz", "l2_clock_mhz", "dram_clock_mhz"),
                 "choose frequencies with a larger common divisor", diags,
                 "core_clock_mhz, noc_clock_mhz, l2_clock_mhz and dram_clock_mhz (%u, %u, %u and "
                 "%u) have too small a common divisor for a common time unit",
                 clocks[0].mhz, clocks[1].mhz, clocks[2].mhz, clocks[3].mhz);
    if (ok && !clocks_resolve(clocks, N))
        COMPLAIN(c,
                 PARAM_NAMES("cpu.clock_mhz", "core_clock_mhz", "noc_clock_mhz", "l2_clock_mhz",
                             "dram_clock_mhz"),
                 "choose a multiple of the others, or a divisor", diags,
                 "cpu.clock_mhz (%u) and the other clocks have too small a common divisor for a "
                 "common time unit",
                 c->cpu.clock_mhz);
    else if (ok && !clocks_resolve(host, N_HOST))
        COMPLAIN(c,
                 PARAM_NAMES("host_memory.noc_clock_mhz", "host_memory.llc_clock_mhz",
                             "host_memory.dram_clock_mhz", "cpu.clock_mhz", "core_clock_mhz",
                             "noc_clock_mhz", "l2_clock_mhz", "dram_clock_mhz"),
                 "choose multiples of the others, or divisors", diags,
                 "the clocks of host_memory (%u, %u and %u MHz) and the others have too small a "
                 "common divisor for a common time unit",
                 host[5].mhz, host[6].mhz, host[7].mhz);
}

/* --- CPU cores --- */

static bool parse_samplers(const char *text, uint32_t n_sms, uint32_t samplers[2])
{
    char rest;
    return sscanf(text, "%u,%u%c", &samplers[0], &samplers[1], &rest) == 2 && samplers[0] < n_sms &&
           samplers[1] < n_sms && samplers[0] != samplers[1];
}

/* Reports and decisions of two periods must not be in flight at the same time. */
static void check_controller(struct machine_config *c, struct diag_list *diags)
{
    uint64_t period = c->llc.period, least = 2 * (c->llc.link_cycles + 2ull);
    uint64_t core = (c->run.l2_clock_mhz + c->gpu->core_clock_mhz - 1) / c->gpu->core_clock_mhz;
    if (period < least + core)
        COMPLAIN(c, PARAM_NAMES("llc.period", "llc.link_cycles"), NULL, diags,
                 "llc.period (%llu) must be at least %llu, because reports and decisions take "
                 "llc.link_cycles (%u) each",
                 (unsigned long long)period, (unsigned long long)(least + core),
                 c->llc.link_cycles);
    if (c->l2_policy->uses_sampling_sms &&
        !parse_samplers(c->llc.sample_sms, c->gpu->n_sms, c->llc.samplers))
        COMPLAIN(
            c, PARAM_NAMES("llc.sample_sms", "n_sms"), NULL, diags,
            "llc.sample_sms (%s): expected the numbers of two SMs, such as 0,1; there are %u SMs",
            c->llc.sample_sms, c->gpu->n_sms);
}

static void check_cpus(struct machine_config *c, struct diag_list *diags)
{
    struct param_flaw flaw;
    if (!c->cpu.cores)
        return;
    if (!cpu_config_sound(&c->cpu.core, &flaw))
        report_flaw(c, "cpu", &flaw, diags);
    if (c->cpu_programs.n > c->cpu.cores)
        COMPLAIN(c, PARAM_NAMES("cpu.programs", "cpu.cores"), NULL, diags,
                 "cpu.programs (%s): %u programs, but cpu.cores is %u", c->cpu.programs,
                 c->cpu_programs.n, c->cpu.cores);
    const char *line = c->host_memory.is_separate ? "host_llc.line_bytes" : "l2.line_bytes";
    if (machine_config_llc(c)->line_bytes < CPU_LINE_BYTES)
        COMPLAIN(c, PARAM_NAMES(line, "cpu.cores"), NULL, diags,
                 "%s (%u): CPU cores need lines of at least %d bytes", line,
                 machine_config_llc(c)->line_bytes, CPU_LINE_BYTES);
    if (c->run.flush_l2 && !c->host_memory.is_separate)
        COMPLAIN(c, PARAM_NAMES("flush_l2", "cpu.cores"), NULL, diags,
                 "flush_l2: the last-level cache cannot be emptied while CPU cores run");
    if (c->llc.period)
        check_controller(c, diags);
}

static void check_buffer(struct machine_config *c, const char *prefix, const struct noc_config *noc,
                         struct diag_list *diags)
{
    struct strbuf why = {0};
    enum noc_buffer_verdict v = noc_check_buffer(noc, noc->flits_per_cycle_up, &why);
    if (v != NOC_BUFFER_FULL)
        param_set_complain(&c->gpu->params, v == NOC_BUFFER_SHALLOW ? DIAG_WARNING : DIAG_ERROR,
                           prefix, PARAM_NAMES("buffer_flits"), NULL, diags, "%s.buffer_flits: %s",
                           prefix, strbuf_text(&why));
    strbuf_destroy(&why);
}

static void check_host_memory(struct machine_config *c, struct diag_list *diags)
{
    const struct host_memory_config *h = &c->host_memory;
    const struct place llc = {"host_llc", &h->llc};
    if (!h->is_separate)
        return;
    if (!c->cpu.cores)
        COMPLAIN(c, PARAM_NAMES("cpu.cores"), NULL, diags,
                 "cpu.cores (0): the memory of a discrete GPU's host needs at least one CPU core");
    if (!check_geometry(c, &llc, 1, diags))
        return;
    check_policy(c, &llc, h->llc_policy, h->llc_params, diags);
    if (!mechanism_section_accepts(AT_HOST_LLC, &h->llc_policy->plugin))
        COMPLAIN(c, PARAM_NAMES("host_llc.policy"), NULL, diags,
                 "host_llc.policy (%s): the last-level cache of a discrete GPU's host supports "
                 "only policies without a controller, such as lru or drrip",
                 h->llc_policy->name);
    check_buffer(c, "host_noc", &h->noc, diags);
}

static void check_sm(struct machine_config *c, struct diag_list *diags)
{
    struct param_flaw flaw;
    uint32_t line_bytes = c->sm.l1d.line_bytes, bypass_bytes = c->sm.bypass_bytes;
    if (!sm_config_sound(&c->sm, &flaw))
        report_flaw(c, "sm", &flaw, diags);
    if (bypass_bytes != CACHE_SEGMENT_BYTES && bypass_bytes != line_bytes)
        COMPLAIN(c, PARAM_NAMES("sm.bypass_bytes", "l1d.line_bytes"), NULL, diags,
                 "sm.bypass_bytes (%u) must be %d or l1d.line_bytes (%u)", bypass_bytes,
                 CACHE_SEGMENT_BYTES, line_bytes);
    if (c->gpu->warps_per_sm > SM_MAX_WARPS)
        COMPLAIN(c, PARAM_NAMES("warps_per_sm"), NULL, diags,
                 "warps_per_sm (%u): the cycle-level machine supports at most %d",
                 c->gpu->warps_per_sm, SM_MAX_WARPS);
    if (c->gpu->ctas_per_sm > SM_MAX_CTAS)
        COMPLAIN(c, PARAM_NAMES("ctas_per_sm"), NULL, diags,
                 "ctas_per_sm (%u): the cycle-level machine supports at most %d",
                 c->gpu->ctas_per_sm, SM_MAX_CTAS);
}

static void check_atomics(struct machine_config *c, struct diag_list *diags)
{
    struct param_flaw flaw;
    if (c->atomics->check && !c->atomics->check(c->gpu->n_sms, c->atomics_params, &flaw))
        report_flaw(c, "atomics", &flaw, diags);
}

/* Shared ports are in the middle of the path, at least a cycle from either end. */
static void check_shared_ports(struct machine_config *c, struct diag_list *diags)
{
    if (c->noc.sms_per_port > 1 && c->noc.latency_cycles < 2)
        COMPLAIN(c, PARAM_NAMES("noc.sms_per_port", "noc.latency_cycles"), NULL, diags,
                 "noc.sms_per_port (%u) needs noc.latency_cycles of at least 2",
                 c->noc.sms_per_port);
}

/* Remarks of policies about the caches they are in. */
static void remark(struct machine_config *c, const char *name, const struct cache_config *cache,
                   const struct cache_policy_desc *policy, const void *params,
                   struct diag_list *diags)
{
    struct strbuf text = {0};
    cache_policy_remark(cache, policy, params, &text);
    if (text.len)
        param_set_complain(&c->gpu->params, DIAG_WARNING, name, PARAM_NAMES("policy"), NULL, diags,
                           "%s.policy %s: %s", name, policy->name, strbuf_text(&text));
    strbuf_destroy(&text);
}

/* Who says which buffers are marked means a policy that knows marks. Marks may be a whole file, so
 * the warning points at the policy. */
static void check_annotations(struct machine_config *c, struct diag_list *diags)
{
    if (c->annotations.n && c->l2_policy != cache_policy_find("write_buffering"))
        param_set_complain(&c->gpu->params, DIAG_WARNING, "l2", PARAM_NAMES("policy"),
                           "`--set l2.policy=write_buffering`", diags,
                           "l2.annotations have no effect with l2.policy %s", c->l2_policy->name);
}

void machine_config_check(struct machine_config *c, struct diag_list *diags)
{
    check_annotations(c, diags);
    if (check_caches(c, diags)) {
        check_carveout(c, diags);
        remark(c, "l1d", &c->sm.l1d, c->l1d_policy, c->l1d_params, diags);
        remark(c, "l2", &c->l2, c->l2_policy, c->l2_params, diags);
    }
    check_memories(c, diags);
    check_clocks(c, diags);
    check_sm(c, diags);
    check_atomics(c, diags);
    check_cpus(c, diags);
    check_host_memory(c, diags);
    check_buffer(c, "noc", &c->noc, diags);
    check_shared_ports(c, diags);
}
