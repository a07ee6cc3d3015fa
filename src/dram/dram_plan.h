/* The state of a DRAM channel, and the choice of its next command. Private to dram.c, which issues
 * the commands.
 *
 * Requests are in a queue of 64 slots, the oldest first. Sets of requests are masks of slots, so
 * the oldest of a set is its lowest bit. */
#ifndef HEDDLE_DRAM_PLAN_H
#define HEDDLE_DRAM_PLAN_H

#include "base/minmax.h"
#include "dram/dram_timing.h"

enum { N_QUEUE_SLOTS = 64 };

/* For code that nearly every request executes. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

struct waiting {
    uint64_t tag;
    uint32_t row, bytes;
    uint64_t pushed_at;
    uint32_t bytes_left;
    bool opened_row; /* an activate was issued for it */
};

struct bank {
    struct bank_timing timing;
    uint64_t slots;    /* of its requests */
    uint64_t open_row; /* NO_ROW = none */
};
#define NO_ROW UINT64_MAX

/* The next command: when, which, and for which request. */
struct plan {
    uint64_t at; /* ~0 = nothing to do */
    enum dram_command_kind kind;
    uint32_t slot;
};

/* Requests that are done or will be at a known time, in that order: from `first` to `end`. */
struct done_queue {
    struct dram_done *items, *limit; /* their storage */
    struct dram_done *first, *end;
};
enum { FIRST_DONE = 16 }; /* entries at first */

struct dram {
    struct dram_config config;
    bool streams; /* reads or writes may be issued in a row without considering other commands */
    uint32_t burst_bytes;
    uint32_t read_cycles; /* from a request's last read command to the end of its data */
    struct dram_timing timing;
    struct plan plan;

    struct waiting queue[N_QUEUE_SLOTS];
    uint8_t bank_of[N_QUEUE_SLOTS];
    uint32_t queue_end;     /* the next request's slot */
    uint64_t used, writes;  /* slots of requests; of writes among them */
    uint64_t hits;          /* ... whose row is open */
    uint64_t closed, stale; /* ... whose bank has no open row; has one that no request needs */

    struct bank banks[DRAM_MAX_BANKS];

    struct done_queue done;
    uint32_t n_waiting;
    uint64_t left_at; /* when the last request left the queue */
    /* The remaining counters of `stats` are computed from these. */
    uint64_t area; /* sum of the cycles in which requests left, minus those in which they entered */
    uint64_t n_bursts; /* including those of requests still in the queue */
    struct dram_stats stats;
    void (*observer)(void *user, const struct dram_command *c);
    void *observer_user;
};

static inline uint64_t dram_slot_bit(uint32_t i)
{
    return UINT64_C(1) << i;
}

static inline uint32_t dram_lowest_slot(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

/* --- the next command --- */

/* The first cycle in which the channel, or a bank, allows a command of that kind. */
static inline uint64_t dram_channel_allows(const struct dram *d, enum dram_command_kind kind)
{
    switch (kind) {
    case DRAM_ACTIVATE:
        return d->timing.activate_at;
    case DRAM_PRECHARGE:
        return 0;
    case DRAM_READ:
    case DRAM_WRITE:
        break;
    }
    return d->timing.column_at[kind == DRAM_WRITE];
}

static inline uint64_t dram_bank_allows(const struct dram *d, uint32_t bank,
                                        enum dram_command_kind kind)
{
    switch (kind) {
    case DRAM_ACTIVATE:
        return d->banks[bank].timing.activate_at;
    case DRAM_PRECHARGE:
        return d->banks[bank].timing.precharge_at;
    case DRAM_READ:
    case DRAM_WRITE:
        break;
    }
    return max_u64(d->timing.bank_at[bank], d->timing.group_at[d->timing.group_of[bank]]);
}

/* Looks among the requests at these slots, oldest first, for a command of that kind that can be
 * issued at or after `floor` and before *best, or in the same cycle for an older request. Compiled
 * once for each kind. */
static ALWAYS_INLINE void dram_consider(const struct dram *d, struct plan *best,
                                        enum dram_command_kind kind, uint64_t slots, uint64_t floor)
{
    floor = max_u64(floor, dram_channel_allows(d, kind));
    while (slots && floor <= best->at) {
        uint32_t slot = dram_lowest_slot(slots);
        uint32_t bank = d->bank_of[slot];
        uint64_t allowed = dram_bank_allows(d, bank, kind), at = max_u64(floor, allowed);
        if (at < best->at || (at == best->at && slot < best->slot))
            *best = (struct plan){.at = at, .kind = kind, .slot = slot};
        if (allowed <= floor) /* later slots cannot be earlier */
            return;
        slots &= ~d->banks[bank].slots;
    }
}

/* The first read or write at or after `floor` for requests at these slots. */
static ALWAYS_INLINE struct plan dram_plan_column(const struct dram *d, uint64_t slots,
                                                  uint64_t floor)
{
    struct plan best = {.at = UINT64_MAX, .slot = N_QUEUE_SLOTS};
    uint64_t writes = slots & d->writes, reads = slots & ~writes;
    if (!writes) {
        dram_consider(d, &best, DRAM_READ, reads, floor);
    } else if (d->timing.column_at[0] <= d->timing.column_at[1]) {
        /* The present direction of the bus first: the other one then seldom needs to be considered.
         */
        dram_consider(d, &best, DRAM_READ, reads, floor);
        dram_consider(d, &best, DRAM_WRITE, writes, floor);
    } else {
        dram_consider(d, &best, DRAM_WRITE, writes, floor);
        dram_consider(d, &best, DRAM_READ, reads, floor);
    }
    return best;
}

/* The first read or write at or after `floor` of the requests at these slots, and its request;
 * ~0 if there are none. */
static ALWAYS_INLINE uint64_t dram_first_column(const struct dram *d, uint64_t slots,
                                                uint64_t floor, uint32_t *whose)
{
    uint64_t first = UINT64_MAX;
    while (slots) {
        uint32_t slot = dram_lowest_slot(slots), bank = d->bank_of[slot];
        if (d->timing.bank_at[bank] <= floor &&
            d->timing.group_at[d->timing.group_of[bank]] <= floor) {
            *whose = slot;
            return floor;
        }
        uint64_t at = dram_bank_allows(d, bank, DRAM_READ);
        if (at < first) {
            first = at;
            *whose = slot;
        }
        slots &= ~d->banks[bank].slots;
    }
    return first;
}

/* The first activate or precharge at or after `floor` and before `limit` for requests at these
 * slots. */
static ALWAYS_INLINE struct plan dram_plan_row(const struct dram *d, uint64_t closed,
                                               uint64_t stale, uint64_t floor, uint64_t limit)
{
    struct plan best = {.at = limit, .slot = 0}; /* nothing precedes it */
    dram_consider(d, &best, DRAM_ACTIVATE, closed, floor);
    dram_consider(d, &best, DRAM_PRECHARGE, stale, floor);
    return best;
}

/* Plans the first command at or after `floor` for requests at these slots: those whose row is
 * open, whose bank is closed, whose bank has a row open that no request needs. */
static ALWAYS_INLINE void dram_plan_among(struct dram *d, uint64_t hits, uint64_t closed,
                                          uint64_t stale, uint64_t floor)
{
    struct plan column = dram_plan_column(d, hits, floor);
    d->plan = column;
    if (column.at <= floor || !(closed | stale))
        return; /* in one cycle, a read or write wins */
    struct plan row = dram_plan_row(d, closed, stale, floor, column.at);
    if (row.at < column.at)
        d->plan = row;
}

static __attribute__((noinline)) void dram_plan_oldest(struct dram *d, uint64_t floor)
{
    uint64_t oldest = d->used & -d->used, hits = d->hits & oldest, closed = d->closed & oldest;
    dram_plan_among(d, hits, closed, oldest & ~hits & ~closed, floor);
}

/* Plans the first command at or after `floor`. */
static ALWAYS_INLINE void dram_make_plan(struct dram *d, uint64_t floor)
{
    if (!d->used)
        d->plan.at = UINT64_MAX;
    else if (d->config.scheduler == DRAM_FCFS)
        dram_plan_oldest(d, floor);
    else
        dram_plan_among(d, d->hits, d->closed, d->stale, floor);
}

#endif
