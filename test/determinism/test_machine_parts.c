/* Parts of kinds that only this test knows, added to a real machine: probers that access memory as
 * a CPU core would, and a listener that they report to. The machine is built from the same
 * description in all manners, and no count depends on the manner. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "determinism/observe.h"
#include "gpu/machine_totals.h"
#include "gpu/sim.h"
#include "noc/ticker.h"

enum { MSG_LATENCY = N_MESSAGE_KINDS, MSG_HELLO, MSG_UNKNOWN = 27 /* no link carries it */ };

/* --- a listener: adds up what it receives --- */

struct listener {
    struct ticker ticker; /* first */
    uint64_t messages, digest;
};

static void listener_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct listener *l = (struct listener *)s;
    assert_int_equal(m->kind, MSG_LATENCY);
    l->messages++;
    l->digest = (l->digest ^ now ^ m->from ^ (uintptr_t)m->body) * 0x100000001b3u;
}

static uint64_t listener_tick(struct shard *s, uint64_t now)
{
    (void)s;
    (void)now;
    return TICK_NEVER;
}

static bool listener_is_idle(const struct shard *s)
{
    (void)s;
    return true;
}

static const struct shard_ops listener_ops = {.kind = "listener",
                                              .advance = ticker_advance,
                                              .is_idle = listener_is_idle,
                                              .take = listener_take,
                                              .tick = listener_tick};

static void listener_create(struct shard *s, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    ticker_init(&((struct listener *)s)->ticker, &listener_ops, at->id, &m->clocks[CLOCK_L2]);
}

static sim_time toy_idle_since(const struct shard *s)
{
    return ((const struct ticker *)s)->last_taken;
}

static const struct part_counter listener_counters[] = {
    {"listener.messages", "messages", "what it was told", offsetof(struct listener, messages)},
    {"listener.digest", "bits", "of what, when and by whom", offsetof(struct listener, digest)},
};

static const struct machine_part_kind listener_kind = {
    .part = {.bytes = sizeof(struct listener), .create = listener_create},
    .idle_since = toy_idle_since,
    .counters = listener_counters,
    .n_counters = 2,
};

/* --- a prober: loads a line now and then, and says how long it took --- */

enum { PROBER_REQUESTS = 3 };

struct prober_setup {
    const struct machine *machine;
    uint32_t n_probes; /* of a launch */
    uint32_t step;     /* cycles between them */
    uint32_t group;    /* its own */
    uint32_t listener; /* its group */
    bool chats;        /* with the other probers */
    bool miscounts, misnames, misdeclares;
};

struct prober {
    struct ticker ticker; /* first */
    const struct prober_setup *setup;
    struct tx_port up;
    struct rx_port down;
    struct mem_request requests[PROBER_REQUESTS];
    sim_time asked_at[PROBER_REQUESTS];
    uint32_t n_free, free[PROBER_REQUESTS];
    uint32_t index, left;
    uint64_t line, next_cycle;
    uint64_t probes, replies, latency, hellos;
};

static void tell(struct prober *p, sim_time t, uint32_t group, uint32_t i, uint32_t kind,
                 uint64_t value)
{
    const struct machine *m = p->setup->machine;
    struct shard *s = &p->ticker.shard;
    shard_send(s, t,
               (struct message){.at = t + s->links[group].latency,
                                .to = m->graph.groups[group].first_id + i,
                                .kind = kind,
                                .body = (void *)(uintptr_t)value});
}

static void prober_take(struct shard *s, const struct message *m, uint64_t now)
{
    struct prober *p = (struct prober *)s;
    sim_time t = ticker_time(&p->ticker, now);
    if (m->kind == MSG_HELLO) { /* puts its next probe off */
        p->hellos++;
        p->next_cycle += (uintptr_t)m->body % 5;
        return;
    }
    assert_int_equal(m->kind, MSG_REPLY);
    struct mem_request *r = m->body;
    sim_time through = rx_pass(&p->down, t, m);
    uint64_t latency = through - p->asked_at[r->id];
    p->free[p->n_free++] = r->id;
    p->replies++;
    p->latency += latency;
    tell(p, t, p->setup->listener, 0, MSG_LATENCY, latency);
    if (p->setup->chats)
        tell(p, t, p->setup->group, 1 - p->index, MSG_HELLO, latency);
}

static void ask(struct prober *p, struct mem_request *r, sim_time t)
{
    uint32_t id = p->free[--p->n_free];
    assert_ptr_equal(r, &p->requests[id]);
    p->asked_at[id] = t;
    uint32_t kind = p->setup->misnames ? MSG_UNKNOWN : MSG_REQUEST;
    tx_send(&p->up, t, (struct message){.to = r->to, .kind = kind, .flits = r->flits, .body = r});
    p->probes++;
    p->left--;
    p->line += 128 * 37;
    p->next_cycle += p->setup->step;
}

static struct mem_request *next_request(struct prober *p)
{
    const struct machine *m = p->setup->machine;
    uint32_t id = p->free[p->n_free - 1];
    p->requests[id] =
        (struct mem_request){.access = {.line = p->line, .segments = 1, .kind = MEM_LOAD},
                             .origin = FROM_BYPASS,
                             .sm = p->ticker.shard.id,
                             .id = id,
                             .data_bytes = SEGMENT_BYTES,
                             .to = m->graph.groups[m->memory.group].first_id +
                                   address_partition(&m->memory.map, p->line),
                             .flits = noc_flits(&m->config->noc, 0),
                             .local = address_local(&m->memory.map, p->line)};
    return &p->requests[id];
}

static uint64_t prober_tick(struct shard *s, uint64_t now)
{
    struct prober *p = (struct prober *)s;
    if (!p->left || !p->n_free)
        return TICK_NEVER;
    if (now >= p->next_cycle) {
        struct mem_request *r = next_request(p);
        sim_time t = ticker_time(&p->ticker, now);
        sim_time ready = tx_ready_at(&p->up, t, r->to, r->flits);
        if (ready == TIME_NEVER)
            return TICK_NEVER;
        if (ready > t)
            return clock_cycle_at(p->ticker.clock, ready);
        ask(p, r, t);
    }
    return p->next_cycle > now ? p->next_cycle : now + 1;
}

static bool prober_is_idle(const struct shard *s)
{
    const struct prober *p = (const struct prober *)s;
    return !p->left && p->n_free == PROBER_REQUESTS;
}

static const struct shard_ops prober_ops = {.kind = "prober",
                                            .advance = ticker_advance,
                                            .is_idle = prober_is_idle,
                                            .take = prober_take,
                                            .tick = prober_tick};

static void prober_create(struct shard *s, const struct part_position *at, const void *setup)
{
    struct prober *p = (struct prober *)s;
    p->setup = setup;
    p->index = at->index;
    p->line = 0x10000000 + at->index * 128u;
    ticker_init(&p->ticker, &prober_ops, at->id, &p->setup->machine->clocks[CLOCK_CORE]);
    part_open_tx(at, NET_UP, s, &p->up);
    if (p->setup->misdeclares)
        tx_declare(&p->up, 1u << MSG_REQUEST | 1u << MSG_UNKNOWN);
    part_open_rx(at, NET_DOWN, s, &p->down);
    for (uint32_t i = 0; i < PROBER_REQUESTS; i++)
        p->free[p->n_free++] = i;
}

static void prober_destroy(struct shard *s)
{
    struct prober *p = (struct prober *)s;
    tx_destroy(&p->up);
    rx_destroy(&p->down);
}

static void prober_start(struct shard *s, const struct machine *m, const struct kernel_start *k)
{
    struct prober *p = (struct prober *)s;
    (void)m;
    p->left = p->setup->n_probes;
    if (!p->left)
        return;
    ticker_start(&p->ticker, k->at);
    p->next_cycle = p->ticker.cycle;
}

/* Its share of what memory sends. */
static void prober_add_totals(const struct shard *s, struct machine_totals *t, sim_time now)
{
    const struct prober *p = (const struct prober *)s;
    (void)now;
    t->sm.bytes_asked[FROM_BYPASS] += p->probes * SEGMENT_BYTES;
    t->sm.bytes_got += p->replies * SEGMENT_BYTES;
}

static bool prober_check(const struct shard *s, struct strbuf *why)
{
    const struct prober *p = (const struct prober *)s;
    bool ok = p->probes == p->replies + p->setup->miscounts;
    if (!ok)
        strbuf_add(why, "every probe is answered\n");
    return ok;
}

#define PROBER_COUNTER(field, unit, help)                                                          \
    {                                                                                              \
        "prober." #field, unit, help, offsetof(struct prober, field)                               \
    }
static const struct part_counter prober_counters[] = {
    PROBER_COUNTER(probes, "requests", "sent"),
    PROBER_COUNTER(replies, "replies", "received"),
    PROBER_COUNTER(latency, "time units", "of all of them"),
    PROBER_COUNTER(hellos, "messages", "from other probers"),
};

static const struct machine_part_kind prober_kind = {
    .part = {.bytes = sizeof(struct prober), .create = prober_create, .destroy = prober_destroy},
    .start_kernel = prober_start,
    .idle_since = toy_idle_since,
    .add_totals = prober_add_totals,
    .counters = prober_counters,
    .n_counters = 4,
    .check = prober_check,
};

/* --- machines with them --- */

struct toys {
    uint32_t n_probes;
    bool chats, miscounts, misnames, misdeclares;
    bool links_unknown;      /* a link to slices carries a kind that they do not take */
    uint32_t sm_link_cycles; /* an unused link between SMs; 0 = none */
    struct prober_setup setup;
};

static void join(struct machine *m, uint32_t from, uint32_t to, uint32_t kind, uint32_t cycles)
{
    part_graph_link(&m->graph, (struct part_link){.from = from,
                                                  .to = to,
                                                  .messages = 1u << kind,
                                                  .clock = &m->clocks[CLOCK_CORE],
                                                  .latency_cycles = cycles});
}

static void add_toys(struct machine *m, struct toys *t)
{
    t->setup = (struct prober_setup){.machine = m,
                                     .n_probes = t->n_probes,
                                     .step = 11,
                                     .chats = t->chats,
                                     .miscounts = t->miscounts,
                                     .misnames = t->misnames,
                                     .misdeclares = t->misdeclares};
    uint32_t probers = t->setup.group = machine_add(m, &prober_kind, 2, &t->setup);
    uint32_t listener = t->setup.listener = machine_add(m, &listener_kind, 1, m);
    machine_link_memory(m, probers, 1, 1);
    join(m, probers, listener, MSG_LATENCY, 20);
    if (t->links_unknown)
        join(m, probers, m->memory.group, MSG_UNKNOWN, 20);
    if (t->chats)
        join(m, probers, probers, MSG_HELLO, 7);
}

/* A simulation whose machine is another one. */
static struct heddle_sim *create(const struct testbed *bed, const struct manner *how,
                                 struct toys *toys)
{
    struct heddle_options o = {
        .struct_size = sizeof o, .timing = true, .gpu = bed->gpu, .settings = bed->settings};
    while (bed->settings[o.n_settings])
        o.n_settings++;
    struct heddle_sim *sim;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    struct machine_options m = {
        .every_cycle = how->every_cycle, .quantum = how->quantum, .threads = how->threads};
    machine_destroy(sim->machine);
    sim->machine = machine_plan(sim->config, &m, &sim->mem);
    if (toys && toys->sm_link_cycles)
        join(sim->machine, sim->machine->sm_group, sim->machine->sm_group, MSG_HELLO,
             toys->sm_link_cycles);
    else if (toys)
        add_toys(sim->machine, toys);
    machine_build(sim->machine);
    return sim;
}

static uint64_t stat_named(const struct heddle_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < machine_stat_count(sim->machine); i++) {
        struct heddle_stat s = machine_stat_at(sim->machine, i);
        if (strcmp(s.name, name) == 0)
            return s.count;
    }
    fail_msg("no statistic %s", name);
    return 0;
}

/* Every statistic; without those of the toys unless requested. */
static void observe(const struct heddle_sim *sim, bool toys_too, struct strbuf *out)
{
    for (uint32_t i = 0; i < machine_stat_count(sim->machine); i++) {
        struct heddle_stat s = machine_stat_at(sim->machine, i);
        bool is_toys = !strncmp(s.name, "prober.", 7) || !strncmp(s.name, "listener.", 9);
        if (is_toys && !toys_too)
            continue;
        if (s.is_real)
            strbuf_addf(out, "%s %a\n", s.name, s.real);
        else
            strbuf_addf(out, "%s %llu\n", s.name, (unsigned long long)s.count);
    }
}

static void run_nw(struct heddle_sim *sim, struct workload_result *result)
{
    const struct workload *w = workload_find("nw");
    struct device *d = device_create_heddle(sim);
    workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, result);
    device_destroy(d);
}

static void run_and_observe(const struct testbed *bed, const struct manner *how, struct toys *toys,
                            bool toys_too, struct strbuf *out)
{
    struct workload_result result = {0};
    struct heddle_sim *sim = create(bed, how, toys);
    run_nw(sim, &result);
    if (!result.verified)
        fail_msg("%s: %s", how->name, strbuf_text(&result.message));
    observe(sim, toys_too, out);
    workload_result_destroy(&result);
    heddle_destroy(sim);
}

static const struct manner manners[] = {
    {.name = "usual"},
    {.name = "two threads", .threads = 2},
    {.name = "three threads, quanta of 3", .threads = 3, .quantum = 3},
    {.name = "quanta of 1", .quantum = 1},
    {.name = "every cycle", .every_cycle = true},
    {.name = "every cycle, two threads", .every_cycle = true, .threads = 2},
};
enum { N_MANNERS = sizeof manners / sizeof manners[0] };

static const struct testbed beds[] = {
    {"small", "gtx480", {"n_sms=3", "memory.n_partitions=2"}},
    {"odd clocks, few credits",
     "gtx480",
     {"n_sms=2", "memory.n_partitions=3", "core_clock_mhz=700", "noc_clock_mhz=330",
      "l2_clock_mhz=460", "dram_clock_mhz=510", "noc.buffer_flits=5"}},
};
enum { N_BEDS = sizeof beds / sizeof beds[0] };

static void expect_same(const struct strbuf *a, const struct strbuf *b, const char *what)
{
    struct strbuf why = {0};
    if (!observations_agree(a, b, &why))
        fail_msg("%s:\n%s", what, strbuf_text(&why));
    strbuf_destroy(&why);
}

static void expect_same_in_all_manners(struct toys *toys)
{
    for (uint32_t b = 0; b < N_BEDS; b++) {
        struct strbuf first = {0};
        run_and_observe(&beds[b], &manners[0], toys, true, &first);
        for (uint32_t i = 1; i < N_MANNERS; i++) {
            struct strbuf other = {0};
            run_and_observe(&beds[b], &manners[i], toys, true, &other);
            expect_same(&first, &other, manners[i].name);
            strbuf_destroy(&other);
        }
        strbuf_destroy(&first);
    }
}

static void a_new_kind_of_part_takes_turns_with_the_others(void **state)
{
    (void)state;
    struct toys toys = {.n_probes = 150};
    expect_same_in_all_manners(&toys);
}

static void new_parts_may_send_to_each_other(void **state)
{
    (void)state;
    struct toys toys = {.n_probes = 150, .chats = true};
    expect_same_in_all_manners(&toys);
}

static void halves_and_quanta_follow_from_what_was_added(void **state)
{
    (void)state;
    struct toys quiet = {0}, chatty = {.chats = true}, linked = {.sm_link_cycles = 4};
    struct heddle_sim *sim = create(&beds[0], &manners[0], NULL);
    const struct machine *m = sim->machine;
    sim_time core = m->clocks[CLOCK_CORE].period, usual = m->engine.quantum;
    assert_int_equal(m->engine.n_first, 3);
    heddle_destroy(sim);
    sim = create(&beds[0], &manners[0], &quiet);
    m = sim->machine;
    assert_int_equal(m->engine.n_first, 5); /* probers are on the side of the SMs */
    assert_int_equal(m->engine.n, 3 + 2 + 2 + 1 + 1);
    assert_int_equal(m->graph.groups[quiet.setup.group].first_id, 3);
    assert_int_equal(m->engine.quantum, usual);
    heddle_destroy(sim);
    sim = create(&beds[0], &manners[0], &chatty);
    assert_int_equal(sim->machine->engine.n_first, 0);
    assert_int_equal(sim->machine->engine.quantum, 7 * core);
    heddle_destroy(sim);
    sim = create(&beds[0], &manners[0], &linked);
    assert_int_equal(sim->machine->engine.n_first, 0);
    assert_int_equal(sim->machine->engine.quantum, 4 * core);
    heddle_destroy(sim);
}

/* The links over which SMs find mutexes shorten the quantum. Launches whose atomics are all on
 * shared memory do not pay for them. */
static void links_between_sms_are_for_atomics_on_global_memory(void **state)
{
    (void)state;
    static const struct testbed bed = {"mutexes", "gtx480", {"atomics.unit=atom_dir", NULL}};
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .b32 g;\n.shared .b32 s;\n"
        ".entry own() { red.shared.add.u32 [s], 1; ret; }\n"
        ".entry all() { red.global.add.u32 [g], 1; ret; }\n";
    const struct heddle_launch shape = {.grid = {2}, .block = {32}};
    struct heddle_sim *sim = create(&bed, &manners[0], NULL);
    const struct machine *m = sim->machine;
    const sim_time usual = m->engine.quantum, hop = 2 * m->clocks[CLOCK_CORE].period;
    struct heddle_module *module;
    assert_int_equal(heddle_load(sim, HEDDLE_PTX, "k", ptx, strlen(ptx), NULL, &module), HEDDLE_OK);
    assert_int_equal(heddle_launch(sim, module, "all", &shape), HEDDLE_OK);
    assert_int_equal(m->engine.quantum, hop);
    assert_int_equal(heddle_launch(sim, module, "own", &shape), HEDDLE_OK);
    assert_int_equal(m->engine.quantum, usual);
    assert_true(usual > hop);
    assert_int_equal(stat_named(sim, "atomics.performed_in_sm"), 64);
    heddle_destroy(sim);
}

/* Parts that do nothing, and an unused link, change how the machine advances but no number. */
static void what_is_added_and_does_nothing_changes_nothing(void **state)
{
    (void)state;
    struct toys quiet = {0}, linked = {.sm_link_cycles = 4};
    for (uint32_t b = 0; b < N_BEDS; b++) {
        struct strbuf plain = {0}, with_toys = {0}, with_link = {0};
        run_and_observe(&beds[b], &manners[0], NULL, true, &plain);
        run_and_observe(&beds[b], &manners[0], &quiet, false, &with_toys);
        run_and_observe(&beds[b], &manners[1], &linked, true, &with_link);
        expect_same(&plain, &with_toys, "quiet parts");
        expect_same(&plain, &with_link, "a link between SMs");
        strbuf_destroy(&plain);
        strbuf_destroy(&with_toys);
        strbuf_destroy(&with_link);
    }
}

static void what_parts_count_is_a_statistic(void **state)
{
    (void)state;
    struct toys toys = {.n_probes = 40, .chats = true};
    struct workload_result result = {0};
    struct heddle_sim *sim = create(&beds[0], &manners[0], &toys);
    run_nw(sim, &result);
    assert_true(result.verified);
    uint64_t expected = 2 * 40 * result.launches;
    assert_int_equal(stat_named(sim, "prober.probes"), expected);
    assert_int_equal(stat_named(sim, "prober.replies"), expected);
    assert_int_equal(stat_named(sim, "prober.hellos"), expected);
    assert_int_equal(stat_named(sim, "listener.messages"), expected);
    /* L2 takes longer than its stages when it is empty. */
    assert_true(stat_named(sim, "prober.latency") > expected * 100);
    uint64_t by_kernel = 0;
    for (uint32_t k = 0; k < heddle_launched_count(sim); k++)
        for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
            struct heddle_stat s = heddle_launched_stat_at(sim, k, i);
            by_kernel += strcmp(s.name, "listener.messages") == 0 ? s.count : 0;
        }
    assert_int_equal(by_kernel, expected);
    workload_result_destroy(&result);
    heddle_destroy(sim);
}

static void a_part_that_miscounts_fails_the_launch(void **state)
{
    (void)state;
    struct toys toys = {.n_probes = 3, .miscounts = true};
    struct workload_result result = {0};
    struct heddle_sim *sim = create(&beds[0], &manners[0], &toys);
    run_nw(sim, &result);
    assert_false(result.verified);
    assert_non_null(strstr(strbuf_text(&result.message), "every probe is answered"));
    workload_result_destroy(&result);
    heddle_destroy(sim);
}

/* In a child process, because it does not survive. */
static bool aborts(const struct manner *how, struct toys toys)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct workload_result result = {0};
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        run_nw(create(&beds[0], how, &toys), &result);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void a_kind_that_no_link_carries_is_an_assertion(void **state)
{
    (void)state;
    struct toys sound = {.n_probes = 3}, misnames = sound, misdeclares = sound, links = sound;
    misnames.misnames = misdeclares.misdeclares = links.links_unknown = true;
    static const struct manner some[] = {{.name = "skip"},
                                         {.name = "cycle", .every_cycle = true},
                                         {.name = "2 threads", .threads = 2}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(aborts(&some[i], sound));
        assert_true(aborts(&some[i], misnames));
        assert_true(aborts(&some[i], misdeclares));
        assert_true(aborts(&some[i], links));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_and_quanta_follow_from_what_was_added),
        cmocka_unit_test(links_between_sms_are_for_atomics_on_global_memory),
        cmocka_unit_test(what_is_added_and_does_nothing_changes_nothing),
        cmocka_unit_test(what_parts_count_is_a_statistic),
        cmocka_unit_test(a_part_that_miscounts_fails_the_launch),
        cmocka_unit_test(a_kind_that_no_link_carries_is_an_assertion),
        cmocka_unit_test(a_new_kind_of_part_takes_turns_with_the_others),
        cmocka_unit_test(new_parts_may_send_to_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
