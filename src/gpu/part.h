/* What a machine needs from its parts besides what the engine does with them. A kind that does not
 * need a function leaves it NULL. Functions of all parts are called group by group, in the order in
 * which groups were added (machine_graph.c). */
#ifndef HEDDLE_GPU_PART_H
#define HEDDLE_GPU_PART_H

#include "emu/warp.h"
#include "noc/part_graph.h"

struct machine;
struct machine_totals;
struct op_timing;
struct run_stats;

/* What a part needs to know of a launch that begins. */
struct kernel_start {
    const struct emu *emu;
    const struct op_timing *timing;
    uint32_t ctas_per_sm; /* resident at a time */
    bool sm_atomics;      /* its atomics are performed in SMs */
    sim_time at;
};

/* The end of a visibility period. All parts do what they have for a phase before the next one
 * begins, so that the order does not depend on the kinds. */
enum boundary_phase {
    BOUNDARY_ATOMICS,    /* atomics of slices become visible */
    BOUNDARY_SM_ATOMICS, /* then those of SMs */
    BOUNDARY_STORES,     /* then stores, part by part */
    BOUNDARY_TEXT,       /* text that kernels printed is output */
    BOUNDARY_HEAP,       /* calls of malloc and free are performed */
    BOUNDARY_FORGET,     /* if something was freed: parts drop cached information about it */
    N_BOUNDARY_PHASES
};
struct boundary {
    sim_time at;
    struct dev_mem *mem;
    void (*print)(void *user, const char *text, size_t len); /* NULL = output is discarded */
    void *print_user;
    bool freed; /* set by BOUNDARY_HEAP */
};

/* A counter of a kind: the sum over its parts is a statistic of the machine. */
struct part_counter {
    const char *name, *unit, *help;
    size_t at; /* offset of a uint64_t in the part */
};

/* The kind of warp that a part offers as the start of a report. */
enum part_work { PART_HAS_NO_WARP, PART_HAS_WAITING_WARP, PART_HAS_RUNNING_WARP };

struct machine_part_kind {
    struct part_kind part; /* first */

    void (*start_kernel)(struct shard *part, const struct machine *m, const struct kernel_start *k);
    void (*at_boundary[N_BOUNDARY_PHASES])(struct shard *part, struct boundary *b);
    /* The launch has ended, for whatever reason: adds its warnings to `emu`. */
    void (*end_kernel)(const struct shard *part, struct emu *emu);
    /* The launch is complete and the machine is idle. Not called if the launch was stopped or
     * failed. */
    void (*after_kernel)(struct shard *part, uint32_t launch);
    /* The launch was stopped at that time: counts what lasts until then. */
    void (*cut)(struct shard *part, sim_time now);
    /* When it became idle: took its last message or did its last work, whichever is later. Credits
     * in flight do not count. NULL = it never does anything. */
    sim_time (*idle_since)(const struct shard *part);
    /* What failed in it, and when; NULL = nothing. */
    const struct emu_fault *(*fault)(const struct shard *part, sim_time *at);

    /* Adds what had been counted by `now`; ports are counted by the machine. */
    void (*add_totals)(const struct shard *part, struct machine_totals *t, sim_time now);
    void (*add_run_stats)(const struct shard *part, struct run_stats *into);
    const struct part_counter *counters;
    uint32_t n_counters;
    const char *gpu; /* for a kind with counters: the shipped GPU that has it; NULL = all have */
    /* Are its own counters consistent while the machine is idle? A line in `why` for
     * each identity that does not hold. */
    bool (*check)(const struct shard *part, struct strbuf *why);

    enum part_work (*work)(const struct shard *part);
    void (*describe_work)(const struct shard *part, struct strbuf *out); /* if it has any */
};

/* The shipped kinds (sm_part.c, ...). Their setup is the machine; that of memory_part and
 * host_memory_part is a struct machine_memory. */
#define MACHINE_PART_KINDS(KIND)                                                                   \
    KIND(sm_part)                                                                                  \
    KIND(memory_part)                                                                              \
    KIND(dispatcher_part)                                                                          \
    KIND(shared_port_part)                                                                         \
    KIND(cpu_part)                                                                                 \
    KIND(llc_controller_part)                                                                      \
    KIND(host_memory_part)                                                                         \
    KIND(pcie_part)                                                                                \
    KIND(worker_part)                                                                              \
    KIND(dealer_part)
#define DECLARE_KIND(kind) extern const struct machine_part_kind kind;
MACHINE_PART_KINDS(DECLARE_KIND)
#undef DECLARE_KIND

#endif
