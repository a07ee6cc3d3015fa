/* The engine: lets the shards of a machine advance quantum by quantum and carries their messages.
 *
 * Within a quantum a shard reads and writes nothing but itself, its outbox included; between quanta
 * outboxes are emptied in the order of sender ids into inboxes kept sorted by (at, from, order).
 * Because every message takes at least a quantum, one that is sent in a quantum is usable only
 * after its end: neither the length of a quantum nor the order of the shards in it can be seen.
 * The loop over the shards of a quantum is therefore free to be shared among threads; today one
 * thread runs it. */
#include "noc/shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void shard_destroy(struct shard *s)
{
    free(s->inbox.items);
    free(s->outbox);
    memset(&s->inbox, 0, sizeof s->inbox);
    s->outbox = NULL;
    s->n_out = s->cap_out = 0;
}

void shard_send(struct shard *s, sim_time now, struct message m)
{
    assert(m.at >= now + s->min_latency);
    m.from = s->id;
    ARRAY_RESERVE(s->outbox, s->cap_out, s->n_out + 1);
    s->outbox[s->n_out++] = m;
}

static bool is_before(const struct message *a, const struct message *b)
{
    return a->at != b->at ? a->at < b->at : a->from < b->from;
}

/* Makes room for one message behind the last: the space in front is reused once it is half of all,
 * so that each message is moved at most once for it. */
static void inbox_reserve(struct message_queue *q)
{
    if (q->head + q->n < q->cap)
        return;
    if (q->head > q->cap / 2) {
        memmove(q->items, q->items + q->head, q->n * sizeof *q->items);
        q->head = 0;
    } else {
        ARRAY_RESERVE(q->items, q->cap, q->head + q->n + 1);
    }
}

/* Inserts behind all that are not after it: messages of one sender come in the order of sending. */
static void inbox_insert(struct message_queue *q, const struct message *m)
{
    inbox_reserve(q);
    struct message *items = q->items + q->head;
    uint32_t low = 0, high = q->n;
    if (high > 0 && !is_before(m, &items[high - 1]))
        low = high;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (is_before(m, &items[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    if (low < q->n)
        memmove(items + low + 1, items + low, (q->n - low) * sizeof *items);
    items[low] = *m;
    q->n++;
}

/* Carries everything sent so far to where it goes; `now` is where the next quantum begins. */
static void exchange(struct engine *e, sim_time now)
{
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        for (uint32_t k = 0; k < s->n_out; k++) {
            const struct message *m = &s->outbox[k];
            assert(m->at >= now); /* else the receiver might have passed that time already */
            assert(m->to < e->n);
            inbox_insert(&e->shards[m->to]->inbox, m);
        }
        s->n_out = 0;
    }
}

/* When the shard next has something to do, by itself or because of a message. */
static sim_time wake_time(const struct shard *s)
{
    const struct message_queue *q = &s->inbox;
    sim_time message = q->n > 0 ? q->items[q->head].at : TIME_NEVER;
    return message < s->next ? message : s->next;
}

static sim_time earliest_event(const struct engine *e)
{
    sim_time earliest = TIME_NEVER;
    for (uint32_t i = 0; i < e->n; i++) {
        sim_time t = wake_time(e->shards[i]);
        if (t < earliest)
            earliest = t;
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

/* The first multiple of the period at or after t. */
static sim_time boundary_from(const struct engine *e, sim_time t)
{
    return (t + e->period - 1) / e->period * e->period;
}

/* Where the next quantum begins: at the next event, but not beyond a boundary that is due. */
static sim_time quantum_start(const struct engine *e, sim_time event)
{
    sim_time start = e->skip && event > e->now ? event : e->now;
    if (e->boundary_due && e->period > 0) {
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

static void pass_boundary(struct engine *e)
{
    if (e->period == 0 || e->now % e->period != 0 || (e->skip && !e->boundary_due))
        return;
    if (e->at_boundary)
        e->at_boundary(e->user, e->now);
    e->boundary_due = false;
}

static void run_quantum(struct engine *e, sim_time end)
{
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        if (wake_time(s) >= end)
            continue;
        s->ops->advance(s, end);
        assert(s->next >= end); /* a message may wait for the receiver's next tick */
        e->boundary_due = e->period > 0;
    }
    exchange(e, end);
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
    exchange(e, e->now); /* what was sent from outside, between two runs */
    for (;;) {
        if (stop && *stop)
            return ENGINE_STOPPED;
        if (is_done && is_done(user))
            return ENGINE_DONE;
        sim_time event = earliest_event(e);
        /* A boundary still to come may wake someone. */
        if (event == TIME_NEVER && !e->boundary_due)
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
        strbuf_addf(out, "%s (shard %u): ", s->ops->kind, s->id);
        size_t before = out->len;
        if (s->ops->describe_wait)
            s->ops->describe_wait(s, out);
        if (out->len == before)
            strbuf_add(out, "does not say what it waits for");
        if (out->text[out->len - 1] != '\n')
            strbuf_add_char(out, '\n');
    }
}
