/* Where the cycles of warps go, cycle by cycle: charts (attribution_chart.h) of what each hazard
 * looks like. What S3 says about it is in test/paper/test_paper_attribution.c. */
#include "attribution_chart.h"

/* Each warp issues in turn, and is looked at only then; in cycle 9, and while all wait for the
 * additions, every warp is looked at. */
static void lrr_looks_at_one_warp_while_all_are_ready(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=lrr"),
          "mov.u32 %x, 1;\nmov.u32 %y, 2;\nadd.u32 %z, %x, %y;\nadd.u32 %z, %z, %x;\nret;\n",
          /*  a      b      c        d         e */
          "F    X SSS X SSS D     X SSS DD     X SSS DD     X",
          "F S  X SSS X SS  D S   X SS  DD S   X SS  DD S   X",
          "F SS X SSS X S   D SS  X S   DD SS  X S   DD SS  X",
          "F SSSX SSS X     D SSS X     DD SSS X     DD SSS X");
}

/* Greedy then oldest looks at the greedy warp first, then from the oldest on. Warp 2 opens the
 * barrier in cycle 3 and issues alone. */
static void a_warp_at_a_barrier_is_in_sync(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto"), "bar.sync 0;\nret;\n", /* 0123456 */
          "F X B B S X",                                    /* w0 */
          "F S X B S S X",                                  /* w1 */
          "F S S X X");                                     /* w2 */
}

/* The branches of warps 0 to 2 empty their buffers while others still wait for their first
 * instructions; the target is fetched for when the round comes, for warp 0 in cycle 4. */
static void a_taken_branch_that_waits_for_its_fetch_is_a_control_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto"), "bra L;\nmov.u32 %x, 1;\nL:\nret;\n", "F X C C C X", /* w0 */
          "F S X C C S X",      /* w1: not looked at in cycle 5, when 0 issues */
          "F S S X C S S X",    /* w2 */
          "F S S S X C S S X"); /* w3, the greedy one, is looked at first in cycle 5 */
}

/* The same without a branch: the buffer holds one instruction, the next has to be fetched. */
static void a_buffer_that_runs_empty_is_fetch(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto", "sm.fetch_insts=1", "sm.ibuffer_entries=1"),
          "membar.cta;\nmembar.cta;\nret;\n", /* nothing to wait for */
          "F X F F F X F F F X", "F S X F F S X F F S X", "F S S X F S S X F S S X",
          "F S S S X F S S X F S S X");
}

/* One SFU with one operand collector, a new instruction every 4 cycles, results after 1: the first
 * leaves the collector after 2 cycles, the second has to wait for the unit there. The fma waits for
 * the third, the return 7 cycles for the fma. */
static void an_instruction_without_a_unit_is_a_structural_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("sm.n_sfu_units=1", "sm.sfu_collectors=1", "sm.sfu_latency=1",
                   "sm.sfu_interval=4"),
          "mov.f32 %a, 0f3F800000;\nex2.approx.f32 %b, %a;\nex2.approx.f32 %c, %a;\n"
          "ex2.approx.f32 %d, %a;\nfma.rn.f32 %a, %b, %c, %d;\nret;\n",
          "F X D4 X U X UUU X D4 X D6 X");
}

/* Two schedulers and one SFU: the barrier releases both warps at once, and the second finds the
 * collector taken by the first in the same cycle. Warp 1 is visited in cycle 1 too, by a scheduler
 * that has no other. */
static void schedulers_compete_for_a_unit(void **state)
{
    (void)state;
    CHART(SETTINGS("sm.n_schedulers=2", "sm.n_sfu_units=1", "sm.sfu_collectors=1",
                   "sm.sfu_latency=1", "sm.sfu_interval=4"),
          "bar.sync 0;\nmov.f32 %a, 0f3F800000;\nex2.approx.f32 %b, %a;\nret;\n",
          "F X B X D4 X D D X", "F F X X D4 U U X D4 X");
}

/* The load is issued in cycle 6; L1D sees it in cycle 8, so that is the first cycle on a load that
 * misses. Its data come in cycle 126. */
static void a_load_that_misses_is_a_data_hazard_once(void **state)
{
    (void)state;
    CHART(NULL, "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nadd.u32 %y, %x, 1;\nret;\n",
          "F X D4 X D D M117 X D5 X");
}

/* A return waits for all results, even for a load that nothing reads; in cycle 7 it is not known
 * yet that it misses. */
static void a_return_waits_for_loads_that_miss(void **state)
{
    (void)state;
    CHART(NULL, "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nret;\n", "F X D4 X D B118 X");
}

/* The second time the line is in L1D, here 22 cycles away: a data hazard to its end. */
static void a_load_that_hits_is_a_data_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("sm.l1d_latency=20"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nadd.u32 %x, %x, 1;\n"
          "ld.global.u32 %z, [%p];\nadd.u32 %z, %z, %x;\nret;\n",
          "F X D4 X D D M117 X  X D21 X D5 X");
}

/* The second load, seen by L1D in cycle 9, waits for the line that the first one requested. */
static void a_load_that_merges_misses_too(void **state)
{
    (void)state;
    CHART(NULL,
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 4];\n"
          "add.u32 %z, %y, %x;\nret;\n",
          "F X D4 X X D D M116 X D5 X");
}

/* One MSHR: the second load waits at L1D from cycle 9 until the first one's line comes in cycle
 * 126, then misses for the 118 cycles that are left of 120. In cycle 8 only the first one is known
 * to miss. */
static void a_load_that_waits_for_an_mshr(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
          "add.u32 %z, %y, %x;\nret;\n",
          "F X D4 X X D D R116 M118 X D5 X");
}

/* The same, waiting for the first load first; each load has its own first cycle. */
static void the_first_operand_that_misses_counts(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
          "add.u32 %z, %x, %y;\nret;\n",
          "F X D4 X X D M117 D M117 X D5 X");
}

/* A third load waits behind the second, as everything in the load/store unit does, and hits when
 * the second has been accepted: in cycle 127. The second addition waits for the second load. */
static void a_load_behind_one_that_waits_for_an_mshr(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
          "ld.global.u32 %z, [%p];\nadd.u32 %z, %z, %x;\nadd.u32 %z, %z, %y;\nret;\n",
          "F X D4 X X X D R116 D D X D M114 X D5 X");
}

/* A load that bypasses L1D finds the port taken, in cycles 9 and 10, by the two flits of the
 * store before it: that is part of its miss. It is sent in cycle 11 and brings two flits instead of
 * five: 1 + 12 + 1 + 73 + 10 + (1 + 12 + 2) = 112 cycles. */
static void a_load_that_waits_for_the_port_misses(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.policy=none"),
          "mov.u64 %p, data;\nst.global.u32 [%p], 1;\nld.global.u32 %x, [%p + 128];\n"
          "add.u32 %y, %x, 1;\nret;\n",
          "F X D4 X X D D M113 X D5 X");
}

/* Warp 1 could issue from cycle 2 on but is beyond the limit until warp 0 ends. */
static void a_warp_held_back_by_the_policy_waits_for_scheduling(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=swl", "scheduler.limit=1"),
          "mov.u32 %x, 1;\nmov.u32 %y, 2;\nadd.u32 %x, %x, %y;\nret;\n", "F X X D4 X D5 X",
          "F S13 X X D4 X D5 X");
}

/* A fence waits for the end of the visibility period in which the warp stored. */
static void a_fence_that_waits_is_in_sync(void **state)
{
    (void)state;
    const char *body = "mov.u64 %p, data;\nst.global.u32 [%p], 1;\nmembar.gl;\nret;\n";
    for (int every_cycle = 0; every_cycle < 2; every_cycle++) {
        struct probe p = open_chart(NULL, body, every_cycle);
        struct machine *m = p.sim->machine;
        uint64_t period = m->visibility / m->clocks[CLOCK_CORE].period;
        probe_launch(&p, "chart", 1, 32, 0, NULL);
        listen_to(&p);
        probe_launch(&p, "chart", 1, 32, 0, NULL);
        uint64_t store = chart.start + 6, fence = (store / period + 1) * period;
        assert_in_range(fence, store + 2, store + period);
        char text[64];
        snprintf(text, sizeof text, "F X D4 X B%d X X", (int)(fence - store - 1));
        expect_warp(0, text);
        probe_close(&p);
    }
}

/* A target outside the instruction cache: from the cycle after the branch on it is a fetch that
 * misses, no matter what caused it. Seventeen instructions fill a line and begin the next. */
static void a_branch_to_instructions_that_miss_is_fetch(void **state)
{
    (void)state;
    char body[512] = "bra L;\n";
    for (int i = 0; i < 17; i++)
        strcat(body, "mov.u32 %x, 1;\n");
    strcat(body, "L:\nret;\n");
    for (int every_cycle = 0; every_cycle < 2; every_cycle++) {
        struct probe p = open_chart(NULL, body, every_cycle);
        listen_to(&p);
        probe_launch(&p, "chart", 1, 32, 0, NULL);
        const char *at = chart.letters[0];
        for (int round = 0; round < 2; round++) {
            size_t n = strspn(at, "F");
            assert_in_range(n, 100, 400); /* L2 alone is 120 cycles away */
            assert_int_equal(at[n], 'X');
            at += n + 1;
        }
        assert_string_equal(at, "");
        probe_close(&p);
    }
}

/* A warp that is removed without another visit, which does not happen today: the time after the
 * last visit is Scheduling, and the categories still sum up. */
static void what_follows_the_last_visit_is_scheduling(void **state)
{
    (void)state;
    struct heddle_options o = {
        .struct_size = sizeof o, .timing = true, .attribute = true, .max_cycles = 60};
    struct probe p = {0};
    const char *text = ".version 6.0\n.target sm_30\n.address_size 64\n"
                       ".visible .entry chart()\n{\nL:\nbra L;\n}\n";
    assert_int_equal(heddle_create(&o, &p.sim), HEDDLE_OK);
    assert_int_equal(heddle_load(p.sim, HEDDLE_PTX, "chart", text, strlen(text), NULL, &p.module),
                     HEDDLE_OK);
    listen_to(&p);
    struct heddle_launch l = {.grid = {1}, .block = {32}};
    assert_int_equal(heddle_launch(p.sim, p.module, "chart", &l), HEDDLE_KERNEL_FAULT);
    struct sm *sm = machine_sm(p.sim->machine, 0);
    attribution_catch_up(sm, 60);
    uint64_t looked_at = 60 - chart.start;
    attribution_end(sm, 0, 69);
    assert_int_equal(attribution_stats(sm->attribution)->broken, 0);
    assert_int_equal(chart.counted[0][LATENCY_SCHEDULING], 10);
    assert_int_equal(chart.counted[0][LATENCY_FETCH], looked_at);
    probe_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_looks_at_one_warp_while_all_are_ready),
        cmocka_unit_test(a_warp_at_a_barrier_is_in_sync),
        cmocka_unit_test(a_taken_branch_that_waits_for_its_fetch_is_a_control_hazard),
        cmocka_unit_test(a_buffer_that_runs_empty_is_fetch),
        cmocka_unit_test(an_instruction_without_a_unit_is_a_structural_hazard),
        cmocka_unit_test(schedulers_compete_for_a_unit),
        cmocka_unit_test(a_load_that_misses_is_a_data_hazard_once),
        cmocka_unit_test(a_return_waits_for_loads_that_miss),
        cmocka_unit_test(a_load_that_hits_is_a_data_hazard),
        cmocka_unit_test(a_load_that_merges_misses_too),
        cmocka_unit_test(a_load_that_waits_for_an_mshr),
        cmocka_unit_test(the_first_operand_that_misses_counts),
        cmocka_unit_test(a_load_behind_one_that_waits_for_an_mshr),
        cmocka_unit_test(a_load_that_waits_for_the_port_misses),
        cmocka_unit_test(a_warp_held_back_by_the_policy_waits_for_scheduling),
        cmocka_unit_test(a_fence_that_waits_is_in_sync),
        cmocka_unit_test(a_branch_to_instructions_that_miss_is_fetch),
        cmocka_unit_test(what_follows_the_last_visit_is_scheduling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
