/* What a machine asks of its parts beside what the engine does with them. A kind that has nothing
 * to say to something leaves it NULL. Wherever all parts are asked, it is group by group in the
 * order in which they were added (machine_graph.c). */
#ifndef HEDDLE_GPU_PART_H
#define HEDDLE_GPU_PART_H

#include "emu/warp.h"
#include "noc/part_graph.h"

struct machine;
struct machine_totals;
struct op_timing;
struct run_stats;

/* A launch that begins; the CTAs that an SM holds at a time. */
struct kernel_start {
    const struct emu *emu;
    const struct op_timing *timing;
    uint32_t ctas_per_sm;
    bool sm_atomics; /* its atomics are performed in SMs */
    sim_time at;
};

/* The end of a visibility period. All parts do what they have for a phase before the next one
 * begins, so that the order does not depend on the kinds. */
enum boundary_phase {
    BOUNDARY_ATOMICS,    /* of slices become visible before */
    BOUNDARY_SM_ATOMICS, /* those of SMs do, and these before */
    BOUNDARY_STORES,     /* ... do, by parts */
    BOUNDARY_TEXT,       /* what kernels printed comes out */
    BOUNDARY_HEAP,       /* calls of malloc and free are performed */
    BOUNDARY_FORGET,     /* if something was freed: nobody may go by what it remembers of it */
    N_BOUNDARY_PHASES
};
struct boundary {
    sim_time at;
    struct dev_mem *mem;
    void (*print)(void *user, const char *text, size_t len); /* NULL = nobody reads it */
    void *print_user;
    bool freed; /* set by BOUNDARY_HEAP */
};

/* A counter of a kind: the sum over its parts is a statistic of the machine. */
struct part_counter {
    const char *name, *unit, *help;
    size_t at; /* of a uint64_t in the part */
};

/* What warps a part has for a report to begin with. */
enum part_work { PART_HAS_NO_WARP, PART_HAS_WAITING_WARP, PART_HAS_RUNNING_WARP };

struct machine_part_kind {
    struct part_kind part; /* first */

    void (*start_kernel)(struct shard *part, const struct machine *m, const struct kernel_start *k);
    void (*at_boundary[N_BOUNDARY_PHASES])(struct shard *part, struct boundary *b);
    /* The launch has ended, one way or another: what its warnings are goes to `emu`. */
    void (*end_kernel)(const struct shard *part, struct emu *emu);
    /* It is done, and the machine has come to rest after it. Not if it was cut off or failed. */
    void (*after_kernel)(struct shard *part, uint32_t launch);
    /* It was cut off at that time, and nothing follows: counts what lasts till then. */
    void (*cut)(struct shard *part, sim_time now);
    /* When it came to rest: took the last message, or did the last thing. Credits on their way to
     * it are not its business. NULL = it never does anything. */
    sim_time (*rested_at)(const struct shard *part);
    /* What failed in it, and when; NULL = nothing. */
    const struct emu_fault *(*fault)(const struct shard *part, sim_time *at);

    /* Adds what had been counted by `now`; ports are counted by the machine. */
    void (*add_totals)(const struct shard *part, struct machine_totals *t, sim_time now);
    void (*add_run_stats)(const struct shard *part, struct run_stats *into);
    const struct part_counter *counters;
    uint32_t n_counters;
    /* Do its own counters agree with each other, the machine being at rest? A line in `why` for
     * each identity that does not hold. */
    bool (*check)(const struct shard *part, struct strbuf *why);

    enum part_work (*work)(const struct shard *part);
    void (*describe_work)(const struct shard *part, struct strbuf *out); /* if it has some */
};

/* The shipped kinds (sm_part.c, ...); their setup is the machine. */
extern const struct machine_part_kind sm_part, dispatcher_part, shared_port_part, cpu_part,
    llc_controller_part, pcie_part, worker_part, dealer_part;
/* ... but for these, whose setup is a struct machine_memory. */
extern const struct machine_part_kind memory_part, host_memory_part;

#endif
