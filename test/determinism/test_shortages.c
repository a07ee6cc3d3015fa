/* Machines that are short of one resource each; the fuzz combines many, and seldom has the one in
 * question. Everything that changes what a request waits for, or why, must wake it: the skipping
 * engine is compared with the per-cycle one, which retries in every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/random_testbed.h"

enum { N_KERNELS = 3 };

#define SMALL "n_sms=2", "memory.n_partitions=2"

static const struct testbed beds[] = {
    {"bypass slots", "gtx480", {SMALL, "l1d.policy=none", "sm.bypass_slots=1"}},
    {"bypass slots and credits",
     "gtx480",
     {SMALL, "l1d.policy=none", "sm.bypass_slots=1", "noc.buffer_flits=5", "memory.rop_latency=1",
      "memory.input_queue=1", "dram.queue_entries=1", "l2.n_mshrs=1"}},
    {"MSHRs", "gtx480", {SMALL, "l1d.n_mshrs=1"}},
    {"entries of an MSHR", "gtx480", {SMALL, "l1d.mshr_merges=1"}},
    {"lines", "gtx480", {SMALL, "l1d.n_sets=1", "l1d.n_ways=1"}},
    {"places in the miss queue", "gtx480", {SMALL, "sm.miss_queue=1"}},
    {"credits", "gtx480", {SMALL, "noc.buffer_flits=20"}},
    {"MSHRs of L2", "gtx480", {SMALL, "l2.n_mshrs=1"}},
    {"places before L2", "gtx480", {SMALL, "memory.rop_latency=1", "memory.input_queue=1"}},
    {"places before DRAM", "gtx480", {SMALL, "memory.dram_queue=1", "dram.queue_entries=1"}},
    {"places behind L2", "gtx480", {SMALL, "memory.l2_latency=1", "memory.reply_queue=1"}},
    {"places behind L2, and a slow network",
     "gtx480",
     {SMALL, "memory.l2_latency=1", "memory.reply_queue=1", "memory.rop_latency=1",
      "noc_clock_mhz=100"}},
    {"places behind L2 and time for atomics",
     "gtx480",
     {"n_sms=4", "memory.n_partitions=1", "memory.l2_latency=1", "memory.reply_queue=2",
      "memory.rop_latency=1"}},
    {"lines of code, which are reserved at their miss, and places to wait for them",
     "gtx480",
     {SMALL, "l1i.allocate_on_fill=false", "l1i.n_sets=2", "l1i.n_ways=1", "l1i.mshr_merges=1"}},
    {"stages between the network and DRAM",
     "gtx480",
     {"n_sms=3", "l2.n_sets=4", "memory.n_partitions=1", "memory.dram_latency=0",
      "memory.rop_latency=1", "noc.latency_cycles=100", "dispatch_cycles=100"}},
};

/* Loads that bypass L1D, most of which hit in L2 when the first have brought their lines; a
 * store and an atomic between them. */
static const char around_l1d[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 36, %r1; and.b32 %r2, %r2, 4092;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.cg.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "and.b32 %r5, %r1, 255; setp.eq.u32 %q, %r5, 0; @%q st.global.u32 [%b], %r4;\n"
    "@%q red.global.add.u32 [%a], 1;\n"
    "add.u32 %r1, %r1, 64; setp.lt.u32 %q, %r1, 3200; @%q bra L; ret; }\n";

/* Each lane loads a different line, of four times as many as L1D holds below; sometimes two lanes
 * load the same line, and some lines are present. Stores to local memory stay in L1D until they are
 * evicted. */
static const char gathers[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %a, %b, %c, %d; .local .align 4 .b8 kept[512];\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 196, %r1; and.b32 %r2, %r2, 8188;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "and.b32 %r2, %r1, 448; cvt.u64.u32 %c, %r2; mov.u64 %d, kept; add.u64 %c, %c, %d;\n"
    "st.local.u32 [%c], %r4;\n"
    "and.b32 %r5, %r1, 1023; setp.eq.u32 %q, %r5, 0; @%q st.global.u32 [%b], %r4;\n"
    "add.u32 %r1, %r1, 64; setp.lt.u32 %q, %r1, 1500; @%q bra L; ret; }\n";

#define FEW_LINES SMALL, "l1d.n_sets=4", "l1d.n_ways=4"
#define LATE                                                                                       \
    SMALL, "l1d.n_sets=1", "l1d.n_ways=16", "l1d.allocate_on_fill=true", "l1d.sector_bytes=32"

#define WIDE_L2                                                                                    \
    "n_sms=3", "memory.n_partitions=1", "l1d.n_mshrs=16", "l1d.sector_bytes=32", "l2.n_sets=2",    \
        "l2.n_ways=12", "l2.sector_bytes=32", "memory.banks=2"

/* The same with stores to local memory in between, whose lines are dirty when others push them out.
 */
static const char spills[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".local .align 4 .b8 stack[256];\n"
    ".reg .pred %q; .reg .b32 %r<7>; .reg .b64 %a, %b, %b2, %s;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 196, %r1; and.b32 %r2, %r2, 8188;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "and.b32 %r5, %r1, 192; cvt.u64.u32 %s, %r5; mov.u64 %b2, stack; add.u64 %s, %b2, %s;\n"
    "st.local.u32 [%s], %r4; ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4;\n"
    "add.u32 %r1, %r1, 64; setp.lt.u32 %q, %r1, 1500; @%q bra L; ret; }\n";

/* So few MSHRs that a load takes the one that a reply frees; with several replies in one cycle,
 * with allocation on fill, with sectors. */
static const struct testbed gather_beds[] = {
    {"MSHRs for lanes", "gtx480", {FEW_LINES, "l1d.n_mshrs=4"}},
    {"MSHRs, with a wide way back",
     "gtx480",
     {"n_sms=1", "memory.n_partitions=6", "l1d.n_sets=4", "l1d.n_ways=4", "l1d.n_mshrs=12",
      "noc.flits_per_cycle_down=20", "noc_clock_mhz=350"}},
    {"ways", "gtx480", {SMALL, "l1d.n_sets=4", "l1d.n_ways=1", "l1d.n_mshrs=3"}},
    {"lines that come late",
     "gtx480",
     {FEW_LINES, "l1d.allocate_on_fill=true", "noc.flits_per_cycle_down=20"}},
    {"sectors", "gtx480", {FEW_LINES, "l1d.n_mshrs=5", "l1d.sector_bytes=32"}},
    {"MSHRs, of lines that come late to many ways", "gtx480", {LATE, "l1d.n_mshrs=4"}},
    {"places for sectors that come late",
     "gtx480",
     {LATE, "l1d.mshr_merges=2", "noc.flits_per_cycle_down=20"}},
    {"the way out, for lines that come late",
     "gtx480",
     {LATE, "sm.miss_queue=2", "noc_clock_mhz=350"}},
    {"lines that come late, and L2 looks at who asks",
     "gtx480",
     {LATE, "noc_clock_mhz=350", "l2.policy=srrip"}},
    {"MSHRs of an L2 of many ways", "gtx480", {WIDE_L2, "l2.n_mshrs=3"}},
    {"places in MSHRs of an L2 of many ways, and DRAM",
     "gtx480",
     {WIDE_L2, "l2.mshr_merges=2", "dram.queue_entries=2", "memory.dram_queue=4"}},
    {"places before and behind an L2 of many ways",
     "gtx480",
     {WIDE_L2, "memory.rop_latency=3", "memory.input_queue=3", "memory.l2_latency=2",
      "memory.reply_queue=3"}},
};

/* CTAs that read the same lines bypassing L1D, one after the other, each in its own steps: most
 * need what is already in flight, or a part of it and more. A store now and then. */
static const char follows[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<8>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r1, 0;\n"
    "and.b32 %r7, %r6, 3; mad.lo.u32 %r7, %r7, 12, 4; mov.u32 %r4, 0;\n"
    "L: mad.lo.u32 %r2, %r0, %r7, %r1; and.b32 %r2, %r2, 16380;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.cg.u32 %r3, [%b]; xor.b32 %r5, %r0, %r6; and.b32 %r5, %r5, 127;\n"
    "setp.eq.u32 %q, %r5, 5; @%q add.u32 %r4, %r3, %r4; @%q st.global.u32 [%b], %r4;\n"
    "add.u32 %r1, %r1, 224; setp.lt.u32 %q, %r1, 9000; @%q bra L; ret; }\n";

#define FOLLOW                                                                                     \
    "n_sms=4", "memory.n_partitions=1", "l2.n_sets=2", "l2.n_ways=12", "l2.sector_bytes=32",       \
        "memory.rop_latency=60", "memory.dram_latency=20"

static const struct testbed follow_beds[] = {
    {"nothing", "gtx480", {FOLLOW, "memory.banks=1"}},
    {"places in MSHRs of L2", "gtx480", {FOLLOW, "memory.banks=2", "l2.mshr_merges=2"}},
    {"places before L2", "gtx480", {FOLLOW, "memory.banks=1", "memory.input_queue=1"}},
    {"places behind L2", "gtx480", {FOLLOW, "memory.l2_latency=30", "memory.reply_queue=1"}},
    {"time to come in order", "gtx480", {FOLLOW, "memory.banks=4", "noc.flits_per_cycle_up=2"}},
    {"DRAM", "gtx480", {FOLLOW, "memory.banks=1", "dram_clock_mhz=70", "memory.dram_latency=0"}},
    {"places before a short way to L2",
     "gtx480",
     {FOLLOW, "memory.banks=1", "memory.rop_latency=8", "memory.input_queue=1",
      "noc.flits_per_cycle_up=4"}},
};

static const struct manner skip = {.name = "skip"}, plain = {.name = "cycle", .every_cycle = true};

static void compare_engines(const struct testbed *bed, const struct kernel_case *k, uint64_t number)
{
    struct strbuf skipped = {0}, stepped = {0}, why = {0};
    if (observe_kernel(k, bed, &plain, &stepped) != HEDDLE_OK)
        fail_msg("short of %s: %s", bed->name, strbuf_text(&stepped));
    observe_kernel(k, bed, &skip, &skipped);
    if (!observations_agree(&stepped, &skipped, &why))
        fail_msg("short of %s, kernel %llu:\n%s", bed->name, (unsigned long long)number,
                 strbuf_text(&why));
    strbuf_destroy(&skipped);
    strbuf_destroy(&stepped);
    strbuf_destroy(&why);
}

static void compare_engines_randomly(const struct testbed *bed, uint64_t seed)
{
    struct random_case *c = calloc(1, sizeof *c);
    random_case_make(c, seed, false);
    compare_engines(bed, &c->k, seed);
    random_case_destroy(c);
    free(c);
}

static const struct kernel_buffer buffer = {4096, NULL, false};

static void who_waits_is_woken_as_if_it_tried_every_cycle(void **state)
{
    (void)state;
    const struct kernel_launch launch = {"k", 8, 128};
    const struct kernel_case around = {"k.ptx", around_l1d, &buffer, 1, &launch, 1, 0};
    for (size_t b = 0; b < sizeof beds / sizeof beds[0]; b++) {
        compare_engines(&beds[b], &around, 0);
        for (uint64_t seed = 1; seed <= N_KERNELS; seed++)
            compare_engines_randomly(&beds[b], seed);
    }
}

static const struct kernel_buffer gathered = {8192 + 4, NULL, false};

static void a_gather_is_as_if_it_tried_every_cycle(void **state)
{
    (void)state;
    const struct kernel_launch launch = {"k", 8, 96};
    const struct kernel_case k = {"k.ptx", gathers, &gathered, 1, &launch, 1, 0};
    for (size_t b = 0; b < sizeof gather_beds / sizeof gather_beds[0]; b++)
        compare_engines(&gather_beds[b], &k, 0);
    static const struct testbed keeps = {
        "clean lines", "gtx480", {LATE, "l1d.write_back=true", "l1d.write_allocate=true"}};
    const struct kernel_case spilling = {"k.ptx", spills, &gathered, 1, &launch, 1, 0};
    compare_engines(&keeps, &spilling, 0);
    /* Data come in the cycle for which a request was sent ahead, whose place a dirty line needs. */
    static const struct testbed pushes = {"places for dirty lines",
                                          "gtx480",
                                          {FEW_LINES, "sm.miss_queue=1", "l1d.write_back=true",
                                           "l1d.write_allocate=true", "noc.flits_per_cycle_up=2",
                                           "l1d.allocate_on_fill=false"}};
    compare_engines(&pushes, &spilling, 0);
    /* CTAs start while lanes of others hit, again and again. */
    static const struct testbed starts = {
        "CTAs",
        "gtx480",
        {"n_sms=1", "ctas_per_sm=3", "memory.n_partitions=2", "l1d.sector_bytes=32"}};
    const struct kernel_launch many = {"k", 60, 96};
    const struct kernel_case hitting = {"k.ptx", gathers, &gathered, 1, &many, 1, 0};
    compare_engines(&starts, &hitting, 0);
}

static const struct kernel_buffer followed = {16384, NULL, false};

static void data_before_a_turn_are_as_if_that_was_waited_for(void **state)
{
    (void)state;
    const struct kernel_launch launch = {"k", 12, 64};
    const struct kernel_case k = {"k.ptx", follows, &followed, 1, &launch, 1, 0};
    for (size_t b = 0; b < sizeof follow_beds / sizeof follow_beds[0]; b++)
        compare_engines(&follow_beds[b], &k, 0);
}

/* Three gathers in a row, of lines that others of the CTA use too and that a small L1D holds only
 * for a while: an access that finds that its warp has lost a line may let that warp issue the
 * next. */
static const char rows[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<9>; .reg .b64 %a, %b, %c, %d;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; shl.b32 %r6, %r6, 10;\n"
    "mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 260, %r1; and.b32 %r2, %r2, 4092; add.u32 %r2, %r2, %r6;\n"
    "and.b32 %r2, %r2, 8188; cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "xor.b32 %r2, %r2, 512; cvt.u64.u32 %c, %r2; add.u64 %c, %a, %c;\n"
    "xor.b32 %r2, %r2, 256; cvt.u64.u32 %d, %r2; add.u64 %d, %a, %d;\n"
    "ld.global.u32 %r3, [%b]; ld.global.u32 %r5, [%c]; ld.global.u32 %r7, [%d];\n"
    "add.u32 %r4, %r3, %r4; add.u32 %r4, %r5, %r4; add.u32 %r4, %r7, %r4;\n"
    "add.u32 %r1, %r1, 68; setp.lt.u32 %q, %r1, 1500; @%q bra L; ret; }\n";

#define LOST "n_sms=1", "memory.n_partitions=2", "scheduler=ccws_authors"

static const struct testbed lost_beds[] = {
    {"two ways of lost lines", "gtx480", {LOST, "l1d.n_sets=4", "l1d.n_ways=2"}},
    {"two ways of lost lines, and MSHRs",
     "gtx480",
     {LOST, "l1d.n_sets=4", "l1d.n_ways=2", "l1d.n_mshrs=8", "sm.n_schedulers=1"}},
    {"four ways of lost lines",
     "gtx480",
     {LOST, "l1d.n_sets=8", "l1d.n_ways=4", "sm.n_schedulers=2"}},
};

static void who_hears_of_lost_lines_is_asked_at_once(void **state)
{
    (void)state;
    const struct kernel_launch launch = {"k", 8, 96};
    const struct kernel_case k = {"k.ptx", rows, &gathered, 1, &launch, 1, 0};
    for (size_t b = 0; b < sizeof lost_beds / sizeof lost_beds[0]; b++)
        compare_engines(&lost_beds[b], &k, 0);
}

static const char *statistics_of(const struct strbuf *observed)
{
    const char *at = strstr(strbuf_text(observed), "\ncycles = ");
    assert_non_null(at);
    return at;
}

static void compare_cut_off(const struct testbed *bed, const struct kernel_case *k)
{
    struct strbuf skipped = {0}, stepped = {0}, why = {0};
    assert_int_equal(observe_kernel(k, bed, &plain, &stepped), HEDDLE_KERNEL_FAULT);
    assert_int_equal(observe_kernel(k, bed, &skip, &skipped), HEDDLE_KERNEL_FAULT);
    if (!observations_agree(&stepped, &skipped, &why))
        fail_msg("'%s', cut off after %llu cycles:\n%s", bed->name,
                 (unsigned long long)k->max_cycles, strbuf_text(&why));
    strbuf_destroy(&why);
    strbuf_destroy(&skipped);
    strbuf_destroy(&stepped);
}

/* What L2 or an SM does ahead of time must not be counted or reported before its time. */
static void who_is_cut_off_has_counted_as_if_it_did_every_cycle(void **state)
{
    (void)state;
    static const struct testbed bed = {"nothing", "gtx480", {SMALL}};
    const struct kernel_launch launch = {"k", 4, 64};
    for (uint64_t cycles = 1000; cycles < 5000; cycles += 211) {
        struct kernel_case k = {"k.ptx", around_l1d, &buffer, 1, &launch, 1, cycles};
        compare_cut_off(&bed, &k);
        k.ptx = gathers;
        k.buffers = &gathered;
        compare_cut_off(&gather_beds[0], &k);
        compare_cut_off(&bed, &k); /* its lanes hit */
        k.ptx = follows;
        k.buffers = &followed;
        compare_cut_off(&follow_beds[0], &k);
    }
    /* An SM has foreseen that its next access will wait, from that cycle on. */
    const struct kernel_case foreseen = {"k.ptx", gathers, &gathered, 1, &launch, 1, 3821};
    compare_cut_off(&gather_beds[0], &foreseen);
}

/* A progress function is called every 4096th cycle. */
static void compare_stopped(const struct testbed *bed, const struct kernel_case *k, uint64_t cycle)
{
    struct strbuf cut = {0}, stepped = {0}, skipped = {0};
    struct kernel_case limited = *k;
    limited.max_cycles = cycle;
    assert_int_equal(observe_kernel(&limited, bed, &skip, &cut), HEDDLE_KERNEL_FAULT);
    assert_int_equal(observe_stopped(k, cycle, bed, &skip, &skipped), HEDDLE_STOPPED);
    assert_int_equal(observe_stopped(k, cycle - 1, bed, &plain, &stepped), HEDDLE_STOPPED);
    assert_string_equal(statistics_of(&skipped), statistics_of(&cut));
    assert_string_equal(statistics_of(&stepped), statistics_of(&cut));
    strbuf_destroy(&cut);
    strbuf_destroy(&stepped);
    strbuf_destroy(&skipped);
}

static void who_is_stopped_has_counted_as_if_that_were_the_limit(void **state)
{
    (void)state;
    const struct kernel_launch launch = {"k", 8, 96};
    const struct kernel_case k = {"k.ptx", gathers, &gathered, 1, &launch, 1, 0};
    for (size_t b = 0; b < sizeof gather_beds / sizeof gather_beds[0]; b++) {
        compare_stopped(&gather_beds[b], &k, 4096);
        compare_stopped(&gather_beds[b], &k, 8192);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_is_woken_as_if_it_tried_every_cycle),
        cmocka_unit_test(a_gather_is_as_if_it_tried_every_cycle),
        cmocka_unit_test(data_before_a_turn_are_as_if_that_was_waited_for),
        cmocka_unit_test(who_hears_of_lost_lines_is_asked_at_once),
        cmocka_unit_test(who_is_cut_off_has_counted_as_if_it_did_every_cycle),
        cmocka_unit_test(who_is_stopped_has_counted_as_if_that_were_the_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
