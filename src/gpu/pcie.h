/* The DMA engine of a discrete GPU's host: moves bytes between host memory and the GPU, one
 * transfer at a time. It is a part of the machine, on the host's network.
 *
 * A transfer reads or writes its lines of host memory one after the other, each as soon as the link
 * is ready for it: line k when k lines have had their time at `mb_per_s`. Without a free request,
 * or a credit of the network, it waits, and all later lines are delayed by as much. It ends
 * `latency` after the link has carried its last byte, and not before host memory has answered all
 * requests. So on an idle host it takes exactly latency + bytes / bandwidth.
 *
 * MODEL: transfers bypass the last-level cache of the host.
 *
 * MODEL: the GPU's own memory accepts and delivers the data of transfers at once. */
#ifndef HEDDLE_GPU_PCIE_H
#define HEDDLE_GPU_PCIE_H

#include "dram/dram.h"
#include "noc/part_graph.h"
#include "noc/ticker.h"
#include "request/request.h"

enum { PCIE_LINE_BYTES = 64 };

struct pcie_stats {
    uint64_t transfers, bytes_to_gpu, bytes_from_gpu;
    uint64_t ns;      /* summed from start to end of each */
    uint64_t wait_ns; /* of these, waiting for host memory */
};

struct pcie_setup {
    const struct part_position *place;
    const struct clock_domain *clock;
    const struct noc_config *noc;
    const struct address_map *map;
    uint32_t first_network, first_partition;
    uint32_t n_requests;           /* maximum outstanding lines */
    uint32_t latency_ns, mb_per_s; /* 10^6 bytes */
};

struct pcie {
    struct ticker ticker; /* first */
    const struct address_map *map;
    const struct noc_config *noc;
    struct tx_port up;
    struct rx_port down;
    struct mem_request *requests, *free_requests;
    uint32_t first_partition, n_requests, n_free;
    uint32_t latency_ns, mb_per_s;
    uint64_t units_per_us;
    /* The transfer. */
    bool is_busy, to_gpu;
    uint64_t address, bytes, n_lines, next_line;
    sim_time started, base; /* when it began; the same plus all its delays */
    sim_time ended_at;      /* of the last one; may be in the future when the engine is done with
                             * it */
    uint64_t lines_asked, bytes_got; /* over all transfers, from host memory */
    struct pcie_stats stats;
};

/* For part_kind.create and .destroy. */
void pcie_create(struct pcie *p, const struct pcie_setup *setup);
void pcie_destroy(struct pcie *p);
/* Starts a transfer at that time; call it between runs of the engine, while it is not busy.
 * Addresses are those of host memory. */
void pcie_start(struct pcie *p, uint64_t address, uint64_t bytes, bool to_gpu, sim_time at);
/* A transfer in progress requests no more lines. */
void pcie_stop(struct pcie *p);

#endif
