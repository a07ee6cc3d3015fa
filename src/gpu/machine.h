/* The whole machine: parts and links built from a configuration, and running kernels on it. */
#ifndef HEDDLE_GPU_MACHINE_H
#define HEDDLE_GPU_MACHINE_H

#include "cpu/core.h"
#include "gpu/cmp.h"
#include "gpu/dispatcher.h"
#include "gpu/llc_controller.h"
#include "gpu/machine_config.h"
#include "gpu/mechanism_stats.h"
#include "gpu/mix_totals.h"
#include "gpu/part.h"
#include "gpu/pcie.h"
#include "gpu/policy_clock.h"
#include "slice/slice.h"
#include "sm/sm.h"
#include "trace/recorder.h"

enum {
    CLOCK_CORE,
    CLOCK_NOC,
    CLOCK_L2,
    CLOCK_DRAM,
    CLOCK_CPU,
    CLOCK_HOST_NOC,
    CLOCK_HOST_LLC,
    CLOCK_HOST_DRAM,
    N_CLOCKS
};

struct machine_options {
    bool every_cycle;    /* the per-cycle engine */
    uint32_t quantum;    /* at most, in core cycles; 0 = as long as the links allow */
    uint64_t max_cycles; /* of one launch; 0 = no limit */
    uint32_t threads;    /* threads that share the shards of a quantum; 0 and 1 = only the
                          * caller's */
    bool attribute;      /* attribute the cycles of warps */
    /* What CPU cores run: one for each program that the configuration names. */
    struct cpu_source *const *cpu_sources;
};

/* Counted by the machine itself, besides what its parts count. */
struct machine_stats {
    uint64_t cycles;      /* core cycles of all launches, including overheads */
    uint64_t wait_cycles; /* from the end of each launch until the next one may begin */
};

/* Of launches on a machine with a discrete GPU: times of first runs, in ns. */
struct testbed_counts {
    uint64_t launches, kernel_ns, upload_ns, readback_ns, bytes_up, bytes_down, repeats;
};
/* What native programs did in the last whole testbed.sample_us before a launch. */
struct testbed_sample {
    uint64_t llc_misses, dram_bytes;               /* of the sample */
    uint64_t llc_misses_before, dram_bytes_before; /* up to its start */
    uint64_t n;                                    /* whole samples */
    bool is_over;                                  /* a launch has begun */
};
/* The first of the longest launches: its number, counted from 1. */
struct testbed_longest {
    uint64_t launch, ns;
};

/* Lines of applications in the last-level cache, as sampled: mix_stats.c. */
struct mix_samples {
    uint64_t samples[MIX_MAX_APPS], lines[MIX_MAX_APPS];
};

struct machine;

/* A memory system: a group of slices on its own network. */
struct machine_memory {
    const struct machine *machine;
    const struct noc_config *noc;
    const struct clock_domain *noc_clock, *l2_clock, *dram_clock;
    struct address_map map;
    struct slice_config slices;
    uint32_t first_network; /* NET_UP or NET_HOST */
    uint32_t group;
};

/* An observer of the running machine. */
struct machine_watcher {
    uint64_t period_cycles; /* called at every multiple of this */
    /* Everything before that cycle has happened, and nothing of the cycle itself: what is seen
     * depends neither on the quantum nor on the engine. Event counters are exact; waiting times are
     * counted when the wait ends. */
    void (*look)(void *user, const struct machine *m, uint64_t cycle);
    void *user;
    uint64_t next_cycle; /* internal to the machine */
};
enum { MACHINE_MAX_WATCHERS = 9 };

struct machine {
    const struct machine_config *config;
    struct machine_options options;
    struct clock_domain clocks[N_CLOCKS];
    struct machine_memory memory;      /* the GPU's */
    struct machine_memory host_memory; /* of a discrete GPU's host; otherwise without slices */
    struct l2_marks l2_marks;          /* of the launch; see annotations.h */
    struct part_graph graph;           /* of parts, all of kinds that are machine_part_kinds */
    uint32_t sm_group, dispatcher_group;
    /* For machines with CPU cores, where applications share L2; otherwise 0. */
    uint32_t cpu_group, n_cpus; /* cores that run a program */
    uint32_t controller_group;  /* if the policy of L2 has one */
    /* For a discrete GPU's host: */
    uint32_t pcie_group;
    uint32_t worker_group, n_workers; /* cores that run kernels */
    uint32_t dealer_group;            /* distributes work-groups to them */
    struct cmp *cmp;
    bool on_cmp;         /* the current launch runs there */
    bool until_cpus_end; /* it is repeated, and need not run to its end */
    struct testbed_counts testbed;
    struct testbed_longest longest;
    struct testbed_sample sample;
    struct llc_setup llc;
    struct mix_samples mix_samples;
    struct machine_totals *frozen; /* the counts at the end of the GPU's workload; NULL = it still
                                    * runs */
    bool is_settled;               /* CPU programs have ended too: `frozen` has the final counts */
    struct dispatcher *dispatcher; /* knows when all CTAs have ended */
    struct engine engine;
    struct dev_mem *mem;
    sim_time visibility;
    struct write_ledger *ledger; /* for units that perform atomics in SMs; otherwise NULL */
    sim_time kernel_free_at;     /* when the next kernel may begin */
    struct machine_stats stats;
    struct mechanism_stats mechanisms;
    struct policy_clock policy_clock;
    struct machine_watcher watchers[MACHINE_MAX_WATCHERS];
    uint32_t n_watchers;
    struct trace_recorder *recorder; /* NULL = nothing is recorded */
    bool stop;                       /* set by an observer to end the launch */
    bool halted;                     /* a launch did not finish: its warps may still be there */
    void (*print)(void *user, const char *text, size_t len); /* of the kernel that runs */
    void *print_user;
    struct arena arena;
};

/* --- building (machine_graph.c) --- */
/* From the configuration. */
struct machine *machine_create(const struct machine_config *config,
                               const struct machine_options *options, struct dev_mem *mem);
void machine_destroy(struct machine *m);
/* The same in two steps: SMs, memory and the dispatcher are described; others may be added, with
 * links to them (part_graph_link(&m->graph, ...)); then everything is built. */
struct machine *machine_plan(const struct machine_config *config,
                             const struct machine_options *options, struct dev_mem *mem);
uint32_t machine_add(struct machine *m, const struct machine_part_kind *kind, uint32_t n,
                     const void *setup);
/* Parts of the group access memory as SMs do, through ports of `up` flits per cycle towards memory
 * and `down` flits per cycle back. */
void machine_link_memory(struct machine *m, uint32_t group, uint32_t up, uint32_t down);
void machine_build(struct machine *m);
/* From the next launch on SMs can send to each other, if their atomics unit needs it, or not. */
void machine_link_sms(struct machine *m, bool on);
/* The memory systems, without their groups (machine_memory.c). */
void machine_describe_memories(struct machine *m);
sim_time machine_dispatch_latency(const struct machine *m);
/* The part of the network's latency up to the middle of the path, where shared ports are. */
uint32_t machine_hop_cycles(const struct machine *m);
/* The least time from an SM to L2. */
sim_time machine_latency_to_l2(const struct machine *m);

/* --- parts --- */
static inline const struct machine_part_kind *machine_kind(const struct machine *m, uint32_t group)
{
    return (const struct machine_part_kind *)m->graph.groups[group].kind;
}
static inline uint32_t machine_n_sms(const struct machine *m)
{
    return m->graph.groups[m->sm_group].n;
}
static inline struct sm *machine_sm(const struct machine *m, uint32_t i)
{
    return (struct sm *)part_at(&m->graph, m->sm_group, i);
}
static inline uint32_t machine_n_slices(const struct machine *m)
{
    return m->graph.groups[m->memory.group].n;
}
static inline struct slice *machine_slice(const struct machine *m, uint32_t i)
{
    return (struct slice *)part_at(&m->graph, m->memory.group, i);
}

/* Is the GPU a discrete one, whose host has a separate memory system? */
static inline bool machine_is_discrete(const struct machine *m)
{
    return m->config->host_memory.is_separate;
}
/* The memory system of CPU cores, whose L2 is their last-level cache. */
static inline const struct machine_memory *machine_cpu_memory(const struct machine *m)
{
    return machine_is_discrete(m) ? &m->host_memory : &m->memory;
}

/* Does the machine have CPU cores? Then it is never idle: launches end when the GPU is idle. */
static inline bool machine_is_mixed(const struct machine *m)
{
    return m->llc.n_apps > 0;
}
static inline struct cpu_core *machine_cpu(const struct machine *m, uint32_t i)
{
    return (struct cpu_core *)part_at(&m->graph, m->cpu_group, i);
}
static inline struct cpu_core *machine_worker(const struct machine *m, uint32_t i)
{
    return (struct cpu_core *)part_at(&m->graph, m->worker_group, i);
}
static inline struct dispatcher *machine_dealer(const struct machine *m)
{
    return (struct dispatcher *)part_at(&m->graph, m->dealer_group, 0);
}
static inline struct pcie *machine_pcie(const struct machine *m)
{
    return (struct pcie *)part_at(&m->graph, m->pcie_group, 0);
}
/* NULL = there is none. */
static inline const struct llc_controller *machine_llc_controller(const struct machine *m)
{
    return m->llc.period ? (const struct llc_controller *)part_at(&m->graph, m->controller_group, 0)
                         : NULL;
}

/* Iterates over all parts; the kind is NULL after the last one. */
struct machine_part {
    const struct machine_part_kind *kind;
    struct shard *shard;
    uint32_t group, index;
};
static inline struct machine_part machine_part_from(const struct machine *m, uint32_t group,
                                                    uint32_t index)
{
    if (index == m->graph.groups[group].n) {
        group++;
        index = 0;
    }
    if (group == m->graph.n_groups)
        return (struct machine_part){0};
    return (struct machine_part){machine_kind(m, group), part_at(&m->graph, group, index), group,
                                 index};
}
static inline struct machine_part machine_first_part(const struct machine *m)
{
    return machine_part_from(m, 0, 0);
}
static inline struct machine_part machine_next_part(const struct machine *m, struct machine_part p)
{
    return machine_part_from(m, p.group, p.index + 1);
}

/* --- running (machine.c) --- */
/* For the engine: a visibility period ends. */
void machine_at_boundary(void *user, sim_time t);

/* Call it before the first launch. It costs nothing between the observations. */
void machine_watch(struct machine *m, struct machine_watcher watcher);

enum machine_end {
    MACHINE_DONE,
    MACHINE_FAULT,
    MACHINE_DEADLOCK,
    MACHINE_LIMIT,
    MACHINE_STOPPED,
    MACHINE_BAD_TRACE /* of a CPU program: cpu_core_error() */
};

/* Runs the launch that `emu` describes to its end. After a FAULT emu->fault has the report; after
 * DEADLOCK and LIMIT machine_describe_halt() writes it. After LIMIT and STOPPED the statistics are
 * those of the cycle in which it was cut off. */
enum machine_end machine_run(struct machine *m, struct emu *emu, const struct op_timing *timing,
                             uint32_t ctas_per_sm);

/* The same on the CPU cores that run no program; there must be at least one. */
enum machine_end machine_run_on_cmp(struct machine *m, struct emu *emu);
/* Moves bytes between the host's memory and that of a discrete GPU. Never returns FAULT. */
enum machine_end machine_transfer(struct machine *m, uint64_t address, uint64_t bytes, bool to_gpu);
/* A span of simulated time in ns. */
uint64_t machine_ns(const struct machine *m, sim_time t);

/* After the last launch: CPU programs continue until each has ended once. Does nothing if they
 * have, or if there are none. */
enum machine_end machine_finish_cpus(struct machine *m);
/* The GPU's workload has ended: its statistics no longer change. */
void machine_freeze_gpu(struct machine *m);
/* CPU programs have ended too, and their statistics no longer change. */
void machine_freeze_mix(struct machine *m);
/* At the end: statistics no longer change, CPU cores stop, and everything in flight is completed.
 * Then nothing may be lost, duplicated or invented, as between the launches of a machine without
 * CPU cores: see machine_check(). After a launch that was cut off, only for a discrete GPU's host;
 * the GPU's side continues in the meantime and changes memory (settle.c). */
bool machine_settle(struct machine *m, struct strbuf *why);

/* --- what the host does to L2, and what that dropped (stale.c) --- */
/* The host reads or writes device memory between launches: data that L2 dropped are missed now, or
 * no longer. Returns the number of lines missed. */
uint64_t machine_host_access(struct machine *m, uint64_t address, uint64_t bytes, bool is_write);

/* The host has written device memory between launches, and it is in L2 now. */
void machine_copy_in(struct machine *m, uint64_t address, uint64_t bytes);

/* Appends a line about the first read of data that L2 had dropped; nothing if there was none. */
void machine_describe_stale(const struct machine *m, struct strbuf *out);

/* --- reports (machine_report.c) --- */
/* Why the launch did not end: a warp with its position in the program, then what every part waits
 * for; for a launch that was stopped, under this line. */
#define MACHINE_DOING_LINE "  who was doing what:\n"
void machine_describe_halt(const struct machine *m, enum machine_end end, struct strbuf *out);
/* The position of a running warp, otherwise of a waiting one; nothing if none is live. */
void machine_describe_warp(const struct machine *m, struct strbuf *out);

/* Sums over the parts. */
void machine_run_stats(const struct machine *m, struct run_stats *into);
struct heddle_stat machine_stat_at(const struct machine *m, uint32_t i);
/* Excludes those that the machine does not count; NULL = all that a machine may have, except those
 * of its mechanisms (mechanism_stats_list()). */
uint32_t machine_stat_count(const struct machine *m);
/* The first one declared by a kind of part; those that mechanisms declare follow, from the second.
 */
uint32_t machine_first_declared_stat(const struct machine *m);
uint32_t machine_first_mechanism_stat(const struct machine *m);
/* The shipped GPU that has statistic i of machine_stat_at(NULL, i); NULL = all have. */
const char *machine_stat_gpu(uint32_t i);
/* The cycle in which the next kernel may begin: the first visibility boundary after the last launch
 * left the machine. */
uint64_t machine_cycle(const struct machine *m);
/* Are all counters consistent? */
bool machine_check(const struct machine *m, struct strbuf *why);

#endif
