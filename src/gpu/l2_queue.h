/* How a request comes to the queue of its L2 bank. Inline, for every request does. `now` is an L2
 * cycle. */
#ifndef HEDDLE_GPU_L2_QUEUE_H
#define HEDDLE_GPU_L2_QUEUE_H

#include "gpu/partition_parts.h"

/* Where the sender's lines are shorter, its line begins somewhere in L2's. */
static inline void l2_place_in_line(struct mem_access *a, uint32_t offset)
{
    for (; offset; offset -= CACHE_SEGMENT_BYTES) {
        a->segments <<= 1;
        a->byte_mask[1] = a->byte_mask[1] << 32 | a->byte_mask[0] >> 32;
        a->byte_mask[0] <<= 32;
    }
}

/* A request has come: where in L2 it belongs. A partition's own addresses have the interleaving
 * squeezed out, and so do a bank's. From here until the reply the request describes its access as
 * L2 sees it. */
static ALWAYS_INLINE struct l2_bank *l2_place(const struct partition *p, struct mem_request *r)
{
    struct mem_access *a = &r->access;
    uint32_t shift = p->line_shift, bank;
    uint64_t local = r->local, number = local >> shift, row;
    if (p->banks_are_odd) {
        row = divide(&p->n_banks, number);
        bank = remainder_of(&p->n_banks, number, row);
    } else {
        row = number >> p->bank_shift;
        bank = (uint32_t)number & (p->n_banks.divisor - 1);
    }
    uint64_t line = row << shift;
    a->set = set_index_of(&p->l2_sets, line);
    r->bank = bank;
    r->device_line = a->line;
    a->line = line;
    l2_place_in_line(a, (uint32_t)(local - (number << shift)));
    a->address = line;
    a->sector_mask = cache_sectors_of(&p->config->l2, a->segments);
    if (a->kind == MEM_ATOMIC) { /* reads and writes part of the line */
        a->byte_mask[0] = 1;
        a->byte_mask[1] = 0;
        a->full_line = false;
    }
    return &p->banks[bank];
}

/* The bank of a request that has been placed. */
static inline struct l2_bank *l2_bank_of(const struct partition *p, const struct mem_request *r)
{
    return &p->banks[r->bank];
}

static inline bool l2_has_room(const struct partition *p, const struct l2_bank *b)
{
    return b->queue.n < p->bank_places;
}

/* A new request is first, and can be served from cycle `soonest` on if it is there by then and the
 * bank is free. While replies are short of places there is no use in trying before one leaves. */
static inline void l2_plan_first(struct partition *p, struct l2_bank *b, uint64_t soonest)
{
    if (!b->queue.n) {
        b->due = CYCLE_NEVER;
        return;
    }
    uint64_t at = ring_first(&b->queue)->at;
    b->due = b->first_try = max_u64(max_u64(at, b->busy_until), soonest);
    if (p->replies.n >= p->reply_places && p->reply_at != CYCLE_NEVER)
        b->due = max_u64(b->due, p->reply_at + 1);
}

/* It is through the port and may be served from cycle `at` on. */
static ALWAYS_INLINE void l2_enqueue(struct partition *p, struct l2_bank *b, struct mem_request *r,
                                     uint64_t at, uint64_t now)
{
    r->queued_at = now;
    queue_enter(&b->account, now);
    ring_push(&b->queue, (struct timed_request){.at = at, .request = r});
    if (b->queue.n > 1)
        return;
    l2_plan_first(p, b, 0);
    p->due.banks = min_u64(p->due.banks, b->due);
}

#endif
