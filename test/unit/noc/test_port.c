/* Ports and credits: times against charts written by hand, throughput against bandwidth and round
 * trip, and the conservation of random traffic and its violations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "noc/port.h"
#include "unit/random_bits.h"

enum { PERIOD = 16, LATENCY = 5, DATA = 1 };

static const struct noc_config plain = {.flit_bytes = 32,
                                        .header_bytes = 8,
                                        .max_data_bytes = 128,
                                        .latency_cycles = LATENCY,
                                        .flits_per_cycle_up = 1,
                                        .flits_per_cycle_down = 1};
static const struct clock_domain port_clock = {.name = "icnt", .mhz = 650, .period = PERIOD};

/* --- a shard with both sides: sends on command, takes messages when it has room --- */

enum { MAX_NODES = 6, MAX_ITEMS = 4096 };

struct item {
    sim_time not_before;
    uint32_t to, flits;
    sim_time handed_over; /* when the port took it */
};

struct node {
    struct shard shard; /* first */
    struct tx_port tx;
    struct rx_port rx;
    uint32_t tick; /* period of its own clock */
    struct item *items;
    uint32_t n_items, n_sent;
    uint32_t percent_busy;      /* of its ticks: nothing is taken then */
    sim_time usable[MAX_ITEMS]; /* of what it received */
    uint32_t senders[MAX_ITEMS], n_received;
};

static void node_collect(struct node *n, sim_time now)
{
    for (const struct message *m; (m = shard_peek(&n->shard, now + 1)); shard_take(&n->shard))
        rx_arrive(&n->rx, m);
}

static void node_tick(struct node *n, sim_time now)
{
    node_collect(n, now);
    uint64_t chance = n->shard.id + now; /* depends on the time only, not on ticks before */
    if (random_u64(&chance) % 100 >= n->percent_busy)
        while (rx_peek(&n->rx)) {
            struct message m;
            assert_int_equal(rx_peek(&n->rx)->kind, DATA);
            n->usable[n->n_received] = rx_take(&n->rx, now, &m);
            n->senders[n->n_received++] = m.from;
        }
    while (n->n_sent < n->n_items) {
        struct item *i = &n->items[n->n_sent];
        if (i->not_before > now || !tx_can_send(&n->tx, now, i->to, i->flits))
            break;
        tx_send(&n->tx, now, (struct message){.to = i->to, .kind = DATA, .flits = i->flits});
        i->handed_over = now;
        n->n_sent++;
    }
}

static bool node_is_idle(const struct shard *s)
{
    const struct node *n = (const struct node *)s;
    return n->n_sent == n->n_items && !rx_peek(&n->rx);
}

static void node_advance(struct shard *s, sim_time until)
{
    struct node *n = (struct node *)s;
    if (s->next == TIME_NEVER) /* woken by a message: back to ticking */
        s->next = (shard_peek(s, until)->at + n->tick - 1) / n->tick * n->tick;
    for (; s->next < until; s->next += n->tick)
        node_tick(n, s->next);
    node_collect(n, until - 1);
    if (node_is_idle(s))
        s->next = TIME_NEVER;
}

static const struct shard_ops node_ops = {
    .kind = "node", .advance = node_advance, .is_idle = node_is_idle};

struct net {
    struct node nodes[MAX_NODES];
    struct shard *list[MAX_NODES];
    struct item items[MAX_NODES][MAX_ITEMS];
    uint32_t n;
    struct engine engine;
};

static struct net *net_new(uint32_t n, const struct noc_config *c, uint32_t flits_per_cycle)
{
    struct net *net = calloc(1, sizeof *net);
    net->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &net->nodes[i];
        node->shard =
            (struct shard){.ops = &node_ops, .id = i, .min_latency = c->latency_cycles * PERIOD};
        node->tick = PERIOD;
        node->items = net->items[i];
        tx_init(&node->tx, 0, &node->shard, &port_clock, c, flits_per_cycle, 0, n);
        rx_init(&node->rx, 0, &node->shard, &port_clock, c, flits_per_cycle);
        net->list[i] = &node->shard;
    }
    net->engine = (struct engine){.shards = net->list, .n = n, .skip = true};
    engine_connect(&net->engine);
    return net;
}

static void net_free(struct net *net)
{
    engine_destroy(&net->engine);
    for (uint32_t i = 0; i < net->n; i++) {
        tx_destroy(&net->nodes[i].tx);
        rx_destroy(&net->nodes[i].rx);
    }
    free(net);
}

static void offer(struct net *net, uint32_t from, uint32_t to, uint32_t flits, sim_time at)
{
    struct node *n = &net->nodes[from];
    n->items[n->n_items++] = (struct item){.not_before = at, .to = to, .flits = flits};
}

static void net_run_quantum(struct net *net, sim_time quantum)
{
    net->engine.quantum = quantum;
    assert_int_equal(engine_run(&net->engine, NULL, NULL, 100000000), ENGINE_DONE);
    for (uint32_t i = 0; i < net->n; i++) {
        tx_settle(&net->nodes[i].tx);
        assert_true(tx_is_quiet(&net->nodes[i].tx));
    }
}

static void net_run(struct net *net)
{
    net_run_quantum(net, LATENCY * PERIOD);
}

static bool net_is_conserved(const struct net *net, struct strbuf *why)
{
    struct port_stats tx = {0}, rx = {0};
    for (uint32_t i = 0; i < net->n; i++) {
        struct port_stats sent = tx_stats(&net->nodes[i].tx), got = rx_stats(&net->nodes[i].rx);
        port_stats_add(&tx, &sent);
        port_stats_add(&rx, &got);
    }
    return noc_is_conserved(&tx, &rx, why);
}

/* --- charts --- */

static void flits_include_the_header(void **state)
{
    (void)state;
    assert_int_equal(noc_flits(&plain, 0), 1);
    assert_int_equal(noc_flits(&plain, 24), 1);
    assert_int_equal(noc_flits(&plain, 25), 2);
    assert_int_equal(noc_flits(&plain, 128), 5);
}

static void unloaded_messages_take_two_ports_and_the_latency(void **state)
{
    (void)state;
    for (uint32_t flits = 1; flits <= 5; flits++) {
        struct net *net = net_new(2, &plain, 1);
        offer(net, 0, 1, flits, 10 * PERIOD);
        net_run(net);
        assert_int_equal(net->nodes[1].n_received, 1);
        assert_int_equal(net->nodes[1].usable[0], (10 + flits + LATENCY + flits) * PERIOD);
        net_free(net);
    }
}

/* A sender whose clock is three times slower and a unit off waits for the port's next cycle. */
static void a_port_begins_with_its_own_next_cycle(void **state)
{
    (void)state;
    struct net *net = net_new(2, &plain, 1);
    net->nodes[0].tick = 49;
    offer(net, 0, 1, 1, 49); /* cycle 3 begins at 48, cycle 4 at 64 */
    net_run(net);
    assert_int_equal(net->nodes[0].items[0].handed_over, 49);
    assert_int_equal(net->nodes[1].usable[0], (4 + 1 + LATENCY + 1) * PERIOD);
    net_free(net);
}

/* Ticks at 0, 21 and 42: port cycles 0, 2 and 3, which begin at 0, 32 and 48. At 42 the port is
 * still busy with cycle 2, but the next one is free to be taken. */
static void a_sender_on_another_clock_misses_no_port_cycle(void **state)
{
    (void)state;
    struct net *net = net_new(2, &plain, 1);
    static const uint32_t cycles[] = {0, 2, 3};
    net->nodes[0].tick = 21;
    for (uint32_t i = 0; i < 3; i++)
        offer(net, 0, 1, 1, 0);
    net_run(net);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(net->nodes[0].items[i].handed_over, 21 * i);
        assert_int_equal(net->nodes[1].usable[i], (cycles[i] + 1 + LATENCY + 1) * PERIOD);
    }
    net_free(net);
}

static void an_injection_port_is_busy_for_its_flits(void **state)
{
    (void)state;
    struct net *net = net_new(3, &plain, 1);
    struct node *sender = &net->nodes[0];
    offer(net, 0, 1, 3, 0);
    offer(net, 0, 2, 2, 0);
    net_run(net);
    assert_int_equal(sender->items[1].handed_over, 3 * PERIOD);
    assert_int_equal(net->nodes[1].usable[0], (3 + LATENCY + 3) * PERIOD);
    assert_int_equal(net->nodes[2].usable[0], (5 + LATENCY + 2) * PERIOD);
    net_free(net);
}

static void an_ejection_port_serves_by_arrival_then_sender(void **state)
{
    (void)state;
    struct net *net = net_new(4, &plain, 1);
    offer(net, 2, 3, 4, 0); /* arrives at cycle 4 + LATENCY */
    offer(net, 1, 3, 4, 0); /* at the same time, from a lower id */
    offer(net, 0, 3, 2, 0); /* first */
    net_run(net);
    const struct node *receiver = &net->nodes[3];
    static const uint32_t senders[] = {0, 1, 2};
    assert_memory_equal(receiver->senders, senders, sizeof senders);
    assert_int_equal(receiver->usable[0], (2 + LATENCY + 2) * PERIOD);
    assert_int_equal(receiver->usable[1], (4 + LATENCY + 4) * PERIOD);
    assert_int_equal(receiver->usable[2], (4 + LATENCY + 8) * PERIOD);
    net_free(net);
}

/* Three flits a cycle: messages of 1, 1, 2 and 5 flits take flits 0, 1, 2-3 and 4-8. */
static void a_wide_port_shares_a_cycle(void **state)
{
    (void)state;
    struct net *net = net_new(2, &plain, 3);
    static const uint32_t flits[] = {1, 1, 2, 5}, handed_over[] = {0, 0, 0, 1},
                          arrives_after[] = {1, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        offer(net, 0, 1, flits[i], 0);
    net_run(net);
    for (int i = 0; i < 4; i++)
        assert_int_equal(net->nodes[0].items[i].handed_over, handed_over[i] * PERIOD);
    /* Ejection: two in the cycle after arrival, the third spans what is left of its cycle. */
    assert_int_equal(net->nodes[1].usable[0], (arrives_after[0] + LATENCY + 1) * PERIOD);
    assert_int_equal(net->nodes[1].usable[1], (arrives_after[1] + LATENCY + 1) * PERIOD);
    assert_int_equal(net->nodes[1].usable[2], (arrives_after[2] + LATENCY + 1) * PERIOD);
    assert_int_equal(net->nodes[1].usable[3], (arrives_after[3] + LATENCY + 2) * PERIOD);
    net_free(net);
}

/* A buffer of one message: the next goes when the credits of the last are back, not earlier. */
static void credits_return_a_latency_after_ejection(void **state)
{
    (void)state;
    struct noc_config shallow = plain;
    shallow.buffer_flits = 5;
    struct net *net = net_new(2, &shallow, 1);
    net->nodes[0].tick = net->nodes[1].tick = 1; /* sees each time unit */
    for (int i = 0; i < 3; i++)
        offer(net, 0, 1, 5, 0);
    net_run(net);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(net->nodes[0].items[i].handed_over,
                         i * (5 + LATENCY + 5 + LATENCY) * PERIOD);
    net_free(net);
}

/* One sender and two receivers with the ids 10 and 11, and no time that passes by itself. */
struct lone_sender {
    struct shard shards[12], *list[12];
    struct engine engine;
    struct tx_port tx;
};

static void lone_sender_init(struct lone_sender *l, const struct noc_config *c,
                             uint32_t flits_per_cycle)
{
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < 12; i++) {
        l->shards[i] = (struct shard){.id = i, .min_latency = 1};
        l->list[i] = &l->shards[i];
    }
    l->engine = (struct engine){.shards = l->list, .n = 12};
    engine_connect(&l->engine);
    tx_init(&l->tx, 0, l->list[0], &port_clock, c, flits_per_cycle, 10, 2);
}

static void lone_sender_free(struct lone_sender *l)
{
    tx_destroy(&l->tx);
    engine_destroy(&l->engine);
}

static void missing_credits_mean_never_until_they_are_back(void **state)
{
    (void)state;
    struct lone_sender l;
    struct noc_config small = plain;
    small.buffer_flits = 6;
    lone_sender_init(&l, &small, 1);
    l.list[0]->until = 2000;
    tx_send(&l.tx, 0, (struct message){.to = 11, .flits = 4});
    assert_false(l.list[0]->starved);
    assert_int_equal(tx_ready_at(&l.tx, 0, 11, 3), TIME_NEVER);
    assert_true(l.list[0]->starved);
    assert_false(tx_can_send(&l.tx, 1000, 11, 3));
    assert_true(tx_can_send(&l.tx, 1000, 11, 2));
    assert_true(tx_can_send(&l.tx, 1000, 10, 6)); /* each receiver has its own */
    tx_settle(&l.tx);
    assert_false(tx_is_quiet(&l.tx));
    tx_credit(&l.tx.peers[1], 1500, 4);
    assert_int_equal(tx_ready_at(&l.tx, 1000, 11, 3), 1500);
    assert_false(tx_can_send(&l.tx, 1499, 11, 6));
    assert_true(tx_can_send(&l.tx, 1500, 11, 6));
    assert_int_equal(tx_settle(&l.tx), 1500);
    assert_true(tx_is_quiet(&l.tx));
    lone_sender_free(&l);
}

/* On both sides of when they are back, and of the quantum's end. */
static void credits_are_taken_that_are_back_in_the_quantum(void **state)
{
    (void)state;
    static const struct {
        sim_time now, until;
        uint32_t taken;
    } cases[] = {
        {1499, 2000, 0}, {1500, 2000, 4}, {1700, 1500, 0}, {1700, 1501, 4}, {1500, 1501, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lone_sender l;
        struct noc_config small = plain;
        small.buffer_flits = 6;
        lone_sender_init(&l, &small, 1);
        l.list[0]->until = cases[i].until;
        tx_send(&l.tx, 0, (struct message){.to = 11, .flits = 4});
        tx_credit(&l.tx.peers[1], 1500, 4);
        tx_take_credits(&l.tx, &l.tx.peers[1], cases[i].now);
        assert_int_equal(l.tx.peers[1].credits, 2 + cases[i].taken);
        lone_sender_free(&l);
    }
}

/* Credits that return after the quantum may be written during it: the sender must not use them, but
 * is notified between quanta. */
static void credits_beyond_the_quantum_are_seen_after_it(void **state)
{
    (void)state;
    struct lone_sender l;
    struct noc_config small = plain;
    small.buffer_flits = 6;
    lone_sender_init(&l, &small, 1);
    tx_send(&l.tx, 0, (struct message){.to = 10, .flits = 5});
    tx_send(&l.tx, 100, (struct message){.to = 11, .flits = 6});
    tx_credit(&l.tx.peers[0], 1000, 2);
    tx_credit(&l.tx.peers[0], 1100, 3);
    l.list[0]->until = 1000;
    assert_int_equal(tx_ready_at(&l.tx, 500, 10, 3), TIME_NEVER);
    assert_int_equal(tx_ready_at(&l.tx, 500, 11, 1), TIME_NEVER);
    assert_int_equal(tx_awaited(&l.tx), 1000); /* 1 + 2 flits */
    assert_int_equal(l.tx.wants->n, 1);        /* those of 11 are still missing */
    assert_int_equal(tx_awaited(&l.tx), TIME_NEVER);
    l.list[0]->until = 1001;
    assert_int_equal(tx_ready_at(&l.tx, 500, 10, 3), 1000);
    assert_int_equal(tx_ready_at(&l.tx, 500, 10, 4), TIME_NEVER);
    assert_int_equal(tx_awaited(&l.tx), 1100);
    lone_sender_free(&l);
}

/* As many as there can be, wherever in their ring they begin. */
static void credits_of_one_flit_each_are_all_found(void **state)
{
    (void)state;
    enum { N = 6 };
    struct lone_sender l;
    struct noc_config small = plain;
    small.buffer_flits = N;
    lone_sender_init(&l, &small, 1);
    for (sim_time begin = 0; begin < 20000; begin += 1000) {
        l.list[0]->until = begin + 1000;
        for (uint32_t i = 0; i < N; i++)
            tx_send(&l.tx, begin + i * PERIOD, (struct message){.to = 10, .flits = 1});
        for (uint32_t i = 0; i < N; i++)
            tx_credit(&l.tx.peers[0], begin + 300 + i, 1);
        for (uint32_t n = 1; n <= N; n++)
            assert_int_equal(tx_ready_at(&l.tx, begin + 200, 10, n), begin + 300 + n - 1);
    }
    lone_sender_free(&l);
}

static void ready_at_is_the_first_time_it_can_be_sent(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t flits_per_cycle = 1; flits_per_cycle <= 3; flits_per_cycle++) {
        struct lone_sender l;
        lone_sender_init(&l, &plain, flits_per_cycle);
        sim_time now = 0;
        for (int i = 0; i < 200; i++) {
            uint32_t flits = 1 + (uint32_t)(random_u64(&seed) % 5);
            now += random_u64(&seed) % 70;
            l.list[0]->until = now + 1000;
            sim_time ready = tx_ready_at(&l.tx, now, 10, flits);
            for (; now < ready; now++)
                assert_false(tx_can_send(&l.tx, now, 10, flits));
            assert_true(tx_can_send(&l.tx, now, 10, flits));
            tx_send(&l.tx, now, (struct message){.to = 10, .flits = (uint16_t)flits});
            tx_credit(&l.tx.peers[0], now, flits);
        }
        lone_sender_free(&l);
    }
}

/* --- throughput --- */

/* When the last of many messages of one sender is usable, in cycles. */
static sim_time stream_cycles(const struct noc_config *c, uint32_t flits_per_cycle, uint32_t flits,
                              uint32_t n)
{
    struct net *net = net_new(2, c, flits_per_cycle);
    for (uint32_t i = 0; i < n; i++)
        offer(net, 0, 1, flits, 0);
    net_run(net);
    sim_time last = net->nodes[1].usable[n - 1] / PERIOD;
    net_free(net);
    return last;
}

static void the_default_buffer_sustains_the_whole_bandwidth(void **state)
{
    (void)state;
    assert_int_equal(noc_full_buffer_flits(&plain, 1), 20); /* 5 + LATENCY + 5 + LATENCY */
    assert_int_equal(stream_cycles(&plain, 1, 5, 1000), 5000 + LATENCY + 5);
    assert_int_equal(stream_cycles(&plain, 1, 1, 1000), 1000 + LATENCY + 1);
    assert_int_equal(stream_cycles(&plain, 2, 1, 1000), 500 + LATENCY + 1);
}

static void a_shallower_buffer_is_bound_by_the_round_trip(void **state)
{
    (void)state;
    struct noc_config shallow = plain;
    shallow.buffer_flits = 10; /* two messages in each round trip of 20 cycles */
    assert_in_range(stream_cycles(&shallow, 1, 5, 1000), 9980, 10020);
    shallow.buffer_flits = 19; /* one flit less than needed: three messages */
    assert_in_range(stream_cycles(&shallow, 1, 5, 1000), 6640, 6700);
}

static void buffers_are_judged_with_words(void **state)
{
    (void)state;
    struct noc_config c = plain;
    struct strbuf why = {0};
    assert_int_equal(noc_check_buffer(&c, 1, &why), NOC_BUFFER_FULL);
    c.buffer_flits = 20;
    assert_int_equal(noc_check_buffer(&c, 1, &why), NOC_BUFFER_FULL);
    assert_string_equal(strbuf_text(&why), "");
    c.buffer_flits = 19;
    assert_int_equal(noc_check_buffer(&c, 1, &why), NOC_BUFFER_SHALLOW);
    assert_non_null(strstr(strbuf_text(&why), "bandwidth x round trip, 20 flits"));
    strbuf_clear(&why);
    c.buffer_flits = 4;
    assert_int_equal(noc_check_buffer(&c, 1, &why), NOC_BUFFER_TOO_SMALL);
    assert_non_null(strstr(strbuf_text(&why), "largest message, 5 flits (136 bytes"));
    strbuf_destroy(&why);
}

/* --- random traffic --- */

static struct net *random_net(uint64_t seed)
{
    struct noc_config c = plain;
    c.buffer_flits = (uint32_t[]){0, 5, 7, 40}[random_u64(&seed) % 4];
    struct net *net = net_new(2 + (uint32_t)(random_u64(&seed) % (MAX_NODES - 1)), &c,
                              1 + (uint32_t)(random_u64(&seed) % 3));
    for (uint32_t i = 0; i < net->n; i++) {
        net->nodes[i].tick = 1 + (uint32_t)(random_u64(&seed) % 40);
        net->nodes[i].percent_busy = (uint32_t)(random_u64(&seed) % 95);
        for (int k = 0; k < 100; k++) {
            uint64_t r = random_u64(&seed);
            offer(net, i, (uint32_t)(r % net->n), 1 + (uint32_t)(r / 16 % 5), r / 1024 % 20000);
        }
    }
    return net;
}

static void random_traffic_is_conserved_at_any_quantum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct net *a = random_net(seed), *b = random_net(seed);
        struct strbuf why = {0};
        net_run_quantum(a, 1);
        net_run_quantum(b, LATENCY * PERIOD);
        assert_true(net_is_conserved(a, &why));
        assert_string_equal(strbuf_text(&why), "");
        for (uint32_t i = 0; i < a->n; i++) {
            assert_int_equal(a->nodes[i].n_received, b->nodes[i].n_received);
            assert_memory_equal(a->nodes[i].usable, b->nodes[i].usable, sizeof a->nodes[i].usable);
            struct port_stats tx_a = tx_stats(&a->nodes[i].tx), tx_b = tx_stats(&b->nodes[i].tx);
            assert_memory_equal(&tx_a, &tx_b, sizeof tx_a);
            struct port_stats rx_a = rx_stats(&a->nodes[i].rx), rx_b = rx_stats(&b->nodes[i].rx);
            assert_memory_equal(&rx_a, &rx_b, sizeof rx_a);
        }
        net_free(a);
        net_free(b);
    }
}

static void what_is_lost_or_mistimed_breaks_conservation(void **state)
{
    (void)state;
    struct net *net = random_net(1);
    net_run(net);
    struct strbuf why = {0};
    assert_true(net_is_conserved(net, &why));
    struct node *n = &net->nodes[0], saved = *n;
    rx_arrive(&n->rx, &(struct message){.at = 1 << 20, .flits = 2}); /* it was never sent */
    assert_false(net_is_conserved(net, &why));
    assert_non_null(strstr(strbuf_text(&why), "flits sent and received"));
    *n = saved;
    tx_send(&n->tx, 1 << 20, (struct message){.to = 1, .flits = 2}); /* it is never received */
    assert_false(net_is_conserved(net, &why));
    *n = saved;
    /* Credits ten units later than the receiver meant. */
    struct tx_peer *peer = &n->tx.peers[0];
    for (uint32_t i = 1; !peer->back; i++)
        peer = &n->tx.peers[i];
    peer->back += 10;
    tx_settle(&n->tx);
    strbuf_clear(&why);
    assert_false(net_is_conserved(net, &why));
    assert_non_null(strstr(strbuf_text(&why), "time that credits were in use"));
    strbuf_destroy(&why);
    net_free(net);
}

/* Slots counted one by one from the beginning of time, against a port that only knows where it is;
 * in step with its clock and not. */
static void a_port_counts_slots_as_if_from_the_beginning_of_time(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t k = 0; k < 300; k++) {
        struct clock_domain clock = {.period = 1 + (uint32_t)(random_u64(&seed) % 40)};
        uint32_t width = 1 + (uint32_t)(random_u64(&seed) % (k % 2 ? 8 : 1024));
        struct shard shard = {.tick = k % 3 ? clock.period * (1 + k % 2) : 0};
        struct rx_port rx;
        uint64_t next_slot = 0, now = 0;
        rx_init(&rx, 0, &shard, &clock, &plain, width);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t flits = 1 + (uint32_t)(random_u64(&seed) % (k % 5 ? 12 : UINT16_MAX));
            now += random_u64(&seed) % 4 * (shard.tick ? shard.tick : 7);
            uint64_t first = (now + clock.period - 1) / clock.period * width;
            next_slot = (first > next_slot ? first : next_slot) + flits;
            uint64_t through = ((next_slot - 1) / width + 1) * clock.period;
            assert_int_equal(gate_pass(&rx.gate, now, flits), through);
        }
        rx_destroy(&rx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flits_include_the_header),
        cmocka_unit_test(a_port_counts_slots_as_if_from_the_beginning_of_time),
        cmocka_unit_test(unloaded_messages_take_two_ports_and_the_latency),
        cmocka_unit_test(a_port_begins_with_its_own_next_cycle),
        cmocka_unit_test(a_sender_on_another_clock_misses_no_port_cycle),
        cmocka_unit_test(an_injection_port_is_busy_for_its_flits),
        cmocka_unit_test(an_ejection_port_serves_by_arrival_then_sender),
        cmocka_unit_test(a_wide_port_shares_a_cycle),
        cmocka_unit_test(credits_return_a_latency_after_ejection),
        cmocka_unit_test(missing_credits_mean_never_until_they_are_back),
        cmocka_unit_test(credits_are_taken_that_are_back_in_the_quantum),
        cmocka_unit_test(credits_beyond_the_quantum_are_seen_after_it),
        cmocka_unit_test(credits_of_one_flit_each_are_all_found),
        cmocka_unit_test(ready_at_is_the_first_time_it_can_be_sent),
        cmocka_unit_test(the_default_buffer_sustains_the_whole_bandwidth),
        cmocka_unit_test(a_shallower_buffer_is_bound_by_the_round_trip),
        cmocka_unit_test(buffers_are_judged_with_words),
        cmocka_unit_test(random_traffic_is_conserved_at_any_quantum),
        cmocka_unit_test(what_is_lost_or_mistimed_breaks_conservation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
