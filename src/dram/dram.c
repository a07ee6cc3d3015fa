/* A DRAM channel's controller: FR-FCFS (Rixner et al., ISCA 2000, "first ready") over one queue.
 * dram.h states the order of preference, dram_timing.h when a command is allowed.
 *
 * Each command is planned as soon as the one before is given (dram_plan.h): with the queue as it
 * is, both its cycle and the choice are known. A tick before that cycle has nothing to do, so
 * leaving it out changes nothing; a request that comes in may change the plan.
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
#include "dram/dram_plan.h"

struct dram *dram_create(const struct dram_config *config)
{
    assert(config->n_banks >= 1 && config->n_banks <= DRAM_MAX_BANKS);
    assert(config->queue_entries >= 1 && config->queue_entries <= N_PLACES);
    assert(config->burst_cycles >= 1 && config->bus_bytes_per_cycle >= 1);
    struct dram *d = xcalloc(1, sizeof *d);
    d->config = *config;
    d->burst_bytes = config->burst_cycles * config->bus_bytes_per_cycle;
    d->read_cycles = config->t_cl + config->burst_cycles;
    timing_init(&d->timing, config);
    d->plan.at = UINT64_MAX;
    for (uint32_t i = 0; i < config->n_banks; i++)
        d->banks[i].open_row = NO_ROW;
    d->done.items = d->done.first = d->done.end = xcalloc(FIRST_DONE, sizeof *d->done.items);
    d->done.limit = d->done.items + FIRST_DONE;
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d)
        return;
    free(d->done.items);
    free(d);
}

static __attribute__((noinline)) void plan_anew(struct dram *d, uint64_t floor)
{
    make_plan(d, floor);
}

/* --- the queue --- */

bool dram_has_room(const struct dram *d)
{
    return d->n_waiting < d->config.queue_entries;
}

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

static void mask_shift(uint64_t *places, uint32_t gap, uint32_t len)
{
    uint64_t before = bit(gap) - 1;
    *places = (*places & before) | (*places >> len & ~before);
}

/* The line has become as long as the queue: those behind the first gap that served requests have
 * left move up. */
static __attribute__((noinline)) void close_gap(struct dram *d)
{
    uint32_t gap = lowest(~d->used);
    uint64_t behind = d->used >> gap;
    uint32_t len = behind ? lowest(behind) : d->line_end - gap, n_behind = d->line_end - gap - len;
    memmove(d->line + gap, d->line + gap + len, n_behind * sizeof d->line[0]);
    memmove(d->bank_of + gap, d->bank_of + gap + len, n_behind);
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
    if (d->config.scheduler == DRAM_FCFS && d->n_waiting > 1)
        return true;
    return d->plan.at <= now || (d->plan.at == now + 1 && d->plan.kind >= DRAM_READ);
}

/* The newest request may have its command of that kind. What is planned is still the best for those
 * before it, and goes first in the same cycle unless it is for a row and this one is not. */
static ALWAYS_INLINE void plan_newest(struct dram *d, enum dram_command_kind kind, uint32_t place,
                                      uint64_t now)
{
    uint64_t at = max_u64(channel_allows(d, kind), bank_allows(d, d->bank_of[place], kind));
    at = max_u64(at, now + 1);
    bool overtakes = kind >= DRAM_READ && d->plan.kind < DRAM_READ;
    if (at < d->plan.at || (at == d->plan.at && overtakes))
        d->plan = (struct plan){.at = at, .kind = kind, .place = place};
}

/* The newest request finds its row open. */
static ALWAYS_INLINE void enter_open_row(struct dram *d, uint32_t place, bool write, uint64_t now)
{
    uint32_t bank = d->bank_of[place];
    d->hits |= bit(place);
    if (d->stale)
        d->stale &= ~d->banks[bank].places;
    if (plan_is_firm(d, now))
        return;
    if (d->plan.kind == DRAM_PRECHARGE && d->bank_of[d->plan.place] == bank)
        plan_anew(d, now + 1); /* not any more */
    else if (write)
        plan_newest(d, DRAM_WRITE, place, now);
    else
        plan_newest(d, DRAM_READ, place, now);
}

/* It does not; a command for its bank is its own only if no older one waits there. */
static __attribute__((noinline)) void enter_other_row(struct dram *d, uint32_t place, uint64_t now)
{
    uint32_t bank = d->bank_of[place];
    uint64_t places = d->banks[bank].places;
    bool open = is_open(d, bank), first = places == bit(place);
    if (!open)
        d->closed |= bit(place);
    else if (!(d->hits & places))
        d->stale |= bit(place);
    if (!first || plan_is_firm(d, now))
        return;
    if (open)
        plan_newest(d, DRAM_PRECHARGE, place, now);
    else
        plan_newest(d, DRAM_ACTIVATE, place, now);
}

/* It gets that place, and a bit in the masks of those who know what it waits for. */
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

/* The line's next place is free, or nobody is in it. */
static ALWAYS_INLINE void enter(struct dram *d, const struct dram_request *r, uint64_t now)
{
    uint32_t place = d->used ? d->line_end : 0;
    put_in_line(d, place, r, now);
    d->line_end = place + 1;
    d->n_waiting++;
    d->used |= bit(place);
    d->writes |= (uint64_t)r->write << place;
    if (d->banks[r->bank].open_row == r->row)
        enter_open_row(d, place, r->write, now);
    else
        enter_other_row(d, place, now);
}

static __attribute__((noinline)) void enter_after_gap(struct dram *d, const struct dram_request *r,
                                                      uint64_t now)
{
    close_gap(d);
    enter(d, r, now);
}

/* There is room. */
static ALWAYS_INLINE void push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    if (d->used && d->line_end == d->config.queue_entries)
        enter_after_gap(d, r, now);
    else
        enter(d, r, now);
}

void dram_push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    assert(dram_has_room(d) && r->bank < d->config.n_banks && r->bytes > 0);
    push(d, r, now);
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

uint64_t dram_first_done(const struct dram *d)
{
    const struct done_queue *q = &d->done;
    return q->first != q->end ? q->first->at : UINT64_MAX;
}

bool dram_pop(struct dram *d, uint64_t now, struct dram_done *out)
{
    if (dram_first_done(d) > now || d->done.first == d->done.end)
        return false;
    *out = *d->done.first++;
    return true;
}

uint32_t dram_take_done(struct dram *d, const struct dram_done **done)
{
    struct done_queue *q = &d->done;
    uint32_t n = (uint32_t)(q->end - q->first);
    *done = q->first;
    q->first = q->end = q->items;
    return n;
}

/* --- commands --- */

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
    d->n_opened_rows += !d->line[place].opened_row;
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

/* Gives the command that is planned, and plans the next one. */
static ALWAYS_INLINE void give_planned(struct dram *d)
{
    uint64_t now = d->plan.at;
    enum dram_command_kind kind = d->plan.kind;
    uint32_t place = d->plan.place;
    if (d->observer)
        tell_observer(d, kind, place, now);
    if (kind == DRAM_ACTIVATE) {
        give_activate(d, place, now);
    } else if (kind == DRAM_PRECHARGE) {
        give_precharge(d, place, now);
    } else {
        if (give_burst(d, kind == DRAM_WRITE, place, now))
            leave(d, kind == DRAM_WRITE, place);
        timing_columns(&d->timing, kind == DRAM_WRITE, now);
    }
    make_plan(d, now + 1);
}

/* --- reads and writes in a row --- */

/* The first read or write at or after `floor` of the requests at these places, and whose it is;
 * ~0 if there are none. */
static ALWAYS_INLINE uint64_t first_column(const struct dram *d, uint64_t places, uint64_t floor,
                                           uint32_t *whose)
{
    uint64_t first = UINT64_MAX;
    while (places) {
        uint32_t place = lowest(places), bank = d->bank_of[place];
        if (d->timing.bank_at[bank] <= floor &&
            d->timing.group_at[d->timing.group_of[bank]] <= floor) {
            *whose = place;
            return floor;
        }
        uint64_t at = bank_allows(d, bank, DRAM_READ);
        if (at < first) {
            first = at;
            *whose = place;
        }
        places &= ~d->banks[bank].places;
    }
    return first;
}

static __attribute__((noinline)) struct plan first_row(const struct dram *d, uint64_t floor)
{
    return plan_row(d, d->closed, d->stale, floor, UINT64_MAX);
}

/* Gives the read or write that is planned and those of its kind that come next, before that cycle.
 * Requests of the other kind need not be looked at until the bus could have turned, nor rows until
 * one of their commands is due or a bank has nothing more to read or write in its open one. */
static ALWAYS_INLINE void give_stream(struct dram *d, bool write, uint64_t before)
{
    const enum dram_command_kind kind = write ? DRAM_WRITE : DRAM_READ;
    const uint64_t others = d->hits & (write ? ~d->writes : d->writes);
    const uint64_t turn = others ? timing_turn(&d->timing, write) : UINT64_MAX;
    struct plan row = {.at = d->closed | d->stale ? 0 : UINT64_MAX};
    uint64_t now, next = d->plan.at;
    uint32_t place = d->plan.place;
    do {
        now = next;
        if (d->observer)
            tell_observer(d, kind, place, now);
        bool new_row = give_burst(d, write, place, now) && leave(d, write, place);
        if (new_row || row.at <= now)
            row = first_row(d, now + 1);
        next = first_column(d, d->hits & ~others, now + d->timing.same_kind, &place);
    } while (next < before && next <= row.at && next - now < turn);
    timing_columns(&d->timing, write, now);
    if (next - now >= turn)
        plan_anew(d, now + 1);
    else if (row.at < next)
        d->plan = row;
    else
        d->plan = (struct plan){.at = next, .kind = kind, .place = place};
}

/* Compiled once for each kind. */
static __attribute__((noinline)) void give_reads(struct dram *d, uint64_t before)
{
    give_stream(d, false, before);
}
static __attribute__((noinline)) void give_writes(struct dram *d, uint64_t before)
{
    give_stream(d, true, before);
}

/* --- reads alone --- */

/* Is there nothing to do but to read from rows that are open? Then there is one kind of command,
 * and the oldest request whose bank and group allow it is always next. */
static bool only_reads(const struct dram *d)
{
    return d->used == d->hits && !d->writes && d->config.scheduler == DRAM_FR_FCFS;
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

/* dram_advance() and dram_enter() as long as there is nothing else to do. */
static __attribute__((noinline)) void give_only_reads(struct dram *d, uint64_t before)
{
    struct reads r = begin_reads(d);
    read_until(d, &r, before);
    end_reads(d, &r);
}
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

/* --- commands in a row, and requests in between --- */

void dram_advance(struct dram *d, uint64_t before)
{
    while (d->plan.at < before) {
        if (d->plan.kind < DRAM_READ || d->config.scheduler == DRAM_FCFS)
            dram_tick(d, d->plan.at);
        else if (d->plan.kind == DRAM_WRITE)
            give_writes(d, before);
        else if (only_reads(d))
            give_only_reads(d, before);
        else
            give_reads(d, before);
    }
}

uint32_t dram_enter(struct dram *d, const struct dram_arrival *a, uint32_t n, uint64_t until)
{
    for (uint32_t i = 0; i < n; i++) {
        if (only_reads(d)) {
            i += enter_reads(d, a + i, n - i, until);
            if (i == n)
                return n;
        }
        if (a[i].from >= until)
            return i;
        dram_advance(d, a[i].now + !!a[i].between);
        if (!dram_has_room(d))
            return i;
        push(d, &a[i].request, a[i].now);
    }
    return n;
}

void dram_tick(struct dram *d, uint64_t now)
{
    assert(now <= d->plan.at); /* else a cycle that dram_next() named was left out */
    if (now == d->plan.at)
        give_planned(d);
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
    return d->used == 0 && d->done.first == d->done.end;
}

/* Requests in the queue, summed over the cycles until the last one left it. */
static uint64_t queue_area(const struct dram *d)
{
    uint64_t area = d->area;
    for (uint64_t places = d->used; places; places &= places - 1)
        area += max_u64(d->line[lowest(places)].pushed_at, d->left_at); /* when it would leave */
    return area;
}

/* Requests that have left the queue and had a row opened for them. */
static uint64_t n_opened_rows(const struct dram *d)
{
    uint64_t n = d->n_opened_rows;
    for (uint64_t places = d->used; places; places &= places - 1)
        n -= d->line[lowest(places)].opened_row;
    return n;
}

const struct dram_stats *dram_stats(struct dram *d)
{
    d->stats.row_hits = d->stats.reads + d->stats.writes - n_opened_rows(d);
    d->stats.busy_cycles = d->n_bursts * d->config.burst_cycles;
    d->stats.queue_area = queue_area(d);
    return &d->stats;
}

void dram_observe(struct dram *d, void (*observer)(void *user, const struct dram_command *c),
                  void *user)
{
    d->observer = observer;
    d->observer_user = user;
}

uint32_t dram_n_read(const struct dram *d)
{
    uint32_t n = 0;
    for (const struct dram_done *done = d->done.first; done != d->done.end; done++)
        n += !done->write;
    return n;
}

void dram_describe_wait(const struct dram *d, struct strbuf *out)
{
    static const char *const names[] = {"activate", "precharge", "read", "write"};
    if (!d->used)
        return;
    const struct plan *plan = &d->plan;
    strbuf_addf(out,
                "DRAM: %u of %u queue entries in use; next command at cycle %llu: %s bank %u row "
                "%u\n",
                d->n_waiting, d->config.queue_entries, (unsigned long long)plan->at,
                names[plan->kind], d->bank_of[plan->place], d->line[plan->place].row);
}
