/* S3 (S.-Y. Lee, PhD thesis, Arizona State University 2017), sections 3.1 to 3.3, Algorithms 1 and
 * 2, sentence by sentence, in charts of a letter a cycle that follow from the text and from the
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

/* 3.2.1: "If an instruction is dependent on an older load instruction experiencing a cache miss":
 * also one that would write the register before the load does. */
static void an_overwritten_load_is_waited_for(void **state)
{
    (void)state;
    CHART(NULL, "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nmov.u32 %x, 1;\nret;\n",
          "F X D4 X D  D M117  X D4 X");
}

/* The same where the load is that of another register: the instruction reads %y, which is there,
 * and would write %x before the load does. */
static void an_overwritten_load_is_waited_for_by_a_reader(void **state)
{
    (void)state;
    CHART(NULL,
          "mov.u64 %p, data;\nmov.u32 %y, 1;\nld.global.u32 %x, [%p];\nadd.u32 %x, %y, 1;\nret;\n",
          "F X X D3 X D  D M117  X D5 X");
}

/* Draws a launch, as expect_chart() does, for tests that count. */
static void draw(const char *const *settings, const char *body, uint32_t n_warps)
{
    struct probe p = open_chart(settings, body, false);
    probe_launch(&p, "chart", 1, n_warps * 32, 0, NULL);
    machine_sm(p.sim->machine, 0)->fetch.last = n_warps - 1;
    listen_to(&p);
    probe_launch(&p, "chart", 1, n_warps * 32, 0, NULL);
    probe_close(&p);
}

/* The same for each load: the second one of this warp has its own first cycle, when the first has
 * arrived (line 14: another address is pending). */
static void each_load_has_a_first_cycle(void **state)
{
    (void)state;
    CHART(SETTINGS("l1d.n_mshrs=1"),
          "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nld.global.u32 %y, [%p + 128];\n"
          "add.u32 %z, %x, %y;\nret;\n",
          "F X D4 X X  D M117  D M117  X D5 X");
}

/* Also where one instruction loads twice, in a loop: the second round has a first stall cycle of
 * its own. The load issues (X), L1D sees it a cycle later (D), and the addition has its first stall
 * cycle on the miss (D). */
static void each_round_of_a_load_has_a_first_cycle(void **state)
{
    (void)state;
    draw(NULL,
         ".reg .pred %q;\nmov.u32 %z, 0;\nmov.u64 %p, data;\nL:\nld.global.u32 %x, [%p];\n"
         "add.u32 %y, %x, 1;\nadd.u64 %p, %p, 128;\nadd.u32 %z, %z, 1;\n"
         "setp.lt.u32 %q, %z, 2;\n@%q bra L;\nret;\n",
         1);
    const char *first = strchr(chart.letters[0], 'M'), *second;
    size_t length = strspn(first, "M");
    second = strchr(first + length, 'M');
    assert_memory_equal(first - 3, "XDD", 3);
    assert_memory_equal(second - 3, "XDD", 3);
    assert_int_equal(strspn(second, "M"), length);
}

/* "Experiencing a cache miss": a load that hits is none, though its record serves another load by
 * now that misses. L1D's hits take 40 cycles here. Warp 0 hits, and warp 1 misses with the same
 * instruction some cycles later; in the second kernel the same warp does, with another instruction.
 */
static void a_hit_is_no_miss_while_another_load_misses(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "ld.global.u32 %y, [%p];\nadd.u32 %y, %y, 1;\nbar.sync 0;\n@%q bra L;\n"
        "H:\nld.global.u32 %z, [%p];\nadd.u32 %z, %z, 1;\nret;\n"
        "L:\nadd.u64 %p, %p, 128;\nmembar.cta;\nbra H;\n",
        "ld.global.u32 %y, [%p];\nadd.u32 %y, %y, 1;\nbar.sync 0;\nld.global.u32 %z, [%p];\n"
        "membar.cta;\nmembar.cta;\nmembar.cta;\nmembar.cta;\nld.global.u32 %x, [%p + 128];\n"
        "add.u32 %z, %z, 1;\nret;\n"};
    for (int i = 0; i < 2; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 ".reg .pred %%q;\nmov.u32 %%x, %%tid.x;\nsetp.ge.u32 %%q, %%x, 32;\n"
                 "mov.u64 %%p, data;\n%s",
                 bodies[i]);
        draw(SETTINGS("scheduler=gto", "sm.l1d_latency=40"), body, 2);
        const char *misses = strchr(chart.letters[0], 'M'), *hit = misses + strspn(misses, "M");
        assert_null(strchr(hit, 'M'));
        assert_non_null(strstr(hit, "DDDDDDDDDDDDDDDDDDDDX"));
    }
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

/* 3.2.2: stall cycles "are attributed to the scheduling latency instead of structural hazards,
 * since the additional latencies are hidden by the warp scheduler". Warp 0 has two instructions for
 * one SFU with one collector, the others have none. Alone it waits a cycle for the collector; among
 * four warps in turn the collector is free again when its turn comes. */
static void a_stall_that_other_warps_hide_is_scheduling(void **state)
{
    (void)state;
    const char *const settings[] = {"scheduler=lrr",    "sm.n_sfu_units=1",  "sm.sfu_collectors=1",
                                    "sm.sfu_latency=1", "sm.sfu_interval=1", NULL};
    const char *body = ".reg .pred %q;\nmov.u32 %x, %tid.x;\nsetp.ge.u32 %q, %x, 32;\n"
                       "mov.f32 %a, 0f3F800000;\nbar.sync 0;\n@%q bra L;\n"
                       "ex2.approx.f32 %b, %a;\nex2.approx.f32 %c, %a;\nadd.f32 %d, %b, %c;\n"
                       "ret;\nL:\nmembar.cta;\nmembar.cta;\nmembar.cta;\nmembar.cta;\nret;\n";
    draw(settings, body, 1);
    assert_int_equal(chart.counted[0][LATENCY_STRUCTURAL_HAZARD], 1);
    assert_int_equal(chart.counted[0][LATENCY_SCHEDULING], 0);
    assert_non_null(strstr(chart.letters[0], "XUX"));
    draw(settings, body, 4);
    assert_int_equal(chart.counted[0][LATENCY_STRUCTURAL_HAZARD], 0);
    assert_non_null(strstr(chart.letters[0], "XSSSXSSSX"));
}

/* 3.2.1: "When a warp selected for execution has no valid instruction in its instruction buffer,
 * additional latency penalty is paid due to the empty instruction buffer caused by instruction
 * cache misses." A line has 16 instructions, the 17th is in the next; L2 is 120 cycles away, DRAM
 * farther. In the second launch both lines are there. */
static void an_instruction_cache_miss_is_fetch(void **state)
{
    (void)state;
    char body[512] = "";
    for (int i = 0; i < 16; i++)
        strcat(body, "membar.cta;\n"); /* nothing to wait for */
    strcat(body, "ret;\n");
    struct probe p = open_chart(NULL, body, false);
    listen_to(&p);
    probe_launch(&p, "chart", 1, 32, 0, NULL);
    const char *second = chart.letters[0] + strspn(chart.letters[0], "F");
    assert_in_range(second - chart.letters[0], 120, 400);
    assert_int_equal(strspn(second, "X"), 16);
    assert_in_range(strspn(second + 16, "F"), 120, 400);
    assert_string_equal(second + 16 + strspn(second + 16, "F"), "X");
    probe_close(&p);
    CHART(NULL, body, "F X17");
}

/* The same where control goes: the line of a branch target has to come first. */
static void a_branch_target_that_misses_is_fetch(void **state)
{
    (void)state;
    char body[512] = "bra L;\n";
    for (int i = 0; i < 16; i++)
        strcat(body, "membar.cta;\n");
    strcat(body, "L:\nret;\n");
    struct probe p = open_chart(NULL, body, false);
    listen_to(&p);
    probe_launch(&p, "chart", 1, 32, 0, NULL);
    const char *branch = chart.letters[0] + strspn(chart.letters[0], "F");
    assert_int_equal(*branch, 'X');
    assert_in_range(strspn(branch + 1, "F"), 120, 400);
    assert_string_equal(branch + 1 + strspn(branch + 1, "F"), "X");
    probe_close(&p);
}

/* 3.2.1: "if a branch ... falls onto the *taken* path for a particular warp, ... the particular
 * warp then has to spend additional cycle(s)" (lines 10 and 11). Fetch brings the target when the
 * turn of the warp comes: cycle 0 is for warp 0, cycle 1 for warp 1, cycles 2 and 3 are for the
 * targets. A branch that is not taken costs nothing. Nor does one of a lone warp, against S3: fetch
 * follows the branch at once (doc/attribution.md). */
static void a_taken_branch_is_a_control_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto"), "bra L;\nmembar.cta;\nL:\nret;\n", "F X C X", "F S X C X");
    CHART(SETTINGS("scheduler=gto"),
          ".reg .pred %q;\nsetp.eq.u32 %q, 1, 0;\n@%q bra L;\nmembar.cta;\nL:\nret;\n",
          "F X D4 X X X", "F S X D4 SS X X X");
    CHART(NULL, "bra L;\nmembar.cta;\nL:\nret;\n", "F X X");
}

/* Backward too. Warp 0 branches in cycle 1 and its target, fetched in cycle 2, branches back: each
 * warp has one cycle of Fetch, at its start, and all other cycles without an instruction are those
 * of taken branches. */
static void a_branch_backward_is_a_control_hazard_too(void **state)
{
    (void)state;
    draw(SETTINGS("scheduler=gto"), "bra M;\nL:\nret;\nM:\nbra L;\n", 2);
    for (uint32_t w = 0; w < 2; w++) {
        assert_int_equal(chart.counted[w][LATENCY_FETCH], 1);
        assert_true(chart.counted[w][LATENCY_CTRL_HAZARD] >= 2);
    }
}

/* Line 10 before line 12. Warp 0 moves in cycle 1 and branches in cycle 2. Its target, fetched in
 * cycle 3 after the first instructions of warp 2, waits for what was moved until cycle 6. In cycle
 * 3 both hold. */
static void a_control_hazard_comes_before_a_data_hazard(void **state)
{
    (void)state;
    CHART(SETTINGS("scheduler=gto"),
          "mov.u32 %x, 1;\nbra L;\nmov.u32 %y, 1;\nL:\nadd.u32 %z, %x, 1;\nret;\n",
          "F X X C S D S X D5 X", "F SS X X D SS X D4 S X", "F S4 X X D S D X DDD S D X");
}

/* 3.2.1: an instruction that "cannot proceed for execution due to the unavailability of the
 * register file bank" stalls. With one bank the fma reads its three operands in three cycles, and
 * keeps the only collector two cycles longer than with 16. */
static void a_wait_for_a_register_bank_is_a_structural_hazard(void **state)
{
    (void)state;
    const char *body = "mov.f32 %a, 0f3F800000;\nmov.f32 %b, 0f3F800000;\nmov.f32 %c, 0f3F800000;\n"
                       "bar.sync 0;\nfma.rn.f32 %d, %a, %b, %c;\nmov.u32 %x, 1;\nret;\n";
    CHART(SETTINGS("sm.n_sp_units=1", "sm.sp_collectors=1"), body, "F X4 DDD X U X D4 X");
    CHART(SETTINGS("sm.n_sp_units=1", "sm.sp_collectors=1", "sm.register_banks=1"), body,
          "F X4 DDD X U3 X D4 X");
}

/* 3.2.1: "Depending on the availability of the MSHRs ..., the amount of latency can vary." The
 * second load, seen by L1D in cycle 9, waits for the only MSHR until the first one's line comes in
 * cycle 126, and misses for the 118 cycles that are left of 120. With two MSHRs its line is five
 * flits behind the first one's. */
static void a_load_without_an_mshr_waits_for_it(void **state)
{
    (void)state;
    const char *body = "mov.u64 %p, data;\nld.global.u32 %x, [%p];\n"
                       "ld.global.u32 %y, [%p + 128];\nadd.u32 %z, %y, %x;\nret;\n";
    CHART(SETTINGS("l1d.n_mshrs=1"), body, "F X D4 X X D D R116 M118 X D5 X");
    CHART(SETTINGS("l1d.n_mshrs=2"), body, "F X D4 X X D D M121 X D5 X");
}

/* 3.1: "threads are automatically blocked to synchronize when they finish their own workloads";
 * 3.3: "the amount of idle time the non-critical warps spend to wait for the critical warp", which
 * is the slowest of its thread block. Warp 0 has two dependent additions more than the others. */
static void warps_that_have_ended_wait_for_the_critical_one(void **state)
{
    (void)state;
    struct probe p = open_chart(SETTINGS("scheduler=gto"),
                                ".reg .pred %q;\nmov.u32 %x, %tid.x;\nsetp.ge.u32 %q, %x, 32;\n"
                                "@%q bra L;\nmov.f32 %a, 0f3F800000;\nadd.f32 %a, %a, %a;\n"
                                "add.f32 %a, %a, %a;\nL:\nret;\n",
                                false);
    listen_to(&p);
    probe_launch(&p, "chart", 1, 3 * 32, 0, NULL);
    const struct pace_stats *s =
        &attribution_stats(machine_sm(p.sim->machine, 0)->attribution)->pace;
    uint64_t life[3], fastest;
    for (uint32_t w = 0; w < 3; w++)
        life[w] = strlen(chart.letters[w]);
    assert_true(life[0] > life[1] && life[0] > life[2]);
    fastest = life[1] < life[2] ? life[1] : life[2];
    assert_int_equal(s->slowest_cycles, life[0]);
    assert_int_equal(s->fastest_cycles, fastest);
    assert_int_equal(s->cta_warp_cycles, 3 * life[0]);
    assert_int_equal(s->idle_cycles, 2 * life[0] - life[1] - life[2]);
    assert_int_equal(s->slowest[LATENCY_EXEC], chart.counted[0][LATENCY_EXEC]);
    assert_int_equal(s->slowest[LATENCY_SYNC], 0); /* no warp waits there during its own life */
    probe_close(&p);
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
        cmocka_unit_test(an_overwritten_load_is_waited_for),
        cmocka_unit_test(an_overwritten_load_is_waited_for_by_a_reader),
        cmocka_unit_test(each_load_has_a_first_cycle),
        cmocka_unit_test(each_round_of_a_load_has_a_first_cycle),
        cmocka_unit_test(a_hit_is_no_miss_while_another_load_misses),
        cmocka_unit_test(a_miss_that_nothing_depends_on_is_no_stall_cycle),
        cmocka_unit_test(a_full_load_store_unit_is_a_structural_hazard),
        cmocka_unit_test(or_a_wait_for_the_mshr_that_the_unit_waits_for),
        cmocka_unit_test(a_stall_that_other_warps_hide_is_scheduling),
        cmocka_unit_test(an_instruction_cache_miss_is_fetch),
        cmocka_unit_test(a_branch_target_that_misses_is_fetch),
        cmocka_unit_test(a_taken_branch_is_a_control_hazard),
        cmocka_unit_test(a_branch_backward_is_a_control_hazard_too),
        cmocka_unit_test(a_control_hazard_comes_before_a_data_hazard),
        cmocka_unit_test(a_wait_for_a_register_bank_is_a_structural_hazard),
        cmocka_unit_test(a_load_without_an_mshr_waits_for_it),
        cmocka_unit_test(warps_that_have_ended_wait_for_the_critical_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
