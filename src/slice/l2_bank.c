/* The L2 banks of a memory slice: each serves at most one request per cycle, in order, from its
 * queue.
 *
 * MODEL: the path from the port to L2 is a pipeline of rop_latency stages, one request in each,
 * with a queue at its end; when L2 stalls, both fill up before the port stalls. */
#include "cache/fast.h"
#include "slice/l2_queue.h"

void l2_mark(const struct l2_marks *marks, struct mem_access *a, uint64_t address)
{
    if (a->space != MEM_GLOBAL || (a->kind != MEM_STORE && a->kind != MEM_LOAD) || a->for_atomic)
        return;
    for (const struct l2_mark *m = marks->items; m != marks->items + marks->n; m++)
        if (m->is_store == (a->kind == MEM_STORE) && address - m->start < m->bytes)
            a->op = m->is_store ? MEM_OP_CC : MEM_OP_CP;
}

uint32_t l2_waiting(const struct l2_bank *b, uint64_t now)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->queue.n; i++)
        n += ring_at(&b->queue, i)->request->queued_at < now;
    return n;
}

void l2_wake_stalled(struct slice *p)
{
    for (struct l2_bank *b = p->banks; b != p->banks + p->n_banks.divisor; b++)
        if (b->stalled) {
            b->due = b->busy_until;
            l2_note_due(p, b);
        }
}

/* --- atomics --- */

/* Performs an atomic. The bank serves no other request until it is done. */
static void perform_atomic(struct slice *p, struct l2_bank *b, struct mem_request *r, bool waited,
                           uint64_t now)
{
    uint32_t cycles = p->atomics.desc->perform(b->atomics, r, waited, l2_time(p, now));
    uint64_t at = b->busy_until = max_u64(b->busy_until, now) + cycles;
    b->due = max_u64(b->due, at);
    if (b->first_try >= now)
        b->first_try = max_u64(b->first_try, at);
    p->stats.atomic_ops += atomic_request_lanes(r->atomic);
    slice_reply(p, r, at + p->l2_latency);
}

void l2_perform_awaited(struct slice *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    perform_atomic(p, b, r, true, now);
}

/* --- service --- */

static struct line_sectors victim_of(const struct l2_bank *b, const struct mem_request *r)
{
    const struct cache_victim *v = cache_victim(b->cache);
    return (struct line_sectors){v->line, r->bank, v->sectors};
}

/* Reads from DRAM what a load that misses or bypasses L2 needs; a merged load needs nothing. */
static void fetch(struct slice *p, const struct l2_bank *b, struct mem_request *r,
                  struct cache_result res, uint64_t now)
{
    if (res.answer == CACHE_BYPASSED) {
        dram_side_read_bypass(p, r, now);
    } else if (res.answer == CACHE_MISS) {
        if (res.writeback)
            dram_side_write(p, victim_of(b, r), now);
        dram_side_read(p, r, res.fetch_sectors, res.mshr, now);
    }
}

/* Serves a load that cache_load_fast() has neither performed nor stalled. */
static __attribute__((noinline)) bool serve_other_load(struct slice *p, struct l2_bank *b,
                                                       struct mem_request *r,
                                                       struct cache_location at, uint64_t now)
{
    static const struct cache_resources all = {.miss_queue = true,
                                               .port = true,
                                               .bypass_table = true},
                                        not_to_dram = {.bypass_table = true};
    const struct cache_resources *room = dram_side_has_room(p, now) ? &all : &not_to_dram;
    struct cache_result res = cache_load_at(b->cache, &r->access, room, r, at);
    if (res.answer == CACHE_STALLED)
        return false;
    if (p->may_lose)
        lost_note_load(p, b, r, res);
    r->missed = res.answer != CACHE_HIT;
    if (!r->missed)
        slice_queue_reply(p, r, r->data_bytes, now + p->l2_latency);
    else
        fetch(p, b, r, res, now);
    return true;
}

/* Loads, and the fetches of instructions and constants. */
static inline bool serve_load(struct slice *p, struct l2_bank *b, struct mem_request *r,
                              uint64_t now)
{
    const struct mem_access *a = &r->access;
    struct cache_location at = cache_find_in(b->cache, a->set, a->line);
    enum cache_fast fast = cache_load_fast(b->cache, at, a->sector_mask, a->pc);
    if (fast == CACHE_FAST_HIT)
        slice_queue_reply(p, r, r->data_bytes, now + p->l2_latency);
    return fast == CACHE_FAST_HIT ||
           (fast != CACHE_FAST_NO_MSHR && serve_other_load(p, b, r, at, now));
}

/* Acknowledges a write of a line on which an SM performed atomics. The SM waits for the
 * acknowledgement, which keeps such writes in order. */
static void acknowledge(struct slice *p, struct mem_request *r, uint64_t now)
{
    ledger_get(&p->atomics.writes, r->device_line)->n_writes++;
    slice_reply(p, r, now + p->l2_latency);
}

/* Records in a load how many such writes to its line came before it. */
static void note_writes(const struct slice *p, struct mem_request *r)
{
    const struct ledger_line *l = ledger_find(&p->atomics.writes, r->device_line);
    r->n_writes = l ? l->n_writes : 0;
}

/* Stores and atomics. */
static __attribute__((noinline)) bool serve_write(struct slice *p, struct l2_bank *b,
                                                  struct mem_request *r, uint64_t now)
{
    if (!dram_side_has_room(p, now))
        return false;
    bool store = r->access.kind == MEM_STORE;
    if (!store && !p->atomics.desc->may_serve(b->atomics, r))
        return false;
    struct cache_resources room = {.miss_queue = true, .port = true, .bypass_table = true};
    struct cache_result res = cache_store(b->cache, &r->access, room, store ? NULL : r);
    if (res.answer == CACHE_STALLED)
        return false;
    if (p->may_lose)
        lost_note_write(p, b, r, res);
    if (res.writeback)
        dram_side_write(p, victim_of(b, r), now);
    bool fetches = res.answer == CACHE_MISS && res.mshr != CACHE_NO_MSHR;
    bool bypasses = !fetches && (res.answer == CACHE_MISS || res.answer == CACHE_BYPASSED);
    if (fetches)
        dram_side_read(p, r, res.fetch_sectors, res.mshr, now);
    if (bypasses &&
        !store) /* L2 does not keep the line: read now, write when the data have arrived */
        dram_side_read_bypass(p, r, now);
    else if (res.forward)
        dram_side_write_bypass(p, l2_sectors_of(r), now);
    if (res.answer == CACHE_HIT && !store)
        perform_atomic(p, b, r, false, now);
    else if (!store)
        p->atomics.desc->await_data(b->atomics, r, res.mshr);
    if (store && r->origin == FROM_ATOMIC_WRITE)
        acknowledge(p, r, now);
    else if (store)
        slice_free_store(p, r, now);
    return true;
}

/* MODEL: transfers between host and device memory bypass L2: they neither look up nor change its
 * lines. */
static __attribute__((noinline)) bool serve_transfer(struct slice *p, struct mem_request *r,
                                                     uint64_t now)
{
    if (!dram_side_has_room(p, now))
        return false;
    if (r->access.kind == MEM_STORE) {
        dram_side_write_bypass(p, l2_sectors_of(r), now);
        slice_free_store(p, r, now);
    } else {
        dram_side_read_bypass(p, r, now);
    }
    return true;
}

/* Serves a request; false if it must wait. */
static inline bool serve(struct slice *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    bool writes = r->access.kind == MEM_STORE || r->access.kind == MEM_ATOMIC;
    if (__builtin_expect(r->origin == FROM_PCIE, false))
        return serve_transfer(p, r, now);
    r->access.cycle = now;
    if (p->atomics.counts_writes && !writes)
        note_writes(p, r);
    bool served = writes ? serve_write(p, b, r, now) : serve_load(p, b, r, now);
    p->stats.accesses += served;
    return served;
}

/* Stalls the bank until cycle `again`, or until l2_wake(). */
static inline void stall_bank(struct slice *p, struct l2_bank *b, uint64_t again)
{
    b->due = again;
    p->n_stalled += !b->stalled;
    b->stalled = true;
}

static inline void next_request(struct slice *p, struct l2_bank *b, uint64_t entered, uint64_t now)
{
    if (b->stalled) {
        p->n_stalled--;
        b->stalled = false;
    }
    queue_leave(&b->account, entered, now);
    ring_pop(&b->queue);
    l2_plan_first(p, b, now + 1);
    if (rx_peek(&p->up)) /* the queue has room for the request that waits at the port */
        p->due.port = now + 1;
}

/* Serves the first request of a bank that is not busy, or stalls the bank. */
static inline void step_bank(struct slice *p, struct l2_bank *b, uint64_t now)
{
    hot_assert(b->queue.n && b->busy_until <= now);
    struct mem_request *r = ring_first(&b->queue)->request;
    uint64_t room_from = slice_room_from(p);
    if (room_from > now) {
        stall_bank(p, b, room_from);
        return;
    }
    /* Before serve(), which may free r. */
    uint64_t entered = r->queued_at, waited = now - b->first_try;
    if (serve(p, b, r, now)) {
        p->stats.stall_cycles += waited;
        next_request(p, b, entered, now);
    } else {
        stall_bank(p, b, cache_next_change(b->cache, now));
    }
}

/* Up to and including `cycle`, do only the banks of the slice have work? */
static inline bool only_banks_until(const struct slice *p, uint64_t cycle)
{
    return cycle < p->due.port && cycle < p->due.fills && cycle < p->due.feed &&
           cycle < p->dram_cycle;
}

uint64_t l2_step(struct slice *p, uint64_t now, uint64_t end)
{
    const struct l2_bank *last = p->banks + p->n_banks.divisor;
    for (;;) {
        uint64_t next = CYCLE_NEVER;
        for (struct l2_bank *b = p->banks; b != last; b++) {
            if (b->due <= now)
                step_bank(p, b, now);
            next = min_u64(next, b->due);
        }
        p->due.banks = next;
        p->l2_cycle = now + 1;
        next = max_u64(next, now + 1);
        if (next >= end || !only_banks_until(p, next))
            return now;
        now = next;
    }
}

void l2_step_all_banks(struct slice *p, uint64_t now)
{
    for (struct l2_bank *b = p->banks; b != p->banks + p->n_banks.divisor; b++)
        b->due = b->queue.n ? max_u64(ring_first(&b->queue)->at, b->busy_until) : CYCLE_NEVER;
    l2_step(p, now, now);
}
