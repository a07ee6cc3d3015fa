/* Parameters of a CPU core. One table row each, see core_config.c. */
#ifndef HEDDLE_CPU_CORE_CONFIG_H
#define HEDDLE_CPU_CORE_CONFIG_H

#include "config/param.h"

enum { CPU_MAX_WIDTH = 16, CPU_MAX_ROB = 1024, CPU_MAX_MLP = 64, CPU_MAX_L1_LATENCY = 63 };
enum {
    CPU_MAX_LINES = 8
};                            /* lines that an instruction loads or stores: lanes of a kernel's
                               * instruction */
enum { CPU_LINE_BYTES = 64 }; /* of L1 and L2, and of a request to the last-level cache */

struct cpu_config {
    uint32_t width; /* instructions that enter, and retire, per cycle */
    uint32_t rob;   /* instructions of the reorder window */
    uint32_t mlp;   /* outstanding L1 misses */
    uint32_t store_buffer, write_buffer;
    uint32_t l1_bytes, l1_ways, l1_latency;
    uint32_t l2_bytes, l2_ways, l2_latency;
    bool follow_registers; /* dependences pass through instructions that are not loads */
    /* Of cores that run kernels, otherwise 0: lanes per instruction; instructions per special
     * function. */
    uint32_t simd_width, math_insts;
    bool no_fast_paths; /* no access takes a fast path; the results are the same */
};

/* Bound under "cpu". */
extern const struct param cpu_params[];
extern const uint32_t n_cpu_params;
/* Is such a core possible? If not, false, and `flaw` says why. */
bool cpu_config_sound(const struct cpu_config *c, struct param_flaw *flaw);

#endif
