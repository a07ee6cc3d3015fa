/* The cycles of an SM: what arrives, and the order in which its parts work. */
#include "sm/sm.h"

#include <assert.h>

#include "base/minmax.h"
#include "sm/issue.h"

static void plan(struct sm *sm, uint64_t cycle)
{
    if (cycle < sm->planned)
        sm->planned = cycle;
}

/* Passes a reply through the port and queues it. There is always room: the requester has reserved
 * an entry. */
static inline __attribute__((always_inline)) void pass_reply(struct sm *sm, const struct message *m,
                                                             sim_time t)
{
    uint64_t at = sm_cycle_at(sm, rx_pass(&sm->in.port, t, m));
    sm_await_reply(sm, m->body, at);
}

static inline void take_back(struct sm *sm, struct mem_request *r)
{
    sm->out.n_out--;
    sm_free_request(sm, r);
}

/* Many messages change nothing in the cycle in which they arrive: a reply is usable only when its
 * last flit is through the port. So each kind plans the cycle in which the SM must act. */
static void take_message(struct sm *sm, const struct message *m, uint64_t now)
{
    sim_time t = now * sm->clock->period;
    switch (m->kind) {
    case MSG_REPLY:
        pass_reply(sm, m, t);
        plan(sm, sm->in.queue.due);
        break;
    case MSG_FREE:
        take_back(sm, m->body);
        break;
    case MSG_CTA_START:
        plan(sm, now);
        sm_start_cta(sm, (uint64_t)(uintptr_t)m->body, now);
        break;
    default:
        plan(sm, now);
        assert(m->kind < MAX_MESSAGE_KINDS && sm->handlers[m->kind].take);
        sm->handlers[m->kind].take(sm->handlers[m->kind].user, sm, m, now);
    }
}

/* The cycle in which the message is taken. */
static uint64_t message_cycle(const struct sm *sm, const struct message *m)
{
    uint64_t cycle = sm_cycle_at(sm, m->at);
    return cycle > sm->cycle ? cycle : sm->cycle;
}

/* Takes the leading replies where each arrives at the start of an SM cycle and the port passes one
 * flit per cycle, up to the first message of another kind. Usually that is all there is. Not
 * inline, so that the state of port and queue stays in host registers. */
static __attribute__((noinline)) const struct message *
take_replies(struct sm *sm, const struct message *first, sim_time until)
{
    struct rx_port *p = &sm->in.port;
    struct reply_queue *q = &sm->in.queue;
    struct timed_reply *end = q->end;
    struct port_gate gate = p->gate;
    const struct message *m = first;
    uint64_t sum = 0;
    for (; m->at < until && m->kind == MSG_REPLY; m++) {
        sim_time through = gate_pass_one_per_cycle(&gate, m->at, m->flits);
        sum += through;
        tx_credit(p->senders[m->from], through + p->latency, m->flits);
        if (end == q->last_place) {
            q->end = end;
            sm_make_room_for_replies(q);
            end = q->end;
        }
        *end++ = (struct timed_reply){sm_cycle_at(sm, through), m->body};
    }
    end->at = UINT64_MAX;
    q->end = end;
    q->due = q->first->at;
    p->gate.free_at = gate.free_at;
    p->through += sum;
    p->n_messages += (uint64_t)(m - first);
    return m;
}

/* Does the message only pass through the port, or return a request? */
static inline bool may_be_taken_ahead(const struct message *m)
{
    _Static_assert(MSG_REPLY == 1 && MSG_FREE == 2, "only these; an SM receives no MSG_REQUEST");
    return m->kind <= MSG_FREE;
}

/* All messages of the quantum are present when it begins. Takes them up to the first one that must
 * wait for its cycle. */
static inline void take_messages_ahead(struct sm *sm, sim_time until)
{
    const struct message *first = sm->shard.inbox.first, *m = first;
    if (m->at >= until)
        return;
    sim_time now = sm->cycle * sm->period.divisor;
    if (sm->in.in_step && sm->in.port.gate.is_one_per_cycle &&
        (m = take_replies(sm, m, until)) != first) {
        assert(first->at >= now);
        now = m[-1].at;
    }
    for (; m->at < until && may_be_taken_ahead(m); m++) {
        sim_time t = sm_cycle_at(sm, m->at) * sm->period.divisor;
        now = t > now ? t : now;
        if (m->kind == MSG_REPLY) {
            pass_reply(sm, m, now);
        } else { /* sent when L2 is done with the request; does not use the network */
            assert(m->kind == MSG_FREE);
            take_back(sm, m->body);
        }
    }
    if (m == first)
        return;
    shard_take_until(&sm->shard, m);
    sm->activity.last_event = now;
    plan(sm, sm->in.queue.due);
}

static void take_messages(struct sm *sm, uint64_t now)
{
    const struct message *m;
    while ((m = shard_peek(&sm->shard, now * sm->clock->period + 1))) {
        struct message copy = *m;
        shard_take(&sm->shard);
        sm->activity.last_event = now * sm->clock->period;
        take_message(sm, &copy, now);
    }
}

static inline void finish_due(struct sm *sm, uint64_t now)
{
    if (sm->in.queue.due <= now)
        sm_finish_replies(sm, now, 0);
    if (sm->wheel.due <= now)
        sm_finish_events(sm, now);
    if (sm->fetch.arrived)
        sm_take_fetched(sm, now);
}

static bool sm_has_replies(const struct sm *sm)
{
    return sm->in.queue.first != sm->in.queue.end;
}

static bool sm_is_idle(const struct shard *s)
{
    const struct sm *sm = (const struct sm *)s;
    return !sm->n_resident && !sm->out.n_out && !sm->out.n && !sm->ldst.n && !sm_has_replies(sm) &&
           wheel_is_empty(&sm->wheel) &&
           (!sm->atomics.mutexes || mutex_unit_is_idle(sm->atomics.mutexes));
}

/* Records when the SM, which has no CTA, became idle: the same cycle in both engines. */
static __attribute__((noinline)) void note_idle(struct sm *sm, uint64_t now)
{
    bool idle = sm_is_idle(&sm->shard);
    sim_time t = now * sm->clock->period;
    if (idle && sm->activity.was_busy &&
        t > sm->activity.last_event) /* a message may have been taken ahead */
        sm->activity.last_event = t;
    sm->activity.was_busy = !idle;
}

static inline void retry_mutexes(struct sm *sm, uint64_t now)
{
    struct mutex_unit *u = sm->atomics.mutexes;
    if (u && u->retry)
        mutex_unit_retry(u, now);
}

/* Every part in every cycle; no mask is used. */
static void tick_every_cycle(struct sm *sm, uint64_t now)
{
    finish_due(sm, now);
    for (uint64_t live = sm->view.live; live; live &= live - 1)
        sm_refresh(sm, (uint32_t)__builtin_ctzll(live), now);
    sm_drain_miss_queue(sm, now);
    retry_mutexes(sm, now);
    ldst_step(sm, now, now + 1);
    if (sm->atomics.mutexes)
        sm_step_mutexes(sm, now);
    sm_issue(sm, now);
    sm_fetch(sm, now);
}

static inline bool fetches(const struct sm *sm)
{
    return sm->fetch.ready && !sm->fetch.stalled;
}

/* When the mutex unit has something to do, if there is one. */
static inline uint64_t sm_mutexes_due(const struct sm *sm)
{
    return sm->atomics.mutexes ? sm->atomics.mutexes->due : UINT64_MAX;
}

/* Must a stalled access be retried in every cycle? */
static bool answer_drifts(const struct sm *sm)
{
    return sm->ldst.stalled && sm->ldst.answers_drift;
}

/* tick_every_cycle() without the parts that would do nothing. */
static void tick(struct sm *sm, uint64_t now)
{
    finish_due(sm, now);
    if (sm->out.due <= now)
        sm_drain_miss_queue(sm, now);
    retry_mutexes(sm, now);
    if (sm->ldst.due <= now || answer_drifts(sm))
        ldst_step(sm, now, now + 1);
    if (sm_mutexes_due(sm) <= now)
        sm_step_mutexes(sm, now);
    if (sm->issue.due <= now || sm->issue.drifts || sm->attribution)
        sm_issue(sm, now);
    if (fetches(sm))
        sm_fetch(sm, now);
    if (sm->out.due <= now + 1 && sm_looks_ahead(sm))
        sm_drain_ahead(sm, now + 1);
}

/* Can only a message change anything? The per-cycle engine uses this alone, to detect a deadlock.
 */
static bool only_waits(const struct sm *sm)
{
    return !sm->issue.ready && !sm->fetch.ready && !sm->fetch.arrived && !sm->ldst.n &&
           !sm->out.n && !sm_has_replies(sm) && wheel_is_empty(&sm->wheel) &&
           sm_mutexes_due(sm) == UINT64_MAX;
}

/* The next due cycle, if no fetch is in flight or possible. */
static inline uint64_t next_due(const struct sm *sm, uint64_t now)
{
    uint64_t next = min_u64(sm->issue.due, min_u64(sm->ldst.due, sm->out.due));
    next = min_u64(next, min_u64(sm->wheel.due, sm->in.queue.due));
    return next > now ? next : now + 1;
}

/* The next cycle in which something can happen without a message. */
static inline uint64_t next_cycle(const struct sm *sm, uint64_t now)
{
    if (sm->fetch.arrived || fetches(sm) || sm->issue.due <= now + 1)
        return now + 1; /* no need to look further */
    return next_due(sm, now);
}

static bool has_fault(const struct sm *sm)
{
    return sm->emu.fault.kind != FAULT_NONE;
}

static uint64_t next_cycle_by_looking(const struct sm *sm, uint64_t now)
{
    return only_waits(sm) ? UINT64_MAX : now + 1;
}

/* One cycle, except for messages. */
static void do_cycle(struct sm *sm, uint64_t now)
{
    if (sm->attribution)
        attribution_catch_up(sm, now);
    if (sm->every_cycle) {
        tick_every_cycle(sm, now);
        sm->planned = next_cycle_by_looking(sm, now);
    } else if (sm->planned <= now) {
        tick(sm, now);
        sm->planned = answer_drifts(sm) || sm_mutexes_due(sm) <= now + 1
                          ? now + 1
                          : min_u64(next_cycle(sm, now), sm_mutexes_due(sm));
    }
    if (has_fault(sm))
        sm->planned = UINT64_MAX;
    if (!sm->n_resident)
        note_idle(sm, now);
    sm->cycle = now + 1;
}

/* The next cycle with something to do: what was planned for an earlier one comes now. */
static uint64_t planned_cycle(const struct sm *sm)
{
    return sm->planned > sm->cycle ? sm->planned : sm->cycle;
}

/* The first half of tick() if all parts use their due times, from `now` on and before `end`.
 * Returns the cycle it stopped in, which end_by_dues() must finish. */
static inline __attribute__((always_inline)) uint64_t begin_by_dues(struct sm *sm, uint64_t now,
                                                                    uint64_t end)
{
    if (sm->in.queue.due <= now)
        now = sm_finish_replies(sm, now, end);
    if (sm->wheel.due <= now) {
        if (wheel_only_wakes(&sm->wheel, now)) {
            sm_wake_warps(sm, now);
            sm->wheel.due = wheel_next(&sm->wheel, now + 1);
        } else {
            sm_finish_events(sm, now);
        }
    }
    if (sm->fetch.arrived)
        sm_take_fetched(sm, now);
    if (sm->out.due <= now)
        sm_drain_miss_queue(sm, now);
    return sm->ldst.due <= now ? ldst_step(sm, now, end) : now;
}

/* Issues in cycle `now`, and in the following ones before `end` if a warp issues alone. Returns the
 * last cycle. */
static inline __attribute__((always_inline)) uint64_t issue_by_dues(struct sm *sm, uint64_t now,
                                                                    uint64_t end)
{
    uint64_t ready = sm->issue.ready;
    if (ready && !(ready & (ready - 1)) && sm->wheel.due > now + 1 && sm->issue.may_issue_alone)
        return sm_issue_alone(sm, now, end);
    sm_issue_cycle(sm, now, PLANNED_RESULTS); /* which looks_ahead implies */
    return now;
}

/* The second half, first for cycle `now`. Returns the next cycle with something to do. */
static inline __attribute__((always_inline)) uint64_t end_by_dues(struct sm *sm, uint64_t now,
                                                                  uint64_t end)
{
    bool idles = true; /* nothing was issued, fetched or sent */
    while (sm->issue.due <= now) {
        now = issue_by_dues(sm, now, end);
        idles = false;
    }
    if (fetches(sm)) {
        sm_fetch(sm, now);
        idles = false;
    }
    if (sm->out.due <= now + 1) {
        sm_drain_ahead(sm, now + 1); /* which may let a stalled fetch continue */
        idles = false;
    }
    if (!sm->n_resident)
        note_idle(sm, now);
    sm->cycle = now + 1;
    if (idles)
        return next_due(sm, now);
    return has_fault(sm) ? UINT64_MAX : next_cycle(sm, now);
}

static inline void do_cycles_by_dues(struct sm *sm, uint64_t end)
{
    uint64_t now = planned_cycle(sm);
    while (now < end)
        now = end_by_dues(sm, begin_by_dues(sm, now, end), end);
    sm->planned = now;
}

/* The cycles before `end`, in which no message arrives. */
static inline void do_cycles_before(struct sm *sm, uint64_t end)
{
    if (sm->skips_units_not_due) {
        do_cycles_by_dues(sm, end);
        return;
    }
    uint64_t now;
    while ((now = planned_cycle(sm)) < end)
        do_cycle(sm, now);
}

/* A cycle in which a message arrives: rare, because most are taken ahead of time. */
static __attribute__((noinline)) void do_cycle_with_mail(struct sm *sm, uint64_t now)
{
    if (sm->attribution)
        attribution_catch_up(sm, now);
    take_messages(sm, now);
    do_cycle(sm, now);
}

/* Plans retries for the cycle in which awaited credits return. */
static void see_credits(struct sm *sm)
{
    if (sm->shard.credit_at == TIME_NEVER)
        return;
    uint64_t at = sm_cycle_at(sm, sm->shard.credit_at);
    sm->out.due = min_u64(sm->out.due, sm->out.n ? at : UINT64_MAX);
    if (sm->ldst.stalled && (sm->ldst.cause == STALL_PORT || sm->ldst.stalls_may_bypass))
        sm->ldst.due = min_u64(sm->ldst.due, at);
    plan(sm, min_u64(sm->out.due, sm->ldst.due));
}

/* The cycle of the next message that must be taken exactly when it is due, or `end` (the cycle of
 * `until`) if there is none before. */
static inline uint64_t next_mail(struct sm *sm, sim_time until, uint64_t end)
{
    if (has_fault(sm))
        return end;
    if (sm_looks_ahead(sm))
        take_messages_ahead(sm, until);
    const struct message *m = shard_peek(&sm->shard, until);
    return m ? min_u64(message_cycle(sm, m), end) : end;
}

static void sm_advance(struct shard *s, sim_time until)
{
    struct sm *sm = (struct sm *)s;
    uint64_t end = sm_cycle_at(sm, until), mail;
    see_credits(sm);
    do {
        sm->end = mail = next_mail(sm, until, end);
        do_cycles_before(sm, mail);
        if (mail < end)
            do_cycle_with_mail(sm, mail);
    } while (mail < end);
    uint64_t next = planned_cycle(sm);
    s->next = next == UINT64_MAX ? TIME_NEVER : next * sm->period.divisor;
    if (has_fault(sm))
        shard_fail(s);
    if (sm->overlay.n | sm->printed.len | sm->heap.n | (uintptr_t)sm->emu.tracer)
        shard_await_boundary(s);
}

const struct shard_ops sm_ops = {
    .kind = "sm", .advance = sm_advance, .is_idle = sm_is_idle, .describe_wait = sm_describe_wait};
