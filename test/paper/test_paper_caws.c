/* S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017. What section 3.4 says of criticality-
 * aware warp scheduling with an oracle. Expectations are worked out from the sentences that stand
 * above them. */
#include "paper/sched_stage.h"

enum { N_WARPS = 12 };

/* 3.4.2: "given there are 48 active warps in the pool [...], all warps would initially have counter
 * values from 0 to 47. The warp with a zero counter value is to be scheduled [...]. The counter for
 * the selected warp is always reset to be 47 since all warps are treated equally." */
static void equal_warps_issue_in_turn(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "caws_avg", 48, 48);
    for (uint32_t n = 0; n < 4 * 48; n++)
        assert_int_equal(issue_next(&s, s.view.live, n), n % 48);
    stage_destroy(&s);
}

/* Of warps that are as slow as each other caws_avg takes none for critical and none for fast. */
static void let_random_warps_issue(struct stage *caws, struct stage *rr, uint64_t seed)
{
    for (uint64_t now = 1; now <= 2000; now++) {
        uint32_t changes = (uint32_t)(random_u64(&seed) % (8 * N_WARPS));
        if (changes < N_WARPS) { /* a warp ends, or another one takes its slot */
            turn_over(caws, changes, now);
            turn_over(rr, changes, now);
        }
        uint64_t ready = caws->view.live & random_u64(&seed) & random_u64(&seed);
        if (ready)
            assert_int_equal(issue_next(caws, ready, now), issue_next(rr, ready, now));
    }
}

/* 3.4.2 defines round robin by these counters: with equal periods CAWS is RR, also where warps
 * stall, end and start. */
static void equal_periods_are_round_robin(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct stage caws, rr;
        start_scheduler(&caws, "caws_avg", N_WARPS, 4);
        start_scheduler(&rr, "lrr", N_WARPS, 4);
        let_random_warps_issue(&caws, &rr, seed);
        stage_destroy(&caws);
        stage_destroy(&rr);
    }
}

/* Twelve warps in three CTAs, and how many turns each has in the time of 60: 5 of a period of 12
 * (48 of 48), 6 of a critical warp's of 10 (40 of 48), 4 of a fast one's of 15 (60 of 48). */
static const struct {
    const char *scheduler;
    int64_t times[N_WARPS];
    uint32_t turns[N_WARPS];
} oracles[] = {
    /* 3.4.1: "the most critical warp in the thread block". */
    {"caws_blk",
     {50, 60, 70, 80, 900, 800, 700, 600, 1, 3, 2, 1},
     {5, 5, 5, 6, 6, 5, 5, 5, 5, 6, 5, 5}},
    /* "The top N critical warps from the warp pool, where N is equal to the number of thread
     * blocks": three. */
    {"caws_sm",
     {50, 60, 70, 80, 900, 800, 700, 600, 1, 3, 2, 1},
     {5, 5, 5, 5, 6, 6, 6, 5, 5, 5, 5, 5}},
    /* 3.4.2: more than 20 % above the average of 100, and below. */
    {"caws_avg",
     {120, 121, 100, 100, 80, 79, 100, 100, 100, 100, 100, 100},
     {5, 6, 5, 5, 5, 4, 5, 5, 5, 5, 5, 5}},
};
enum { N_ORACLES = sizeof oracles / sizeof oracles[0] };

static uint32_t sum_of(const uint32_t turns[N_WARPS])
{
    uint32_t sum = 0;
    for (uint32_t w = 0; w < N_WARPS; w++)
        sum += turns[w];
    return sum;
}

/* 3.4.2: "to give critical warp(s) 20 % more time resource, the scheduler will have to schedule the
 * critical warp(s) 20 % more frequently"; fast ones get 20 % less. */
static void critical_warps_have_a_fifth_more_turns(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_ORACLES; i++) {
        struct stage s;
        uint32_t turns[N_WARPS] = {0};
        start_scheduler(&s, oracles[i].scheduler, N_WARPS, 4);
        memcpy(s.times, oracles[i].times, sizeof oracles[i].times);
        for (uint32_t n = sum_of(oracles[i].turns); n > 0; n--)
            turns[issue_next(&s, s.view.live, n)]++;
        assert_memory_equal(turns, oracles[i].turns, sizeof turns);
        stage_destroy(&s);
    }
}

/* The same of a full pool: 40 and 48 for 48 warps. */
static void one_of_48_warps_is_critical(void **state)
{
    (void)state;
    enum { CRITICAL = 3 };
    struct stage s;
    uint32_t turns[48] = {0};
    start_scheduler(&s, "caws_blk", 48, 48);
    s.times[CRITICAL] = 1;
    for (uint32_t n = 0; n < 47 * 5 + 6; n++)
        turns[issue_next(&s, s.view.live, n)]++;
    for (uint32_t w = 0; w < 48; w++)
        assert_int_equal(turns[w], w == CRITICAL ? 6 : 5);
    stage_destroy(&s);
}

/* Of two warps the first is critical. Its turns are 2 * 40/48 apart, at 1, 2 2/3, 4 1/3, 6, 7 2/3,
 * ..., those of the other one at 2, 4, 6, ...; at 6 the first of the pool comes first. */
static void turns_of_two_warps_counted_by_hand(void **state)
{
    (void)state;
    static const uint32_t order[] = {0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1};
    struct stage s;
    start_scheduler(&s, "caws_blk", 2, 2);
    s.times[0] = 1;
    for (uint32_t n = 0; n < sizeof order / sizeof order[0]; n++)
        assert_int_equal(issue_next(&s, s.view.live, n), order[n]);
    stage_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_warps_issue_in_turn),
        cmocka_unit_test(equal_periods_are_round_robin),
        cmocka_unit_test(critical_warps_have_a_fifth_more_turns),
        cmocka_unit_test(one_of_48_warps_is_critical),
        cmocka_unit_test(turns_of_two_warps_counted_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
