/* How a request comes to the queue of its L2 bank. Inline, for every request does. `now` is an L2
 * cycle. */
#ifndef HEDDLE_GPU_L2_QUEUE_H
#define HEDDLE_GPU_L2_QUEUE_H

#include "gpu/partition_parts.h"

/* Where in L2 a request belongs. A partition's own addresses have the interleaving squeezed out,
 * and so do a bank's. */
struct l2_place {
    uint32_t bank;
    struct cache_part part;
};

/* Where the sender's lines are shorter, its line begins somewhere in L2's. */
static inline uint32_t l2_offset(const struct partition *p, const struct mem_request *r)
{
    return (uint32_t)r->local & (p->config->l2.line_bytes - 1);
}

static ALWAYS_INLINE struct l2_place l2_find(const struct partition *p, const struct mem_request *r)
{
    uint32_t shift = p->line_shift, bank;
    uint64_t local = r->local, number = local >> shift, row;
    if (p->banks_are_odd) {
        row = divide(&p->n_banks, number);
        bank = remainder_of(&p->n_banks, number, row);
    } else {
        row = number >> p->bank_shift;
        bank = (uint32_t)number & p->bank_mask;
    }
    uint32_t sectors = 1;
    if (p->l2_sectored)
        sectors = cache_sectors_of(&p->config->l2,
                                   r->access.segments << l2_offset(p, r) / CACHE_SEGMENT_BYTES);
    uint64_t line = row << shift;
    uint32_t set = set_index_of_number(&p->l2_sets, line, row);
    return (struct l2_place){bank, {line, set, sectors}};
}

/* From here until the reply the request describes its access as L2 sees it. */
void l2_put(const struct partition *p, struct mem_request *r, const struct l2_place *at);

/* The bank of a request that has been placed. */
static inline struct l2_bank *l2_bank_of(const struct partition *p, const struct mem_request *r)
{
    return &p->banks[r->bank];
}

/* Requests that are in a bank's queue when cycle `now` begins: those that have been served ahead
 * too, until their time comes. */
uint32_t l2_queued(const struct partition *p, const struct l2_bank *b, uint64_t now);
/* After which cycle from `now` on the first of these has left; NEVER if there is none. */
uint64_t l2_leaves_ahead(const struct partition *p, const struct l2_bank *b, uint64_t now);

/* For one more? It counts as outstanding already. */
static inline bool l2_has_room(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    return p->outstanding <= p->bank_places || l2_queued(p, b, now) < p->bank_places;
}

/* Serves the bank's next request, which may be served from cycle `at` on, if it is a load that
 * hits, and that will be so whatever happens till then. Which lines L2 holds is decided by requests
 * alone, and those before it have been served. No atomic holds the bank up, unless it waits for
 * data. There will be a place for the reply: even with all the requests that have come there is
 * one, and those that are still to come are served later. */
static ALWAYS_INLINE bool l2_serve_ahead(struct partition *p, struct l2_bank *b,
                                         struct mem_request *r, struct cache_part part, uint64_t at)
{
    uint64_t now = max_u64(at, b->busy_until);
    bool loads = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION;
    if (p->outstanding > p->ahead_places || now > p->next_take + p->rop_latency ||
        b->atomics.n_lines || !loads || !cache_load_ahead(b->cache, part, r->access.pc))
        return false;
    p->stats.accesses++;
    b->busy_until = now + 1;
    r->access.cycle = now;
    partition_queue_reply(p, r, r->data_bytes, partition_flits(p, r->data_bytes), now,
                          now + p->l2_latency);
    p->ahead_until = max_u64(p->ahead_until, now);
    return true;
}

void l2_enqueue(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at,
                uint64_t now);

#endif
