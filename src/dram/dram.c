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

struct waiting {
    struct dram_request r;
    uint64_t pushed_at;
    uint32_t bursts_left;
    bool opened_row; /* an activate was given for it */
};

struct bank {
    struct bank_timing timing;
    uint32_t row; /* that is open, if one is */
    uint32_t group;
};

/* The next command: when, which, and for whom. */
struct plan {
    uint64_t at; /* ~0 = nothing to do */
    enum dram_command_kind kind;
    uint32_t place;
};

struct done {
    struct dram_request r;
    uint64_t at;
};

/* Requests that are done or will be at a known time, in that order; a ring. */
struct done_queue {
    struct done *items;
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
    uint64_t of_bank[DRAM_MAX_BANKS]; /* places of its requests */
    uint64_t open_banks;

    struct done_queue done[2 /* write? */];
    uint64_t next_done; /* when the first of both is done; ~0 = none is on its way */
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
    d->plan.at = d->next_done = UINT64_MAX;
    for (uint32_t i = 0; i < config->n_banks; i++)
        d->banks[i].group = i % config->n_bank_groups;
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d)
        return;
    free(d->done[0].items);
    free(d->done[1].items);
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
static inline __attribute__((always_inline)) void consider(const struct dram *d, struct plan *best,
                                                           enum dram_command_kind kind,
                                                           uint64_t places, uint64_t floor)
{
    floor = max_u64(floor, channel_allows(d, kind));
    while (places && floor <= best->at) {
        uint32_t place = lowest(places), bank = d->line[place].r.bank;
        uint64_t at = max_u64(floor, bank_allows(d, &d->banks[bank], kind));
        if (at < best->at || (at == best->at && place < best->place))
            *best = (struct plan){.at = at, .kind = kind, .place = place};
        if (at == floor) /* those behind are no earlier */
            return;
        places &= ~d->of_bank[bank];
    }
}

/* Plans the first command at or after `floor`. */
static void make_plan(struct dram *d, uint64_t floor)
{
    uint64_t hits = d->hits, closed = d->closed, stale = d->stale;
    if (d->config.scheduler == DRAM_FCFS) {
        uint64_t oldest = d->used & -d->used;
        hits &= oldest;
        closed &= oldest;
        stale = oldest & ~hits & ~closed;
    }
    struct plan column = {.at = UINT64_MAX, .place = N_PLACES};
    /* The way the bus is turned comes first: most often the other then need not be looked at. */
    if (d->timing.column_at[0] <= d->timing.column_at[1]) {
        consider(d, &column, DRAM_READ, hits & ~d->writes, floor);
        consider(d, &column, DRAM_WRITE, hits & d->writes, floor);
    } else {
        consider(d, &column, DRAM_WRITE, hits & d->writes, floor);
        consider(d, &column, DRAM_READ, hits & ~d->writes, floor);
    }
    d->plan = column;
    if (column.at <= floor || !(closed | stale))
        return; /* of one cycle's commands, a read or write wins */
    struct plan row = {.at = column.at, .place = 0}; /* none is before that one */
    consider(d, &row, DRAM_ACTIVATE, closed, floor);
    consider(d, &row, DRAM_PRECHARGE, stale, floor);
    if (row.at < column.at)
        d->plan = row;
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

/* After a change to a bank or its requests: which of them need a row opened or closed. */
static void sort_bank(struct dram *d, uint32_t bank)
{
    uint64_t places = d->of_bank[bank];
    d->closed &= ~places;
    d->stale &= ~places;
    if (!is_open(d, bank))
        d->closed |= places;
    else if (!(d->hits & places))
        d->stale |= places;
}

static void place_mark(struct dram *d, uint32_t place)
{
    const struct dram_request *r = &d->line[place].r;
    d->used |= bit(place);
    d->of_bank[r->bank] |= bit(place);
    if (r->write)
        d->writes |= bit(place);
    if (is_open(d, r->bank) && d->banks[r->bank].row == r->row)
        d->hits |= bit(place);
}

static void place_clear(struct dram *d, uint32_t place)
{
    uint64_t keep = ~bit(place);
    d->used &= keep;
    d->of_bank[d->line[place].r.bank] &= keep;
    d->writes &= keep;
    d->hits &= keep;
    d->closed &= keep;
    d->stale &= keep;
}

static void mask_shift(uint64_t *places, uint32_t gap, uint32_t len)
{
    uint64_t before = bit(gap) - 1;
    *places = (*places & before) | (*places >> len & ~before);
}

/* The line has reached its last place: those behind the first gap that served requests have left
 * move up. */
static void close_gap(struct dram *d)
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
        mask_shift(&d->of_bank[bank], gap, len);
}

/* Can a request that came in just now change what is planned? Not what is due, nor a read or write
 * in the next cycle: it is for an older one. */
static bool plan_is_firm(const struct dram *d, uint64_t now)
{
    return d->plan.at <= now || (d->plan.at == now + 1 && d->plan.kind >= DRAM_READ);
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
        .r = *r,
        .pushed_at = now,
        .bursts_left = (r->bytes + d->burst_bytes - 1) / d->burst_bytes,
    };
    place_mark(d, place);
    sort_bank(d, r->bank);
    occupancy_add(&d->queue, now, 1);
    if (!plan_is_firm(d, now))
        make_plan(d, now + 1);
}

/* --- what is done --- */

static void done_grow(struct done_queue *q)
{
    uint32_t cap = q->cap ? 2 * q->cap : 16;
    struct done *items = xcalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < q->n; i++)
        items[i] = q->items[(q->head + i) & (q->cap - 1)];
    free(q->items);
    *q = (struct done_queue){.items = items, .n = q->n, .cap = cap};
}

static void done_append(struct dram *d, const struct dram_request *r, uint64_t at)
{
    struct done_queue *q = &d->done[r->write];
    if (q->n == q->cap)
        done_grow(q);
    q->items[(q->head + q->n++) & (q->cap - 1)] = (struct done){.r = *r, .at = at};
    if (at < d->next_done)
        d->next_done = at;
}

/* When the first of them is done; ~0 if there is none. */
static uint64_t done_at(const struct done_queue *q)
{
    return q->n > 0 ? q->items[q->head].at : UINT64_MAX;
}

bool dram_pop(struct dram *d, uint64_t now, struct dram_request *out)
{
    if (now < d->next_done || d->next_done == UINT64_MAX)
        return false;
    struct done_queue *q = &d->done[done_at(&d->done[1]) < done_at(&d->done[0])];
    *out = q->items[q->head].r;
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;
    uint64_t read_at = done_at(&d->done[0]), write_at = done_at(&d->done[1]);
    d->next_done = read_at < write_at ? read_at : write_at;
    return true;
}

/* --- commands --- */

static void give_activate(struct dram *d, struct waiting *w, uint64_t now)
{
    uint32_t bank = w->r.bank, row = w->r.row;
    timing_activate(&d->timing, &d->banks[bank].timing, &d->config, now);
    d->banks[bank].row = row;
    d->open_banks |= bit(bank);
    for (uint64_t places = d->of_bank[bank]; places; places &= places - 1)
        if (d->line[lowest(places)].r.row == row)
            d->hits |= places & -places;
    sort_bank(d, bank);
    w->opened_row = true;
    d->stats.activates++;
}

static void give_precharge(struct dram *d, const struct waiting *w, uint64_t now)
{
    uint32_t bank = w->r.bank;
    timing_precharge(&d->banks[bank].timing, &d->config, now);
    d->open_banks &= ~bit(bank);
    d->hits &= ~d->of_bank[bank];
    sort_bank(d, bank);
    d->stats.precharges++;
}

/* The last burst of a request has been commanded: it leaves the queue. */
static void leave(struct dram *d, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    bool write = w->r.write;
    place_clear(d, place);
    sort_bank(d, w->r.bank);
    done_append(d, &w->r, write ? now : now + d->config.t_cl + d->config.burst_cycles);

    occupancy_remove(&d->queue, now, 1);
    d->stats.queue_area = occupancy_area(&d->queue);
    d->stats.queue_stays += now - w->pushed_at;
    d->stats.reads += !write;
    d->stats.writes += write;
    d->stats.row_hits += !w->opened_row;
    d->stats.bytes += w->r.bytes;
}

static void give_column(struct dram *d, uint32_t place, uint64_t now)
{
    struct waiting *w = &d->line[place];
    struct bank *b = &d->banks[w->r.bank];
    timing_column(&d->timing, &b->timing, b->group, &d->config, w->r.write, now);
    d->stats.busy_cycles += d->config.burst_cycles;
    if (--w->bursts_left == 0)
        leave(d, place, now);
}

static void tell_observer(const struct dram *d)
{
    const struct dram_request *r = &d->line[d->plan.place].r;
    struct dram_command c = {d->plan.at, d->plan.kind, r->bank, r->row, r->tag};
    d->observer(d->observer_user, &c);
}

void dram_tick(struct dram *d, uint64_t now)
{
    if (now < d->plan.at)
        return;
    assert(now == d->plan.at); /* else a cycle that dram_next() named was left out */
    if (d->observer)
        tell_observer(d);
    struct waiting *w = &d->line[d->plan.place];
    switch (d->plan.kind) {
    case DRAM_ACTIVATE:
        give_activate(d, w, now);
        break;
    case DRAM_PRECHARGE:
        give_precharge(d, w, now);
        break;
    case DRAM_READ:
    case DRAM_WRITE:
        give_column(d, d->plan.place, now);
        break;
    }
    make_plan(d, now + 1);
}

void dram_advance(struct dram *d, uint64_t before)
{
    while (d->plan.at < before)
        dram_tick(d, d->plan.at);
}

uint64_t dram_first_done(const struct dram *d)
{
    return d->next_done;
}

uint64_t dram_next(const struct dram *d, uint64_t now)
{
    return max_u64(d->plan.at < d->next_done ? d->plan.at : d->next_done, now);
}

/* --- what others see --- */

bool dram_is_idle(const struct dram *d)
{
    return d->used == 0 && d->done[0].n == 0 && d->done[1].n == 0;
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
    strbuf_addf(
        out, "DRAM: %llu of %u queue entries in use, %u reads and %u writes to be handed on",
        (unsigned long long)d->queue.n, d->config.queue_entries, d->done[0].n, d->done[1].n);
    if (d->used) {
        const struct plan *plan = &d->plan;
        const struct dram_request *r = &d->line[plan->place].r;
        strbuf_addf(out, "; next command at cycle %llu: %s bank %u row %u",
                    (unsigned long long)plan->at, names[plan->kind], r->bank, r->row);
    }
    strbuf_add_char(out, '\n');
}
