/* S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012.
 * What section 5.1 says about two-level scheduling. Expectations are derived from the sentences
 * above them. Warps are older the higher their slot. */
#include "paper/sched_stage.h"

static void stall_by(struct stage *s, uint64_t warps, enum stall_cause cause)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    for (uint32_t w = 0; w < s->view.n_warps; w++)
        if (warps >> w & 1 && d->on_stall) {
            d->on_stall(s->scheduler, w, cause, 0);
            d->on_stall(s->twin, w, cause, 0);
        }
}

static void stall(struct stage *s, uint64_t warps)
{
    stall_by(s, warps, STALLED_MEMORY);
}

static void wake(struct stage *s, uint64_t warps)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    for (uint32_t w = 0; w < s->view.n_warps; w++)
        if (warps >> w & 1 && d->on_wake) {
            d->on_wake(s->scheduler, w, 0);
            d->on_wake(s->twin, w, 0);
        }
}

/* "Executes from only one fetch group until all wavefronts in that group are stalled. [...] a fetch
 * group size of 8 and a round-robin scheduling policy to select among wavefronts in a fetch group
 * as well as among fetch groups." 24 warps are three groups: 0-7, 8-15, 16-23. */
static void two_level_stays_in_its_group(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level", 24, 24);
    for (uint32_t n = 0; n < 40; n++)
        assert_int_equal(issue_next(&s, s.view.live, n), n % 8);
    stage_destroy(&s);
}

static void two_level_leaves_a_group_when_all_of_it_are_stalled(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level", 24, 24);
    assert_int_equal(issue_next(&s, s.view.live, 0), 0);
    stall(&s, 0x7f); /* one is left */
    assert_int_equal(issue_next(&s, s.view.live & ~0x7full, 1), 7);
    stall(&s, 0x80);
    assert_int_equal(issue_next(&s, s.view.live & ~0xffull, 2), 8);
    wake(&s, 0xff); /* too late: the second group has its turn now */
    assert_int_equal(issue_next(&s, s.view.live, 3), 9);
    stage_destroy(&s);
}

/* The groups follow each other in round robin: after the second the third, though the first is
 * awake again; then the first. */
static void two_level_groups_go_round(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level", 24, 24);
    issue_next(&s, s.view.live, 0);
    stall(&s, 0xff);
    assert_int_equal(issue_next(&s, s.view.live & ~0xffull, 1), 8);
    wake(&s, 0xff);
    stall(&s, 0xff00);
    assert_int_equal(issue_next(&s, s.view.live & ~0xff00ull, 2), 16);
    stall(&s, 0xff0000);
    assert_int_equal(issue_next(&s, 0xff, 3), 1); /* resumes where it was */
    stage_destroy(&s);
}

/* "Until all wavefronts in that group are stalled" (switch_on=long: by waits that the group cannot
 * end by itself): for memory, at a barrier, at a fence. A group that waits for arithmetic stays,
 * and nobody issues. */
static void two_level_leaves_a_group_that_waits_long(void **state)
{
    (void)state;
    static const struct {
        enum stall_cause cause;
        int next;
    } cases[] = {{STALLED_MEMORY, 8}, {STALLED_BARRIER, 8}, {STALLED_FENCE, 8},
                 {STALLED_DATA, -1},  {STALLED_FETCH, -1},  {STALLED_UNIT, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        start_scheduler(&s, "two_level", 24, 24);
        issue_next(&s, s.view.live, 0);
        stall_by(&s, 0xff, cases[i].cause);
        assert_int_equal(issue_or_idle(&s, 0, s.view.live & ~0xffull, 1), cases[i].next);
        stage_destroy(&s);
    }
}

/* A warp that starts in the slot of a stalled one is not stalled: its group may be the next. */
static void two_level_new_warps_are_not_stalled(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level", 16, 16);
    issue_next(&s, s.view.live, 0);
    stall(&s, 0xff);
    assert_int_equal(issue_next(&s, 0xff00, 1), 8);
    turn_over(&s, 3, 2);
    turn_over(&s, 3, 3);
    stall(&s, 0xff00);
    assert_int_equal(issue_next(&s, 1 << 3, 4), 3);
    stage_destroy(&s);
}

/* S4's 2LVL-LRR: "executes from only one fetch group until all wavefronts in that group are
 * stalled", where stalled is unable to issue, as in the simulator of its authors (an order of all
 * warps, those of the last group first): an operand of arithmetic is enough to leave a group. */
static void two_level_lrr_of_s4_leaves_a_group_that_cannot_issue(void **state)
{
    (void)state;
    struct stage s;
    start_with(&s, "two_level", "switch_on=any", 24, 24);
    assert_int_equal(issue_next(&s, s.view.live, 0), 0);
    assert_int_equal(issue_next(&s, s.view.live & ~0xffull, 1), 8); /* no warp waits for memory */
    assert_int_equal(issue_next(&s, s.view.live, 2), 9);
    assert_int_equal(issue_next(&s, 0xff, 3), 1); /* resumes where it was */
    stage_destroy(&s);
}

/* "A fetch group size of 2 using GTO for both intra-FG and inter-FG selection". Six warps: groups
 * 0-1, 2-3, 4-5, the last being the oldest. */
static void two_level_gto_has_groups_of_two_oldest_first(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level_gto", 6, 6);
    assert_int_equal(issue_next(&s, 0x3f, 0), 5);
    assert_int_equal(issue_next(&s, 0x1f, 1), 4); /* the other one of its group */
    assert_int_equal(issue_next(&s, 0x3f, 2), 4); /* greedy */
    assert_int_equal(issue_next(&s, 0x0f, 3), 3); /* the next oldest group */
    assert_int_equal(issue_next(&s, 0x3f, 4), 3); /* not yet stalled */
    assert_int_equal(issue_next(&s, 0x23, 5), 5); /* the oldest group again */
    stage_destroy(&s);
}

/* "All wavefronts in that group are stalled": one that wakes and stalls again leaves the others
 * stalled, and the group is left. */
static void two_level_wakes_one_warp_at_a_time(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level", 24, 24);
    assert_int_equal(issue_next(&s, s.view.live, 0), 0);
    stall(&s, 0xff);
    wake(&s, 1);
    stall(&s, 1);
    assert_int_equal(issue_or_idle(&s, 0, s.view.live & ~0xffull, 1), 8);
    stage_destroy(&s);
}

/* GTO among groups goes by the oldest warp of each (ours: S4 does not say what the age of a group
 * is). Warp 4 has ended, and another one, the youngest of all, started in its slot: 5, still the
 * oldest, makes its group the first. */
static void two_level_gto_goes_by_the_oldest_of_a_group(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level_gto", 6, 6);
    turn_over(&s, 4, 0);
    turn_over(&s, 4, 0);
    assert_int_equal(issue_next(&s, 0x3f, 1), 5);
    stage_destroy(&s);
}

/* "GTO runs a single wavefront until it stalls": not another one that starts in its slot. The group
 * stays, and the older one of its warps issues. */
static void two_level_gto_is_not_greedy_for_a_new_warp(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "two_level_gto", 6, 6);
    assert_int_equal(issue_next(&s, 0x3f, 1), 5);
    turn_over(&s, 5, 2);
    turn_over(&s, 5, 2);
    assert_int_equal(issue_next(&s, 0x3f, 3), 4);
    stage_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_level_stays_in_its_group),
        cmocka_unit_test(two_level_leaves_a_group_when_all_of_it_are_stalled),
        cmocka_unit_test(two_level_groups_go_round),
        cmocka_unit_test(two_level_leaves_a_group_that_waits_long),
        cmocka_unit_test(two_level_new_warps_are_not_stalled),
        cmocka_unit_test(two_level_lrr_of_s4_leaves_a_group_that_cannot_issue),
        cmocka_unit_test(two_level_gto_has_groups_of_two_oldest_first),
        cmocka_unit_test(two_level_wakes_one_warp_at_a_time),
        cmocka_unit_test(two_level_gto_goes_by_the_oldest_of_a_group),
        cmocka_unit_test(two_level_gto_is_not_greedy_for_a_new_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
