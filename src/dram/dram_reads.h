/* The short way of a DRAM channel that has only reads of open rows to give, as most have most of
 * the time: dram_advance() and dram_enter() as long as that is so. Private to dram.c. */
#ifndef HEDDLE_DRAM_READS_H
#define HEDDLE_DRAM_READS_H

#include "dram/dram_commands.h"

/* Is there nothing to do but to read from rows that are open? Then there is one kind of command,
 * and the oldest request whose bank and group allow it is always next. */
static inline bool only_reads(const struct dram *d)
{
    return d->used == d->hits && !d->writes && d->streams;
}

/* What these change all the time, kept where no other store can reach it. */
struct reads {
    uint64_t places; /* of requests */
    uint32_t line_end;
    uint64_t column_at; /* when the channel allows the next */
    uint64_t at;        /* when that is; ~0 if there is none */
    uint32_t place;     /* for whom */
};

static ALWAYS_INLINE struct reads begin_reads(const struct dram *d)
{
    return (struct reads){d->hits, d->line_end, d->timing.column_at[0], d->plan.at, d->plan.place};
}

static ALWAYS_INLINE void end_reads(struct dram *d, const struct reads *r)
{
    d->used = d->hits = r->places;
    d->n_waiting = (uint32_t)__builtin_popcountll(r->places);
    d->line_end = r->line_end;
    if (r->column_at != d->timing.column_at[0])
        timing_columns(&d->timing, false, r->column_at - d->timing.same_kind);
    d->plan = (struct plan){.at = r->at, .kind = DRAM_READ, .place = r->place};
}

/* Gives those before that cycle. */
static ALWAYS_INLINE void read_until(struct dram *d, struct reads *r, uint64_t before)
{
    while (r->at < before) {
        if (d->observer)
            tell_observer(d, DRAM_READ, r->place, r->at);
        if (give_burst(d, false, r->place, r->at))
            r->places &= ~bit(r->place);
        r->column_at = r->at + d->timing.same_kind;
        r->at = first_column(d, r->places, r->column_at, &r->place);
    }
}

/* One that has come in is next if it can be given before all others. */
static ALWAYS_INLINE void join_reads(struct dram *d, struct reads *r, const struct dram_arrival *a)
{
    uint32_t place = r->places ? r->line_end : 0;
    uint64_t now = a->now, at = max_u64(r->column_at, now + 1);
    put_in_line(d, place, &a->request, now);
    r->line_end = place + 1;
    r->places |= bit(place);
    if (at >= r->at)
        return;
    at = max_u64(at, bank_allows(d, a->request.bank, DRAM_READ));
    if (at < r->at) {
        r->at = at;
        r->place = place;
    }
}

/* Will there be only reads, for certain, when this one has come in? */
static ALWAYS_INLINE bool is_one_of_them(const struct dram *d, const struct reads *r,
                                         const struct dram_request *request)
{
    return d->banks[request->bank].open_row == request->row && !request->write &&
           r->line_end < d->config.queue_entries;
}

/* dram_advance(). */
static __attribute__((noinline)) void give_only_reads(struct dram *d, uint64_t before)
{
    struct reads r = begin_reads(d);
    read_until(d, &r, before);
    end_reads(d, &r);
}

/* dram_enter(), for the first of them that are reads of open rows: returns how many. */
static ALWAYS_INLINE uint32_t enter_reads(struct dram *d, const struct dram_arrival *a, uint32_t n,
                                          uint64_t until)
{
    struct reads r = begin_reads(d);
    const struct dram_arrival *first = a, *end = a + n;
    for (; a != end && a->from < until && is_one_of_them(d, &r, &a->request); a++) {
        read_until(d, &r, a->now);
        join_reads(d, &r, a);
    }
    end_reads(d, &r);
    return (uint32_t)(a - first);
}

#endif
