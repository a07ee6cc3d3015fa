/* The memory systems of a machine: the GPU's, which its CPU cores share, and the host's of a
 * discrete GPU. */
#include "gpu/machine.h"

static struct address_map map_of(const struct memory_config *memory, const struct dram_config *dram)
{
    return (struct address_map){.n_partitions = memory->n_partitions,
                                .interleave_bytes = memory->interleave_bytes,
                                .n_banks = dram->n_banks,
                                .row_bytes = dram->row_bytes,
                                .bank_interleave_bytes = dram->bank_interleave_bytes,
                                .hash_partitions = memory->hash_partitions,
                                .keep_banks = !dram->permute_banks};
}

static void describe_gpu(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->memory = (struct machine_memory){.machine = m,
                                        .noc = &c->noc,
                                        .noc_clock = &m->clocks[CLOCK_NOC],
                                        .l2_clock = &m->clocks[CLOCK_L2],
                                        .dram_clock = &m->clocks[CLOCK_DRAM],
                                        .map = map_of(&c->memory, &c->dram),
                                        .slices = {.memory = c->memory,
                                                   .l2 = c->l2,
                                                   .l2_policy = c->l2_policy,
                                                   .l2_params = c->l2_params,
                                                   .atomics = c->atomics,
                                                   .atomics_params = c->atomics_params,
                                                   .noc = c->noc,
                                                   .dram = c->dram,
                                                   .marks = &m->l2_marks,
                                                   .no_fast_paths = c->no_fast_paths},
                                        .first_network = NET_UP};
}

/* No atomics are performed there: the unit is the one that costs nothing. */
static void describe_host(struct machine *m)
{
    const struct machine_config *c = m->config;
    const struct host_memory_config *h = &c->host_memory;
    m->host_memory = (struct machine_memory){.machine = m,
                                             .noc = &h->noc,
                                             .noc_clock = &m->clocks[CLOCK_HOST_NOC],
                                             .l2_clock = &m->clocks[CLOCK_HOST_LLC],
                                             .dram_clock = &m->clocks[CLOCK_HOST_DRAM],
                                             .map = map_of(&h->memory, &h->dram),
                                             .slices = {.memory = h->memory,
                                                        .l2 = h->llc,
                                                        .l2_policy = h->llc_policy,
                                                        .l2_params = h->llc_params,
                                                        .atomics = atomics_find("at_l2"),
                                                        .noc = h->noc,
                                                        .dram = h->dram,
                                                        .no_fast_paths = c->no_fast_paths},
                                             .first_network = NET_HOST};
}

void machine_describe_memories(struct machine *m)
{
    describe_gpu(m);
    if (machine_is_discrete(m))
        describe_host(m);
}
