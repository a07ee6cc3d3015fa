/* What is derived from a description of parts and links: halves, ids, the quantum, which messages
 * may be sent where; and that random machines give the same results however their parts advance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/team.h"
#include "noc/part_graph.h"
#include "noc/ticker.h"
#include "unit/random_bits.h"

static const struct clock_domain fast = {"fast", 1000, 2}, slow = {"slow", 400, 5};

/* --- a part that talks at random --- */

enum { MAX_NEIGHBOURS = 8, LAST_CYCLE = 400, MSG_WORD = 3, MSG_OTHER = 4 };

struct talker_setup {
    uint64_t seed;
    const struct clock_domain *clock;
};

struct talker {
    struct ticker ticker; /* first */
    struct {
        uint32_t first, n;
        sim_time latency;
    } to[MAX_NEIGHBOURS];
    uint32_t n_to;
    uint64_t random, digest; /* of all that came, and when */
};

static void note(struct talker *t, uint64_t value)
{
    t->digest = (t->digest ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
}

static void talker_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct talker *t = (struct talker *)s;
    assert_int_equal(m->kind, MSG_WORD);
    assert_true(m->at <= ticker_time(&t->ticker, now) &&
                m->at + t->ticker.clock->period > ticker_time(&t->ticker, now));
    note(t, now);
    note(t, m->from);
    note(t, (uintptr_t)m->body);
    t->random ^= (uintptr_t)m->body;
}

static uint64_t talker_tick(struct shard *s, uint64_t now)
{
    struct talker *t = (struct talker *)s;
    note(t, now);
    if (now >= LAST_CYCLE)
        return TICK_NEVER;
    for (uint64_t k = random_u64(&t->random) % 3; t->n_to && k; k--) {
        uint64_t r = random_u64(&t->random), i = r % t->n_to;
        sim_time at = ticker_time(&t->ticker, now);
        shard_send(s, at,
                   (struct message){.at = at + t->to[i].latency + (r >> 8) % 9,
                                    .to = t->to[i].first + (uint32_t)((r >> 16) % t->to[i].n),
                                    .kind = MSG_WORD,
                                    .body = (void *)(uintptr_t)(r >> 32)});
    }
    return now + 1 + random_u64(&t->random) % 7;
}

static bool talker_is_idle(const struct shard *s)
{
    return s->next == TIME_NEVER;
}

static const struct shard_ops talker_ops = {.kind = "talker",
                                            .advance = ticker_advance,
                                            .is_idle = talker_is_idle,
                                            .take = talker_take,
                                            .tick = talker_tick};

static void talker_create(struct shard *s, const struct part_position *at, const void *setup)
{
    const struct talker_setup *c = setup;
    struct talker *t = (struct talker *)s;
    ticker_init(&t->ticker, &talker_ops, at->id, c->clock);
    t->random = c->seed + at->index;
    for (uint32_t i = 0; i < at->graph->n_links; i++) {
        const struct part_link *l = &at->graph->links[i];
        if (l->from != at->group)
            continue;
        const struct part_group *to = &at->graph->groups[l->to];
        t->to[t->n_to].first = to->first_id;
        t->to[t->n_to].n = to->n;
        t->to[t->n_to++].latency = link_latency(l);
    }
    ticker_start(&t->ticker, 0);
}

static const struct part_kind talker_kind = {.bytes = sizeof(struct talker),
                                             .create = talker_create};
static const struct talker_setup plain_setup = {1, &fast};

static uint32_t add(struct part_graph *g, uint32_t n)
{
    return part_graph_add(g, &talker_kind, n, &plain_setup);
}

static void join(struct part_graph *g, uint32_t from, uint32_t to, uint32_t cycles)
{
    part_graph_link(g, (struct part_link){.from = from,
                                          .to = to,
                                          .messages = 1u << MSG_WORD,
                                          .clock = &fast,
                                          .latency_cycles = cycles});
}

/* --- what follows from links --- */

static void expect_ids(const struct part_graph *g, const uint32_t *first)
{
    for (uint32_t i = 0; i < g->n_groups; i++) {
        assert_int_equal(g->groups[i].first_id, first[i]);
        for (uint32_t k = 0; k < g->groups[i].n; k++) {
            assert_int_equal(part_at(g, i, k)->id, first[i] + k);
            assert_ptr_equal(g->shards[first[i] + k], part_at(g, i, k));
            assert_int_equal(g->group_of[first[i] + k], i);
        }
    }
}

static void a_path_has_halves_that_stand_side_by_side(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {0};
    uint32_t a = add(&g, 3), b = add(&g, 2), c = add(&g, 4), d = add(&g, 1);
    join(&g, a, b, 7);
    join(&g, c, b, 5);
    join(&g, d, c, 9);
    part_graph_build(&g, &e);
    assert_int_equal(e.n, 10);
    assert_int_equal(e.n_first, 7);
    assert_int_equal(e.quantum, 10); /* 5 cycles of 2 */
    expect_ids(&g, (const uint32_t[]){0, 7, 3, 9});
    assert_int_equal(part_at(&g, a, 0)->min_latency, 14);
    assert_int_equal(part_at(&g, d, 0)->min_latency, 18);
    part_graph_destroy(&g);
}

static void an_odd_cycle_has_none(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {0};
    uint32_t a = add(&g, 3), b = add(&g, 2), c = add(&g, 4);
    join(&g, a, b, 7);
    join(&g, b, c, 5);
    join(&g, c, a, 4);
    part_graph_build(&g, &e);
    assert_int_equal(e.n_first, 0);
    assert_int_equal(e.quantum, 8);
    expect_ids(&g, (const uint32_t[]){0, 3, 5});
    part_graph_destroy(&g);
}

static void an_even_cycle_has_halves(void **state)
{
    (void)state;
    struct part_graph g = {0};
    uint32_t a = add(&g, 1), b = add(&g, 1), c = add(&g, 1), d = add(&g, 1);
    join(&g, a, b, 1);
    join(&g, c, d, 1); /* the colours of these two are not known yet */
    join(&g, b, c, 1);
    join(&g, d, a, 1);
    assert_true(part_graph_colour(&g));
    assert_false(g.groups[a].second || g.groups[c].second);
    assert_true(g.groups[b].second && g.groups[d].second);
    part_graph_destroy(&g);
}

static void a_link_within_a_group_has_all_advance_together(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {0};
    uint32_t sms = add(&g, 4), memory = add(&g, 2);
    join(&g, sms, memory, 12);
    join(&g, memory, sms, 12);
    assert_true(part_graph_colour(&g));
    join(&g, sms, sms, 3);
    part_graph_build(&g, &e);
    assert_int_equal(e.n_first, 0);
    assert_int_equal(e.quantum, 6);
    expect_ids(&g, (const uint32_t[]){0, 4});
    part_graph_destroy(&g);
}

/* A short link within a group that is there only while it is wanted. */
static void an_optional_link_counts_while_it_is_on(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {0};
    uint32_t sms = add(&g, 4), memory = add(&g, 2);
    join(&g, sms, memory, 12);
    join(&g, memory, sms, 12);
    part_graph_link(&g, (struct part_link){.from = sms,
                                           .to = sms,
                                           .messages = 1u << MSG_OTHER,
                                           .optional = true,
                                           .clock = &fast,
                                           .latency_cycles = 3});
    part_graph_build(&g, &e);
    engine_connect(&e);
    struct shard *s = part_at(&g, sms, 0);
    struct message m = {.at = 100 + 6, .to = 1, .kind = MSG_OTHER};
    for (uint32_t turn = 0; turn < 3; turn++) { /* off, on, off */
        bool on = turn == 1;
        part_graph_switch(&g, &e, on);
        assert_int_equal(e.n_first, on ? 0 : 4);
        assert_int_equal(e.quantum, on ? 6 : 24);
        assert_int_equal(s->min_latency, on ? 6 : 24);
        assert_int_equal(part_at(&g, memory, 0)->min_latency, 24);
        assert_int_equal(shard_may_send(s, 100, &m), on);
        assert_false(shard_may_send(s, 101, &m)); /* too fast */
    }
    engine_destroy(&e);
    part_graph_destroy(&g);
}

static void parts_apart_from_the_others_are_in_the_first_half(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {0};
    uint32_t a = add(&g, 1), b = add(&g, 1);
    uint32_t alone = add(&g, 2);
    uint32_t c = add(&g, 1), d = add(&g, 1);
    join(&g, b, a, 1);
    join(&g, c, d, 2);
    part_graph_build(&g, &e);
    assert_int_equal(e.n_first, 4);
    expect_ids(&g, (const uint32_t[]){0, 4, 1, 3, 5});
    assert_int_equal(part_at(&g, alone, 0)->min_latency, TIME_NEVER);
    part_graph_destroy(&g);
    add(&g, 2);
    assert_false(part_graph_colour(&g)); /* no links: nothing to take turns for */
    part_graph_destroy(&g);
}

static bool may_send(struct shard *from, const struct shard *to, sim_time after, uint32_t kind)
{
    struct message m = {.at = 100 + after, .to = to->id, .kind = kind};
    return shard_may_send(from, 100, &m);
}

static void only_what_is_declared_may_be_sent(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {.skip = true};
    uint32_t a = add(&g, 1), b = add(&g, 2), c = add(&g, 1);
    join(&g, a, b, 10);
    join(&g, b, c, 10);
    part_graph_link(
        &g,
        (struct part_link){
            .from = a, .to = c, .messages = 1u << MSG_OTHER, .clock = &slow, .latency_cycles = 2});
    part_graph_build(&g, &e);
    engine_connect(&e);
    struct shard *pa = part_at(&g, a, 0), *pb = part_at(&g, b, 1), *pc = part_at(&g, c, 0);
    assert_true(may_send(pa, pb, 20, MSG_WORD));
    assert_false(may_send(pa, pb, 19, MSG_WORD));  /* faster than the link */
    assert_false(may_send(pa, pb, 20, MSG_OTHER)); /* not of its kinds */
    assert_false(may_send(pa, pb, 20, 32 + MSG_WORD));
    assert_false(may_send(pb, pa, 50, MSG_WORD)); /* against its direction */
    assert_true(may_send(pa, pc, 10, MSG_OTHER));
    assert_false(may_send(pa, pc, 9, MSG_OTHER));
    assert_false(may_send(pa, pc, 50, MSG_WORD));
    assert_false(may_send(pb, part_at(&g, b, 0), 50, MSG_WORD)); /* no link at all */
    assert_false(engine_may_send(&e, pb->id, pa->id));
    assert_true(engine_may_send(&e, pb->id, pc->id));
    struct message nowhere = {.at = 1000, .to = e.n, .kind = MSG_WORD};
    assert_false(shard_may_send(pa, 0, &nowhere));
    engine_destroy(&e);
    part_graph_destroy(&g);
}

/* --- ports --- */

enum { NET = 2 };
static const struct noc_config format = {.flit_bytes = 8, .header_bytes = 8, .max_data_bytes = 24};

static void join_by_ports(struct part_graph *g, uint32_t from, uint32_t to)
{
    part_graph_link(g, (struct part_link){.from = from,
                                          .to = to,
                                          .messages = 1u << MSG_WORD,
                                          .clock = &slow,
                                          .latency_cycles = 6,
                                          .format = &format,
                                          .network = NET,
                                          .flits_in = 2,
                                          .flits_out = 3,
                                          .credits = from ? 0 : 40});
}

static void ports_are_as_wide_and_as_deep_as_their_links(void **state)
{
    (void)state;
    struct part_graph g = {0};
    struct engine e = {.skip = true};
    uint32_t a = add(&g, 1), b = add(&g, 2), c = add(&g, 1), d = add(&g, 3);
    join_by_ports(&g, a, b);
    join_by_ports(&g, a, d);
    join_by_ports(&g, c, b);
    part_graph_build(&g, &e);
    struct tx_port tx, other;
    struct rx_port rx;
    struct part_position at = {&g, a, 0, part_at(&g, a, 0)->id};
    part_open_tx(&at, NET, part_at(&g, a, 0), &tx);
    assert_int_equal(tx.first_receiver, g.groups[b].first_id);
    assert_int_equal(tx.n_receivers, 5); /* b and d are adjacent */
    assert_int_equal(tx.gate.width, 2);
    assert_int_equal(tx.gate.period, slow.period);
    assert_int_equal(tx.latency, 30);
    assert_int_equal(tx.max_credits, 40);
    at = (struct part_position){&g, c, 0, part_at(&g, c, 0)->id};
    part_open_tx(&at, NET, part_at(&g, c, 0), &other);
    assert_int_equal(other.n_receivers, 2);
    struct noc_config c6 = format;
    c6.latency_cycles = 6;
    assert_int_equal(other.max_credits, noc_full_buffer_flits(&c6, 2));
    at = (struct part_position){&g, d, 1, part_at(&g, d, 1)->id};
    part_open_rx(&at, NET, part_at(&g, d, 1), &rx);
    assert_int_equal(rx.gate.width, 3);
    assert_int_equal(rx.latency, 30);
    tx_destroy(&tx);
    tx_destroy(&other);
    rx_destroy(&rx);
    part_graph_destroy(&g);
}

/* --- a ticker with few credits --- */

enum { N_PARCELS = 6, PARCEL_FLITS = 4 };

struct porter {
    struct ticker ticker; /* first */
    struct tx_port tx;
    struct rx_port rx;
    bool sends;
    uint32_t to, n;
    uint64_t at[N_PARCELS]; /* cycles in which they were sent, or came */
};

static void porter_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct porter *p = (struct porter *)s;
    assert_int_equal(m->kind, MSG_WORD);
    rx_pass(&p->rx, ticker_time(&p->ticker, now), m);
    p->at[p->n++] = now;
}

static uint64_t porter_tick(struct shard *s, uint64_t now)
{
    struct porter *p = (struct porter *)s;
    if (!p->sends || p->n == N_PARCELS)
        return TICK_NEVER;
    sim_time t = ticker_time(&p->ticker, now);
    sim_time ready = tx_ready_at(&p->tx, t, p->to, PARCEL_FLITS);
    if (ready == TIME_NEVER)
        return TICK_NEVER; /* it is woken when credits are back */
    if (ready > t)
        return clock_cycle_at(p->ticker.clock, ready);
    tx_send(&p->tx, t, (struct message){.to = p->to, .kind = MSG_WORD, .flits = PARCEL_FLITS});
    p->at[p->n++] = now;
    return now + 1;
}

static bool porter_is_idle(const struct shard *s)
{
    return ((const struct porter *)s)->n == N_PARCELS;
}

static const struct shard_ops porter_ops = {.kind = "porter",
                                            .advance = ticker_advance,
                                            .is_idle = porter_is_idle,
                                            .take = porter_take,
                                            .tick = porter_tick};

static void porter_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct porter *p = (struct porter *)s;
    (void)setup;
    ticker_init(&p->ticker, &porter_ops, at->id, &slow);
    p->sends = at->group == 0;
    if (p->sends) {
        p->to = at->graph->groups[1].first_id;
        part_open_tx(at, NET, s, &p->tx);
        ticker_start(&p->ticker, 0);
    } else {
        part_open_rx(at, NET, s, &p->rx);
    }
}

static void porter_destroy(struct shard *s)
{
    struct porter *p = (struct porter *)s;
    if (p->sends)
        tx_destroy(&p->tx);
    else
        rx_destroy(&p->rx);
}

/* With room for one parcel, each waits for the way of the one before, 4 cycles through either port
 * and 6 between them, and for that of its credits back. */
static void a_ticker_goes_on_when_credits_are_back(void **state)
{
    (void)state;
    static const struct part_kind kind = {
        .bytes = sizeof(struct porter), .create = porter_create, .destroy = porter_destroy};
    for (uint32_t variant = 0; variant < 3; variant++) {
        struct part_graph g = {0};
        struct engine e = {.skip = true};
        uint32_t from = part_graph_add(&g, &kind, 1, NULL);
        uint32_t to = part_graph_add(&g, &kind, 1, NULL);
        part_graph_link(&g, (struct part_link){.from = from,
                                               .to = to,
                                               .messages = 1u << MSG_WORD,
                                               .clock = &slow,
                                               .latency_cycles = 6,
                                               .format = &format,
                                               .network = NET,
                                               .flits_in = 1,
                                               .flits_out = 1,
                                               .credits = PARCEL_FLITS});
        part_graph_build(&g, &e);
        engine_connect(&e);
        e.quantum = variant == 1 ? 1 : e.quantum;
        e.n_first = variant == 2 ? 0 : e.n_first;
        assert_int_equal(engine_run(&e, NULL, NULL, TIME_NEVER), ENGINE_DONE);
        const struct porter *sender = (struct porter *)part_at(&g, from, 0);
        const struct porter *receiver = (struct porter *)part_at(&g, to, 0);
        for (uint32_t i = 0; i < N_PARCELS; i++) {
            assert_int_equal(sender->at[i], i * (4 + 6 + 4 + 6));
            assert_int_equal(receiver->at[i], sender->at[i] + 4 + 6);
        }
        assert_int_equal(part_graph_settle(&g), N_PARCELS * 20 * slow.period);
        engine_destroy(&e);
        part_graph_destroy(&g);
    }
}

/* --- random machines --- */

struct world {
    struct talker_setup setups[5];
    struct part_graph graph;
    struct engine engine;
};

/* Every other one has halves. */
static void world_init(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    bool halves = seed % 2;
    uint32_t n = 2 + (uint32_t)(random_u64(&seed) % 4);
    for (uint32_t i = 0; i < n; i++) {
        w->setups[i] = (struct talker_setup){random_u64(&seed), i % 2 ? &slow : &fast};
        part_graph_add(&w->graph, &talker_kind, 1 + (uint32_t)(random_u64(&seed) % 4),
                       &w->setups[i]);
    }
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            uint64_t r = random_u64(&seed);
            if ((halves && (from + to) % 2 == 0) || r % 3 == 0)
                continue;
            part_graph_link(&w->graph,
                            (struct part_link){.from = from,
                                               .to = to,
                                               .messages = 1u << MSG_WORD,
                                               .clock = r & 64 ? &slow : &fast,
                                               .latency_cycles = 3 + (uint32_t)(r >> 8) % 5});
        }
    part_graph_build(&w->graph, &w->engine);
    engine_connect(&w->engine);
    w->engine.skip = true;
}

static void world_free(struct world *w)
{
    engine_destroy(&w->engine);
    part_graph_destroy(&w->graph);
}

static void random_machines_do_the_same_however_they_advance(void **state)
{
    (void)state;
    struct team *teams[] = {NULL, team_create(2), NULL, team_create(3)};
    uint32_t n_halved = 0, n_whole = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world plain, w;
        world_init(&plain, seed);
        plain.engine.n_first = 0;
        plain.engine.quantum = 1;
        plain.engine.skip = false;
        assert_int_equal(engine_run(&plain.engine, NULL, NULL, TIME_NEVER), ENGINE_DONE);
        for (uint32_t variant = 0; variant < 4; variant++) {
            world_init(&w, seed);
            n_halved += w.engine.n_first > 0;
            n_whole += !w.engine.n_first;
            w.engine.team = teams[variant];
            if (variant == 2 && w.engine.quantum > 3)
                w.engine.quantum = 3;
            assert_int_equal(engine_run(&w.engine, NULL, NULL, TIME_NEVER), ENGINE_DONE);
            for (uint32_t i = 0; i < w.engine.n; i++)
                assert_int_equal(((struct talker *)w.engine.shards[i])->digest,
                                 ((struct talker *)plain.engine.shards[i])->digest);
            world_free(&w);
        }
        world_free(&plain);
    }
    assert_true(n_halved > 40 && n_whole > 40);
    for (uint32_t i = 0; i < 4; i++)
        team_destroy(teams[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_halves_that_stand_side_by_side),
        cmocka_unit_test(an_odd_cycle_has_none),
        cmocka_unit_test(an_even_cycle_has_halves),
        cmocka_unit_test(a_link_within_a_group_has_all_advance_together),
        cmocka_unit_test(an_optional_link_counts_while_it_is_on),
        cmocka_unit_test(parts_apart_from_the_others_are_in_the_first_half),
        cmocka_unit_test(only_what_is_declared_may_be_sent),
        cmocka_unit_test(ports_are_as_wide_and_as_deep_as_their_links),
        cmocka_unit_test(a_ticker_goes_on_when_credits_are_back),
        cmocka_unit_test(random_machines_do_the_same_however_they_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
