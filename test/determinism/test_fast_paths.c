/* What random kernels and machines have seldom or never, and fast paths must look for: each case
 * shows the same with fast paths, without them, and on the per-cycle engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/observe.h"

#define SMALL "n_sms=2", "memory.n_partitions=2"

static const struct manner usual = {.name = "skip"};
static const struct manner others[] = {
    {.name = "skip, quantum 1", .quantum = 1},
    {.name = "skip, fast paths off", .no_fast_paths = true},
    {.name = "cycle, fast paths off", .every_cycle = true, .no_fast_paths = true},
};

static const struct kernel_buffer buffer = {65536 + 128, NULL, true};

static void compare(const char *ptx, const struct testbed *bed, uint32_t grid, uint32_t block)
{
    const struct kernel_launch launch = {"k", grid, block};
    const struct kernel_case k = {"k.ptx", ptx, &buffer, 1, &launch, 1, 0};
    struct strbuf first = {0}, other = {0}, why = {0};
    if (observe_kernel(&k, bed, &usual, &first) != HEDDLE_OK)
        fail_msg("%s: %s", bed->name, strbuf_text(&first));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        strbuf_clear(&other);
        observe_kernel(&k, bed, &others[i], &other);
        if (!observations_agree(&first, &other, &why))
            fail_msg("%s: %s\n%s", bed->name, others[i].name, strbuf_text(&why));
    }
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
}

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"

/* Registers that are all waited for at once, so that none shares its place with another. */
static void more_registers_than_a_word_has_bits(void **state)
{
    (void)state;
    enum { N = 90 };
    static const struct testbed bed = {"registers", "gtx480", {SMALL}};
    struct strbuf ptx = {0};
    strbuf_addf(&ptx,
                HEAD ".reg .b32 %%v<%d>, %%s; .reg .b64 %%a, %%b;\n"
                     "ld.param.u64 %%a, [p]; mov.u32 %%s, %%tid.x; mul.wide.u32 %%b, %%s, 4;\n"
                     "add.u64 %%a, %%a, %%b;\n",
                N);
    for (uint32_t i = 0; i < N; i++)
        strbuf_addf(&ptx, "ld.global.u32 %%v%u, [%%a+%u];\n", i, i * 64);
    for (uint32_t i = N; i-- > 0;)
        strbuf_addf(&ptx, "mad.lo.u32 %%s, %%v%u, %%s, %u;\n", i, i);
    strbuf_addf(&ptx, "st.global.u32 [%%a], %%s; ret; }\n");
    compare(strbuf_text(&ptx), &bed, 3, 64);
    strbuf_destroy(&ptx);
}

/* Results of units that take longer than events are planned for, several results of an instruction,
 * operands in one bank, a gather and a store. */
static const char units[] =
    HEAD ".reg .pred %q, %t; .reg .b32 %r<9>; .reg .f64 %d<4>; .reg .b64 %a, %b;\n"
         "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r4, 1;\n"
         "L: mad.lo.u32 %r2, %r0, 68, %r1; and.b32 %r2, %r2, 8188; cvt.u64.u32 %b, %r2;\n"
         "add.u64 %b, %a, %b; ld.global.u32 %r3, [%b]; or.b32 %r5, %r0, 1;\n"
         "div.u32 %r6, %r4, %r5; cvt.rn.f64.u32 %d0, %r6; cvt.rn.f64.u32 %d1, %r5;\n"
         "div.rn.f64 %d2, %d0, %d1; fma.rn.f64 %d3, %d2, %d2, %d1; mov.b64 {%r7, %r8}, %d3;\n"
         "add.u32 %r4, %r7, %r8; add.u32 %r4, %r4, %r4; add.u32 %r4, %r4, %r3;\n"
         "setp.lt.and.u32 %q|%t, %r4, %r3, %q; @%t add.u32 %r4, %r4, 1;\n"
         "and.b32 %r5, %r1, 255; setp.eq.u32 %q, %r5, 0; @%q st.global.u32 [%b], %r4;\n"
         "add.u32 %r1, %r1, 64; setp.lt.u32 %q, %r1, 1000; @%q bra L; ret; }\n";

static void results_come_whenever_they_do(void **state)
{
    (void)state;
    static const struct testbed beds[] = {
        {"nothing", "gtx480", {SMALL}},
        {"banks, of which masks do not go round", "gtx480", {SMALL, "sm.register_banks=12"}},
        {"two banks", "gtx480", {SMALL, "sm.register_banks=2"}},
        {"units of 63 cycles",
         "gtx480",
         {SMALL, "sm.int_div_latency=61", "sm.fp64_div_latency=62"}},
        {"units of 64 cycles",
         "gtx480",
         {SMALL, "sm.int_div_latency=60", "sm.fp64_div_latency=63"}},
        {"units of 65 cycles",
         "gtx480",
         {SMALL, "sm.int_div_latency=59", "sm.fp64_div_latency=64"}},
    };
    for (size_t i = 0; i < sizeof beds / sizeof beds[0]; i++) {
        compare(units, &beds[i], 4, 96);
        compare(units, &beds[i], 1, 32);
    }
}

/* Sums whose operands and results are in all banks, with a value from memory now and then. */
static void write_sums(struct strbuf *ptx)
{
    enum { N = 30, N_SUMS = 90 };
    strbuf_addf(ptx,
                HEAD ".reg .pred %%q; .reg .b32 %%v<%d>, %%r, %%s; .reg .b64 %%a, %%b, %%c;\n"
                     "ld.param.u64 %%a, [p]; mov.u32 %%s, %%tid.x; mul.wide.u32 %%b, %%s, 16;\n"
                     "add.u64 %%c, %%a, %%b; mul.wide.u32 %%b, %%s, 4; add.u64 %%a, %%a, %%b;\n"
                     "mov.u32 %%r, 0;\n",
                N);
    for (uint32_t i = 0; i < N; i++)
        strbuf_addf(ptx, "add.u32 %%v%u, %%s, %u;\n", i, i * i);
    strbuf_addf(
        ptx, "L: ld.global.u32 %%s, [%%a]; ld.global.v4.u32 {%%v1, %%v7, %%v13, %%v19}, [%%c];\n");
    for (uint32_t i = 0; i < N_SUMS; i++)
        strbuf_addf(ptx, "add.u32 %%v%u, %%v%u, %%v%u;\n", i * 7 % N, i * 11 % N, (i * i + 5) % N);
    strbuf_addf(ptx, "add.u32 %%v0, %%v0, %%s; add.u32 %%r, %%r, 1; setp.lt.u32 %%q, %%r, 6;\n"
                     "@%%q bra L;\n");
    for (uint32_t i = 1; i < N; i++)
        strbuf_addf(ptx, "xor.b32 %%v0, %%v0, %%v%u;\n", i);
    strbuf_addf(ptx, "st.global.u32 [%%a], %%v0; ret; }\n");
}

static void sums_are_read_and_written_in_their_banks(void **state)
{
    (void)state;
    static const struct testbed beds[] = {
        {"nothing", "gtx480", {SMALL}},
        {"banks, of which masks do not go round", "gtx480", {SMALL, "sm.register_banks=12"}},
        {"banks and collectors", "gtx480", {SMALL, "sm.register_banks=3", "sm.sp_collectors=2"}},
        {"sums of 70 cycles", "gtx480", {SMALL, "sm.int_add_latency=70"}},
        {"sums of 63 cycles", "gtx480", {SMALL, "sm.int_add_latency=61", "sm.register_banks=4"}},
    };
    struct strbuf ptx = {0};
    write_sums(&ptx);
    for (size_t i = 0; i < sizeof beds / sizeof beds[0]; i++) {
        compare(strbuf_text(&ptx), &beds[i], 4, 96);
        compare(strbuf_text(&ptx), &beds[i], 1, 32);
    }
    strbuf_destroy(&ptx);
}

static void ports_pass_as_many_flits_as_they_do(void **state)
{
    (void)state;
    static const struct testbed beds[] = {
        {"two flits a cycle, in step",
         "gtx480",
         {SMALL, "core_clock_mhz=700", "noc_clock_mhz=700", "noc.flits_per_cycle_down=2"}},
        {"a flit in two cycles",
         "gtx480",
         {SMALL, "core_clock_mhz=700", "noc_clock_mhz=350", "l2_clock_mhz=700"}},
        {"a flit now and then",
         "gtx480",
         {SMALL, "core_clock_mhz=700", "noc_clock_mhz=330", "l2_clock_mhz=460"}},
    };
    for (size_t i = 0; i < sizeof beds / sizeof beds[0]; i++)
        compare(units, &beds[i], 4, 96);
}

#define GATHER(from, mask)                                                                         \
    "add.u32 %r2, %r5, " from "; and.b32 %r2, %r2, " mask "; cvt.u64.u32 %b, %r2;\n"               \
    "add.u64 %b, %a, %b; ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
#define LOOP_HEAD(step)                                                                            \
    HEAD ".local .align 4 .b8 stack[64];\n"                                                        \
         ".reg .pred %q; .reg .b32 %r<9>; .reg .b64 %a, %b, %s;\n"                                 \
         "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r4, 0;\n"            \
         "mov.u64 %s, stack; L: mad.lo.u32 %r5, %r0, " step ", %r1;\n"
/* A load of other lines in each round, which push out what hits, or a dirty line of the stack. */
#define LOOP_END(step, then)                                                                       \
    "st.local.u32 [stack], %r4; st.local.u32 [stack+12], %r4;\n"                                   \
    "mad.lo.u32 %r2, %r1, " step ", %r0; and.b32 %r2, %r2, 65532; cvt.u64.u32 %b, %r2;\n"          \
    "add.u64 %b, %a, %b; ld.global.u32 %r6, [%b]; " then " add.u32 %r4, %r4, %r6;\n"               \
    "add.u32 %r1, %r1, 4; setp.lt.u32 %q, %r1, 160; @%q bra L;\n"                                  \
    "st.global.u32 [%a], %r4; ret; }\n"

#define LATE                                                                                       \
    "memory.n_partitions=2", "l1d.allocate_on_fill=true", "l1d.write_back=true",                   \
        "l1d.write_allocate=true", "l1d.n_ways=8", "l1d.n_mshrs=16", "l1d.sector_bytes=32"

/* Data wait for a place of the miss queue, for the dirty line that they push out, while lanes
 * hit. */
static void hits_wait_for_a_reply_that_waits(void **state)
{
    (void)state;
    static const struct testbed bed = {
        "the way out", "gtx480", {"n_sms=1", LATE, "l1d.n_sets=1", "sm.miss_queue=2"}};
    compare(LOOP_HEAD("68") GATHER("0", "4092") GATHER("256", "4092") GATHER("512", "4092")
                LOOP_END("101", ""),
            &bed, 4, 32);
}

/* An SM that performs atomics may drop a line in any cycle. */
static void hits_wait_for_atomics(void **state)
{
    (void)state;
    static const struct testbed bed = {
        "nothing", "gtx480", {"n_sms=2", LATE, "l1d.n_sets=4", "atomics.unit=atom_naive"}};
    compare(LOOP_HEAD("132") GATHER("0", "2044") LOOP_END("130", "red.global.add.u32 [%b], 1;"),
            &bed, 3, 96);
}

/* Words, pairs and quadruples of adjacent lanes, and one of them for all. */
static const char shared[] =
    HEAD ".reg .pred %q; .reg .b32 %r<9>; .reg .b64 %a, %d; .shared .align 16 .b8 all[2048];\n"
         "mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, all; mov.u32 %r4, 0;\n"
         "mad.lo.u32 %r5, %r0, 4, %r2; mad.lo.u32 %r6, %r0, 8, %r2; mad.lo.u32 %r7, %r0, 16, %r2;\n"
         "L: st.shared.u32 [%r5], %r1; ld.shared.u32 %r3, [%r5]; add.u32 %r4, %r4, %r3;\n"
         "ld.shared.u64 %d, [%r6]; cvt.u32.u64 %r3, %d; add.u32 %r4, %r4, %r3;\n"
         "ld.shared.v4.u32 {%r3, %r8, %r8, %r8}, [%r7]; add.u32 %r4, %r4, %r3;\n"
         "ld.shared.u64 %d, [%r2]; cvt.u32.u64 %r3, %d; add.u32 %r4, %r4, %r3;\n"
         "ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r4, %r3;\n"
         "add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 9; @%q bra L;\n"
         "ld.param.u64 %a, [p]; cvt.u64.u32 %d, %r5; and.b64 %d, %d, 8188; add.u64 %a, %a, %d;\n"
         "st.global.u32 [%a], %r4; ret; }\n";

/* In a loop, a warp stores and loads a word, loads a pair and a quadruple, then a pair and a word
 * for all. A pair is loaded in two halves of the warp, a quadruple in four quarters. */
static void shared_memory_has_as_many_banks_as_it_does(void **state)
{
    (void)state;
    enum { N_LOOPS = 9, N_WARPS = 4 };
    static const struct {
        struct testbed bed;
        uint32_t passes;
    } cases[] = {
        {{"16 banks", "gtx480", {SMALL, "sm.shared_banks=16"}}, 2 + 2 + 4 + 8 + 2 + 1},
        {{"32 banks", "gtx480", {SMALL}}, 1 + 1 + 2 + 4 + 2 + 1},
        {{"64 banks", "gtx480", {SMALL, "sm.shared_banks=64"}}, 1 + 1 + 2 + 4 + 2 + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct kernel_launch launch = {"k", N_WARPS / 2, 64};
        const struct kernel_case k = {"k.ptx", shared, &buffer, 1, &launch, 1, 0};
        struct strbuf seen = {0}, passes = {0};
        assert_int_equal(observe_kernel(&k, &cases[i].bed, &usual, &seen), HEDDLE_OK);
        strbuf_addf(&passes, "\nshared.passes = %u\n", cases[i].passes * N_LOOPS * N_WARPS);
        if (!strstr(strbuf_text(&seen), strbuf_text(&passes)))
            fail_msg("%s: not%s", cases[i].bed.name, strbuf_text(&passes));
        strbuf_destroy(&seen);
        strbuf_destroy(&passes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_registers_than_a_word_has_bits),
        cmocka_unit_test(results_come_whenever_they_do),
        cmocka_unit_test(sums_are_read_and_written_in_their_banks),
        cmocka_unit_test(ports_pass_as_many_flits_as_they_do),
        cmocka_unit_test(hits_wait_for_a_reply_that_waits),
        cmocka_unit_test(hits_wait_for_atomics),
        cmocka_unit_test(shared_memory_has_as_many_banks_as_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
