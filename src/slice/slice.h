/* A memory slice, called partition in configurations and reports: the request network's end, L2
 * banks, the DRAM channel, the reply port.
 *
 * A cycle of L2 does, in this order: take messages; take one request through the port; DRAM data
 * that have come fill L2; each bank serves its first request; misses go to DRAM; one reply leaves.
 * At equal times L2 ticks before DRAM.
 *
 * Each of these parts keeps the cycle in which it next has something to do. Requests are served in
 * their turn; only the ports work ahead of time: a request is taken as soon as it is known that it
 * will come, with the cycle in which that happens, and replies are sent as soon as it is known when
 * they will leave (replies.c). The per-cycle engine knows none of this: it calls every part in
 * every cycle, and each part checks again. */
#ifndef HEDDLE_SLICE_SLICE_H
#define HEDDLE_SLICE_SLICE_H

#include "atomics/atomics.h"
#include "base/divider.h"
#include "cache/lost_bytes.h"
#include "cache/set_index.h"
#include "slice/request_ring.h"
#include "noc/part_graph.h"
#include "request/request.h"
#include "slice/slice_config.h"

struct l2_bank {
    _Alignas(64) struct cache *cache;
    struct request_ring queue;
    struct atomics_bank *atomics;
    uint64_t first_try;  /* the cycle in which its first request could be served at the earliest */
    uint64_t due;        /* the cycle in which it is tried (again), not before something changes */
    uint64_t busy_until; /* with atomics */
    bool stalled;        /* it was tried, and waits for l2_wake() */
    struct queue_account account; /* of the queue */
    struct lost_bytes lost;       /* that its policy dropped; empty if that never does */
};

#define SLICE_COUNTERS(COUNTER)                                                                    \
    COUNTER(accesses, "l2.accesses", "requests", "requests served by L2")                          \
    COUNTER(atomic_ops, "atomics.performed", "operations", "lane operations performed at L2")      \
    COUNTER(stall_cycles, "l2.stall_cycles", "cycles",                                             \
            "cycles L2 banks waited for MSHRs, lines or queues")                                   \
    COUNTER(sectors_read, "l2.sectors_read", "sectors",                                            \
            "sectors of L2 read from DRAM; lines, where there are no sectors")                     \
    COUNTER(sectors_written, "l2.sectors_written", "sectors", "sectors of L2 written to DRAM")     \
    COUNTER(stale_reads, "l2.stale_reads", "requests",                                             \
            "reads from DRAM, by kernels or the host, of data that L2 had dropped without a "      \
            "write-back; 0, or marks are unsound")

/* A read of lost bytes. */
struct stale_read {
    uint64_t cycle, address; /* of L2; of the line */
    uint32_t launch;
    bool is_download;
};

struct slice_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    SLICE_COUNTERS(COUNTER)
#undef COUNTER
    uint64_t bytes_sent;                  /* data of replies */
    uint64_t reads_around, writes_around; /* lines between SMs and DRAM that L2 does not keep */
    uint64_t lines_flushed;               /* dirty ones, written back in no time between kernels */
};

/* L2 cycles in which the parts next have something to do, perhaps ones that are over. */
#define CYCLE_NEVER UINT64_MAX
struct slice_due {
    uint64_t port;  /* a request is taken; NEVER also while its bank is full */
    uint64_t fills; /* data come from DRAM; NEVER also while the way to DRAM is full */
    uint64_t banks; /* the first of the banks' own */
    uint64_t feed;  /* an access enters the DRAM queue; NEVER while it does not matter when, and
                     * while that is full */
};

/* Begins with a cache line: its neighbour may be another thread's. */
struct slice {
    _Alignas(64) struct shard shard;
    /* What nearly every request needs. */
    uint64_t parts_at; /* no part has anything to do before that cycle; none of `due` is earlier */
    struct slice_due due;
    uint64_t l2_cycle;    /* the first not done yet */
    uint64_t dram_cycle;  /* the first cycle of L2 after next_dram */
    sim_time next_dram;   /* L2 may do nothing after that time before DRAM has caught up with it */
    sim_time dram_at;     /* DRAM's next command, or the next access that enters it */
    uint64_t outstanding; /* requests taken and not answered */
    sim_time last_event;  /* the last of DRAM or of a store; of others the ports know */
    uint64_t next_take, next_reply; /* the first cycles in which the ports are free for another */
    uint64_t reply_at; /* the cycle in which the first that is not sent may leave; NEVER: there is
                        * none, or it lacks credits */
    struct request_ring replies; /* in the order in which they were served: replies.c */
    uint32_t n_sent;             /* of them: the first, with the cycles in which they leave */
    struct l2_bank *banks;
    uint32_t n_stalled;                   /* banks */
    uint32_t bank_entries, reply_entries; /* of a bank's queue and of `replies` */
    uint32_t usual_bytes, usual_flits;    /* data of the last reply, and its flits */
    uint32_t line_shift, bank_shift;      /* of an L2 line's bytes, and of the number of banks */
    uint32_t line_mask, bank_mask;
    bool banks_are_odd; /* their number is no power of two: no shift then */
    bool sees_loads;    /* somebody may look at more of a load than what it asks for */
    bool may_lose;      /* L2's policy may drop dirty lines: what memory lacks is followed */
    uint32_t rop_latency, l2_latency;
    struct divider l2_period, dram_period, n_banks;
    struct set_indexer l2_sets;
    bool every_cycle;

    const struct slice_config *config;
    const struct clock_domain *dram_clock;
    sim_time dram_lead;   /* from a read command to the first time at which its data may fill L2 */
    uint64_t lead_cycles; /* the same in whole cycles of L2, rounded up */
    uint64_t room_at;     /* DRAM was full: the first cycle in which L2 has seen that it is not */
    struct bank_map bank_map;
    struct rx_port up;
    struct tx_port down;
    struct dram *dram;
    struct dram_arrival *to_dram; /* ring of accesses that wait for a place in the DRAM queue, each
                                   * from an L2 cycle on; the first may have left: dram_side.c */
    uint32_t to_dram_head, to_dram_n, to_dram_entries;
    struct request_ring from_dram; /* data on their way to L2: tags */
    struct slice_stats stats;
    struct stale_read first_stale; /* if there is one */
    uint32_t index;
    struct atomics_slice atomics;
    struct slice_llc *llc; /* NULL = applications do not share L2 */
};

/* All of it outlives the slice, but for the setup itself and `place`. */
struct slice_setup {
    const struct slice_config *config;
    const struct part_place *place;
    const struct clock_domain *l2_clock, *dram_clock;
    const struct address_map *map;
    uint32_t first_network; /* NET_UP, or that of another memory system */
    struct dev_mem *mem;    /* what atomics work on */
    bool every_cycle;
};
void slice_create(struct slice *p, const struct slice_setup *setup);
void slice_destroy(struct slice *p);
/* What is counted as sent and leaves only at `now` or later. */
struct slice_ahead {
    uint64_t messages, flits;
};
struct slice_ahead slice_ahead(const struct slice *p, sim_time now);
/* Passes on a quota to the policies of its banks at that time, which begins: what waits is tried
 * again. */
void slice_apply(struct slice *p, const void *quota, size_t bytes, sim_time now);
/* The end of a visibility period: what atomics did becomes visible. */
void slice_commit_atomics(struct slice *p);
/* The host reads these bytes of the L2 line at a local address, or writes them. Only when idle. */
void slice_host_access(struct slice *p, uint64_t local, uint64_t address, const uint64_t bytes[2],
                       bool is_write);
/* The host has written these segments of the L2 line at a local address, and the configuration says
 * that they are in L2 then. Only when idle.
 *
 * MODEL: it takes no cycles of the device: the time of a copy is that of its transfer. Dirty lines
 * that it replaces are written back in no time, and not counted. */
void slice_copy_in(struct slice *p, uint64_t local, uint32_t segments);
/* Empties L2; dirty lines count as written back. Only when idle. */
void slice_flush(struct slice *p);

#endif
