/* Kernels that never end, or go wrong, are reported: the same words whatever the quantum and the
 * engine, with the place in the program, and status 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/testbeds.h"

static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, quantum 1", .quantum = 1},
    {.name = "skip, longest quantum, 3 threads", .threads = 3},
    {.name = "cycle, quantum 2", .every_cycle = true, .quantum = 2},
};

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".entry k(.param .u64 p)\n{ .reg .pred %p; .reg .b32 %v, %t; .reg .b64 %a;\n"                  \
    "ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"

/* Every part must be in the report, which must not depend on how the run is carried out. */
static void expect_report(const char *ptx, uint32_t grid, uint32_t block, uint64_t max_cycles,
                          const char *const *parts)
{
    const struct kernel_buffer buffer = {256, NULL, false};
    const struct kernel_launch launch = {"k", grid, block};
    struct kernel_case k = {"bad.ptx", ptx, &buffer, 1, &launch, 1, max_cycles};
    for (uint32_t b = 0; b < N_TESTBEDS; b++) {
        struct strbuf first = {0}, other = {0}, why = {0};
        assert_int_equal(observe_kernel(&k, &testbeds[b], &manners[0], &first),
                         HEDDLE_KERNEL_FAULT);
        for (uint32_t i = 0; parts[i]; i++)
            if (!strstr(strbuf_text(&first), parts[i]))
                fail_msg("no '%s' in:\n%s", parts[i], strbuf_text(&first));
        for (uint32_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
            strbuf_clear(&other);
            observe_kernel(&k, &testbeds[b], &manners[i], &other);
            if (!observations_agree(&first, &other, &why))
                fail_msg("'%s', %s:\n%s", testbeds[b].name, manners[i].name, strbuf_text(&why));
        }
        strbuf_destroy(&first);
        strbuf_destroy(&other);
        strbuf_destroy(&why);
    }
}

static void warps_at_different_barriers_are_a_deadlock(void **state)
{
    (void)state;
    expect_report(HEAD "setp.lt.u32 %p, %t, 32;\n"
                       "@%p bra FIRST;\n"
                       "bar.sync 1, 64;\n"
                       "bra END;\n"
                       "FIRST:\n"
                       "bar.sync 2, 64;\n"
                       "END: ret; }\n",
                  1, 64, 0,
                  (const char *const[]){
                      "deadlock: nothing can happen any more\n  in kernel 'k', "
                      "bad.ptx:12: bar.sync 2, 64;\n  CTA 0,0,0, thread 0,0,0 (warp 0, lane 0)\n  "
                      "who waits for what:\n    SM 0: ",
                      "\n      warp 0 (CTA 0, warp 0 of it) waits at barrier 2, where 1 of 2 warps "
                      "have arrived, bad.ptx:12: bar.sync 2, 64;\n",
                      "\n      warp 1 (CTA 0, warp 1 of it) waits at barrier 1, where 1 of 2 warps "
                      "have arrived, bad.ptx:9: bar.sync 1, 64;\n",
                      "\n      L1D: 0 of ", "\n    dispatcher: 0 of 1 CTAs have ended", NULL});
}

static void warps_that_do_the_same_are_told_in_one_line(void **state)
{
    (void)state;
    expect_report(HEAD "setp.ge.u32 %p, %t, 96; @%p ret;\nbar.sync 1, 128;\nret; }\n", 1, 128, 0,
                  (const char *const[]){
                      "\n      warp 0 (CTA 0, warp 0 of it; 2 others on this SM likewise) waits at "
                      "barrier 1, where 3 of 4 warps have arrived, bad.ptx:8: bar.sync 1, 128;\n"
                      "      L1D: ",
                      NULL});
}

static void a_spin_is_stopped_and_its_line_is_named(void **state)
{
    (void)state;
    expect_report(HEAD "AGAIN: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; "
                       "@%p bra AGAIN;\n"
                       "ret; }\n",
                  1, 64, 20000,
                  (const char *const[]){"stopped after 20000 cycles (--max-cycles)",
                                        "in kernel 'k', bad.ptx:7: ", "CTA 0,0,0, thread ",
                                        "who was doing what:\n    SM 0: ", "\ncycles = 20000\n",
                                        "\nelapsed_cycles = 20000\n", NULL});
}

static void a_lock_held_by_a_waiting_lane_is_called_a_livelock(void **state)
{
    (void)state;
    expect_report(
        HEAD "AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; "
             "@%p bra AGAIN;\n"
             "atom.global.exch.b32 %v, [%a], 0;\n"
             "ret; }\n",
        1, 64, 20000,
        (const char *const[]){"bad.ptx:7: ", "of its lanes wait at the reconvergence point",
                              "never ends on machines with a SIMT stack", NULL});
}

/* What a kernel is warned of that runs for so long. */
static void expect_warning(const char *ptx, uint64_t cycles, const char *warning)
{
    static const struct testbed bed = {
        "small", "gtx480", {"n_sms=1", "memory.n_partitions=1", NULL}};
    const struct kernel_buffer buffer = {256, NULL, false};
    const struct kernel_launch launch = {"k", 1, 256};
    struct kernel_case k = {"spin.ptx", ptx, &buffer, 1, &launch, 1, cycles};
    struct strbuf first = {0}, other = {0}, why = {0};
    observe_kernel(&k, &bed, &manners[0], &first);
    const char *found = strstr(strbuf_text(&first), "seems to spin");
    if (!found != !warning || (found && !strstr(found, warning)))
        fail_msg("%s\n  but not:\n%s", warning ? warning : "no warning", strbuf_text(&first));
    if (warning)
        observe_kernel(&k, &bed, &manners[3], &other);
    if (warning && !observations_agree(&first, &other, &why))
        fail_msg("%s:\n%s", manners[3].name, strbuf_text(&why));
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
}

/* Millions of cycles in a row without anything new, and not a few too early. */
enum { SPIN_CYCLES = 3400000, SHORT_CYCLES = 3000000 };

#define SPIN                                                                                       \
    HEAD "AGAIN: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN;\nret; }\n"

static void a_spin_is_warned_of_without_a_limit_of_its_own(void **state)
{
    (void)state;
    expect_warning(SPIN, SPIN_CYCLES, "in kernel 'k', spin.ptx:7: ");
    expect_warning(SPIN, SHORT_CYCLES, NULL);
    expect_warning(HEAD "AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; "
                        "@%p bra AGAIN;\natom.global.exch.b32 %v, [%a], 0;\nret; }\n",
                   SPIN_CYCLES, "of its lanes wait at the reconvergence point");
}

/* Greedy-then-oldest never chooses the youngest warps while older ones keep the only place of the
 * load/store unit full: here they spin for a lock that a young one holds. It is named. */
static void a_starved_warp_is_named(void **state)
{
    (void)state;
    static const struct testbed bed = {
        "one place in the load/store unit",
        "gtx480",
        {"n_sms=1", "sm.ldst_queue=1", "atomics.unit=atom_dir", "atomics.queue=1", NULL}};
    static const char ptx[] = /* 1 = the lock is free; the last warp has it from the start */
        HEAD ".shared .b32 s; and.b32 %v, %t, 31; setp.ne.u32 %p, %v, 0; @%p ret;\n"
             "setp.ge.u32 %p, %t, 992; @%p bra HAS;\n"
             "AGAIN: ld.volatile.shared.u32 %v, [s];\n"
             "atom.global.cas.b32 %v, [%a], 1, 2; setp.ne.u32 %p, %v, 1; @%p bra AGAIN;\n"
             "HAS: ld.volatile.global.u32 %v, [%a+128]; add.u32 %v, %v, 1;\n"
             "st.volatile.global.u32 [%a+128], %v;\n"
             "membar.gl; atom.global.exch.b32 %v, [%a], 1;\n"
             "ret; }\n";
    const struct kernel_buffer buffer = {256, NULL, false};
    const struct kernel_launch launch = {"k", 1, 1024};
    struct kernel_case k = {"lock.ptx", ptx, &buffer, 1, &launch, 1, SPIN_CYCLES};
    struct strbuf first = {0}, other = {0}, why = {0};
    observe_kernel(&k, &bed, &manners[0], &first);
    const char *found = strstr(strbuf_text(&first), "were not chosen by 'gto'");
    if (!found || !strstr(found, "  in kernel 'k', lock.ptx:12: st.volatile"))
        fail_msg("no starved warp in:\n%s", strbuf_text(&first));
    observe_kernel(&k, &bed, &manners[3], &other);
    if (!observations_agree(&first, &other, &why))
        fail_msg("%s:\n%s", manners[3].name, strbuf_text(&why));
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
}

/* One warp waits at a barrier, the others count, in a register or in memory; or all take turns at a
 * lock, and the holder counts: most of them spin most of the time. */
static void work_is_not_taken_for_a_spin(void **state)
{
    (void)state;
#define ONE_WORKS "setp.lt.u32 %p, %t, 32; @%p bra END;\nmov.u32 %v, 0;\n"
    expect_warning(HEAD ONE_WORKS "AGAIN: add.u32 %v, %v, 1; setp.ne.u32 %p, %v, 0; @%p bra "
                                  "AGAIN;\nEND: bar.sync 0; ret; }\n",
                   SPIN_CYCLES, NULL);
    expect_warning(HEAD ONE_WORKS "AGAIN: red.global.add.u32 [%a], 1; ld.volatile.global.u32 %v, "
                                  "[%a+128]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN;\n"
                                  "END: bar.sync 0; ret; }\n",
                   SPIN_CYCLES, NULL);
    expect_warning(HEAD "mov.u32 %v, %laneid; setp.ne.u32 %p, %v, 0; @%p ret;\n"
                        "AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; "
                        "@%p bra AGAIN;\n"
                        "WORK: add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 5000; @%p bra WORK;\n"
                        "atom.global.exch.b32 %v, [%a], 0; bra AGAIN; }\n",
                   SPIN_CYCLES, NULL);
}

/* No instruction twice, no register that changes. */
static void a_long_way_is_not_taken_for_a_spin(void **state)
{
    (void)state;
    struct strbuf ptx = {0};
    strbuf_add(&ptx, HEAD);
    for (uint32_t i = 0; i < SPIN_CYCLES / 120; i++)
        strbuf_add(&ptx, "ld.volatile.global.u32 %v, [%a];\n");
    strbuf_add(&ptx, "ret; }\n");
    expect_warning(strbuf_text(&ptx), SPIN_CYCLES, NULL);
    strbuf_destroy(&ptx);
}

/* Which CTA is the first to get there depends on the machine. */
static void a_bad_access_is_reported_alike(void **state)
{
    (void)state;
    expect_report(
        HEAD "mad.lo.u32 %v, %t, 8, 0; cvt.u64.u32 %a, %v;\n"
             "st.global.u32 [%a], %v;\n"
             "ret; }\n",
        7, 64, 0,
        (const char *const[]){"bad access", "bad.ptx:8", ",0,0, thread 0,0,0 (warp 0", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_at_different_barriers_are_a_deadlock),
        cmocka_unit_test(warps_that_do_the_same_are_told_in_one_line),
        cmocka_unit_test(a_spin_is_stopped_and_its_line_is_named),
        cmocka_unit_test(a_lock_held_by_a_waiting_lane_is_called_a_livelock),
        cmocka_unit_test(a_spin_is_warned_of_without_a_limit_of_its_own),
        cmocka_unit_test(a_starved_warp_is_named),
        cmocka_unit_test(work_is_not_taken_for_a_spin),
        cmocka_unit_test(a_long_way_is_not_taken_for_a_spin),
        cmocka_unit_test(a_bad_access_is_reported_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
