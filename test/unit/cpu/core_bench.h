/* A CPU core on a bench: a program from an array, and a memory that answers every request a fixed
 * time after it has left the core. */
#ifndef HEDDLE_TEST_CPU_CORE_BENCH_H
#define HEDDLE_TEST_CPU_CORE_BENCH_H

#include <string.h>

#include "cpu/core.h"

/* --- a program in an array --- */

struct array_source {
    struct cpu_source source; /* first */
    const struct cpu_inst *insts;
    uint32_t n, at;
    const char *broken; /* an error at the end, instead of the end */
};

static void array_refill(struct cpu_source *s)
{
    struct array_source *a = (struct array_source *)s;
    enum { AT_A_TIME = 3 };
    s->next = a->insts + a->at;
    s->n_left = a->n - a->at < AT_A_TIME ? a->n - a->at : AT_A_TIME;
    a->at += s->n_left;
    if (!s->n_left)
        s->error = a->broken;
}

static void array_rewind(struct cpu_source *s)
{
    ((struct array_source *)s)->at = 0;
    s->n_left = 0;
}

static const struct cpu_source_ops array_ops = {.refill = array_refill, .rewind = array_rewind};

/* --- memory --- */

enum { BENCH_LINK_CYCLES = 1, BENCH_MAX_SEEN = 8192 };
/* Through two ports and a link on the way there, and on the way back. */
enum { BENCH_WAY_CYCLES = 2 * (2 + BENCH_LINK_CYCLES) };

struct core_bench {
    struct cpu_config config;
    uint32_t round_trip; /* cycles from the one in which a request leaves to the fill */
    uint32_t app;
    bool every_cycle;
    uint32_t quantum; /* time units; 0 = as long as it may be */
    struct array_source program;
    /* The bench's own. */
    struct noc_config noc;
    struct clock_domain clock;
    struct address_map map;
    uint32_t cores, memory; /* groups */
    struct part_graph graph;
    struct engine engine;
    struct seen {
        uint64_t line, left_at; /* the core in that cycle */
        bool writes;
    } seen[BENCH_MAX_SEEN];
    uint32_t n_seen;
};

struct fixed_memory {
    struct ticker ticker; /* first */
    struct core_bench *bench;
    struct rx_port up;
    struct tx_port down;
    struct {
        struct mem_request *request;
        uint64_t due;
    } waiting[BENCH_MAX_SEEN];
    uint32_t first, end;
};

static void memory_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct fixed_memory *mem = (struct fixed_memory *)s;
    struct core_bench *b = mem->bench;
    struct mem_request *r = m->body;
    assert_int_equal(m->kind, MSG_REQUEST);
    assert_int_equal(r->access.device, 1);
    assert_int_equal(r->access.app, b->app);
    sim_time through = rx_pass(&mem->up, ticker_time(&mem->ticker, now), m);
    uint64_t came = clock_cycle_at(mem->ticker.clock, through);
    uint32_t place = mem->end++ % BENCH_MAX_SEEN;
    assert_true(mem->end - mem->first < BENCH_MAX_SEEN);
    mem->waiting[place].request = r;
    mem->waiting[place].due = came + b->round_trip - BENCH_WAY_CYCLES;
    if (b->n_seen < BENCH_MAX_SEEN)
        b->seen[b->n_seen++] = (struct seen){.line = r->access.line,
                                             .left_at = came - BENCH_WAY_CYCLES / 2,
                                             .writes = r->access.kind == MEM_STORE};
}

static void memory_answer(struct fixed_memory *mem, struct mem_request *r, sim_time t)
{
    if (r->origin == FROM_STORE) {
        tx_send_beside(&mem->down, t, (struct message){.to = r->sm, .kind = MSG_FREE, .body = r});
        return;
    }
    assert_int_equal(r->origin, FROM_CPU);
    assert_true(tx_can_send(&mem->down, t, r->sm, 1));
    r->missed = r->access.line % (2 * CPU_LINE_BYTES) == 0; /* every other line */
    tx_send(&mem->down, t, (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = 1, .body = r});
}

static uint64_t memory_tick(struct shard *s, uint64_t now)
{
    struct fixed_memory *mem = (struct fixed_memory *)s;
    for (; mem->first != mem->end; mem->first++) {
        uint32_t place = mem->first % BENCH_MAX_SEEN;
        if (mem->waiting[place].due > now)
            return mem->waiting[place].due;
        memory_answer(mem, mem->waiting[place].request, ticker_time(&mem->ticker, now));
    }
    return TICK_NEVER;
}

static bool memory_is_idle(const struct shard *s)
{
    const struct fixed_memory *mem = (const struct fixed_memory *)s;
    return mem->first == mem->end;
}

static const struct shard_ops memory_ops = {.kind = "fixed memory",
                                            .advance = ticker_advance,
                                            .is_idle = memory_is_idle,
                                            .take = memory_take,
                                            .tick = memory_tick};

static void memory_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct fixed_memory *mem = (struct fixed_memory *)s;
    mem->bench = (struct core_bench *)setup;
    ticker_init(&mem->ticker, &memory_ops, at->id, &mem->bench->clock);
    part_open_rx(at, NET_UP, s, &mem->up);
    part_open_tx(at, NET_DOWN, s, &mem->down);
}

static void memory_destroy(struct shard *s)
{
    struct fixed_memory *mem = (struct fixed_memory *)s;
    rx_destroy(&mem->up);
    tx_destroy(&mem->down);
}

static const struct part_kind memory_kind = {
    .bytes = sizeof(struct fixed_memory), .create = memory_create, .destroy = memory_destroy};

/* --- the core --- */

static void bench_core_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct core_bench *b = (struct core_bench *)setup;
    cpu_core_create((struct cpu_core *)s,
                    &(struct cpu_setup){.config = &b->config,
                                        .clock = &b->clock,
                                        .place = at,
                                        .noc = &b->noc,
                                        .map = &b->map,
                                        .first_partition = b->graph.groups[b->memory].first_id,
                                        .app = b->app,
                                        .source = &b->program.source,
                                        .every_cycle = b->every_cycle});
}

static void bench_core_destroy(struct shard *s)
{
    cpu_core_destroy((struct cpu_core *)s);
}

static const struct part_kind bench_core_kind = {
    .bytes = sizeof(struct cpu_core), .create = bench_core_create, .destroy = bench_core_destroy};

static const struct cpu_core *bench_core(const struct core_bench *b)
{
    return (const struct cpu_core *)part_at(&b->graph, b->cores, 0);
}

/* --- the bench --- */

/* The parameters' defaults. */
static struct cpu_config bench_config(void)
{
    struct cpu_config c = {0};
    struct arena arena = {0};
    struct strbuf why = {0};
    for (uint32_t i = 0; i < n_cpu_params; i++)
        assert_true(param_store(&cpu_params[i], &c, cpu_params[i].default_text, &arena, &why));
    arena_destroy(&arena);
    strbuf_destroy(&why);
    return c;
}

static void bench_link(struct core_bench *b, uint32_t from, uint32_t to, uint32_t kind,
                       int32_t network)
{
    struct part_link l = {.from = from,
                          .to = to,
                          .messages = 1u << kind,
                          .clock = &b->clock,
                          .latency_cycles = BENCH_LINK_CYCLES};
    if (network >= 0) {
        l.format = &b->noc;
        l.network = (uint32_t)network;
        l.flits_in = l.flits_out = 1;
        l.credits = 1 << 16;
    }
    part_graph_link(&b->graph, l);
}

/* Config, round_trip and program are filled in. */
static void bench_open(struct core_bench *b)
{
    b->program.source.ops = &array_ops;
    b->clock = (struct clock_domain){"CPU", 1000, 3};
    b->noc = (struct noc_config){.flit_bytes = 256, .header_bytes = 8, .max_data_bytes = 128};
    b->map = (struct address_map){.n_partitions = 1, .interleave_bytes = 256};
    b->cores = part_graph_add(&b->graph, &bench_core_kind, 1, b);
    b->memory = part_graph_add(&b->graph, &memory_kind, 1, b);
    bench_link(b, b->cores, b->memory, MSG_REQUEST, NET_UP);
    bench_link(b, b->memory, b->cores, MSG_REPLY, NET_DOWN);
    bench_link(b, b->memory, b->cores, MSG_FREE, -1);
    b->engine = (struct engine){.skip = !b->every_cycle};
    part_graph_build(&b->graph, &b->engine);
    if (b->every_cycle)
        b->engine.n_first = 0;
    if (b->quantum)
        b->engine.quantum = b->quantum;
    engine_connect(&b->engine);
    cpu_core_start((struct cpu_core *)part_at(&b->graph, b->cores, 0), 0);
}

static void bench_close(struct core_bench *b)
{
    engine_destroy(&b->engine);
    part_graph_destroy(&b->graph);
}

static bool bench_has_ended(void *user)
{
    const struct cpu_core *core = bench_core(user);
    return cpu_core_has_ended(core) || cpu_core_error(core);
}

/* Up to the program's first end: its statistics then. */
static struct cpu_stats bench_run(struct core_bench *b)
{
    struct strbuf why = {0};
    bench_open(b);
    engine_run(&b->engine, bench_has_ended, b, TIME_NEVER);
    const struct cpu_core *core = bench_core(b);
    struct cpu_stats s = cpu_core_first_stats(core, b->engine.now);
    if (!cpu_core_check(core, &why))
        fail_msg("%s", strbuf_text(&why));
    strbuf_destroy(&why);
    bench_close(b);
    return s;
}

#endif
