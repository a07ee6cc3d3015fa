/* The fast path of a DRAM channel while all waiting requests are reads of open rows, the common
 * case: dram_advance() and dram_enter() as long as that holds. Private to dram.c. */
#ifndef HEDDLE_DRAM_READS_H
#define HEDDLE_DRAM_READS_H

#include "dram/dram_commands.h"

/* Are all waiting requests reads of open rows? Then there is one kind of command, and the oldest
 * request whose bank and group allow it is always next. */
static inline bool dram_reads_only(const struct dram *d)
{
    return d->used == d->hits && !d->writes && d->streams;
}

/* The fields that change with every read, in locals that no other store can alias. */
struct reads {
    uint64_t slots; /* of requests */
    uint32_t queue_end;
    uint64_t column_at; /* when the channel allows the next read */
    uint64_t at;        /* when the next read is issued; ~0 if there is none */
    uint32_t slot;      /* of the request */
};

static ALWAYS_INLINE struct reads dram_reads_begin(const struct dram *d)
{
    return (struct reads){d->hits, d->queue_end, d->timing.column_at[0], d->plan.at, d->plan.slot};
}

static ALWAYS_INLINE void dram_reads_end(struct dram *d, const struct reads *r)
{
    d->used = d->hits = r->slots;
    d->n_waiting = (uint32_t)__builtin_popcountll(r->slots);
    d->queue_end = r->queue_end;
    if (r->column_at != d->timing.column_at[0])
        timing_columns(&d->timing, false, r->column_at - d->timing.same_kind);
    d->plan = (struct plan){.at = r->at, .kind = DRAM_READ, .slot = r->slot};
}

/* Issues the reads before that cycle. */
static ALWAYS_INLINE void dram_reads_until(struct dram *d, struct reads *r, uint64_t before)
{
    while (r->at < before) {
        if (d->observer)
            dram_notify_observer(d, DRAM_READ, r->slot, r->at);
        if (dram_issue_burst(d, false, r->slot, r->at))
            r->slots &= ~dram_slot_bit(r->slot);
        r->column_at = r->at + d->timing.same_kind;
        r->at = dram_first_column(d, r->slots, r->column_at, &r->slot);
    }
}

/* A request that has arrived is next if it can be issued before all others. */
static ALWAYS_INLINE void dram_reads_join(struct dram *d, struct reads *r,
                                          const struct dram_arrival *a)
{
    uint32_t slot = r->slots ? r->queue_end : 0;
    uint64_t now = a->now, at = max_u64(r->column_at, now + 1);
    dram_enqueue(d, slot, &a->request, now);
    r->queue_end = slot + 1;
    r->slots |= dram_slot_bit(slot);
    if (at >= r->at)
        return;
    at = max_u64(at, dram_bank_allows(d, a->request.bank, DRAM_READ));
    if (at < r->at) {
        r->at = at;
        r->slot = slot;
    }
}

/* Will all waiting requests certainly still be reads of open rows with this one? */
static ALWAYS_INLINE bool dram_reads_accept(const struct dram *d, const struct reads *r,
                                            const struct dram_request *request)
{
    return d->banks[request->bank].open_row == request->row && !request->write &&
           r->queue_end < d->config.queue_entries;
}

/* dram_advance(). */
static __attribute__((noinline)) void dram_reads_issue(struct dram *d, uint64_t before)
{
    struct reads r = dram_reads_begin(d);
    dram_reads_until(d, &r, before);
    dram_reads_end(d, &r);
}

/* dram_enter(), for the leading requests that are reads of open rows; returns how many. */
static ALWAYS_INLINE uint32_t dram_reads_enter(struct dram *d, const struct dram_arrival *a,
                                               uint32_t n, uint64_t until)
{
    struct reads r = dram_reads_begin(d);
    const struct dram_arrival *first = a, *end = a + n;
    for (; a != end && a->from < until && dram_reads_accept(d, &r, &a->request); a++) {
        dram_reads_until(d, &r, a->now);
        dram_reads_join(d, &r, a);
    }
    dram_reads_end(d, &r);
    return (uint32_t)(a - first);
}

#endif
