/* A memory partition: the request network's end, L2 banks, the DRAM channel, the reply port.
 *
 * A cycle of L2 does, in this order: take messages; take one request through the port; DRAM data
 * that have come fill L2; each bank serves its first request; misses go to DRAM; one reply leaves.
 * At equal times L2 ticks before DRAM. */
#ifndef HEDDLE_GPU_PARTITION_H
#define HEDDLE_GPU_PARTITION_H

#include "gpu/machine_config.h"
#include "sm/request.h"

/* A request on its way, with the L2 cycle from which it may be served. */
struct timed_request {
    uint64_t at;
    struct mem_request *request;
};

struct request_ring {
    struct timed_request *items;
    uint32_t head, n, cap; /* cap: a power of two */
};

/* A DRAM access that waits for a place in the DRAM queue. */
struct dram_waiting {
    uint64_t at; /* L2 cycle from which it may go */
    struct dram_request request;
};

/* Who waits for a DRAM read: a bank's MSHR, or a request that went around L2. */
struct dram_tag {
    uint8_t bank;
    bool around;
    uint32_t mshr;
    struct mem_request *request;
    uint32_t next; /* in the free list, index + 1 */
};

struct l2_bank {
    struct cache *cache;
    struct request_ring queue;
    struct queue_account account; /* of the queue */
    uint64_t busy_until;          /* atomics */
    bool stalled;
    uint64_t seen; /* the partition's changes up to its last try */
};

#define PARTITION_COUNTERS(COUNTER)                                                                \
    COUNTER(accesses, "l2.accesses", "requests", "requests served by L2")                          \
    COUNTER(atomic_ops, "atomics.performed", "operations", "lane operations performed at L2")      \
    COUNTER(stall_cycles, "l2.stall_cycles", "cycles",                                             \
            "cycles L2 banks waited for MSHRs, lines or queues")

struct partition_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    PARTITION_COUNTERS(COUNTER)
#undef COUNTER
};

struct partition {
    struct shard shard;
    const struct machine_config *config;
    const struct clock_domain *l2_clock, *dram_clock;
    const struct address_map *map;
    uint32_t index;
    bool every_cycle;
    struct dev_mem *mem;
    struct overlay overlay; /* atomics of this visibility period */

    struct rx_port up;
    struct tx_port down;
    struct l2_bank *banks;
    struct dram *dram;
    struct dram_waiting *to_dram; /* ring */
    uint32_t to_dram_head, to_dram_n;
    struct request_ring from_dram; /* data on their way to L2; `request` holds a tag number */
    struct dram_tag *tags;
    uint32_t n_tags, cap_tags, free_tags;
    struct request_ring replies;
    uint64_t l2_cycle, dram_cycle; /* the first not done yet of each clock */
    /* When each has something to do again, as things are. */
    uint64_t next_l2;   /* L2 cycle, perhaps one that is over; UINT64_MAX = never */
    sim_time next_dram; /* time */
    uint64_t changes; /* fills, and requests and replies that have left: a stalled bank may go on */
    bool answers_drift;   /* L2's policy may change its mind by itself */
    uint64_t outstanding; /* requests taken and not answered */
    sim_time last_event;  /* when it came to rest, or the last message came */
    bool was_busy;
    uint64_t *stalled_since; /* per bank */
    struct partition_stats stats;
};

void partition_create(struct partition *p, const struct machine_config *c, uint32_t shard_id,
                      uint32_t index, uint32_t n_sms, const struct clock_domain *noc,
                      const struct clock_domain *l2, const struct clock_domain *dram,
                      const struct address_map *map, struct dev_mem *mem, bool every_cycle);
void partition_destroy(struct partition *p);
/* Empties L2; dirty lines count as written back. Only when idle. */
void partition_flush(struct partition *p);

#endif
