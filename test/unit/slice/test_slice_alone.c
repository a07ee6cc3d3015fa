/* A memory slice on a bench: nothing around it but two SMs that send what a script says and note
 * when the answers come. All clocks are alike, ports are one flit wide unless a test says
 * otherwise.
 *
 * Every script runs under the plain engine and under the fast one with quanta of several lengths;
 * all of them must see the same cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "noc/ticker.h"
#include "slice/slice.h"

enum { N_SMS = 2, MAX_ASKS = 160, LINE = 128, LATENCY = 6, PERIOD = 2, VISIBILITY = 64 };
/* Of a message without data, and of one with a line. */
enum { HEADER_FLITS = 1, LINE_FLITS = 2 };

/* --- a script and what became of it --- */

struct ask {
    uint64_t from; /* the cycle in which it is sent, if it can be; after those before it */
    enum mem_kind kind;
    uint32_t line;     /* its number */
    uint32_t segments; /* 0 = the whole line */
    uint32_t lanes;    /* of an atomic, which adds `add` to the first word of a segment in each */
    uint32_t add;
    /* Cycles; 0 = it has not happened. */
    uint64_t sent, answered, freed;
    uint32_t order; /* of its answer, counted from 1 in its SM */
    struct mem_request request;
    struct atomic_part atomic;
};

struct script {
    struct slice_config config;
    uint32_t port_flits; /* of the slice's ports */
    uint32_t credits;    /* flits, as in struct part_link */
    uint64_t hold_until; /* SMs take no reply before that cycle */
    uint64_t end;        /* the run is cut off there; 0 = it runs until nothing is left to do */
    struct ask asks[N_SMS][MAX_ASKS];
    uint32_t n_asks[N_SMS];
};

struct bench {
    struct script s;
    struct clock_domain clock;
    struct address_map map;
    struct dev_mem mem;
    uint64_t memory; /* the first address of line 0 */
    uint32_t sms, slices;
    bool every_cycle;
    struct part_graph graph;
    struct engine engine;
};

static const struct op add_op = {.sub = PTX_MOD_ATOMOP_ADD, .type = PTX_U32, .width = 4};

/* --- SMs that do what a script says --- */

struct mock_sm {
    struct ticker ticker; /* first */
    struct bench *bench;
    struct tx_port up;
    struct rx_port down;
    struct ask *asks;
    uint32_t n, n_sent, n_back, n_answered;
};

static void note_answer(struct mock_sm *sm, const struct mem_request *r, uint64_t cycle)
{
    struct ask *a = r->waiter;
    assert_int_equal(a->answered, 0);
    assert_int_equal(r->access.line, sm->bench->memory + (uint64_t)a->line * LINE);
    a->answered = cycle;
    a->order = ++sm->n_answered;
    sm->n_back++;
}

static void sm_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct mock_sm *sm = (struct mock_sm *)s;
    if (m->kind == MSG_REPLY) {
        rx_arrive(&sm->down, m);
        return;
    }
    assert_int_equal(m->kind, MSG_FREE);
    ((struct ask *)((struct mem_request *)m->body)->waiter)->freed = now;
    sm->n_back++;
}

static void take_replies(struct mock_sm *sm, uint64_t now)
{
    struct message m;
    while (rx_peek(&sm->down)) {
        sim_time through = rx_take(&sm->down, ticker_time(&sm->ticker, now), &m);
        note_answer(sm, m.body, through / PERIOD);
    }
}

static bool send_first(struct mock_sm *sm, uint64_t now)
{
    struct ask *a = &sm->asks[sm->n_sent];
    struct mem_request *r = &a->request;
    sim_time t = ticker_time(&sm->ticker, now);
    if (!tx_can_send(&sm->up, t, r->to, r->flits))
        return false;
    tx_send(&sm->up, t,
            (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r});
    a->sent = now;
    sm->n_sent++;
    return true;
}

static uint64_t sm_tick(struct shard *s, uint64_t now)
{
    struct mock_sm *sm = (struct mock_sm *)s;
    uint64_t hold_until = sm->bench->s.hold_until, next = TICK_NEVER;
    if (now >= hold_until)
        take_replies(sm, now);
    else if (rx_peek(&sm->down))
        next = hold_until;
    if (sm->n_sent == sm->n)
        return next;
    uint64_t from = sm->asks[sm->n_sent].from;
    if (from > now)
        return from < next ? from : next;
    send_first(sm, now);
    return now + 1;
}

static bool sm_is_idle(const struct shard *s)
{
    const struct mock_sm *sm = (const struct mock_sm *)s;
    return sm->n_back == sm->n;
}

static const struct shard_ops sm_ops = {.kind = "mock SM",
                                        .advance = ticker_advance,
                                        .is_idle = sm_is_idle,
                                        .take = sm_take,
                                        .tick = sm_tick};

static void describe_atomic(struct ask *a, uint64_t line)
{
    a->atomic.op = &add_op;
    a->atomic.mask = a->lanes;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        a->atomic.address[i] = line + (uint32_t)__builtin_ctz(a->segments) * CACHE_SEGMENT_BYTES;
        a->atomic.b[i] = a->add;
    }
}

/* As an SM makes a request of an access. */
static void make_request(struct bench *b, struct ask *a, uint32_t from)
{
    struct mem_request *r = &a->request;
    uint64_t line = b->memory + (uint64_t)a->line * LINE;
    a->segments = a->segments ? a->segments : 15;
    uint32_t bytes = (uint32_t)__builtin_popcount(a->segments) * CACHE_SEGMENT_BYTES;
    bool carries = a->kind == MEM_STORE || a->kind == MEM_ATOMIC;
    r->access = (struct mem_access){
        .line = line, .address = line, .kind = a->kind, .segments = a->segments, .active_mask = 1};
    for (uint32_t i = 0; i < 4; i++)
        if (a->segments >> i & 1)
            r->access.byte_mask[i / 2] |= 0xffffffffull << i % 2 * 32;
    r->access.full_line = a->segments == 15;
    r->origin = a->kind == MEM_STORE ? FROM_STORE : a->kind == MEM_ATOMIC ? FROM_ATOMIC : FROM_L1D;
    r->sm = from;
    r->data_bytes = bytes;
    r->to = b->graph.groups[b->slices].first_id;
    r->flits = noc_flits(&b->s.config.noc, carries ? bytes : 0);
    r->local = (uint64_t)a->line * LINE;
    r->waiter = a;
    r->atomic = &a->atomic;
    if (a->kind == MEM_ATOMIC)
        describe_atomic(a, line);
}

static void sm_create(struct shard *s, const struct part_place *at, const void *setup)
{
    struct mock_sm *sm = (struct mock_sm *)s;
    struct bench *b = *(struct bench *const *)setup;
    sm->bench = b;
    sm->asks = b->s.asks[at->index];
    sm->n = b->s.n_asks[at->index];
    ticker_init(&sm->ticker, &sm_ops, at->id, &b->clock);
    part_open_tx(at, NET_UP, s, &sm->up);
    part_open_rx(at, NET_DOWN, s, &sm->down);
    for (uint32_t i = 0; i < sm->n; i++)
        make_request(b, &sm->asks[i], at->id);
}

static void sm_destroy(struct shard *s)
{
    struct mock_sm *sm = (struct mock_sm *)s;
    tx_destroy(&sm->up);
    rx_destroy(&sm->down);
}

static const struct part_kind sm_kind = {sizeof(struct mock_sm), sm_create, sm_destroy};

/* --- the slice --- */

static void bench_slice_create(struct shard *s, const struct part_place *at, const void *setup)
{
    const struct bench *b = *(struct bench *const *)setup;
    struct slice_setup slice = {.config = &b->s.config,
                                .place = at,
                                .l2_clock = &b->clock,
                                .dram_clock = &b->clock,
                                .map = &b->map,
                                .mem = (struct dev_mem *)&b->mem,
                                .every_cycle = b->every_cycle};
    slice_create((struct slice *)s, &slice);
}

static void bench_slice_destroy(struct shard *s)
{
    slice_destroy((struct slice *)s);
}

static const struct part_kind slice_kind = {sizeof(struct slice), bench_slice_create,
                                            bench_slice_destroy};

static const struct slice *slice_of(const struct bench *b)
{
    return (const struct slice *)part_at(&b->graph, b->slices, 0);
}

static const struct mock_sm *sm_of(const struct bench *b, uint32_t i)
{
    return (const struct mock_sm *)part_at(&b->graph, b->sms, i);
}

/* --- the bench --- */

static void bench_link(struct bench *b, uint32_t from, uint32_t to, uint32_t kind, int32_t network)
{
    struct part_link l = {.from = from,
                          .to = to,
                          .messages = 1u << kind,
                          .clock = &b->clock,
                          .latency_cycles = LATENCY};
    if (network >= 0) {
        l.format = &b->s.config.noc;
        l.network = (uint32_t)network;
        l.flits_in = from == b->slices ? b->s.port_flits : 1;
        l.flits_out = to == b->slices ? b->s.port_flits : 1;
        l.credits = b->s.credits;
    }
    part_graph_link(&b->graph, l);
}

static void commit_atomics(void *user, sim_time t)
{
    struct bench *b = user;
    (void)t;
    slice_commit_atomics((struct slice *)part_at(&b->graph, b->slices, 0));
}

/* `quantum` cycles; 0 = as long as the links allow. */
static void bench_open(struct bench *b, const struct script *s, uint32_t quantum, bool every_cycle)
{
    memset(b, 0, sizeof *b);
    b->s = *s;
    b->every_cycle = every_cycle;
    b->clock = (struct clock_domain){"clock", 700, PERIOD};
    b->map = (struct address_map){.n_partitions = 1,
                                  .interleave_bytes = 256,
                                  .n_banks = s->config.dram.n_banks,
                                  .row_bytes = s->config.dram.row_bytes};
    assert_int_equal(mem_create(&b->mem), 0);
    b->memory = mem_alloc(&b->mem, 1 << 20, "lines");
    b->sms = part_graph_add(&b->graph, &sm_kind, N_SMS, &b);
    b->slices = part_graph_add(&b->graph, &slice_kind, 1, &b);
    bench_link(b, b->sms, b->slices, MSG_REQUEST, NET_UP);
    bench_link(b, b->slices, b->sms, MSG_REPLY, NET_DOWN);
    bench_link(b, b->slices, b->sms, MSG_FREE, -1);
    b->engine = (struct engine){.skip = !every_cycle,
                                .period = VISIBILITY * PERIOD,
                                .at_boundary = commit_atomics,
                                .user = b};
    part_graph_build(&b->graph, &b->engine);
    if (every_cycle)
        b->engine.n_first = 0;
    if (quantum)
        b->engine.quantum = (sim_time)quantum * PERIOD;
    engine_connect(&b->engine);
}

/* Nothing is lost on the way: at the end all credits are back where they belong. */
static void check_credits(struct bench *b)
{
    struct strbuf why = {0};
    part_graph_settle(&b->graph);
    for (uint32_t network = NET_UP; network < N_NETWORKS; network++) {
        struct port_stats tx = part_graph_tx_stats(&b->graph, network);
        struct port_stats rx = part_graph_rx_stats(&b->graph, network);
        if (!noc_is_conserved(&tx, &rx, &why))
            fail_msg("network %u: %s", network, strbuf_text(&why));
    }
    for (uint32_t i = 0; i < N_SMS; i++)
        assert_true(tx_is_quiet(&sm_of(b, i)->up));
    assert_true(tx_is_quiet(&slice_of(b)->down));
    assert_int_equal(slice_of(b)->outstanding, 0);
}

static void bench_run(struct bench *b)
{
    uint64_t end = b->s.end;
    for (uint32_t i = 0; i < N_SMS; i++)
        ticker_start((struct ticker *)part_at(&b->graph, b->sms, i), 0);
    enum engine_end how = engine_run(&b->engine, NULL, NULL, end ? end * PERIOD : TIME_NEVER);
    assert_int_equal(how, end ? ENGINE_LIMIT : ENGINE_DONE);
    if (!end)
        check_credits(b);
}

static void bench_close(struct bench *b)
{
    engine_destroy(&b->engine);
    part_graph_destroy(&b->graph);
    mem_destroy(&b->mem);
}

static void check_same(const struct bench *a, const struct bench *b)
{
    for (uint32_t sm = 0; sm < N_SMS; sm++)
        for (uint32_t i = 0; i < a->s.n_asks[sm]; i++) {
            const struct ask *x = &a->s.asks[sm][i], *y = &b->s.asks[sm][i];
            assert_int_equal(x->sent, y->sent);
            assert_int_equal(x->answered, y->answered);
            assert_int_equal(x->freed, y->freed);
            assert_memory_equal(x->atomic.old, y->atomic.old, sizeof x->atomic.old);
        }
    assert_memory_equal(&slice_of(a)->stats, &slice_of(b)->stats, sizeof slice_of(a)->stats);
}

/* Leaves the bench of the last run for the test to look at. */
static void run_script(struct bench *b, const struct script *s)
{
    static const struct {
        uint32_t quantum;
        bool every_cycle;
    } manners[] = {{0, true}, {1, true}, {1, false}, {3, false}, {0, false}};
    static struct bench first;
    bench_open(&first, s, manners[0].quantum, manners[0].every_cycle);
    bench_run(&first);
    for (uint32_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
        bench_open(b, s, manners[i].quantum, manners[i].every_cycle);
        bench_run(b);
        check_same(&first, b);
        if (i + 1 < sizeof manners / sizeof manners[0])
            bench_close(b);
    }
    bench_close(&first);
}

/* --- scripts --- */

static struct script script; /* of the test that runs: it is large */
static struct bench bench;

/* A small slice in which nothing is short. */
static struct script *new_script(void)
{
    memset(&script, 0, sizeof script);
    script.port_flits = 1;
    script.config = (struct slice_config){.memory = {.banks = 2,
                                                     .input_queue = 4,
                                                     .rop_latency = 20,
                                                     .l2_latency = 5,
                                                     .dram_latency = 7,
                                                     .dram_queue = 8,
                                                     .reply_queue = 4,
                                                     .atomics_per_cycle = 1},
                                          .l2 = {.n_sets = 16,
                                                 .n_ways = 8,
                                                 .line_bytes = LINE,
                                                 .sector_bytes = LINE,
                                                 .n_mshrs = 16,
                                                 .mshr_merges = 8,
                                                 .allocate_on_fill = true,
                                                 .write_back = true,
                                                 .write_allocate = true},
                                          .l2_policy = cache_policy_find("lru"),
                                          .atomics = atomics_find("at_l2"),
                                          .noc = {.flit_bytes = LINE,
                                                  .header_bytes = 8,
                                                  .max_data_bytes = LINE,
                                                  .latency_cycles = LATENCY,
                                                  .flits_per_cycle_up = 1,
                                                  .flits_per_cycle_down = 1},
                                          .dram = {.n_banks = 4,
                                                   .n_bank_groups = 1,
                                                   .row_bytes = 1024,
                                                   .bus_bytes_per_cycle = 64,
                                                   .burst_cycles = 2, /* a line is one burst */
                                                   .queue_entries = 16,
                                                   .t_ccd = 2,
                                                   .t_rrd = 4,
                                                   .t_rcd = 9,
                                                   .t_ras = 20,
                                                   .t_rp = 8,
                                                   .t_rc = 28,
                                                   .t_cl = 11,
                                                   .t_wl = 4,
                                                   .t_cdlr = 5,
                                                   .t_wr = 12,
                                                   .t_rtp = 4}};
    return &script;
}

/* Returns its number. */
static uint32_t add_ask(struct script *s, uint32_t sm, struct ask a)
{
    assert_true(s->n_asks[sm] < MAX_ASKS);
    s->asks[sm][s->n_asks[sm]] = a;
    return s->n_asks[sm]++;
}

static uint32_t add_load(struct script *s, uint32_t sm, uint64_t from, uint32_t line)
{
    return add_ask(s, sm, (struct ask){.from = from, .kind = MEM_LOAD, .line = line});
}

static uint32_t add_atomic(struct script *s, uint32_t sm, uint64_t from, uint32_t line,
                           uint32_t lanes)
{
    return add_ask(s, sm,
                   (struct ask){.from = from,
                                .kind = MEM_ATOMIC,
                                .line = line,
                                .segments = 1,
                                .lanes = lanes,
                                .add = 1});
}

/* From then on all of them hit. The lines of even numbers are in bank 0. */
enum { WARM = 1500 };
static void warm_lines(struct script *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_load(s, 0, 0, i);
}

static const struct ask *ask_of(const struct bench *b, uint32_t sm, uint32_t i)
{
    return &b->s.asks[sm][i];
}

static uint64_t latency(const struct bench *b, uint32_t sm, uint32_t i)
{
    const struct ask *a = ask_of(b, sm, i);
    assert_true(a->answered > a->sent);
    return a->answered - a->sent;
}

/* Two ports, the network and the way to the bank. */
static uint64_t way_up(uint32_t flits, const struct script *s)
{
    return 2 * flits + LATENCY + s->config.memory.rop_latency;
}
static uint64_t way_down(uint32_t flits, const struct script *s)
{
    return s->config.memory.l2_latency + 2 * flits + LATENCY;
}
static uint64_t hit_latency(const struct script *s)
{
    return way_up(HEADER_FLITS, s) + way_down(LINE_FLITS, s);
}

/* --- latencies --- */

static void an_unloaded_hit_takes_the_sum_of_its_stages(void **state)
{
    (void)state;
    static const uint32_t rops[] = {1, 20, 21}, l2s[] = {1, 5, 6};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++) {
            struct script *s = new_script();
            s->config.memory.rop_latency = rops[i];
            s->config.memory.l2_latency = l2s[k];
            warm_lines(s, 1);
            uint32_t load = add_load(s, 0, WARM, 0), other = add_load(s, 1, WARM + 200, 0);
            run_script(&bench, s);
            assert_int_equal(latency(&bench, 0, load), hit_latency(s));
            assert_int_equal(latency(&bench, 1, other), hit_latency(s));
            bench_close(&bench);
        }
}

/* L2 asks in its next cycle, DRAM serves from its next one on. */
static uint64_t dram_latency(const struct script *s, bool row_is_open)
{
    const struct dram_config *d = &s->config.dram;
    return 2 + (row_is_open ? 0 : d->t_rcd) + d->t_cl + d->burst_cycles +
           s->config.memory.dram_latency;
}

static void a_miss_adds_its_way_through_dram(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct script *s = new_script();
        s->config.memory.dram_latency += i;
        uint32_t closed = add_load(s, 0, 0, 0), open = add_load(s, 0, 500, 1);
        uint32_t hit = add_load(s, 0, 1000, 1);
        run_script(&bench, s);
        assert_int_equal(latency(&bench, 0, closed), hit_latency(s) + dram_latency(s, false));
        assert_int_equal(latency(&bench, 0, open), hit_latency(s) + dram_latency(s, true));
        assert_int_equal(latency(&bench, 0, hit), hit_latency(s));
        assert_int_equal(slice_of(&bench)->stats.sectors_read, 2);
        bench_close(&bench);
    }
}

/* It carries its data up, and nothing comes back but its body, without ports. */
static void a_store_is_done_with_when_its_bank_has_it(void **state)
{
    (void)state;
    struct script *s = new_script();
    uint32_t store = add_ask(s, 0, (struct ask){.from = 10, .kind = MEM_STORE, .line = 3});
    run_script(&bench, s);
    const struct ask *a = ask_of(&bench, 0, store);
    assert_int_equal(a->answered, 0);
    assert_int_equal(a->freed - a->sent, way_up(LINE_FLITS, s) + LATENCY);
    assert_int_equal(slice_of(&bench)->stats.bytes_sent, 0);
    bench_close(&bench);
}

/* --- banks --- */

/* LRU that notes in which cycles the hits of each bank are. */
static struct {
    struct cache_policy_desc desc;
    void (*on_hit)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   const struct mem_access *a);
    uint64_t cycles[2][MAX_ASKS];
    uint32_t n[2];
} spy;

static void note_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     const struct mem_access *a)
{
    uint32_t bank = (uint32_t)p->seed % 2;
    spy.cycles[bank][spy.n[bank]++ % MAX_ASKS] = a->cycle;
    if (spy.on_hit)
        spy.on_hit(p, s, way, a);
}

/* Runs it in all manners; what the spy has seen is from the last one. */
static void run_with_spy(struct script *s)
{
    spy.desc = *cache_policy_find("lru");
    spy.desc.name = "spy";
    spy.on_hit = spy.desc.on_hit;
    spy.desc.on_hit = note_hit;
    s->config.l2_policy = &spy.desc;
    run_script(&bench, s);
    bench_close(&bench);
    spy.n[0] = spy.n[1] = 0;
    bench_open(&bench, s, 0, false);
    bench_run(&bench);
}

/* An atomic keeps each bank busy until requests have piled up: then they are served one after the
 * other in a bank, and side by side in two. */
static void a_bank_serves_one_request_a_cycle(void **state)
{
    (void)state;
    enum { N = 4, LANES = 24 };
    struct script *s = new_script();
    s->port_flits = 4;
    s->config.memory.reply_queue = 64;
    warm_lines(s, 2);
    for (uint32_t bank = 0; bank < 2; bank++)
        add_atomic(s, bank, WARM, bank, (1u << LANES) - 1);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t bank = 0; bank < 2; bank++)
            add_load(s, bank, WARM, bank);
    run_with_spy(s);
    for (uint32_t bank = 0; bank < 2; bank++) {
        assert_int_equal(spy.n[bank], N);
        for (uint32_t i = 1; i < N; i++)
            assert_int_equal(spy.cycles[bank][i], spy.cycles[bank][i - 1] + 1);
    }
    assert_int_equal(spy.cycles[1][0], spy.cycles[0][0] + 1);  /* as the port took the atomics */
    assert_int_equal(slice_of(&bench)->stats.stall_cycles, 0); /* to wait in line is no stall */
    bench_close(&bench);
}

/* Replies leave in the order of service, so only the cycle of service shows it. */
static void an_atomic_keeps_its_bank_busy_and_no_other(void **state)
{
    (void)state;
    enum { GAP = 5 };
    for (uint32_t lanes = GAP - 1; lanes <= GAP + 2; lanes++) {
        for (uint32_t bank = 0; bank < 2; bank++) {
            struct script *s = new_script();
            warm_lines(s, 2);
            uint32_t atomic = add_atomic(s, 0, WARM, 0, (1u << lanes) - 1);
            uint32_t load = add_load(s, 0, WARM + GAP, bank);
            run_with_spy(s);
            uint64_t served = WARM + way_up(HEADER_FLITS, s), waits = bank == 0 && lanes > GAP;
            assert_int_equal(spy.cycles[bank][0], served + (waits ? lanes : GAP));
            assert_int_equal(latency(&bench, 0, atomic),
                             way_up(HEADER_FLITS, s) + lanes + way_down(HEADER_FLITS, s));
            /* In the same cycle the atomic's reply leaves first. */
            uint64_t leaves = lanes < GAP ? GAP : lanes + 1;
            assert_int_equal(latency(&bench, 0, load), hit_latency(s) + leaves - GAP);
            bench_close(&bench);
        }
    }
}

/* --- what is full --- */

/* While SMs take no replies, a slice accepts so many loads that hit: as many as fill the buffers of
 * replies, their queue, that of the bank and the buffer of requests. */
static uint32_t n_accepted(const struct script *s)
{
    const struct memory_config *m = &s->config.memory;
    uint32_t replies = m->l2_latency * m->banks + m->reply_queue;
    uint32_t bank = m->rop_latency + m->input_queue;
    return s->credits / LINE_FLITS + replies + bank + s->credits / HEADER_FLITS;
}

enum { HOLD = 4000 };

/* Loads of one SM, all of line 0, which is there by then. */
static struct script *new_jam(uint32_t n)
{
    struct script *s = new_script();
    s->credits = 8;
    s->config.memory.rop_latency = 6;
    s->config.memory.l2_latency = 2;
    add_load(s, 1, 0, 0);
    for (uint32_t i = 0; i < n; i++)
        add_load(s, 0, WARM, 0);
    return s;
}

static void every_queue_holds_what_it_is_configured_to(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct script *s = new_jam(100);
        struct memory_config *m = &s->config.memory;
        uint32_t *const grown[] = {&m->reply_queue, &m->input_queue, &m->rop_latency,
                                   &m->l2_latency, &s->credits};
        uint32_t before = n_accepted(s);
        if (i)
            ++*grown[i - 1];
        s->credits += i == 5; /* one more: a reply has two flits */
        s->hold_until = s->end = HOLD;
        run_script(&bench, s);
        static const uint32_t more[] = {0, 1, 1, 1, 2, 3};
        assert_int_equal(n_accepted(s), before + more[i]);
        assert_int_equal(sm_of(&bench, 0)->n_sent, n_accepted(s));
        assert_int_equal(slice_of(&bench)->banks[0].queue.n, m->rop_latency + m->input_queue);
        bench_close(&bench);
    }
}

static void loads_wait_for_a_reply_place_at_n_and_not_before(void **state)
{
    (void)state;
    for (uint32_t over = 0; over < 2; over++) {
        struct script *s = new_jam(0);
        const struct memory_config *m = &s->config.memory;
        uint32_t n = s->credits / LINE_FLITS + m->l2_latency * m->banks + m->reply_queue + over;
        for (uint32_t i = 0; i < n; i++)
            add_load(s, 0, WARM, 0);
        s->hold_until = HOLD;
        run_script(&bench, s);
        const struct slice_stats *stats = &slice_of(&bench)->stats;
        assert_int_equal(stats->stall_cycles > 0, over);
        assert_int_equal(stats->accesses, n + 1);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(ask_of(&bench, 0, i)->order, i + 1);
            assert_true(ask_of(&bench, 0, i)->answered > HOLD);
        }
        bench_close(&bench);
    }
}

/* A full bank holds up the port, and with it requests for others; one that is full but for a place
 * does not. */
static void the_port_waits_for_a_full_bank(void **state)
{
    (void)state;
    for (uint32_t over = 0; over < 2; over++) {
        struct script *s = new_jam(0);
        const struct memory_config *m = &s->config.memory;
        uint32_t jam = s->credits / LINE_FLITS + m->l2_latency * m->banks + m->reply_queue;
        uint32_t n = jam + m->rop_latency + m->input_queue + over;
        for (uint32_t i = 0; i < n; i++)
            add_load(s, 0, WARM, 0);
        add_load(s, 1, WARM + 500, 1); /* the other bank's */
        s->hold_until = HOLD;
        s->end = HOLD - 1;
        run_script(&bench, s);
        const struct slice *p = slice_of(&bench);
        assert_int_equal(p->banks[0].queue.n, m->rop_latency + m->input_queue);
        assert_int_equal(p->banks[1].queue.n, !over);
        assert_int_equal(rx_peek(&p->up) != NULL, over);
        bench_close(&bench);
    }
}

/* --- misses --- */

static void loads_of_a_line_on_its_way_are_answered_with_it(void **state)
{
    (void)state;
    for (uint32_t over = 0; over < 2; over++) {
        struct script *s = new_script();
        uint32_t merges = s->config.l2.mshr_merges = 4;
        for (uint32_t i = 0; i < merges + over; i++)
            add_load(s, i % 2, 2 * (i / 2), 6);
        run_script(&bench, s);
        const struct slice *p = slice_of(&bench);
        assert_int_equal(p->stats.sectors_read, 1);
        assert_int_equal(p->stats.stall_cycles > 0, over);
        /* Two ports of SMs, one of the slice, which a reply takes LINE_FLITS cycles of. */
        uint64_t first = ask_of(&bench, 0, 0)->answered;
        for (uint32_t i = 0; i < merges; i++)
            assert_int_equal(ask_of(&bench, i % 2, i / 2)->answered, first + i * LINE_FLITS);
        bench_close(&bench);
    }
}

static void a_miss_waits_for_an_mshr_at_n_and_not_before(void **state)
{
    (void)state;
    for (uint32_t over = 0; over < 2; over++) {
        struct script *s = new_script();
        uint32_t n = s->config.l2.n_mshrs = 3;
        for (uint32_t i = 0; i < n + over; i++)
            add_load(s, 0, 0, 2 * i);
        run_script(&bench, s);
        assert_int_equal(slice_of(&bench)->stats.stall_cycles > 0, over);
        assert_int_equal(slice_of(&bench)->stats.sectors_read, n + over);
        bench_close(&bench);
    }
}

/* --- atomics --- */

static uint32_t word_at(const struct bench *b, uint32_t line)
{
    uint32_t word;
    memcpy(&word, mem_host(&b->mem, b->memory + (uint64_t)line * LINE), sizeof word);
    return word;
}

/* Each finds what those before it have left, lane by lane; the sum is in memory at the end of the
 * visibility period. */
static void atomics_of_two_sms_see_each_other(void **state)
{
    (void)state;
    enum { N = 12, LANES = 3 };
    struct script *s = new_script();
    for (uint32_t i = 0; i < N; i++)
        add_atomic(s, i % 2, i * 7 / 2, 4, (1u << LANES) - 1);
    run_script(&bench, s);
    uint32_t seen[N * LANES] = {0};
    for (uint32_t i = 0; i < N; i++) {
        const struct atomic_part *a = &ask_of(&bench, i % 2, i / 2)->atomic;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_int_equal(a->old[lane], a->old[0] + lane);
            assert_true(a->old[lane] < N * LANES);
            seen[a->old[lane]]++;
        }
        assert_true(i < 2 || a->old[0] > ask_of(&bench, i % 2, i / 2 - 1)->atomic.old[0]);
    }
    for (uint32_t i = 0; i < N * LANES; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(slice_of(&bench)->stats.atomic_ops, N * LANES);
    assert_int_equal(word_at(&bench, 4), N * LANES);
    bench_close(&bench);
}

static void atomics_are_in_memory_after_a_boundary(void **state)
{
    (void)state;
    for (uint32_t after = 0; after < 2; after++) {
        struct script *s = new_script();
        warm_lines(s, 1);
        add_atomic(s, 0, WARM, 0, 1);
        uint64_t performed = WARM + way_up(HEADER_FLITS, s);
        uint64_t boundary = (performed / VISIBILITY + 1) * VISIBILITY;
        s->end = boundary + after; /* what is due at the limit has not happened yet */
        run_script(&bench, s);
        assert_int_equal(ask_of(&bench, 0, 1)->atomic.performed_at, performed * PERIOD);
        assert_int_equal(word_at(&bench, 0), after);
        bench_close(&bench);
    }
}

/* With sectors the second one has all it needs, while the first, of the same line or of another,
 * waits for DRAM. */
static void an_atomic_waits_for_those_before_it_on_its_line(void **state)
{
    (void)state;
    for (uint32_t other_line = 0; other_line < 2; other_line++) {
        struct script *s = new_script();
        s->config.l2.sector_bytes = CACHE_SEGMENT_BYTES;
        uint32_t line = other_line ? 2 : 0;
        add_ask(s, 0, (struct ask){.kind = MEM_LOAD, .line = line, .segments = 1});
        uint32_t first = add_ask(
            s, 0,
            (struct ask){.from = WARM, .kind = MEM_ATOMIC, .segments = 2, .lanes = 1, .add = 1});
        uint32_t second = add_atomic(s, 0, WARM + 1, line, 1);
        run_script(&bench, s);
        const struct ask *a = ask_of(&bench, 0, first), *b = ask_of(&bench, 0, second);
        assert_int_equal(a->atomic.performed_at < b->atomic.performed_at, !other_line);
        assert_int_equal(a->order < b->order, !other_line);
        uint64_t alone = way_up(HEADER_FLITS, s) + 1 + way_down(HEADER_FLITS, s);
        assert_int_equal(latency(&bench, 0, second) == alone, other_line);
        assert_int_equal(latency(&bench, 0, first), alone + dram_latency(s, true));
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unloaded_hit_takes_the_sum_of_its_stages),
        cmocka_unit_test(a_miss_adds_its_way_through_dram),
        cmocka_unit_test(a_store_is_done_with_when_its_bank_has_it),
        cmocka_unit_test(a_bank_serves_one_request_a_cycle),
        cmocka_unit_test(an_atomic_keeps_its_bank_busy_and_no_other),
        cmocka_unit_test(every_queue_holds_what_it_is_configured_to),
        cmocka_unit_test(loads_wait_for_a_reply_place_at_n_and_not_before),
        cmocka_unit_test(the_port_waits_for_a_full_bank),
        cmocka_unit_test(loads_of_a_line_on_its_way_are_answered_with_it),
        cmocka_unit_test(a_miss_waits_for_an_mshr_at_n_and_not_before),
        cmocka_unit_test(atomics_of_two_sms_see_each_other),
        cmocka_unit_test(atomics_are_in_memory_after_a_boundary),
        cmocka_unit_test(an_atomic_waits_for_those_before_it_on_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
