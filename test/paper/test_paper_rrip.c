/* Replacement by predicted re-reference intervals, on the cache itself. Expectations are derived
 * from the sentences above them.
 * RRIP = A. Jaleel et al.: High performance cache replacement using re-reference interval
 * prediction (RRIP). ISCA 2010. SHiP = C.-J. Wu et al.: SHiP: signature-based hit predictor for
 * high performance caching. MICRO 2011; S3 (S.-Y. Lee, PhD thesis, Arizona State University 2017)
 * uses both in section 4.2.3: "long (re-reference prediction value = 2) versus [...] distance (=
 * 3)". */
#include "paper/l1d_stage.h"

enum { A = 1, B, OTHER, LONG = 2, DISTANT = 3 };

/* Where a line of the instruction comes in, in a set of two empty ways. Two lines that were hit are
 * at 0; the next insertion lets both grow to 3, takes the first way and leaves the second at 3. If
 * it comes in at 2 the second way is the next victim; at 3 it is the first of two equals. */
static uint32_t position_of(struct l1d *c, uint32_t set, uint32_t pc)
{
    enum { X, Y };
    for (int round = 0; round < 2; round++) {
        load(c, set, X, OTHER);
        load(c, set, Y, OTHER);
    }
    uint32_t inserted = c->n_fresh;
    assert_int_equal(load_fresh(c, set, pc), CACHE_MISS);
    assert_int_equal(c->victim, X);
    assert_int_equal(load_fresh(c, set, OTHER), CACHE_MISS);
    assert_true(c->victim == Y || c->victim == (int)inserted);
    return c->victim == Y ? LONG : DISTANT;
}

/* --- SRRIP --- */

/* RRIP section 3, 2 bits, hit priority. Lines a1 and a2 are used twice, then b1 to b4 are a scan:
 *     way    a1 a2 a2 a1  b1 b2   b3        b4
 *      0     2  2  2  0   0  0    1         1       a1
 *      1        2  0  0   0  0    1         1       a2
 *      2                  2  2    3 -> 2    2       b1, then b3
 *      3                     2    3         3 -> 2  b2, then b4
 * so that a1 and a2 still hit, where LRU has replaced them. */
static void srrip_keeps_what_was_used_through_a_scan(void **state)
{
    (void)state;
    enum { A1, A2, B1, B2, B3, B4 };
    struct l1d c;
    l1d_init(&c, "srrip", "", 1, 4);
    load(&c, 0, A1, A);
    load(&c, 0, A2, A);
    assert_int_equal(load(&c, 0, A2, A), CACHE_HIT);
    assert_int_equal(load(&c, 0, A1, A), CACHE_HIT);
    load(&c, 0, B1, A);
    load(&c, 0, B2, A);
    load(&c, 0, B3, A);
    assert_int_equal(c.victim, B1);
    load(&c, 0, B4, A);
    assert_int_equal(c.victim, B2);
    assert_int_equal(load(&c, 0, A1, A), CACHE_HIT);
    assert_int_equal(load(&c, 0, A2, A), CACHE_HIT);
    l1d_destroy(&c);
}

/* SRRIP inserts every line with an RRPV of 2^M - 2, which is 2. */
static void srrip_inserts_at_long(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "srrip", "", 64, 2);
    for (uint32_t set = 0; set < 64; set++)
        assert_int_equal(position_of(&c, set, A), LONG);
    l1d_destroy(&c);
}

/* The victim is the first line, from the left, whose RRPV is 2^M - 1; where there is none all grow
 * by 1 until there is one. */
static void the_first_distant_line_is_the_victim(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "srrip", "", 1, 4);
    for (uint32_t line = 0; line < 4; line++)
        load(&c, 0, line, A); /* all at 2 */
    load(&c, 0, 0, A);        /* 0 at 0 */
    load_fresh(&c, 0, A);     /* the others at 3: the first of them */
    assert_int_equal(c.victim, 1);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 2);
    l1d_destroy(&c);
}

/* --- BRRIP --- */

/* BRRIP inserts most lines at 2^M - 1 and a few at 2^M - 2: one of 32. */
static void brrip_inserts_one_of_32_at_long(void **state)
{
    (void)state;
    for (uint32_t n_before = 0; n_before < 64; n_before++) {
        struct l1d c;
        l1d_init(&c, "brrip", "", 3, 2);
        for (uint32_t i = 0; i < n_before; i++)
            load_fresh(&c, 2, A);
        /* two more before the one that is looked at */
        assert_int_equal(position_of(&c, 0, A), (n_before + 3) % 32 ? DISTANT : LONG);
        l1d_destroy(&c);
    }
}

/* --- DRRIP: set dueling. With eight sets, one leads SRRIP (0) and one leads BRRIP (4). --- */

enum { N_SETS = 8, SRRIP_SET = 0, BRRIP_SET = 4, FOLLOWER = 1 };

static void miss(struct l1d *c, uint32_t set, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(load_fresh(c, set, A), CACHE_MISS);
}

/* A few sets are dedicated to each of the two, whatever PSEL says. */
static void leader_sets_keep_their_policy(void **state)
{
    (void)state;
    static const uint32_t missing[] = {SRRIP_SET, BRRIP_SET};
    for (int i = 0; i < 2; i++) {
        struct l1d c;
        l1d_init(&c, "drrip", "brrip_period=1000000", N_SETS, 2);
        miss(&c, missing[i], 100);
        flush(&c); /* empty again, as position_of() wants it */
        assert_int_equal(position_of(&c, SRRIP_SET, A), LONG);
        assert_int_equal(position_of(&c, BRRIP_SET, A), DISTANT);
        l1d_destroy(&c);
    }
}

/* A set that leads BRRIP inserts at 2^M - 2 as rarely as BRRIP: one of 32. Two lines more come
 * before the one that is looked at. */
static void drrip_inserts_as_brrip_does(void **state)
{
    (void)state;
    for (uint32_t n_before = 0; n_before < 64; n_before++) {
        struct l1d c;
        l1d_init(&c, "drrip", "", N_SETS, 2);
        miss(&c, BRRIP_SET, n_before);
        flush(&c);
        assert_int_equal(position_of(&c, BRRIP_SET, A), (n_before + 3) % 32 ? DISTANT : LONG);
        l1d_destroy(&c);
    }
}

/* A miss in a set of the one raises PSEL, a miss in a set of the other lowers it; all other sets do
 * as the one that misses less. PSEL starts in the middle, at 512 of 1024. */
static uint32_t followers_after(uint32_t n_srrip_misses, uint32_t n_brrip_misses)
{
    struct l1d c;
    l1d_init(&c, "drrip", "brrip_period=1000000", N_SETS, 2);
    miss(&c, SRRIP_SET, n_srrip_misses);
    miss(&c, BRRIP_SET, n_brrip_misses);
    uint32_t position = position_of(&c, FOLLOWER, A);
    l1d_destroy(&c);
    return position;
}

static void followers_take_the_policy_that_misses_less(void **state)
{
    (void)state;
    assert_int_equal(followers_after(0, 1), LONG);
    assert_int_equal(followers_after(1, 0), DISTANT);
    assert_int_equal(followers_after(20, 20), DISTANT); /* the middle, as at the start */
    assert_int_equal(followers_after(20, 21), LONG);
}

/* PSEL saturates, with 10 bits: after 2000 misses of BRRIP 512 of SRRIP bring it back to the
 * middle. After 2000 of SRRIP it is 1023, and 512 of BRRIP take it below the middle. */
static void psel_saturates(void **state)
{
    (void)state;
    for (uint32_t n = 511; n <= 512; n++) {
        struct l1d c;
        l1d_init(&c, "drrip", "brrip_period=1000000", N_SETS, 2);
        miss(&c, BRRIP_SET, 2000);
        miss(&c, SRRIP_SET, n);
        assert_int_equal(position_of(&c, FOLLOWER, A), n == 512 ? DISTANT : LONG);
        l1d_destroy(&c);
        assert_int_equal(followers_after(2000, n), n == 512 ? LONG : DISTANT);
    }
}

/* --- SHiP --- */

/* Lines of the instruction that leave without reuse; one way, so that each leaves at the next. */
static void waste_lines(struct l1d *c, uint32_t set, uint32_t pc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        load_fresh(c, set, pc);
    load_fresh(c, set, OTHER);
    load_fresh(c, set, OTHER);
}

/* Where the counter (SHCT) of a signature is 0, its lines are predicted to be used in the distant
 * future. A line that leaves without reuse takes 1 from the counter, which starts at 1. */
static void ship_inserts_at_distant_once_lines_are_wasted(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ship", "", 4, 2);
    assert_int_equal(position_of(&c, 0, A), LONG);
    l1d_destroy(&c);
    l1d_init(&c, "ship", "", 4, 2);
    waste_lines(&c, 1, A, 1);
    assert_int_equal(position_of(&c, 0, A), DISTANT);
    assert_int_equal(position_of(&c, 2, B), LONG); /* of that instruction alone */
    l1d_destroy(&c);
}

/* A hit adds 1 to the counter of the signature that inserted the line, not of the load that hits:
 * A's counter goes to 0 and back to 1. */
static void ship_learns_from_hits_of_the_lines_it_inserted(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ship", "", 4, 2);
    load(&c, 3, 0, A);
    waste_lines(&c, 1, A, 1);
    assert_int_equal(load(&c, 3, 0, B), CACHE_HIT);
    assert_int_equal(position_of(&c, 0, A), LONG);
    l1d_destroy(&c);
}

/* A line that leaves without reuse takes 1: after two hits the counter is 3, its most, and three
 * such lines bring it to 0, two do not. */
static void ship_unlearns_by_1(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 3; n++) {
        struct l1d c;
        l1d_init(&c, "ship", "", 4, 2);
        load(&c, 3, 0, A);
        for (int i = 0; i < 5; i++)
            assert_int_equal(load(&c, 3, 0, B), CACHE_HIT);
        waste_lines(&c, 1, A, n);
        assert_int_equal(position_of(&c, 0, A), n == 3 ? DISTANT : LONG);
        l1d_destroy(&c);
    }
}

/* SHiP changes where lines come in, nothing else: a hit promotes the line as in SRRIP, so the other
 * line leaves. */
static void ship_promotes_at_a_hit(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ship", "", 1, 2);
    load(&c, 0, 0, A);
    load(&c, 0, 1, A);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    load_fresh(&c, 0, A);
    assert_int_equal(c.victim, 1);
    l1d_destroy(&c);
}

/* Only a line that leaves without reuse lowers the counter. */
static void ship_does_not_unlearn_when_a_used_line_leaves(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ship", "counter_bits=1", 4, 2); /* 0 or 1 */
    load(&c, 1, 0, A);
    load(&c, 1, 0, A);
    int victim = NO_VICTIM;
    for (int i = 0; victim != 0; i++) { /* by lines that are used too, so that they stay */
        assert_true(i < 100);
        load_fresh(&c, 1, OTHER);
        victim = c.victim;
        assert_int_equal(load(&c, 1, c.n_fresh - 1, OTHER), CACHE_HIT);
    }
    assert_int_equal(position_of(&c, 0, A), LONG);
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srrip_keeps_what_was_used_through_a_scan),
        cmocka_unit_test(srrip_inserts_at_long),
        cmocka_unit_test(the_first_distant_line_is_the_victim),
        cmocka_unit_test(brrip_inserts_one_of_32_at_long),
        cmocka_unit_test(leader_sets_keep_their_policy),
        cmocka_unit_test(drrip_inserts_as_brrip_does),
        cmocka_unit_test(followers_take_the_policy_that_misses_less),
        cmocka_unit_test(psel_saturates),
        cmocka_unit_test(ship_inserts_at_distant_once_lines_are_wasted),
        cmocka_unit_test(ship_learns_from_hits_of_the_lines_it_inserted),
        cmocka_unit_test(ship_unlearns_by_1),
        cmocka_unit_test(ship_promotes_at_a_hit),
        cmocka_unit_test(ship_does_not_unlearn_when_a_used_line_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
