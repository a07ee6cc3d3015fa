/* Sending a request to its memory partition: where it goes and when. Inline, for every miss passes
 * here, and some of them with more known of them than others. */
#ifndef HEDDLE_SM_SEND_H
#define HEDDLE_SM_SEND_H

#include "sm/sm.h"

/* Where partitions are hashed: address_hash(), and all divisions are shifts. */
static inline struct route sm_hashed_route(const struct sm *sm, uint64_t line)
{
    struct hashed_route h = sm->hashed;
    uint64_t chunk = line >> h.chunk_shift, folded = chunk, mine = chunk >> h.partition_bits;
    folded ^= folded >> 8 * h.partition_bits;
    folded ^= folded >> 4 * h.partition_bits;
    folded ^= folded >> 2 * h.partition_bits;
    folded ^= folded >> h.partition_bits;
    uint32_t partition = (uint32_t)folded & ((1u << h.partition_bits) - 1);
    return (struct route){.to = sm->first_partition + partition,
                          .partition = partition,
                          .local = line - ((chunk - mine) << h.chunk_shift)};
}

/* Where they take turns. There are no more of them than bytes in a chunk, so that the number of a
 * chunk is small enough, whatever the address. */
static inline struct route sm_route_in_turn(const struct sm *sm, uint64_t line, uint32_t shift)
{
    uint64_t chunk = line >> shift, mine = divide_small(&sm->n_partitions, chunk);
    uint32_t partition = remainder_of(&sm->n_partitions, chunk, mine);
    return (struct route){.to = sm->first_partition + partition,
                          .partition = partition,
                          .local = line - ((chunk - mine) << shift)};
}

static inline struct route sm_find_route(const struct sm *sm, uint64_t line)
{
    uint32_t shift = sm->chunk_shift;
    if (shift != CHUNKS_ARE_ODD)
        return sm_route_in_turn(sm, line, shift);
    return sm->hashed.partition_bits ? sm_hashed_route(sm, line) : sm_route_by_map(sm, line);
}

/* One of these two ways, so that nothing is called? */
static inline bool sm_routes_simply(const struct sm *sm)
{
    return sm->chunk_shift != CHUNKS_ARE_ODD || sm->hashed.partition_bits;
}
static inline struct route sm_simple_route(const struct sm *sm, uint64_t line)
{
    return sm->hashed.partition_bits ? sm_hashed_route(sm, line)
                                     : sm_route_in_turn(sm, line, sm->chunk_shift);
}

/* A load that is the last one's of this request likewise, but for its line: where that is. */
static inline void sm_direct_load(const struct sm *sm, struct mem_request *r, uint64_t line,
                                  uint32_t segments)
{
    struct route route = sm_find_route(sm, line);
    r->access.line = line;
    r->access.segments = segments;
    r->to = route.to;
    r->local = route.local;
    r->flits = sm->header_flits;
}

/* Nobody waits for a reduction. */
static inline uint32_t sm_wanted_bytes(const struct mem_request *r)
{
    bool wanted = r->origin != FROM_STORE && (r->origin != FROM_ATOMIC || r->waiter);
    return wanted ? r->data_bytes : 0;
}

static inline struct message sm_message(struct mem_request *r)
{
    return (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r};
}

/* May a request be sent in the cycle before it leaves? Not if others wait, or if somebody could see
 * that it is not in the queue meanwhile. */
static inline bool sm_may_send_ahead(const struct sm *sm, uint64_t now)
{
    return !sm->miss_n && sm->left_ahead <= now && sm->queue_is_deep && sm_looks_ahead(sm);
}

/* The receiver's peer if it is clear that a request of so many flits can leave for that partition
 * at `next`; else NULL. */
static inline struct tx_peer *sm_way_ahead(const struct sm *sm, uint32_t partition, uint32_t flits,
                                           sim_time next)
{
    struct tx_peer *to = &sm->up.peers[partition];
    bool is_clear =
        next < sm->shard.until && to->credits >= flits && gate_is_open(&sm->up.gate, next);
    return is_clear ? to : NULL;
}

/* It leaves in the cycle after `now`, which begins at `next`, and has been in the queue till then.
 */
static inline __attribute__((always_inline)) void sm_leave_ahead(struct sm *sm, struct tx_peer *to,
                                                                 struct mem_request *r,
                                                                 uint64_t now, sim_time next)
{
    queue_pass(&sm->miss_account, now, now + 1);
    sm->left_ahead = now + 1;
    tx_post(&sm->up, to, next, sm_message(r));
}

/* Sends it if it is clear that it leaves in the cycle after `now`. */
static inline __attribute__((always_inline)) bool sm_send_ahead(struct sm *sm,
                                                                struct mem_request *r, uint64_t now)
{
    sim_time next = (now + 1) * sm->period.divisor;
    struct tx_peer *to = sm_way_ahead(sm, r->to - sm->first_partition, r->flits, next);
    if (!to)
        return false;
    sm_leave_ahead(sm, to, r, now, next);
    return true;
}

static inline void sm_note_sent(struct sm *sm, const struct mem_request *r)
{
    sm->requests_out++;
    sm->stats.bytes_asked[r->origin] += sm_wanted_bytes(r);
}

/* sm_pass_request(), inline. */
static inline __attribute__((always_inline)) void
sm_send_or_queue(struct sm *sm, struct mem_request *r, uint64_t now)
{
    if (sm_may_send_ahead(sm, now) && sm_send_ahead(sm, r, now))
        sm_note_sent(sm, r);
    else
        sm_queue_request(sm, r, now);
}

static inline struct mem_request *sm_take_request(struct sm *sm)
{
    struct mem_request *r = sm->free_requests;
    if (!r)
        return sm_make_request(sm);
    sm->free_requests = r->next;
    return r;
}

/* The request asks for segments of a line, on behalf of an MSHR of that cache. */
static inline __attribute__((always_inline)) void sm_ask_for(struct sm *sm, struct mem_request *r,
                                                             uint64_t line, uint32_t segments,
                                                             enum request_origin origin,
                                                             uint32_t mshr, uint64_t now)
{
    sm_direct_load(sm, r, line, segments);
    r->origin = origin;
    r->id = mshr;
    r->data_bytes = sm_segment_bytes(segments);
    r->waiter = NULL;
    sm_send_or_queue(sm, r, now);
}

#endif
