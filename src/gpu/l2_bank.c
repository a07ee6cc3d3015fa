/* The L2 banks of a memory partition: each serves one request a cycle, in order, from its queue.
 *
 * MODEL: the way from the port to L2 is a pipeline of rop_latency stages, one request in each, with
 * a queue at its end; when L2 stalls, both fill up before the port does. */
#include <string.h>

#include "emu/atomic.h"
#include "gpu/partition_parts.h"

/* --- the queue --- */

/* A partition's own addresses have the interleaving squeezed out, and so do a bank's. From here
 * until the reply the request describes its access as L2 sees it. */
void l2_place(const struct partition *p, struct mem_request *r)
{
    struct mem_access *a = &r->access;
    uint64_t number = r->local >> p->line_shift, row = divide(&p->n_banks, number);
    r->bank = remainder_of(&p->n_banks, number, row);
    r->device_line = a->line;
    a->line = a->address = row << p->line_shift;
    a->set = cache_set_of(p->banks[r->bank].cache, a->line);
    a->sector_mask = 1;
    if (a->kind == MEM_ATOMIC) { /* reads and writes part of the line */
        a->byte_mask[0] = 1;
        a->byte_mask[1] = 0;
        a->full_line = false;
    }
}

/* The first request is tried as soon as it is there and the bank is free. */
static void plan_bank(struct partition *p, struct l2_bank *b)
{
    const struct timed_request *front = ring_front(&b->queue);
    b->due = front ? max_u64(front->at, b->busy_until) : CYCLE_NEVER;
    p->due.banks = min_u64(p->due.banks, b->due);
}

void l2_enqueue(struct partition *p, struct mem_request *r, uint64_t at, uint64_t now)
{
    struct l2_bank *b = &p->banks[r->bank];
    r->queued_at = now;
    queue_enter(&b->account, now);
    ring_push(&b->queue, (struct timed_request){.at = at, .request = r});
    if (b->queue.n == 1)
        plan_bank(p, b);
}

void l2_wake_stalled(struct partition *p)
{
    for (struct l2_bank *b = p->banks; b != p->banks + p->config->memory.banks; b++)
        if (b->stalled)
            plan_bank(p, b);
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
    r->atomic->performed_at = now * p->l2_clock->period;
    uint32_t n = (uint32_t)__builtin_popcount(r->atomic->mask);
    for (uint32_t m = r->atomic->replayed ? 0 : r->atomic->mask; m; m &= m - 1)
        perform_lane(p, r->atomic, (uint32_t)__builtin_ctz(m));
    p->stats.atomic_ops += n;
    uint32_t rate = p->config->memory.atomics_per_cycle;
    return (n + rate - 1) / rate;
}

/* --- service --- */

void l2_serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    uint64_t at = now;
    if (r->access.kind == MEM_ATOMIC) {
        uint64_t start = max_u64(b->busy_until, now);
        at = b->busy_until = start + perform_atomic(p, r, now);
    }
    partition_reply(p, r, at + p->config->memory.l2_latency);
}

/* Loads, and the fetches of instructions and constants. */
static bool serve_load(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    bool to_dram = dram_side_has_room(p);
    struct cache_room room = {.miss_queue = to_dram, .port = to_dram, .bypass_table = true};
    struct cache_result res = cache_load(b->cache, &r->access, room, r);
    switch (res.answer) {
    case CACHE_STALLED:
        return false;
    case CACHE_HIT:
        partition_reply(p, r, now + p->config->memory.l2_latency);
        break;
    case CACHE_MERGE:
        break;
    case CACHE_MISS:
        if (res.writeback)
            dram_side_write(p, r->bank, res.victim_line, now);
        dram_side_read(p, r->bank, r->access.line, res.mshr, NULL, now);
        break;
    case CACHE_BYPASSED:
        dram_side_read(p, r->bank, r->access.line, 0, r, now);
        break;
    }
    return true;
}

/* Stores and atomics. */
static bool serve_write(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    if (!dram_side_has_room(p))
        return false;
    bool store = r->access.kind == MEM_STORE;
    struct cache_room room = {.miss_queue = true, .port = true, .bypass_table = true};
    struct cache_result res = cache_store(b->cache, &r->access, room, store ? NULL : r);
    if (res.answer == CACHE_STALLED)
        return false;
    if (res.writeback)
        dram_side_write(p, r->bank, res.victim_line, now);
    bool fetches = res.answer == CACHE_MISS && res.mshr != CACHE_NO_MSHR;
    bool around = !fetches && (res.answer == CACHE_MISS || res.answer == CACHE_BYPASSED);
    if (fetches)
        dram_side_read(p, r->bank, r->access.line, res.mshr, NULL, now);
    if (around && !store) /* an atomic writes when its data have come */
        dram_side_read(p, r->bank, r->access.line, 0, r, now);
    else if (res.forward)
        dram_side_write(p, r->bank, r->access.line, now);
    if (res.answer == CACHE_HIT && !store)
        l2_serve(p, b, r, now);
    if (store)
        partition_free_store(p, r, now);
    return true;
}

/* False if it must wait. */
static bool serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    bool writes = r->access.kind == MEM_STORE || r->access.kind == MEM_ATOMIC;
    r->access.cycle = now;
    bool served = writes ? serve_write(p, b, r, now) : serve_load(p, b, r, now);
    p->stats.accesses += served;
    return served;
}

/* The bank waits for l2_wake(), or until `again`. */
static void stall_bank(struct partition *p, struct l2_bank *b, uint64_t now, uint64_t again)
{
    b->due = p->answers_drift ? now + 1 : again;
    if (b->stalled)
        return;
    b->stalled = true;
    b->stalled_since = now;
    p->n_stalled++;
}

static void end_stall(struct partition *p, struct l2_bank *b, uint64_t now)
{
    b->stalled = false;
    p->n_stalled--;
    p->stats.stall_cycles += now - b->stalled_since;
}

static void step_bank(struct partition *p, struct l2_bank *b, uint64_t now)
{
    const struct timed_request *front = ring_front(&b->queue);
    if (!front || front->at > now || b->busy_until > now) {
        plan_bank(p, b);
        return;
    }
    if (!partition_reply_room(p, now)) {
        stall_bank(p, b, now, max_u64(p->reply_at, p->reply_at + 1)); /* never is never */
        return;
    }
    uint64_t entered = front->request->queued_at; /* a store is gone once it is served */
    if (!serve(p, b, front->request, now)) {
        stall_bank(p, b, now, CYCLE_NEVER);
        return;
    }
    if (b->stalled)
        end_stall(p, b, now);
    queue_leave(&b->account, entered, now);
    ring_pop(&b->queue);
    plan_bank(p, b);
    if (rx_peek(&p->up)) /* there is room for one more */
        p->due.port = now + 1;
}

void l2_step(struct partition *p, uint64_t now)
{
    uint64_t next = CYCLE_NEVER;
    for (struct l2_bank *b = p->banks; b != p->banks + p->n_banks.divisor; b++) {
        if (b->due <= now || p->every_cycle)
            step_bank(p, b, now);
        next = min_u64(next, b->due);
    }
    p->due.banks = next;
}
