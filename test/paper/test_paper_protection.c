/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What sections 4.1.1 and 2 say about lines and merges under
 * DLP, on the cache itself. Victims: test_paper_victims.c. Expectations are derived from the
 * sentences above them. */
#include "paper/dlp_stage.h"

/* --- 4.1.1: modifications of L1D --- */

/* "A cache line that is originally brought into the cache by instruction 0 [...] is then hit by
 * instructions 1, 2, and 3 sequentially. [...] the Instruction ID field attributes the cache hit to
 * instruction 2 and not instruction 1 or 0." So 0, 1 and 2 have one TDA hit each and 3 has none;
 * with a VTA hit each the first three rise by N_asc * 1, the last by the most there is. */
static void a_hit_belongs_to_the_previous_user(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    uint32_t set = new_set(&d);
    for (uint32_t pc = A; pc <= D; pc++) {
        load(&d.l1d, set, 0, pc);
        hit_in_vta(&d, pc);
    }
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), N_ASC);
    assert_int_equal(pd_of(&d, B), N_ASC);
    assert_int_equal(pd_of(&d, C), N_ASC);
    assert_int_equal(pd_of(&d, D), 15);
    l1d_destroy(&d.l1d);
}

/* "The request will read the PD value [...] for the request's instruction and write this value to
 * the PL field": PDs of A and B are 4 and 15. */
static void the_last_load_of_a_line_says_how_long_it_is_protected(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, B);
    load(&d.l1d, set, 0, A);
    assert_int_equal(drive_out(&d, set), 4 - 1);
    load(&d.l1d, set, 1, A);
    load(&d.l1d, set, 1, B);
    assert_int_equal(drive_out(&d, set), 15 - 1);
    l1d_destroy(&d.l1d);
}

static void a_hit_protects_anew(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(load_fresh(&d.l1d, set, OTHER), CACHE_BYPASSED);
    assert_int_equal(load(&d.l1d, set, 0, A), CACHE_HIT);
    assert_int_equal(drive_out(&d, set), 4 - 1);
    l1d_destroy(&d.l1d);
}

/* PL is "the extra life awarded to the cache line": what a store removes takes its life along. B's
 * PD is 15, that of OTHER, whose line comes into the empty way, is 0. */
static void a_line_in_an_emptied_way_has_its_own_life(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, B);
    store(&d.l1d, set, 0);
    assert_int_equal(load(&d.l1d, set, 1, OTHER), CACHE_MISS);
    assert_int_equal(drive_out(&d, set), 0);
    l1d_destroy(&d.l1d);
}

/* "When a set is queried, PL values of all TDA entries belonging to this set are decreased by 1. If
 * a request needs to be allocated in a set where all TDA entries have positive PL values, the
 * request will be bypassed." Two ways, all PDs 3: x 3; x 2, y 3; z: x 1, y 2; then x 0. */
static void a_query_takes_1_from_every_line_before_the_test(void **state)
{
    (void)state;
    enum { X, Y, Z, NEXT };
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=3", 1, 2);
    assert_int_equal(load(&c, 0, X, A), CACHE_MISS);
    assert_int_equal(load(&c, 0, Y, A), CACHE_MISS);
    assert_int_equal(load(&c, 0, Z, A), CACHE_BYPASSED);
    assert_int_equal(load(&c, 0, NEXT, A), CACHE_MISS);
    assert_int_equal(c.victim, X);
    l1d_destroy(&c);
}

/* A hit queries the set too: it brings the end of the other line's protection nearer. */
static void hits_consume_the_lives_of_other_lines(void **state)
{
    (void)state;
    enum { X, Y };
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=5", 1, 2);
    load(&c, 0, X, A);
    load(&c, 0, Y, A); /* X 4 */
    for (int i = 0; i < 3; i++)
        assert_int_equal(load(&c, 0, Y, A), CACHE_HIT); /* X 3, 2, 1 */
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    assert_int_equal(c.victim, X);
    l1d_destroy(&c);
}

/* Only "when a set is queried": the end of a sample takes nothing from any line, nor do the ends of
 * ten. The PDs stay, as no load hits. */
static void samples_that_end_consume_nothing(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t of_a = new_set(&d), of_b = new_set(&d);
    load(&d.l1d, of_a, 0, A);
    load(&d.l1d, of_b, 0, B);
    for (int i = 0; i < 10; i++)
        end_sample(&d);
    assert_int_equal(drive_out(&d, of_a), 4 - 1);
    assert_int_equal(drive_out(&d, of_b), 15 - 1);
    l1d_destroy(&d.l1d);
}

/* Only "entries belonging to this set". */
static void loads_of_another_set_consume_nothing(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t set = new_set(&d), other = new_set(&d);
    load(&d.l1d, set, 0, A);
    for (int i = 0; i < 30; i++)
        load_fresh(&d.l1d, other, OTHER);
    assert_int_equal(drive_out(&d, set), 4 - 1);
    l1d_destroy(&d.l1d);
}

/* "All TDA entries" must have positive PL values: one that has none is replaced, though it was used
 * after the other: B has a PD, OTHER has none. */
static void the_line_without_a_life_goes_though_it_is_younger(void **state)
{
    (void)state;
    enum { OLD, YOUNG };
    struct l1d c;
    l1d_init(&c, "dlp", "sample_accesses=4", 1, 2);
    load(&c, 0, OLD, B);
    load(&c, 0, YOUNG, OTHER);
    load_fresh(&c, 0, OTHER); /* OLD leaves */
    load(&c, 0, OLD, B);      /* a VTA hit of B: 1 > 0, PD 8; YOUNG leaves */
    load(&c, 0, OLD, B);      /* its life is 8 now */
    load_fresh(&c, 0, OTHER);
    load(&c, 0, YOUNG, OTHER);
    load_fresh(&c, 0, OTHER);
    assert_int_not_equal(c.victim, OLD);
    assert_int_equal(load(&c, 0, OLD, B), CACHE_HIT);
    l1d_destroy(&c);
}

/* A has a PD of 15, by a VTA hit in set 1; set 0 is empty. */
static void start_with_pd_of_15(struct l1d *c, uint32_t n_ways)
{
    enum { N_ACCESSES = 50 };
    l1d_init(c, "dlp", "vta_ways=4 sample_accesses=50", 2, n_ways);
    load(c, 1, 0, A);
    for (uint32_t way = 0; way < n_ways; way++)
        load_fresh(c, 1, OTHER);
    load(c, 1, 0, OTHER);
    while (c->n_loads < N_ACCESSES)
        load_fresh(c, 1, OTHER);
}

/* "All TDA entries", in whichever way; S2's sets have 4 ways, or 8 (Figure 4). One line in a full
 * set has no PD. It was used last, and it is the one that the next load replaces; with all lines
 * protected that load bypasses. */
static void every_way_is_searched_for_a_line_without_a_life(void **state)
{
    (void)state;
    for (uint32_t n_ways = 4; n_ways <= 8; n_ways *= 2)
        for (uint32_t bare = 0; bare <= n_ways; bare++) { /* n_ways: no line */
            struct l1d c;
            start_with_pd_of_15(&c, n_ways);
            for (uint32_t way = 0; way < n_ways; way++)
                assert_int_equal(load(&c, 0, way, way == bare ? OTHER : A), CACHE_MISS);
            if (bare < n_ways)
                assert_int_equal(load(&c, 0, bare, OTHER), CACHE_HIT);
            assert_int_equal(load_fresh(&c, 0, A), bare < n_ways ? CACHE_MISS : CACHE_BYPASSED);
            assert_int_equal(c.victim, bare < n_ways ? (int)bare : NO_VICTIM);
            l1d_destroy(&c);
        }
}

/* "Under the Least Recently Used replacement policy" (3.1): of lines that may be replaced the one
 * that was used longest ago goes. No line has a PD here; line 0 was used again. */
static void of_lines_without_a_life_the_least_recent_goes(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "dlp", "", 1, 3);
    for (uint32_t line = 0; line < 3; line++)
        load(&c, 0, line, A);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    static const int order[] = {1, 2, 0};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
        assert_int_equal(c.victim, order[i]);
    }
    l1d_destroy(&c);
}

/* The same where the least recent line of all is protected: it stays, and the others go in the
 * order of their last uses, not of their ways. */
static void a_protected_line_does_not_change_the_order_of_the_others(void **state)
{
    (void)state;
    enum { PROTECTED };
    struct l1d c;
    start_with_pd_of_15(&c, 4);
    load(&c, 0, PROTECTED, A);
    for (uint32_t line = 1; line < 4; line++)
        load(&c, 0, line, OTHER);
    assert_int_equal(load(&c, 0, 1, OTHER), CACHE_HIT);
    static const int order[] = {2, 3, 1};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(load_fresh(&c, 0, OTHER), CACHE_MISS);
        assert_int_equal(c.victim, order[i]);
    }
    assert_int_equal(load(&c, 0, PROTECTED, A), CACHE_HIT);
    l1d_destroy(&c);
}

/* "These entries within a set will not be permanently locked [...], since a bypassed request also
 * queries and consumes PL values of all entries in this set." */
static void bypassed_loads_release_the_lines(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=15", 1, 4);
    for (uint32_t way = 0; way < 4; way++)
        load(&c, 0, way, A);
    uint32_t n = 0;
    while (load_fresh(&c, 0, A) == CACHE_BYPASSED)
        assert_true(++n < 100);
    assert_int_equal(n, 15 - 1 - 3); /* three others came after the first */
    assert_int_equal(c.victim, 0);
    l1d_destroy(&c);
}

/* Section 2: where "the targeted cache set may have no reservable space left [...] the miss request
 * will be blocked". Y is in flight, and has no life any more: Y 3, 2, 1, 0 while X is loaded and
 * hit twice. X is protected (3, then 2), but not "all TDA entries" are (4.1.1), so the load does
 * not bypass; bypass_reserved is the other reading. */
static void a_load_waits_for_an_unprotected_line_in_flight(void **state)
{
    (void)state;
    enum { X, Y };
    static const char *const words[] = {"pd_init=3", "pd_init=3 bypass_reserved=true"};
    for (int i = 0; i < 2; i++) {
        struct l1d c;
        l1d_init(&c, "dlp", words[i], 1, 2);
        assert_int_equal(ask(&c, 0, Y, A), CACHE_MISS);
        assert_int_equal(load(&c, 0, X, A), CACHE_MISS);
        for (int n = 0; n < 2; n++)
            assert_int_equal(load(&c, 0, X, A), CACHE_HIT);
        assert_int_equal(load_fresh(&c, 0, A), i ? CACHE_BYPASSED : CACHE_STALLED);
        if (!i)
            assert_int_equal(c.stall, STALL_LINE);
        l1d_destroy(&c);
    }
}

/* --- 2 and 4.1.3: merges --- */

/* A VTA hit of A, and loads of a line that is still in flight. */
static uint32_t pd_with_merges(const char *words, uint32_t n_merges)
{
    struct dlp d;
    dlp_init(&d, "dlp", words);
    hit_in_vta(&d, A);
    uint32_t set = new_set(&d);
    ask(&d.l1d, set, 0, A);
    for (uint32_t i = 0; i < n_merges; i++)
        assert_int_equal(ask(&d.l1d, set, 0, A), CACHE_MERGE);
    come(&d.l1d, set, 0);
    end_sample(&d);
    uint32_t pd = pd_of(&d, A);
    l1d_destroy(&d.l1d);
    return pd;
}

/* Section 2: "If the request is a hit, the L1D cache immediately responds [...]. Otherwise, it
 * inspects the Miss Status Holding Registers": a merge is no hit. 4.1.3: "When there is a hit in
 * the TDA or the VTA, the value [...] will be increased by 1." With merges counted 1 VTA hit is not
 * more than 1 TDA hit. */
static void merges_are_no_hits(void **state)
{
    (void)state;
    assert_int_equal(pd_with_merges("vta_ways=4", 1), 15);
    assert_int_equal(pd_with_merges("vta_ways=4", 5), 15);
    assert_int_equal(pd_with_merges("vta_ways=4 count_merges=true", 0), 15);
    assert_int_equal(pd_with_merges("vta_ways=4 count_merges=true", 1), 0);
}

/* 4.1.1: "When a set is queried": a merge queries it. */
static void merges_consume_the_lives_of_other_lines(void **state)
{
    (void)state;
    enum { X, Y };
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=5", 1, 2);
    load(&c, 0, X, A);
    ask(&c, 0, Y, A); /* X 4 */
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask(&c, 0, Y, A), CACHE_MERGE); /* X 3, 2, 1 */
    come(&c, 0, Y);
    assert_int_equal(load_fresh(&c, 0, OTHER), CACHE_MISS); /* X 0 */
    assert_int_equal(c.victim, X);
    l1d_destroy(&c);
}

/* 4.1.1: "Every time a memory request accesses the L1D cache" it writes PL: 5 after the last one.
 */
static void merges_protect_anew(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "pd_init=5");
    uint32_t set = new_set(&d);
    ask(&d.l1d, set, 0, A);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask(&d.l1d, set, 0, A), CACHE_MERGE);
    come(&d.l1d, set, 0);
    assert_int_equal(drive_out(&d, set), 5 - 1);
    l1d_destroy(&d.l1d);
}

/* The PL written is that of the request that merges, also where it is the lower one: B's 15 become
 * A's 4. */
static void a_merge_writes_a_lower_distance_too(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    uint32_t set = new_set(&d);
    assert_int_equal(ask(&d.l1d, set, 0, B), CACHE_MISS);
    assert_int_equal(ask(&d.l1d, set, 0, A), CACHE_MERGE);
    come(&d.l1d, set, 0);
    assert_int_equal(drive_out(&d, set), 4 - 1);
    l1d_destroy(&d.l1d);
}

/* 4.1.1: "the hit is attributed to the previous instruction that used this cache line", which is
 * the one that merged. A and B have a VTA hit each; B's TDA hit makes its ratio 1, A keeps the
 * most. */
static void a_merge_is_a_use_of_the_line(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    hit_in_vta(&d, A);
    hit_in_vta(&d, B);
    uint32_t set = new_set(&d);
    ask(&d.l1d, set, 0, A);
    assert_int_equal(ask(&d.l1d, set, 0, B), CACHE_MERGE);
    come(&d.l1d, set, 0);
    assert_int_equal(load(&d.l1d, set, 0, OTHER), CACHE_HIT);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 15);
    assert_int_equal(pd_of(&d, B), N_ASC);
    l1d_destroy(&d.l1d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_belongs_to_the_previous_user),
        cmocka_unit_test(the_last_load_of_a_line_says_how_long_it_is_protected),
        cmocka_unit_test(a_hit_protects_anew),
        cmocka_unit_test(a_line_in_an_emptied_way_has_its_own_life),
        cmocka_unit_test(a_query_takes_1_from_every_line_before_the_test),
        cmocka_unit_test(hits_consume_the_lives_of_other_lines),
        cmocka_unit_test(samples_that_end_consume_nothing),
        cmocka_unit_test(loads_of_another_set_consume_nothing),
        cmocka_unit_test(the_line_without_a_life_goes_though_it_is_younger),
        cmocka_unit_test(every_way_is_searched_for_a_line_without_a_life),
        cmocka_unit_test(of_lines_without_a_life_the_least_recent_goes),
        cmocka_unit_test(a_protected_line_does_not_change_the_order_of_the_others),
        cmocka_unit_test(bypassed_loads_release_the_lines),
        cmocka_unit_test(a_load_waits_for_an_unprotected_line_in_flight),
        cmocka_unit_test(merges_are_no_hits),
        cmocka_unit_test(merges_consume_the_lives_of_other_lines),
        cmocka_unit_test(merges_protect_anew),
        cmocka_unit_test(a_merge_writes_a_lower_distance_too),
        cmocka_unit_test(a_merge_is_a_use_of_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
