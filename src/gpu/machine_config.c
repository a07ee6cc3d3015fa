#include "gpu/machine_config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/config_check.h"
#include "gpu/mechanisms.h"

#define M32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct memory_config, field, dflt, lo, hi, unit, help)
static const struct param memory_params[] = {
    M32(n_partitions, "6", 1, 64, "partitions",
        "memory partitions, each with L2 banks and a DRAM channel"),
    M32(interleave_bytes, "256", 128, 65536, "bytes", "consecutive addresses of one partition"),
    PARAM_BOOL(struct memory_config, hash_partitions, "false",
               "hash the address to choose a partition, to avoid partition camping"),
    M32(banks, "2", 1, 16, "banks", "L2 banks of a partition"),
    M32(input_queue, "8", 1, 1024, "requests", "requests waiting for an L2 bank"),
    M32(rop_latency, "60", 1, 10000, "L2 cycles", "from the network to L2"),
    M32(l2_latency, "10", 1, 10000, "L2 cycles", "from an L2 hit to the reply"),
    M32(dram_latency, "50", 0, 10000, "L2 cycles", "added to a DRAM access on its way to L2"),
    M32(dram_queue, "8", 1, 1024, "requests", "requests between L2 and DRAM"),
    M32(reply_queue, "8", 1, 1024, "replies", "replies waiting for the network before L2 stalls"),
    M32(atomics_per_cycle, "1", 1, 32, "operations",
        "lane operations that an L2 bank performs per cycle"),
};

#define N32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct noc_config, field, dflt, lo, hi, unit, help)
static const struct param noc_params[] = {
    N32(flit_bytes, "32", 1, 1024, "bytes", "size of a flit"),
    N32(header_bytes, "8", 1, 1024, "bytes", "header of a message"),
    N32(latency_cycles, "12", 1, 10000, "network cycles", "one way"),
    N32(flits_per_cycle_up, "1", 1, 64, "flits", "flits of a port towards memory, per cycle"),
    N32(flits_per_cycle_down, "1", 1, 64, "flits", "flits of a port back, per cycle"),
    N32(buffer_flits, "0", 0, 65536, "flits",
        "at a receiver per sender; 0 = bandwidth x round trip"),
    N32(sms_per_port, "1", 1, 1024, "SMs",
        "SMs that share the bandwidth of one port; more than one needs latency_cycles of at least "
        "2"),
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
        "stores become visible to other SMs at multiples of this; 0 = the time from an SM to L2"),
    PARAM_BOOL(struct run_config, flush_l1, "true", "L1 caches are emptied between kernels"),
    PARAM_BOOL(struct run_config, flush_l2, "false", "L2 is emptied between kernels"),
    PARAM_STRING(struct run_config, scheduler, "gto",
                 "warp scheduler, one of `heddle show schedulers`"),
    PARAM_STRING(
        struct run_config, criticality, "auto",
        "criticality provider (none, cpl, oracle); auto = what the scheduler or the L1D policy "
        "needs"),
};

static const struct param l2_params[] = {
    PARAM_STRING(struct l2_config, annotations, "",
                 "annotations for policy write_buffering, KERNEL ARGUMENT .cc|.cp each, separated "
                 "by semicolons or lines; `heddle run --annotations FILE` reads a file"),
};

static const struct param host_params[] = {
    PARAM_U64(struct host_config, global_bytes, "1536M", 1 << 20, 1ull << 40, "bytes",
              "memory of the device that OpenCL programs see and may allocate"),
    PARAM_U32(struct host_config, pcie_latency_ns, "10000", 1, 100000000, "ns",
              "time of a transfer between host and device, in addition to its bytes"),
    PARAM_U32(struct host_config, pcie_mb_per_s, "6000", 1, 10000000, "MB/s",
              "bytes of a transfer between host and device, either way"),
    PARAM_BOOL(struct host_config, copies_warm_l2, "false",
               "what the host writes, copies or fills is in L2 afterwards, clean, as far as the "
               "policy of L2 accepts it"),
};

static const struct param cpu_side_params[] = {
    PARAM_U32(struct cpu_side_config, cores, "0", 0, MACHINE_MAX_CPUS, "cores",
              "CPU cores beside the GPU; L2 is the last-level cache of both"),
    PARAM_U32(struct cpu_side_config, clock_mhz, "2800", 1, 100000, "MHz", "clock of CPU cores"),
    PARAM_U64(struct cpu_side_config, insts, "0", 0, 1ull << 40, "instructions",
              "instructions of a recording that form the program, from the first on, or of a "
              "bubble's run; 0 = all"),
    PARAM_STRING(struct cpu_side_config, programs, "",
                 "what CPU cores run, one each: programs of `heddle cpu list`, bubbles, or files "
                 "of `heddle cpu record`, separated by commas; NAME:SKIP+N skips SKIP "
                 "instructions, and the next N are its first run"),
};

static const struct param llc_params[] = {
    PARAM_U32(struct llc_config, link_cycles, "12", 1, 10000, "L2 cycles",
              "from slices and SMs to the controller of the last-level cache, and back"),
    PARAM_U64(struct llc_config, period, "0", 0, 1ull << 40, "L2 cycles",
              "between decisions of the controller; overrides the policy's own period unless that "
              "is set; 0 = the policy's own"),
    PARAM_STRING(struct llc_config, sample_sms, "0,1",
                 "SMs that sample for it: the first samples LRU insertion, the second MRU"),
};

#define H32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct host_memory_config, field, dflt, lo, hi, unit, help)
static const struct param host_memory_params[] = {
    H32(noc_clock_mhz, "3400", 1, 100000, "MHz", "clock of the host's network"),
    H32(llc_clock_mhz, "3400", 1, 100000, "MHz", "clock of the host's last-level cache"),
    H32(dram_clock_mhz, "800", 1, 100000, "MHz", "command clock of the host's DRAM"),
    H32(usable_mb_per_s, "22000", 1, 10000000, "MB/s",
        "bandwidth of the host's DRAM that programs can use: 8/8 of what bandwidth bubbles take"),
    H32(pcie_requests, "32", 1, 4096, "lines",
        "lines of 64 bytes in host memory that a transfer waits for at the same time"),
};

static const char *const testbed_targets[] = {"gpu", "cmp", NULL};
static const struct param testbed_params[] = {
    PARAM_ENUM(struct testbed_config, on, "gpu", testbed_targets,
               "where kernels run: on the GPU, between transfers of their buffers, or on the CPU "
               "cores that run no program"),
    PARAM_U32(struct testbed_config, launch, "0", 0, 1u << 30, "launch",
              "the only timed launch, counted from 1; it is repeated until all CPU programs have "
              "ended once. 0 = all are timed, once"),
    PARAM_U32(struct testbed_config, deal_cycles, "100", 1, 1000000, "CPU cycles",
              "from the distributor of work-groups to a CPU core, and back"),
    PARAM_U32(struct testbed_config, sample_us, "0", 0, 1000000, "us",
              "samples of CPU programs before a launch; without one they run until there are two "
              "samples. 0 = none"),
};

static const struct param cpu_kernel_params[] = {
    PARAM_U32(struct cpu_config, simd_width, "8", 1, CPU_MAX_LINES, "lanes",
              "lanes of a kernel's instruction"),
    PARAM_U32(struct cpu_config, math_insts, "20", 1, 255, "instructions",
              "instructions of a special function"),
};

static const struct param atomics_params[] = {
    PARAM_STRING(struct atomics_config, unit, "at_l2",
                 "where atomics are performed, one of `heddle show atomics`"),
};

#define BIND(set, prefix, table, values, diags)                                                    \
    param_set_bind(set, prefix, table, sizeof(table) / sizeof(table)[0], values, diags)

static const struct param epoch_params[] = {
    PARAM_U32(struct cache_config, epoch_cycles, "0", 0, 1 << 30, "cycles",
              "cycles of the cache's clock per epoch, for policies that use epochs; 0 = no epochs"),
};

/* The YAML sets what a machine needs; these are the defaults before that. */
static void bind_cache(struct param_set *set, const char *prefix, struct cache_config *c,
                       struct diag_list *diags)
{
    param_set_bind(set, prefix, cache_params, n_cache_params, c, diags);
}

static const struct cache_policy_desc *find_policy(const struct param_set *set, const char *where,
                                                   const char *name, struct diag_list *diags)
{
    const struct cache_policy_desc *d = cache_policy_find(name);
    if (!d)
        mechanism_unknown(set, &cache_policy_mechanism, where, "policy", name, diags);
    return d ? d : cache_policy_find("lru");
}

static const struct scheduler_desc *find_scheduler(const struct param_set *set, const char *name,
                                                   struct diag_list *diags)
{
    const struct scheduler_desc *d = scheduler_find(name);
    if (!d)
        mechanism_unknown(set, &scheduler_mechanism, "", "scheduler", name, diags);
    return d ? d : scheduler_find("gto");
}

static const struct atomics_desc *find_atomics(const struct param_set *set, const char *name,
                                               struct diag_list *diags)
{
    const struct atomics_desc *d = atomics_find(name);
    if (!d)
        mechanism_unknown(set, &atomics_mechanism, "atomics", "unit", name, diags);
    return d ? d : atomics_at(0);
}

/* The requested provider, or the one that the mechanisms need. */
static const struct criticality_desc *find_criticality(const struct machine_config *c,
                                                       const struct param_set *set,
                                                       struct diag_list *diags)
{
    const char *name = c->run.criticality;
    if (!strcmp(name, "auto"))
        name = c->scheduler->criticality    ? c->scheduler->criticality
               : c->l1d_policy->criticality ? c->l1d_policy->criticality
                                            : "none";
    const struct criticality_desc *d = criticality_find(name);
    if (!d)
        mechanism_unknown(set, &criticality_mechanism, "", "criticality", name, diags);
    return d ? d : criticality_find("none");
}

/* The parameters that a provider's input depends on. */
static const char *const *criticality_names(const struct criticality_desc *d, struct param_set *set)
{
    const char **names = ARENA_ARRAY(&set->settings.arena, const char *, d->n_params + 2);
    names[0] = "criticality";
    for (uint32_t i = 0; i < d->n_params; i++)
        names[i + 1] = arena_printf(&set->settings.arena, "criticality.%s", d->params[i].name);
    return names;
}

static void bind_criticality(struct machine_config *c, struct param_set *set,
                             struct diag_list *diags)
{
    struct arena *arena = &set->settings.arena;
    struct strbuf why = {0};
    uint32_t errors = diags->n_errors;
    const struct criticality_desc *d = c->criticality = find_criticality(c, set, diags);
    if (d->n_params) {
        void *values = arena_alloc(arena, d->params_bytes);
        param_set_bind(set, "criticality", d->params, d->n_params, values, diags);
        c->criticality_params = values;
    }
    if (!d->load || diags->n_errors != errors)
        return;
    c->criticality_input = d->load(c->criticality_params, arena, &why);
    if (!c->criticality_input)
        param_set_complain(set, DIAG_ERROR, "", criticality_names(d, set), NULL, diags,
                           "criticality provider %s: %s", d->name, strbuf_text(&why));
    strbuf_destroy(&why);
}

/* Has the user chosen this L1D policy explicitly, with the scheduler or with higher precedence: by
 * --set, or in a file that is not a base of the one that names the scheduler? */
static bool is_policy_by_hand(const struct param_set *set)
{
    const struct setting *policy = settings_find(&set->settings, "l1d.policy");
    const struct setting *scheduler = settings_find(&set->settings, "scheduler");
    if (!policy || !scheduler)
        return policy != NULL;
    return policy->value_line == 0 || policy->file == scheduler->file || policy > scheduler;
}

/* A scheduler may be half of a pair: its L1D policy is the other, unless another one is chosen. */
static void pair_policy(struct machine_config *c, struct param_set *set)
{
    if (!c->scheduler->l1d_policy || is_policy_by_hand(set))
        return;
    c->sm.l1d.policy = c->scheduler->l1d_policy;
    param_set_settle(
        set, "l1d.policy",
        arena_printf(&set->settings.arena, "goes with scheduler %s", c->scheduler->name));
}

static const void *bind_plugin(const struct plugin *p, const char *prefix, struct param_set *set,
                               struct diag_list *diags)
{
    if (!p->n_params)
        return NULL;
    void *values = arena_alloc(&set->settings.arena, p->params_bytes);
    param_set_bind(set, prefix, p->params, p->n_params, values, diags);
    return values;
}

/* Warns a user who leaves many parameters at the tables' defaults: they are not a GPU. */
static void warn_of_defaults(const struct param_set *set, struct diag_list *diags)
{
    const char *file = set->settings.bare_file;
    uint32_t n_unset = 0;
    for (uint32_t i = 0; i < set->n; i++)
        n_unset += !set->items[i].setting && set->items[i].param->type != PARAM_TYPE_STRING;
    if (file && n_unset && !diags->n_errors)
        diag_add(diags, DIAG_WARNING, file, NULL, 0, 0,
                 arena_printf(&diags->arena, "`base: %s` starts from that GPU", gpu_names[0]),
                 "%u parameters are not set and have their defaults, which do not describe a "
                 "particular GPU",
                 n_unset);
}

/* "a,b,c", without blanks around. */
static void list_programs(struct machine_config *c, struct arena *arena)
{
    char *rest = arena_strdup(arena, c->cpu.programs), *word;
    while ((word = strsep(&rest, ","))) {
        word += strspn(word, " ");
        word[strcspn(word, " ")] = 0;
        if (*word && c->cpu_programs.n < MACHINE_MAX_CPUS)
            c->cpu_programs.names[c->cpu_programs.n] = word;
        c->cpu_programs.n += *word != 0;
    }
}

/* A GPU is discrete if the memory of its host is configured. */
static void bind_host_memory(struct machine_config *c, struct param_set *set,
                             struct diag_list *diags)
{
    struct host_memory_config *h = &c->host_memory;
    if (!settings_find(&set->settings, "host_memory.n_partitions"))
        return;
    h->is_separate = true;
    BIND(set, "host_memory", host_memory_params, h, diags);
    BIND(set, "host_memory", memory_params, &h->memory, diags);
    bind_cache(set, "host_llc", &h->llc, diags);
    BIND(set, "host_llc", epoch_params, &h->llc, diags);
    BIND(set, "host_noc", noc_params, &h->noc, diags);
    param_set_bind(set, "host_dram", dram_params, n_dram_params, &h->dram, diags);
    h->noc.max_data_bytes = CPU_LINE_BYTES;
    h->llc_policy = find_policy(set, "host_llc", h->llc.policy, diags);
    h->llc_params = cache_policy_bind(h->llc_policy, set, "host_llc", diags);
    BIND(set, "cpu", cpu_kernel_params, &c->cpu.core, diags);
    BIND(set, "testbed", testbed_params, &c->testbed, diags);
}

/* The last-level cache is shared by several applications: CPU programs, and kernels as the last. */
static void share_llc(struct machine_config *c)
{
    struct host_memory_config *h = &c->host_memory;
    const struct memory_config *memory = h->is_separate ? &h->memory : &c->memory;
    struct cache_config *llc = h->is_separate ? &h->llc : &c->l2;
    llc->n_apps = c->cpu_programs.n + 1;
    llc->all_sets = llc->n_sets * memory->banks * memory->n_partitions;
}

/* A machine has CPU cores if their number is set. */
static void bind_cpus(struct machine_config *c, struct param_set *set, struct diag_list *diags)
{
    if (!settings_find(&set->settings, "cpu.cores"))
        return;
    BIND(set, "cpu", cpu_side_params, &c->cpu, diags);
    param_set_bind(set, "cpu", cpu_params, n_cpu_params, &c->cpu.core, diags);
    bind_host_memory(c, set, diags);
    if (!c->host_memory.is_separate)
        BIND(set, "llc", llc_params, &c->llc, diags);
    if (!c->cpu.cores)
        return;
    list_programs(c, &set->settings.arena);
    share_llc(c);
}

/* For a policy with a controller: its own period, if that is set or the machine has none. */
static void settle_period(struct machine_config *c, const struct param_set *set)
{
    if (c->host_memory.is_separate)
        return;
    bool is_own = !c->llc.period || settings_find(&set->settings, "l2.policy.period");
    if (!c->l2_policy->period)
        c->llc.period = 0;
    else if (is_own)
        c->llc.period = c->l2_policy->period(c->l2_params);
}

static void bind_all(struct param_set *set, void *user, struct diag_list *diags)
{
    struct machine_config *c = user;
    param_set_bind(set, "sm", sm_params, n_sm_params, &c->sm, diags);
    bind_cache(set, "l1d", &c->sm.l1d, diags);
    BIND(set, "l1d", epoch_params, &c->sm.l1d, diags);
    bind_cache(set, "l1i", &c->sm.l1i, diags);
    bind_cache(set, "l1c", &c->sm.l1c, diags);
    BIND(set, "memory", memory_params, &c->memory, diags);
    bind_cache(set, "l2", &c->l2, diags);
    BIND(set, "l2", epoch_params, &c->l2, diags);
    BIND(set, "l2", l2_params, &c->l2_config, diags);
    annotations_parse("l2.annotations", c->l2_config.annotations, &set->settings.arena,
                      &c->annotations, diags);
    BIND(set, "atomics", atomics_params, &c->atomics_config, diags);
    BIND(set, "noc", noc_params, &c->noc, diags);
    param_set_bind(set, "dram", dram_params, n_dram_params, &c->dram, diags);
    BIND(set, "host", host_params, &c->host, diags);
    bind_cpus(c, set, diags);
    BIND(set, "", run_params, &c->run, diags);
    warn_of_defaults(set, diags);
    c->noc.max_data_bytes = 128;
    set->explain = machine_explain;
    set->explain_user = c;
    c->scheduler = find_scheduler(set, c->run.scheduler, diags);
    c->scheduler_params = bind_plugin(&c->scheduler->plugin, "scheduler", set, diags);
    pair_policy(c, set);
    c->l1d_policy = find_policy(set, "l1d", c->sm.l1d.policy, diags);
    c->l1d_params = cache_policy_bind(c->l1d_policy, set, "l1d", diags);
    c->l2_policy = find_policy(set, "l2", c->l2.policy, diags);
    c->l2_params = cache_policy_bind(c->l2_policy, set, "l2", diags);
    c->atomics = find_atomics(set, c->atomics_config.unit, diags);
    c->atomics_params = bind_plugin(&c->atomics->plugin, "atomics", set, diags);
    settle_period(c, set);
    bind_criticality(c, set, diags);
}

struct machine_config *machine_config_load(const char *name_or_path, const char *const *words,
                                           uint32_t n_words, struct diag_list *diags)
{
    struct machine_config *c = xcalloc(1, sizeof *c);
    uint32_t errors = diags->n_errors;
    c->gpu = gpu_config_load_with(name_or_path, words, n_words, bind_all, c, diags);
    if (c->gpu && diags->n_errors == errors)
        machine_config_check(c, diags);
    if (diags->n_errors == errors)
        return c;
    machine_config_destroy(c);
    return NULL;
}

uint32_t machine_config_cpu_mhz(const struct machine_config *c)
{
    return c->cpu.cores ? c->cpu.clock_mhz : c->gpu->core_clock_mhz;
}

uint32_t machine_config_host_mhz(const struct machine_config *c, uint32_t mhz)
{
    return c->host_memory.is_separate ? mhz : c->gpu->core_clock_mhz;
}

void machine_config_destroy(struct machine_config *c)
{
    if (!c)
        return;
    gpu_config_destroy(c->gpu);
    free(c);
}

void machine_config_close_fast_paths(struct machine_config *c)
{
    struct cache_config *caches[] = {&c->sm.l1d, &c->sm.l1i, &c->sm.l1c, &c->l2,
                                     &c->host_memory.llc};
    for (uint32_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        caches[i]->no_fast_paths = true;
    c->cpu.core.no_fast_paths = true;
    c->dram.no_fast_paths = c->host_memory.dram.no_fast_paths = true;
    c->host_memory.noc.no_fast_paths = true;
    c->no_fast_paths = c->sm.no_fast_paths = c->noc.no_fast_paths = true;
}
