/* A memory slice, called partition in configurations and reports: the end of the request network,
 * L2 banks, the DRAM channel, the reply port.
 *
 * A cycle of L2 does, in this order: take messages; take one request through the port; fill L2 with
 * data that have arrived from DRAM; serve the first request of each bank; send misses to DRAM; send
 * one reply. If an L2 cycle and a DRAM cycle begin at the same time, L2's comes first.
 *
 * Each of these parts keeps the cycle in which it next has something to do. Requests are served in
 * order; only the ports work ahead of time, and DRAM late. A request is taken as soon as its
 * arrival is known, with the cycle in which it arrives. A reply is sent as soon as its departure is
 * known (replies.c). Without fast paths each of these parts does its work in the cycle in which it
 * is due, and only cycles in which none has anything to do are skipped. The per-cycle engine calls
 * every part in every cycle, and each part checks again. */
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
    uint64_t first_try;  /* the earliest cycle in which its first request can be served */
    uint64_t due;        /* the cycle of the next attempt; no earlier attempt unless something
                          * changes */
    uint64_t busy_until; /* with atomics */
    bool stalled;        /* an attempt failed; it waits for l2_wake() */
    struct queue_account account; /* of the queue */
    struct lost_bytes lost;       /* bytes that its policy dropped; empty if the policy never drops
                                   * any */
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
            "write-back; if not 0, annotations are unsound")

/* A read of dropped bytes. */
struct stale_read {
    uint64_t cycle, address; /* L2 cycle; address of the line */
    uint32_t launch;
    bool is_download;
};

struct slice_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    SLICE_COUNTERS(COUNTER)
#undef COUNTER
    uint64_t bytes_sent;                  /* data bytes of replies */
    uint64_t bypass_reads, bypass_writes; /* lines between SMs and DRAM that L2 does not keep */
    uint64_t lines_flushed;               /* dirty lines, written back between kernels in zero
                                           * time */
};

/* L2 cycles in which the parts next have something to do; they may be in the past. */
#define CYCLE_NEVER UINT64_MAX
struct slice_due {
    uint64_t port;  /* a request is taken; NEVER also while its bank is full */
    uint64_t fills; /* data arrive from DRAM; NEVER also while the queue to DRAM is full */
    uint64_t banks; /* the earliest `due` of the banks */
    uint64_t feed;  /* an access enters the DRAM queue; NEVER while the queue is full, or while the
                     * exact time does not matter */
};

/* Starts on a cache line boundary: its neighbour may run on another thread. */
struct slice {
    _Alignas(64) struct shard shard;
    /* Used by nearly every request. */
    uint64_t units_at; /* no unit has anything to do before this cycle; none of `due` is earlier */
    struct slice_due due;
    uint64_t l2_cycle;    /* the first cycle not done yet */
    uint64_t dram_cycle;  /* the first cycle of L2 after next_dram */
    sim_time next_dram;   /* before L2 acts after this time, DRAM must catch up with it */
    sim_time dram_at;     /* DRAM's next command, or the next access that enters it */
    uint64_t outstanding; /* requests taken and not answered yet */
    sim_time last_event;  /* the last one of DRAM or of a store; the ports know the others */
    uint64_t next_take, next_reply; /* the first cycles in which the ports are free again */
    uint64_t reply_at; /* the cycle in which the credits of the first unsent reply are looked at
                        * again: it lies after the quantum. NEVER: there is no such reply, or the
                        * return of its credits wakes the slice */
    struct request_ring replies; /* in the order in which they were served: replies.c */
    uint32_t n_sent;             /* how many of the first ones have been sent, each with the cycle
                                  * in which it leaves */
    struct l2_bank *banks;
    uint32_t n_stalled;                   /* banks */
    uint32_t bank_entries, reply_entries; /* capacity of a bank's queue and of `replies` */
    uint32_t usual_bytes, usual_flits;    /* data of the last reply, and its flits */
    uint32_t line_shift, bank_shift;      /* log2 of an L2 line's bytes, and of the number of
                                           * banks */
    uint32_t line_mask, bank_mask;
    bool divides_banks; /* their number is not a power of two: a division finds the bank */
    bool sees_loads;    /* an observer may look at more of a load than what it requests */
    bool may_lose;      /* L2's policy may drop dirty lines, so bytes that memory lacks are tracked
                         */
    uint32_t rop_latency, l2_latency;
    struct divider l2_period, dram_period, n_banks;
    struct set_indexer l2_sets;
    bool every_cycle;   /* the per-cycle engine */
    bool works_on_time; /* that, or no fast paths: nothing is done ahead of time or late */

    const struct slice_config *config;
    const struct clock_domain *dram_clock;
    sim_time dram_lead;   /* from a read command to the earliest time at which its data may fill
                           * L2 */
    uint64_t lead_cycles; /* the same in cycles of L2, rounded up */
    uint64_t room_at;     /* DRAM was full: the first cycle in which L2 can see that it is not */
    struct bank_map bank_map;
    struct rx_port up;
    struct tx_port down;
    struct dram *dram;
    struct dram_arrival *to_dram; /* ring of accesses that wait for an entry of the DRAM queue, each
                                   * from an L2 cycle on; the first may have left: dram_side.c */
    uint32_t to_dram_head, to_dram_n, to_dram_entries;
    struct request_ring from_dram; /* data in flight to L2: tags */
    struct slice_stats stats;
    struct stale_read first_stale; /* valid if there is one */
    uint32_t index;
    struct atomics_slice atomics;
    struct slice_llc *llc; /* NULL = applications do not share L2 */
};

/* All of it must outlive the slice, except for the setup itself and `place`. */
struct slice_setup {
    const struct slice_config *config;
    const struct part_position *place;
    const struct clock_domain *l2_clock, *dram_clock;
    const struct address_map *map;
    uint32_t first_network; /* NET_UP, or that of another memory system */
    struct dev_mem *mem;    /* the memory that atomics change */
    bool every_cycle;
};
void slice_create(struct slice *p, const struct slice_setup *setup);
void slice_destroy(struct slice *p);
/* What is counted as sent but leaves only at `now` or later. */
struct slice_ahead {
    uint64_t messages, flits;
};
struct slice_ahead slice_ahead(const struct slice *p, sim_time now);
/* Passes a controller's decision to the policies of the banks at time `now`, before anything else
 * at that time; stalled requests are retried. */
void slice_apply(struct slice *p, const void *quota, size_t bytes, sim_time now);
/* Called at the end of a visibility period: makes the effects of atomics visible. */
void slice_commit_atomics(struct slice *p);
/* Called when the host reads or writes these bytes of the L2 line at a local address. Only when
 * idle. */
void slice_host_access(struct slice *p, uint64_t local, uint64_t address, const uint64_t bytes[2],
                       bool is_write);
/* Puts into L2 what the host has written to these segments of the line at a local address. Only
 * when idle, and if the configuration places host copies in L2.
 *
 * MODEL: a host copy into L2 takes no device cycles: the time of a copy is that of its transfer.
 * Dirty lines that it replaces are written back in zero time and are not counted. */
void slice_copy_in(struct slice *p, uint64_t local, uint32_t segments);
/* Empties L2; dirty lines count as written back. Only when idle. */
void slice_flush(struct slice *p);

#endif
