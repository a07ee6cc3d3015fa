/* A CPU core against cycles computed by hand, with a memory of fixed latency. T is the latency of a
 * load that misses L1 and L2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/cpu/core_bench.h"
#include "unit/random_bits.h"

enum { ROUND_TRIP = 100, MAX_INSTS = 1000 };
enum { L1 = 4, L2 = 8, T = L1 + L2 + ROUND_TRIP }; /* of the defaults */

/* --- programs --- */

struct code {
    struct cpu_config config;
    struct cpu_inst insts[MAX_INSTS];
    uint32_t n;
};

static struct code new_program(void)
{
    struct code p = {.config = bench_config()};
    assert_int_equal(p.config.l1_latency, L1);
    assert_int_equal(p.config.l2_latency, L2);
    return p;
}

static struct cpu_inst *add(struct code *p)
{
    assert_true(p->n < MAX_INSTS);
    return &p->insts[p->n++];
}

static void add_others(struct code *p, uint32_t n)
{
    while (n--)
        add(p)->ip = 4;
}

/* A load of a line into a register, its address from another one; 0 = none. */
static void add_load(struct code *p, uint64_t line, uint8_t to, uint8_t from)
{
    struct cpu_inst *inst = add(p);
    inst->source_memory[0] = 64 * (line + 1) + 8;
    inst->dest_regs[0] = to;
    inst->source_regs[0] = from;
}

static void add_store(struct code *p, uint64_t line)
{
    add(p)->dest_memory[1] = 64 * (line + 1);
}

/* An instruction that neither loads nor stores. */
static void add_move(struct code *p, uint8_t to, uint8_t from)
{
    struct cpu_inst *inst = add(p);
    inst->dest_regs[1] = to;
    inst->source_regs[3] = from;
}

static void set_up(struct core_bench *b, const struct code *p)
{
    memset(b, 0, sizeof *b);
    b->config = p->config;
    b->round_trip = ROUND_TRIP;
    b->program.insts = p->insts;
    b->program.n = p->n;
}

static struct cpu_stats run(const struct code *p)
{
    static struct core_bench b;
    set_up(&b, p);
    return bench_run(&b);
}

static uint64_t cycles(const struct code *p)
{
    struct cpu_stats s = run(p);
    assert_int_equal(s.insts, p->n);
    return s.cycles;
}

/* --- width --- */

static void four_instructions_enter_and_retire_a_cycle(void **state)
{
    (void)state;
    const struct {
        uint32_t width, n, cycles;
    } cases[] = {{4, 1, 1},     {4, 4, 1}, {4, 5, 2}, {4, 400, 100},
                 {4, 401, 101}, {1, 7, 7}, {3, 7, 3}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct code p = new_program();
        p.config.width = cases[i].width;
        add_others(&p, cases[i].n);
        assert_int_equal(cycles(&p), cases[i].cycles);
    }
}

/* Retired in the cycle in which others enter: a window as wide as the core does not slow it. */
static void a_window_of_one_cycle_suffices_without_loads(void **state)
{
    (void)state;
    struct code p = new_program();
    p.config.rob = 4;
    add_others(&p, 40);
    assert_int_equal(cycles(&p), 10);
    p.config.rob = 3;
    assert_int_equal(cycles(&p), 14);
}

/* --- the window --- */

/* The load is complete in cycle T; what follows retires four a cycle from then on. */
static void what_follows_a_miss_retires_behind_it(void **state)
{
    (void)state;
    struct code p = new_program();
    add_load(&p, 0, 1, 0);
    assert_int_equal(cycles(&p), T);
    add_others(&p, 3);
    assert_int_equal(cycles(&p), T);
    add_others(&p, 1);
    assert_int_equal(cycles(&p), T + 1);
    add_others(&p, 195);
    assert_int_equal(cycles(&p), T + 49);
}

/* The 128th instruction is in the window with the first: its miss overlaps. It enters in cycle
 * 127 / 4 = 31. The 129th enters when the first has retired, in cycle T. */
static void a_miss_within_the_window_overlaps_and_one_behind_it_does_not(void **state)
{
    (void)state;
    struct code inside = new_program(), behind = new_program();
    add_load(&inside, 0, 1, 0);
    add_others(&inside, 126);
    add_load(&inside, 1, 2, 0);
    assert_int_equal(cycles(&inside), T + 31);
    add_load(&behind, 0, 1, 0);
    add_others(&behind, 127);
    add_load(&behind, 1, 2, 0);
    assert_int_equal(cycles(&behind), 2 * T);
    behind.config.rob = 129; /* it enters in cycle 32 */
    assert_int_equal(cycles(&behind), T + 32);
}

/* --- dependences --- */

static void a_chain_of_loads_takes_a_latency_each(void **state)
{
    (void)state;
    struct code p = new_program();
    for (uint32_t i = 0; i < 10; i++)
        add_load(&p, i, 1, 1);
    assert_int_equal(cycles(&p), 10 * T);
}

/* The line comes in cycle T; each of the others hits, and depends on the one before it. */
static void a_chain_of_hits_takes_the_latency_of_l1(void **state)
{
    (void)state;
    struct code p = new_program();
    for (uint32_t i = 0; i < 10; i++)
        add_load(&p, 0, 1, 1);
    assert_int_equal(cycles(&p), T + 9 * L1);
}

/* The second load reads what the first one wrote, or not. */
static uint64_t cycles_of_two(struct code *p, uint8_t from)
{
    add_load(p, 1, 9, from);
    return cycles(p);
}

static void only_the_last_writer_of_a_register_is_waited_for(void **state)
{
    (void)state;
    struct code direct = new_program(), other = new_program(), overwritten = new_program();
    add_load(&direct, 0, 3, 0);
    assert_int_equal(cycles_of_two(&direct, 3), 2 * T);
    add_load(&other, 0, 3, 0);
    assert_int_equal(cycles_of_two(&other, 4), T + 1);
    add_load(&overwritten, 0, 3, 0);
    add_move(&overwritten, 3, 4);
    assert_int_equal(cycles_of_two(&overwritten, 3), T + 1);
}

static void other_instructions_pass_a_dependence_on_if_asked_to(void **state)
{
    (void)state;
    for (int follow = 0; follow < 2; follow++) {
        struct code p = new_program();
        p.config.follow_registers = follow;
        add_load(&p, 0, 3, 0);
        add_move(&p, 4, 3);
        add_move(&p, 5, 4);
        assert_int_equal(cycles_of_two(&p, 5), follow ? 2 * T : T + 1);
    }
}

/* It waits for the later of two loads: lines 0 and 1, of which line 1 is requested a cycle later,
 * behind another one in L2's queue. */
static void a_load_waits_for_all_its_sources(void **state)
{
    (void)state;
    struct code p = new_program();
    add_load(&p, 0, 1, 0);
    add_load(&p, 1, 2, 0);
    add_load(&p, 2, 3, 2);
    p.insts[2].source_regs[1] = 1;
    assert_int_equal(cycles(&p), T + 1 + T);
    p.insts[2].source_regs[0] = 0;
    assert_int_equal(cycles(&p), 2 * T);
}

static void the_stack_pointer_is_known_without_loads(void **state)
{
    (void)state;
    struct code p = new_program();
    add_load(&p, 0, CPU_REG_STACK, 0);
    assert_int_equal(cycles_of_two(&p, CPU_REG_STACK), T + 1);
}

/* --- misses in parallel --- */

/* One request leaves in a cycle: with eight at a time the i-th comes in T + i. */
static void misses_overlap_up_to_mlp(void **state)
{
    (void)state;
    const struct {
        uint32_t mlp, n, cycles;
    } cases[] = {{1, 2, 2 * T}, {1, 8, 8 * T}, {2, 2, T + 1}, {2, 3, 2 * T},      {2, 8, 4 * T + 1},
                 {8, 8, T + 7}, {8, 9, 2 * T}, {9, 9, T + 8}, {8, 16, 2 * T + 7}, {8, 17, 3 * T}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct code p = new_program();
        p.config.mlp = cases[i].mlp;
        for (uint32_t k = 0; k < cases[i].n; k++)
            add_load(&p, k, 1, 0);
        assert_int_equal(cycles(&p), cases[i].cycles);
    }
}

/* Without passing, the fourth load would hit after the second one, and the fifth come later. */
static void a_load_without_room_is_passed_by_younger_ones(void **state)
{
    (void)state;
    struct code p = new_program();
    p.config.mlp = 1;
    add_load(&p, 0, 1, 0);
    add_load(&p, 1, 2, 0); /* lacks room until T */
    add_load(&p, 0, 3, 0); /* joins the first, complete in T */
    add_load(&p, 0, 4, 3); /* hits in T */
    add_load(&p, 2, 5, 4); /* in T + L1 the second has the room, until 2 * T */
    struct cpu_stats s = run(&p);
    assert_int_equal(s.cycles, 3 * T);
    assert_int_equal(s.l1_misses, 3);
    assert_int_equal(s.l2_misses, 3);
}

static void an_instruction_with_two_operands_waits_for_both(void **state)
{
    (void)state;
    struct code p = new_program();
    add_load(&p, 0, 1, 0);
    p.insts[0].source_memory[2] = 64 * 50;
    assert_int_equal(cycles(&p), T + 1);
    p.config.mlp = 1; /* the second operand waits for room */
    assert_int_equal(cycles(&p), 2 * T);
    p.insts[0].source_memory[2] = p.insts[0].source_memory[0] + 8; /* the same line */
    assert_int_equal(cycles(&p), T);
}

/* --- private caches --- */

/* L1 of one line, then of two: line 0 is requested again after line 1. */
static void a_line_that_left_l1_is_found_in_l2(void **state)
{
    (void)state;
    struct code p = new_program();
    for (uint32_t i = 0; i < 3; i++)
        add_load(&p, i % 2, 1, 1);
    p.config.l1_ways = 1;
    p.config.l1_bytes = 64;
    struct cpu_stats s = run(&p);
    assert_int_equal(s.cycles, 2 * T + L1 + L2);
    assert_int_equal(s.l1_misses, 3);
    assert_int_equal(s.l2_hits, 1);
    p.config.l1_ways = 2;
    p.config.l1_bytes = 128;
    assert_int_equal(cycles(&p), 2 * T + L1);
    p.config.l2_ways = p.config.l1_ways = 1; /* L2 has lost it too */
    p.config.l2_bytes = p.config.l1_bytes = 64;
    assert_int_equal(cycles(&p), 3 * T);
}

/* Of the replies, every other line is said to come from memory. */
static void misses_of_the_last_level_are_counted(void **state)
{
    (void)state;
    struct code p = new_program();
    for (uint32_t i = 0; i < 6; i++)
        add_load(&p, i, 1, 1);
    struct cpu_stats s = run(&p);
    assert_int_equal(s.l2_misses, 6);
    assert_int_equal(s.llc_misses, 3);
    assert_int_equal(s.bytes_asked, 6 * 64);
    assert_int_equal(s.bytes_got, 6 * 64);
}

/* --- stores --- */

static void stores_retire_at_once(void **state)
{
    (void)state;
    struct code p = new_program();
    for (uint32_t i = 0; i < 8; i++)
        add_store(&p, i);
    assert_int_equal(cycles(&p), 2);
}

/* Two outstanding misses, a buffer of two. Stores 0 and 1 retire in cycle 1 and miss, 2 and 3
 * retire in cycle 2 and wait. The lines of 0 and 1 come in 1 + T and 2 + T; each lets a store out
 * of the buffer, and another one retires in the cycle after: 4 and 5 in 2 + T and 3 + T, 6 and 7 in
 * 2 + 2T and 3 + 2T. */
static void a_full_store_buffer_stops_the_next_store(void **state)
{
    (void)state;
    struct code p = new_program();
    p.config.mlp = p.config.store_buffer = 2;
    for (uint32_t i = 0; i < 8; i++)
        add_store(&p, i);
    assert_int_equal(cycles(&p), 3 + 2 * T);
    p.config.store_buffer = 6; /* two miss in cycle 1, six wait */
    assert_int_equal(cycles(&p), 2);
    p.config.store_buffer = 5; /* the last one retires after the first line has arrived */
    assert_int_equal(cycles(&p), 2 + T);
}

/* Line 0 is stored to, and pushed out of L1 by line 1 and of L2 by line 2. */
static void dirty_lines_go_to_l2_and_then_out(void **state)
{
    (void)state;
    struct code p = new_program();
    static struct core_bench b;
    p.config.l1_ways = p.config.l2_ways = 1;
    p.config.l1_bytes = 64;
    p.config.l2_bytes = 128;
    add_store(&p, 0);
    add_load(&p, 1, 1, 0); /* set 1 of L2 */
    for (uint32_t i = 0; i < 3; i++)
        add_load(&p, 2 + 2 * i, 1, 1); /* set 0 of L2 */
    set_up(&b, &p);
    struct cpu_stats s = bench_run(&b);
    assert_int_equal(s.writebacks, 1);
    uint32_t n_writes = 0;
    for (uint32_t i = 0; i < b.n_seen; i++)
        if (b.seen[i].writes) {
            n_writes++;
            assert_int_equal(b.seen[i].line, (1ull << 40) + 64);
        }
    assert_int_equal(n_writes, 1);
}

/* --- address spaces --- */

static void applications_have_addresses_of_their_own(void **state)
{
    (void)state;
    struct code p = new_program();
    static struct core_bench b;
    add(&p)->source_memory[0] = 0x7ffff7dd1234;
    for (uint32_t app = 0; app < 3; app++) {
        set_up(&b, &p);
        b.app = app;
        bench_run(&b);
        assert_int_equal(b.n_seen, 1);
        assert_int_equal(b.seen[0].line, ((app + 1ull) << 40) + 0xfff7dd1200);
    }
}

/* --- programs that end, and such as do not --- */

static void a_program_begins_again_and_its_first_end_counts(void **state)
{
    (void)state;
    struct code p = new_program();
    static struct core_bench b;
    add_load(&p, 0, 1, 0);
    add_others(&p, 9);
    set_up(&b, &p);
    bench_open(&b);
    engine_run(&b.engine, NULL, NULL, 10 * T * b.clock.period);
    const struct cpu_core *core = bench_core(&b);
    struct cpu_stats first = cpu_core_first_stats(core, b.engine.now);
    struct cpu_stats all = cpu_core_stats(core, b.engine.now);
    assert_int_equal(first.insts, 10);
    assert_int_equal(first.cycles, T + 2);
    assert_int_equal(all.cycles, 10 * T);
    /* The window is full when the line comes; from then on four retire in each cycle. The loads of
     * later runs join the first, or hit. */
    assert_int_equal(all.insts, 4 * 9 * T);
    assert_int_equal(all.l2_misses, 1);
    assert_int_equal(core->restarts, (all.insts + 128 - 1) / 10);
    bench_close(&b);
}

/* Its source says that 25 instructions count: two runs of ten, and a half. */
static void a_first_run_can_be_a_part_of_the_program_or_more(void **state)
{
    (void)state;
    struct code p = new_program();
    static struct core_bench b;
    add_load(&p, 0, 1, 0);
    add_others(&p, 9);
    set_up(&b, &p);
    b.program.source.n_counted = 25;
    bench_open(&b);
    engine_run(&b.engine, NULL, NULL, 10 * T * b.clock.period);
    struct cpu_stats first = cpu_core_first_stats(bench_core(&b), b.engine.now);
    assert_int_equal(first.insts, 25);
    assert_int_equal(first.cycles, T + 6); /* the last of 25 is in the seventh four */
    bench_close(&b);
}

static void a_broken_trace_stops_the_core(void **state)
{
    (void)state;
    struct code p = new_program();
    static struct core_bench b;
    add_others(&p, 10);
    set_up(&b, &p);
    b.program.broken = "broken at byte 640";
    bench_open(&b);
    engine_run(&b.engine, bench_has_ended, &b, TIME_NEVER);
    assert_string_equal(cpu_core_error(bench_core(&b)), "broken at byte 640");
    assert_false(cpu_core_has_ended(bench_core(&b)));
    bench_close(&b);
    p.n = 0;
    set_up(&b, &p);
    bench_open(&b);
    engine_run(&b.engine, bench_has_ended, &b, TIME_NEVER);
    assert_string_equal(cpu_core_error(bench_core(&b)), "the trace has no instructions");
    bench_close(&b);
}

/* --- engines --- */

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(random_u64(seed) % n);
}

static struct code random_program(uint64_t *seed)
{
    struct code p = new_program();
    struct cpu_config *c = &p.config;
    c->width = 1 + below(seed, 5);
    c->rob = 1 + below(seed, below(seed, 2) ? 16 : 150);
    c->mlp = 1 + below(seed, below(seed, 2) ? 2 : 10);
    c->store_buffer = 2 + below(seed, 6);
    c->write_buffer = 2 * c->mlp + below(seed, 3);
    c->l1_latency = 1 + below(seed, below(seed, 4) ? 5 : 63);
    c->l2_latency = 1 + below(seed, 20);
    c->l1_ways = 1 + below(seed, 4);
    c->l1_bytes = 64 * c->l1_ways * (1 + below(seed, 4));
    c->l2_ways = 1 + below(seed, 4);
    c->l2_bytes = 64 * c->l2_ways * (1 + below(seed, 16));
    c->follow_registers = below(seed, 2);
    c->no_fast_paths = below(seed, 2);
    uint32_t n = 1 + below(seed, MAX_INSTS), lines = 1 + below(seed, 100);
    for (uint32_t i = 0; i < n; i++) {
        struct cpu_inst *inst = add(&p);
        uint32_t n_loads = below(seed, 3) ? 0 : 1 + below(seed, below(seed, 8) ? 1 : 4);
        uint32_t n_stores = below(seed, 5) ? 0 : 1 + below(seed, 2);
        for (uint32_t k = 0; k < n_loads; k++)
            inst->source_memory[k] = 64 * (1 + below(seed, lines));
        for (uint32_t k = 0; k < n_stores; k++)
            inst->dest_memory[k] = 64 * (1 + below(seed, lines));
        for (uint32_t k = 0; k < 2; k++) {
            inst->dest_regs[k] = (uint8_t)below(seed, 12);
            inst->source_regs[2 * k] = (uint8_t)below(seed, 12);
        }
    }
    return p;
}

struct manner {
    bool every_cycle;
    uint32_t quantum;
};

static void both_engines_count_the_same(void **state)
{
    (void)state;
    static const struct manner manners[] = {{false, 0}, {true, 0}, {false, 1}, {true, 2}};
    static struct core_bench first, other;
    for (uint64_t run_seed = 0; run_seed < 100; run_seed++) {
        uint64_t seed = run_seed;
        struct code p = random_program(&seed);
        set_up(&first, &p);
        first.round_trip = BENCH_WAY_CYCLES + below(&seed, 100);
        struct cpu_stats expected = bench_run(&first);
        for (uint32_t m = 1; m < sizeof manners / sizeof manners[0]; m++) {
            set_up(&other, &p);
            other.round_trip = first.round_trip;
            other.every_cycle = manners[m].every_cycle;
            other.quantum = manners[m].quantum;
            struct cpu_stats s = bench_run(&other);
            if (memcmp(&s, &expected, sizeof s) != 0)
                fail_msg("seed %llu, manner %u: %llu and %llu cycles", (unsigned long long)run_seed,
                         m, (unsigned long long)expected.cycles, (unsigned long long)s.cycles);
            uint32_t n = first.n_seen < other.n_seen ? first.n_seen : other.n_seen;
            for (uint32_t i = 0; i < n; i++)
                assert_memory_equal(&first.seen[i], &other.seen[i], offsetof(struct seen, writes));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_instructions_enter_and_retire_a_cycle),
        cmocka_unit_test(a_window_of_one_cycle_suffices_without_loads),
        cmocka_unit_test(what_follows_a_miss_retires_behind_it),
        cmocka_unit_test(a_miss_within_the_window_overlaps_and_one_behind_it_does_not),
        cmocka_unit_test(a_chain_of_loads_takes_a_latency_each),
        cmocka_unit_test(a_chain_of_hits_takes_the_latency_of_l1),
        cmocka_unit_test(only_the_last_writer_of_a_register_is_waited_for),
        cmocka_unit_test(other_instructions_pass_a_dependence_on_if_asked_to),
        cmocka_unit_test(a_load_waits_for_all_its_sources),
        cmocka_unit_test(the_stack_pointer_is_known_without_loads),
        cmocka_unit_test(misses_overlap_up_to_mlp),
        cmocka_unit_test(a_load_without_room_is_passed_by_younger_ones),
        cmocka_unit_test(an_instruction_with_two_operands_waits_for_both),
        cmocka_unit_test(a_line_that_left_l1_is_found_in_l2),
        cmocka_unit_test(misses_of_the_last_level_are_counted),
        cmocka_unit_test(stores_retire_at_once),
        cmocka_unit_test(a_full_store_buffer_stops_the_next_store),
        cmocka_unit_test(dirty_lines_go_to_l2_and_then_out),
        cmocka_unit_test(applications_have_addresses_of_their_own),
        cmocka_unit_test(a_program_begins_again_and_its_first_end_counts),
        cmocka_unit_test(a_first_run_can_be_a_part_of_the_program_or_more),
        cmocka_unit_test(a_broken_trace_stops_the_core),
        cmocka_unit_test(both_engines_count_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
