/* The description of a machine: its clocks, its parts and the links between them. Nothing else
 * knows how many parts there are, or which may send to which. */
#include <stdlib.h>

#include "base/team.h"
#include "gpu/machine.h"

static void set_clocks(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->clocks[CLOCK_CORE] = (struct clock_domain){"core", c->gpu->core_clock_mhz, 0};
    m->clocks[CLOCK_NOC] = (struct clock_domain){"network", c->run.noc_clock_mhz, 0};
    m->clocks[CLOCK_L2] = (struct clock_domain){"L2", c->run.l2_clock_mhz, 0};
    m->clocks[CLOCK_DRAM] = (struct clock_domain){"DRAM", c->run.dram_clock_mhz, 0};
    m->clocks[CLOCK_CPU] = (struct clock_domain){"CPU", machine_config_cpu_mhz(c), 0};
    m->clocks[CLOCK_HOST_NOC] = (struct clock_domain){
        "host network", machine_config_host_mhz(c, c->host_memory.noc_clock_mhz), 0};
    m->clocks[CLOCK_HOST_LLC] =
        (struct clock_domain){"LLC", machine_config_host_mhz(c, c->host_memory.llc_clock_mhz), 0};
    m->clocks[CLOCK_HOST_DRAM] = (struct clock_domain){
        "host DRAM", machine_config_host_mhz(c, c->host_memory.dram_clock_mhz), 0};
    clocks_resolve(m->clocks, N_CLOCKS);
}

sim_time machine_dispatch_latency(const struct machine *m)
{
    return (sim_time)m->config->run.dispatch_cycles * m->clocks[CLOCK_CORE].period;
}

/* The time that the smallest store or atomic needs from an SM to L2 on an idle network, if it
 * leaves the network at `out` flits per cycle. */
static sim_time latency_to_l2(const struct machine *m, uint32_t out)
{
    const struct machine_config *c = m->config;
    uint32_t flits = noc_flits(&c->noc, SEGMENT_BYTES);
    sim_time cycles = c->noc.latency_cycles + flits / c->noc.flits_per_cycle_up + flits / out;
    return cycles * m->clocks[CLOCK_NOC].period +
           (sim_time)c->memory.rop_latency * m->clocks[CLOCK_L2].period;
}

uint32_t machine_hop_cycles(const struct machine *m)
{
    return m->config->noc.latency_cycles / 2;
}

/* The ports of all banks of a partition act as one: nothing arrives earlier. */
sim_time machine_latency_to_l2(const struct machine *m)
{
    return latency_to_l2(m, m->config->noc.flits_per_cycle_up * m->config->memory.banks);
}

/* MODEL: by default stores become visible after the time they take to L2 on an idle network. */
static sim_time visibility_period(const struct machine *m)
{
    const struct machine_config *c = m->config;
    sim_time core = m->clocks[CLOCK_CORE].period;
    if (c->run.visibility_cycles)
        return c->run.visibility_cycles * core;
    return (latency_to_l2(m, c->noc.flits_per_cycle_up) + core - 1) / core * core;
}

/* --- parts and links --- */

uint32_t machine_add(struct machine *m, const struct machine_part_kind *kind, uint32_t n,
                     const void *setup)
{
    return part_graph_add(&m->graph, &kind->part, n, setup);
}

static void link_network(struct machine *m, const struct machine_memory *memory, struct part_link l)
{
    const struct noc_config *c = memory->noc;
    l.network += memory->first_network;
    l.clock = memory->noc_clock;
    l.latency_cycles = c->latency_cycles;
    l.format = c;
    l.credits = c->buffer_flits;
    part_graph_link(&m->graph, l);
}

static void link_memory(struct machine *m, const struct machine_memory *memory, uint32_t group,
                        uint32_t up, uint32_t down)
{
    const struct noc_config *c = memory->noc;
    /* MODEL: each L2 bank adds a port of the network's width; the ports of a partition act as
     * one. */
    uint32_t banks = memory->slices.memory.banks;
    link_network(m, memory,
                 (struct part_link){.from = group,
                                    .to = memory->group,
                                    .messages = 1u << MSG_REQUEST,
                                    .network = NET_UP,
                                    .flits_in = up,
                                    .flits_out = c->flits_per_cycle_up * banks});
    link_network(m, memory,
                 (struct part_link){.from = memory->group,
                                    .to = group,
                                    .messages = 1u << MSG_REPLY,
                                    .network = NET_DOWN,
                                    .flits_in = c->flits_per_cycle_down * banks,
                                    .flits_out = down});
    /* A store's body returns when L2 is done with it, not through ports. */
    part_graph_link(&m->graph, (struct part_link){.from = memory->group,
                                                  .to = group,
                                                  .messages = 1u << MSG_FREE,
                                                  .clock = memory->noc_clock,
                                                  .latency_cycles = c->latency_cycles});
}

void machine_link_memory(struct machine *m, uint32_t group, uint32_t up, uint32_t down)
{
    link_memory(m, &m->memory, group, up, down);
}

/* Parts of a host: through ports of the network's own width. */
static void link_cpu_memory(struct machine *m, uint32_t group)
{
    const struct machine_memory *memory = machine_cpu_memory(m);
    link_memory(m, memory, group, memory->noc->flits_per_cycle_up,
                memory->noc->flits_per_cycle_down);
}

/* A path with the network's latency, without ports. */
static void link_hop(struct machine *m, uint32_t from, uint32_t to, uint32_t messages,
                     uint32_t cycles)
{
    part_graph_link(&m->graph, (struct part_link){.from = from,
                                                  .to = to,
                                                  .messages = messages,
                                                  .clock = &m->clocks[CLOCK_NOC],
                                                  .latency_cycles = cycles});
}

/* SMs that share a port: what they send and receive passes it in the middle of the path. Their own
 * ports and those of partitions are unchanged. */
static void link_shared_ports(struct machine *m)
{
    const struct machine_config *c = m->config;
    uint32_t sms = m->sm_group, memory = m->memory.group, banks = c->memory.banks;
    uint32_t each = c->noc.sms_per_port, n = (c->gpu->n_sms + each - 1) / each;
    uint32_t to = machine_hop_cycles(m), from = c->noc.latency_cycles - to;
    uint32_t down = 1u << MSG_REPLY | 1u << MSG_FREE;
    uint32_t ports = machine_add(m, &shared_port_part, n, m);
    link_network(m, &m->memory,
                 (struct part_link){.from = sms,
                                    .to = memory,
                                    .messages = 1u << MSG_REQUEST,
                                    .network = NET_UP,
                                    .flits_in = c->noc.flits_per_cycle_up,
                                    .flits_out = c->noc.flits_per_cycle_up * banks,
                                    .via = {ports, each, false, to}});
    link_network(m, &m->memory,
                 (struct part_link){.from = memory,
                                    .to = sms,
                                    .messages = 1u << MSG_REPLY,
                                    .network = NET_DOWN,
                                    .flits_in = c->noc.flits_per_cycle_down * banks,
                                    .flits_out = c->noc.flits_per_cycle_down,
                                    .via = {ports, each, true, to}});
    link_hop(m, sms, ports, 1u << MSG_REQUEST, to);
    link_hop(m, ports, memory, 1u << MSG_REQUEST, from);
    link_hop(m, memory, ports, down, to);
    link_hop(m, ports, sms, down, from);
}

static void link_dispatch(struct machine *m, uint32_t from, uint32_t to, enum message_kind kind)
{
    part_graph_link(&m->graph,
                    (struct part_link){.from = from,
                                       .to = to,
                                       .messages = 1u << kind,
                                       .clock = &m->clocks[CLOCK_CORE],
                                       .latency_cycles = m->config->run.dispatch_cycles});
}

static const struct mutex_params *mutex_params(const struct machine *m)
{
    return m->config->atomics->net ? m->config->atomics_params : NULL;
}

/* MODEL: mutexes use a separate network without contention. */
static void link_sms(struct machine *m, const struct mutex_params *p)
{
    part_graph_link(&m->graph, (struct part_link){.from = m->sm_group,
                                                  .to = m->sm_group,
                                                  .messages = 1u << MSG_MUTEX,
                                                  .optional = true,
                                                  .clock = &m->clocks[CLOCK_CORE],
                                                  .latency_cycles = p->hop_cycles});
    m->ledger = write_ledger_create(p->mutexes, m->config->sm.l1d.line_bytes);
}

/* --- CPU cores and the last-level cache that they share with the GPU --- */

/* MODEL: control of the last-level cache uses separate links without contention. */
static void link_control(struct machine *m, uint32_t from, uint32_t to, enum message_kind kind)
{
    part_graph_link(&m->graph, (struct part_link){.from = from,
                                                  .to = to,
                                                  .messages = 1u << kind,
                                                  .clock = &m->clocks[CLOCK_L2],
                                                  .latency_cycles = m->config->llc.link_cycles});
}

static void add_controller(struct machine *m)
{
    const struct cache_policy_desc *policy = m->config->l2_policy;
    m->llc.period = m->config->llc.period * m->clocks[CLOCK_L2].period;
    m->controller_group = machine_add(m, &llc_controller_part, 1, m);
    link_control(m, m->memory.group, m->controller_group, MSG_LLC_REPORT);
    link_control(m, m->controller_group, m->memory.group, MSG_LLC_DECISION);
    if (policy->uses_sampling_sms)
        link_control(m, m->sm_group, m->controller_group, MSG_LLC_SAMPLE);
}

/* CPU cores that run no program run kernels. */
static void add_workers(struct machine *m)
{
    uint32_t messages[] = {1u << MSG_CTA_START, 1u << MSG_CTA_DONE};
    m->worker_group = machine_add(m, &worker_part, m->n_workers, m);
    m->dealer_group = machine_add(m, &dealer_part, 1, m);
    link_cpu_memory(m, m->worker_group);
    for (uint32_t i = 0; i < 2; i++)
        part_graph_link(&m->graph,
                        (struct part_link){.from = i ? m->worker_group : m->dealer_group,
                                           .to = i ? m->dealer_group : m->worker_group,
                                           .messages = messages[i],
                                           .clock = &m->clocks[CLOCK_CPU],
                                           .latency_cycles = m->config->testbed.deal_cycles});
}

/* The host of a discrete GPU: memory, and the DMA engine of PCIe. */
static void add_host(struct machine *m)
{
    m->host_memory.slices.llc = &m->llc;
    m->host_memory.group = machine_add(m, &host_memory_part,
                                       m->config->host_memory.memory.n_partitions, &m->host_memory);
    m->cmp = cmp_create(&m->config->cpu.core, m->n_workers);
    m->pcie_group = machine_add(m, &pcie_part, 1, m);
    link_cpu_memory(m, m->pcie_group);
    if (m->n_workers)
        add_workers(m);
}

/* CPU core i is application i, the GPU the last one. */
static void add_cpus(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->n_cpus = c->cpu_programs.n;
    m->n_workers = c->cpu.cores - m->n_cpus;
    m->llc.n_apps = machine_config_llc(c)->n_apps;
    m->llc.gpu_app = m->n_cpus;
    m->llc.n_sms = m->llc.samplers[0] = m->llc.samplers[1] = c->gpu->n_sms;
    if (c->llc.period && c->l2_policy->uses_sampling_sms) {
        m->llc.samplers[0] = c->llc.samplers[0];
        m->llc.samplers[1] = c->llc.samplers[1];
    }
    if (machine_is_discrete(m))
        add_host(m);
    else
        m->memory.slices.llc = &m->llc;
    if (m->n_cpus) {
        m->cpu_group = machine_add(m, &cpu_part, m->n_cpus, m);
        link_cpu_memory(m, m->cpu_group);
    }
    if (c->llc.period)
        add_controller(m);
}

static void describe(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->sm_group = machine_add(m, &sm_part, c->gpu->n_sms, m);
    m->memory.group = machine_add(m, &memory_part, c->memory.n_partitions, &m->memory);
    m->dispatcher_group = machine_add(m, &dispatcher_part, 1, m);
    if (c->noc.sms_per_port > 1)
        link_shared_ports(m);
    else
        machine_link_memory(m, m->sm_group, c->noc.flits_per_cycle_up, c->noc.flits_per_cycle_down);
    link_dispatch(m, m->dispatcher_group, m->sm_group, MSG_CTA_START);
    link_dispatch(m, m->sm_group, m->dispatcher_group, MSG_CTA_DONE);
    if (mutex_params(m))
        link_sms(m, mutex_params(m));
    if (c->cpu.cores)
        add_cpus(m);
}

struct machine *machine_plan(const struct machine_config *config,
                             const struct machine_options *options, struct dev_mem *mem)
{
    struct machine *m = xcalloc(1, sizeof *m);
    m->config = config;
    m->options = *options;
    m->mem = mem;
    set_clocks(m);
    machine_describe_memories(m);
    m->visibility = visibility_period(m);
    describe(m);
    return m;
}

/* --- building --- */

/* Nothing asks how critical warps are between the events of an SM, so the machine does. */
static void sample_criticality(void *user, const struct machine *m, uint64_t cycle)
{
    (void)user;
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        attribution_sample(machine_sm(m, i), cycle);
}

static void sample_mechanisms(void *user, const struct machine *m, uint64_t cycle)
{
    mechanism_stats_sample(user, m, cycle);
}

static void watch_mechanisms(struct machine *m)
{
    mechanism_stats_init(&m->mechanisms, m->config, &m->arena);
    if (mechanism_stats_are_sampled(&m->mechanisms))
        machine_watch(m, (struct machine_watcher){.period_cycles = STAT_SAMPLE_CYCLES,
                                                  .look = sample_mechanisms,
                                                  .user = &m->mechanisms});
}

/* The per-cycle engine does not use halves. */
static void adapt_engine(struct machine *m)
{
    const struct machine_options *o = &m->options;
    sim_time asked = (sim_time)o->quantum * m->clocks[CLOCK_CORE].period;
    if (o->every_cycle)
        m->engine.n_first = 0;
    if (asked && asked < m->engine.quantum)
        m->engine.quantum = asked;
}

void machine_link_sms(struct machine *m, bool on)
{
    if (!mutex_params(m) || m->graph.optional_on == on)
        return;
    part_graph_switch(&m->graph, &m->engine, on);
    adapt_engine(m);
}

/* Ids are known now. */
static void settle_llc(struct machine *m)
{
    m->llc.first_sm = m->graph.groups[m->sm_group].first_id;
    m->llc.controller = m->graph.groups[m->controller_group].first_id;
    if (!m->llc.period || !m->config->l2_policy->uses_sampling_sms)
        return;
    for (uint32_t i = 0; i < 2; i++)
        sm_sample(machine_sm(m, m->llc.samplers[i]), m->llc.period, m->llc.controller);
}

void machine_build(struct machine *m)
{
    const struct machine_options *o = &m->options;
    m->engine = (struct engine){.period = m->visibility,
                                .skip = !o->every_cycle,
                                .at_boundary = machine_at_boundary,
                                .user = m};
    part_graph_build(&m->graph, &m->engine);
    settle_llc(m);
    adapt_engine(m);
    m->dispatcher = (struct dispatcher *)part_at(&m->graph, m->dispatcher_group, 0);
    engine_connect(&m->engine);
    uint32_t threads =
        o->threads < m->engine.n ? o->threads : m->engine.n; /* more threads would have no
                                                                             * work */
    if (threads > 1)
        m->engine.team = team_create(threads);
    if (o->attribute && machine_sm(m, 0)->criticality_matters)
        machine_watch(m, (struct machine_watcher){.period_cycles = ATTRIBUTION_SAMPLE_CYCLES,
                                                  .look = sample_criticality});
    watch_mechanisms(m);
    if (machine_is_mixed(m))
        mix_watch(m);
    testbed_sample_watch(m);
    policy_clock_init(m);
}

struct machine *machine_create(const struct machine_config *config,
                               const struct machine_options *options, struct dev_mem *mem)
{
    struct machine *m = machine_plan(config, options, mem);
    machine_build(m);
    return m;
}

void machine_destroy(struct machine *m)
{
    if (!m)
        return;
    team_destroy(m->engine.team);
    engine_destroy(&m->engine);
    part_graph_destroy(&m->graph);
    write_ledger_destroy(m->ledger);
    cmp_destroy(m->cmp);
    arena_destroy(&m->arena);
    free(m);
}
