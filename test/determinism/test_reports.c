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
    {"skip, longest quantum", false, 0, NULL, false, 0},
    {"skip, quantum 1", false, 1, NULL, false, 0},
    {"skip, longest quantum, 3 threads", false, 0, NULL, false, 3},
    {"cycle, quantum 2", true, 2, NULL, false, 0},
};

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".entry k(.param .u64 p)\n{ .reg .pred %p; .reg .b32 %v, %t; .reg .b64 %a;\n"                  \
    "ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"

/* Every part must be in the report, which must not depend on how the run is carried out. */
static void expect_report(const char *ptx, uint32_t grid, uint64_t max_cycles,
                          const char *const *parts)
{
    const struct kernel_buffer buffer = {256, NULL, false};
    const struct kernel_launch launch = {"k", grid, 64};
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
                  1, 0,
                  (const char *const[]){"deadlock", "waits at a barrier", "at line 9\n",
                                        "at line 12\n", NULL});
}

static void a_spin_is_stopped_and_its_line_is_named(void **state)
{
    (void)state;
    expect_report(HEAD "AGAIN: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; "
                       "@%p bra AGAIN;\n"
                       "ret; }\n",
                  1, 20000, (const char *const[]){"limit of cycles", "at line 7", NULL});
}

static void a_lock_held_by_a_waiting_lane_is_called_a_livelock(void **state)
{
    (void)state;
    expect_report(HEAD "AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; "
                       "@%p bra AGAIN;\n"
                       "atom.global.exch.b32 %v, [%a], 0;\n"
                       "ret; }\n",
                  1, 20000,
                  (const char *const[]){"at line 7", "of its lanes wait where the paths meet again",
                                        "never ends on machines with a SIMT stack", NULL});
}

/* Which CTA is the first to get there depends on the machine. */
static void a_bad_access_is_reported_alike(void **state)
{
    (void)state;
    expect_report(
        HEAD "mad.lo.u32 %v, %t, 8, 0; cvt.u64.u32 %a, %v;\n"
             "st.global.u32 [%a], %v;\n"
             "ret; }\n",
        7, 0, (const char *const[]){"bad access", "bad.ptx:8", ",0,0, thread 0,0,0 (warp 0", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_at_different_barriers_are_a_deadlock),
        cmocka_unit_test(a_spin_is_stopped_and_its_line_is_named),
        cmocka_unit_test(a_lock_held_by_a_waiting_lane_is_called_a_livelock),
        cmocka_unit_test(a_bad_access_is_reported_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
