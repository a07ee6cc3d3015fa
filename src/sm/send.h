/* Sending a request to its memory partition: where it goes and when. Inline, for every miss passes
 * here, and some of them with more known of them than others. */
#ifndef HEDDLE_SM_SEND_H
#define HEDDLE_SM_SEND_H

#include "sm/sm.h"

/* Where partitions are hashed: address_hash(), and all divisions are shifts. */
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

/* Where they take turns. There are no more of them than bytes in a chunk, so that the number of a
 * chunk is small enough, whatever the address. */
static inline struct route sm_route_in_turn(const struct sm *sm, uint64_t line, uint32_t shift)
{
    uint64_t chunk = line >> shift, mine = divide_small(&sm->out.n_partitions, chunk);
    uint32_t partition = remainder_of(&sm->out.n_partitions, chunk, mine);
    return (struct route){.to = sm->out.first_partition + partition,
                          .partition = partition,
                          .local = line - ((chunk - mine) << shift)};
}

static inline struct route sm_route(const struct sm *sm, uint64_t line)
{
    uint32_t shift = sm->out.chunk_shift;
    if (shift != CHUNKS_ARE_ODD)
        return sm_route_in_turn(sm, line, shift);
    return sm->out.hashed.partition_bits ? sm_hashed_route(sm, line) : sm_route_by_map(sm, line);
}

/* Nobody waits for a reduction. */
static inline uint32_t sm_wanted_bytes(const struct mem_request *r)
{
    bool wanted = r->origin < FROM_ATOMIC_WRITE && (r->origin != FROM_ATOMIC || r->waiter);
    return wanted ? r->data_bytes : 0;
}

static inline struct message sm_message(struct mem_request *r)
{
    return (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r};
}

static inline void sm_note_sent(struct sm *sm, const struct mem_request *r)
{
    sm->out.n_out++;
    sm->stats.bytes_asked[r->origin] += sm_wanted_bytes(r);
}

static inline struct mem_request *sm_take_request(struct sm *sm)
{
    struct mem_request *r = sm->out.free_requests;
    if (!r)
        return sm_make_request(sm);
    sm->out.free_requests = r->next;
    return r;
}

#endif
