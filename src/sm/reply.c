/* Requests to the memory partitions, and what their replies set free. */
#include <stdlib.h>
#include <string.h>

#include "cache/late.h"
#include "emu/atomic.h"
#include "sm/send.h"

static uint32_t chunk_shift(const struct address_map *m)
{
    bool odd = m->hash_partitions || (m->interleave_bytes & (m->interleave_bytes - 1)) != 0;
    return odd ? CHUNKS_ARE_ODD : (uint32_t)__builtin_ctz(m->interleave_bytes);
}

static struct hashed_route plan_hashed(const struct address_map *m)
{
    struct hashed_route h = {.chunk_shift = (uint32_t)__builtin_ctz(m->interleave_bytes),
                             .partition_bits = (uint32_t)__builtin_ctz(m->n_partitions)};
    if (m->hash_partitions && m->interleave_bytes == 1u << h.chunk_shift)
        h.fold_bits = h.partition_bits;
    while (h.fold_bits && h.fold_bits < 32)
        h.fold_bits *= 2;
    return h;
}

void sm_plan_routes(struct sm *sm, const struct address_map *map)
{
    sm->map = map;
    sm->n_partitions = divider_make(map->n_partitions);
    sm->chunk_shift = chunk_shift(map);
    sm->hashed = plan_hashed(map);
}

/* address_hash() of a chunk, half by half, and all divisions are shifts. */
static inline struct route hashed_route(const struct sm *sm, uint64_t line)
{
    struct hashed_route h = sm->hashed;
    uint64_t chunk = line >> h.chunk_shift, folded = chunk, mine = chunk >> h.partition_bits;
    for (uint32_t bits = h.fold_bits; bits >= h.partition_bits; bits /= 2)
        folded ^= folded >> bits;
    uint32_t partition = (uint32_t)folded & ((1u << h.partition_bits) - 1);
    return (struct route){.to = sm->first_partition + partition,
                          .local = line - ((chunk - mine) << h.chunk_shift)};
}

static __attribute__((noinline)) struct route any_route(const struct sm *sm, uint64_t line)
{
    uint64_t chunk = address_chunk(sm->map, line), bytes = sm->map->interleave_bytes;
    uint64_t mine = divide(&sm->n_partitions, chunk);
    uint32_t partition = sm->map->hash_partitions ? address_hash(chunk, sm->map->n_partitions)
                                                  : remainder_of(&sm->n_partitions, chunk, mine);
    return (struct route){.to = sm->first_partition + partition,
                          .local = mine * bytes + (line - chunk * bytes)};
}

struct route sm_route_by_map(const struct sm *sm, uint64_t line)
{
    return sm->hashed.fold_bits ? hashed_route(sm, line) : any_route(sm, line);
}

struct route sm_route(const struct sm *sm, uint64_t line)
{
    return sm_find_route(sm, line);
}

/* Stores and atomics carry data; the others only ask. */
static uint32_t request_flits(const struct sm *sm, enum mem_kind kind, uint32_t bytes)
{
    bool carries = kind == MEM_STORE || kind == MEM_ATOMIC;
    return carries ? noc_flits(sm->noc, bytes) : sm->header_flits;
}

struct mem_request *sm_make_request(struct sm *sm)
{
    struct mem_request *r = ARENA_NEW(&sm->pool, struct mem_request);
    r->sm = sm->shard.id; /* for good */
    return r;
}

struct mem_request *sm_new_request(struct sm *sm, const struct mem_access *a,
                                   const struct route *route, enum request_origin origin,
                                   uint32_t id, uint32_t bytes)
{
    struct mem_request *r = sm_take_request(sm);
    r->access = *a;
    r->origin = origin;
    r->id = id;
    r->data_bytes = bytes;
    r->to = route->to;
    r->flits = request_flits(sm, a->kind, bytes);
    r->local = route->local;
    r->waiter = NULL;
    return r;
}

void sm_free_request(struct sm *sm, struct mem_request *r)
{
    r->next = sm->free_requests;
    sm->free_requests = r;
}

void sm_queue_request(struct sm *sm, struct mem_request *r, uint64_t now)
{
    uint32_t places = sm_miss_queue_places(sm), at = sm->miss_head + sm->miss_n;
    assert(sm->miss_n < places);
    r->queued_at = now;
    queue_enter(&sm->miss_account, now);
    sm->miss_queue[at < places ? at : at - places] = r;
    if (!sm->miss_n++) /* one leaves in a cycle, and that of this one may have left already */
        sm->drain_due = sm->left_ahead >= now ? sm->left_ahead + 1 : 0;
    ldst_wake(sm, ~0u); /* it may wait for another reason now */
}

static void send_now(struct sm *sm, struct mem_request *r, uint64_t now)
{
    tx_send(&sm->up, now * sm->clock->period, sm_message(r));
    sm_note_sent(sm, r);
}

void sm_send(struct sm *sm, struct mem_request *r, uint64_t now)
{
    send_now(sm, r, now);
}

void sm_pass_request(struct sm *sm, struct mem_request *r, uint64_t now)
{
    sm_send_or_queue(sm, r, now);
}

void sm_fetch_line(struct sm *sm, const struct mem_access *a, const struct cache_config *c,
                   enum request_origin origin, uint32_t mshr, uint32_t sectors, uint64_t now)
{
    struct mem_request *r = sm_take_request(sm);
    if (sm->describes_loads)
        r->access = *a;
    r->access.kind = a->kind;
    sm_ask_for(sm, r, a->line, cache_segments_of(c, sectors), origin, mshr, now);
}

/* When the first request can leave: not before one has the credits. */
static uint64_t drain_next(const struct sm *sm, uint64_t now)
{
    if (!sm->miss_n)
        return UINT64_MAX;
    const struct mem_request *r = sm->miss_queue[sm->miss_head];
    sim_time t = tx_ready_at(&sm->up, now * sm->clock->period, r->to, r->flits);
    return t == TIME_NEVER ? UINT64_MAX : sm_cycle_at(sm, t);
}

static void send_first(struct sm *sm, uint64_t now)
{
    struct mem_request *r = sm->miss_queue[sm->miss_head];
    sm->miss_head = sm->miss_head + 1 < sm_miss_queue_places(sm) ? sm->miss_head + 1 : 0;
    sm->miss_n--;
    sm->fetch_stalled = false;
    queue_leave(&sm->miss_account, r->queued_at, now);
    send_now(sm, r, now);
}

/* A place in the queue is free, and the port is taken: that goes before a bypass slot. */
#define WAIT_FOR_QUEUE (1u << STALL_MISS_QUEUE | 1u << STALL_BYPASS_TABLE)

/* One request a cycle leaves the miss queue, if the port takes it. */
void sm_drain_miss_queue(struct sm *sm, uint64_t now)
{
    if (!sm->miss_n)
        return;
    struct mem_request *r = sm->miss_queue[sm->miss_head];
    if (tx_can_send(&sm->up, now * sm->clock->period, r->to, r->flits)) {
        ldst_wake(sm, WAIT_FOR_QUEUE);
        send_first(sm, now);
    }
    sm->drain_due = drain_next(sm, now);
}

void sm_drain_ahead(struct sm *sm, uint64_t next)
{
    sim_time t = next * sm->clock->period;
    if (!sm->miss_n || t >= sm->shard.until ||
        (sm->ldst_stalled && WAIT_FOR_QUEUE >> sm->ldst_cause & 1))
        return;
    struct mem_request *r = sm->miss_queue[sm->miss_head];
    if (!tx_is_open(&sm->up, t, r->to, r->flits))
        return;
    send_first(sm, next);
    sm->left_ahead = next;
    uint64_t due = drain_next(sm, next);
    sm->drain_due = due > next ? due : next + 1;
}

/* They move to the front; the room is doubled until those that the SM can have outstanding fill no
 * more than half of it, so that they seldom move. */
void sm_make_room_for_replies(struct reply_queue *q)
{
    size_t n = (size_t)(q->end - q->first), cap = (size_t)(q->last_place - q->items);
    struct timed_reply *items = q->items;
    if (2 * n >= cap) {
        cap = cap ? 2 * cap : 64;
        items = xcalloc(cap + 1, sizeof *items);
    }
    if (n)
        memmove(items, q->first, n * sizeof *items);
    if (items != q->items)
        free(q->items);
    *q = (struct reply_queue){
        .first = items, .end = items + n, .due = q->due, .items = items, .last_place = items + cap};
    q->end->at = UINT64_MAX;
}

static inline void fill_l1(struct sm *sm, struct cache *c, const struct mem_request *r,
                           uint64_t now)
{
    struct cache_arrival got = cache_fill(c, r->id, now);
    if (got.writeback)
        sm_queue_writeback(sm, &r->access, cache_victim(c), now);
    ldst_wake(sm, ~0u);
    for (uint32_t i = 0; i < got.n_waiters; i++)
        if (got.waiters[i])
            record_reply(sm, got.waiters[i], now);
}

/* A reply for a load: mostly others are still to come. */
static inline void take_for(struct sm *sm, struct load_record *r, uint64_t now)
{
    if (r->outstanding == 1)
        record_reply(sm, r, now);
    else
        r->outstanding--;
}

/* The same for an L1D whose lines get their places now. */
static inline __attribute__((always_inline)) void
fill_l1d(struct sm *sm, const struct mem_request *r, uint64_t now)
{
    const struct mshr *m = &sm->l1d->mshrs.entries[r->id];
    uint32_t n_waiters = m->n_waiters;
    assert(n_waiters);
    if (!sm->l1d_is_late || !late_fill(sm->l1d, r->id, now)) {
        fill_l1(sm, sm->l1d, r, now);
        return;
    }
    ldst_wake(sm, ~0u);
    for (uint32_t i = 0; i < n_waiters; i++)
        if (m->waiters[i])
            take_for(sm, m->waiters[i], now);
}

static void fill_l1i(struct sm *sm, const struct mem_request *r, uint64_t now)
{
    struct cache_arrival got = cache_fill(sm->l1i, r->id, now);
    sm->fetch_stalled = false;
    /* MODEL: all who wait get their instructions as the line comes. Were they to fetch again, warps
     * in different places of a small cache could push each other's lines out for ever. */
    for (uint32_t i = 0; i < got.n_waiters; i++) {
        uint32_t slot = (uint32_t)(uintptr_t)got.waiters[i] - 1;
        wheel_add(&sm->wheel, now, now + 1, (struct wheel_event){EV_FETCHED, 0, &sm->warps[slot]});
    }
}

static void forget_atomic_line(struct sm_warp *w, uint64_t line)
{
    for (uint32_t i = 0; i < w->n_atomics; i++)
        if (w->atomic_lines[i] == line) {
            w->atomic_lines[i] = w->atomic_lines[--w->n_atomics];
            return;
        }
}

/* The warp has its results at once, but counts the atomic as performed only when all can see it:
 * what it does after a barrier or a fence must find the new value. False if that is still to come.
 */
static bool finish_atomic(struct sm *sm, struct mem_request *r, uint64_t now)
{
    struct sm_warp *w = &sm->warps[r->access.warp_slot];
    for (uint32_t m = r->atomic->replayed ? 0 : r->atomic->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        atomic_finish(w->emu, r->atomic->op, i, r->atomic->old[i]);
    }
    if (r->waiter)
        record_reply(sm, r->waiter, now);
    uint64_t visible_at = sm_visible_cycle(sm, r->atomic->performed_at);
    if (visible_at > now) {
        wheel_add(&sm->wheel, now, visible_at, (struct wheel_event){EV_PERFORMED, 0, r});
        return false;
    }
    forget_atomic_line(w, r->access.line);
    sm_refresh(sm, r->access.warp_slot, now);
    return true;
}

void sm_atomic_visible(struct sm *sm, struct mem_request *r, uint64_t now)
{
    forget_atomic_line(&sm->warps[r->access.warp_slot], r->access.line);
    sm_refresh(sm, r->access.warp_slot, now);
    sm_free_request(sm, r);
}

/* A line that comes may push a dirty one out, or find no place for what stores had added to it. */
static bool must_wait(const struct sm *sm, uint64_t now)
{
    return sm->miss_n + (sm->left_ahead >= now) == sm_miss_queue_places(sm);
}

/* False if the request is still needed. */
static __attribute__((noinline)) bool take_other(struct sm *sm, struct mem_request *r, uint64_t now)
{
    struct load_record *record;
    sm->stats.bytes_got += sm_wanted_bytes(r);
    switch (r->origin) {
    case FROM_L1C:
        fill_l1(sm, sm->l1c, r, now);
        break;
    case FROM_L1I:
        fill_l1i(sm, r, now);
        break;
    case FROM_BYPASS:
        record = sm->bypass[r->id];
        sm->bypass[r->id] = NULL;
        sm->n_bypass--;
        ldst_wake(sm, 1u << STALL_BYPASS_TABLE);
        record_reply(sm, record, now);
        break;
    case FROM_ATOMIC:
        return finish_atomic(sm, r, now);
    default: /* stores are not answered; see MSG_FREE */
        break;
    }
    return true;
}

static inline __attribute__((always_inline)) void take_reply(struct sm *sm, struct mem_request *r,
                                                             uint64_t now)
{
    bool lines = r->origin == FROM_L1D; /* mostly */
    if (lines && must_wait(sm, now)) {
        wheel_add(&sm->wheel, now, now + 1, (struct wheel_event){EV_REPLY, 0, r});
        sm->n_put_off++;
        return;
    }
    sm->requests_out--;
    if (lines) {
        sm->stats.bytes_got += r->data_bytes;
        fill_l1d(sm, r, now);
    } else if (!take_other(sm, r, now)) {
        return;
    }
    sm_free_request(sm, r);
}

void sm_take_reply(struct sm *sm, struct mem_request *r, uint64_t now)
{
    sm->n_put_off--;
    take_reply(sm, r, now);
}

void sm_finish_replies(struct sm *sm, uint64_t now)
{
    struct reply_queue *q = &sm->replies;
    while (q->due <= now) {
        struct mem_request *r = q->first->request;
        sm_drop_reply(q);
        take_reply(sm, r, now);
    }
}
