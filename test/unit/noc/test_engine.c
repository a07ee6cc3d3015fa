/* The engine against a naive one that steps through every time unit with one list of messages, on
 * random machines; and its ends, boundaries and checks one by one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/team.h"
#include "noc/wakes.h"
#include "unit/random_bits.h"

/* --- a shard that does things at random, and remembers all that happened to it --- */

enum { MAX_SHARDS = 9, LAST_SEND = 3000 };

struct chatter {
    struct shard shard; /* first */
    uint32_t first_receiver, n_receivers;
    uint64_t random, digest; /* the digest depends on every event and its order */
    uint64_t n_events, n_advances;
};

static void digest_add(struct chatter *c, uint64_t v)
{
    c->digest = (c->digest ^ v) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
    c->n_events++;
}

/* Sends up to two messages and says when it will act again: what happens to a shard at a time. */
static void chatter_act(struct chatter *c, sim_time now)
{
    digest_add(c, now);
    for (uint64_t k = random_u64(&c->random) % 3; k > 0 && now < LAST_SEND; k--) {
        uint64_t r = random_u64(&c->random);
        struct message m = {.at = now + c->shard.min_latency + (r & 1 ? r / 2 % 40 : 0),
                            .to = c->first_receiver + (uint32_t)(r / 256 % c->n_receivers),
                            .body = (void *)(uintptr_t)(r >> 32)};
        shard_send(&c->shard, now, m);
    }
    uint64_t r = random_u64(&c->random);
    c->shard.next = now >= LAST_SEND || r % 64 == 0 ? TIME_NEVER : now + 1 + r / 64 % 30;
}

static void chatter_receive(struct chatter *c, const struct message *m)
{
    uint64_t value = (uintptr_t)m->body;
    digest_add(c, m->at);
    digest_add(c, m->from);
    digest_add(c, value);
    c->random ^= value;
    if (value % 3 == 0 && c->shard.next > m->at + value % 50)
        c->shard.next = m->at + value % 50;
}

static void chatter_advance(struct shard *s, sim_time until)
{
    struct chatter *c = (struct chatter *)s;
    c->n_advances++;
    for (;;) {
        const struct message *m = shard_peek(s, until);
        if (m && m->at <= s->next) { /* at one time, messages come first */
            struct message copy = *m;
            shard_take(s);
            chatter_receive(c, &copy);
        } else if (s->next < until) {
            chatter_act(c, s->next);
        } else {
            return;
        }
    }
}

static bool chatter_is_idle(const struct shard *s)
{
    return s->next == TIME_NEVER;
}

static const struct shard_ops chatter_ops = {
    .kind = "chatter", .advance = chatter_advance, .is_idle = chatter_is_idle};

struct machine {
    struct chatter shards[MAX_SHARDS];
    struct shard *list[MAX_SHARDS];
    uint32_t n;
    struct engine engine;
};

/* Every other machine has two halves, whose shards send to those of the other half only. */
static void machine_init(struct machine *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    bool halves = seed % 2;
    m->n = 1 + halves + (uint32_t)(random_u64(&seed) % (MAX_SHARDS - halves));
    uint32_t n_first = halves ? 1 + (uint32_t)(random_u64(&seed) % (m->n - 1)) : 0;
    for (uint32_t i = 0; i < m->n; i++) {
        m->shards[i] = (struct chatter){
            .shard = {.ops = &chatter_ops,
                      .id = i,
                      .next = random_u64(&seed) % 100,
                      .min_latency = 8 + random_u64(&seed) % 2 * 5},
            .first_receiver = i < n_first ? n_first : 0,
            .n_receivers = i < n_first ? m->n - n_first
                           : halves    ? n_first
                                       : m->n,
            .random = random_u64(&seed),
        };
        m->list[i] = &m->shards[i].shard;
    }
    m->engine = (struct engine){.shards = m->list, .n = m->n, .n_first = n_first};
    engine_connect(&m->engine);
}

static void machine_free(struct machine *m)
{
    engine_destroy(&m->engine);
}

/* One list of messages in the order of sending, looked through at every time unit. */
static void run_naively(struct machine *m)
{
    static struct message pending[1 << 16];
    uint32_t n = 0, n_left = 0;
    m->engine.team = (struct team *)m; /* as with several threads, outboxes keep what is sent */
    for (sim_time now = 0; now < LAST_SEND + 400; now++) {
        for (uint32_t i = 0; i < m->n; i++) {
            struct chatter *c = &m->shards[i];
            for (uint32_t from = 0; from < m->n; from++)
                for (uint32_t k = n_left; k < n; k++)
                    if (pending[k].at == now && pending[k].from == from && pending[k].to == i)
                        chatter_receive(c, &pending[k]);
            while (c->shard.next == now)
                chatter_act(c, now);
        }
        for (uint32_t i = 0; i < m->n; i++) {
            struct outbox *out = &m->list[i]->out[m->engine.side];
            for (uint32_t k = 0; k < out->n; k++) {
                assert_true(n < sizeof pending / sizeof pending[0]);
                pending[n++] = out->items[k].message;
            }
            out->n = 0;
        }
        while (n_left < n && pending[n_left].at <= now)
            n_left++;
    }
}

static void run_on_engine(struct machine *m, sim_time quantum, sim_time period, bool skip,
                          struct team *team)
{
    m->engine.quantum = quantum;
    m->engine.period = period;
    m->engine.skip = skip;
    m->engine.team = team;
    assert_int_equal(engine_run(&m->engine, NULL, NULL, TIME_NEVER), ENGINE_DONE);
}

static void results_depend_on_neither_quantum_nor_skipping_nor_threads(void **state)
{
    (void)state;
    static struct machine naive, m;
    struct team *teams[] = {NULL, team_create(2), NULL, team_create(3), NULL, team_create(7)};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        machine_init(&naive, seed);
        run_naively(&naive);
        for (int variant = 0; variant < 6; variant++) {
            static const sim_time quanta[] = {1, 2, 3, 7, 8, 8};
            machine_init(&m, seed);
            run_on_engine(&m, quanta[variant], variant % 2 ? 20 : 0, variant < 5, teams[variant]);
            for (uint32_t i = 0; i < m.n; i++) {
                assert_int_equal(m.shards[i].n_events, naive.shards[i].n_events);
                assert_int_equal(m.shards[i].digest, naive.shards[i].digest);
            }
            machine_free(&m);
        }
        machine_free(&naive);
    }
    for (int i = 0; i < 6; i++)
        team_destroy(teams[i]);
}

/* --- small scripted machines --- */

struct scripted {
    struct shard shard; /* first */
    sim_time step;      /* acts at each multiple; 0 = never */
    sim_time seen[256]; /* when, and from whom, messages came */
    uint32_t from[256], values[256], n_seen;
    uint32_t n_acts, n_advances, max_acts;
    bool waits;
    uint32_t sends_to;          /* at each act, if not 0 */
    uint32_t acts_for_boundary; /* a bit for each of the first acts: it awaits one */
};

static void scripted_advance(struct shard *s, sim_time until)
{
    struct scripted *c = (struct scripted *)s;
    c->n_advances++;
    for (const struct message *m; (m = shard_peek(s, until)); shard_take(s)) {
        c->seen[c->n_seen] = m->at;
        c->from[c->n_seen] = m->from;
        c->values[c->n_seen++] = (uint32_t)(uintptr_t)m->body;
    }
    for (; s->next < until; c->n_acts++) {
        if (c->n_acts < 32 && c->acts_for_boundary >> c->n_acts & 1)
            shard_await_boundary(s);
        if (c->sends_to)
            shard_send(s, s->next,
                       (struct message){.at = s->next + s->min_latency, .to = c->sends_to});
        s->next = c->n_acts + 1 < c->max_acts ? s->next + c->step : TIME_NEVER;
    }
}

static bool scripted_is_idle(const struct shard *s)
{
    return !((const struct scripted *)s)->waits;
}

static void scripted_describe(const struct shard *s, struct strbuf *out)
{
    if (s->id == 2)
        strbuf_add(out, "waits for Godot");
}

static const struct shard_ops scripted_ops = {.kind = "actor",
                                              .advance = scripted_advance,
                                              .is_idle = scripted_is_idle,
                                              .describe_wait = scripted_describe};

struct stage {
    struct scripted actors[3];
    struct shard *list[3];
    struct engine engine;
};

static void stage_init(struct stage *st)
{
    memset(st, 0, sizeof *st);
    for (uint32_t i = 0; i < 3; i++) {
        st->actors[i].shard =
            (struct shard){.ops = &scripted_ops, .id = i, .next = TIME_NEVER, .min_latency = 10};
        st->list[i] = &st->actors[i].shard;
    }
    st->engine = (struct engine){.shards = st->list, .n = 3, .quantum = 10, .skip = true};
    engine_connect(&st->engine);
}

static void stage_free(struct stage *st)
{
    engine_destroy(&st->engine);
}

static void acts_every(struct scripted *a, sim_time step, uint32_t times)
{
    a->step = step;
    a->shard.next = step;
    a->max_acts = times;
    a->acts_for_boundary = ~0u;
}

static enum engine_end run(struct stage *st, sim_time limit)
{
    return engine_run(&st->engine, NULL, NULL, limit);
}

static void messages_come_by_time_then_sender_then_order(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    static const struct {
        uint32_t from, at, value;
    } sent[] = {{1, 30, 0}, {2, 20, 1}, {2, 30, 2}, {1, 20, 3}, {0, 30, 4}, {1, 30, 5}, {2, 15, 6}};
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
        shard_send(
            st.list[sent[i].from], 0,
            (struct message){.at = sent[i].at, .to = 0, .body = (void *)(uintptr_t)sent[i].value});
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    static const uint32_t expected[] = {6, 3, 1, 4, 0, 5, 2};
    assert_int_equal(st.actors[0].n_seen, 7);
    assert_memory_equal(st.actors[0].values, expected, sizeof expected);
    stage_free(&st);
}

static void idle_stretches_are_jumped_over(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 1000000000000, 5);
    st.engine.period = 7;
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 5);
    assert_int_equal(st.actors[0].n_advances, 5);
    assert_int_equal(st.actors[1].n_advances, 0);
    stage_free(&st);
}

struct boundary_log {
    struct scripted *actor;
    sim_time times[64];
    uint32_t acts[64], n;
};

static void note_boundary(void *user, sim_time t)
{
    struct boundary_log *log = user;
    log->acts[log->n] = log->actor->n_acts;
    log->times[log->n++] = t;
}

/* Acts at 20, 40 and 60; boundaries at multiples of 20 come before what happens at their time. */
static void boundaries_come_before_what_happens_then(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        bool skip = variant > 0;
        st.engine.n_first = variant == 2; /* the other half acts at the same times */
        acts_every(&st.actors[0], 20, 3);
        if (variant == 2)
            acts_every(&st.actors[1], 20, 3);
        st.engine.period = 20;
        st.engine.skip = skip;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        /* Stepping calls it at 0 and 20 too, when nothing has happened yet. */
        uint32_t first = skip ? 0 : 2;
        assert_int_equal(log.n, first + 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(log.times[first + i], 40 + 20 * i);
            assert_int_equal(log.acts[first + i], 1 + i);
        }
        stage_free(&st);
    }
}

/* Periods that no quantum divides: at each boundary exactly the acts before it are done. */
static void quanta_end_at_boundaries(void **state)
{
    (void)state;
    for (sim_time quantum = 1; quantum <= 10; quantum++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        acts_every(&st.actors[0], 7, 20);
        st.engine.quantum = quantum;
        st.engine.period = 25;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        assert_int_equal(log.n, 6);
        for (uint32_t i = 0; i < log.n; i++) {
            assert_int_equal(log.times[i], 25 * (i + 1));
            assert_int_equal(log.acts[i], i < 5 ? (log.times[i] - 1) / 7 : 20);
        }
        stage_free(&st);
    }
}

static void boundaries_without_anything_before_are_left_out(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    struct boundary_log log = {.actor = &st.actors[0]};
    acts_every(&st.actors[0], 1005, 2);
    st.engine.period = 20;
    st.engine.at_boundary = note_boundary;
    st.engine.user = &log;
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(log.n, 2);
    assert_int_equal(log.times[0], 1020);
    assert_int_equal(log.times[1], 2020);
    stage_free(&st);
}

/* Of the acts at 5, 30, 55 and 80 only that at 30 has something for a boundary. */
static void boundaries_that_nobody_awaits_are_left_out(void **state)
{
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        acts_every(&st.actors[0], 25, 4);
        st.actors[0].shard.next = 5;
        st.actors[0].acts_for_boundary = 1u << 1;
        st.engine.period = 20;
        st.engine.skip = skip;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        assert_int_equal(st.actors[0].n_acts, 4);
        assert_int_equal(log.n, skip ? 1 : 5); /* stepping calls it at 0, 20, 40, 60 and 80 */
        assert_int_equal(log.times[skip ? 0 : 2], 40);
        assert_int_equal(log.acts[skip ? 0 : 2], 2);
        stage_free(&st);
    }
}

static void wake_actor_once(void *user, sim_time t)
{
    struct scripted *a = user;
    if (a->n_acts == 1)
        a->shard.next = t + 3;
}

static void a_boundary_may_wake_a_shard(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 5, 1);
    st.engine.period = 50;
    st.engine.at_boundary = wake_actor_once;
    st.engine.user = &st.actors[0];
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 2);
    stage_free(&st);
}

static void someone_still_waiting_makes_it_a_deadlock(void **state)
{
    (void)state;
    struct stage st;
    struct strbuf text = {0};
    stage_init(&st);
    acts_every(&st.actors[0], 5, 3);
    st.actors[1].waits = st.actors[2].waits = true;
    for (int skip = 0; skip < 2; skip++) {
        st.engine.skip = skip;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DEADLOCK);
    }
    assert_int_equal(st.actors[0].n_acts, 3);
    engine_describe_wait(&st.engine, &text);
    assert_string_equal(strbuf_text(&text), "actor (shard 1) does not say what it waits for\n"
                                            "waits for Godot\n");
    strbuf_destroy(&text);
    stage_free(&st);
}

static void a_message_in_flight_is_no_deadlock(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    shard_send(st.list[0], 0, (struct message){.at = 123456, .to = 1});
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[1].seen[0], 123456);
    stage_free(&st);
}

static bool has_acted_twice(void *user)
{
    return ((struct scripted *)user)->n_acts >= 2;
}

static void is_done_ends_the_run_and_it_can_go_on(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 100, 4);
    assert_int_equal(engine_run(&st.engine, has_acted_twice, &st.actors[0], TIME_NEVER),
                     ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 2);
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 4);
    /* Done never comes true: nothing can happen, so that is a deadlock even if all are idle. */
    assert_int_equal(engine_run(&st.engine, has_acted_twice, &st.actors[1], TIME_NEVER),
                     ENGINE_DEADLOCK);
    stage_free(&st);
}

static void nothing_happens_at_or_after_the_limit(void **state)
{
    (void)state;
    for (sim_time quantum = 1; quantum <= 10; quantum += 3) {
        struct stage st;
        stage_init(&st);
        st.engine.quantum = quantum;
        acts_every(&st.actors[0], 12, 1000);
        assert_int_equal(run(&st, 36), ENGINE_LIMIT);
        assert_int_equal(st.actors[0].n_acts, 2);
        assert_int_equal(st.engine.now, 36);
        assert_int_equal(run(&st, 37), ENGINE_LIMIT);
        assert_int_equal(st.actors[0].n_acts, 3);
        stage_free(&st);
    }
}

/* Who looks at the machine there relies on the time. */
static void a_limit_where_nothing_happens_is_come_to(void **state)
{
    (void)state;
    for (uint32_t n_first = 0; n_first < 2; n_first++) {
        struct stage st;
        stage_init(&st);
        st.engine.n_first = n_first;
        acts_every(&st.actors[0], 1000, 2);
        for (sim_time limit = 40; limit < 1000; limit += 97) {
            assert_int_equal(run(&st, limit), ENGINE_LIMIT);
            assert_int_equal(st.engine.now, limit);
        }
        assert_int_equal(st.actors[0].n_acts, 0);
        stage_free(&st);
    }
}

/* Both halves always have something to do: each goes two latencies at a time, the one a latency
 * ahead of the other. With one half alone at work it is as far. Anybody to anybody: one latency. */
static void halves_advance_in_turn_twice_as_far(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        struct stage st;
        stage_init(&st);
        st.engine.n_first = variant ? 1 : 0;
        acts_every(&st.actors[0], 1, 1000);
        if (variant != 2)
            acts_every(&st.actors[1], 1, 1000);
        if (variant == 3)
            st.engine.period = 15; /* boundaries still end a quantum */
        assert_int_equal(run(&st, 400), ENGINE_LIMIT);
        static const uint32_t n_advances[4][2] = {{40, 40}, {21, 20}, {20, 0}, {27, 27}};
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(st.actors[i].n_acts, variant == 2 && i ? 0 : 399);
            assert_in_range(st.actors[i].n_advances, n_advances[variant][i],
                            n_advances[variant][i] + (variant == 3 ? 27 : 1));
        }
        stage_free(&st);
    }
}

static void both_halves_are_equally_far_at_every_limit(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    st.engine.n_first = 1;
    acts_every(&st.actors[0], 1, 1000);
    acts_every(&st.actors[1], 1, 1000);
    for (sim_time limit = 2; limit < 400; limit += 1 + limit / 7) {
        assert_int_equal(run(&st, limit), ENGINE_LIMIT);
        assert_int_equal(st.engine.now, limit);
        assert_int_equal(st.actors[0].n_acts, limit - 1);
        assert_int_equal(st.actors[1].n_acts, limit - 1);
    }
    stage_free(&st);
}

/* --- mistakes of the machine's builder end the process at once --- */

/* It belongs to the other's half. */
static void send_within_a_half(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.n_first = 2;
    acts_every(&st.actors[0], 1, 1000);
    st.actors[0].sends_to = 1;
    run(&st, 400);
}

static void send_too_fast(void)
{
    struct stage st;
    stage_init(&st);
    shard_send(st.list[0], 5, (struct message){.at = 14, .to = 1});
}

static void quantum_too_long(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.quantum = 11;
    run(&st, TIME_NEVER);
}

static void lie_about_now(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.now = st.engine.end = 100;
    shard_send(st.list[0], 5, (struct message){.at = 15, .to = 1});
    run(&st, TIME_NEVER);
}

static bool aborts(void (*f)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        f();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void breaking_the_latency_contract_is_caught(void **state)
{
    (void)state;
    assert_true(aborts(send_too_fast));
    assert_true(aborts(quantum_too_long));
    assert_true(aborts(lie_about_now));
    assert_true(aborts(send_within_a_half));
}

static void an_inbox_keeps_its_order_while_it_grows(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 250; i++) {
        struct message m = {
            .at = 10 + random_u64(&seed) % 40, .to = 2, .body = (void *)(uintptr_t)i};
        shard_send(st.list[random_u64(&seed) % 2], 0, m);
    }
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    const struct scripted *a = &st.actors[2];
    assert_int_equal(a->n_seen, 250);
    for (uint32_t i = 1; i < 250; i++) {
        bool later = a->seen[i] > a->seen[i - 1];
        bool same = a->seen[i] == a->seen[i - 1];
        bool next_sender = same && a->from[i] > a->from[i - 1];
        bool in_order = same && a->from[i] == a->from[i - 1] && a->values[i] > a->values[i - 1];
        assert_true(later || next_sender || in_order);
    }
    stage_free(&st);
}

/* Times on both sides of the end of a quantum, of the highest bit and of never. */
static sim_time some_wake(uint64_t *seed, sim_time end)
{
    uint64_t r = random_u64(seed);
    switch (r % 4) {
    case 0:
        return TIME_NEVER - (r >> 8) % 2;
    case 1:
        return end + (r >> 8) % 5 - 2;
    case 2:
        return (UINT64_C(1) << 63) + (r >> 8) % 5 - 2;
    default:
        return random_int(seed, 64);
    }
}

static void who_is_due_is_found_among_any_number(void **state)
{
    (void)state;
    _Alignas(64) sim_time wake[WAKES_AT_MOST + 8];
    uint64_t seed = 11;
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t n = 1 + round % (WAKES_AT_MOST + 7);
        sim_time end = 2 + random_int(&seed, 64) / 2 * (round % 5), later = TIME_NEVER;
        uint64_t due = 0;
        for (uint32_t i = 0; i < WAKES_AT_MOST + 8; i++)
            wake[i] = i < n ? some_wake(&seed, end) : TIME_NEVER;
        for (uint32_t i = 0; i < n && i < WAKES_AT_MOST; i++)
            if (wake[i] < end)
                due |= UINT64_C(1) << i;
            else
                later = wake[i] < later ? wake[i] : later;
        struct wakes w = wakes_before(wake, n, end);
        assert_int_equal(w.due, due);
        assert_int_equal(w.later, later);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_depend_on_neither_quantum_nor_skipping_nor_threads),
        cmocka_unit_test(messages_come_by_time_then_sender_then_order),
        cmocka_unit_test(an_inbox_keeps_its_order_while_it_grows),
        cmocka_unit_test(who_is_due_is_found_among_any_number),
        cmocka_unit_test(idle_stretches_are_jumped_over),
        cmocka_unit_test(boundaries_come_before_what_happens_then),
        cmocka_unit_test(quanta_end_at_boundaries),
        cmocka_unit_test(boundaries_without_anything_before_are_left_out),
        cmocka_unit_test(boundaries_that_nobody_awaits_are_left_out),
        cmocka_unit_test(a_boundary_may_wake_a_shard),
        cmocka_unit_test(someone_still_waiting_makes_it_a_deadlock),
        cmocka_unit_test(a_message_in_flight_is_no_deadlock),
        cmocka_unit_test(is_done_ends_the_run_and_it_can_go_on),
        cmocka_unit_test(nothing_happens_at_or_after_the_limit),
        cmocka_unit_test(a_limit_where_nothing_happens_is_come_to),
        cmocka_unit_test(halves_advance_in_turn_twice_as_far),
        cmocka_unit_test(both_halves_are_equally_far_at_every_limit),
        cmocka_unit_test(breaking_the_latency_contract_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
