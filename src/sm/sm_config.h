/* Parameters of an SM. One table row each, see sm_config.c. */
#ifndef HEDDLE_SM_SM_CONFIG_H
#define HEDDLE_SM_SM_CONFIG_H

#include "cache/cache.h"
#include "config/param.h"
#include "sm/carveout.h"

/* Classes of operations that differ in latency or throughput, with GPGPU-Sim's Fermi values:
 * OP(id, name, unit, latency, interval), in core cycles. Where an SM has no units of that kind, the
 * SP units perform them. */
#define SM_OPERATIONS(OP)                                                                          \
    OP(INT_ADD, int_add, INT, 4, 1)                                                                \
    OP(INT_MAX, int_max, INT, 13, 2)                                                               \
    OP(INT_MUL, int_mul, INT, 4, 2)                                                                \
    OP(INT_MAD, int_mad, INT, 5, 1)                                                                \
    OP(INT_DIV, int_div, SFU, 145, 8)                                                              \
    OP(FP32_ADD, fp32_add, SP, 4, 1)                                                               \
    OP(FP32_MAX, fp32_max, SP, 13, 2)                                                              \
    OP(FP32_MUL, fp32_mul, SP, 4, 1)                                                               \
    OP(FP32_MAD, fp32_mad, SP, 5, 1)                                                               \
    OP(FP32_DIV, fp32_div, SFU, 39, 4)                                                             \
    OP(FP64_ADD, fp64_add, FP64, 8, 8)                                                             \
    OP(FP64_MAX, fp64_max, FP64, 19, 16)                                                           \
    OP(FP64_MUL, fp64_mul, FP64, 8, 8)                                                             \
    OP(FP64_MAD, fp64_mad, FP64, 8, 8)                                                             \
    OP(FP64_DIV, fp64_div, SFU, 330, 130)                                                          \
    OP(SFU, sfu, SFU, 39, 4)

enum sm_operation {
#define OP(id, name, unit, latency, interval) SM_OP_##id,
    SM_OPERATIONS(OP)
#undef OP
        SM_N_OPERATIONS,
    SM_OP_MEMORY = SM_N_OPERATIONS, /* goes to the load/store unit */
};

enum sm_unit {
    UNIT_SP,
    UNIT_INT,
    UNIT_FP64,
    UNIT_SFU,
    N_ARITHMETIC_UNITS,
    UNIT_LDST = N_ARITHMETIC_UNITS,
    N_UNITS
};

/* Between two visits of a warp: the cycles without a visit. From visit to visit, as S3's Algorithm
 * 2 is printed: one more. */
enum scheduling_delay { DELAY_BETWEEN_VISITS, DELAY_AS_PRINTED };
/* What counts as waiting for an MSHR: a warp that needs the data of a load that waits for one; or
 * also a warp whose memory instruction finds the load/store unit full while that unit waits for
 * one. */
enum mshr_delay { MSHR_OF_OPERANDS, MSHR_OF_UNIT };

enum { SM_MAX_SCHEDULERS = 4, SM_MAX_UNITS = 8, SM_MAX_COLLECTORS = 16, SM_MAX_BANKS = 64 };

struct sm_config {
    uint32_t n_schedulers;
    bool rotate_schedulers;   /* the scheduler that issues first changes from cycle to cycle */
    uint32_t ibuffer_entries; /* per warp */
    uint32_t fetch_insts;     /* instructions one fetch brings */
    uint32_t fetch_warps;     /* warps that fetch per cycle */
    uint32_t inst_bytes;
    /* Each scheduler has its own units, collectors and register banks, this many each. */
    bool sub_cores;
    uint32_t n_units[N_ARITHMETIC_UNITS];    /* 0 = the SP units do it; see SM_OPERATIONS */
    uint32_t collectors[N_ARITHMETIC_UNITS]; /* in front of the units of a kind */
    uint32_t register_banks;
    uint32_t ldst_queue; /* instructions between issue and the end of their accesses */
    uint32_t shared_banks, shared_latency;
    uint32_t coalesce_lanes; /* lanes whose accesses are joined: a warp or half of one */
    uint32_t miss_queue, bypass_slots, bypass_bytes;
    uint32_t l1d_latency; /* of a hit */
    uint32_t const_latency;
    uint32_t latency[SM_N_OPERATIONS], interval[SM_N_OPERATIONS];
    bool l1d_global; /* global loads are cached in L1D */
    struct cache_config l1d, l1i, l1c;
    const char *carveout; /* as written; `division` is the parsed form */
    struct carveout division;
    uint32_t scheduling_delay; /* enum scheduling_delay: what --attribute calls Scheduling */
    uint32_t mshr_delay;       /* enum mshr_delay: what --attribute calls MSHR */
    bool no_fast_paths;        /* no fast paths; the results are the same */
};

extern const struct param sm_params[];
extern const uint32_t n_sm_params;
/* Is such an SM possible? If not, false, and `flaw` says why. */
bool sm_config_sound(const struct sm_config *c, struct param_flaw *flaw);
/* Rows for a cache, bound under "l1d", "l1i", "l1c", "l2". */
extern const struct param cache_params[];
extern const uint32_t n_cache_params;

#endif
