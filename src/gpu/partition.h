/* A memory partition: the request network's end, L2 banks, the DRAM channel, the reply port.
 *
 * A cycle of L2 does, in this order: take messages; take one request through the port; DRAM data
 * that have come fill L2; each bank serves its first request; misses go to DRAM; one reply leaves.
 * At equal times L2 ticks before DRAM.
 *
 * Each of these parts keeps the cycle in which it next has something to do, and what meets no queue
 * is not waited for: a request is taken through the port as soon as it is known that it will come,
 * with the cycle in which that happens; a load that hits in L2 is served then, its reply among the
 * others in its turn (l2_queue.h), and one that misses if nothing that may still happen can make a
 * difference to it (l2_ahead.c); and replies are sent as soon as nothing can come before them, with
 * the cycles in which they will leave (replies.c). The plain engine knows none of this: it
 * calls every part in every cycle, and each finds out anew. */
#ifndef HEDDLE_GPU_PARTITION_H
#define HEDDLE_GPU_PARTITION_H

#include "base/divider.h"
#include "cache/set_index.h"
#include "gpu/atomic_order.h"
#include "gpu/machine_config.h"
#include "gpu/request_ring.h"
#include "sm/request.h"

struct l2_bank {
    _Alignas(64) struct cache *cache;
    struct request_ring queue;
    struct atomic_order atomics;
    uint64_t first_try;  /* the cycle in which its first request could be served at the earliest */
    uint64_t due;        /* the cycle in which it is tried (again), not before something changes */
    uint64_t busy_until; /* with atomics, or with what it has served ahead of its time */
    bool stalled;        /* it was tried, and waits for l2_wake() */
    struct queue_account account; /* of the queue */
    /* Loads that miss and are served ahead: in which cycles, up to which they are in the queue. A
     * ring that forgets the oldest; n: of all times. */
    uint64_t *fetched_at, n_fetched;
};

#define PARTITION_COUNTERS(COUNTER)                                                                \
    COUNTER(accesses, "l2.accesses", "requests", "requests served by L2")                          \
    COUNTER(atomic_ops, "atomics.performed", "operations", "lane operations performed at L2")      \
    COUNTER(stall_cycles, "l2.stall_cycles", "cycles",                                             \
            "cycles L2 banks waited for MSHRs, lines or queues")                                   \
    COUNTER(sectors_read, "l2.sectors_read", "sectors",                                            \
            "sectors of L2 read from DRAM; lines, where there are no sectors")                     \
    COUNTER(sectors_written, "l2.sectors_written", "sectors", "sectors of L2 written to DRAM")

struct partition_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    PARTITION_COUNTERS(COUNTER)
#undef COUNTER
    uint64_t bytes_sent;                  /* data of replies */
    uint64_t reads_around, writes_around; /* lines between SMs and DRAM that L2 does not keep */
    uint64_t lines_flushed;               /* dirty ones, written back in no time between kernels */
};

/* L2 cycles in which the parts next have something to do, perhaps ones that are over. */
#define CYCLE_NEVER UINT64_MAX
struct partition_due {
    uint64_t port;  /* a request is taken; NEVER also while its bank is full */
    uint64_t fills; /* data come from DRAM; NEVER also while the way to DRAM is full */
    uint64_t banks; /* the first of the banks' own */
    uint64_t feed;  /* an access enters the DRAM queue; NEVER while it does not matter when, and
                     * while that is full */
};

/* Begins with a cache line: its neighbour may be another thread's. */
struct partition {
    _Alignas(64) struct shard shard;
    /* What nearly every request needs. */
    uint64_t parts_at; /* no part has anything to do before that cycle; none of `due` is earlier */
    struct partition_due due;
    uint64_t l2_cycle;    /* the first not done yet */
    uint64_t dram_cycle;  /* the first cycle of L2 after next_dram */
    sim_time next_dram;   /* L2 may do nothing after that time before DRAM has caught up with it */
    sim_time dram_at;     /* DRAM's next command, or the next access that enters it */
    uint64_t outstanding; /* requests taken and not answered */
    sim_time last_event;  /* the last of DRAM or of a store; of others the ports know */
    uint64_t next_take, next_reply; /* the first cycles in which the ports are free for another */
    uint64_t reply_at; /* the cycle in which the first that is not sent may leave; NEVER: there is
                        * none that is settled, or it lacks credits */
    struct request_ring replies; /* in the order in which they were or will be served: replies.c */
    uint32_t n_sent;             /* of them: the first, with the cycles in which they leave */
    uint32_t n_settled;          /* ... sent ones included: nothing comes before them any more */
    uint64_t ahead_until;        /* the cycle of the last that was served ahead of its time */
    struct l2_bank *banks;
    uint32_t n_queued;                  /* requests in the banks' queues */
    uint32_t n_stalled;                 /* banks */
    uint32_t n_known_hits;              /* hits that have been put back: partition_settle() */
    uint32_t bank_places, reply_places; /* of a bank's queue and of `replies` */
    uint32_t fetched_mask; /* of the banks' rings, which have a place more than their queues */
    uint32_t usual_bytes, usual_flits; /* data of the last reply, and its flits */
    uint32_t line_shift, bank_shift;   /* of an L2 line's bytes, and of the number of banks */
    uint32_t line_mask, bank_mask;
    bool banks_are_odd;               /* their number is no power of two: no shift then */
    bool l2_sectored, l2_by_segments; /* L2 has sectors, and they are what travels */
    bool fills_only_read;             /* data that come have L2 write nothing to DRAM */
    bool fills_in_a_row;              /* those of several cycles may be done at a time */
    uint32_t rop_latency, l2_latency;
    struct divider l2_period, dram_period, n_banks;
    struct set_indexer l2_sets;
    bool every_cycle;
    bool answers_drift; /* L2's policy may change its mind by itself */

    const struct machine_config *config;
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
    uint32_t to_dram_head, to_dram_n, to_dram_places;
    struct request_ring from_dram; /* data on their way to L2: tags */
    struct partition_stats stats;
    uint32_t index;
    struct dev_mem *mem;
    struct overlay overlay; /* atomics of this visibility period */
};

void partition_create(struct partition *p, const struct machine_config *c, uint32_t shard_id,
                      uint32_t index, uint32_t n_sms, const struct clock_domain *noc,
                      const struct clock_domain *l2, const struct clock_domain *dram,
                      const struct address_map *map, struct dev_mem *mem, bool every_cycle);
void partition_destroy(struct partition *p);
/* What is counted and will be so only at `now` or later: loads that hit in L2, those of them that
 * are served, the data of their replies, and what is sent. */
struct partition_ahead {
    uint64_t hits, served, bytes, messages, flits;
};
struct partition_ahead partition_ahead(const struct partition *p, sim_time now);
/* Empties L2; dirty lines count as written back. Only when idle. */
void partition_flush(struct partition *p);

#endif
