/* A CPU core that replays a trace: a reorder window, private L1 and L2, and requests to the
 * last-level cache. It is a part of a machine: a shard that sends MSG_REQUEST through its port of
 * NET_UP and receives MSG_REPLY through that of NET_DOWN, and MSG_FREE for each dirty line it
 * wrote.
 *
 * What a cycle does, in this order:
 *   1. data     Arrived lines fill L2 and L1; the loads that waited for them are complete.
 *   2. retire   Up to `width` instructions leave the window in order, oldest first: those that
 *               entered in an earlier cycle and whose loads are complete.
 *   3. stores   Those of retired instructions access L1, in order.
 *   4. enter    Up to `width` instructions enter the window, which holds `rob`.
 *   5. loads    Those that have entered and whose sources are complete access L1, oldest first.
 *   6. send     One request leaves for the last-level cache.
 *
 * MODEL: on a CPU core all instructions but loads are complete as they enter. Instruction fetch
 * always hits and branches are always predicted.
 *
 * MODEL: a load of a CPU core waits for the earlier loads that last wrote its source registers. An
 * instruction other than a load ends the dependence, unless follow_registers is set: then it passes
 * on the dependences of its source registers.
 *
 * MODEL: a CPU instruction with several memory operands is complete when all have arrived.
 * Addresses of loads are not compared with those of earlier stores.
 *
 * MODEL: L1 of a CPU core has a port for each access. A load that hits L1 in cycle c is complete in
 * c + l1_latency; if L2 has the line, L1 is filled and the load complete in c + l1_latency +
 * l2_latency; otherwise the request may leave in that cycle. Tags of both are looked up in cycle c.
 *
 * MODEL: an outstanding miss of a CPU core is a line that L1 waits for, from any level: at most
 * `mlp`. Loads and stores of such a line join it, up to four times as many as the window and the
 * store buffer hold. An access without room waits; younger loads pass it, stores do not pass each
 * other.
 *
 * MODEL: a store of a CPU core leaves the window when it is the oldest, before its data are in L1.
 * It stays in the store buffer while it lacks an outstanding miss; if the buffer is full, nothing
 * retires from the next store on.
 *
 * MODEL: L1 and L2 of a CPU core are write-back, allocate on writes, LRU, and neither inclusive nor
 * exclusive: a line is filled into both, dirty victims of L1 go to L2 and those of L2 to the
 * last-level cache. A miss needs two entries of the write buffer, for the victims of its line.
 *
 * MODEL: each CPU application has its own address space, without pages: the lower 40 bits of the
 * trace's addresses, and the number of the application + 1 above them. The GPU's addresses lie
 * below.
 *
 * A trace that ends begins again at once, with the caches as they are. Its first run ends with the
 * trace, or after the number of instructions that its source gives.
 *
 * A worker is a core that runs work-groups of a kernel instead: MSG_CTA_START gives it one, whose
 * instructions its source knows. When all of them have retired, it sends MSG_CTA_DONE and waits for
 * the next one. It uses the GPU's addresses. */
#ifndef HEDDLE_CPU_CORE_H
#define HEDDLE_CPU_CORE_H

#include "cpu/caches.h"
#include "cpu/core_config.h"
#include "cpu/source.h"
#include "cpu/window.h"
#include "noc/ticker.h"

/* Counted by a core: COUNTER(field, unit, "meaning") */
#define CPU_COUNTERS(COUNTER)                                                                      \
    COUNTER(insts, "instructions", "instructions retired")                                         \
    COUNTER(cycles, "CPU cycles", "cycles since the core started")                                 \
    COUNTER(loads, "loads", "memory operands read")                                                \
    COUNTER(stores, "stores", "memory operands written")                                           \
    COUNTER(l1_hits, "accesses", "loads and stores that found their line in L1")                   \
    COUNTER(l1_merges, "accesses", "loads and stores that joined an outstanding miss of L1")       \
    COUNTER(l1_misses, "accesses", "loads and stores that requested their line from L2")           \
    COUNTER(l2_hits, "accesses", "L1 misses that found their line in L2")                          \
    COUNTER(l2_misses, "accesses",                                                                 \
            "L1 misses that requested their line from the last-level cache")                       \
    COUNTER(llc_misses, "accesses", "of these, answered from memory")                              \
    COUNTER(writebacks, "lines", "dirty lines sent to the last-level cache")                       \
    COUNTER(bytes_asked, "bytes", "requested from the last-level cache")                           \
    COUNTER(bytes_got, "bytes", "received from the last-level cache")

struct cpu_stats {
#define COUNTER(field, unit, help) uint64_t field;
    CPU_COUNTERS(COUNTER)
#undef COUNTER
};

/* The inputs of cpu_core_create(). */
struct cpu_setup {
    const struct cpu_config *config;
    const struct clock_domain *clock;
    const struct part_position *place;
    const struct noc_config *noc;
    const struct address_map *map;
    uint32_t first_network;    /* NET_UP, or that of another memory system */
    uint32_t first_partition;  /* shard id of the first slice */
    uint32_t app;              /* number of its application */
    struct cpu_source *source; /* its program; the caller closes it after the core is destroyed */
    bool every_cycle;          /* the per-cycle engine */
    bool is_worker;
    uint32_t dispatcher; /* for a worker: shard id, and the latency of a message to it */
    sim_time dispatch_latency;
};

struct cpu_core {
    struct ticker ticker; /* first */
    const struct cpu_config *config;
    struct cpu_source *source;
    struct cpu_caches caches;
    struct cpu_window window;
    uint64_t address_space; /* added to all addresses */
    bool every_cycle, is_running;
    bool is_worker, has_group, group_is_read;
    uint64_t group_end; /* its last instruction's number + 1, once it has been read */
    uint64_t n_groups;  /* finished work-groups */
    uint32_t dispatcher;
    sim_time dispatch_latency;
    bool is_stopping; /* no more instructions enter */
    uint64_t started; /* the first cycle */
    uint64_t restarts;
    uint64_t first_length;  /* instructions of the first run; 0 = its end has not been seen yet */
    uint64_t first_end;     /* when the last of them had retired, since the start; 0 = not yet */
    struct cpu_stats first; /* counters up to then */
    struct arena arena;
};

/* For part_kind.create and .destroy. The core does nothing before cpu_core_start(). */
void cpu_core_create(struct cpu_core *core, const struct cpu_setup *setup);
void cpu_core_destroy(struct cpu_core *core);
/* Its first cycle is the first at or after that time. Call it once. */
void cpu_core_start(struct cpu_core *core, sim_time at);

/* No more instructions enter. When those in the window have retired and all requests are answered,
 * the core stays idle. */
void cpu_core_stop(struct cpu_core *core);

/* What it counted before that time, which it has reached. */
struct cpu_stats cpu_core_stats(const struct cpu_core *core, sim_time now);
/* The same up to the first end of the program, or up to now if it has not ended yet. */
struct cpu_stats cpu_core_first_stats(const struct cpu_core *core, sim_time now);
/* Has its program ended once? */
static inline bool cpu_core_has_ended(const struct cpu_core *core)
{
    return core->first_end != 0;
}
/* Why it cannot continue: its trace is broken; NULL = it can. It has then called shard_fail(). */
static inline const char *cpu_core_error(const struct cpu_core *core)
{
    return core->source->error;
}
/* Are its counters consistent? Adds a line to `why` for each violated identity. */
bool cpu_core_check(const struct cpu_core *core, struct strbuf *why);

#endif
