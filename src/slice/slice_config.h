/* What a memory slice needs to know about its machine. */
#ifndef HEDDLE_SLICE_SLICE_CONFIG_H
#define HEDDLE_SLICE_SLICE_CONFIG_H

#include "atomics/atomics.h"
#include "cache/cache.h"
#include "dram/dram.h"
#include "noc/port.h"

struct memory_config {
    uint32_t n_partitions, interleave_bytes;
    bool hash_partitions;
    uint32_t banks;             /* L2 banks per partition */
    uint32_t input_queue;       /* requests between the port and an L2 bank */
    uint32_t rop_latency;       /* from the port to L2 */
    uint32_t l2_latency;        /* from an L2 hit to the reply port */
    uint32_t dram_latency;      /* from the end of a DRAM access until L2 has the data */
    uint32_t dram_queue;        /* requests between L2 and DRAM */
    uint32_t reply_queue;       /* replies waiting for the network, beyond which L2 stalls */
    uint32_t atomics_per_cycle; /* lane operations per cycle of one L2 bank */
};

/* Accesses to annotated addresses count as annotated for L2 while a kernel runs: stores as .cc, or
 * loads as .cp. */
enum { L2_MAX_MARKS = 64 };
struct l2_mark {
    uint64_t start, bytes;
    bool is_store;
};
struct l2_marks {
    struct l2_mark items[L2_MAX_MARKS];
    uint32_t n;
};

/* L2 as the last-level cache of several applications, and its controller (llc.h). */
struct llc_setup {
    uint32_t n_apps, gpu_app;
    uint32_t first_sm, n_sms; /* shard ids */
    uint32_t samplers[2];     /* SMs that sample LRU and MRU insertion; n_sms = none */
    uint32_t controller;      /* shard id */
    sim_time period;          /* between reports; 0 = the policy has no controller */
};

/* The same for all slices of a machine. */
struct slice_config {
    struct memory_config memory;
    struct cache_config l2; /* one bank */
    const struct cache_policy_desc *l2_policy;
    const void *l2_params;
    const struct atomics_desc *atomics;
    const void *atomics_params;
    struct noc_config noc;
    struct dram_config dram;
    const struct l2_marks *marks; /* of the running kernel */
    const struct llc_setup *llc;  /* NULL = a single application uses L2 */
    bool no_fast_paths;           /* no request takes a fast path */
};

#endif
