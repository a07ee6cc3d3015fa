/* A memory partition as a part of a machine. */
#include "gpu/machine_totals.h"

static void create(struct shard *part, const struct part_place *at, const void *setup)
{
    const struct machine *m = setup;
    partition_create((struct partition *)part, m->config, at, &m->clocks[CLOCK_L2],
                     &m->clocks[CLOCK_DRAM], &m->map, m->mem, m->options.every_cycle);
}

static void destroy(struct shard *part)
{
    partition_destroy((struct partition *)part);
}

static void start_kernel(struct shard *part, const struct machine *m, const struct kernel_start *k)
{
    struct partition *p = (struct partition *)part;
    if (m->config->run.flush_l2)
        partition_flush(p);
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_kernel_start(p->banks[b].cache, k->emu->launch.number);
}

static void after_kernel(struct shard *part, uint32_t launch)
{
    const struct partition *p = (const struct partition *)part;
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_kernel_end(p->banks[b].cache, launch);
}

static void commit_atomics(struct shard *part, struct boundary *b)
{
    overlay_commit(&((struct partition *)part)->overlay, b->mem);
}

static sim_time rested_at(const struct shard *part)
{
    return ((const struct partition *)part)->last_event;
}

const struct machine_part_kind memory_part = {
    .part = {.bytes = sizeof(struct partition), .create = create, .destroy = destroy},
    .start_kernel = start_kernel,
    .at_boundary = {[BOUNDARY_ATOMICS] = commit_atomics},
    .after_kernel = after_kernel,
    .rested_at = rested_at,
    .add_totals = totals_add_partition,
};
