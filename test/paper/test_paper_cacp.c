/* Criticality-aware cache prioritisation, on the cache itself. Expectations are derived from the
 * sentences and lines above them.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.3, Algorithms 7 to 9.
 *
 * Sets have four ways, two of them critical (ways 0 and 1), unless it says otherwise. They are
 * filled with lines 0 to 3 of the instruction BASE first. Bit 7 of the addresses of set 0 is 0, so
 * signatures are PCs there. S3 gives neither Threshold nor what counters start at; both are 1. */
#include "paper/l1d_stage.h"

enum { BASE = 10, A, B, C };

static void fill_set(struct l1d *c)
{
    cache_flush(c->cache, NULL, NULL); /* teaches nothing: nothing is replaced */
    for (uint32_t line = 0; line < 4; line++)
        load(c, 0, line, BASE);
}

static void cacp_init(struct l1d *c)
{
    l1d_init(c, "cacp", "", 2, 4);
    fill_set(c);
}

static enum cache_answer load_as(struct l1d *c, bool critical, uint32_t line, uint32_t pc)
{
    c->critical = critical;
    enum cache_answer answer = load(c, 0, line, pc);
    c->critical = false;
    return answer;
}

/* A line of the instruction is hit n times. It is in set 1, whose addresses have bit 7 set: the PC
 * that has the same signature there. */
static void hit_lines(struct l1d *c, bool critical, uint32_t pc, uint32_t n)
{
    uint32_t line = c->n_fresh++;
    load(c, 1, line, pc ^ 128);
    c->critical = critical;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(load(c, 1, line, BASE), CACHE_HIT);
    c->critical = false;
}

/* CCBP of the instruction rises by n. */
static void critical_hits(struct l1d *c, uint32_t pc, uint32_t n)
{
    hit_lines(c, true, pc, n);
}

/* Does a line of the instruction go to the critical partition? It replaces one of lines 0 and 1
 * then, otherwise one of 2 and 3. */
static bool inserts_as_critical(struct l1d *c, uint32_t pc)
{
    fill_set(c);
    load_fresh(c, 0, pc);
    assert_in_range(c->victim, 0, 3);
    return c->victim < 2;
}

/* --- Algorithm 7, at a miss --- */

/* Line 4: "if CCBP[line.signature] > Threshold": one more than at the start. */
static void lines_of_critical_signatures_are_critical(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    assert_false(inserts_as_critical(&c, A));
    critical_hits(&c, A, 1);
    assert_true(inserts_as_critical(&c, A));
    assert_false(inserts_as_critical(&c, B));
    l1d_destroy(&c);
}

/* "CACP achieves the best overall performance when 8 out of 16 ways are dedicated to critical cache
 * blocks": the default; neither kind of line replaces one of the other partition. */
static void half_of_16_ways_are_critical(void **state)
{
    (void)state;
    for (int critical = 0; critical < 2; critical++) {
        struct l1d c;
        l1d_init(&c, "cacp", "", 2, 16);
        for (uint32_t line = 0; line < 16; line++)
            load(&c, 0, line, BASE);
        if (critical)
            critical_hits(&c, A, 3);
        for (uint32_t n = 0; n < 8; n++) {
            load_fresh(&c, 0, A);
            if (c.victim < 16)
                assert_int_equal(c.victim < 8, critical);
        }
        l1d_destroy(&c);
    }
}

/* "XOR-ing the lower 8 bits of an instruction PC and the lower 8 bits of the memory address": PCs
 * 256 apart share a counter, and PC 11 at an address whose bit 7 is set has that of PC 139. */
static void a_signature_has_8_bits(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    critical_hits(&c, A, 1);
    assert_true(inserts_as_critical(&c, A + 256));
    assert_false(inserts_as_critical(&c, A + 128));
    l1d_destroy(&c);
}

static void a_signature_has_the_address_in_it(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    load_as(&c, false, 20, A);
    assert_int_equal(load_as(&c, true, 20, BASE), CACHE_HIT); /* CCBP[A] */
    for (uint32_t line = 0; line < 4; line++)
        load(&c, 1, line, BASE);
    load_fresh(&c, 1, A); /* signature A ^ 128 */
    assert_true(c.victim >= 2);
    load_fresh(&c, 1, A ^ 128);
    assert_true(c.victim < 2);
    l1d_destroy(&c);
}

/* Lines 7 and 11, "set SHiP insertion position": "long (= 2) versus [...] distance (= 3)". Both
 * ways of a partition are at 0; the line of the instruction takes the first, and the second is left
 * at 3. If it came in at 2 the next victim is the second way, if at 3 it is itself, being the first
 * of two equals. */
static uint32_t position_of(struct l1d *c, uint32_t pc)
{
    fill_set(c);
    for (uint32_t line = 0; line < 4; line++)
        load(c, 0, line, BASE);
    uint32_t inserted = c->n_fresh;
    load_fresh(c, 0, pc);
    assert_int_equal(c->victim % 2, 0);
    load_fresh(c, 0, pc);
    return c->victim == (int)inserted ? 3 : 2;
}

/* A line of the instruction is replaced without reuse; the other one's go to its partition too. */
static void waste_line(struct l1d *c, uint32_t pc, uint32_t other)
{
    fill_set(c);
    uint32_t line = c->n_fresh;
    load_fresh(c, 0, pc);
    for (int i = 0; c->victim != (int)line; i++) {
        assert_true(i < 100);
        load_fresh(c, 0, other);
    }
}

/* Algorithm 9, lines 5 to 7: "no reuse: SHiP[line.signature]--", from 1 at the start to 0. */
static void lines_without_reuse_lower_ship(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    waste_line(&c, A, C);
    assert_int_equal(position_of(&c, A), 3);
    assert_int_equal(position_of(&c, B), 2);
    l1d_destroy(&c);
}

/* Algorithm 8, lines 12 and 16: SHiP rises at every hit, of critical warps and of others, to 2
 * here: one line without reuse leaves it at 1, two at 0. */
static void hits_of_all_warps_raise_ship(void **state)
{
    (void)state;
    for (int critical = 0; critical < 2; critical++)
        for (uint32_t n_wasted = 0; n_wasted <= 2; n_wasted++) {
            struct l1d c;
            cacp_init(&c);
            hit_lines(&c, critical, A, 1);
            hit_lines(&c, critical, B, 2);
            for (uint32_t i = 0; i < n_wasted; i++)
                waste_line(&c, A, B);
            assert_int_equal(position_of(&c, A), n_wasted == 2 ? 3 : 2);
            l1d_destroy(&c);
        }
}

/* --- Algorithm 8, at a hit --- */

/* Lines 3 to 7, "set RRIP promotion position": a line that was hit outlives one that was not. */
static void a_hit_promotes_the_line(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    load(&c, 0, 2, BASE);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 3);
    l1d_destroy(&c);
}

/* Line 8: "if IsCriticalWarp(req.WarpID)": hits of others do not raise CCBP. */
static void hits_of_other_warps_do_not_make_lines_critical(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    hit_lines(&c, false, A, 5);
    assert_false(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

/* Line 11: CCBP[line.signature], that of the instruction that brought the line. */
static void a_critical_hit_teaches_the_lines_own_signature(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    load(&c, 1, 0, A ^ 128);
    c.critical = true;
    assert_int_equal(load(&c, 1, 0, B ^ 128), CACHE_HIT);
    c.critical = false;
    assert_true(inserts_as_critical(&c, A));
    assert_false(inserts_as_critical(&c, B));
    l1d_destroy(&c);
}

/* --- Algorithm 9, at an eviction --- */

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

/* A line of A in the critical partition, used by a critical warp and by others as said, leaves. */
static void let_critical_line_leave(struct l1d *c, bool by_critical, bool by_other)
{
    uint32_t line = c->n_fresh++;
    load(c, 0, line, A);
    assert_true(c->victim < 2 || c->victim >= 1000);
    if (by_critical)
        assert_int_equal(load_as(c, true, line, BASE), CACHE_HIT);
    if (by_other)
        assert_int_equal(load_as(c, false, line, BASE), CACHE_HIT);
    drive_out(c, line, B, true);
}

/* CCBP of A is 2, the least that is critical, and B is critical for good. */
static void start_with_critical_signatures(struct l1d *c)
{
    cacp_init(c);
    critical_hits(c, A, 1);
    critical_hits(c, B, 2);
}

/* Lines 2 to 4: "(c_reuse == FALSE) AND (nc_reuse == TRUE) AND (partition == CriticalPartition):
 * incorrect prediction, CCBP--". */
static void a_line_that_only_others_used_was_predicted_wrongly(void **state)
{
    (void)state;
    struct l1d c;
    start_with_critical_signatures(&c);
    let_critical_line_leave(&c, false, true);
    assert_false(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

/* Line 5: an unused line lowers SHiP instead. */
static void a_line_that_nobody_used_was_not_predicted_wrongly(void **state)
{
    (void)state;
    struct l1d c;
    start_with_critical_signatures(&c);
    let_critical_line_leave(&c, false, false);
    assert_true(inserts_as_critical(&c, A));
    l1d_destroy(&c);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_critical_signatures_are_critical),
        cmocka_unit_test(half_of_16_ways_are_critical),
        cmocka_unit_test(a_signature_has_8_bits),
        cmocka_unit_test(a_signature_has_the_address_in_it),
        cmocka_unit_test(lines_without_reuse_lower_ship),
        cmocka_unit_test(hits_of_all_warps_raise_ship),
        cmocka_unit_test(a_hit_promotes_the_line),
        cmocka_unit_test(hits_of_other_warps_do_not_make_lines_critical),
        cmocka_unit_test(a_critical_hit_teaches_the_lines_own_signature),
        cmocka_unit_test(a_line_that_only_others_used_was_predicted_wrongly),
        cmocka_unit_test(a_line_that_nobody_used_was_not_predicted_wrongly),
        cmocka_unit_test(a_line_that_others_used_does_not_lower_ship),
        cmocka_unit_test(a_line_that_critical_warps_used_was_predicted_rightly),
        cmocka_unit_test(non_critical_lines_do_not_lower_ccbp),
        cmocka_unit_test(ccbp_saturates_at_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
