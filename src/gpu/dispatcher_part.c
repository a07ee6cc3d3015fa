/* The dispatcher as a part of a machine. */
#include "gpu/machine.h"

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct part_group *sms = &m->graph.groups[m->sm_group];
    dispatcher_create((struct dispatcher *)part, at->id, sms->first_id, sms->n,
                      &m->clocks[CLOCK_CORE], machine_dispatch_latency(m));
}

static void destroy(struct shard *part)
{
    dispatcher_destroy((struct dispatcher *)part);
}

static void start_kernel(struct shard *part, const struct machine *m, const struct kernel_start *k)
{
    (void)m;
    const uint32_t *grid = k->emu->launch.grid;
    dispatcher_start((struct dispatcher *)part, (uint64_t)grid[0] * grid[1] * grid[2],
                     k->ctas_per_sm, k->at);
}

static sim_time idle_since(const struct shard *part)
{
    return ((const struct dispatcher *)part)->ended_at;
}

const struct machine_part_kind dispatcher_part = {
    .part = {.bytes = sizeof(struct dispatcher), .create = create, .destroy = destroy},
    .start_kernel = start_kernel,
    .idle_since = idle_since,
};
