/* How the queue of a DRAM channel changes when a request enters or a command is issued. Private to
 * dram.c, which decides when commands are issued. */
#ifndef HEDDLE_DRAM_COMMANDS_H
#define HEDDLE_DRAM_COMMANDS_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "dram/dram_plan.h"

/* --- a request enters --- */

/* Puts the request into a slot. The caller sets its bits in the masks. */
static ALWAYS_INLINE void dram_enqueue(struct dram *d, uint32_t slot, const struct dram_request *r,
                                       uint64_t now)
{
    struct waiting *w = &d->queue[slot];
    uint32_t bank = r->bank, bytes = r->bytes;
    w->tag = r->tag;
    w->row = r->row;
    w->bytes = w->bytes_left = bytes;
    w->pushed_at = now;
    w->opened_row = false;
    d->bank_of[slot] = (uint8_t)bank;
    d->banks[bank].slots |= dram_slot_bit(slot);
    d->area -= now;
}

/* --- finished requests --- */

/* Makes room for one more entry at the end. */
static __attribute__((noinline)) void dram_grow_done(struct done_queue *q)
{
    uint32_t n = (uint32_t)(q->end - q->first), cap = (uint32_t)(q->limit - q->items);
    if (2 * n < cap) { /* most of them have been taken */
        memmove(q->items, q->first, n * sizeof *q->items);
    } else {
        struct dram_done *items = xcalloc(2 * cap, sizeof *items);
        memcpy(items, q->first, n * sizeof *items);
        free(q->items);
        q->items = items;
        q->limit = items + 2 * cap;
    }
    q->first = q->items;
    q->end = q->items + n;
}

/* A write may finish before reads that were issued earlier, so it is sorted in. */
static ALWAYS_INLINE void dram_insert_done(struct done_queue *q, struct dram_done done)
{
    if (q->end == q->limit)
        dram_grow_done(q);
    struct dram_done *at = q->end++;
    for (; done.write && at != q->first && at[-1].at > done.at; at--)
        *at = at[-1];
    *at = done;
}

/* --- rows --- */

static bool dram_bank_is_open(const struct dram *d, uint32_t bank)
{
    return d->banks[bank].open_row != NO_ROW;
}

/* A bank was opened or closed: updates which of its requests need which command. */
static void dram_sort_bank(struct dram *d, uint32_t bank)
{
    uint64_t slots = d->banks[bank].slots;
    d->closed &= ~slots;
    d->stale &= ~slots;
    if (!dram_bank_is_open(d, bank))
        d->closed |= slots;
    else if (!(d->hits & slots))
        d->stale |= slots;
}

static __attribute__((noinline)) void dram_issue_activate(struct dram *d, uint32_t slot,
                                                          uint64_t now)
{
    uint32_t bank = d->bank_of[slot], row = d->queue[slot].row;
    struct bank *b = &d->banks[bank];
    timing_activate(&d->timing, bank, &b->timing, &d->config, now);
    b->open_row = row;
    for (uint64_t slots = b->slots; slots; slots &= slots - 1)
        if (d->queue[dram_lowest_slot(slots)].row == row)
            d->hits |= slots & -slots;
    dram_sort_bank(d, bank);
    d->queue[slot].opened_row = true;
    d->stats.activates++;
}

static __attribute__((noinline)) void dram_issue_precharge(struct dram *d, uint32_t slot,
                                                           uint64_t now)
{
    uint32_t bank = d->bank_of[slot];
    struct bank *b = &d->banks[bank];
    timing_precharge(&b->timing, &d->config, now);
    b->open_row = NO_ROW;
    d->hits &= ~b->slots;
    dram_sort_bank(d, bank);
    d->stats.precharges++;
}

/* --- reads and writes --- */

/* The last burst of a request has been issued. */
static ALWAYS_INLINE void dram_finish(struct dram *d, bool write, uint32_t slot, uint32_t bank,
                                      uint64_t now)
{
    const struct waiting *w = &d->queue[slot];
    struct bank *b = &d->banks[bank];
    uint64_t at = write ? now : now + d->read_cycles;
    dram_insert_done(&d->done, (struct dram_done){.at = at, .tag = w->tag, .write = write});
    timing_last_column(&d->timing, &b->timing, &d->config, write, now);
    b->slots &= ~dram_slot_bit(slot);
    d->left_at = now;
    d->area += now;
    d->stats.queue_stays += now - w->pushed_at;
    d->stats.bytes += w->bytes;
    d->stats.row_hits += !w->opened_row;
    *(write ? &d->stats.writes : &d->stats.reads) += 1;
}

/* Issues one burst. True if it was the last one of the request, which is then finished. */
static ALWAYS_INLINE bool dram_issue_burst(struct dram *d, bool write, uint32_t slot, uint64_t now)
{
    struct waiting *w = &d->queue[slot];
    uint32_t bank = d->bank_of[slot];
    timing_burst(&d->timing, bank, now);
    d->n_bursts++;
    if (w->bytes_left > d->burst_bytes) {
        w->bytes_left -= d->burst_bytes;
        return false;
    }
    dram_finish(d, write, slot, bank, now);
    return true;
}

/* Removes a finished request from the queue. True if no other request needs its row, but one needs
 * another row of its bank. */
static ALWAYS_INLINE bool dram_dequeue(struct dram *d, bool write, uint32_t slot)
{
    uint64_t others = d->banks[d->bank_of[slot]].slots;
    d->n_waiting--;
    d->used &= ~dram_slot_bit(slot);
    d->hits &= ~dram_slot_bit(slot);
    if (write)
        d->writes &= ~dram_slot_bit(slot);
    if (d->hits & others || !others)
        return false;
    d->stale |= others;
    return true;
}

static __attribute__((noinline)) void
dram_notify_observer(const struct dram *d, enum dram_command_kind kind, uint32_t slot, uint64_t now)
{
    const struct waiting *w = &d->queue[slot];
    struct dram_command c = {now, kind, d->bank_of[slot], w->row, w->tag};
    d->observer(d->observer_user, &c);
}

#endif
