/* What S3 says about CACP at misses and hits (cacp_stage.h). Evictions: test_paper_cacp_evict.c.
 * Expectations are derived from the sentences and lines above them. */
#include "paper/cacp_stage.h"

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

/* Line 4 asks for the signature alone: "if CCBP[line.signature] > Threshold", not for the warp that
 * misses. Of one signature the lines of critical warps and of others go to the same partition. */
static void the_warp_that_misses_does_not_choose_the_partition(void **state)
{
    (void)state;
    for (int critical_warp = 0; critical_warp < 2; critical_warp++) {
        struct l1d c;
        cacp_init(&c);
        assert_false(inserts_as_critical_for(&c, critical_warp, A));
        critical_hits(&c, A, 1);
        assert_true(inserts_as_critical_for(&c, critical_warp, A));
        assert_false(inserts_as_critical_for(&c, critical_warp, B));
        l1d_destroy(&c);
    }
}

/* Lines 7 and 11, in either partition: it is SHiP that sets the position, not the warp that misses.
 * The line that was wasted first has lowered SHiP[A] to 0. */
static void the_warp_that_misses_does_not_choose_the_position(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool critical_warp = i & 1, critical_line = i & 2;
        struct l1d c;
        cacp_init(&c);
        waste_line(&c, A, C);
        assert_int_equal(position_for(&c, critical_warp, 0, A), 3);
        assert_int_equal(position_for(&c, critical_warp, 0, B), 2);
        critical_hits(&c, A, critical_line);
        assert_int_equal(inserts_as_critical(&c, A), critical_line);
        assert_int_equal(position_for(&c, critical_warp, 0, A), critical_line ? 2 : 3);
        l1d_destroy(&c);
    }
}

/* Algorithm 7 changes no counter: misses of critical warps alone never make a signature critical,
 * and leave SHiP where it is: a wasted line brings it to 0. */
static void misses_of_critical_warps_teach_nothing(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    for (int i = 0; i < 10; i++) {
        fill_set(&c);
        load_as(&c, true, c.n_fresh++, A);
    }
    assert_false(inserts_as_critical(&c, A));
    assert_int_equal(position_of(&c, A), 2);
    waste_line(&c, A, C);
    assert_int_equal(position_of(&c, A), 3);
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

/* "CACP partitions the L1 data cache into two parts": a line never replaces one of the other part.
 * Where both ways of its part are in flight a load waits, though the other part has two lines that
 * could leave. */
static void a_load_waits_for_its_own_partition(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    assert_int_equal(ask(&c, 0, 50, A), CACHE_MISS);
    assert_int_equal(ask(&c, 0, 51, A), CACHE_MISS);
    assert_int_equal(ask(&c, 0, 52, A), CACHE_STALLED);
    assert_int_equal(c.stall, STALL_LINE);
    l1d_destroy(&c);
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

/* Algorithm 8, lines 12 and 16: SHiP rises at every hit, of critical warps and of others, from 1 to
 * 2 or to 3, its most (two bits), and Algorithm 9, line 7, takes 1 for each line without reuse,
 * down to 0. */
static void hits_of_all_warps_raise_ship(void **state)
{
    (void)state;
    static const uint32_t hits[] = {1, 2, 5}, counters[] = {2, 3, 3};
    for (int critical = 0; critical < 2; critical++)
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t n_wasted = 0; n_wasted <= counters[k] + 1; n_wasted++) {
                struct l1d c;
                cacp_init(&c);
                hit_lines(&c, critical, A, hits[k]);
                hit_lines(&c, critical, B, 2);
                for (uint32_t i = 0; i < n_wasted; i++)
                    waste_line(&c, A, B);
                assert_int_equal(position_of(&c, A), n_wasted >= counters[k] ? 3 : 2);
                l1d_destroy(&c);
            }
}

/* "SHiP that learns and predicts [...] based on the same signature used for CCBP", the address
 * included: a wasted line of the PC A ^ 128 in set 1, whose addresses have bit 7 set, concerns A in
 * set 0. */
static void ship_has_the_signature_of_ccbp(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    for (uint32_t line = 0; line < 4; line++)
        load(&c, 1, line, BASE);
    uint32_t wasted = c.n_fresh;
    load_fresh(&c, 1, A ^ 128);
    for (uint32_t i = 0; c.victim != (int)wasted; i++) {
        assert_true(i < 20);
        load_fresh(&c, 1, 200 + i);
    }
    assert_int_equal(position_of(&c, A), 3);
    assert_int_equal(position_of(&c, A ^ 128), 2);
    assert_int_equal(position_in(&c, 1, A ^ 128), 3);
    assert_int_equal(position_in(&c, 1, A), 2);
    l1d_destroy(&c);
}

/* --- Algorithm 8, at a hit --- */

/* Lines 3 to 7, "set RRIP promotion position", in either partition: a line that was hit outlives
 * one that was not. */
static void a_hit_promotes_the_line(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    load(&c, 0, 2, BASE);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 3);
    critical_hits(&c, A, 1);
    load(&c, 0, 0, BASE);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 1);
    l1d_destroy(&c);
}

/* Lines 4 and 6: the promotion position of RRIP is 0, whatever the line was at. Line 2 is hit, and
 * line 3 is at 2. When line 3 makes room line 2 grows to 1, and the new line comes in at 2: it is
 * the next to leave. Had the hit left line 2 at 1 it would be at 2 too, and leave as the first of
 * two. */
static void a_hit_promotes_to_0(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    load(&c, 0, 2, BASE);
    uint32_t first = c.n_fresh;
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 3);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, first);
    l1d_destroy(&c);
}

/* "CACP partitions the L1 data cache into two parts": replacement in one leaves the predictions in
 * the other as they are. Line 0 was hit; after many insertions into the other partition line 1 is
 * still the one to leave. */
static void predictions_age_in_their_own_partition(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    critical_hits(&c, A, 1);
    load(&c, 0, 0, BASE);
    for (uint32_t i = 0; i < 20; i++) {
        load_fresh(&c, 0, 100 + i);
        assert_true(c.victim >= 2);
    }
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 1);
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

/* Ours: a load that merges with an outstanding miss is a use, as a hit is; S3 does not mention
 * merges. That of a critical warp raises CCBP of the line's signature. */
static void a_merge_of_a_critical_warp_is_a_use(void **state)
{
    (void)state;
    struct l1d c;
    cacp_init(&c);
    assert_int_equal(ask(&c, 1, 50, A ^ 128), CACHE_MISS);
    c.critical = true;
    assert_int_equal(ask(&c, 1, 50, BASE), CACHE_MERGE);
    c.critical = false;
    come(&c, 1, 50);
    assert_true(inserts_as_critical(&c, A));
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_critical_signatures_are_critical),
        cmocka_unit_test(the_warp_that_misses_does_not_choose_the_partition),
        cmocka_unit_test(the_warp_that_misses_does_not_choose_the_position),
        cmocka_unit_test(misses_of_critical_warps_teach_nothing),
        cmocka_unit_test(half_of_16_ways_are_critical),
        cmocka_unit_test(a_load_waits_for_its_own_partition),
        cmocka_unit_test(a_signature_has_8_bits),
        cmocka_unit_test(a_signature_has_the_address_in_it),
        cmocka_unit_test(hits_of_all_warps_raise_ship),
        cmocka_unit_test(ship_has_the_signature_of_ccbp),
        cmocka_unit_test(a_hit_promotes_the_line),
        cmocka_unit_test(a_hit_promotes_to_0),
        cmocka_unit_test(predictions_age_in_their_own_partition),
        cmocka_unit_test(hits_of_other_warps_do_not_make_lines_critical),
        cmocka_unit_test(a_critical_hit_teaches_the_lines_own_signature),
        cmocka_unit_test(a_merge_of_a_critical_warp_is_a_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
