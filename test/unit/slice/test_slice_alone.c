/* A memory slice alone: its latencies, banks, queues, misses and atomics, to the cycle (the bench:
 * slice_bench.h). */
#include "unit/slice/slice_bench.h"

static struct bench bench; /* of the test that runs: it is large */

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

/* Bytes that are all written need no fetch, whatever the size of lines and sectors. */
static void a_store_of_whole_lines_or_sectors_fetches_nothing(void **state)
{
    (void)state;
    static const struct {
        uint32_t line_bytes, sector_bytes, segments, fetched;
    } cases[] = {{32, 32, 1, 0},   {64, 64, 3, 0},    {64, 64, 1, 1},
                 {64, 32, 1, 0},   {128, 128, 15, 0}, {128, 128, 7, 1},
                 {128, 128, 3, 1}, {128, 64, 12, 0},  {128, 64, 6, 2}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct script *s = new_script();
        s->config.l2.line_bytes = cases[i].line_bytes;
        s->config.l2.sector_bytes = cases[i].sector_bytes;
        add_ask(s, 0, (struct ask){.kind = MEM_STORE, .segments = cases[i].segments});
        run_script(&bench, s);
        assert_int_equal(slice_of(&bench)->stats.sectors_read, cases[i].fetched);
        bench_close(&bench);
    }
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
    bench_open(&bench, s, (struct bench_manner){0});
    bench_run(&bench);
}

/* An atomic keeps each bank busy until requests have piled up: then they are served one after the
 * other within a bank, and concurrently in two. */
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
    assert_int_equal(spy.cycles[1][0], spy.cycles[0][0] + 1); /* as the port took the atomics */
    assert_int_equal(slice_of(&bench)->stats.stall_cycles,
                     0); /* waiting in the queue is not a stall */
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

/* While SMs take no replies, a slice accepts only as many loads that hit as fill the buffers of
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

/* A full bank blocks the port, and with it requests for others; a bank with one free entry does
 * not. */
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
        const struct atomic_request *a = &ask_of(&bench, i % 2, i / 2)->atomic;
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
        cmocka_unit_test(a_store_of_whole_lines_or_sectors_fetches_nothing),
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
