/* Everything that describes a simulated machine, bound from one configuration. */
#ifndef HEDDLE_GPU_MACHINE_CONFIG_H
#define HEDDLE_GPU_MACHINE_CONFIG_H

#include "atomics/atomics.h"
#include "config/gpu.h"
#include "cpu/core_config.h"
#include "crit/criticality.h"
#include "gpu/annotations.h"
#include "sched/scheduler.h"
#include "slice/slice_config.h"
#include "sm/sm_config.h"

struct run_config {
    uint32_t noc_clock_mhz, l2_clock_mhz, dram_clock_mhz;
    uint32_t dispatch_cycles;   /* between the dispatcher and an SM, one way */
    uint32_t launch_cycles;     /* overhead of a kernel launch */
    uint32_t visibility_cycles; /* 0 = the path from an SM to L2 */
    bool flush_l1, flush_l2;    /* between kernels */
    const char *scheduler, *criticality;
};

struct atomics_config {
    const char *unit; /* name; its parameters are bound under "atomics" */
};

struct l2_config {
    const char *annotations; /* text; see annotations.h */
};

/* What the host sees of the GPU, and the effect of its copies. */
struct host_config {
    uint64_t global_bytes;                   /* device memory */
    uint32_t pcie_latency_ns, pcie_mb_per_s; /* of a transfer; 10^6 bytes per second */
    bool copies_warm_l2;                     /* what the host writes is then in L2 */
};

enum { MACHINE_MAX_CPUS = 4 };

/* For machines with CPU cores (cpu.cores): L2 is the last-level cache of all. */
struct cpu_side_config {
    uint32_t cores, clock_mhz;
    uint64_t insts;       /* instructions of a trace that form the program; 0 = all */
    const char *programs; /* text: names or files, separated by commas */
    struct cpu_config core;
};
struct cpu_programs {
    const char *names[MACHINE_MAX_CPUS];
    uint32_t n;
};
/* The host of a discrete GPU: its CPU cores have a separate memory system, which transfers between
 * host and GPU use as well. */
struct host_memory_config {
    bool is_separate; /* otherwise CPU cores share the GPU's */
    uint32_t noc_clock_mhz, llc_clock_mhz, dram_clock_mhz;
    uint32_t usable_mb_per_s; /* the most DRAM bandwidth that programs can use; 10^6 bytes per
                               * second */
    uint32_t pcie_requests;   /* lines of host memory that a transfer waits for at the same time */
    struct memory_config memory;
    struct cache_config llc; /* one bank */
    const struct cache_policy_desc *llc_policy;
    const void *llc_params;
    struct noc_config noc;
    struct dram_config dram;
};
/* Kernels on a machine with a discrete GPU (testbed.h). */
enum testbed_target { TESTBED_GPU, TESTBED_CMP };
struct testbed_config {
    enum testbed_target on;
    uint32_t launch; /* the timed one, counted from 1; 0 = all */
    uint32_t deal_cycles;
    uint32_t sample_us; /* 0 = no sampling */
};
struct llc_config {
    uint32_t link_cycles;   /* between slices or SMs and the controller */
    const char *sample_sms; /* text */
    uint32_t samplers[2];   /* SMs that sample LRU and MRU insertion */
    uint64_t period;        /* of the policy, in L2 cycles; 0 = it has no controller */
};

struct machine_config {
    struct gpu_config *gpu;
    struct sm_config sm;
    struct memory_config memory;
    struct cache_config l2;
    struct l2_config l2_config;
    struct annotations annotations; /* the parsed text */
    struct noc_config noc;
    struct dram_config dram;
    struct run_config run;
    struct host_config host;
    struct cpu_side_config cpu; /* cores 0 = there are none */
    struct cpu_programs cpu_programs;
    struct host_memory_config host_memory;
    struct testbed_config testbed; /* valid if it is separate */
    struct llc_config llc;
    struct atomics_config atomics_config;
    const struct scheduler_desc *scheduler;
    const void *scheduler_params;
    const struct criticality_desc *criticality;
    const void *criticality_params, *criticality_input;
    const struct cache_policy_desc *l1d_policy, *l2_policy;
    const void *l1d_params, *l2_params;
    const struct atomics_desc *atomics;
    const void *atomics_params;
    bool no_fast_paths; /* machine_config_close_fast_paths() */
};

/* NULL on errors, which are in `diags`. */
struct machine_config *machine_config_load(const char *name_or_path, const char *const *words,
                                           uint32_t n_words, struct diag_list *diags);
void machine_config_destroy(struct machine_config *c);
/* Disables all fast paths of the machine. The results are the same, or a fast path is wrong. Each
 * part finds the switch in its own configuration and checks it where it decides which fast paths
 * are open. */
void machine_config_close_fast_paths(struct machine_config *c);

/* That of the SMs if there are no CPU cores. */
uint32_t machine_config_cpu_mhz(const struct machine_config *c);
/* A clock of the host's memory system; that of the SMs if there is none. */
uint32_t machine_config_host_mhz(const struct machine_config *c, uint32_t mhz);

/* The last-level cache of CPU cores, a bank of it, and its total size in bytes. */
static inline const struct cache_config *machine_config_llc(const struct machine_config *c)
{
    return c->host_memory.is_separate ? &c->host_memory.llc : &c->l2;
}
static inline uint64_t machine_config_llc_bytes(const struct machine_config *c)
{
    const struct cache_config *llc = machine_config_llc(c);
    return (uint64_t)llc->all_sets * llc->n_ways * llc->line_bytes;
}

#endif
