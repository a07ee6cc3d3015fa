/* The engine against a naive one that steps through every time unit with one list of messages, on
 * random machines; also how it keeps sent messages and finds due shards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/team.h"
#include "noc/wakes.h"
#include "unit/noc/stage.h"
#include "unit/random_bits.h"

/* A shard that does things at random, and remembers all that happened to it. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
