/* How a request enters the queue of its L2 bank. Inline, because every request does. `now` is an L2
 * cycle. */
#ifndef HEDDLE_SLICE_L2_QUEUE_H
#define HEDDLE_SLICE_L2_QUEUE_H

#include "slice/slice_parts.h"

/* Moves an access by `offset` bytes within its L2 line: if the sender's lines are shorter than
 * L2's, they begin inside an L2 line. */
static inline void l2_shift_to_line(struct mem_access *a, uint32_t offset)
{
    for (; offset; offset -= CACHE_SEGMENT_BYTES) {
        a->segments <<= 1;
        a->byte_mask[1] = a->byte_mask[1] << 32 | a->byte_mask[0] >> 32;
        a->byte_mask[0] <<= 32;
    }
}

/* Finds the request's bank. From here until the reply, the request describes its access in the
 * bank's addresses, from which the interleaving of slices and banks is removed. */
static ALWAYS_INLINE void l2_assign_bank(const struct slice *p, struct mem_request *r)
{
    struct mem_access *a = &r->access;
    uint64_t number = r->local >> p->line_shift, row;
    if (p->divides_banks) {
        row = divider_div(&p->n_banks, number);
        r->bank = divider_rem(&p->n_banks, number, row);
    } else {
        row = number >> p->bank_shift;
        r->bank = (uint32_t)number & p->bank_mask;
    }
    r->device_line = a->line;
    a->line = a->address = row << p->line_shift;
    a->set = set_index_of(&p->l2_sets, a->line);
    l2_shift_to_line(a, (uint32_t)r->local & p->line_mask);
    a->sector_mask = cache_sectors_of(&p->config->l2, a->segments);
    if (!p->sees_loads)
        return;
    if (a->kind != MEM_STORE && a->kind != MEM_ATOMIC) /* its sender receives whole segments */
        mem_bytes_of_segments(a->segments, a->byte_mask);
    if (p->config->marks && p->config->marks->n)
        l2_mark(p->config->marks, a, r->device_line);
    if (p->llc)
        llc_note_sender(p, r);
}

static inline void l2_note_due(struct slice *p, const struct l2_bank *b)
{
    p->due.banks = min_u64(p->due.banks, b->due);
    p->units_at = min_u64(p->units_at, b->due);
}

/* Plans when the bank serves the request that is now the first in its queue: from cycle `soonest`
 * on, once the request has arrived and the bank is free. */
static inline void l2_plan_first(struct slice *p, struct l2_bank *b, uint64_t soonest)
{
    if (!b->queue.n) {
        b->due = CYCLE_NEVER;
        return;
    }
    uint64_t at = ring_first(&b->queue)->at;
    b->due = b->first_try = max_u64(max_u64(at, b->busy_until), soonest);
    uint64_t room_from = slice_room_from(p);
    if (room_from != CYCLE_NEVER) /* pointless to try before a reply leaves its entry */
        b->due = max_u64(b->due, room_from);
}

/* Puts a request into the bank's queue. It may be served from cycle `at` on. */
static ALWAYS_INLINE void l2_enqueue(struct slice *p, struct l2_bank *b, struct mem_request *r,
                                     uint64_t at)
{
    queue_enter(&b->account, r->queued_at);
    ring_push(&b->queue, (struct timed_request){.at = at, .request = r});
    if (b->queue.n > 1)
        return;
    l2_plan_first(p, b, 0);
    l2_note_due(p, b);
}

#endif
