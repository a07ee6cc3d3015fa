/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What sections 4.1.1, 4.1.2 and 2 say about lines, their
 * victims and merges under DLP, on the cache itself. Expectations are derived from the sentences
 * above them. */
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

/* --- 4.1.2: the victim tag array --- */

/* "Similar to the TDA, we add an instruction ID field for each victim entry": the VTA hit is that
 * of the instruction that used the line last, not of the load that finds the tag (OTHER). */
static void a_vta_hit_belongs_to_the_instruction_of_the_victim(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    hit_in_vta(&d, A);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 15);
    assert_int_equal(pd_of(&d, OTHER), 0);
    l1d_destroy(&d.l1d);
}

/* "All tags in the VTA are received from evicted cache lines in the TDA": not from bypassed loads,
 * nor from lines that a store removes. */
static void bypassed_lines_leave_no_tag(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 pd_init=4");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    assert_int_equal(load(&d.l1d, set, 1, B), CACHE_BYPASSED);
    assert_int_equal(load(&d.l1d, set, 1, B), CACHE_BYPASSED);
    end_sample(&d);
    assert_int_equal(pd_of(&d, B), 4); /* no hits of either kind: as it was */
    l1d_destroy(&d.l1d);
}

static void stores_leave_no_tag(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    load(&d.l1d, new_set(&d), 0, A);
    store(&d.l1d, d.n_used - 1, 0);
    assert_int_equal(load(&d.l1d, d.n_used - 1, 0, A), CACHE_MISS);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 0);
    l1d_destroy(&d.l1d);
}

/* "The entries in a set are replaced in the VTA by a LRU policy": of three victims two ways keep
 * the last two. Returns the PD of the instruction of the first, second or third. */
static uint32_t pd_after_three_victims(uint32_t asked_for)
{
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=2");
    uint32_t set = new_set(&d);
    for (uint32_t line = 0; line < 4; line++)
        load(&d.l1d, set, line, A + line);
    load(&d.l1d, set, asked_for, OTHER);
    end_sample(&d);
    uint32_t pd = pd_of(&d, A + asked_for);
    l1d_destroy(&d.l1d);
    return pd;
}

static void the_vta_forgets_the_least_recent_victim(void **state)
{
    (void)state;
    assert_int_equal(pd_after_three_victims(0), 0);
    assert_int_equal(pd_after_three_victims(1), 2 * 4);
    assert_int_equal(pd_after_three_victims(2), 2 * 4);
}

/* LRU: a tag that was found is the most recent one. PDs of 2 let every other load in. Lines 0 and 1
 * leave; a bypassed load finds 0, so that 1 makes room when line 2 leaves. */
static void a_found_tag_is_the_most_recent(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=2 pd_init=2");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    for (uint32_t line = 1; line <= 2; line++) {
        assert_int_equal(load_fresh(&d.l1d, set, OTHER), CACHE_BYPASSED);
        assert_int_equal(load(&d.l1d, set, line, A + line), CACHE_MISS);
    }
    assert_int_equal(load(&d.l1d, set, 0, OTHER), CACHE_BYPASSED); /* a VTA hit of A */
    assert_int_equal(load(&d.l1d, set, 3, D), CACHE_MISS);
    assert_int_equal(load(&d.l1d, set, 1, OTHER), CACHE_BYPASSED); /* none of B */
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 2 + 2 * 4);
    assert_int_equal(pd_of(&d, B), 2);
    l1d_destroy(&d.l1d);
}

/* "When a memory request fails to hit any lines in the TDA, it will continue searching in the VTA":
 * whether it is inserted then or bypassed. */
static void a_bypassed_load_searches_the_vta(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 pd_init=4");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    drive_out(&d, set);
    assert_int_equal(load(&d.l1d, set, 0, A), CACHE_BYPASSED);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 15);
    l1d_destroy(&d.l1d);
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
 * inspects the MSHRs": a merge is no hit. 4.1.3: "When there is a hit in the TDA or the VTA, the
 * value [...] will be increased by 1." With merges counted 1 VTA hit is not more than 1 TDA hit. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_belongs_to_the_previous_user),
        cmocka_unit_test(the_last_load_of_a_line_says_how_long_it_is_protected),
        cmocka_unit_test(a_hit_protects_anew),
        cmocka_unit_test(a_query_takes_1_from_every_line_before_the_test),
        cmocka_unit_test(hits_consume_the_lives_of_other_lines),
        cmocka_unit_test(loads_of_another_set_consume_nothing),
        cmocka_unit_test(the_line_without_a_life_goes_though_it_is_younger),
        cmocka_unit_test(bypassed_loads_release_the_lines),
        cmocka_unit_test(a_vta_hit_belongs_to_the_instruction_of_the_victim),
        cmocka_unit_test(bypassed_lines_leave_no_tag),
        cmocka_unit_test(stores_leave_no_tag),
        cmocka_unit_test(the_vta_forgets_the_least_recent_victim),
        cmocka_unit_test(a_found_tag_is_the_most_recent),
        cmocka_unit_test(a_bypassed_load_searches_the_vta),
        cmocka_unit_test(merges_are_no_hits),
        cmocka_unit_test(merges_consume_the_lives_of_other_lines),
        cmocka_unit_test(merges_protect_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
