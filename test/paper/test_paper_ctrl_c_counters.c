/* What the counters of Ctrl-C count (ctrl_c_stage.h): BYP, INSERT and ZERO of Algorithms 11 and 12.
 * Expectations are derived from the sentences and lines above them. */
#include "paper/ctrl_c_stage.h"

/* Algorithm 12, line 3: the controller is that of the insertion PC, not of the instruction that
 * used the line last. From AGG 1 five lines of A (10 >> 1) are used by B and leave: A's AGG falls
 * to 0, and B's stays at 1. */
static void the_instruction_that_used_a_line_is_not_trained(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10 agg_init=1", 1, 1);
    for (int i = 0; i < 5; i++, c.n_fresh++) {
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_BYPASSED);
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_MISS);
        assert_int_equal(load(&c, 0, c.n_fresh, B), CACHE_HIT);
    }
    assert_int_equal(bypasses_of(&c, C), 1);
    assert_int_equal(bypasses_of(&c, A), 0);
    assert_int_equal(bypasses_of(&c, B), 1);
    l1d_destroy(&c);
}

/* Algorithm 11, line 12, is the only one that resets BYP: AGG, when it changes, does not. A has
 * bypassed once when its AGG becomes 2 (a sample is 2 >> 1 lines, and B drives one out that was not
 * used): of the three bypasses two are left. */
static void byp_goes_on_where_agg_changes(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=2 agg_init=1", 1, 1);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, B), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, B), CACHE_MISS);
    assert_int_equal(bypasses_of(&c, A), 2);
    l1d_destroy(&c);
}

/* Nor do evictions: of one line of A or of up to eight. A has bypassed once, and its next miss is
 * inserted. */
static void byp_goes_on_where_lines_leave(void **state)
{
    (void)state;
    for (uint32_t n_lines = 1; n_lines <= 8; n_lines++) {
        struct l1d c;
        l1d_init(&c, "ctrl_c", "agg_init=1 agg_hold=true", 8, 1);
        for (uint32_t set = 0; set < n_lines; set++) {
            assert_int_equal(load_fresh(&c, set, A), CACHE_BYPASSED);
            assert_int_equal(load_fresh(&c, set, A), CACHE_MISS);
        }
        assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
        for (uint32_t set = 0; set < n_lines; set++) {
            assert_int_equal(load_fresh(&c, set, B), CACHE_BYPASSED);
            assert_int_equal(load_fresh(&c, set, B), CACHE_MISS);
        }
        assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
        l1d_destroy(&c);
    }
}

/* Algorithm 12, lines 18 and 19: ZERO is 0 after a sample that leaves AGG at 0 too. 3 of 10 lines
 * are between the thresholds, and so are the next 3 of 10; 6 of 10 would not be. */
static void zero_starts_over_though_agg_stays(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    for (int sample = 0; sample < 2; sample++)
        let_lines_leave(&c, A, 10, 7);
    assert_int_equal(bypasses_of(&c, A), 0);
    l1d_destroy(&c);
}

/* Line 9: "ZERO / INSERT" is a fraction. Of a sample of 1024 lines 409 are less than 0.4, 410 are
 * more (409.6 are as many). */
static void fractions_are_not_rounded(void **state)
{
    (void)state;
    for (uint32_t n_zero = 409; n_zero <= 410; n_zero++) {
        struct l1d c;
        l1d_init(&c, "ctrl_c", "", 1, 1);
        let_lines_leave(&c, A, 1024, 1024 - n_zero);
        assert_int_equal(bypasses_of(&c, A), n_zero == 410);
        l1d_destroy(&c);
    }
}

/* 5.2.4: "it has never received a reuse during its cache line lifetime": a line that comes into a
 * way whose line was used, and removed by a store, has not. With samples of one line AGG becomes 1
 * when it leaves. */
static void a_line_in_an_emptied_way_has_no_reuse(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=1", 1, 1);
    load(&c, 0, 0, A);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    store(&c, 0, 0);
    load(&c, 0, 1, A);
    load(&c, 0, 2, C);
    assert_int_equal(bypasses_of(&c, A), 1);
    l1d_destroy(&c);
}

/* Ours: a load that merges with the miss of the line is a reuse; S3 does not mention merges. */
static void a_merge_is_a_reuse(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    for (int i = 0; i < 10; i++, c.n_fresh++) {
        assert_int_equal(ask(&c, 0, c.n_fresh, A), CACHE_MISS);
        assert_int_equal(ask(&c, 0, c.n_fresh, A), CACHE_MERGE);
        come(&c, 0, c.n_fresh);
    }
    load_fresh(&c, 0, C);
    assert_int_equal(bypasses_of(&c, A), 0);
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_instruction_that_used_a_line_is_not_trained),
        cmocka_unit_test(byp_goes_on_where_agg_changes),
        cmocka_unit_test(byp_goes_on_where_lines_leave),
        cmocka_unit_test(zero_starts_over_though_agg_stays),
        cmocka_unit_test(fractions_are_not_rounded),
        cmocka_unit_test(a_line_in_an_emptied_way_has_no_reuse),
        cmocka_unit_test(a_merge_is_a_reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
