/* A DRAM channel's controller: FR-FCFS (Rixner et al., ISCA 2000, "first ready") over one queue.
 * dram.h states the order of preference, dram_timing.h when a command is allowed.
 *
 * Requests stand in a line of 64 places, the oldest first, and sets of them are masks of places:
 * the oldest of a set is its lowest bit. Each command is planned as soon as the one before is
 * given: with the queue as it is, both its cycle and the choice are known. A tick before that cycle
 * has nothing to do, so leaving it out changes nothing; a request that comes in may change the
 * plan.
 *
 * MODEL: age is the order of arrival; a request keeps its age until its last burst. Bursts of
 * several requests may interleave where timing (t_ccdl) makes the older one wait.
 * MODEL: nothing limits how often younger row hits pass an older request: while hits to the open
 * row keep arriving, a request for another row of that bank starves, as in the original FR-FCFS.
 * MODEL: reads and writes share one queue and one age; nothing is forwarded from a queued write to
 * a read of the same place (the L2 slice in front never has both outstanding). */
#include "dram/dram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/occupancy.h"
#include "dram/dram_timing.h"

enum { N_PLACES = 64 };

/* For what nearly every request goes through. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

struct waiting {
    uint64_t tag, pushed_at;
    uint32_t row, bytes, bursts_left;
    uint8_t bank;
    bool write, opened_row; /* an activate was given for it */
};

struct bank {
    struct bank_timing timing;
    uint64_t places; /* of its requests */
    uint32_t row;    /* that is open, if one is */
    uint32_t group;
};

/* The next command: when, which, and for whom. */
struct plan {
    uint64_t at; /* ~0 = nothing to do */
    enum dram_command_kind kind;
    uint32_t place;
};

/* Requests that are done or will be at a known time, in that order; a ring. */
struct done_queue {
    struct dram_done *items;
    uint32_t head, n, cap;
};

struct dram {
    struct dram_config config;
    uint32_t burst_bytes;
    struct dram_timing timing;
    struct plan plan;

    struct waiting line[N_PLACES];
    uint32_t line_end;      /* the next request's place */
    uint64_t used, writes;  /* places of requests; of writes among them */
    uint64_t hits;          /* ... whose row is open */
    uint64_t closed, stale; /* ... whose bank has no open row; has one that nobody waits for */

    struct bank banks[DRAM_MAX_BANKS];
    uint64_t open_banks;

    struct done_queue done;
    struct occupancy queue;
    struct dram_stats stats;
    void (*observer)(void *user, const struct dram_command *c);
    void *observer_user;
};

static uint64_t bit(uint32_t i)
{
    return UINT64_C(1) << i;
}

static uint32_t lowest(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct dram *dram_create(const struct dram_config *config)
{
    assert(config->n_banks >= 1 && config->n_banks <= DRAM_MAX_BANKS);
    assert(config->queue_entries >= 1 && config->queue_entries <= N_PLACES);
    assert(config->burst_cycles >= 1 && config->bus_bytes_per_cycle >= 1);
    struct dram *d = xcalloc(1, sizeof *d);
    d->config = *config;
    d->burst_bytes = config->burst_cycles * config->bus_bytes_per_cycle;
    timing_init(&d->timing, config);
    d->plan.at = UINT64_MAX;
    for (uint32_t i = 0; i < config->n_banks; i++)
        d->banks[i].group = i % config->n_bank_groups;
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d)
        return;
    free(d->done.items);
    free(d);
}

/* --- what comes next --- */

/* When the channel and a bank allow a command of that kind. */
static inline uint64_t channel_allows(const struct dram *d, enum dram_command_kind kind)
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

static inline uint64_t bank_allows(const struct dram *d, const struct bank *b,
                                   enum dram_command_kind kind)
{
    switch (kind) {
    case DRAM_ACTIVATE:
        return b->timing.activate_at;
    case DRAM_PRECHARGE:
        return b->timing.precharge_at;
    case DRAM_READ:
    case DRAM_WRITE:
        break;
    }
    return max_u64(b->timing.column_at, d->timing.group_at[b->group]);
}

/* Looks among the requests at these places, oldest first, for a command of that kind that can be
 * given, from `floor` on, before the best so far, or then and for an older request. Compiled once
 * for each kind. */
static ALWAYS_INLINE void consider(const struct dram *d, struct plan *best,
                                   enum dram_command_kind kind, uint64_t places, uint64_t floor)
{
    floor = max_u64(floor, channel_allows(d, kind));
    while (places && floor <= best->at) {
        uint32_t place = lowest(places);
        const struct bank *b = &d->banks[d->line[place].bank];
        uint64_t at = max_u64(floor, bank_allows(d, b, kind));
        if (at < best->at || (at == best->at && place < best->place))
            *best = (struct plan){.at = at, .kind = kind, .place = place};
        if (at == floor) /* those behind are no earlier */
            return;
        places &= ~b->places;
    }
}

/* The first read or write at or after `floor` for requests at these places. */
static ALWAYS_INLINE struct plan plan_column(const struct dram *d, uint64_t places, uint64_t floor)
{
    struct plan best = {.at = UINT64_MAX, .place = N_PLACES};
    uint64_t writes = places & d->writes, reads = places & ~writes;
    if (!writes) {
        consider(d, &best, DRAM_READ, reads, floor);
    } else if (d->timing.column_at[0] <= d->timing.column_at[1]) {
        /* The way the bus is turned comes first: most often the other then need not be looked at.
         */
        consider(d, &best, DRAM_READ, reads, floor);
        consider(d, &best, DRAM_WRITE, writes, floor);
    } else {
        consider(d, &best, DRAM_WRITE, writes, floor);
        consider(d, &best, DRAM_READ, reads, floor);
    }
    return best;
}

/* Plans the first command at or after `floor` for requests at these places: those whose row is
 * open, whose bank is closed, whose bank's row nobody waits for. */
static ALWAYS_INLINE void plan_among(struct dram *d, uint64_t hits, uint64_t closed, uint64_t stale,
                                     uint64_t floor)
{
    struct plan column = plan_column(d, hits, floor);
    d->plan = column;
    if (column.at <= floor || !(closed | stale))
        return; /* of one cycle's commands, a read or write wins */
    struct plan row = {.at = column.at, .place = 0}; /* none is before that one */
    consider(d, &row, DRAM_ACTIVATE, closed, floor);
    consider(d, &row, DRAM_PRECHARGE, stale, floor);
    if (row.at < column.at)
        d->plan = row;
}

static __attribute__((noinline)) void plan_for_oldest(struct dram *d, uint64_t floor)
{
    uint64_t oldest = d->used & -d->used, hits = d->hits & oldest, closed = d->closed & oldest;
    plan_among(d, hits, closed, oldest & ~hits & ~closed, floor);
}

/* Plans the first command at or after `floor`. */
static ALWAYS_INLINE void make_plan(struct dram *d, uint64_t floor)
{
    if (!d->used)
        d->plan.at = UINT64_MAX;
    else if (d->config.scheduler == DRAM_FCFS)
        plan_for_oldest(d, floor);
    else
        plan_among(d, d->hits, d->closed, d->stale, floor);
}

static __attribute__((noinline)) void plan_anew(struct dram *d, uint64_t floor)
{
    make_plan(d, floor);
}

/* --- the queue --- */

bool dram_has_room(const struct dram *d)
{
    return d->queue.n < d->config.queue_entries;
}

static bool is_open(const struct dram *d, uint32_t bank)
{
    return d->open_banks & bit(bank);
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

static void mask_shift(uint64_t *places, uint32_t gap, uint32_t len)
{
    uint64_t before = bit(gap) - 1;
    *places = (*places & before) | (*places >> len & ~before);
}

/* The line has reached its last place: those behind the first gap that served requests have left
 * move up. */
static __attribute__((noinline)) void close_gap(struct dram *d)
{
    uint32_t gap = lowest(~d->used);
    uint64_t behind = d->used >> gap;
    uint32_t len = behind ? lowest(behind) : N_PLACES - gap;
    memmove(d->line + gap, d->line + gap + len, (N_PLACES - gap - len) * sizeof d->line[0]);
    d->line_end -= len;
    if (d->plan.place > gap)
        d->plan.place -= len;
    mask_shift(&d->used, gap, len);
    mask_shift(&d->writes, gap, len);
    mask_shift(&d->hits, gap, len);
    mask_shift(&d->closed, gap, len);
    mask_shift(&d->stale, gap, len);
    for (uint32_t bank = 0; bank < d->config.n_banks; bank++)
        mask_shift(&d->banks[bank].places, gap, len);
}

/* Can a request that came in just now change what is planned? Not what is due, nor a read or write
 * in the next cycle: it is for an older one. Nor anything if its turn has not come. */
static bool plan_is_firm(const struct dram *d, uint64_t now)
{
    if (d->config.scheduler == DRAM_FCFS && d->queue.n > 1)
        return true;
    return d->plan.at <= now || (d->plan.at == now + 1 && d->plan.kind >= DRAM_READ);
}

/* The newest request may have its command of that kind. What is planned is still the best for those
 * before it, and goes first in the same cycle unless it is for a row and this one is not. */
static ALWAYS_INLINE void plan_newest(struct dram *d, enum dram_command_kind kind, uint32_t place,
                                      const struct bank *b, uint64_t now)
{
    uint64_t at = max_u64(channel_allows(d, kind), bank_allows(d, b, kind));
    at = max_u64(at, now + 1);
    bool overtakes = kind >= DRAM_READ && d->plan.kind < DRAM_READ;
    if (at < d->plan.at || (at == d->plan.at && overtakes))
        d->plan = (struct plan){.at = at, .kind = kind, .place = place};
}

/* The newest request finds its row open. */
static void enter_open_row(struct dram *d, struct bank *b, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    d->hits |= bit(place);
    d->stale &= ~b->places;
    if (plan_is_firm(d, now))
        return;
    if (d->plan.kind == DRAM_PRECHARGE && d->line[d->plan.place].bank == w->bank)
        plan_anew(d, now + 1); /* not any more */
    else if (w->write)
        plan_newest(d, DRAM_WRITE, place, b, now);
    else
        plan_newest(d, DRAM_READ, place, b, now);
}

/* It does not; a command for its bank is its own only if no older one waits there. */
static void enter_other_row(struct dram *d, struct bank *b, uint32_t place, uint64_t now)
{
    bool open = is_open(d, d->line[place].bank);
    bool first = b->places == bit(place);
    if (!open)
        d->closed |= bit(place);
    else if (!(d->hits & b->places))
        d->stale |= bit(place);
    if (!first || plan_is_firm(d, now))
        return;
    if (open)
        plan_newest(d, DRAM_PRECHARGE, place, b, now);
    else
        plan_newest(d, DRAM_ACTIVATE, place, b, now);
}

void dram_push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    assert(dram_has_room(d) && r->bank < d->config.n_banks && r->bytes > 0);
    if (d->used == 0)
        d->line_end = 0;
    else if (d->line_end == N_PLACES)
        close_gap(d);
    uint32_t place = d->line_end++;
    d->line[place] = (struct waiting){
        .tag = r->tag,
        .pushed_at = now,
        .row = r->row,
        .bytes = r->bytes,
        .bursts_left = (r->bytes + d->burst_bytes - 1) / d->burst_bytes,
        .bank = (uint8_t)r->bank,
        .write = r->write,
    };
    struct bank *b = &d->banks[r->bank];
    d->used |= bit(place);
    d->writes |= (uint64_t)r->write << place;
    b->places |= bit(place);
    occupancy_add(&d->queue, now, 1);
    if (b->row == r->row && is_open(d, r->bank))
        enter_open_row(d, b, place, now);
    else
        enter_other_row(d, b, place, now);
}

/* --- what is done --- */

static __attribute__((noinline)) void done_grow(struct done_queue *q)
{
    uint32_t cap = q->cap ? 2 * q->cap : 16;
    struct dram_done *items = xcalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < q->n; i++)
        items[i] = q->items[(q->head + i) & (q->cap - 1)];
    free(q->items);
    *q = (struct done_queue){.items = items, .n = q->n, .cap = cap};
}

/* A write may be done before reads whose commands came before its own. */
static ALWAYS_INLINE void done_insert(struct done_queue *q, struct dram_done done)
{
    if (q->n == q->cap)
        done_grow(q);
    uint32_t mask = q->cap - 1, at = q->head + q->n++;
    for (; done.write && at != q->head && q->items[(at - 1) & mask].at > done.at; at--)
        q->items[at & mask] = q->items[(at - 1) & mask];
    q->items[at & mask] = done;
}

bool dram_pop(struct dram *d, uint64_t now, struct dram_done *out)
{
    struct done_queue *q = &d->done;
    if (!q->n || q->items[q->head].at > now)
        return false;
    *out = q->items[q->head];
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;
    return true;
}

/* --- commands --- */

static __attribute__((noinline)) void give_activate(struct dram *d, struct waiting *w, uint64_t now)
{
    struct bank *b = &d->banks[w->bank];
    timing_activate(&d->timing, &b->timing, &d->config, now);
    b->row = w->row;
    d->open_banks |= bit(w->bank);
    for (uint64_t places = b->places; places; places &= places - 1)
        if (d->line[lowest(places)].row == w->row)
            d->hits |= places & -places;
    sort_bank(d, w->bank);
    w->opened_row = true;
    d->stats.activates++;
}

static __attribute__((noinline)) void give_precharge(struct dram *d, const struct waiting *w,
                                                     uint64_t now)
{
    struct bank *b = &d->banks[w->bank];
    timing_precharge(&b->timing, &d->config, now);
    d->open_banks &= ~bit(w->bank);
    d->hits &= ~b->places;
    sort_bank(d, w->bank);
    d->stats.precharges++;
}

/* The last burst of a request has been commanded: it leaves the queue. */
static ALWAYS_INLINE void leave(struct dram *d, struct bank *b, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    bool write = w->write;
    uint64_t keep = ~bit(place);
    d->used &= keep;
    d->writes &= keep;
    d->hits &= keep;
    b->places &= keep;
    if (!(d->hits & b->places))
        d->stale |= b->places;
    uint64_t at = write ? now : now + d->config.t_cl + d->config.burst_cycles;
    done_insert(&d->done, (struct dram_done){.at = at, .tag = w->tag, .write = write});

    occupancy_remove(&d->queue, now, 1);
    d->stats.queue_area = occupancy_area(&d->queue);
    d->stats.queue_stays += now - w->pushed_at;
    d->stats.reads += !write;
    d->stats.writes += write;
    d->stats.row_hits += !w->opened_row;
    d->stats.bytes += w->bytes;
}

static ALWAYS_INLINE void give_column(struct dram *d, uint32_t place, uint64_t now)
{
    struct waiting *w = &d->line[place];
    struct bank *b = &d->banks[w->bank];
    if (w->write)
        timing_column(&d->timing, &b->timing, b->group, &d->config, true, now);
    else
        timing_column(&d->timing, &b->timing, b->group, &d->config, false, now);
    d->stats.busy_cycles += d->config.burst_cycles;
    if (--w->bursts_left == 0)
        leave(d, b, place, now);
}

static __attribute__((noinline)) void tell_observer(const struct dram *d)
{
    const struct waiting *w = &d->line[d->plan.place];
    struct dram_command c = {d->plan.at, d->plan.kind, w->bank, w->row, w->tag};
    d->observer(d->observer_user, &c);
}

void dram_advance(struct dram *d, uint64_t before)
{
    while (d->plan.at < before) {
        uint64_t now = d->plan.at;
        uint32_t place = d->plan.place;
        if (d->observer)
            tell_observer(d);
        if (d->plan.kind >= DRAM_READ)
            give_column(d, place, now);
        else if (d->plan.kind == DRAM_ACTIVATE)
            give_activate(d, &d->line[place], now);
        else
            give_precharge(d, &d->line[place], now);
        make_plan(d, now + 1);
    }
}

void dram_tick(struct dram *d, uint64_t now)
{
    assert(now <= d->plan.at); /* else a cycle that dram_next() named was left out */
    dram_advance(d, now + 1);
}

uint64_t dram_first_done(const struct dram *d)
{
    return d->done.n ? d->done.items[d->done.head].at : UINT64_MAX;
}

uint64_t dram_next(const struct dram *d, uint64_t now)
{
    uint64_t done = dram_first_done(d);
    return max_u64(d->plan.at < done ? d->plan.at : done, now);
}

uint64_t dram_next_command(const struct dram *d)
{
    return d->plan.at;
}

/* --- what others see --- */

bool dram_is_idle(const struct dram *d)
{
    return d->used == 0 && d->done.n == 0;
}

const struct dram_stats *dram_stats(const struct dram *d)
{
    return &d->stats;
}

void dram_observe(struct dram *d, void (*observer)(void *user, const struct dram_command *c),
                  void *user)
{
    d->observer = observer;
    d->observer_user = user;
}

void dram_describe_wait(const struct dram *d, struct strbuf *out)
{
    static const char *const names[] = {"activate", "precharge", "read", "write"};
    if (dram_is_idle(d))
        return;
    strbuf_addf(out, "DRAM: %llu of %u queue entries in use, %u requests to be handed on",
                (unsigned long long)d->queue.n, d->config.queue_entries, d->done.n);
    if (d->used) {
        const struct plan *plan = &d->plan;
        const struct waiting *w = &d->line[plan->place];
        strbuf_addf(out, "; next command at cycle %llu: %s bank %u row %u",
                    (unsigned long long)plan->at, names[plan->kind], w->bank, w->row);
    }
    strbuf_add_char(out, '\n');
}
