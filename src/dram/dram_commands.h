/* What a DRAM channel's queue and its commands change. Private to dram.c, which decides what is
 * done when. */
#ifndef HEDDLE_DRAM_COMMANDS_H
#define HEDDLE_DRAM_COMMANDS_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "dram/dram_plan.h"

/* --- a request comes --- */

/* It gets that place. What it waits for, its bit in the masks, the caller knows. */
static ALWAYS_INLINE void put_in_line(struct dram *d, uint32_t place, const struct dram_request *r,
                                      uint64_t now)
{
    struct waiting *w = &d->line[place];
    uint32_t bank = r->bank, bytes = r->bytes;
    w->tag = r->tag;
    w->row = r->row;
    w->bytes = w->bytes_left = bytes;
    w->pushed_at = now;
    w->opened_row = false;
    d->bank_of[place] = (uint8_t)bank;
    d->banks[bank].places |= bit(place);
    d->area -= now;
}

/* --- what is done --- */

/* Room for one more at the end. */
static __attribute__((noinline)) void done_make_room(struct done_queue *q)
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

/* A write may be done before reads whose commands came before its own. */
static ALWAYS_INLINE void done_insert(struct done_queue *q, struct dram_done done)
{
    if (q->end == q->limit)
        done_make_room(q);
    struct dram_done *at = q->end++;
    for (; done.write && at != q->first && at[-1].at > done.at; at--)
        *at = at[-1];
    *at = done;
}

/* --- rows --- */

static bool is_open(const struct dram *d, uint32_t bank)
{
    return d->banks[bank].open_row != NO_ROW;
}

/* A bank was opened or closed: which of its requests need which command. */
static void sort_bank(struct dram *d, uint32_t bank)
{
    uint64_t places = d->banks[bank].places;
    d->closed &= ~places;
    d->stale &= ~places;
    if (!is_open(d, bank))
        d->closed |= places;
    else if (!(d->hits & places))
        d->stale |= places;
}

static __attribute__((noinline)) void give_activate(struct dram *d, uint32_t place, uint64_t now)
{
    uint32_t bank = d->bank_of[place], row = d->line[place].row;
    struct bank *b = &d->banks[bank];
    timing_activate(&d->timing, bank, &b->timing, &d->config, now);
    b->open_row = row;
    for (uint64_t places = b->places; places; places &= places - 1)
        if (d->line[lowest(places)].row == row)
            d->hits |= places & -places;
    sort_bank(d, bank);
    d->line[place].opened_row = true;
    d->stats.activates++;
}

static __attribute__((noinline)) void give_precharge(struct dram *d, uint32_t place, uint64_t now)
{
    uint32_t bank = d->bank_of[place];
    struct bank *b = &d->banks[bank];
    timing_precharge(&b->timing, &d->config, now);
    b->open_row = NO_ROW;
    d->hits &= ~b->places;
    sort_bank(d, bank);
    d->stats.precharges++;
}

/* --- reads and writes --- */

/* The last burst of a request has been commanded. */
static ALWAYS_INLINE void finish(struct dram *d, bool write, uint32_t place, uint32_t bank,
                                 uint64_t now)
{
    const struct waiting *w = &d->line[place];
    struct bank *b = &d->banks[bank];
    uint64_t at = write ? now : now + d->read_cycles;
    done_insert(&d->done, (struct dram_done){.at = at, .tag = w->tag, .write = write});
    timing_last_column(&d->timing, &b->timing, &d->config, write, now);
    b->places &= ~bit(place);
    d->left_at = now;
    d->area += now;
    d->stats.queue_stays += now - w->pushed_at;
    d->stats.bytes += w->bytes;
    d->stats.row_hits += !w->opened_row;
    *(write ? &d->stats.writes : &d->stats.reads) += 1;
}

/* One burst. True if it was the request's last, which is done then. */
static ALWAYS_INLINE bool give_burst(struct dram *d, bool write, uint32_t place, uint64_t now)
{
    struct waiting *w = &d->line[place];
    uint32_t bank = d->bank_of[place];
    timing_burst(&d->timing, bank, now);
    d->n_bursts++;
    if (w->bytes_left > d->burst_bytes) {
        w->bytes_left -= d->burst_bytes;
        return false;
    }
    finish(d, write, place, bank, now);
    return true;
}

/* One that is done leaves the queue. True if nobody waits for its row any more, but somebody for
 * another one of its bank. */
static ALWAYS_INLINE bool leave(struct dram *d, bool write, uint32_t place)
{
    uint64_t others = d->banks[d->bank_of[place]].places;
    d->n_waiting--;
    d->used &= ~bit(place);
    d->hits &= ~bit(place);
    if (write)
        d->writes &= ~bit(place);
    if (d->hits & others || !others)
        return false;
    d->stale |= others;
    return true;
}

static __attribute__((noinline)) void
tell_observer(const struct dram *d, enum dram_command_kind kind, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    struct dram_command c = {now, kind, d->bank_of[place], w->row, w->tag};
    d->observer(d->observer_user, &c);
}

#endif
