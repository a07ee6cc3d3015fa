/* The engine: lets the shards of a machine advance quantum by quantum.
 *
 * Within a quantum a shard reads and writes nothing but itself, and what it sends. Because every
 * message takes at least a quantum, one that is sent in a quantum is usable only after its end:
 * neither the length of a quantum nor the order of the shards in it can be seen, nor on how many
 * threads they are done. Between quanta the caller's thread alone looks for the next event.
 *
 * Most shards of a machine that waits for memory are at rest in most quanta. So when each wants to
 * be woken stands in one array, and a shard at rest costs a look at that. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/team.h"
#include "noc/mail.h"
#include "noc/port.h"
#include "noc/wakes.h"

static sim_time min_time(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

/* When the shard next has something to do, by itself or because of what it has received. */
static sim_time wake_time(const struct shard *s)
{
    return min_time(min_time(s->next, s->credit_at), s->inbox.first->at);
}

/* When enough credits will be back for one of the shard's ports that lacks them. */
static void look_for_credits(struct shard *s)
{
    s->starved = false;
    for (uint32_t i = 0; i < SHARD_NETWORKS; i++)
        if (s->tx[i] && s->tx[i]->wants->n) {
            s->credit_at = min_time(s->credit_at, tx_awaited(s->tx[i]));
            s->starved |= s->tx[i]->wants->n > 0;
        }
}

/* How far apart the times in engine.wake stand. */
static uint32_t wake_step(const struct engine *e)
{
    return e->team ? sizeof(struct letter_flag) / sizeof(sim_time) : 1;
}

static sim_time *wake_of(const struct engine *e, uint32_t id)
{
    return &e->wake[id * wake_step(e)];
}

static __attribute__((noinline)) void wake_for_credits(struct engine *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        if (!s->starved)
            continue;
        look_for_credits(s);
        any |= s->starved;
        *wake_of(e, i) = min_time(*wake_of(e, i), s->credit_at);
        e->earliest = min_time(e->earliest, s->credit_at);
    }
    atomic_store_explicit(&e->any_starved, any, memory_order_relaxed);
}

static sim_time earliest_wake(const struct engine *e)
{
    sim_time earliest = TIME_NEVER;
    uint32_t step = wake_step(e);
    for (const sim_time *at = e->wake, *end = at + e->n * step; at != end; at += step)
        earliest = min_time(earliest, *at);
    return earliest;
}

static sim_time earliest_event(struct engine *e)
{
    if (atomic_load_explicit(&e->any_starved, memory_order_relaxed))
        wake_for_credits(e);
    return e->earliest;
}

static bool all_idle(const struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (!e->shards[i]->ops->is_idle(e->shards[i]))
            return false;
    return true;
}

static bool is_boundary_due(const struct engine *e)
{
    return e->period > 0 && atomic_load_explicit(&e->boundary_due, memory_order_relaxed);
}

static sim_time boundary_from(const struct engine *e, sim_time t)
{
    return e->period > 0 ? (t + e->period - 1) / e->period * e->period : TIME_NEVER;
}

/* Mostly not beyond a boundary. */
static void move_to(struct engine *e, sim_time t)
{
    e->now = t;
    if (e->boundary < t)
        e->boundary = boundary_from(e, t);
}

/* Where the next quantum begins: at the next event, but not beyond a boundary that is due. */
static sim_time quantum_start(const struct engine *e, sim_time event)
{
    sim_time start = e->skip && event > e->now ? event : e->now;
    return is_boundary_due(e) ? min_time(start, e->boundary) : start;
}

static sim_time quantum_end(const struct engine *e, sim_time limit)
{
    sim_time end = min_time(e->now + e->quantum, limit);
    sim_time boundary = e->boundary > e->now ? e->boundary : e->now + e->period;
    if (boundary < end)
        end = boundary;
    return end;
}

static inline void note_wake(struct engine *e, const struct shard *s)
{
    if (e->team) /* what it has sent, nobody has taken in yet */
        *wake_of(e, s->id) = min_time(wake_time(s), s->sent_at);
    else
        e->wake[s->id] = wake_time(s);
}

/* Somebody else than the engine may have given the shards something to do. */
static void note_all_wakes(struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        note_wake(e, e->shards[i]);
    e->earliest = earliest_wake(e);
}

static void pass_boundary(struct engine *e)
{
    if (e->now != e->boundary || (e->skip && !is_boundary_due(e)))
        return;
    if (e->at_boundary) {
        e->at_boundary(e->user, e->now);
        note_all_wakes(e);
    }
    atomic_store_explicit(&e->boundary_due, false, memory_order_relaxed);
}

/* Something is due in the present quantum, which ends then. */
static inline void let_advance(struct shard *s, sim_time end)
{
    s->until = end;
    s->ops->advance(s, end);
    s->credit_at = TIME_NEVER;
    assert(s->next >= end); /* a message may wait for the receiver's next tick */
}

/* Lets shards advance, a bit for each; returns when the first of them next wants to be woken. Not
 * inline: it needs all of the host's registers that outlive a call. */
static __attribute__((noinline)) sim_time advance_due(struct shard **shards, sim_time *wake,
                                                      uint64_t due, sim_time end)
{
    sim_time earliest = TIME_NEVER;
    for (; due; due &= due - 1) {
        int i = __builtin_ctzll(due);
        struct shard *s = shards[i];
        let_advance(s, end);
        wake[i] = min_time(s->next, s->inbox.first->at);
        earliest = min_time(earliest, wake[i]);
    }
    return earliest;
}

/* On the way it finds out when the next shard wants to be woken: the time of one that has been
 * passed changes only by what is sent to it. */
static void run_alone(struct engine *e, sim_time end)
{
    sim_time earliest = TIME_NEVER;
    e->first_sent = TIME_NEVER;
    for (uint32_t i = 0; i < e->n; i += WAKES_AT_MOST) {
        struct wakes w = wakes_before(e->wake + i, e->n - i, end);
        earliest = min_time(earliest, w.later);
        if (w.due)
            earliest = min_time(earliest, advance_due(e->shards + i, e->wake + i, w.due, end));
    }
    e->earliest = min_time(earliest, e->first_sent);
}

static void take_turn(struct engine *e, struct shard *s)
{
    bool mail = mail_has_come(s, 1 - e->side);
    if (*wake_of(e, s->id) >= e->end && !mail)
        return;
    s->sent_at = TIME_NEVER;
    s->out[e->side].n = 0;
    if (mail)
        mail_take_in(s, 1 - e->side, e->now);
    if (wake_time(s) < e->end)
        let_advance(s, e->end);
    note_wake(e, s);
}

/* What the caller wants to know of the shards afterwards each member brings together for its own:
 * half of them were last written on another core, and to look at each takes as long as to simulate
 * some instructions. */
static void run_item(void *user, uint32_t i, uint32_t as_member)
{
    struct engine *e = user;
    struct engine_member *m = &e->members[as_member];
    take_turn(e, e->shards[i]);
    sim_time wake = *wake_of(e, i);
    m->earliest = m->quantum == e->n_quanta ? min_time(m->earliest, wake) : wake;
    m->quantum = e->n_quanta;
}

static void run_together(struct engine *e)
{
    e->side = 1 - e->side;
    e->n_quanta++;
    team_run(e->team, e->n, run_item, e);
    e->earliest = TIME_NEVER;
    for (uint32_t i = 0; i < team_size(e->team); i++)
        if (e->members[i].quantum == e->n_quanta)
            e->earliest = min_time(e->earliest, e->members[i].earliest);
}

static void run_quantum(struct engine *e, sim_time end)
{
    e->end = end;
    if (e->team)
        run_together(e);
    else
        run_alone(e, end);
    move_to(e, end);
}

/* A message takes a cycle of the port, and its latency. */
static void check_ports(const struct shard *s, uint32_t n_shards)
{
    for (uint32_t i = 0; i < SHARD_NETWORKS; i++)
        if (s->tx[i]) {
            assert(s->tx[i]->latency + s->tx[i]->gate.period >= s->min_latency);
            assert(s->tx[i]->first_receiver + s->tx[i]->n_receivers <= n_shards);
        }
}

static void connect_ports(struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t net = 0; net < SHARD_NETWORKS; net++) {
            if (e->shards[i]->tx[net])
                tx_connect(e->shards[i]->tx[net]);
            if (e->shards[i]->rx[net])
                rx_connect(e->shards[i]->rx[net]);
        }
}

static void check_machine(const struct engine *e)
{
    assert(e->quantum > 0);
    for (uint32_t i = 0; i < e->n; i++) {
        assert(e->shards[i]->id == i);
        assert(e->quantum <= e->shards[i]->min_latency);
        check_ports(e->shards[i], e->n);
    }
}

enum engine_end engine_run(struct engine *e, bool (*is_done)(void *user), void *user,
                           sim_time limit, const volatile bool *stop)
{
    check_machine(e);
    connect_ports(e);
    if (e->team && !e->members)
        e->members = xcalloc_lines(team_size(e->team) * sizeof *e->members);
    e->limit = limit;
    e->boundary = boundary_from(e, e->now);
    note_all_wakes(e); /* between two runs things may have been sent or changed */
    for (;;) {
        if (stop && *stop)
            return ENGINE_STOPPED;
        if (is_done && is_done(user))
            return ENGINE_DONE;
        sim_time event = earliest_event(e);
        /* A boundary still to come may wake someone. */
        if (event == TIME_NEVER && !is_boundary_due(e))
            return !is_done && all_idle(e) ? ENGINE_DONE : ENGINE_DEADLOCK;
        sim_time start = quantum_start(e, event);
        move_to(e, min_time(start, limit));
        if (e->now == limit)
            return ENGINE_LIMIT;
        pass_boundary(e);
        run_quantum(e, quantum_end(e, limit));
    }
}

void engine_describe_wait(const struct engine *e, struct strbuf *out)
{
    for (uint32_t i = 0; i < e->n; i++) {
        const struct shard *s = e->shards[i];
        if (s->ops->is_idle(s))
            continue;
        size_t before = out->len;
        if (s->ops->describe_wait)
            s->ops->describe_wait(s, out);
        if (out->len == before)
            strbuf_addf(out, "%s (shard %u) does not say what it waits for", s->ops->kind, s->id);
        if (out->text[out->len - 1] != '\n')
            strbuf_add_char(out, '\n');
    }
}
