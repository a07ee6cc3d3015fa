/* SMs on a bench: only a memory that answers everything after a fixed number of cycles, and a
 * dispatcher that sends each SM a CTA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/team.h"
#include "gpu/sim.h"
#include "noc/ticker.h"

static const char ptx[] =
    ".version 3.0\n.target sm_20\n.address_size 64\n"
    ".global .align 128 .b8 data[8192];\n"
    ".visible .entry load_one() {\n"
    ".reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
    "mov.u64 %rd1, data; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r1; ret; }\n"
    ".visible .entry load_many() {\n"
    ".reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
    "mov.u64 %rd1, data; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128;\n"
    "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; add.u32 %r3, %r2, %r2; ret; }\n"
    /* The same, and then again. */
    ".visible .entry load_many_again() {\n"
    ".reg .u32 %r<6>; .reg .u64 %rd<6>;\n"
    "mov.u64 %rd1, data; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128;\n"
    "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; cvt.u64.u32 %rd4, %r2;\n"
    "add.s64 %rd5, %rd3, %rd4; ld.global.u32 %r3, [%rd5]; add.u32 %r4, %r3, %r3; ret; }\n"
    ".visible .entry store_one() {\n"
    ".reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
    "mov.u64 %rd1, data; st.global.u32 [%rd1], 7; ret; }\n";

enum { N_SMS = 2, MAX_SEEN = 256 };

struct bench {
    struct heddle_sim *sim; /* without timing: it has the program, and memory */
    struct heddle_module *module;
    struct address_map map;
    struct clock_domain clock, noc_clock;
    uint32_t sms, memory, dispatcher; /* groups */
    uint32_t memory_cycles, dispatch_cycles;
    bool every_cycle;
    struct part_graph graph;
    struct engine engine;
};

/* --- memory that takes its time --- */

struct slow_memory {
    struct ticker ticker; /* first */
    const struct bench *bench;
    struct rx_port up;
    struct tx_port down;
    struct seen {
        struct mem_request *request;
        enum request_origin origin;
        uint32_t sm;
        uint64_t line, came, due;
    } seen[MAX_SEEN];
    uint32_t n_seen, n_answered;
};

static void memory_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct slow_memory *mem = (struct slow_memory *)s;
    struct mem_request *r = m->body;
    assert_int_equal(m->kind, MSG_REQUEST);
    assert_true(mem->n_seen < MAX_SEEN);
    sim_time through = rx_pass(&mem->up, ticker_time(&mem->ticker, now), m);
    uint64_t due = clock_cycle_at(mem->ticker.clock, through) + mem->bench->memory_cycles;
    mem->seen[mem->n_seen++] = (struct seen){r, r->origin, r->sm, r->access.line, now, due};
}

static bool answer(struct slow_memory *mem, struct mem_request *r, sim_time t)
{
    const struct noc_config *noc = &mem->bench->sim->config->noc;
    if (r->origin == FROM_STORE) {
        shard_send(&mem->ticker.shard, t,
                   (struct message){
                       .at = t + mem->down.latency, .to = r->sm, .kind = MSG_FREE, .body = r});
        return true;
    }
    uint32_t flits = noc_flits(noc, r->data_bytes);
    if (!tx_can_send(&mem->down, t, r->sm, flits))
        return false;
    tx_send(&mem->down, t,
            (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = flits, .body = r});
    return true;
}

static uint64_t memory_tick(struct shard *s, uint64_t now)
{
    struct slow_memory *mem = (struct slow_memory *)s;
    const struct seen *first = &mem->seen[mem->n_answered];
    if (mem->n_answered < mem->n_seen && first->due <= now &&
        answer(mem, first->request, ticker_time(&mem->ticker, now)))
        mem->n_answered++, first++;
    if (mem->n_answered == mem->n_seen)
        return TICK_NEVER;
    return first->due > now ? first->due : now + 1;
}

static bool memory_is_idle(const struct shard *s)
{
    const struct slow_memory *mem = (const struct slow_memory *)s;
    return mem->n_answered == mem->n_seen;
}

static const struct shard_ops memory_ops = {.kind = "slow memory",
                                            .advance = ticker_advance,
                                            .is_idle = memory_is_idle,
                                            .take = memory_take,
                                            .tick = memory_tick};

static void memory_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct slow_memory *mem = (struct slow_memory *)s;
    mem->bench = setup;
    ticker_init(&mem->ticker, &memory_ops, at->id, &mem->bench->clock);
    part_open_rx(at, NET_UP, s, &mem->up);
    part_open_tx(at, NET_DOWN, s, &mem->down);
}

static void memory_destroy(struct shard *s)
{
    struct slow_memory *mem = (struct slow_memory *)s;
    rx_destroy(&mem->up);
    tx_destroy(&mem->down);
}

static const struct part_kind memory_kind = {
    .bytes = sizeof(struct slow_memory), .create = memory_create, .destroy = memory_destroy};

/* --- one CTA for each SM --- */

struct starter {
    struct ticker ticker; /* first */
    const struct bench *bench;
    uint32_t n_started, n_done;
    uint64_t done_at; /* cycle */
};

static void starter_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct starter *d = (struct starter *)s;
    assert_int_equal(m->kind, MSG_CTA_DONE);
    d->n_done++;
    d->done_at = now;
}

static uint64_t starter_tick(struct shard *s, uint64_t now)
{
    struct starter *d = (struct starter *)s;
    const struct bench *b = d->bench;
    sim_time t = ticker_time(&d->ticker, now);
    for (; d->n_started < N_SMS; d->n_started++)
        shard_send(s, t,
                   (struct message){.at = t + b->dispatch_cycles * b->clock.period,
                                    .to = b->graph.groups[b->sms].first_id + d->n_started,
                                    .kind = MSG_CTA_START,
                                    .body = (void *)(uintptr_t)d->n_started});
    return TICK_NEVER;
}

static bool starter_is_idle(const struct shard *s)
{
    return ((const struct starter *)s)->n_done == N_SMS;
}

static const struct shard_ops starter_ops = {.kind = "starter",
                                             .advance = ticker_advance,
                                             .is_idle = starter_is_idle,
                                             .take = starter_take,
                                             .tick = starter_tick};

static void starter_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct starter *d = (struct starter *)s;
    d->bench = setup;
    ticker_init(&d->ticker, &starter_ops, at->id, &d->bench->clock);
}

static const struct part_kind starter_kind = {.bytes = sizeof(struct starter),
                                              .create = starter_create};

/* --- the SMs --- */

static void bench_sm_create(struct shard *s, const struct part_position *at, const void *setup)
{
    const struct bench *b = setup;
    const struct machine_config *c = b->sim->config;
    struct sm_setup sm = {.config = &c->sm,
                          .clock = &b->clock,
                          .noc_clock = &b->noc_clock,
                          .noc = &c->noc,
                          .map = &b->map,
                          .place = at,
                          .first_partition = b->graph.groups[b->memory].first_id,
                          .dispatcher = b->graph.groups[b->dispatcher].first_id,
                          .n_warps = c->gpu->warps_per_sm,
                          .n_cta_slots = c->gpu->ctas_per_sm,
                          .dispatch_latency = (sim_time)b->dispatch_cycles * b->clock.period,
                          .visibility = 100,
                          .every_cycle = b->every_cycle,
                          .scheduler = c->scheduler,
                          .scheduler_params = c->scheduler_params,
                          .criticality = c->criticality,
                          .l1d_policy = c->l1d_policy,
                          .l1d_params = c->l1d_params,
                          .atomics = c->atomics,
                          .l2_is_lru = true,
                          .seed = at->index + 1};
    sm_create((struct sm *)s, &sm);
}

static void bench_sm_destroy(struct shard *s)
{
    sm_destroy((struct sm *)s);
}

static const struct part_kind bench_sm_kind = {
    .bytes = sizeof(struct sm), .create = bench_sm_create, .destroy = bench_sm_destroy};

static struct sm *bench_sm(const struct bench *b, uint32_t i)
{
    return (struct sm *)part_at(&b->graph, b->sms, i);
}

/* --- the bench --- */

static void bench_link(struct bench *b, uint32_t from, uint32_t to, uint32_t kind, int32_t network)
{
    const struct noc_config *noc = &b->sim->config->noc;
    struct part_link l = {.from = from,
                          .to = to,
                          .messages = 1u << kind,
                          .clock = &b->noc_clock,
                          .latency_cycles = noc->latency_cycles};
    if (network >= 0) {
        l.format = noc;
        l.network = (uint32_t)network;
        l.flits_in = l.flits_out = 1;
    }
    part_graph_link(&b->graph, l);
}

static void bench_dispatch(struct bench *b, uint32_t from, uint32_t to, uint32_t kind)
{
    part_graph_link(&b->graph, (struct part_link){.from = from,
                                                  .to = to,
                                                  .messages = 1u << kind,
                                                  .clock = &b->clock,
                                                  .latency_cycles = b->dispatch_cycles});
}

static void commit_stores(void *user, sim_time t)
{
    struct bench *b = user;
    (void)t;
    for (uint32_t i = 0; i < N_SMS; i++)
        overlay_commit(&bench_sm(b, i)->overlay, &b->sim->mem);
}

static void start_sms(struct bench *b, const char *kernel)
{
    struct heddle_launch launch = {.grid = {N_SMS}, .block = {32}};
    struct emu *emu = &b->sim->emu;
    emu->program = b->module->program;
    assert_int_equal(sim_prepare_launch(b->sim, b->module, kernel, &launch, &emu->launch),
                     HEDDLE_OK);
    const struct sm_config *c = &b->sim->config->sm;
    const struct op_timing *timing = op_timing_build(emu->program, c, &b->module->arena);
    for (uint32_t i = 0; i < N_SMS; i++)
        sm_start_kernel(bench_sm(b, i), &(struct sm_kernel){.emu = emu,
                                                            .timing = timing,
                                                            .l1d_ways = c->l1d.n_ways,
                                                            .n_sms = N_SMS,
                                                            .warps_per_sm = 1,
                                                            .flush_l1 = true});
    ticker_start((struct ticker *)part_at(&b->graph, b->dispatcher, 0), 0);
}

/* With a setting, if it is not NULL. */
static void bench_open_set(struct bench *b, uint32_t memory_cycles, bool every_cycle,
                           const char *setting)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .settings = &setting,
                               .n_settings = setting != NULL};
    memset(b, 0, sizeof *b);
    b->memory_cycles = memory_cycles;
    b->dispatch_cycles = 9;
    b->every_cycle = every_cycle;
    b->clock = b->noc_clock = (struct clock_domain){"core", 700, 2};
    b->map = (struct address_map){.n_partitions = 1, .interleave_bytes = 256};
    assert_int_equal(heddle_create(&o, &b->sim), HEDDLE_OK);
    if (heddle_load(b->sim, HEDDLE_PTX, "bench", ptx, sizeof ptx - 1, NULL, &b->module))
        fail_msg("%s", heddle_error(b->sim));
    b->sms = part_graph_add(&b->graph, &bench_sm_kind, N_SMS, b);
    b->memory = part_graph_add(&b->graph, &memory_kind, 1, b);
    b->dispatcher = part_graph_add(&b->graph, &starter_kind, 1, b);
    bench_link(b, b->sms, b->memory, MSG_REQUEST, NET_UP);
    bench_link(b, b->memory, b->sms, MSG_REPLY, NET_DOWN);
    bench_link(b, b->memory, b->sms, MSG_FREE, -1);
    bench_dispatch(b, b->dispatcher, b->sms, MSG_CTA_START);
    bench_dispatch(b, b->sms, b->dispatcher, MSG_CTA_DONE);
    b->engine = (struct engine){
        .skip = !every_cycle, .period = 100, .at_boundary = commit_stores, .user = b};
    part_graph_build(&b->graph, &b->engine);
    if (every_cycle)
        b->engine.n_first = 0;
    engine_connect(&b->engine);
}

static void bench_open(struct bench *b, uint32_t memory_cycles, bool every_cycle)
{
    bench_open_set(b, memory_cycles, every_cycle, NULL);
}

static void bench_close(struct bench *b)
{
    engine_destroy(&b->engine);
    part_graph_destroy(&b->graph);
    heddle_destroy(b->sim);
}

static const struct slow_memory *memory_of(const struct bench *b)
{
    return (const struct slow_memory *)part_at(&b->graph, b->memory, 0);
}

/* Returns the cycle in which the last CTA's end is reported. */
static uint64_t run(struct bench *b, const char *kernel)
{
    start_sms(b, kernel);
    assert_int_equal(engine_run(&b->engine, NULL, NULL, TIME_NEVER), ENGINE_DONE);
    const struct starter *d = (const struct starter *)part_at(&b->graph, b->dispatcher, 0);
    assert_int_equal(d->n_done, N_SMS);
    for (uint32_t i = 0; i < N_SMS; i++) {
        assert_int_equal(bench_sm(b, i)->out.n_out, 0);
        assert_int_equal(bench_sm(b, i)->emu.fault.kind, FAULT_NONE);
    }
    return d->done_at;
}

/* Those of one SM. */
static uint32_t requests_of(const struct bench *b, uint32_t sm, enum request_origin origin)
{
    const struct slow_memory *mem = memory_of(b);
    uint32_t n = 0;
    for (uint32_t i = 0; i < mem->n_seen; i++)
        n += mem->seen[i].sm == sm && mem->seen[i].origin == origin;
    return n;
}

/* Code is fetched first, and then the line: each waits for memory once. */
static void a_load_waits_as_long_as_memory_takes(void **state)
{
    (void)state;
    struct bench fast, slow;
    bench_open(&fast, 50, false);
    bench_open(&slow, 173, false);
    uint64_t sooner = run(&fast, "load_one"), later = run(&slow, "load_one");
    assert_int_equal(later - sooner, 2 * (173 - 50));
    for (uint32_t i = 0; i < N_SMS; i++) {
        assert_int_equal(requests_of(&slow, i, FROM_L1I), 1);
        assert_int_equal(requests_of(&slow, i, FROM_L1D), 1);
    }
    bench_close(&fast);
    bench_close(&slow);
}

static void lanes_in_lines_of_their_own_ask_for_each_in_order(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 80, false);
    run(&b, "load_many");
    const struct slow_memory *mem = memory_of(&b);
    for (uint32_t sm = 0; sm < N_SMS; sm++) {
        uint64_t line = 0, came = 0;
        assert_int_equal(requests_of(&b, sm, FROM_L1D), 32);
        for (uint32_t i = 0; i < mem->n_seen; i++) {
            const struct seen *r = &mem->seen[i];
            if (r->sm != sm || r->origin != FROM_L1D)
                continue;
            assert_true(!line || (r->line == line + 128 && r->came > came));
            line = r->line;
            came = r->came;
        }
    }
    bench_close(&b);
}

/* However long a hit takes, the load is done that much after the last of its accesses. */
static void a_load_that_hits_waits_for_the_last_of_its_lines(void **state)
{
    (void)state;
    struct bench fast, slow;
    bench_open_set(&fast, 80, false, "sm.l1d_latency=10");
    bench_open_set(&slow, 80, false, "sm.l1d_latency=40");
    uint64_t sooner = run(&fast, "load_many_again"), later = run(&slow, "load_many_again");
    assert_int_equal(later - sooner, 40 - 10);
    for (uint32_t i = 0; i < N_SMS; i++)
        assert_int_equal(requests_of(&slow, i, FROM_L1D), 32);
    bench_close(&fast);
    bench_close(&slow);
}

static void a_store_is_not_waited_for(void **state)
{
    (void)state;
    struct bench fast, slow;
    bench_open(&fast, 50, false);
    bench_open(&slow, 173, false);
    uint64_t sooner = run(&fast, "store_one"), later = run(&slow, "store_one");
    assert_int_equal(later - sooner, 173 - 50); /* for its code only */
    assert_int_equal(requests_of(&slow, 0, FROM_STORE), 1);
    bench_close(&fast);
    bench_close(&slow);
}

static void requests_do_not_depend_on_how_sms_advance(void **state)
{
    (void)state;
    struct team *team = team_create(2);
    struct bench usual;
    bench_open(&usual, 61, false);
    assert_int_equal(usual.engine.n_first, N_SMS);
    uint64_t done = run(&usual, "load_many");
    for (uint32_t variant = 0; variant < 4; variant++) {
        struct bench b;
        bench_open(&b, 61, variant >= 2);
        b.engine.quantum = variant == 1 ? 1 : b.engine.quantum;
        b.engine.team = variant % 2 ? team : NULL;
        assert_int_equal(run(&b, "load_many"), done);
        assert_int_equal(memory_of(&b)->n_seen, memory_of(&usual)->n_seen);
        for (uint32_t i = 0; i < memory_of(&b)->n_seen; i++) {
            const struct seen *x = &memory_of(&b)->seen[i], *y = &memory_of(&usual)->seen[i];
            assert_true(x->sm == y->sm && x->line == y->line && x->came == y->came);
        }
        bench_close(&b);
    }
    bench_close(&usual);
    team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_waits_as_long_as_memory_takes),
        cmocka_unit_test(lanes_in_lines_of_their_own_ask_for_each_in_order),
        cmocka_unit_test(a_load_that_hits_waits_for_the_last_of_its_lines),
        cmocka_unit_test(a_store_is_not_waited_for),
        cmocka_unit_test(requests_do_not_depend_on_how_sms_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
