/* Everything that describes a simulated machine, bound from one configuration. */
#ifndef HEDDLE_GPU_MACHINE_CONFIG_H
#define HEDDLE_GPU_MACHINE_CONFIG_H

#include "config/gpu.h"
#include "crit/criticality.h"
#include "dram/dram.h"
#include "noc/port.h"
#include "sched/scheduler.h"
#include "sm/sm_config.h"

struct memory_config {
    uint32_t n_partitions, interleave_bytes;
    bool hash_partitions;
    uint32_t banks;             /* L2 banks of a partition */
    uint32_t input_queue;       /* requests between the port and an L2 bank */
    uint32_t rop_latency;       /* from the port to L2 */
    uint32_t l2_latency;        /* from an L2 hit to the reply port */
    uint32_t dram_latency;      /* added to each DRAM access on its way */
    uint32_t dram_queue;        /* requests between L2 and DRAM */
    uint32_t reply_queue;       /* replies waiting for the network, beyond which L2 stalls */
    uint32_t atomics_per_cycle; /* lane operations of one L2 bank */
};

struct run_config {
    uint32_t noc_clock_mhz, l2_clock_mhz, dram_clock_mhz;
    uint32_t dispatch_cycles;   /* between the dispatcher and an SM, one way */
    uint32_t launch_cycles;     /* overhead of a kernel launch */
    uint32_t visibility_cycles; /* 0 = the way from an SM to L2 */
    bool flush_l1, flush_l2;    /* between kernels */
    const char *scheduler, *criticality;
};

struct machine_config {
    struct gpu_config *gpu;
    struct sm_config sm;
    struct memory_config memory;
    struct cache_config l2;
    struct noc_config noc;
    struct dram_config dram;
    struct run_config run;
    const struct scheduler_desc *scheduler;
    const void *scheduler_params;
    const struct criticality_desc *criticality;
    const void *criticality_params, *criticality_input;
    const struct cache_policy_desc *l1d_policy, *l2_policy;
    const void *l1d_params, *l2_params;
    bool no_fast_paths; /* machine_config_close_fast_paths() */
};

/* NULL after errors, which are in `diags`. */
struct machine_config *machine_config_load(const char *name_or_path, const char *const *words,
                                           uint32_t n_words, struct diag_list *diags);
void machine_config_destroy(struct machine_config *c);
/* Every part of the machine takes the general way, whatever short ones it has. The results are the
 * same, or a fast path is wrong. Each part is told in its own configuration, and asks where it
 * decides which of its fast paths are open. */
void machine_config_close_fast_paths(struct machine_config *c);

#endif
