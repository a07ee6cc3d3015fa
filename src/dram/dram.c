/* A DRAM channel's controller: FR-FCFS (Rixner et al., ISCA 2000, "first ready") over one queue.
 * dram.h states the order of preference, dram_timing.h when a command is allowed.
 *
 * The command that comes next is planned as soon as the last one is given: with the queue as it is,
 * both the cycle and the choice are known. A tick before that cycle has nothing to do, so leaving
 * it out changes nothing, and a request that comes in meanwhile is only compared with the plan.
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

enum { NONE = 0xff }; /* no slot */

struct entry {
    struct dram_request r;
    uint64_t order; /* of arrival */
    uint64_t pushed_at;
    uint32_t bursts_left;
    bool opened_row;    /* an activate was given for it */
    uint8_t prev, next; /* in its bank's list */
};

struct bank {
    struct bank_timing timing;
    uint32_t row, group;
    bool open;
    uint8_t first, last;          /* queued requests, oldest first */
    uint8_t hits[2 /* write? */]; /* the oldest ones for the open row */
};

struct plan {
    uint64_t at; /* ~0 = nothing to do */
    uint64_t order;
    enum dram_command_kind kind;
    uint8_t slot;
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
    struct dram_timing timing;
    struct bank banks[DRAM_MAX_BANKS];
    struct entry slots[DRAM_MAX_QUEUE];
    uint64_t free_slots, busy_banks; /* masks */
    uint64_t n_pushed;
    struct plan plan;
    struct done_queue done[2 /* write? */];
    struct occupancy queue;
    struct dram_stats stats;
    void (*observer)(void *user, const struct dram_command *c);
    void *observer_user;
};

struct dram *dram_create(const struct dram_config *config)
{
    assert(config->n_banks >= 1 && config->n_banks <= DRAM_MAX_BANKS);
    assert(config->queue_entries >= 1 && config->queue_entries <= DRAM_MAX_QUEUE);
    assert(config->burst_cycles >= 1 && config->bus_bytes_per_cycle >= 1);
    struct dram *d = xcalloc(1, sizeof *d);
    d->config = *config;
    timing_init(&d->timing, config);
    d->free_slots = ~UINT64_C(0) >> (DRAM_MAX_QUEUE - config->queue_entries);
    d->plan.at = UINT64_MAX;
    for (uint32_t i = 0; i < config->n_banks; i++) {
        struct bank *b = &d->banks[i];
        b->group = i % config->n_bank_groups;
        b->first = b->last = b->hits[0] = b->hits[1] = NONE;
    }
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

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool is_column(enum dram_command_kind kind)
{
    return kind >= DRAM_READ;
}

/* The earlier command wins; at the same cycle, reads and writes before others, then the older. */
static void consider(const struct dram *d, struct plan *best, uint64_t at,
                     enum dram_command_kind kind, uint8_t slot)
{
    const struct entry *e = &d->slots[slot];
    at = max_u64(at, e->pushed_at + 1);
    if (at > best->at)
        return;
    if (at == best->at) {
        bool column = is_column(kind);
        if (column != is_column(best->kind) ? !column : e->order > best->order)
            return;
    }
    *best = (struct plan){.at = at, .order = e->order, .kind = kind, .slot = slot};
}

static void consider_column(const struct dram *d, struct plan *best, const struct bank *b,
                            uint8_t slot, bool write, uint64_t floor)
{
    uint64_t at = max_u64(max_u64(b->timing.column_at, d->timing.column_at[write]),
                          max_u64(d->timing.group_at[b->group], floor));
    consider(d, best, at, write ? DRAM_WRITE : DRAM_READ, slot);
}

static void consider_row(const struct dram *d, struct plan *best, const struct bank *b,
                         uint8_t slot, uint64_t floor)
{
    if (b->open)
        consider(d, best, max_u64(b->timing.precharge_at, floor), DRAM_PRECHARGE, slot);
    else
        consider(d, best, max_u64(max_u64(b->timing.activate_at, d->timing.activate_at), floor),
                 DRAM_ACTIVATE, slot);
}

static void consider_bank(const struct dram *d, struct plan *best, const struct bank *b,
                          uint64_t floor)
{
    if (b->hits[0] == NONE && b->hits[1] == NONE) {
        consider_row(d, best, b, b->first, floor);
        return;
    }
    for (int write = 0; write < 2; write++)
        if (b->hits[write] != NONE)
            consider_column(d, best, b, b->hits[write], write, floor);
}

static uint8_t oldest_slot(const struct dram *d)
{
    uint8_t oldest = NONE;
    for (uint64_t banks = d->busy_banks; banks; banks &= banks - 1) {
        uint8_t slot = d->banks[__builtin_ctzll(banks)].first;
        if (oldest == NONE || d->slots[slot].order < d->slots[oldest].order)
            oldest = slot;
    }
    return oldest;
}

/* Plans the first command at or after `floor`. */
static void make_plan(struct dram *d, uint64_t floor)
{
    struct plan best = {.at = UINT64_MAX, .order = UINT64_MAX};
    if (d->config.scheduler == DRAM_FR_FCFS) {
        for (uint64_t banks = d->busy_banks; banks; banks &= banks - 1)
            consider_bank(d, &best, &d->banks[__builtin_ctzll(banks)], floor);
    } else if (d->busy_banks) {
        uint8_t slot = oldest_slot(d);
        const struct dram_request *r = &d->slots[slot].r;
        const struct bank *b = &d->banks[r->bank];
        if (b->open && b->row == r->row)
            consider_column(d, &best, b, slot, r->write, floor);
        else
            consider_row(d, &best, b, slot, floor);
    }
    d->plan = best;
}

/* --- the queue --- */

bool dram_has_room(const struct dram *d)
{
    return d->free_slots != 0;
}

static void bank_append(struct dram *d, struct bank *b, uint8_t slot)
{
    struct entry *e = &d->slots[slot];
    e->prev = b->last;
    e->next = NONE;
    if (b->last == NONE)
        b->first = slot;
    else
        d->slots[b->last].next = slot;
    b->last = slot;
    if (b->open && b->row == e->r.row && b->hits[e->r.write] == NONE)
        b->hits[e->r.write] = slot;
}

/* The first request from `slot` on, in the bank's list, for the open row. */
static uint8_t find_hit(const struct dram *d, const struct bank *b, uint8_t slot, bool write)
{
    while (slot != NONE && (d->slots[slot].r.row != b->row || d->slots[slot].r.write != write))
        slot = d->slots[slot].next;
    return slot;
}

static void bank_unlink(struct dram *d, struct bank *b, uint8_t slot)
{
    const struct entry *e = &d->slots[slot];
    if (e->prev == NONE)
        b->first = e->next;
    else
        d->slots[e->prev].next = e->next;
    if (e->next == NONE)
        b->last = e->prev;
    else
        d->slots[e->next].prev = e->prev;
    if (b->hits[e->r.write] == slot)
        b->hits[e->r.write] = find_hit(d, b, e->next, e->r.write);
}

void dram_push(struct dram *d, const struct dram_request *r, uint64_t now)
{
    assert(dram_has_room(d) && r->bank < d->config.n_banks && r->bytes > 0);
    uint8_t slot = (uint8_t)__builtin_ctzll(d->free_slots);
    uint32_t burst_bytes = d->config.burst_cycles * d->config.bus_bytes_per_cycle;
    struct bank *b = &d->banks[r->bank];
    d->slots[slot] = (struct entry){
        .r = *r,
        .order = d->n_pushed++,
        .pushed_at = now,
        .bursts_left = (r->bytes + burst_bytes - 1) / burst_bytes,
    };
    bank_append(d, b, slot);
    d->free_slots &= ~(UINT64_C(1) << slot);
    d->busy_banks |= UINT64_C(1) << r->bank;
    occupancy_add(&d->queue, now, 1);

    if (d->plan.at <= now) /* due already: this one comes too late to change it */
        return;
    /* A row hit takes its bank's precharge away; otherwise nothing planned is lost. */
    bool keeps_row = d->plan.kind == DRAM_PRECHARGE && d->slots[d->plan.slot].r.bank == r->bank &&
                     (b->hits[0] != NONE || b->hits[1] != NONE);
    if (d->config.scheduler == DRAM_FCFS || keeps_row)
        make_plan(d, now + 1);
    else
        consider_bank(d, &d->plan, b, now + 1);
}

static void done_append(struct done_queue *q, const struct dram_request *r, uint64_t at)
{
    if (q->n == q->cap) {
        uint32_t cap = q->cap ? 2 * q->cap : 16;
        struct done *items = xcalloc(cap, sizeof *items);
        for (uint32_t i = 0; i < q->n; i++)
            items[i] = q->items[(q->head + i) & (q->cap - 1)];
        free(q->items);
        *q = (struct done_queue){.items = items, .n = q->n, .cap = cap};
    }
    q->items[(q->head + q->n++) & (q->cap - 1)] = (struct done){.r = *r, .at = at};
}

/* When the first of them is done; ~0 if there is none. */
static uint64_t done_at(const struct done_queue *q)
{
    return q->n > 0 ? q->items[q->head].at : UINT64_MAX;
}

bool dram_pop(struct dram *d, uint64_t now, struct dram_request *out)
{
    struct done_queue *q = &d->done[done_at(&d->done[1]) < done_at(&d->done[0])];
    if (done_at(q) > now)
        return false;
    *out = q->items[q->head].r;
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;
    return true;
}

/* --- commands --- */

/* The last burst of a request has been commanded: it leaves the queue. */
static void leave(struct dram *d, struct bank *b, uint8_t slot, uint64_t now)
{
    const struct entry *e = &d->slots[slot];
    bool write = e->r.write;
    bank_unlink(d, b, slot);
    if (b->first == NONE)
        d->busy_banks &= ~(UINT64_C(1) << e->r.bank);
    d->free_slots |= UINT64_C(1) << slot;
    done_append(&d->done[write], &e->r,
                write ? now : now + d->config.t_cl + d->config.burst_cycles);

    occupancy_remove(&d->queue, now, 1);
    d->stats.queue_area = d->queue.area;
    d->stats.queue_stays += now - e->pushed_at;
    d->stats.reads += !write;
    d->stats.writes += write;
    d->stats.row_hits += !e->opened_row;
    d->stats.bytes += e->r.bytes;
}

static void give(struct dram *d, const struct plan *plan)
{
    struct entry *e = &d->slots[plan->slot];
    struct bank *b = &d->banks[e->r.bank];
    switch (plan->kind) {
    case DRAM_ACTIVATE:
        timing_activate(&d->timing, &b->timing, &d->config, plan->at);
        b->open = true;
        b->row = e->r.row;
        b->hits[0] = find_hit(d, b, b->first, false);
        b->hits[1] = find_hit(d, b, b->first, true);
        e->opened_row = true;
        d->stats.activates++;
        break;
    case DRAM_PRECHARGE:
        timing_precharge(&b->timing, &d->config, plan->at);
        b->open = false;
        b->hits[0] = b->hits[1] = NONE;
        d->stats.precharges++;
        break;
    case DRAM_READ:
    case DRAM_WRITE:
        timing_column(&d->timing, &b->timing, b->group, &d->config, e->r.write, plan->at);
        d->stats.busy_cycles += d->config.burst_cycles;
        if (--e->bursts_left == 0)
            leave(d, b, plan->slot, plan->at);
        break;
    }
}

void dram_tick(struct dram *d, uint64_t now)
{
    if (now < d->plan.at)
        return;
    if (now > d->plan.at) /* a late tick gives what it finds now */
        make_plan(d, now);
    struct plan plan = d->plan;
    if (d->observer) {
        const struct dram_request *r = &d->slots[plan.slot].r;
        struct dram_command c = {now, plan.kind, r->bank, r->row, r->tag};
        d->observer(d->observer_user, &c);
    }
    give(d, &plan);
    make_plan(d, now + 1);
}

uint64_t dram_next(const struct dram *d, uint64_t now)
{
    uint64_t next = d->plan.at;
    for (int write = 0; write < 2; write++)
        if (done_at(&d->done[write]) < next)
            next = done_at(&d->done[write]);
    return max_u64(next, now);
}

/* --- what others see --- */

bool dram_is_idle(const struct dram *d)
{
    return d->busy_banks == 0 && d->done[0].n == 0 && d->done[1].n == 0;
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
    if (d->busy_banks) {
        const struct dram_request *r = &d->slots[d->plan.slot].r;
        strbuf_addf(out, "; next command at cycle %llu: %s bank %u row %u",
                    (unsigned long long)d->plan.at, names[d->plan.kind], r->bank, r->row);
    }
    strbuf_add_char(out, '\n');
}
