/* Sends a request to the memory slice of its line: where and when. Inline, because every miss uses
 * it, with different amounts of knowledge. */
#ifndef HEDDLE_SM_SEND_H
#define HEDDLE_SM_SEND_H

#include "sm/sm.h"

/* For hashed partitions: address_hash(), where all divisions are shifts. */
static inline struct route sm_hashed_route(const struct sm *sm, uint64_t line)
{
    struct hashed_route h = sm->out.hashed;
    uint64_t chunk = line >> h.chunk_shift, folded = chunk, mine = chunk >> h.partition_bits;
    folded ^= folded >> 8 * h.partition_bits;
    folded ^= folded >> 4 * h.partition_bits;
    folded ^= folded >> 2 * h.partition_bits;
    folded ^= folded >> h.partition_bits;
    uint32_t partition = (uint32_t)folded & ((1u << h.partition_bits) - 1);
    return (struct route){.to = sm->out.first_partition + partition,
                          .partition = partition,
                          .local = line - ((chunk - mine) << h.chunk_shift)};
}

/* For partitions that take turns. There are no more of them than bytes in a chunk, so that the
 * number of a chunk is small enough for any address. */
static inline struct route sm_route_in_turn(const struct sm *sm, uint64_t line, uint32_t shift)
{
    uint64_t chunk = line >> shift, mine = divider_div_small(&sm->out.n_partitions, chunk);
    uint32_t partition = divider_rem(&sm->out.n_partitions, chunk, mine);
    return (struct route){.to = sm->out.first_partition + partition,
                          .partition = partition,
                          .local = line - ((chunk - mine) << shift)};
}

static inline struct route sm_route(const struct sm *sm, uint64_t line)
{
    uint32_t shift = sm->out.chunk_shift;
    if (shift != NO_CHUNK_SHIFT)
        return sm_route_in_turn(sm, line, shift);
    return sm->out.hashed.partition_bits ? sm_hashed_route(sm, line) : sm_route_by_map(sm, line);
}

/* A reduction has no waiter. */
static inline uint32_t sm_wanted_bytes(const struct mem_request *r)
{
    bool wanted = r->origin < FROM_ATOMIC_WRITE && (r->origin != FROM_ATOMIC || r->waiter);
    return wanted ? r->data_bytes : 0;
}

static inline struct message sm_message(struct mem_request *r)
{
    return (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r};
}

static inline void sm_note_sent(struct sm *sm, enum request_origin origin, uint32_t wanted_bytes)
{
    sm->out.n_out++;
    sm->stats.bytes_asked[origin] += wanted_bytes;
}

static inline struct mem_request *sm_take_request(struct sm *sm)
{
    struct mem_request *r = sm->out.free_requests;
    if (!r)
        return sm_make_request(sm);
    sm->out.free_requests = r->next;
    return r;
}

/* When a request leaves, an entry of the queue becomes free and the port is taken: what waits for a
 * bypass slot then waits for the port. */
#define SM_WAIT_FOR_QUEUE (1u << STALL_MISS_QUEUE | 1u << STALL_BYPASS_TABLE)
static inline bool sm_ldst_waits_for_queue(const struct sm *sm)
{
    return sm->ldst.stalled && SM_WAIT_FOR_QUEUE >> sm->ldst.cause & 1;
}

/* May a request be sent in the cycle before it leaves? Not if others wait, or if an observer could
 * see that it is not in the queue in the meantime. */
static inline bool sm_may_send_ahead(const struct sm *sm, uint64_t now)
{
    return !sm->out.n && sm->out.left_ahead <= now && sm->out.sends_ahead &&
           !sm_ldst_waits_for_queue(sm);
}

/* Nearly all requests leave in the cycle after they were made. If that is certain for this one, it
 * is sent at once and counts as queued until then. */
static inline __attribute__((always_inline)) void
sm_submit_inline(struct sm *sm, struct mem_request *r, uint64_t now)
{
    struct message m = sm_message(r);
    uint32_t wanted = sm_wanted_bytes(r);
    sim_time next = (now + 1) * sm->period.divisor;
    struct tx_peer *to = &sm->out.port.peers[m.to - sm->out.first_partition];
    if (!sm_may_send_ahead(sm, now) || next >= sm->shard.until || to->credits < m.flits ||
        !gate_is_open(&sm->out.port.gate, next)) {
        sm_queue_request(sm, r, now);
        return;
    }
    queue_pass(&sm->out.account, now, now + 1);
    sm->out.left_ahead = now + 1;
    sm_note_sent(sm, r->origin, wanted);
    tx_post(&sm->out.port, to, next, m);
}

/* Requests from the partition of its route the segments that a miss of that access fetches. */
static inline __attribute__((always_inline)) void
sm_request_line(struct sm *sm, const struct mem_access *a, struct route route, uint32_t segments,
                enum request_origin origin, uint32_t mshr, uint64_t now)
{
    struct mem_request *r = sm_take_request(sm);
    if (sm->ldst.describes_loads)
        r->access = *a;
    r->access.kind = a->kind;
    r->access.line = a->line;
    r->access.segments = segments;
    r->origin = origin;
    r->id = mshr;
    r->data_bytes = sm_segment_bytes(segments);
    r->to = route.to;
    r->local = route.local;
    r->flits = sm->out.header_flits;
    r->waiter = NULL;
    sm_submit_inline(sm, r, now);
}

#endif
