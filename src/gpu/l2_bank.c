/* The L2 banks of a memory partition: each serves one request a cycle, in order, from its queue.
 *
 * MODEL: the way from the port to L2 is a pipeline of rop_latency stages, one request in each, with
 * a queue at its end; when L2 stalls, both fill up before the port does. */
#include <string.h>

#include "emu/atomic.h"
#include "gpu/l2_queue.h"

static void place_in_line(struct mem_access *a, uint32_t offset)
{
    for (; offset; offset -= CACHE_SEGMENT_BYTES) {
        a->segments <<= 1;
        a->byte_mask[1] = a->byte_mask[1] << 32 | a->byte_mask[0] >> 32;
        a->byte_mask[0] <<= 32;
    }
}

void l2_put(const struct partition *p, struct mem_request *r, struct l2_place at)
{
    struct mem_access *a = &r->access;
    r->bank = at.bank;
    r->device_line = a->line;
    a->line = a->address = at.line;
    a->set = set_index_of(&p->l2_sets, at.line);
    a->sector_mask = l2_sectors(p, r);
    place_in_line(a, l2_offset(p, r));
    if (a->kind == MEM_ATOMIC) { /* reads and writes part of the line */
        a->byte_mask[0] = 1;
        a->byte_mask[1] = 0;
        a->full_line = false;
    }
}

static void note_due(struct partition *p, const struct l2_bank *b)
{
    p->due.banks = min_u64(p->due.banks, b->due);
    p->parts_at = min_u64(p->parts_at, b->due);
}

void l2_wake_stalled(struct partition *p)
{
    for (struct l2_bank *b = p->banks; b != p->banks + p->n_banks.divisor; b++)
        if (b->stalled) {
            b->due = b->busy_until;
            note_due(p, b);
        }
}

/* A new request is first, and can be served from cycle `soonest` on if it is there by then and the
 * bank is free. While replies are short of places there is no use in trying before one leaves. */
static inline void plan_first(struct partition *p, struct l2_bank *b, uint64_t soonest)
{
    if (!b->queue.n) {
        b->due = CYCLE_NEVER;
        return;
    }
    uint64_t at = ring_first(&b->queue)->at;
    b->due = b->first_try = max_u64(max_u64(at, b->busy_until), soonest);
    uint64_t room_from = partition_room_from(p);
    if (room_from != CYCLE_NEVER)
        b->due = max_u64(b->due, room_from);
}

void l2_enqueue(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at)
{
    queue_enter(&b->account, r->queued_at);
    ring_push(&b->queue, (struct timed_request){.at = at, .request = r});
    p->n_queued++;
    if (b->queue.n > 1)
        return;
    plan_first(p, b, 0);
    note_due(p, b);
}

void l2_put_back(struct partition *p, struct mem_request *r, uint64_t now)
{
    struct l2_bank *b = l2_bank_of(p, r);
    r->device_line = r->access.line;
    r->known_hit = true;
    p->n_known_hits++;
    p->stats.accesses--;
    queue_come_back(&b->account, r->queued_at, now);
    ring_push_first(&b->queue, (struct timed_request){.at = now, .request = r});
    p->n_queued++;
    b->busy_until = b->first_try = b->due = now;
    note_due(p, b);
}

/* --- atomics: performed here, in the order in which L2 serves them --- */

static void perform_lane(struct partition *p, struct atomic_part *a, uint32_t lane)
{
    uint64_t old = 0, address = a->address[lane];
    uint32_t bytes = a->op->width;
    memcpy(&old, mem_host(p->mem, address), bytes);
    if (overlay_may_hold(&p->overlay, address))
        overlay_read(&p->overlay, address, &old, bytes);
    uint64_t v = atomic_result(a->op, old, a->b[lane], a->c[lane]);
    overlay_write(&p->overlay, address, &v, bytes);
    a->old[lane] = old;
}

/* Returns the cycles it takes. */
static uint32_t perform_atomic(struct partition *p, struct mem_request *r, uint64_t now)
{
    r->atomic->performed_at = l2_time(p, now);
    uint32_t n = (uint32_t)__builtin_popcount(r->atomic->mask);
    for (uint32_t m = r->atomic->replayed ? 0 : r->atomic->mask; m; m &= m - 1)
        perform_lane(p, r->atomic, (uint32_t)__builtin_ctz(m));
    p->stats.atomic_ops += n;
    uint32_t rate = p->config->memory.atomics_per_cycle;
    return (n + rate - 1) / rate;
}

/* --- service --- */

static void answer(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    uint64_t at = now;
    if (r->access.kind == MEM_ATOMIC) {
        at = b->busy_until = max_u64(b->busy_until, now) + perform_atomic(p, r, now);
        if (b->first_try >= now)
            b->first_try = max_u64(b->first_try, at);
    }
    partition_reply(p, r, at + p->l2_latency);
}

static struct line_part victim_of(const struct l2_bank *b, const struct mem_request *r)
{
    const struct cache_victim *v = cache_victim(b->cache);
    return (struct line_part){v->line, r->bank, v->sectors};
}

void l2_serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    if (r->access.kind == MEM_ATOMIC)
        atomic_order_perform(&b->atomics, r->access.line);
    answer(p, b, r, now);
}

void l2_fetch(struct partition *p, const struct l2_bank *b, struct mem_request *r,
              struct cache_result res, uint64_t now)
{
    if (res.answer == CACHE_BYPASSED) {
        dram_side_read_around(p, r, now);
    } else if (res.answer == CACHE_MISS) {
        if (res.writeback)
            dram_side_write(p, victim_of(b, r), now);
        dram_side_read(p, r, res.fetch_sectors, res.mshr, now);
    }
}

/* Loads, and the fetches of instructions and constants. */
static ALWAYS_INLINE bool serve_load(struct partition *p, struct l2_bank *b, struct mem_request *r,
                                     uint64_t now)
{
    static const struct cache_room all = {.miss_queue = true, .port = true, .bypass_table = true},
                                   not_to_dram = {.bypass_table = true};
    struct cache_room room = dram_side_has_room(p, now) ? all : not_to_dram;
    struct cache_result res = cache_load(b->cache, &r->access, room, r);
    if (res.answer == CACHE_HIT)
        partition_reply_data(p, r, now + p->l2_latency);
    else if (res.answer != CACHE_STALLED)
        l2_fetch(p, b, r, res, now);
    return res.answer != CACHE_STALLED;
}

/* Stores and atomics. */
static __attribute__((noinline)) bool serve_write(struct partition *p, struct l2_bank *b,
                                                  struct mem_request *r, uint64_t now)
{
    if (!dram_side_has_room(p, now))
        return false;
    bool store = r->access.kind == MEM_STORE;
    if (!store && !atomic_order_allows(&b->atomics, b->cache, &r->access))
        return false;
    struct cache_room room = {.miss_queue = true, .port = true, .bypass_table = true};
    struct cache_result res = cache_store(b->cache, &r->access, room, store ? NULL : r);
    if (res.answer == CACHE_STALLED)
        return false;
    if (res.writeback)
        dram_side_write(p, victim_of(b, r), now);
    bool fetches = res.answer == CACHE_MISS && res.mshr != CACHE_NO_MSHR;
    bool around = !fetches && (res.answer == CACHE_MISS || res.answer == CACHE_BYPASSED);
    if (fetches)
        dram_side_read(p, r, res.fetch_sectors, res.mshr, now);
    if (around && !store) /* an atomic writes when its data have come */
        dram_side_read_around(p, r, now);
    else if (res.forward)
        dram_side_write_around(p, l2_part_of(r), now);
    if (res.answer == CACHE_HIT && !store)
        answer(p, b, r, now);
    else if (!store)
        atomic_order_wait(&b->atomics, r->access.line, res.mshr);
    if (store)
        partition_free_store(p, r, now);
    return true;
}

/* A load that was found to hit when it came. */
static bool serve_known_hit(struct partition *p, struct mem_request *r, uint64_t now)
{
    r->known_hit = false;
    p->n_known_hits--;
    partition_reply_data(p, r, now + p->l2_latency);
    return true;
}

/* False if it must wait. */
static ALWAYS_INLINE bool serve(struct partition *p, struct l2_bank *b, struct mem_request *r,
                                uint64_t now)
{
    bool writes = r->access.kind == MEM_STORE || r->access.kind == MEM_ATOMIC;
    r->access.cycle = now;
    bool served = writes         ? serve_write(p, b, r, now)
                  : r->known_hit ? serve_known_hit(p, r, now)
                                 : serve_load(p, b, r, now);
    p->stats.accesses += served;
    return served;
}

/* Room may come by itself in cycle `again`; otherwise the bank waits for l2_wake(). */
static __attribute__((noinline)) void stall_bank(struct partition *p, struct l2_bank *b,
                                                 uint64_t now, uint64_t again)
{
    b->due = p->answers_drift ? now + 1 : again;
    p->n_stalled += !b->stalled;
    b->stalled = true;
}

static inline void pop_first(struct partition *p, struct l2_bank *b)
{
    ring_pop(&b->queue);
    p->n_queued--;
}

/* What stood behind a request that had to wait for its time may not have to, unless it has been
 * put back: replies are short of places then. */
static void serve_more_ahead(struct partition *p, struct l2_bank *b, uint64_t soonest)
{
    while (b->queue.n) {
        const struct timed_request *first = ring_first(&b->queue);
        struct mem_request *r = first->request;
        struct cache_part part = {r->access.line, r->access.sector_mask};
        if (r->known_hit || !l2_serve_ahead(p, b, r, part, max_u64(first->at, soonest)))
            return;
        r->access.line = r->device_line;
        queue_leave(&b->account, r->queued_at, r->access.cycle);
        pop_first(p, b);
    }
}

static ALWAYS_INLINE void next_request(struct partition *p, struct l2_bank *b, uint64_t entered,
                                       uint64_t now)
{
    p->n_stalled -= b->stalled;
    b->stalled = false;
    queue_leave(&b->account, entered, now);
    pop_first(p, b);
    if (!p->every_cycle)
        serve_more_ahead(p, b, now + 1);
    plan_first(p, b, now + 1);
    if (rx_peek(&p->up)) /* there is room for one more */
        p->due.port = now + 1;
}

static ALWAYS_INLINE void step_bank(struct partition *p, struct l2_bank *b, uint64_t now)
{
    const struct timed_request *first = ring_front(&b->queue);
    if (!first || first->at > now || b->busy_until > now) {
        b->due = first ? max_u64(first->at, b->busy_until) : CYCLE_NEVER;
        return;
    }
    struct mem_request *r = first->request;
    partition_settle(p, now, (int)r->bank);
    uint64_t room_from = partition_room_from(p);
    if (room_from > now) {
        stall_bank(p, b, now, room_from);
        return;
    }
    uint64_t entered = r->queued_at, waited = now - b->first_try; /* a served store is gone */
    if (serve(p, b, r, now)) {
        p->stats.stall_cycles += waited;
        next_request(p, b, entered, now);
    } else {
        stall_bank(p, b, now, CYCLE_NEVER);
    }
}

void l2_step(struct partition *p, uint64_t now)
{
    uint64_t next = CYCLE_NEVER;
    p->due.banks = CYCLE_NEVER; /* what is put back says when it is due */
    struct l2_bank *end = p->banks + p->n_banks.divisor;
    for (struct l2_bank *b = p->banks; b != end; b++) {
        if (b->due <= now)
            step_bank(p, b, now);
        next = min_u64(next, b->due);
    }
    p->due.banks = min_u64(p->due.banks, next);
}

void l2_step_plainly(struct partition *p, uint64_t now)
{
    for (uint32_t i = 0; i < p->n_banks.divisor; i++)
        step_bank(p, &p->banks[i], now);
}
