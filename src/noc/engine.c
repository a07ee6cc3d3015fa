/* The engine: advances the shards of a machine quantum by quantum.
 *
 * Within a quantum a shard accesses nothing but itself and what it sends. Every message takes at
 * least a latency L, so a message sent in a quantum of that length is usable only after its end.
 * Hence results depend neither on the length of a quantum, nor on the order of the shards in it,
 * nor on the number of threads. Between quanta only the caller's thread looks for the next event.
 *
 * If the shards form two halves that only send to each other, like SMs and memory slices
 * (part_graph.h finds them), the halves take turns, which makes quanta longer. If this half's next
 * event is at h and the other's at o, nothing arrives here before o + L, and no effect of this half
 * comes back before h + 2 L; so this half may advance to the earlier of the two. If both are busy,
 * each advances 2 L at a time: one is always L ahead of the other.
 *
 * A boundary is a multiple of `period`, at which stores and atomics become visible.
 *
 * While a machine waits for memory, most shards are idle in most quanta. So one array holds all
 * wake-up times, and an idle shard costs one comparison. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/minmax.h"
#include "base/team.h"
#include "noc/mail.h"
#include "noc/port.h"
#include "noc/wakes.h"

/* When the shard next has something to do: by itself, because of a message or because credits are
 * back. */
static sim_time wake_time(const struct shard *s)
{
    return min_u64(min_u64(s->next, s->credit_at), s->inbox.first->at);
}

/* Lowers credit_at to the earliest time at which a waiting port of the shard will have enough
 * credits. Leaves `starved` set if for some wait that time is not known yet. */
static void look_for_credits(struct shard *s)
{
    s->starved = false;
    for (uint32_t i = 0; i < SHARD_NETWORKS; i++)
        if (s->tx[i] && s->tx[i]->wants->n) {
            s->credit_at = min_u64(s->credit_at, tx_awaited(s->tx[i]));
            s->starved |= s->tx[i]->wants->n > 0;
        }
}

/* The distance between entries of engine.wake. */
static uint32_t wake_step(const struct engine *e)
{
    return e->team ? sizeof(struct letter_flag) / sizeof(sim_time) : 1;
}

static inline struct engine_half *half_of(struct engine *e, uint32_t id)
{
    return &e->halves[e->n_first && id >= e->n_first];
}

/* The shards that a half sends to. */
static inline struct engine_half *other_half(struct engine *e, const struct engine_half *h)
{
    return &e->halves[e->n_first ? h == e->halves : 0];
}

/* With one thread, the wake-up times of each half begin at a multiple of WAKE_GROUP entries, for
 * vector comparison (wakes.h). */
static void place_half(struct engine *e, struct engine_half *h, uint32_t first, uint32_t n)
{
    uint32_t before = (first * wake_step(e) + WAKE_GROUP - 1) / WAKE_GROUP * WAKE_GROUP;
    *h = (struct engine_half){
        .first = first, .n = n, .wake = e->wake + before, .earliest = TIME_NEVER, .end = e->now};
}

void engine_place(struct engine *e)
{
    uint32_t n_first = e->n_first ? e->n_first : e->n;
    place_half(e, &e->halves[0], 0, n_first);
    place_half(e, &e->halves[1], n_first, e->n - n_first);
    memset(e->wake, UINT8_MAX, e->n * sizeof(struct letter_flag)); /* TIME_NEVER after the last */
    for (uint32_t i = 0; i < e->n; i++) {
        const struct engine_half *h = half_of(e, i);
        e->shards[i]->wake = h->wake + (i - h->first) * wake_step(e);
    }
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
        *s->wake = min_u64(*s->wake, s->credit_at);
        half_of(e, i)->earliest = min_u64(half_of(e, i)->earliest, s->credit_at);
    }
    atomic_store_explicit(&e->any_starved, any, memory_order_relaxed);
}

/* When a half next does something; never before its `end`. `earliest` may be before it: a message
 * that arrived before `end` may have to wait for its receiver's next tick. */
static sim_time next_of(const struct engine_half *h)
{
    return max_u64(h->earliest, h->end);
}

/* Which half advances next: the one with the next event, and when that is. */
struct turn {
    struct engine_half *half, *other;
    sim_time at, other_at; /* when the other half does something */
};

static inline struct turn next_turn(struct engine *e)
{
    struct engine_half *h = e->halves;
    sim_time first = next_of(h), second = next_of(h + 1);
    if (second < first)
        return (struct turn){h + 1, h, second, first};
    return (struct turn){h, e->n_first ? h + 1 : h, first, second};
}

static inline struct turn turn_after_credits(struct engine *e)
{
    if (atomic_load_explicit(&e->any_starved, memory_order_relaxed))
        wake_for_credits(e);
    return next_turn(e);
}

/* The time that the half further ahead has reached. */
static sim_time furthest(const struct engine *e)
{
    return max_u64(e->halves[0].end, e->halves[1].end);
}

static bool all_idle(const struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (!e->shards[i]->ops->is_idle(e->shards[i]))
            return false;
    return true;
}

static bool is_boundary_requested(const struct engine *e)
{
    return e->period > 0 && atomic_load_explicit(&e->boundary_requested, memory_order_relaxed);
}

static sim_time boundary_from(const struct engine *e, sim_time t)
{
    return e->period > 0 ? (t + e->period - 1) / e->period * e->period : TIME_NEVER;
}

/* Sets the time to t. If that skips a boundary, finds the next one; callers never skip a requested
 * boundary. */
static void move_to(struct engine *e, sim_time t)
{
    e->now = t;
    if (e->boundary < t)
        e->boundary = boundary_from(e, t);
}

/* Where the next quantum begins: at the next event, but not beyond a requested boundary. */
static sim_time quantum_start(const struct engine *e, sim_time event)
{
    sim_time start = e->skip && event > e->now ? event : e->now;
    return is_boundary_requested(e) ? min_u64(start, e->boundary) : start;
}

/* How far a half can advance: whatever may still be sent to it arrives later. */
static sim_time horizon(const struct engine *e, const struct turn *t)
{
    if (!e->n_first)
        return e->now + e->quantum;
    sim_time later = t->other_at - t->at; /* far more than a quantum if other_at is never */
    return t->at + (later < e->quantum ? later : e->quantum) + e->quantum;
}

static sim_time quantum_end(const struct engine *e, const struct turn *t, sim_time limit)
{
    return min_u64(min_u64(horizon(e, t), limit), e->boundary);
}

/* Determines all wake-up times again, because code outside the engine may have given shards work.
 * Messages still in flight between threads are taken in, so that their times count. */
static void note_all_wakes(struct engine *e)
{
    e->halves[0].earliest = e->halves[1].earliest = TIME_NEVER;
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        struct engine_half *h = half_of(e, i);
        if (e->team && mail_has_come(s, e->side))
            mail_take_in(s, e->side, h->end);
        *s->wake = wake_time(s);
        h->earliest = min_u64(h->earliest, *s->wake);
    }
}

static void call_at_boundary(struct engine *e)
{
    if (e->at_boundary) {
        e->at_boundary(e->user, e->now);
        note_all_wakes(e);
    }
    atomic_store_explicit(&e->boundary_requested, false, memory_order_relaxed);
}

/* Performs the boundary at the current time: calls at_boundary() if a shard asked for it (in the
 * per-cycle engine always). What shards ask for from now on concerns the next boundary. */
static __attribute__((noinline)) void pass_boundary(struct engine *e)
{
    if (!e->skip || is_boundary_requested(e))
        call_at_boundary(e);
    e->boundary += e->period;
}

/* Advances a shard that has something to do in the current quantum, which ends at `end`. */
static inline void let_advance(struct shard *s, sim_time end)
{
    s->until = end;
    s->ops->advance(s, end);
    s->credit_at = TIME_NEVER;
    assert(s->next >= end); /* not asserted of the inbox: a message may wait for the receiver's next
                             * tick */
}

/* Advances shards, given as a bit mask. Returns the earliest of their next wake-up times. Not
 * inline: it needs all callee-saved registers of the host. */
static __attribute__((noinline)) sim_time advance_due(struct shard **shards, sim_time *wake,
                                                      uint64_t due, sim_time end)
{
    sim_time earliest = TIME_NEVER;
    for (; due; due &= due - 1) {
        int i = __builtin_ctzll(due);
        struct shard *s = shards[i];
        let_advance(s, end);
        wake[i] = min_u64(s->next, s->inbox.first->at);
        earliest = min_u64(earliest, wake[i]);
    }
    return earliest;
}

/* With one thread: advances the shards of a half that are due, and finds the earliest next wake-up
 * time in the same pass. One pass suffices: the wake-up time of a shard already visited can be
 * brought forward only by messages, and first_arrival covers those. */
static void run_on_caller(struct engine *e, struct engine_half *h, struct engine_half *other)
{
    struct shard **shards = e->shards + h->first;
    sim_time *wake = h->wake, earliest = TIME_NEVER;
    e->first_arrival = TIME_NEVER;
    for (uint32_t i = 0; i < h->n; i += WAKES_AT_MOST) {
        struct wakes w = wakes_before(wake + i, h->n - i, h->end);
        earliest = min_u64(earliest, w.later);
        if (w.due)
            earliest = min_u64(earliest, advance_due(shards + i, wake + i, w.due, h->end));
    }
    h->earliest = earliest;
    other->earliest = min_u64(other->earliest, e->first_arrival);
}

/* Takes in the shard's messages and advances it if it is due. Returns the time at which the first
 * message that it sent becomes usable. */
static sim_time visit_shard(struct engine *e, struct shard *s, sim_time end)
{
    bool mail = mail_has_come(s, 1 - e->side);
    if (*s->wake >= end && !mail)
        return TIME_NEVER;
    s->first_arrival = TIME_NEVER;
    s->out[e->side].n = 0;
    if (mail)
        mail_take_in(s, 1 - e->side, e->now);
    if (wake_time(s) < end)
        let_advance(s, end);
    *s->wake = wake_time(s);
    return s->first_arrival;
}

/* Each member of the team collects what the caller needs to know about the shards that the member
 * visits. If the caller read them itself, many would have been last written on another core, and
 * each such read takes as long as simulating some instructions. All shards are visited; in the half
 * that rests they only take in messages. */
static void run_item(void *user, uint32_t i, uint32_t as_member)
{
    struct engine *e = user;
    struct engine_member *m = &e->members[as_member];
    struct engine_half *h = half_of(e, i), *other = other_half(e, h);
    sim_time first_arrival = visit_shard(e, e->shards[i], h->end);
    if (m->quantum != e->n_quanta) {
        m->quantum = e->n_quanta;
        m->earliest[0] = m->earliest[1] = TIME_NEVER;
    }
    sim_time *mine = &m->earliest[h - e->halves], *its = &m->earliest[other - e->halves];
    *mine = min_u64(*mine, *e->shards[i]->wake);
    *its = min_u64(*its, first_arrival);
}

static void run_on_team(struct engine *e)
{
    e->side = 1 - e->side;
    e->n_quanta++;
    team_run(e->team, e->n, run_item, e);
    for (uint32_t half = 0; half < 2; half++) {
        e->halves[half].earliest = TIME_NEVER;
        for (uint32_t i = 0; i < team_size(e->team); i++)
            if (e->members[i].quantum == e->n_quanta)
                e->halves[half].earliest =
                    min_u64(e->halves[half].earliest, e->members[i].earliest[half]);
    }
}

/* Advances one half; the other one rests. */
static void run_quantum(struct engine *e, const struct turn *t, sim_time limit)
{
    t->half->end = quantum_end(e, t, limit);
    e->end = t->other->end;
    if (e->team)
        run_on_team(e);
    else
        run_on_caller(e, t->half, t->other);
}

/* Checks the ports of a shard. A message takes at least a cycle of the port plus the port's
 * latency. */
static void check_ports(const struct engine *e, const struct shard *s)
{
    for (uint32_t i = 0; i < SHARD_NETWORKS; i++)
        if (s->tx[i]) {
            uint32_t last = s->tx[i]->first_receiver + s->tx[i]->n_receivers - 1;
            assert(s->tx[i]->latency + s->tx[i]->gate.period >= s->min_latency);
            assert(last < e->n);
            assert(engine_may_send(e, s->id, s->tx[i]->peers[0].via));
            assert(engine_may_send(e, s->id, s->tx[i]->peers[s->tx[i]->n_receivers - 1].via));
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
        check_ports(e, e->shards[i]);
    }
}

enum engine_end engine_run(struct engine *e, bool (*is_done)(void *user), void *user,
                           sim_time limit)
{
    check_machine(e);
    connect_ports(e);
    if (e->team && !e->members)
        e->members = xcalloc_lines(team_size(e->team) * sizeof *e->members);
    e->limit = limit;
    e->boundary = boundary_from(e, e->now);
    engine_place(e);
    note_all_wakes(e); /* messages may have been sent between two runs */
    for (;;) {
        struct turn turn = turn_after_credits(e);
        move_to(e, min_u64(turn.at, furthest(e))); /* everything before that is done */
        if (is_done && is_done(user))
            return ENGINE_DONE;
        /* A boundary to come may wake a shard. */
        if (turn.at == TIME_NEVER && !is_boundary_requested(e))
            return !is_done && all_idle(e) ? ENGINE_DONE : ENGINE_DEADLOCK;
        sim_time start = quantum_start(e, turn.at);
        move_to(e, min_u64(start, limit));
        if (e->now == limit)
            return ENGINE_LIMIT;
        if (e->now == e->boundary)
            pass_boundary(e); /* this may change which half is next, or end the run */
        else
            run_quantum(e, &turn, limit);
    }
}

static void describe_shard(const struct shard *s, struct strbuf *out)
{
    size_t before = out->len;
    if (s->ops->describe_wait)
        s->ops->describe_wait(s, out);
    if (out->len == before)
        strbuf_addf(out, "%s (shard %u) does not say what it waits for", s->ops->kind, s->id);
    if (out->text[out->len - 1] != '\n')
        strbuf_add_char(out, '\n');
}

static void describe_others(const struct shard_ops *kind, uint32_t n, uint32_t most,
                            struct strbuf *out)
{
    if (n > most)
        strbuf_addf(out, "... and %u more of this kind (%s)\n", n - most, kind->kind);
}

void engine_describe_wait(const struct engine *e, uint32_t most_of_a_kind, struct strbuf *out)
{
    engine_describe_wait_of(e, 0, e->n, most_of_a_kind, out);
}

void engine_describe_wait_of(const struct engine *e, uint32_t first, uint32_t n_shards,
                             uint32_t most_of_a_kind, struct strbuf *out)
{
    const struct shard_ops *kind = NULL;
    uint32_t n = 0; /* of the kind */
    for (uint32_t i = first; i < first + n_shards; i++) {
        const struct shard *s = e->shards[i];
        if (s->ops->is_idle(s))
            continue;
        if (s->ops != kind) {
            describe_others(kind, n, most_of_a_kind, out);
            kind = s->ops;
            n = 0;
        }
        if (n++ < most_of_a_kind)
            describe_shard(s, out);
    }
    describe_others(kind, n, most_of_a_kind, out);
}
