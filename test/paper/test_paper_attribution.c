/* S3 (S.-Y. Lee, PhD thesis, Arizona State University 2017), sections 3.2.1 and 3.2.2, Algorithms 1
 * and 2, sentence by sentence, in charts of a letter a cycle that follow from the text and from the
 * latencies that the header states. */
#include "behaviour/probe/attribution_chart.h"

static const char moves[] = "mov.u32 %x, 1;\nmov.u32 %y, 2;\nmov.u32 %z, 3;\n"
                            "add.u32 %x, %x, %y;\nadd.u32 %x, %x, %z;\nret;\n";

/* 3.2.1: "if there are 48 active warps in the warp pool, the RR warp scheduler will iterate over
 * the 48 warps cycle-by-cycle ... up to 47 cycles delay". Here four warps, three cycles. Algorithm
 * 1: the visits of a cycle end with the warp that issues (cycles 1 to 16); in cycles 17 and 18 none
 * is ready, and all are visited. */
static void a_warp_of_n_waits_for_n_minus_1_others(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=lrr"), moves, "F    X SSS X SSS X SSS X SSS DD     X SSS DD     X",
          "F S  X SSS X SSS X SSS X SS  DD S   X SS  DD S   X",
          "F SS X SSS X SSS X SSS X S   DD SS  X S   DD SS  X",
          "F SSSX SSS X SSS X SSS X     DD SSS X     DD SSS X");
}

/* Algorithm 2, lines 3 to 5, as printed: the time "when a warp is checked" less that of its last
 * check. Warp 0 above is checked in cycles 0, 1, 5, 9, 13, 17, 18, 19, 23, 24 and 25; each check
 * has its own cause besides. */
static void scheduling_as_printed_is_the_time_between_checks(void **state)
{
    (void)state;
    struct probe p = open_chart(SETTINGS("scheduler=lrr", "sm.scheduling_delay=printed"), moves, 0);
    probe_launch(&p, "chart", 1, 4 * 32, 0, NULL);
    machine_sm(p.sim->machine, 0)->fetch.last = 3;
    listen_to(&p);
    probe_launch(&p, "chart", 1, 4 * 32, 0, NULL);
    assert_int_equal(chart.counted[0][LATENCY_SCHEDULING], 1 + 1 + 4 * 4 + 1 + 1 + 4 + 1 + 1);
    assert_int_equal(chart.counted[0][LATENCY_FETCH], 1);
    assert_int_equal(chart.counted[0][LATENCY_DATA_HAZARD], 4);
    assert_int_equal(chart.counted[0][LATENCY_EXEC], 6);
    probe_close(&p);
}

/* "the monitoring function investigates the stall factors sequentially". Line 6 before line 8: the
 * buffers hold one instruction, so that of a warp at the barrier is empty. Warp 0 gets there in
 * cycle 1, warp 1, which opens it, in cycle 2. */
static void a_barrier_comes_before_an_empty_buffer(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto", "sm.fetch_insts=1", "sm.ibuffer_entries=1"),
          "bar.sync 0;\nret;\n", "F X B X", "F S X F X");
}

/* Line 8 before line 12: buffers of one instruction are filled in turn, that of warp 0 in cycles 0,
 * 4 and 8. In cycles 2 to 4 the addition is not in it, and the operand not there either until cycle
 * 6; in cycles 7 and 8 the return, which waits for the sum. */
static void an_empty_buffer_comes_before_a_data_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto", "sm.fetch_insts=1", "sm.ibuffer_entries=1"),
          "mov.u32 %x, 1;\nadd.u32 %z, %x, 1;\nret;\n", "F X FFF D X FF DDD X",
          "F S X FFF S X FF DD S X", "F SS X FF SS X FF D SS X", "F SSS X FF SS X FF D SS X");
}

/* Line 12 before line 23: one SFU that takes an instruction every 64 cycles, and one collector. In
 * cycle 7 the second instruction finds the collector taken, but it waits for the result of the
 * first until cycle 9. Then it sits in the collector until cycle 72, and the third one, which has
 * its operand, waits for that. */
static void a_data_hazard_comes_before_a_structural_one(void **state)
{
    (void)state;
    CHART(SETTINGS("sm.n_sfu_units=1", "sm.sfu_collectors=1", "sm.sfu_latency=1",
                   "sm.sfu_interval=64"),
          "mov.f32 %a, 0f3F800000;\nex2.approx.f32 %b, %a;\nex2.approx.f32 %c, %b;\n"
          "ex2.approx.f32 %d, %b;\nfma.rn.f32 %a, %b, %c, %d;\nret;\n",
          "F X D4 X DD X U62 X D64 X D6 X");
}

/* "I attribute only the first stall cycle to the data hazard factor and any additional, subsequent
 * stall cycle(s) to the data cache miss factor" (lines 13 to 19). L1D sees the load in cycle 8: in
 * cycle 7 the addition waits for a load that may still hit. */
static void the_first_stall_cycle_on_a_miss_is_a_data_hazard(void **state)
{
    (void)state;
    CHART(NULL, "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nadd.u32 %y, %x, 1;\nret;\n",
          "F X D4 X D  D M117  X D5 X");
}

/* The same of each load: the second one of this warp has a first cycle of its own, when the first
 * has come (line 14: another address is pending). */
static void each_load_has_a_first_cycle(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
          "add.u32 %z, %x, %y;\nret;\n",
          "F X D4 X X  D M117  D M117  X D5 X");
}

/* "If there is no following dependent instruction on a previous load cache miss ..., this latency
 * attribution algorithm does not attribute any stall cycle for this data cache miss." What is
 * loaded would be stored behind a branch that is not taken. The return waits for it (Sync), but
 * depends on nothing. */
static void a_miss_that_nothing_depends_on_is_no_stall_cycle(void **state)
{
    (void)state;
    CHART(NULL,
          ".reg .pred %q;\nmov.u64 %p, data;\nld.global.u32 %x, [%p];\nmov.u32 %y, 1;\n"
          "setp.eq.u32 %q, %y, 0;\n@%q bra L;\nret;\nL:\nst.global.u32 [%p], %x;\nret;\n",
          "F X D4 X X D4 X D5 X B107 X");
}

/* 3.2.1: "Memory load and store instructions can experience additional stall cycles if the miss
 * status holding registers (MSHRs) ... are highly contended." Algorithm 2 has no line for it. The
 * unit holds one instruction: the second load enters it in cycle 8, L1D sees it in cycle 10, and it
 * waits there for the MSHR of the first until cycle 126. The store waits for the unit: by line 23 a
 * structural hazard, by this sentence for the MSHR, while the unit does. */
static const char store_behind_loads[] =
    "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
    "st.global.u32 [%p + 256], 1;\nadd.u32 %z, %x, %y;\nret;\n";

static void a_full_load_store_unit_is_a_structural_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1", "sm.ldst_queue=1"), store_behind_loads,
          "F X D4 X U X U117 X D M116 X D5 X");
}

static void or_a_wait_for_the_mshr_that_the_unit_waits_for(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1", "sm.ldst_queue=1", "sm.mshr_delay=unit"), store_behind_loads,
          "F X D4 X U X U R116 X D M116 X D5 X");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_of_n_waits_for_n_minus_1_others),
        cmocka_unit_test(scheduling_as_printed_is_the_time_between_checks),
        cmocka_unit_test(a_barrier_comes_before_an_empty_buffer),
        cmocka_unit_test(an_empty_buffer_comes_before_a_data_hazard),
        cmocka_unit_test(a_data_hazard_comes_before_a_structural_one),
        cmocka_unit_test(the_first_stall_cycle_on_a_miss_is_a_data_hazard),
        cmocka_unit_test(each_load_has_a_first_cycle),
        cmocka_unit_test(a_miss_that_nothing_depends_on_is_no_stall_cycle),
        cmocka_unit_test(a_full_load_store_unit_is_a_structural_hazard),
        cmocka_unit_test(or_a_wait_for_the_mshr_that_the_unit_waits_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
