/* Lines of L1D taken away from outside: a part that only this test knows sends SMs messages that
 * name lines, and a handler removes them while the SM performs hits. Nothing depends on the engine,
 * the quantum, the threads or the fast paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/fast.h"
#include "determinism/observe.h"
#include "gpu/sim.h"
#include "noc/ticker.h"

enum { MSG_TAKE_LINE = N_MESSAGE_KINDS };
enum { N_SMS = 2, N_WARPS = 4, LINE = 128, N_LINES = 64, LINK_CYCLES = 9, N_TAKEN = 900 };

/* Each lane of a warp loads from a line of its own, 20 times; two warps share their lines. */
static const char ptx[] =
    ".version 3.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry k(.param .u64 data) {\n"
    ".reg .pred %p; .reg .u32 %r<8>; .reg .u64 %rd<4>;\n"
    "ld.param.u64 %rd1, [data]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 63;\n"
    "mul.wide.u32 %rd2, %r2, 128; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 0; mov.u32 %r6, 0;\n"
    "again: ld.global.u32 %r4, [%rd3]; add.u32 %r6, %r6, %r4;\n"
    "add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 20; @%p bra again;\n"
    "add.u32 %r1, %r1, %r6; ret; }\n";

/* --- a part that takes lines away --- */

struct thief_setup {
    const struct machine *machine;
    uint64_t data; /* address of the lines */
    struct found {
        _Alignas(64) uint64_t lines; /* that were in L1D when they were taken */
        uint64_t digest;             /* of which they were, and when */
    } found[N_SMS];
};

struct thief {
    struct ticker ticker; /* first */
    const struct thief_setup *setup;
    uint32_t left, random;
};

static uint64_t thief_tick(struct shard *s, uint64_t now)
{
    struct thief *t = (struct thief *)s;
    const struct machine *m = t->setup->machine;
    if (!t->left)
        return TICK_NEVER;
    t->left--;
    t->random = t->random * 1664525 + 1013904223;
    uint64_t line = t->setup->data + (t->random >> 8) % N_LINES * LINE;
    sim_time at = ticker_time(&t->ticker, now);
    shard_send(s, at,
               (struct message){.at = at + s->links[m->sm_group].latency,
                                .to = m->graph.groups[m->sm_group].first_id + t->random % N_SMS,
                                .kind = MSG_TAKE_LINE,
                                .body = (void *)(uintptr_t)line});
    return now + 1 + (t->random >> 20) % 8;
}

static void thief_take(struct shard *s, const struct message *m, uint64_t now)
{
    (void)s;
    (void)m;
    (void)now;
    fail_msg("nothing sends to it");
}

static bool thief_is_idle(const struct shard *s)
{
    return !((const struct thief *)s)->left;
}

static const struct shard_ops thief_ops = {.kind = "thief",
                                           .advance = ticker_advance,
                                           .is_idle = thief_is_idle,
                                           .take = thief_take,
                                           .tick = thief_tick};

static void thief_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct thief *t = (struct thief *)s;
    t->setup = setup;
    ticker_init(&t->ticker, &thief_ops, at->id, &t->setup->machine->clocks[CLOCK_CORE]);
}

static void thief_start(struct shard *s, const struct machine *m, const struct kernel_start *k)
{
    struct thief *t = (struct thief *)s;
    (void)m;
    t->left = N_TAKEN;
    ticker_start(&t->ticker, k->at);
}

static const struct machine_part_kind thief_kind = {
    .part = {.bytes = sizeof(struct thief), .create = thief_create},
    .start_kernel = thief_start,
};

/* The SM's side. */
static void lose_line(void *user, struct sm *sm, const struct message *m, uint64_t now)
{
    struct found *f = &((struct found *)user)[sm->index];
    uint64_t line = (uintptr_t)m->body;
    bool found = cache_find(sm->l1d, line).way >= 0;
    f->lines += found;
    f->digest = (f->digest ^ now ^ line ^ found) * 0x100000001b3u;
    sm_remove_line(sm, line);
}

/* --- machines with it --- */

static struct heddle_sim *create(const struct testbed *bed, const struct manner *how,
                                 struct thief_setup *setup)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .timing = true,
                               .gpu = bed->gpu,
                               .settings = bed->settings,
                               .no_fast_paths = how->no_fast_paths};
    while (bed->settings[o.n_settings])
        o.n_settings++;
    struct heddle_sim *sim;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    struct machine_options options = {
        .every_cycle = how->every_cycle, .quantum = how->quantum, .threads = how->threads};
    machine_destroy(sim->machine);
    struct machine *m = sim->machine = machine_plan(sim->config, &options, &sim->mem);
    *setup = (struct thief_setup){.machine = m};
    uint32_t thief = machine_add(m, &thief_kind, 1, setup);
    part_graph_link(&m->graph, (struct part_link){.from = thief,
                                                  .to = m->sm_group,
                                                  .messages = 1u << MSG_TAKE_LINE,
                                                  .clock = &m->clocks[CLOCK_CORE],
                                                  .latency_cycles = LINK_CYCLES});
    machine_build(m);
    for (uint32_t i = 0; i < N_SMS; i++)
        sm_set_handler(machine_sm(m, i), MSG_TAKE_LINE,
                       (struct sm_handler){.take = lose_line, .user = setup->found});
    return sim;
}

static uint64_t launch(struct heddle_sim *sim, struct thief_setup *setup)
{
    struct heddle_module *module;
    struct heddle_arg data = {.data = &setup->data, .bytes = 8};
    struct heddle_launch shape = {
        .grid = {N_SMS}, .block = {32 * N_WARPS}, .args = &data, .n_args = 1};
    assert_int_equal(heddle_alloc(sim, N_LINES * LINE, "data", &setup->data), HEDDLE_OK);
    assert_int_equal(heddle_load(sim, HEDDLE_PTX, "k", ptx, sizeof ptx - 1, NULL, &module),
                     HEDDLE_OK);
    if (heddle_launch(sim, module, "k", &shape) != HEDDLE_OK || heddle_finish(sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return setup->found[0].lines + setup->found[1].lines;
}

/* Everything that was counted; returns how many lines were taken. */
static uint64_t run(const struct testbed *bed, const struct manner *how, struct strbuf *out)
{
    struct thief_setup setup;
    struct heddle_sim *sim = create(bed, how, &setup);
    uint64_t n = launch(sim, &setup);
    for (uint32_t i = 0; i < N_SMS; i++)
        strbuf_addf(out, "taken %llu %llx\n", (unsigned long long)setup.found[i].lines,
                    (unsigned long long)setup.found[i].digest);
    for (uint32_t i = 0; i < machine_stat_count(sim->machine); i++) {
        struct heddle_stat s = machine_stat_at(sim->machine, i);
        if (s.is_real)
            strbuf_addf(out, "%s %a\n", s.name, s.real);
        else
            strbuf_addf(out, "%s %llu\n", s.name, (unsigned long long)s.count);
    }
    heddle_destroy(sim);
    return n;
}

static const struct manner manners[] = {
    {.name = "usual"},
    {.name = "quanta of 3", .quantum = 3},
    {.name = "quanta of 3, fast paths off", .quantum = 3, .no_fast_paths = true},
    {.name = "fast paths off", .no_fast_paths = true},
    {.name = "three threads, quanta of 1", .threads = 3, .quantum = 1},
    {.name = "every cycle", .every_cycle = true},
    {.name = "every cycle, fast paths off", .every_cycle = true, .no_fast_paths = true},
};

/* Hits without listeners, with a policy that listens, and with one that may depend on what issues;
 * then with loads that wait for a way. */
static const struct testbed beds[] = {
    {"lru", "gtx480", {"n_sms=2", "memory.n_partitions=2"}},
    {"a policy that listens",
     "gtx480",
     {"n_sms=2", "memory.n_partitions=2", "l1d.policy=srrip", "core_clock_mhz=700",
      "noc_clock_mhz=330", "l2_clock_mhz=460"}},
    {"a policy that counts instructions",
     "gtx480",
     {"n_sms=2", "memory.n_partitions=2", "l1d.policy=dlp"}},
    {"few ways",
     "gtx480",
     {"n_sms=2", "memory.n_partitions=2", "l1d.n_sets=32", "l1d.n_ways=1",
      "l1d.allocate_on_fill=false", "l1d.mshr_merges=1"}},
};

static void lines_may_be_taken_from_l1d_in_any_cycle(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < sizeof beds / sizeof beds[0]; b++) {
        struct strbuf first = {0}, other = {0}, why = {0};
        assert_true(run(&beds[b], &manners[0], &first) > 100);
        for (uint32_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
            strbuf_clear(&other);
            run(&beds[b], &manners[i], &other);
            if (!observations_agree(&first, &other, &why))
                fail_msg("%s, %s:\n%s", beds[b].name, manners[i].name, strbuf_text(&why));
        }
        strbuf_destroy(&first);
        strbuf_destroy(&other);
        strbuf_destroy(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_may_be_taken_from_l1d_in_any_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
