/* S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012:
 * the example of Figure 6, which section 3.3.4 tells, when the VTA is probed (3.3.3), and its size
 * (Table 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/sched/ccws_stage.h"

enum { W0 = 1, W1 = 2, W2 = 4, W3 = 8 };

/* Four warps, the first being the oldest, and an L1D of one line. K_THROTTLE is 5, so that a VTA
 * hit in every eight instructions makes LLDS = 1/8 * 5 * 400 = 250 (section 3.3.5, Equation 1). */
static void start_figure_6(struct ccws_stage *s)
{
    assert_true(stage_init(s, "k_throttle=5", 4, "lru", "", 1, 1));
    for (uint32_t w = 0; w < 4; w++)
        stage_start(s, w, w);
}

static void load(struct ccws_stage *s, uint32_t warp, uint32_t line)
{
    struct mem_access a = stage_access(s, warp, (uint64_t)line * STAGE_LINE_BYTES, MEM_LOAD);
    struct cache_result r = stage_load(s, &a);
    if (r.answer == CACHE_MISS)
        stage_fill(s, r.mshr);
}

/* Some instructions, then the warp misses a line that it had and lost. Returns another one that it
 * has lost now. */
static uint32_t hit_after(struct ccws_stage *s, uint32_t warp, uint32_t n_insts)
{
    uint32_t line = 1000 + 2 * (uint32_t)s->n_accesses;
    for (uint32_t i = 0; i < n_insts; i++)
        stage_issue(s, warp);
    load(s, warp, line);
    load(s, warp, line + 1);
    load(s, warp, line);
    stage_advance(s, 1);
    return line + 1;
}

static uint32_t hit_in_vta(struct ccws_stage *s, uint32_t warp)
{
    return hit_after(s, warp, 8);
}

static void figure_6(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_figure_6(&s);
    /* "At T0 we assign each wavefront a constant base locality score": 4 x 100, the cutoff. */
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    /* "Between T0 and T1, W2 has received a VTA hit [...]. W2's higher score has pushed W3 above
     * the cumulative LLS cutoff": 249, 100, 100 | 100. */
    hit_in_vta(&s, 2);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    /* "Between T1 and T2 both W2 and W0 have received VTA hits, pushing both W3 and W1 above the
     * cutoff": two of about 250 before them. */
    hit_in_vta(&s, 2);
    hit_in_vta(&s, 0);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W1 | W3);
    /* "Between T2 and T3, no VTA hits have occurred and the scores for W2 and W0 have decreased
     * enough to allow both W1 and W3 to issue loads again." */
    stage_advance(&s, 110);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    /* "Between time T3 and T4, W2 finishes and W0 has received a VTA hit [...]. Now that there are
     * three wavefronts active, the LLS cutoff becomes 3x the base score": LLDS = 4/32 * 5 * 300 =
     * 187, and 186 + 100 do not reach it. Another hit after four more instructions makes 5/36 * 5 *
     * 300 = 208, and 207 + 100 do; of 400 neither would. */
    stage_end(&s, 2);
    uint32_t lost = hit_in_vta(&s, 0);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    for (int i = 0; i < 4; i++)
        stage_issue(&s, 0);
    load(&s, 0, lost);
    stage_advance(&s, 1);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    stage_destroy(&s);
}

/* "Regardless of how many VTA hits it has received": a second hit does not add to the first. Two in
 * sixteen instructions make 250 as one in eight does, not 500. */
static void vta_hits_do_not_add_up(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_figure_6(&s);
    hit_in_vta(&s, 2);
    hit_in_vta(&s, 2);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    stage_destroy(&s);
}

/* "Capping each wavefront's score at LLDS": four instructions make it 1/4 * 5 * 400 = 500; four
 * more make it 250, and the score is 250 in the next cycle. 50 cycles later it is 200, and 200 +
 * 100 + 100 still reach the cutoff for W3; then it is 199. */
static void a_score_falls_to_llds_at_once(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_figure_6(&s);
    for (int i = 0; i < 4; i++)
        stage_issue(&s, 0);
    for (uint32_t i = 0; i < 3; i++)
        load(&s, 0, i % 2);
    stage_advance(&s, 1);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W1 | W2 | W3);
    for (int i = 0; i < 4; i++)
        stage_issue(&s, 0);
    stage_advance(&s, 1);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    stage_advance(&s, 50);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    stage_advance(&s, 1);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    stage_destroy(&s);
}

/* "When a wavefront is added or removed from the system, the cumulative LLS cutoff changes": 249,
 * 100, 100 | 100 with four warps. With a fifth one the cutoff is 500, so that W3 loads, and the new
 * one, before which are 549, does not. */
static void a_warp_that_starts_raises_the_cutoff(void **state)
{
    (void)state;
    enum { W4 = 16 };
    struct ccws_stage s;
    assert_true(stage_init(&s, "k_throttle=5", 5, "lru", "", 1, 1));
    for (uint32_t w = 0; w < 4; w++)
        stage_start(&s, w, w);
    hit_in_vta(&s, 2);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W3);
    stage_start(&s, 4, 4);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W4);
    stage_destroy(&s);
}

/* 3.3.4: "a sorted list of LLSs": a difference of one point decides, and age only where there is
 * none. K_THROTTLE is 401, so that a VTA hit in 400 instructions makes 401, and two in 800 do. W0's
 * score has fallen to 400 when W3's rises to 401; a cycle later W3 has 400, which is the cutoff,
 * and W0 399. */
static void one_point_decides_the_order(void **state)
{
    (void)state;
    struct ccws_stage s;
    assert_true(stage_init(&s, "k_throttle=401", 4, "lru", "", 1, 1));
    for (uint32_t w = 0; w < 4; w++)
        stage_start(&s, w, w);
    hit_after(&s, 0, 400);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W1 | W2 | W3);
    hit_after(&s, 3, 400);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), W0 | W1 | W2);
    stage_destroy(&s);
}

/* 3.3.5, Equation 1: InstIssued_Total is of all instructions of all warps: 8 of each of the four
 * make LLDS = 1/32 * 5 * 400 = 62, and the score stays at the base. */
static void instructions_of_all_warps_count(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_figure_6(&s);
    for (uint32_t i = 0; i < 24; i++)
        stage_issue(&s, 1 + i % 3);
    hit_in_vta(&s, 0);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    stage_destroy(&s);
}

/* 3.3.3: "the wavefront ID (WID) of the wavefront reserving that line is written in addition to the
 * tag. [...] When that line is evicted from the cache, its tag information is written to that
 * wavefront's portion of the VTA." W0 reserves line 0 and W1 merges with its miss; W2 drives the
 * line out. It is W0 that has lost it, not W1. */
static void a_line_belongs_to_the_warp_that_reserved_it_not_to_mergers(void **state)
{
    (void)state;
    for (uint32_t loser = 0; loser < 2; loser++) {
        struct ccws_stage s;
        assert_true(stage_init(&s, "k_throttle=1000000", 4, "lru", "", 1, 1));
        for (uint32_t w = 0; w < 4; w++)
            stage_start(&s, w, w);
        stage_issue(&s, 0);
        struct mem_access reserving = stage_access(&s, 0, 0, MEM_LOAD),
                          merging = stage_access(&s, 1, 0, MEM_LOAD);
        struct cache_result miss = stage_load(&s, &reserving);
        assert_int_equal(stage_load(&s, &merging).answer, CACHE_MERGE);
        stage_fill(&s, miss.mshr);
        load(&s, 1, 0); /* nor does a hit make the line W1's */
        load(&s, 2, 1);
        load(&s, loser, 0);
        stage_advance(&s, 1);
        assert_int_equal(stage_blocked(&s, ISSUE_LOAD), loser ? 0 : W1 | W2 | W3);
        stage_destroy(&s);
    }
}

/* 3.3.3: "Whenever there is a miss [...], the VTA is probed". S4 does not say whether a merge is a
 * miss; here it is none (doc/schedulers.md). W0 has lost line 0; W1 fetches it, and W0 asks for it
 * meanwhile. The published simulator probes then too. */
static void merges_do_not_probe_the_vta(void **state)
{
    (void)state;
    static const char *const words[] = {"k_throttle=1000000",
                                        "k_throttle=1000000 probes_merges=true"};
    for (int i = 0; i < 2; i++) {
        struct ccws_stage s;
        assert_true(stage_init(&s, words[i], 4, "lru", "", 1, 1));
        for (uint32_t w = 0; w < 4; w++)
            stage_start(&s, w, w);
        stage_issue(&s, 0);
        load(&s, 0, 0);
        load(&s, 0, 1);
        for (uint32_t w = 2; w-- > 0;) {
            struct mem_access a = stage_access(&s, w, 0, MEM_LOAD);
            assert_int_equal(stage_load(&s, &a).answer, w ? CACHE_MISS : CACHE_MERGE);
        }
        stage_advance(&s, 1);
        assert_int_equal(stage_blocked(&s, ISSUE_LOAD), i ? W1 | W2 | W3 : 0);
        stage_destroy(&s);
    }
}

/* 3.3.2: "The intersection logic block selects the highest priority ready wavefront that has issue
 * permission": W3 has the lowest priority and no permission, W1 continues under GTO. */
static void who_may_not_load_is_not_picked(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_figure_6(&s);
    hit_in_vta(&s, 2);
    const struct scheduler *x = s.scheduler;
    uint64_t may = x->desc->may_issue(x, ISSUE_LOAD);
    assert_int_equal((W1 | W3) & may, W1);
    assert_int_equal(x->desc->pick(x, 0, (W1 | W3) & may, W1, s.now).warp, 1);
    stage_destroy(&s);
}

/* Table 3: "8-way, 16 entries per wavefront": even lines share eight ways. The tag of line 0 is
 * still there after seven more victims, and not after eight. */
static void the_vta_has_two_sets_of_eight_ways(void **state)
{
    (void)state;
    for (uint32_t n_more = 7; n_more <= 8; n_more++) {
        struct ccws_stage s;
        assert_true(stage_init(&s, "k_throttle=1000000", 4, "lru", "", 1, 1));
        for (uint32_t w = 0; w < 4; w++)
            stage_start(&s, w, w);
        stage_issue(&s, 0);
        for (uint32_t i = 0; i <= n_more; i++)
            load(&s, 0, 2 * i);
        load(&s, 0, 1); /* so that no even line leaves with the next load */
        load(&s, 0, 0);
        stage_advance(&s, 1);
        assert_int_equal(stage_blocked(&s, ISSUE_LOAD), n_more == 7 ? W1 | W2 | W3 : 0);
        stage_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_6),
        cmocka_unit_test(vta_hits_do_not_add_up),
        cmocka_unit_test(a_score_falls_to_llds_at_once),
        cmocka_unit_test(a_warp_that_starts_raises_the_cutoff),
        cmocka_unit_test(one_point_decides_the_order),
        cmocka_unit_test(instructions_of_all_warps_count),
        cmocka_unit_test(a_line_belongs_to_the_warp_that_reserved_it_not_to_mergers),
        cmocka_unit_test(merges_do_not_probe_the_vta),
        cmocka_unit_test(who_may_not_load_is_not_picked),
        cmocka_unit_test(the_vta_has_two_sets_of_eight_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
