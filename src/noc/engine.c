/* The engine: lets the shards of a machine advance quantum by quantum.
 *
 * Within a quantum a shard reads and writes nothing but itself, its outbox and its own marks in the
 * letterboxes of others (mail.c) included. Because every message takes at least a quantum, one that
 * is sent in a quantum is usable only after its end: neither the length of a quantum nor the order
 * of the shards in it can be seen, nor on how many threads they are done. Between quanta the
 * caller's thread alone looks for the next event. */
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "noc/mail.h"
#include "noc/port.h"

static sim_time min_time(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

/* When the shard next has something to do, by itself or because of what it has received. */
static sim_time wake_time(const struct shard *s)
{
    const struct message_queue *q = &s->inbox;
    sim_time t = min_time(s->next, s->credit_at);
    return q->n > 0 ? min_time(q->items[q->head].at, t) : t;
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

static void wake_for_credits(struct shard *s, struct shard_wake *w)
{
    look_for_credits(s);
    w->starved = s->starved;
    w->own = min_time(w->own, s->credit_at);
    w->at = min_time(w->at, s->credit_at);
}

static sim_time earliest_event(const struct engine *e)
{
    sim_time earliest = TIME_NEVER;
    struct shard_wake *end = e->wake + e->n;
    for (struct shard_wake *w = e->wake; w != end; w++) {
        if (w->starved)
            wake_for_credits(e->shards[w - e->wake], w);
        earliest = min_time(earliest, w->at);
    }
    return earliest;
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

/* The first multiple of the period at or after t. */
static sim_time boundary_from(const struct engine *e, sim_time t)
{
    return (t + e->period - 1) / e->period * e->period;
}

/* Where the next quantum begins: at the next event, but not beyond a boundary that is due. */
static sim_time quantum_start(const struct engine *e, sim_time event)
{
    sim_time start = e->skip && event > e->now ? event : e->now;
    if (is_boundary_due(e)) {
        sim_time boundary = boundary_from(e, e->now);
        if (boundary < start)
            start = boundary;
    }
    return start;
}

static sim_time quantum_end(const struct engine *e, sim_time limit)
{
    sim_time end = e->now + e->quantum;
    if (e->period > 0) {
        sim_time boundary = boundary_from(e, e->now + 1);
        if (boundary < end)
            end = boundary;
    }
    return end < limit ? end : limit;
}

static void note_wake(struct engine *e, const struct shard *s)
{
    struct shard_wake *w = &e->wake[s->id];
    w->own = wake_time(s);
    w->at = min_time(w->own, s->sent_at);
    w->starved = s->starved;
}

/* Somebody else than the engine may have given the shards something to do. */
static void note_all_wakes(struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        note_wake(e, e->shards[i]);
}

static void pass_boundary(struct engine *e)
{
    if (e->period == 0 || e->now % e->period != 0 || (e->skip && !is_boundary_due(e)))
        return;
    if (e->at_boundary) {
        e->at_boundary(e->user, e->now);
        note_all_wakes(e);
    }
    atomic_store_explicit(&e->boundary_due, false, memory_order_relaxed);
}

/* Any number of threads may note it; those that come later leave the cache line alone. */
static void note_once(atomic_bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

static __attribute__((noinline)) void advance_shard(struct engine *e, struct shard *s, bool mail)
{
    s->sent_at = TIME_NEVER;
    if (mail)
        mail_take_in(s, 1 - e->side, e->now);
    if (wake_time(s) < e->end) {
        s->out[e->side].n = 0;
        s->until = e->end;
        s->ops->advance(s, e->end);
        assert(s->next >= e->end); /* a message may wait for the receiver's next tick */
        note_once(&e->boundary_due);
        if (s->failed)
            note_once(&e->any_failed);
    }
    note_wake(e, s);
}

/* A shard at rest is the most frequent case on a machine that waits for memory. */
static inline void run_shard(struct engine *e, uint32_t i)
{
    struct shard_wake *w = &e->wake[i];
    bool mail = atomic_load_explicit(&w->mail[1 - e->side], memory_order_relaxed);
    if (w->own < e->end || mail)
        advance_shard(e, e->shards[i], mail);
    else
        w->at = w->own;
}

static void run_item(void *user, uint32_t i)
{
    run_shard(user, i);
}

static void run_quantum(struct engine *e, sim_time end)
{
    e->end = end;
    e->side = 1 - e->side;
    if (e->team)
        team_run(e->team, e->n, run_item, e);
    else
        for (uint32_t i = 0; i < e->n; i++)
            run_shard(e, i);
    e->now = end;
}

static void check_machine(const struct engine *e)
{
    assert(e->quantum > 0);
    for (uint32_t i = 0; i < e->n; i++) {
        assert(e->shards[i]->id == i);
        assert(e->quantum <= e->shards[i]->min_latency);
    }
}

enum engine_end engine_run(struct engine *e, bool (*is_done)(void *user), void *user,
                           sim_time limit, const volatile bool *stop)
{
    check_machine(e);
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
        e->now = start < limit ? start : limit;
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
