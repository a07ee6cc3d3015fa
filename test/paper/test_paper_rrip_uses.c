/* What is a use of a line for RRIP and SHiP, and when predictions grow, on the cache itself.
 * Expectations are derived from the sentences above them.
 * RRIP = A. Jaleel et al.: High performance cache replacement using re-reference interval
 * prediction (RRIP). ISCA 2010. SHiP = C.-J. Wu et al.: SHiP: signature-based hit predictor for
 * high performance caching. MICRO 2011. Positions: test_paper_rrip.c. */
#include "paper/l1d_stage.h"

enum { A = 1, B };

/* RRIP section 3, hit priority: a hit sets the RRPV to 0, whatever it was. Line 0, hit once, is at
 * 0 and line 1 at 2. When line 1 makes room, line 0 grows to 1 and line 2 comes in at 2; it is the
 * next to leave. */
static void a_hit_promotes_to_0(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "srrip", "", 1, 2);
    load(&c, 0, 0, A);
    load(&c, 0, 1, A);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    load(&c, 0, 2, A);
    assert_int_equal(c.victim, 1);
    load(&c, 0, 3, A);
    assert_int_equal(c.victim, 2);
    l1d_destroy(&c);
}

/* RRPVs grow where a victim is searched, not where a store removes a line. Line 0 is at 0 and line
 * 2 comes into the empty way at 2. Line 3 drives it out (1, 2), line 4 drives out line 3 (2, 2);
 * had the store let line 0 grow it would have left instead. */
static void lines_do_not_age_where_stores_remove_others(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "srrip", "", 1, 2);
    load(&c, 0, 0, A);
    load(&c, 0, 1, A);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    store(&c, 0, 1);
    load(&c, 0, 2, A);
    load(&c, 0, 3, A);
    assert_int_equal(c.victim, 2);
    load(&c, 0, 4, A);
    assert_int_equal(c.victim, 3);
    l1d_destroy(&c);
}

/* Ours: a line whose data are still on their way is no victim, though it came in at 3 (brrip) and
 * the other line, hit, is at 0. */
static void a_line_in_flight_is_no_victim(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "brrip", "", 1, 2);
    assert_int_equal(ask(&c, 0, 0, A), CACHE_MISS);
    load(&c, 0, 1, A);
    assert_int_equal(load(&c, 0, 1, A), CACHE_HIT);
    assert_int_equal(load(&c, 0, 2, A), CACHE_MISS);
    assert_int_equal(c.victim, 1);
    l1d_destroy(&c);
}

/* Ours: a load that merges with the miss of its line is a use, as a hit is: line 0 is at 0 when it
 * comes, so line 1, at 2, is the first to leave. */
static void a_merge_promotes(void **state)
{
    (void)state;
    static const char *const names[] = {"srrip", "brrip", "drrip", "ship"};
    for (uint32_t i = 0; i < 4; i++) {
        struct l1d c;
        l1d_init(&c, names[i], "", 8, 2);
        assert_int_equal(ask(&c, 0, 0, A), CACHE_MISS);
        assert_int_equal(ask(&c, 0, 0, B), CACHE_MERGE);
        come(&c, 0, 0);
        load(&c, 0, 1, A);
        load(&c, 0, 2, A);
        assert_int_equal(c.victim, 1);
        l1d_destroy(&c);
    }
}

/* SHiP: the counter falls by a line that is "evicted" without reuse. Ours: one that a store removes
 * is not evicted by the policy. Line 1 comes into way 0 at 2, and A's line at 2 too, not at 3: the
 * first of two equals leaves. */
static void ship_learns_nothing_where_stores_remove_lines(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ship", "", 1, 2);
    load(&c, 0, 0, A);
    store(&c, 0, 0);
    load(&c, 0, 1, B);
    load(&c, 0, 2, A);
    load(&c, 0, 3, B);
    assert_int_equal(c.victim, 1);
    l1d_destroy(&c);
}

/* Ours: SHiP has 256 counters here. A's is 0; an instruction 256 apart has the same, one 128 apart
 * its own. Line 0 and the line looked at are at 2 and at 3, or both at 2. */
static void ship_has_256_counters(void **state)
{
    (void)state;
    static const uint32_t distances[] = {128, 256};
    for (uint32_t i = 0; i < 2; i++) {
        struct l1d c;
        l1d_init(&c, "ship", "", 2, 2);
        load_fresh(&c, 0, A);
        load_fresh(&c, 0, B);
        load_fresh(&c, 0, B); /* replaces A's line, which was not used */
        load(&c, 1, 0, B);
        load(&c, 1, 1, A + distances[i]);
        load(&c, 1, 2, B);
        assert_int_equal(c.victim, distances[i] == 256);
        l1d_destroy(&c);
    }
}

/* --- DRRIP's set dueling: what counts --- */

/* A line that was hit outlives five that come in at 3, and not five that come in at 2. */
static bool inserts_at_3(struct l1d *c, uint32_t set)
{
    load(c, set, 0, A);
    load(c, set, 0, A);
    for (int i = 0; i < 5; i++)
        load_fresh(c, set, A);
    return load(c, set, 0, A) == CACHE_HIT;
}

/* RRIP section 4: "a few" sets are dedicated to each policy. Ours: one of eight; of 16 sets 0 and 8
 * to SRRIP. A miss in set 8 takes PSEL from 511 to 512, and set 1 follows BRRIP. */
static void one_set_of_eight_leads_each_policy(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "drrip", "psel_init=511", 16, 2);
    assert_false(inserts_at_3(&c, 1));
    load_fresh(&c, 8, A);
    assert_true(inserts_at_3(&c, 1));
    l1d_destroy(&c);
}

/* PSEL counts misses that insert: a store that misses, and goes past the cache, does not count. */
static void stores_do_not_duel(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "drrip", "psel_init=511", 16, 2);
    store(&c, 8, 5);
    assert_false(inserts_at_3(&c, 1));
    l1d_destroy(&c);
}

/* One of 32 of BRRIP's insertions is at 2: those of SRRIP, 31 here, do not count. Set 4 leads
 * BRRIP: both lines come in at 3, and the first leaves; were one the 32nd, it would stay. */
static void only_its_own_insertions_count_for_brrip(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "drrip", "psel_init=0", 8, 2);
    for (int i = 0; i < 31; i++)
        load_fresh(&c, 1, A);
    load(&c, 4, 0, A);
    load(&c, 4, 1, A);
    load(&c, 4, 2, A);
    assert_int_equal(c.victim, 0);
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_promotes_to_0),
        cmocka_unit_test(lines_do_not_age_where_stores_remove_others),
        cmocka_unit_test(a_line_in_flight_is_no_victim),
        cmocka_unit_test(a_merge_promotes),
        cmocka_unit_test(ship_learns_nothing_where_stores_remove_lines),
        cmocka_unit_test(ship_has_256_counters),
        cmocka_unit_test(one_set_of_eight_leads_each_policy),
        cmocka_unit_test(stores_do_not_duel),
        cmocka_unit_test(only_its_own_insertions_count_for_brrip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
