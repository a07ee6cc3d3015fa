/* What S3 says about CACP at evictions (cacp_stage.h), Algorithm 9. Expectations are derived from
 * the lines above them. */
#include "paper/cacp_stage.h"

/* Algorithm 9, lines 5 to 7: "no reuse: SHiP[line.signature]--", from 1 at the start to 0. A
 * miss of a critical warp is no reuse: c_reuse becomes TRUE at a hit (Algorithm 8, line 10). */
static void lines_without_reuse_lower_ship(void **state)
{
    (void)state;
    for (int critical_warp = 0; critical_warp < 2; critical_warp++) {
        struct l1d c;
        cacp_init(&c);
        waste_line_of(&c, critical_warp, A, C);
        assert_int_equal(position_of(&c, A), 3);
        assert_int_equal(position_of(&c, B), 2);
        l1d_destroy(&c);
    }
}

/* Lines of the instruction replace others of their partition until this one leaves; each is used,
 * so that it does not leave before. */
static void drive_out(struct l1d *c, uint32_t line, uint32_t pc, bool critical)
{
    int victim = NO_VICTIM;
    for (int i = 0; victim != (int)line; i++) {
        assert_true(i < 100);
        load_fresh(c, 0, pc);
        victim = c->victim;
        assert_int_equal(load_as(c, critical, c->n_fresh - 1, pc), CACHE_HIT);
    }
}

/* A line of A in the critical partition leaves, missed by a critical warp or by another one, and
 * used by a critical warp and by others as said, these before and after it. */
static void let_line_leave_of(struct l1d *c, bool critical_warp, bool by_critical, bool by_other)
{
    uint32_t line = c->n_fresh++;
    load_as(c, critical_warp, line, A);
    assert_true(c->victim < 2 || c->victim >= 1000);
    for (int time = 0; time < 3; time++)
        if (time == 1 ? by_critical : by_other)
            assert_int_equal(load_as(c, time == 1, line, BASE), CACHE_HIT);
    drive_out(c, line, B, true);
}

static void let_critical_line_leave(struct l1d *c, bool by_critical, bool by_other)
{
    let_line_leave_of(c, false, by_critical, by_other);
}

/* CCBP of A is 2, the least that is critical, and B is critical for good. */
static void start_with_critical_signatures(struct l1d *c)
{
    cacp_init(c);
    critical_hits(c, A, 1);
    critical_hits(c, B, 2);
}

/* Lines 2 to 4: "(c_reuse == FALSE) AND (nc_reuse == TRUE) AND (partition == CriticalPartition):
 * incorrect prediction, CCBP--", also if it was a critical warp that missed. */
static void a_line_that_only_others_used_was_predicted_wrongly(void **state)
{
    (void)state;
    for (int critical_warp = 0; critical_warp < 2; critical_warp++) {
        struct l1d c;
        start_with_critical_signatures(&c);
        let_line_leave_of(&c, critical_warp, false, true);
        assert_false(inserts_as_critical(&c, A));
        l1d_destroy(&c);
    }
}

/* Line 5: "else if": a wrong prediction lowers CCBP alone. SHiP[A] is 3 after the hit that made A
 * critical and the first one of the line, so it takes three wasted lines to bring it to 0. */
static void a_wrong_prediction_does_not_lower_ship(void **state)
{
    (void)state;
    for (uint32_t n_wasted = 2; n_wasted <= 3; n_wasted++) {
        struct l1d c;
        start_with_critical_signatures(&c);
        let_critical_line_leave(&c, false, true);
        for (uint32_t i = 0; i < n_wasted; i++)
            waste_line(&c, A, C);
        assert_int_equal(position_of(&c, A), n_wasted == 3 ? 3 : 2);
        l1d_destroy(&c);
    }
}

/* Line 5: an unused line lowers SHiP instead, from 2 after one hit to 1, and a wasted one to 0. */
static void a_line_that_nobody_used_was_not_predicted_wrongly(void **state)
{
    (void)state;
    for (int critical_warp = 0; critical_warp < 2; critical_warp++) {
        struct l1d c;
        start_with_critical_signatures(&c);
        let_line_leave_of(&c, critical_warp, false, false);
        assert_true(inserts_as_critical(&c, A));
        waste_line_of(&c, critical_warp, A, B);
        assert_int_equal(position_for(&c, critical_warp, 0, A), 3);
        l1d_destroy(&c);
    }
}

/* Line 5: "(c_reuse == FALSE) AND (nc_reuse == FALSE)": a line of the other partition that only
 * others used lowers neither counter. Its hit raised SHiP[A] to 2; one wasted line leaves 1. */
static void a_line_that_others_used_does_not_lower_ship(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    uint32_t line = c.n_fresh++;
    load(&c, 0, line, A);
    assert_int_equal(load_as(&c, false, line, BASE), CACHE_HIT);
    drive_out(&c, line, C, false);
    waste_line(&c, A, C);
    assert_int_equal(position_of(&c, A), 2);
    l1d_destroy(&c);
}

/* A line that a critical warp used raised CCBP to 3 and leaves it there, whichever other warps used
 * it: it takes two wrong predictions to bring it to 1. */
static void a_line_that_critical_warps_used_was_predicted_rightly(void **state)
{
    (void)state;
    for (int by_others = 0; by_others < 2; by_others++) {
        struct l1d c;
        start_with_critical_signatures(&c);
        let_critical_line_leave(&c, true, by_others);
        let_critical_line_leave(&c, false, true);
        assert_true(inserts_as_critical(&c, A));
        let_critical_line_leave(&c, false, true);
        assert_false(inserts_as_critical(&c, A));
        l1d_destroy(&c);
    }
}

/* The same in the non-critical partition is no wrong prediction. CCBP[A] becomes 2 while a line of
 * A is in the other partition, which only others use. */
static void non_critical_lines_do_not_lower_ccbp(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    uint32_t line = c.n_fresh++;
    load(&c, 0, line, A);
    assert_true(c.victim >= 2);
    load_as(&c, false, line, BASE);
    critical_hits(&c, A, 1);
    drive_out(&c, line, C, false);
    assert_true(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

/* "2-bit saturating counters": five critical hits make 3, from which two wrong predictions lead
 * below the threshold. */
static void ccbp_saturates_at_3(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    critical_hits(&c, A, 5);
    critical_hits(&c, B, 2);
    let_critical_line_leave(&c, false, true);
    assert_true(inserts_as_critical(&c, A));
    let_critical_line_leave(&c, false, true);
    assert_false(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

/* Algorithm 8, line 11: each hit of a critical warp raises CCBP, also on a line that was reused
 * before and with SHiP at its top. Two hits make it 3, from which two wrong predictions lead below
 * the threshold. */
static void every_critical_hit_raises_ccbp(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    critical_hits(&c, B, 2);
    uint32_t line = c.n_fresh++;
    load(&c, 0, line, A);
    for (int i = 0; i < 7; i++)
        assert_int_equal(load_as(&c, i >= 5, line, BASE), CACHE_HIT);
    let_critical_line_leave(&c, false, true);
    assert_true(inserts_as_critical(&c, A));
    let_critical_line_leave(&c, false, true);
    assert_false(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

/* "2-bit saturating counters": a wrong prediction at 0 leaves 0. Lines 0 and 1 of BASE, whose
 * counter is 1, are in the critical partition because they came into empty ways; only others use
 * them. */
static void ccbp_does_not_fall_below_0(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    critical_hits(&c, B, 3);
    for (uint32_t line = 0; line < 2; line++)
        assert_int_equal(load_as(&c, false, line, BASE), CACHE_HIT);
    for (uint32_t line = 0; line < 2; line++)
        drive_out(&c, line, B, true);
    assert_false(inserts_as_critical(&c, BASE));
    critical_hits(&c, BASE, 1);
    assert_false(inserts_as_critical(&c, BASE));
    critical_hits(&c, BASE, 1);
    assert_true(inserts_as_critical(&c, BASE));
    l1d_destroy(&c);
}

/* Algorithm 9 is of evicted lines: a line that a store removes lowers no counter. */
static void lines_that_stores_remove_lower_nothing(void **state)
{
    (void)state;
    struct l1d c;
    start_with_critical_signatures(&c);
    for (int i = 0; i < 3; i++) {
        uint32_t line = c.n_fresh++;
        load(&c, 0, line, A); /* critical, used by another warp alone */
        assert_int_equal(load_as(&c, false, line, BASE), CACHE_HIT);
        store(&c, 0, line);
        line = c.n_fresh++;
        load(&c, 0, line, C); /* unused */
        store(&c, 0, line);
    }
    assert_true(inserts_as_critical(&c, A));
    assert_int_equal(position_of(&c, C), 2);
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_without_reuse_lower_ship),
        cmocka_unit_test(a_line_that_only_others_used_was_predicted_wrongly),
        cmocka_unit_test(a_wrong_prediction_does_not_lower_ship),
        cmocka_unit_test(a_line_that_nobody_used_was_not_predicted_wrongly),
        cmocka_unit_test(a_line_that_others_used_does_not_lower_ship),
        cmocka_unit_test(a_line_that_critical_warps_used_was_predicted_rightly),
        cmocka_unit_test(non_critical_lines_do_not_lower_ccbp),
        cmocka_unit_test(every_critical_hit_raises_ccbp),
        cmocka_unit_test(ccbp_saturates_at_3),
        cmocka_unit_test(ccbp_does_not_fall_below_0),
        cmocka_unit_test(lines_that_stores_remove_lower_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
