/* A discrete GPU and its host: what transfers take, what kernels cost on CPU cores, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "gpu/sim.h"

/* --- machines --- */

static struct heddle_sim *create(const char *const *settings, uint32_t n)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .timing = true,
                               .gpu = "i7-s9150",
                               .settings = settings,
                               .n_settings = n};
    struct heddle_sim *sim;
    if (heddle_create(&o, &sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return sim;
}
#define CREATE(...)                                                                                \
    create((const char *const[]){"n_sms=2", __VA_ARGS__},                                          \
           sizeof((const char *const[]){"n_sms=2", __VA_ARGS__}) / sizeof(char *))

static uint64_t count(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s = {0};
    if (!heddle_stat_find(sim, name, &s))
        fail_msg("no statistic %s", name);
    return s.is_real ? (uint64_t)s.real : s.count;
}

/* --- transfers --- */

static uint64_t transfer_ns(struct heddle_sim *sim, uint64_t bytes, bool to_gpu)
{
    const struct testbed_counts *c = &sim->machine->testbed;
    uint64_t before = c->upload_ns + c->readback_ns;
    assert_int_equal(machine_transfer(sim->machine, 0x10000000, bytes, to_gpu), MACHINE_DONE);
    return c->upload_ns + c->readback_ns - before;
}

/* 10 us + bytes / 11.8 GB/s. */
static void an_unloaded_transfer_takes_latency_and_bandwidth(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("testbed.on=cmp");
    assert_int_equal(transfer_ns(sim, 0, true), 10000);
    assert_int_equal(transfer_ns(sim, 1000000, true), 94746);
    assert_int_equal(transfer_ns(sim, 1000000, false), 94746);
    assert_int_equal(transfer_ns(sim, 4000000, true), 10000 + 338983);
    assert_int_equal(count(sim, "pcie.bytes_to_gpu"), 5000000);
    assert_int_equal(count(sim, "pcie.wait_ns"), 0);
    heddle_destroy(sim);
}

/* Each line is one DRAM access, none of the last-level cache's. */
static void transfers_go_past_the_last_level_cache(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("testbed.on=cmp");
    struct machine_totals t;
    transfer_ns(sim, 64 * 1000, true);
    transfer_ns(sim, 64 * 500 + 1, false);
    machine_totals_take(sim->machine, 0, &t);
    assert_int_equal(t.host.memory.bypass_reads, 1000);
    assert_int_equal(t.host.memory.bypass_writes, 501);
    assert_int_equal(t.host.memory.llc.loads + t.host.memory.llc.stores, 0);
    heddle_destroy(sim);
}

/* A program that streams gets less of the host's DRAM beside transfers, and these take longer. */
#define THREE_STREAMS "bandwidth_bubble_8,bandwidth_bubble_8,bandwidth_bubble_8"
static void transfers_and_programs_share_host_memory(void **state)
{
    (void)state;
    struct heddle_sim *alone = CREATE("cpu.programs=" THREE_STREAMS);
    struct heddle_sim *both = CREATE("cpu.programs=" THREE_STREAMS);
    assert_int_equal(heddle_finish(alone), HEDDLE_OK);
    assert_true(transfer_ns(both, 4000000, true) > 10000 + 338983 + 2000);
    assert_true(count(both, "pcie.wait_ns") > 2000);
    assert_int_equal(heddle_finish(both), HEDDLE_OK);
    assert_true(count(both, "cpu0.cycles") > count(alone, "cpu0.cycles"));
    heddle_destroy(alone);
    heddle_destroy(both);
}

/* --- kernels on CPU cores --- */

static const char head[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q;\n"
                           ".reg .u32 %a, %b, %t;\n.reg .f32 %f, %g;\n.reg .u64 %x, %y, %z;\n"
                           "ld.param.u64 %x, [p];\nmov.u32 %t, %tid.x;\n";
/* Of `head` and the ret after a body: ld.param and ret are uniform, mov reads %tid and is not. */
enum { HEAD_UNIFORM = 2, HEAD_VECTOR = 1 };

/* Runs head, body and ret over a buffer whose word i holds 64 (i + 1): offsets to follow. */
static void run(struct heddle_sim *sim, const char *body, uint32_t grid, uint32_t block)
{
    enum { N = 1 << 16 };
    static uint64_t data[N];
    struct strbuf text = {0};
    struct heddle_module *module;
    uint64_t buffer;
    for (uint32_t i = 0; i < N; i++)
        data[i] = 64 * (i + 1ull);
    strbuf_addf(&text, "%s%sret;\n}\n", head, body);
    if (heddle_load(sim, HEDDLE_PTX, "k.ptx", strbuf_text(&text), text.len, NULL, &module))
        fail_msg("%s", heddle_error(sim));
    assert_int_equal(heddle_alloc(sim, sizeof data, "buffer", &buffer), HEDDLE_OK);
    assert_int_equal(heddle_write(sim, buffer, data, sizeof data), HEDDLE_OK);
    struct heddle_arg arg = {.data = &buffer, .bytes = sizeof buffer};
    struct heddle_launch l = {.grid = {grid}, .block = {block}, .args = &arg, .n_args = 1};
    if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    strbuf_destroy(&text);
}

struct cost {
    uint64_t insts, loads, stores;
};

static struct cost cost_of(const char *body, uint32_t block)
{
    struct heddle_sim *sim = CREATE("testbed.on=cmp");
    run(sim, body, 1, block);
    struct cost c = {count(sim, "cmp.insts"), count(sim, "cmp.loads"), count(sim, "cmp.stores")};
    uint32_t pieces = (block + 7) / 8;
    c.insts -= HEAD_UNIFORM * ((block + 31) / 32) + HEAD_VECTOR * pieces;
    heddle_destroy(sim);
    return c;
}

#define assert_cost(body, block, n_insts, n_loads, n_stores)                                       \
    do {                                                                                           \
        struct cost c_ = cost_of(body, block);                                                     \
        assert_int_equal(c_.insts, n_insts);                                                       \
        assert_int_equal(c_.loads, n_loads);                                                       \
        assert_int_equal(c_.stores, n_stores);                                                     \
    } while (0)

static void an_operation_is_an_instruction_or_one_for_eight_lanes(void **state)
{
    (void)state;
    assert_cost("", 32, 0, 0, 0);
    assert_cost("mov.u32 %a, 5;\nadd.u32 %b, %a, %a;\n", 32, 2, 0, 0);
    assert_cost("add.u32 %b, %t, 1;\n", 32, 4, 0, 0);
    assert_cost("add.u32 %b, %t, 1;\n", 8, 1, 0, 0);
    assert_cost("add.u32 %b, %t, 1;\n", 9, 2, 0, 0);
    assert_cost("add.u32 %b, %t, 1;\n", 64, 8, 0, 0);
    /* Lanes 0 and 8 to 15: two groups of the four have one. The branch itself is of all four. */
    assert_cost("setp.eq.u32 %q, %t, 0;\n@%q add.u32 %b, %t, 1;\n"
                "shr.u32 %a, %t, 3;\nsetp.eq.u32 %q, %a, 1;\n@%q add.u32 %b, %t, 1;\n",
                32, 4 + 1 + 4 + 4 + 1, 0, 0);
}

static void special_math_is_twenty(void **state)
{
    (void)state;
    assert_cost("mov.f32 %f, 0f40000000;\nsin.approx.f32 %g, %f;\n", 32, 1 + 20, 0, 0);
    assert_cost("cvt.rn.f32.u32 %f, %t;\nsqrt.rn.f32 %g, %f;\n", 32, 4 + 80, 0, 0);
    assert_cost("cvt.rn.f32.u32 %f, %t;\nmul.f32 %g, %f, %f;\n", 32, 4 + 4, 0, 0);
}

#define LANE_ADDRESS(step) "mul.wide.u32 %y, %t, " #step ";\nadd.u64 %y, %x, %y;\n"

static void accesses_are_lines_or_lanes(void **state)
{
    (void)state;
    /* Equal for all: one. Adjacent: a line for each eight lanes, also with eight bytes each. */
    assert_cost("ld.global.u32 %a, [%x];\n", 32, 1, 1, 0);
    assert_cost(LANE_ADDRESS(4) "ld.global.u32 %a, [%y];\n", 32, 12, 4, 0);
    assert_cost(LANE_ADDRESS(8) "ld.global.u64 %z, [%y];\n", 32, 12, 4, 0);
    /* 32 bytes that begin in the middle of a line's second half touch two. */
    assert_cost(LANE_ADDRESS(4) "ld.global.u32 %a, [%y + 48];\n", 8, 3, 2, 0);
    /* Apart: one for each lane, however near, and still one instruction for eight lanes. */
    assert_cost(LANE_ADDRESS(8) "ld.global.u32 %a, [%y];\n", 32, 12, 32, 0);
    assert_cost(LANE_ADDRESS(256) "ld.global.u32 %a, [%y];\n", 8, 3, 8, 0);
    assert_cost(LANE_ADDRESS(256) "ld.global.u32 %a, [%y];\n", 5, 3, 5, 0);
    assert_cost(LANE_ADDRESS(4) "st.global.u32 [%y], %t;\n", 32, 12, 0, 4);
    assert_cost(LANE_ADDRESS(128) "st.global.u32 [%y], %t;\n", 8, 3, 0, 8);
    assert_cost("atom.global.add.u32 %a, [%x], %t;\n", 32, 4, 4, 4);
}

/* CPU cycles from the launch to the report of the last work-group's end. */
static uint64_t cycles_of(struct heddle_sim *sim, const char *body, uint32_t grid, uint32_t block)
{
    run(sim, body, grid, block);
    const struct machine *m = sim->machine;
    sim_time end = machine_dealer(m)->ended_at;
    return end / m->clocks[CLOCK_CPU].period;
}

static const char *repeated(const char *line, uint32_t n, struct arena *arena)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < n; i++)
        strbuf_add(&text, line);
    const char *copy = arena_strdup(arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return copy;
}

/* 100 cycles there; 4 instructions enter a cycle and retire in the next one; the cycle in which the
 * last has retired; 100 back. */
static void a_work_group_takes_its_instructions_and_two_messages(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (uint32_t n = 1; n <= 401; n += 200) {
        struct heddle_sim *sim = CREATE("testbed.on=cmp");
        uint64_t insts = n + HEAD_UNIFORM + HEAD_VECTOR;
        uint64_t cycles = cycles_of(sim, repeated("mov.u32 %a, 5;\n", n, &arena), 1, 8);
        assert_int_equal(cycles, 100 + (insts + 3) / 4 + 100);
        heddle_destroy(sim);
    }
    arena_destroy(&arena);
}

/* Groups are dealt one a cycle; a core has its next one 200 cycles after it has reported an end. */
static void work_groups_are_dealt_in_order_to_free_cores(void **state)
{
    (void)state;
    struct arena arena = {0};
    const char *body = repeated("mov.u32 %a, 5;\n", 397, &arena);
    static const struct {
        uint32_t groups;
        const char *programs;
        uint64_t cycles;
    } cases[] = {
        {1, "", 300},
        {4, "", 303},
        {5, "", 600},
        {8, "", 603},
        {3, "cache_bubble_0", 302},
        {4, "cache_bubble_0", 600},
        {2, "cache_bubble_0,cache_bubble_0", 301},
        {3, "cache_bubble_0,cache_bubble_0", 600},
        {3, "cache_bubble_0,cache_bubble_0,cache_bubble_0", 900},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heddle_sim *sim =
            CREATE("testbed.on=cmp", arena_printf(&arena, "cpu.programs=%s", cases[i].programs));
        assert_int_equal(cycles_of(sim, body, cases[i].groups, 8), cases[i].cycles);
        heddle_destroy(sim);
    }
    arena_destroy(&arena);
}

static uint64_t chased(const char *follow, uint32_t n, const char *step, struct arena *arena)
{
    struct heddle_sim *sim = CREATE(
        "testbed.on=cmp", arena_printf(arena, "cpu.follow_registers=%s", follow), "cpu.mlp=10");
    const char *begin = "ld.global.u64 %y, [%x];\n";
    uint64_t cycles =
        cycles_of(sim, arena_printf(arena, "%s%s", begin, repeated(step, n, arena)), 1, 8);
    heddle_destroy(sim);
    return cycles;
}

/* Loads that follow each other through arithmetic wait if registers are followed. Word i points to
 * line i + 1, each in memory. */
static void loads_wait_for_loads_as_their_registers_say(void **state)
{
    (void)state;
    struct arena arena = {0};
    static const char next[] = "add.u64 %z, %x, %y;\nld.global.u64 %y, [%z];\n";
    uint64_t one = chased("true", 0, next, &arena) - 201;
    uint64_t three = chased("true", 2, next, &arena) - 201;
    uint64_t apart = chased("false", 2, next, &arena) - 201;
    print_message("a miss %llu cycles, three in a row %llu, side by side %llu\n",
                  (unsigned long long)one, (unsigned long long)three, (unsigned long long)apart);
    assert_true(one > 150 && one < 300); /* about 60 ns */
    assert_true(three > 2 * one && three <= 3 * one + 3);
    assert_true(apart < one + 40);
    arena_destroy(&arena);
}

/* What work-groups do is in order and exact: a counter that all of them use. */
static void atomics_are_exact(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("testbed.on=cmp");
    uint64_t first;
    run(sim, "atom.global.add.u32 %a, [%x], 1;\n", 7, 96);
    assert_int_equal(heddle_read(sim, 0x10000000, &first, sizeof first), HEDDLE_OK);
    assert_int_equal(count(sim, "testbed.launches"), 1);
    assert_int_equal(first, 64 + 7 * 96);
    heddle_destroy(sim);
}

static void a_fault_on_a_core_is_reported(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("testbed.on=cmp", "cpu.programs=cache_bubble_1");
    struct heddle_module *module;
    struct strbuf text = {0};
    strbuf_addf(&text, "%sld.global.u32 %%a, [%%x];\nret;\n}\n", head);
    assert_int_equal(
        heddle_load(sim, HEDDLE_PTX, "k.ptx", strbuf_text(&text), text.len, NULL, &module),
        HEDDLE_OK);
    uint64_t nowhere = 64;
    struct heddle_arg arg = {.data = &nowhere, .bytes = sizeof nowhere};
    struct heddle_launch l = {.grid = {3}, .block = {32}, .args = &arg, .n_args = 1};
    assert_int_equal(heddle_launch(sim, module, "k", &l), HEDDLE_KERNEL_FAULT);
    assert_non_null(strstr(heddle_error(sim), "0x40"));
    strbuf_destroy(&text);
    heddle_destroy(sim);
}

/* --- launches --- */

/* What is read goes to the GPU, what is written comes back, with 10 us each. */
static void buffers_are_moved_as_the_kernel_uses_them(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint64_t up, down;
    } cases[] = {
        {"ld.global.u32 %a, [%x];\n", 1, 0},
        {"st.global.u32 [%x], %t;\n", 0, 1},
        {"atom.global.add.u32 %a, [%x], 1;\n", 1, 1},
        {"add.u32 %a, %t, 1;\n", 0, 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heddle_sim *sim = CREATE("testbed.on=gpu");
        run(sim, cases[i].body, 1, 32);
        uint64_t bytes = (1 << 16) * 8, ns = 10000 + (bytes * 1000 + 5900) / 11800;
        assert_int_equal(count(sim, "testbed.bytes_up"), cases[i].up * bytes);
        assert_int_equal(count(sim, "testbed.bytes_down"), cases[i].down * bytes);
        assert_int_equal(count(sim, "testbed.upload_ns"), cases[i].up * ns);
        assert_int_equal(count(sim, "testbed.readback_ns"), cases[i].down * ns);
        assert_int_equal(count(sim, "testbed.ns"),
                         (cases[i].up + cases[i].down) * ns + count(sim, "testbed.kernel_ns"));
        heddle_destroy(sim);
    }
}

/* The launch begins again with memory as it was; its results and counts are those of the first. */
static void a_launch_is_repeated_until_programs_have_ended(void **state)
{
    (void)state;
    static const char *const targets[] = {"testbed.on=cmp", "testbed.on=gpu"};
    static const char body[] = "atom.global.add.u32 %a, [%x], 1;\n";
    for (uint32_t i = 0; i < 2; i++) {
        struct heddle_sim *sim =
            CREATE(targets[i], "testbed.launch=1", "cpu.programs=cache_bubble_1");
        struct heddle_sim *alone = CREATE(targets[i], "testbed.launch=1");
        uint64_t first;
        run(sim, body, 7, 96);
        run(alone, body, 7, 96);
        assert_int_equal(heddle_read(sim, 0x10000000, &first, sizeof first), HEDDLE_OK);
        assert_int_equal(first, 64 + 7 * 96);
        assert_true(count(sim, "testbed.repeats") > 2);
        assert_int_equal(count(alone, "testbed.repeats"), 0);
        assert_int_equal(count(sim, "testbed.launches"), 1);
        assert_int_equal(count(sim, "warp_insts"), count(alone, "warp_insts"));
        assert_int_equal(count(sim, "testbed.bytes_up"), count(alone, "testbed.bytes_up"));
        assert_int_equal(count(sim, "cpu0.ended"), 1);
        assert_int_equal(heddle_finish(sim), HEDDLE_OK);
        heddle_destroy(sim);
        heddle_destroy(alone);
    }
}

/* A kernel that counts to 3000 if the word at %x is still 64, then stores at `offset`. */
static uint64_t repeats_of(const char *target, uint32_t offset)
{
    struct heddle_sim *sim = CREATE(target, "testbed.launch=1", "cpu.programs=cache_bubble_1");
    struct arena arena = {0};
    run(sim,
        arena_printf(&arena,
                     "ld.global.u32 %%a, [%%x];\nmov.u32 %%b, 0;\nsetp.ne.u32 %%q, %%a, 64;\n"
                     "@%%q bra DONE;\nLOOP: add.u32 %%b, %%b, 1;\nsetp.lt.u32 %%q, %%b, 3000;\n"
                     "@%%q bra LOOP;\nDONE: st.global.u32 [%%x+%u], %%b;\n",
                     offset),
        1, 32);
    uint64_t n = count(sim, "testbed.repeats");
    arena_destroy(&arena);
    heddle_destroy(sim);
    return n;
}

/* A repeated run that saw the first one's store would be shorter, and there would be more. */
static void repeated_runs_do_not_see_results(void **state)
{
    (void)state;
    static const char *const targets[] = {"testbed.on=cmp", "testbed.on=gpu"};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t elsewhere = repeats_of(targets[i], 8);
        assert_true(elsewhere >= 1);
        assert_in_range(repeats_of(targets[i], 0), elsewhere - 1, elsewhere + 1);
    }
}

static void only_the_chosen_launch_is_timed(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("testbed.on=cmp", "testbed.launch=2");
    run(sim, "add.u32 %b, %t, 1;\n", 1, 32);
    assert_int_equal(count(sim, "testbed.launches"), 0);
    assert_int_equal(count(sim, "cmp.insts"), 0);
    run(sim, "add.u32 %b, %t, 1;\n", 1, 32);
    uint64_t insts = count(sim, "cmp.insts");
    assert_int_equal(insts, HEAD_UNIFORM + 4 * HEAD_VECTOR + 4);
    run(sim, "add.u32 %b, %t, 1;\n", 1, 32);
    assert_int_equal(count(sim, "cmp.insts"), insts);
    assert_int_equal(count(sim, "testbed.launches"), 1);
    heddle_destroy(sim);
}

/* A bubble at 2/8 of 22 GB/s reads a line for every 128 bytes: 2148 in 50 us, except for the ten it
 * waits for. It has ended long before the second sample has. */
static void natives_are_sampled_before_a_launch(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("cpu.programs=bandwidth_bubble_2", "cpu.insts=1000",
                                    "testbed.sample_us=50", "testbed.launch=1");
    assert_int_equal(heddle_finish(sim), HEDDLE_OK);
    uint64_t misses = count(sim, "testbed.sample_llc_misses");
    assert_in_range(misses, 2148 - 11, 2148 + 11);
    assert_in_range(count(sim, "testbed.sample_dram_bytes"), 64 * (misses - 11), 128 * misses);
    assert_int_equal(count(sim, "cpu0.insts"), 1000);
    uint64_t ns = machine_ns(sim->machine, sim->machine->kernel_free_at);
    assert_in_range(ns, 100000, 101000);
    heddle_destroy(sim);
    sim = CREATE("cpu.programs=bandwidth_bubble_2", "testbed.sample_us=1", "testbed.launch=1");
    run(sim, "add.u32 %b, %t, 1;\n", 64, 256);
    assert_int_equal(count(sim, "testbed.sample_llc_misses"), 0); /* the launch began at once */
    heddle_destroy(sim);
}

/* S3 Table 6.1: 22 GB/s are available. */
static void streams_use_most_of_host_memory(void **state)
{
    (void)state;
    struct heddle_sim *sim = CREATE("cpu.programs=bandwidth_bubble_8,bandwidth_bubble_8,"
                                    "bandwidth_bubble_8,bandwidth_bubble_8");
    assert_int_equal(heddle_finish(sim), HEDDLE_OK);
    const struct machine *m = sim->machine;
    double gbps = (double)count(sim, "host_dram.bytes") / (double)machine_ns(m, m->kernel_free_at);
    print_message("four streams: %.1f GB/s\n", gbps);
    assert_true(gbps > 21.5 && gbps < 22.4);
    heddle_destroy(sim);
}

static void machines_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *says;
    } cases[] = {
        {"host_llc.policy=ucp", "supports only policies without a controller"},
        {"host_llc.line_bytes=32", "CPU cores need lines of at least 64 bytes"},
        {"host_dram.row_bytes=100", "host_dram.row_bytes (100) must be a multiple"},
        {"cpu.store_buffer=2", "cpu.store_buffer (2) must hold the stores"},
        {"testbed.on=dsp", "testbed.on"},
        {"cpu.cores=0", "cpu.cores (0): the memory of a discrete GPU's host needs at least one"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heddle_options o = {.struct_size = sizeof o,
                                   .timing = true,
                                   .gpu = "i7-s9150",
                                   .settings = &cases[i].setting,
                                   .n_settings = 1};
        struct heddle_sim *sim;
        assert_int_equal(heddle_create(&o, &sim), HEDDLE_BAD_INPUT);
        if (!strstr(heddle_error(sim), cases[i].says))
            fail_msg("%s", heddle_error(sim));
        heddle_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unloaded_transfer_takes_latency_and_bandwidth),
        cmocka_unit_test(transfers_go_past_the_last_level_cache),
        cmocka_unit_test(transfers_and_programs_share_host_memory),
        cmocka_unit_test(an_operation_is_an_instruction_or_one_for_eight_lanes),
        cmocka_unit_test(special_math_is_twenty),
        cmocka_unit_test(accesses_are_lines_or_lanes),
        cmocka_unit_test(a_work_group_takes_its_instructions_and_two_messages),
        cmocka_unit_test(work_groups_are_dealt_in_order_to_free_cores),
        cmocka_unit_test(loads_wait_for_loads_as_their_registers_say),
        cmocka_unit_test(atomics_are_exact),
        cmocka_unit_test(a_fault_on_a_core_is_reported),
        cmocka_unit_test(buffers_are_moved_as_the_kernel_uses_them),
        cmocka_unit_test(a_launch_is_repeated_until_programs_have_ended),
        cmocka_unit_test(repeated_runs_do_not_see_results),
        cmocka_unit_test(only_the_chosen_launch_is_timed),
        cmocka_unit_test(natives_are_sampled_before_a_launch),
        cmocka_unit_test(streams_use_most_of_host_memory),
        cmocka_unit_test(machines_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
