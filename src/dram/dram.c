/* A DRAM channel's controller: FR-FCFS (Rixner et al., ISCA 2000, "first ready") over one queue.
 * dram.h states the order of preference, dram_timing.h when a command is allowed.
 *
 * Each command is planned as soon as the previous one is issued (dram_plan.h): the queue determines
 * both the choice and its cycle. A tick before that cycle has nothing to do and may be skipped; a
 * request that arrives may change the plan.
 *
 * MODEL: age is the order of arrival; a request keeps its age until its last burst. Bursts of
 * several requests may interleave where timing (t_ccdl) makes the older one wait. MODEL: nothing
 * limits how often younger row hits pass an older request: while hits to the open row keep
 * arriving, a request for another row of that bank starves, as in the original FR-FCFS. MODEL:
 * reads and writes share one queue and one age; nothing is forwarded from a queued write to a read
 * of the same location (the L2 slice in front never has both outstanding). */
#include "dram/dram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "dram/dram_reads.h"

struct dram *dram_create(const struct dram_config *config)
{
    assert(config->n_banks >= 1 && config->n_banks <= DRAM_MAX_BANKS);
    assert(config->queue_entries >= 1 && config->queue_entries <= N_QUEUE_SLOTS);
    assert(config->burst_cycles >= 1 && config->bus_bytes_per_cycle >= 1);
    struct dram *d = xcalloc(1, sizeof *d);
    d->config = *config;
    d->streams = config->scheduler == DRAM_FR_FCFS;
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

static __attribute__((noinline)) void replan(struct dram *d, uint64_t floor)
{
    dram_make_plan(d, floor);
}

/* --- the queue --- */

bool dram_has_room(const struct dram *d)
{
    return d->n_waiting < d->config.queue_entries;
}

static void mask_shift(uint64_t *slots, uint32_t gap, uint32_t len)
{
    uint64_t before = dram_slot_bit(gap) - 1;
    *slots = (*slots & before) | (*slots >> len & ~before);
}

/* The used slots have reached the end of the queue: moves requests up into the first gap left by
 * served ones. */
static __attribute__((noinline)) void close_gap(struct dram *d)
{
    uint32_t gap = dram_lowest_slot(~d->used);
    uint64_t behind = d->used >> gap;
    uint32_t len = behind ? dram_lowest_slot(behind) : d->queue_end - gap,
             n_behind = d->queue_end - gap - len;
    memmove(d->queue + gap, d->queue + gap + len, n_behind * sizeof d->queue[0]);
    memmove(d->bank_of + gap, d->bank_of + gap + len, n_behind);
    d->queue_end -= len;
    if (d->plan.slot > gap)
        d->plan.slot -= len;
    mask_shift(&d->used, gap, len);
    mask_shift(&d->writes, gap, len);
    mask_shift(&d->hits, gap, len);
    mask_shift(&d->closed, gap, len);
    mask_shift(&d->stale, gap, len);
    for (uint32_t bank = 0; bank < d->config.n_banks; bank++)
        mask_shift(&d->banks[bank].slots, gap, len);
}

/* Can the request that has just arrived leave the plan unchanged? Yes if the planned command is
 * due, or is a read or write in the next cycle: it belongs to an older request. Also if the new
 * request must wait for its turn. */
static bool plan_is_firm(const struct dram *d, uint64_t now)
{
    if (d->config.scheduler == DRAM_FCFS && d->n_waiting > 1)
        return true;
    return d->plan.at <= now || (d->plan.at == now + 1 && d->plan.kind >= DRAM_READ);
}

/* The newest request could have a command of this kind. The plan is still the best for older
 * requests and wins in the same cycle, unless it is an activate or precharge and this is a read or
 * write. */
static ALWAYS_INLINE void plan_newest(struct dram *d, enum dram_command_kind kind, uint32_t slot,
                                      uint64_t now)
{
    uint64_t at =
        max_u64(dram_channel_allows(d, kind), dram_bank_allows(d, d->bank_of[slot], kind));
    at = max_u64(at, now + 1);
    bool overtakes = kind >= DRAM_READ && d->plan.kind < DRAM_READ;
    if (at < d->plan.at || (at == d->plan.at && overtakes))
        d->plan = (struct plan){.at = at, .kind = kind, .slot = slot};
}

/* The newest request's row is open. */
static ALWAYS_INLINE void enter_open_row(struct dram *d, uint32_t slot, bool write, uint64_t now)
{
    uint32_t bank = d->bank_of[slot];
    d->hits |= dram_slot_bit(slot);
    if (d->stale)
        d->stale &= ~d->banks[bank].slots;
    if (plan_is_firm(d, now))
        return;
    if (d->plan.kind == DRAM_PRECHARGE && d->bank_of[d->plan.slot] == bank)
        replan(d, now + 1); /* its row is needed again */
    else if (write)
        plan_newest(d, DRAM_WRITE, slot, now);
    else
        plan_newest(d, DRAM_READ, slot, now);
}

/* The newest request's row is not open. A command for its bank is its own only if no older request
 * waits for that bank. */
static __attribute__((noinline)) void enter_other_row(struct dram *d, uint32_t slot, uint64_t now)
{
    uint32_t bank = d->bank_of[slot];
    uint64_t slots = d->banks[bank].slots;
    bool open = dram_bank_is_open(d, bank), first = slots == dram_slot_bit(slot);
    if (!open)
        d->closed |= dram_slot_bit(slot);
    else if (!(d->hits & slots))
        d->stale |= dram_slot_bit(slot);
    if (!first || plan_is_firm(d, now))
        return;
    if (open)
        plan_newest(d, DRAM_PRECHARGE, slot, now);
    else
        plan_newest(d, DRAM_ACTIVATE, slot, now);
}

/* Takes the next slot of the queue, which is free. */
static ALWAYS_INLINE void enter(struct dram *d, const struct dram_request *r, uint64_t now)
{
    uint32_t slot = d->used ? d->queue_end : 0;
    dram_enqueue(d, slot, r, now);
    d->queue_end = slot + 1;
    d->n_waiting++;
    d->used |= dram_slot_bit(slot);
    d->writes |= (uint64_t)r->write << slot;
    if (d->banks[r->bank].open_row == r->row)
        enter_open_row(d, slot, r->write, now);
    else
        enter_other_row(d, slot, now);
}

static __attribute__((noinline)) void enter_after_gap(struct dram *d, const struct dram_request *r,
                                                      uint64_t now)
{
    close_gap(d);
    enter(d, r, now);
}

/* The queue must have room. */
static ALWAYS_INLINE void push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    if (d->used && d->queue_end == d->config.queue_entries)
        enter_after_gap(d, r, now);
    else
        enter(d, r, now);
}

void dram_push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    assert(dram_has_room(d) && r->bank < d->config.n_banks && r->bytes > 0);
    push(d, r, now);
    if (d->config.no_fast_paths && d->plan.at > now)
        replan(d, now + 1);
}

/* --- finished requests --- */

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

/* Issues the planned command and plans the next one. */
static ALWAYS_INLINE void give_planned(struct dram *d)
{
    uint64_t now = d->plan.at;
    enum dram_command_kind kind = d->plan.kind;
    uint32_t slot = d->plan.slot;
    if (d->observer)
        dram_notify_observer(d, kind, slot, now);
    if (kind == DRAM_ACTIVATE) {
        dram_issue_activate(d, slot, now);
    } else if (kind == DRAM_PRECHARGE) {
        dram_issue_precharge(d, slot, now);
    } else {
        if (dram_issue_burst(d, kind == DRAM_WRITE, slot, now))
            dram_dequeue(d, kind == DRAM_WRITE, slot);
        timing_columns(&d->timing, kind == DRAM_WRITE, now);
    }
    dram_make_plan(d, now + 1);
}

/* --- consecutive reads and writes --- */

static __attribute__((noinline)) struct plan first_row(const struct dram *d, uint64_t floor)
{
    return dram_plan_row(d, d->closed, d->stale, floor, UINT64_MAX);
}

/* Issues the planned read or write and the ones of its kind that follow, before cycle `before`.
 * Requests of the other kind can be ignored until the bus could have turned; rows until an activate
 * or precharge is due or a bank has no more requests for its open row. */
static ALWAYS_INLINE void give_stream(struct dram *d, bool write, uint64_t before)
{
    const enum dram_command_kind kind = write ? DRAM_WRITE : DRAM_READ;
    const uint64_t others = d->hits & (write ? ~d->writes : d->writes);
    const uint64_t turn = others ? timing_turn(&d->timing, write) : UINT64_MAX;
    struct plan row = {.at = d->closed | d->stale ? 0 : UINT64_MAX};
    uint64_t now, next = d->plan.at;
    uint32_t slot = d->plan.slot;
    do {
        now = next;
        if (d->observer)
            dram_notify_observer(d, kind, slot, now);
        bool new_row = dram_issue_burst(d, write, slot, now) && dram_dequeue(d, write, slot);
        if (new_row || row.at <= now)
            row = first_row(d, now + 1);
        next = dram_first_column(d, d->hits & ~others, now + d->timing.same_kind, &slot);
    } while (next < before && next <= row.at && next - now < turn);
    timing_columns(&d->timing, write, now);
    if (next - now >= turn)
        replan(d, now + 1);
    else if (row.at < next)
        d->plan = row;
    else
        d->plan = (struct plan){.at = next, .kind = kind, .slot = slot};
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

/* --- consecutive commands, and requests that arrive in between --- */

void dram_advance(struct dram *d, uint64_t before)
{
    while (d->plan.at < before) {
        if (d->plan.kind < DRAM_READ || !d->streams)
            dram_tick(d, d->plan.at);
        else if (d->plan.kind == DRAM_WRITE)
            give_writes(d, before);
        else if (dram_reads_only(d))
            dram_reads_issue(d, before);
        else
            give_reads(d, before);
    }
}

uint32_t dram_enter(struct dram *d, const struct dram_arrival *a, uint32_t n, uint64_t until)
{
    for (uint32_t i = 0; i < n; i++) {
        if (dram_reads_only(d)) {
            i += dram_reads_enter(d, a + i, n - i, until);
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
    assert(now <= d->plan.at); /* otherwise a cycle that dram_next() named was skipped */
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

/* Requests in the queue, summed over cycles until the last one left. */
static uint64_t queue_area(const struct dram *d)
{
    uint64_t area = d->area;
    for (uint64_t slots = d->used; slots; slots &= slots - 1)
        area += max_u64(d->queue[dram_lowest_slot(slots)].pushed_at,
                        d->left_at); /* as if it left at that cycle */
    return area;
}

const struct dram_stats *dram_stats(struct dram *d)
{
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
                names[plan->kind], d->bank_of[plan->slot], d->queue[plan->slot].row);
}
