/* Greedy criticality-aware scheduling. Expectations are derived from the sentences above them.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.2. */
#include "paper/sched_stage.h"

/* "gCAWS selects a ready warp for execution based on the degree of warp criticality": the largest
 * value of those that are ready. */
static void the_most_critical_ready_warp_issues(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){5, 9, 7, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 1);
    assert_int_equal(issue_next(&s, 0xd, 2), 2);
    assert_int_equal(issue_next(&s, 0x9, 3), 0);
    stage_destroy(&s);
}

/* "If there are multiple warps having the same criticality, the warp scheduler will select the
 * oldest one": the one in the highest slot here. */
static void of_equally_critical_warps_the_oldest_issues(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){9, 9, 9, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 2);
    assert_int_equal(issue_next(&s, 0xb, 2), 1);
    stage_destroy(&s);
}

/* "Then gCAWS greedily executes instructions from the selected critical warp until this particular
 * warp has no further available instructions", though another has become more critical; then the
 * most critical one takes over, also from a warp that comes back. */
static void the_selected_warp_goes_on_until_it_cannot(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){5, 9, 7, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 1);
    s.times[0] = 20;
    assert_int_equal(issue_next(&s, 0xf, 2), 1);
    assert_int_equal(issue_next(&s, 0xf, 3), 1);
    assert_int_equal(issue_next(&s, 0xd, 4), 0);
    s.times[1] = 30;
    assert_int_equal(issue_next(&s, 0xf, 5), 0);
    assert_int_equal(issue_next(&s, 0xe, 6), 1);
    stage_destroy(&s);
}

/* "from the selected critical warp": not from another one that starts in its place when it has
 * ended. */
static void a_new_warp_does_not_inherit_the_selection(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){5, 9, 7, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 1);
    turn_over(&s, 1, 2);
    turn_over(&s, 1, 3);
    s.times[1] = 0;
    assert_int_equal(issue_next(&s, 0xf, 4), 2);
    stage_destroy(&s);
}

/* Equation 4.1 is an instruction count times CPI plus stalls, and the count falls below 0 where
 * instructions commit that no branch has announced: the largest value is the least negative one. */
static void negative_criticalities_are_compared_too(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){-9, -5, -7, -8}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 1);
    stage_destroy(&s);
}

/* Ours: a cycle in which the selected warp cannot issue, and no other one either, does not end the
 * selection: "no further available instructions" is read as another warp issuing, as in GTO. Warp 0
 * becomes more critical meanwhile, and still warp 1 goes on when it is ready again. */
static void the_selected_warp_stays_selected_through_idle_cycles(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){5, 9, 7, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 1);
    s.times[0] = 20; /* no warp is ready in cycles 2 to 9: the scheduler is not asked */
    assert_int_equal(issue_next(&s, 0xf, 10), 1);
    assert_int_equal(issue_next(&s, 0xd, 11), 0);
    stage_destroy(&s);
}

/* --- S3 Algorithm 1: the warps visited before the one that issues --- */

static uint64_t visited_before(struct stage *s, uint32_t slot, uint64_t ready, uint32_t warp)
{
    struct sched_pick p = s->scheduler->desc->pick(s->scheduler, slot, ready, 0, 1);
    assert_int_equal(p.warp, warp);
    return p.visited;
}

/* "visiting the next warp based on the scheduling order": those that are more critical, or as
 * critical and older. Warps 1 and 2 are as critical as 0, and 2, the older one, comes first. */
static void as_critical_and_older_warps_are_visited_first(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){9, 9, 9, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(visited_before(&s, 0, 0x3, 1), 1 << 1 | 1 << 2);
    stage_destroy(&s);
}

/* The greedy warp comes before all others, though it is the least critical. */
static void the_greedy_warp_is_visited_first(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){9, 9, 9, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 1 << 3, 0), 3);
    assert_int_equal(visited_before(&s, 0, 0x3, 1), 1 << 1 | 1 << 2 | 1 << 3);
    stage_destroy(&s);
}

/* Each scheduler visits its own warps: warps 1 and 3 are more critical, but of the other issue
 * slot. */
static void warps_of_another_issue_slot_are_not_visited(void **state)
{
    (void)state;
    struct stage s;
    start_in_slots(&s, "gcaws", "", 4, 4, 2);
    memcpy(s.times, (int64_t[]){5, 9, 7, 8}, 4 * sizeof s.times[0]);
    assert_int_equal(visited_before(&s, 0, 1 << 0, 0), 1 << 0 | 1 << 2);
    stage_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_critical_ready_warp_issues),
        cmocka_unit_test(of_equally_critical_warps_the_oldest_issues),
        cmocka_unit_test(the_selected_warp_goes_on_until_it_cannot),
        cmocka_unit_test(a_new_warp_does_not_inherit_the_selection),
        cmocka_unit_test(negative_criticalities_are_compared_too),
        cmocka_unit_test(the_selected_warp_stays_selected_through_idle_cycles),
        cmocka_unit_test(as_critical_and_older_warps_are_visited_first),
        cmocka_unit_test(the_greedy_warp_is_visited_first),
        cmocka_unit_test(warps_of_another_issue_slot_are_not_visited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
