/* What counts as lost locality under CCWS, and when scores fall (locality_stage.h): S4 sections
 * 3.3.2 to 3.3.5. Expectations are derived from the sentences above them. */
#include "paper/locality_stage.h"

/* Equation 1 has "all the instructions this compute unit has issued": 8 of arithmetic count as 8
 * loads do. 1 x 5 x 400 / 8 = 250 blocks the youngest warp. */
static void all_instructions_count(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    for (int i = 0; i < 8; i++)
        s.scheduler->desc->on_issue(s.scheduler, 0, 0, ISSUE_ALU, 1, s.now);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), YOUNG);
    stage_destroy(&s);
}

/* 3.3.3: "Whenever there is a miss in the L1D cache, the VTA is probed": also where a cache policy
 * bypasses the miss. */
static void misses_that_bypass_probe_the_vta(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_beside(&s, "k_throttle=1000000", "dlp", "pd_init=4");
    issue(&s, 1);
    load(&s, 0, 'a');
    while (load(&s, 0, 'b') == CACHE_BYPASSED)
        continue;
    assert_int_equal(load(&s, 0, 'a'), CACHE_BYPASSED);
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_destroy(&s);
}

/* The same of misses of local memory. */
static void local_misses_probe_the_vta(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=1000000");
    issue(&s, 1);
    load_in(&s, 0, 'a', MEM_LOCAL);
    load_in(&s, 0, 'b', MEM_LOCAL);
    load_in(&s, 0, 'a', MEM_LOCAL);
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_destroy(&s);
}

/* 3.3.4: the cutoff among warps that have the base score. 201 x 400 / 400 falls to 200: sums 0 200
 * 300 400, and 400 reaches the cutoff; 199 a cycle later, and the last sum is 399. */
static void the_cutoff_lies_exactly_among_base_scores(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=201");
    issue(&s, 400);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), YOUNG);
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* "Capping each wavefront's score at LLDS", where LLDS is below the base: all scores are the base,
 * not a little more. 2 x 5 x 400 / 204 = 19. */
static void the_cap_ends_at_the_base(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 4);
    lose_locality(&s, 0);
    lose_locality(&s, 1);
    assert_true(blocked_next_cycle(&s) != 0);
    issue(&s, 200);
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* Of two VTA hits in a cycle the second one counts too: LLDS is 2 x 5 x 400 / 8 = 500 then, and
 * with the first alone 250, which would block the youngest only. */
static void the_larger_llds_of_a_cycle_counts(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 8);
    lose_locality(&s, 0);
    load(&s, 0, 'b');
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_destroy(&s);
}

/* A VTA hit is a wavefront's: it does not raise the score of one that starts in its slot in the
 * same cycle. */
static void a_vta_hit_ends_with_its_warp(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=1000000");
    issue(&s, 1);
    lose_locality(&s, 0);
    stage_end(&s, 0);
    stage_start(&s, 0, 10);
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* 3.3.2: "an extension to the system's baseline wavefront prioritization logic", and for GTO a
 * warp that starts in the slot of the greedy one, which has ended, is the youngest. */
static void the_baseline_order_learns_of_ends(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "");
    stage_issue(&s, 0);
    stage_end(&s, 0);
    stage_start(&s, 0, 10);
    assert_int_equal(s.scheduler->desc->pick(s.scheduler, 0, 0xf, 0, s.now).warp, 1);
    stage_destroy(&s);
}

/* A score that falls to the base is one of many there, and the older warp comes first. The youngest
 * is at 102 and warp 0 at 3 x 102 = 306. In the next cycle 305 + 101 = 406 are before the old one,
 * which is blocked as those behind it are. In the one after that the youngest is at 100 as they
 * are, and the old one, before it, may load: sums 0 304 404 504. */
static void a_score_at_the_base_is_ranked_by_age(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=102");
    issue(&s, 400);
    lose_locality(&s, 2);
    lose_locality(&s, 0);
    load(&s, 0, 'b');
    assert_int_equal(blocked_next_cycle(&s), OLD | MIDDLE);
    assert_int_equal(blocked_next_cycle(&s), MIDDLE | YOUNG);
    stage_destroy(&s);
}

/* LLDS is a multiple of the cutoff (Equation 1), so it falls when a warp ends, and scores with it:
 * 249 becomes 1 x 5 x 300 / 8 = 187 in the next cycle: sums 0 187 287, below 300. */
static void a_warp_that_ends_lowers_llds(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 8);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), YOUNG);
    stage_end(&s, 2);
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_instructions_count),
        cmocka_unit_test(misses_that_bypass_probe_the_vta),
        cmocka_unit_test(local_misses_probe_the_vta),
        cmocka_unit_test(the_cutoff_lies_exactly_among_base_scores),
        cmocka_unit_test(the_cap_ends_at_the_base),
        cmocka_unit_test(the_larger_llds_of_a_cycle_counts),
        cmocka_unit_test(a_vta_hit_ends_with_its_warp),
        cmocka_unit_test(the_baseline_order_learns_of_ends),
        cmocka_unit_test(a_score_at_the_base_is_ranked_by_age),
        cmocka_unit_test(a_warp_that_ends_lowers_llds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
