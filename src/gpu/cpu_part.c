/* A CPU core as a part of a machine. It runs from the beginning, whatever kernels do. */
#include "gpu/machine_totals.h"

static void create(struct shard *part, const struct part_place *at, const void *setup)
{
    const struct machine *m = setup;
    const struct machine_config *c = m->config;
    struct cpu_setup s = {.config = &c->cpu.core,
                          .clock = &m->clocks[CLOCK_CPU],
                          .place = at,
                          .noc = &c->noc,
                          .map = &m->map,
                          .first_partition = m->graph.groups[m->memory_group].first_id,
                          .llc_line_bytes = c->l2.line_bytes,
                          .app = at->index,
                          .source = m->options.cpu_sources[at->index],
                          .every_cycle = m->options.every_cycle};
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
