#include "unit/slice/slice_bench.h"

static const struct op add_op = {.sub = PTX_MOD_ATOMOP_ADD, .type = PTX_U32, .width = 4};

/* --- SMs that do what a script says --- */

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
    mem_bytes_of_segments(a->segments, r->access.byte_mask);
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

static void sm_create(struct shard *s, const struct part_position *at, const void *setup)
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

static const struct part_kind sm_kind = {
    .bytes = sizeof(struct mock_sm), .create = sm_create, .destroy = sm_destroy};

/* --- the slice --- */

static void bench_slice_create(struct shard *s, const struct part_position *at, const void *setup)
{
    const struct bench *b = *(struct bench *const *)setup;
    struct slice_setup slice = {.config = &b->s.config,
                                .place = at,
                                .l2_clock = &b->clock,
                                .dram_clock = &b->clock,
                                .map = &b->map,
                                .mem = (struct dev_mem *)&b->mem,
                                .every_cycle = b->manner.every_cycle};
    slice_create((struct slice *)s, &slice);
}

static void bench_slice_destroy(struct shard *s)
{
    slice_destroy((struct slice *)s);
}

static const struct part_kind slice_kind = {
    .bytes = sizeof(struct slice), .create = bench_slice_create, .destroy = bench_slice_destroy};

const struct slice *slice_of(const struct bench *b)
{
    return (const struct slice *)part_at(&b->graph, b->slices, 0);
}

const struct mock_sm *sm_of(const struct bench *b, uint32_t i)
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

void bench_open(struct bench *b, const struct script *s, struct bench_manner manner)
{
    memset(b, 0, sizeof *b);
    b->s = *s;
    b->manner = manner;
    b->s.config.no_fast_paths = b->s.config.l2.no_fast_paths = manner.no_fast_paths;
    b->s.config.noc.no_fast_paths = manner.no_fast_paths;
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
    b->engine = (struct engine){.skip = !manner.every_cycle,
                                .period = VISIBILITY * PERIOD,
                                .at_boundary = commit_atomics,
                                .user = b};
    part_graph_build(&b->graph, &b->engine);
    if (manner.every_cycle)
        b->engine.n_first = 0;
    if (manner.quantum)
        b->engine.quantum = (sim_time)manner.quantum * PERIOD;
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

void bench_run(struct bench *b)
{
    uint64_t end = b->s.end;
    for (uint32_t i = 0; i < N_SMS; i++)
        ticker_start((struct ticker *)part_at(&b->graph, b->sms, i), 0);
    enum engine_end how = engine_run(&b->engine, NULL, NULL, end ? end * PERIOD : TIME_NEVER);
    assert_int_equal(how, end ? ENGINE_LIMIT : ENGINE_DONE);
    if (!end)
        check_credits(b);
}

void bench_close(struct bench *b)
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

void run_script(struct bench *b, const struct script *s)
{
    static const struct bench_manner manners[] = {
        {0, true, true},  {1, true, false}, {1, false, false}, {3, false, false},
        {3, false, true}, {0, false, true}, {0, false, false}};
    static struct bench first;
    bench_open(&first, s, manners[0]);
    bench_run(&first);
    for (uint32_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
        bench_open(b, s, manners[i]);
        bench_run(b);
        check_same(&first, b);
        if (i + 1 < sizeof manners / sizeof manners[0])
            bench_close(b);
    }
    bench_close(&first);
}
