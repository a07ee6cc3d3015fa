/* Memory slices as parts of a machine: the GPU's, and those of a discrete GPU's host. */
#include "gpu/machine_totals.h"

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine_memory *memory = setup;
    const struct machine *m = memory->machine;
    struct slice_setup slice = {.config = &memory->slices,
                                .place = at,
                                .l2_clock = memory->l2_clock,
                                .dram_clock = memory->dram_clock,
                                .map = &memory->map,
                                .first_network = memory->first_network,
                                .mem = m->mem,
                                .every_cycle = m->options.every_cycle};
    slice_create((struct slice *)part, &slice);
}

static void destroy(struct shard *part)
{
    slice_destroy((struct slice *)part);
}

static void start_host_kernel(struct shard *part, const struct machine *m,
                              const struct kernel_start *k)
{
    const struct slice *p = (const struct slice *)part;
    (void)m;
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_kernel_start(p->banks[b].cache, k->emu->launch.number);
}

static void start_kernel(struct shard *part, const struct machine *m, const struct kernel_start *k)
{
    if (m->config->run.flush_l2)
        slice_flush((struct slice *)part);
    start_host_kernel(part, m, k);
}

static void after_kernel(struct shard *part, uint32_t launch)
{
    const struct slice *p = (const struct slice *)part;
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_kernel_end(p->banks[b].cache, launch);
}

static void commit_atomics(struct shard *part, struct boundary *b)
{
    (void)b;
    slice_commit_atomics((struct slice *)part);
}

static sim_time idle_since(const struct shard *part)
{
    return ((const struct slice *)part)->last_event;
}

#define SLICE_KIND                                                                                 \
    {                                                                                              \
        .bytes = sizeof(struct slice), .takes = 1u << MSG_REQUEST | 1u << MSG_LLC_DECISION,        \
        .create = create, .destroy = destroy                                                       \
    }

const struct machine_part_kind memory_part = {
    .part = SLICE_KIND,
    .start_kernel = start_kernel,
    .at_boundary = {[BOUNDARY_ATOMICS] = commit_atomics},
    .after_kernel = after_kernel,
    .idle_since = idle_since,
    .add_totals = totals_add_slice,
};

/* Kernels of the GPU do not use it, but its policy receives their starts and ends, as it does those
 * of kernels on CPU cores (machine_host.c). */
const struct machine_part_kind host_memory_part = {
    .part = SLICE_KIND,
    .start_kernel = start_host_kernel,
    .after_kernel = after_kernel,
    .idle_since = idle_since,
};
