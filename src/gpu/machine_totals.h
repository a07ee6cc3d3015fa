/* What a machine has counted up to a point in time, summed over its parts. The difference of two
 * points is what was counted between them: for a launch, or for an interval. */
#ifndef HEDDLE_GPU_MACHINE_TOTALS_H
#define HEDDLE_GPU_MACHINE_TOTALS_H

#include "gpu/machine.h"
#include "gpu/mix_totals.h"

enum { MACHINE_MAX_PART_COUNTERS = 16 };

/* For a discrete GPU's host: its last-level cache and DRAM, and launches of kernels (testbed.h). */
struct host_counts {
    struct host_memory_counts {
        struct cache_stats llc;
        struct dram_stats dram;
        uint64_t bypass_reads, bypass_writes; /* lines that transfers read and wrote */
    } memory;                                 /* up to now, whatever has ended */
    struct cpu_stats workers;                 /* of all cores that run kernels */
    struct testbed_counts testbed;
};

struct machine_totals {
    uint64_t cycles, wait_cycles; /* of launches, and between them */
    uint64_t elapsed_cycles;      /* by the machine's clock */
    struct run_stats run;
    struct sm_stats sm;
    struct cache_stats l1d, l1i, l1c, l2;
    struct port_stats up_tx, up_rx, down_tx, down_rx;
    struct slice_stats slice;
    struct dram_stats dram;
    struct host_counts host;
    uint64_t lru_differences, reservation_fails;
    /* Of queues: sums of length x cycles, and of the cycles that their entries spent in them. */
    uint64_t ldst_area, ldst_stays, miss_area, miss_stays, l2_area, l2_stays;
    /* The same for MSHRs in use. */
    uint64_t l1_mshr_area, l1_mshr_stays, l2_mshr_area, l2_mshr_stays;
    uint64_t misses_under_way; /* MSHRs and bypass slots in use; none between kernels */
    uint64_t cpu_bytes_got;    /* by CPU cores, of what L2 sends */
    struct latency_stats latency;
    uint64_t counted[MACHINE_MAX_PART_COUNTERS]; /* what kinds of parts count themselves */
    struct mix_counts mix;
    uint32_t n_sms, warps_per_sm; /* not counters, like what follows: properties of the machine */
    uint32_t l1d_fetch_bytes, l1i_fetch_bytes, l1c_fetch_bytes; /* per miss; 0 = varies */
    bool is_attributed;                                         /* latency is counted */
    struct mix_state mix_now;
    bool is_discrete;
    struct testbed_longest longest;
    struct testbed_sample sample;
    uint32_t n_counters; /* of `counted`, and what they are */
    const struct part_counter *counters[MACHINE_MAX_PART_COUNTERS];
    struct mechanism_totals mechanisms; /* last */
};

/* What a part adds: functions for machine_part_kind.add_totals. */
void totals_add_sm(const struct shard *part, struct machine_totals *t, sim_time now);
void totals_add_slice(const struct shard *part, struct machine_totals *t, sim_time now);
/* What the host's memory has counted, if it is separate. */
struct host_memory_counts host_memory_take(const struct machine *m);
/* As it is when cycle `cycle` of the core clock begins. */
void machine_totals_take(const struct machine *m, uint64_t cycle, struct machine_totals *t);
/* The same, also after the counts were frozen. */
void machine_totals_take_live(const struct machine *m, uint64_t cycle, struct machine_totals *t);
void machine_totals_add(struct machine_totals *into, const struct machine_totals *from);
void machine_totals_subtract(struct machine_totals *from, const struct machine_totals *before);
/* Are the counters of an idle machine consistent? One line in `why` for each violated identity. */
bool machine_totals_check(const struct machine_totals *t, uint32_t l2_sector_bytes,
                          struct strbuf *why);
/* The users of a memory system: the bytes they received, and the requests that bypassed its
 * cache. */
struct memory_users {
    uint64_t bytes_got, transfers;
};
/* The same for a memory system alone; `t` has its slices and ports. */
bool memory_totals_check(const struct machine_totals *t, const struct memory_users *users,
                         uint32_t sector_bytes, struct strbuf *why);
/* For an idle host of a discrete GPU: its memory and its CPU cores (host_stats.c). */
bool machine_check_host(const struct machine *m, struct strbuf *why);
/* The number of rows of a discrete GPU's host (host_stats.c). */
extern const uint32_t n_host_rows;
/* As machine_stat_at(). */
struct heddle_stat machine_totals_stat(const struct machine_totals *t, uint32_t i);

#endif
