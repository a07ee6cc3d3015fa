/* CPU cores as parts of a machine. Those with a program run from the beginning, whatever kernels
 * do; workers run work-groups of kernels. */
#include "gpu/machine_totals.h"

static struct cpu_setup setup_of(const struct machine *m, const struct part_position *at)
{
    const struct machine_config *c = m->config;
    const struct machine_memory *memory = machine_cpu_memory(m);
    return (struct cpu_setup){.config = &c->cpu.core,
                              .clock = &m->clocks[CLOCK_CPU],
                              .place = at,
                              .noc = memory->noc,
                              .map = &memory->map,
                              .first_network = memory->first_network,
                              .first_partition = m->graph.groups[memory->group].first_id,
                              .every_cycle = m->options.every_cycle};
}

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    struct cpu_setup s = setup_of(m, at);
    s.app = at->index;
    s.source = m->options.cpu_sources[at->index];
    cpu_core_create((struct cpu_core *)part, &s);
    cpu_core_start((struct cpu_core *)part, 0);
}

static void destroy(struct shard *part)
{
    cpu_core_destroy((struct cpu_core *)part);
}

static bool check(const struct shard *part, struct strbuf *why)
{
    return cpu_core_check((const struct cpu_core *)part, why);
}

const struct machine_part_kind cpu_part = {
    .part = {.bytes = sizeof(struct cpu_core), .create = create, .destroy = destroy},
    .check = check,
};

/* --- workers --- */

static sim_time deal_latency(const struct machine *m)
{
    return (sim_time)m->config->testbed.deal_cycles * m->clocks[CLOCK_CPU].period;
}

static void create_worker(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    struct cpu_setup s = setup_of(m, at);
    s.app = m->llc.gpu_app;
    s.source = cmp_source(m->cmp, at->index);
    s.is_worker = true;
    s.dispatcher = m->graph.groups[m->dealer_group].first_id;
    s.dispatch_latency = deal_latency(m);
    cpu_core_create((struct cpu_core *)part, &s);
    cpu_core_start((struct cpu_core *)part, 0);
}

static void add_worker_totals(const struct shard *part, struct machine_totals *t, sim_time now)
{
    const struct cpu_core *core = (const struct cpu_core *)part;
    struct cpu_stats s = cpu_core_stats(core, now);
    uint64_t *into = (uint64_t *)&t->host.workers, *from = (uint64_t *)&s;
    for (size_t i = 0; i < sizeof s / sizeof *from; i++)
        into[i] += from[i];
}

const struct machine_part_kind worker_part = {
    .part = {.bytes = sizeof(struct cpu_core), .create = create_worker, .destroy = destroy},
    .add_totals = add_worker_totals,
    .check = check,
};

static void create_dealer(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct part_group *workers = &m->graph.groups[m->worker_group];
    dispatcher_create((struct dispatcher *)part, at->id, workers->first_id, workers->n,
                      &m->clocks[CLOCK_CPU], deal_latency(m));
}

static void destroy_dealer(struct shard *part)
{
    dispatcher_destroy((struct dispatcher *)part);
}

const struct machine_part_kind dealer_part = {
    .part = {.bytes = sizeof(struct dispatcher),
             .create = create_dealer,
             .destroy = destroy_dealer},
};
