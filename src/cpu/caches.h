/* The private caches of a CPU core, and its requests to the last-level cache. */
#ifndef HEDDLE_CPU_CACHES_H
#define HEDDLE_CPU_CACHES_H

#include "cache/cache.h"
#include "cpu/core_config.h"
#include "dram/dram.h"
#include "noc/part_graph.h"
#include "request/request.h"

struct cpu_setup;
struct cpu_window;

/* Application address spaces: the number of the application + 1 is placed above the address bits
 * taken from its trace. */
enum { CPU_ADDRESS_BITS = 40 };

enum cpu_answer { CPU_HIT, CPU_WAITS, CPU_BLOCKED };

struct cpu_timed {
    uint64_t at; /* a cycle */
    struct mem_request *request;
};

/* First in, first out; cycles never decrease. */
struct cpu_queue {
    struct cpu_timed *items;
    uint32_t mask, first, end;
};

struct cpu_caches {
    struct cache *l1, *l2;
    struct cpu_window *window; /* the window whose loads wait */
    uint32_t l2_delay;         /* from the access of L1 to data of L2, or to the request */
    uint32_t write_buffer;
    struct mem_access access;               /* for requests: the common fields */
    struct mem_access l1_access, l2_access; /* the current ones */
    /* When the first line arrives, and when the first request may leave; CPU_NEVER = none. */
    uint64_t fill_at, send_at;
    /* Requests and dirty lines with the cycle from which they may leave, and arriving data. */
    struct cpu_queue reads, writes, replies;
    struct cpu_l2_hit {
        uint64_t at;
        uint32_t mshr;
    } * l2_hits; /* lines arriving from L2, a ring */
    uint32_t l2_hits_mask, first_l2_hit, end_l2_hit;
    struct mem_request *free_requests;
    uint32_t n_reads, n_writes; /* requests and dirty lines not answered yet */
    bool unblocked;             /* in this cycle: an access that lacked room may now find some */
    struct tx_port up;
    struct rx_port down;
    const struct clock_domain *clock;
    const struct noc_config *noc;
    const struct address_map *map;
    uint32_t first_partition, shard_id;
    uint64_t llc_misses, writebacks, bytes_asked, bytes_got, n_ids;
};

void cpu_caches_create(struct cpu_caches *c, const struct cpu_setup *setup, struct shard *shard,
                       struct cpu_window *window, struct arena *arena);
void cpu_caches_destroy(struct cpu_caches *c);

/* CPU_WAITS: cpu_window_data() will be called for the load. */
struct cpu_load;
enum cpu_answer cpu_caches_load(struct cpu_caches *c, uint64_t line, struct cpu_load *load,
                                uint64_t now);
/* False if it lacks room. */
bool cpu_caches_store(struct cpu_caches *c, uint64_t line, uint64_t now);
/* A message for the core. */
void cpu_caches_take(struct cpu_caches *c, const struct message *m, uint64_t now);
/* The caches' steps of a cycle: arriving lines, once fill_at is reached, and leaving requests, once
 * send_at is. */
void cpu_caches_fill(struct cpu_caches *c, uint64_t now);
void cpu_caches_send(struct cpu_caches *c, uint64_t now);
/* The next cycle after `now` in which a request can leave, as far as known. */
uint64_t cpu_caches_next_send(struct cpu_caches *c, uint64_t now);

#endif
