/* PCIe as a part of a machine, and transfers. */
#include "gpu/pcie.h"

#include "gpu/machine.h"

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct machine_memory *memory = machine_cpu_memory(m);
    struct pcie_setup s = {.place = at,
                           .clock = memory->noc_clock,
                           .noc = memory->noc,
                           .map = &memory->map,
                           .first_network = memory->first_network,
                           .first_partition = m->graph.groups[memory->group].first_id,
                           .n_requests = m->config->host_memory.pcie_requests,
                           .latency_ns = m->config->host.pcie_latency_ns,
                           .mb_per_s = m->config->host.pcie_mb_per_s};
    pcie_create((struct pcie *)part, &s);
}

static void destroy(struct shard *part)
{
    pcie_destroy((struct pcie *)part);
}

static sim_time idle_since(const struct shard *part)
{
    return ((const struct pcie *)part)->ended_at;
}

#define COUNTER(field, name, unit, help)                                                           \
    {                                                                                              \
        name, unit, help, offsetof(struct pcie, stats.field)                                       \
    }
static const struct part_counter counters[] = {
    COUNTER(transfers, "pcie.transfers", "transfers", "between host memory and the GPU"),
    COUNTER(bytes_to_gpu, "pcie.bytes_to_gpu", "bytes", "moved to the GPU"),
    COUNTER(bytes_from_gpu, "pcie.bytes_from_gpu", "bytes", "moved from the GPU"),
    COUNTER(ns, "pcie.ns", "ns", "time of all transfers"),
    COUNTER(wait_ns, "pcie.wait_ns", "ns",
            "of this, the time waiting for host memory beyond the link's rate"),
};

const struct machine_part_kind pcie_part = {
    .part = {.bytes = sizeof(struct pcie), .create = create, .destroy = destroy},
    .idle_since = idle_since,
    .counters = counters,
    .n_counters = sizeof counters / sizeof counters[0],
    .gpu = "i7-s9150",
};
