/* What the replies of memory slices bring and release. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cache/fast.h"
#include "sm/send.h"

/* Replies move to the front; the array is doubled until those that the SM can have outstanding fill
 * at most half of it, so that they seldom move. */
void sm_make_room_for_replies(struct reply_queue *q)
{
    size_t n = (size_t)(q->end - q->first), cap = (size_t)(q->last_place - q->items);
    struct timed_reply *items = q->items;
    if (2 * n >= cap) {
        cap = cap ? 2 * cap : 64;
        items = xalloc(cap + 1, sizeof *items);
    }
    if (n)
        memmove(items, q->first, n * sizeof *items);
    if (items != q->items)
        free(q->items);
    *q = (struct reply_queue){
        .first = items, .end = items + n, .due = q->due, .items = items, .last_place = items + cap};
    q->end->at = UINT64_MAX;
}

/* Queues the write-back that a fill caused, if any, and notifies the waiting loads. */
static inline void hand_out(struct sm *sm, struct cache *c, const struct mem_request *r,
                            struct cache_arrival got, uint64_t now)
{
    if (got.writeback)
        sm_queue_writeback(sm, &r->access, cache_victim(c), now);
    for (uint32_t i = 0; i < got.n_waiters; i++)
        if (got.waiters[i])
            sm_record_reply(sm, got.waiters[i], now);
}

static inline __attribute__((always_inline)) void
fill_l1d(struct sm *sm, const struct mem_request *r, uint64_t now)
{
    struct cache_arrival got = cache_fill_now(sm->l1d, r->id, now);
    ldst_wake_for_fill(sm, got.set);
    hand_out(sm, sm->l1d, r, got, now);
}

static void fill_l1c(struct sm *sm, const struct mem_request *r, uint64_t now)
{
    struct cache_arrival got = cache_fill(sm->l1c, r->id, now);
    ldst_wake(sm, ~0u);
    hand_out(sm, sm->l1c, r, got, now);
}

static void fill_l1i(struct sm *sm, const struct mem_request *r, uint64_t now)
{
    struct cache_arrival got = cache_fill(sm->l1i, r->id, now);
    sm->fetch.stalled = false;
    /* MODEL: all waiting warps get their instructions when the line arrives. If they fetched again,
     * warps at different places of a program could evict each other's lines forever. */
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

/* The warp gets its results at once, but the atomic counts as performed only when it is visible
 * to all: what follows a barrier or a fence must find the new value. False if that is still to
 * come. */
static bool finish_atomic(struct sm *sm, struct mem_request *r, uint64_t now)
{
    struct sm_warp *w = &sm->warps[r->access.warp_slot];
    sim_time visible = sm->atomics.desc->answer(&sm->atomics, r, w->emu);
    if (r->waiter)
        sm_record_reply(sm, r->waiter, now);
    uint64_t visible_at = clock_cycle_at(sm->clock, visible);
    if (visible_at > now) {
        wheel_add(&sm->wheel, now, visible_at, (struct wheel_event){EV_PERFORMED, 0, r});
        return false;
    }
    forget_atomic_line(w, r->access.line);
    sm_refresh(sm, r->access.warp_slot, now);
    return true;
}

void sm_answer_atomic(struct sm *sm, struct mem_request *r, uint64_t now)
{
    if (finish_atomic(sm, r, now))
        sm_free_request(sm, r);
}

void sm_atomic_visible(struct sm *sm, struct mem_request *r, uint64_t now)
{
    forget_atomic_line(&sm->warps[r->access.warp_slot], r->access.line);
    sm_refresh(sm, r->access.warp_slot, now);
    sm_free_request(sm, r);
}

/* Must the reply wait because the miss queue is full? Filling the line may require a write-back: of
 * a dirty victim, or of bytes that stores added if the line gets no way. */
static bool must_wait(const struct sm *sm, uint64_t now)
{
    return sm->out.n + (sm->out.left_ahead >= now) == sm_miss_queue_places(sm);
}

static void put_off(struct sm *sm, struct mem_request *r, uint64_t now)
{
    wheel_add(&sm->wheel, now, now + 1, (struct wheel_event){EV_REPLY, 0, r});
    sm->in.n_put_off++;
}

/* A reply is taken, not put off. */
static inline void count_reply(struct sm *sm, uint32_t bytes)
{
    sm->out.n_out--;
    sm->stats.bytes_got += bytes;
}

/* Handles every reply except plain L1D fills (FROM_L1D). Returns false if the request is still in
 * use. */
static __attribute__((noinline)) bool bring_other(struct sm *sm, struct mem_request *r,
                                                  uint64_t now)
{
    struct load_record *record;
    if (r->origin == FROM_ATOMIC_FETCH && must_wait(sm, now)) {
        put_off(sm, r, now);
        return false;
    }
    count_reply(sm, sm_wanted_bytes(r));
    sm->in.n_writes = r->n_writes;
    switch (r->origin) {
    case FROM_L1C:
        fill_l1c(sm, r, now);
        break;
    case FROM_L1I:
        fill_l1i(sm, r, now);
        break;
    case FROM_BYPASS:
        record = sm->ldst.bypass[r->id];
        sm->ldst.free_bypass[--sm->ldst.n_bypass] = r->id;
        ldst_wake(sm, 1u << STALL_BYPASS_TABLE);
        sm_record_reply(sm, record, now);
        break;
    case FROM_ATOMIC:
        return finish_atomic(sm, r, now);
    case FROM_ATOMIC_FETCH:
        fill_l1d(sm, r, now);
        break;
    case FROM_ATOMIC_WRITE:
        mutex_unit_acknowledge(sm->atomics.mutexes, r->id, now);
        break;
    default: /* stores are not answered; see MSG_FREE */
        assert(false);
    }
    return true;
}

static inline __attribute__((always_inline)) void take_reply(struct sm *sm, struct mem_request *r,
                                                             uint64_t now)
{
    if (r->origin != FROM_L1D) {
        if (bring_other(sm, r, now))
            sm_free_request(sm, r);
    } else if (must_wait(sm, now)) {
        put_off(sm, r, now);
    } else {
        count_reply(sm, r->data_bytes);
        fill_l1d(sm, r, now);
        sm_free_request(sm, r);
    }
}

void sm_retry_put_off_reply(struct sm *sm, struct mem_request *r, uint64_t now)
{
    sm->in.n_put_off--;
    take_reply(sm, r, now);
}

/* Is only a reply due in the SM up to that cycle, which is before `end`? */
static inline bool only_replies_until(const struct sm *sm, uint64_t cycle, uint64_t end)
{
    return cycle < end && sm->issue.due > cycle && sm->ldst.due > cycle && sm->wheel.due > cycle &&
           sm->out.due > cycle && !sm->fetch.arrived && (!sm->fetch.ready || sm->fetch.stalled);
}

uint64_t sm_finish_replies(struct sm *sm, uint64_t now, uint64_t end)
{
    for (uint64_t next = now;; next = sm->in.queue.due) {
        if (next > now) {
            if (!only_replies_until(sm, next, end))
                return now;
            now = next;
        }
        struct mem_request *r = sm->in.queue.first->request;
        sm_drop_reply(&sm->in.queue);
        take_reply(sm, r, now);
    }
}
