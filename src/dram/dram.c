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
    d->done.cap = 16;
    d->done.items = xcalloc(d->done.cap, sizeof *d->done.items);
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
    return d->queue.n < d->config.queue_entries;
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

/* The line has reached its last place: those behind the first gap that served requests have left
 * move up. */
static __attribute__((noinline)) void close_gap(struct dram *d)
{
    uint32_t gap = lowest(~d->used);
    uint64_t behind = d->used >> gap;
    uint32_t len = behind ? lowest(behind) : N_PLACES - gap;
    memmove(d->line + gap, d->line + gap + len, (N_PLACES - gap - len) * sizeof d->line[0]);
    memmove(d->bank_of + gap, d->bank_of + gap + len, N_PLACES - gap - len);
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

/* The line's next place is free. */
static ALWAYS_INLINE void enter(struct dram *d, const struct dram_request *r, uint64_t now)
{
    uint32_t place = d->line_end++, bank = r->bank;
    struct waiting *w = &d->line[place];
    struct bank *b = &d->banks[bank];
    w->request = *r;
    w->pushed_at = now;
    w->bursts_left = (r->bytes + d->burst_bytes - 1) / d->burst_bytes;
    w->opened_row = false;
    d->bank_of[place] = (uint8_t)bank;
    d->used |= bit(place);
    d->writes |= (uint64_t)r->write << place;
    b->places |= bit(place);
    occupancy_add(&d->queue, now, 1);
    if (b->open_row == r->row)
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
    if (d->used == 0)
        d->line_end = 0;
    if (d->line_end == N_PLACES)
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
    uint32_t n = q->end - q->first;
    if (2 * n < q->cap) { /* most of them have been taken */
        memmove(q->items, q->items + q->first, n * sizeof *q->items);
    } else {
        struct dram_done *items = xalloc(2 * q->cap, sizeof *items);
        memcpy(items, q->items + q->first, n * sizeof *items);
        free(q->items);
        q->items = items;
        q->cap *= 2;
    }
    q->first = 0;
    q->end = n;
}

/* A write may be done before reads whose commands came before its own. */
static ALWAYS_INLINE void done_insert(struct done_queue *q, struct dram_done done)
{
    if (q->end == q->cap)
        done_make_room(q);
    uint32_t at = q->end++;
    for (; done.write && at != q->first && q->items[at - 1].at > done.at; at--)
        q->items[at] = q->items[at - 1];
    q->items[at] = done;
}

uint64_t dram_first_done(const struct dram *d)
{
    const struct done_queue *q = &d->done;
    return q->first != q->end ? q->items[q->first].at : UINT64_MAX;
}

bool dram_pop(struct dram *d, uint64_t now, struct dram_done *out)
{
    if (dram_first_done(d) > now || d->done.first == d->done.end)
        return false;
    *out = d->done.items[d->done.first++];
    return true;
}

uint32_t dram_take_done(struct dram *d, const struct dram_done **done)
{
    struct done_queue *q = &d->done;
    uint32_t n = q->end - q->first;
    *done = q->items + q->first;
    q->first = q->end = 0;
    return n;
}

/* --- commands --- */

static __attribute__((noinline)) void give_activate(struct dram *d, uint32_t place, uint64_t now)
{
    uint32_t bank = d->bank_of[place], row = d->line[place].request.row;
    struct bank *b = &d->banks[bank];
    timing_activate(&d->timing, bank, &b->timing, &d->config, now);
    b->open_row = row;
    for (uint64_t places = b->places; places; places &= places - 1)
        if (d->line[lowest(places)].request.row == row)
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

/* The last burst of a request has been commanded: it leaves the queue. True if nobody waits for its
 * row any more, but somebody for another one of its bank. */
static ALWAYS_INLINE bool leave(struct dram *d, bool write, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    struct bank *b = &d->banks[d->bank_of[place]];
    d->used &= ~bit(place);
    if (write)
        d->writes &= ~bit(place);
    uint64_t at = write ? now : now + d->read_cycles;
    done_insert(&d->done, (struct dram_done){.at = at, .tag = w->request.tag, .write = write});

    occupancy_remove(&d->queue, now, 1);
    d->stats.queue_area = occupancy_area(&d->queue);
    d->stats.queue_stays += now - w->pushed_at;
    *(write ? &d->stats.writes : &d->stats.reads) += 1;
    d->stats.row_hits += !w->opened_row;
    d->stats.bytes += w->request.bytes;
    timing_last_column(&d->timing, &b->timing, &d->config, write, now);
    uint64_t places = b->places & ~bit(place), hits = d->hits & ~bit(place);
    b->places = places;
    d->hits = hits;
    if (hits & places || !places)
        return false;
    d->stale |= places;
    return true;
}

/* One burst; as leave(). */
static ALWAYS_INLINE bool give_burst(struct dram *d, bool write, uint32_t place, uint64_t now)
{
    timing_burst(&d->timing, d->bank_of[place], now);
    d->stats.busy_cycles += d->config.burst_cycles;
    return --d->line[place].bursts_left == 0 && leave(d, write, place, now);
}

static __attribute__((noinline)) void
tell_observer(const struct dram *d, enum dram_command_kind kind, uint32_t place, uint64_t now)
{
    const struct waiting *w = &d->line[place];
    struct dram_command c = {now, kind, d->bank_of[place], w->request.row, w->request.tag};
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
        give_burst(d, kind == DRAM_WRITE, place, now);
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
        bool new_row = give_burst(d, write, place, now);
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

static __attribute__((noinline)) void give_writes(struct dram *d, uint64_t before)
{
    give_stream(d, true, before);
}

void dram_advance(struct dram *d, uint64_t before)
{
    while (d->plan.at < before) {
        if (d->plan.kind < DRAM_READ || d->config.scheduler == DRAM_FCFS)
            dram_tick(d, d->plan.at);
        else if (d->plan.kind == DRAM_READ)
            give_stream(d, false, before);
        else
            give_writes(d, before);
    }
}

static ALWAYS_INLINE bool try_push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    if (!dram_has_room(d))
        return false;
    push(d, r, now);
    return true;
}

static __attribute__((noinline)) bool enter_late(struct dram *d, const struct dram_request *r,
                                                 uint64_t before, uint64_t now)
{
    dram_advance(d, before);
    return try_push(d, r, now);
}

bool dram_enter(struct dram *d, const struct dram_request *r, uint64_t before, uint64_t now)
{
    return d->plan.at < before ? enter_late(d, r, before, now) : try_push(d, r, now);
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

uint32_t dram_n_read(const struct dram *d)
{
    uint32_t n = 0;
    for (uint32_t i = d->done.first; i < d->done.end; i++)
        n += !d->done.items[i].write;
    return n;
}

void dram_describe_wait(const struct dram *d, struct strbuf *out)
{
    static const char *const names[] = {"activate", "precharge", "read", "write"};
    if (!d->used)
        return;
    const struct plan *plan = &d->plan;
    strbuf_addf(out,
                "DRAM: %llu of %u queue entries in use; next command at cycle %llu: %s bank %u row "
                "%u\n",
                (unsigned long long)d->queue.n, d->config.queue_entries,
                (unsigned long long)plan->at, names[plan->kind], d->bank_of[plan->place],
                d->line[plan->place].request.row);
}
