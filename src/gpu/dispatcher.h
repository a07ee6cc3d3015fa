/* Assigns the CTAs of a kernel to SMs: one per cycle, round-robin among SMs with room. It knows how
 * many CTAs of the kernel an SM holds; SMs report when one has ended. */
#ifndef HEDDLE_GPU_DISPATCHER_H
#define HEDDLE_GPU_DISPATCHER_H

#include "noc/ticker.h"

struct dispatcher {
    struct ticker ticker; /* first */
    sim_time latency;
    uint32_t first_sm, n_sms; /* their shards */
    uint32_t *resident;
    uint32_t max_resident; /* per SM */
    uint64_t next_cta, n_ctas, done;
    uint32_t turn;
    sim_time ended_at; /* when the last end was reported */
};

void dispatcher_create(struct dispatcher *d, uint32_t shard_id, uint32_t first_sm, uint32_t n_sms,
                       const struct clock_domain *clock, sim_time latency);
void dispatcher_destroy(struct dispatcher *d);
/* Begins a kernel at time `at`. */
void dispatcher_start(struct dispatcher *d, uint64_t n_ctas, uint32_t max_resident, sim_time at);

#endif
