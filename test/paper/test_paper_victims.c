/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What section 4.1.2 says about the victim tag array of DLP, on
 * the cache itself. Expectations are derived from the sentences above them. */
#include "paper/dlp_stage.h"

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

/* 4.1.1: the ID field "records the hashed PC value of the load instruction that brought in or last
 * hit the cache line", and the victim takes it along: the VTA hit is B's, not A's, which brought
 * the line. C's VTA hit is there for the gate. */
static void a_vta_hit_belongs_to_the_last_user(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    assert_int_equal(load(&d.l1d, set, 0, B), CACHE_HIT);
    drive_out(&d, set);
    load(&d.l1d, set, 0, OTHER);
    hit_in_vta(&d, C);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 0);
    assert_int_equal(pd_of(&d, B), 15);
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

/* "Similar to the TDA, the VTA has multiple indexed sets": as many as the cache. Eight neighbouring
 * sets of one way keep a tag each: one VTA hit of each instruction, which makes 4 * 1. */
static void each_set_has_its_own_tags(void **state)
{
    (void)state;
    enum { N = 8 };
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=1");
    uint32_t first = new_set(&d);
    for (uint32_t i = 0; i < N; i++) {
        load(&d.l1d, i ? new_set(&d) : first, 0, A + i);
        drive_out(&d, first + i);
    }
    for (uint32_t i = 0; i < N; i++)
        load(&d.l1d, first + i, 0, OTHER);
    end_sample(&d);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(pd_of(&d, A + i), 4);
    l1d_destroy(&d.l1d);
}

/* The VTA holds tags of "evicted cache lines": that of a line that is back takes no place. Two ways
 * hold 0 (the most recent) and 10. Line 0 comes back and drives line 1 out, or fills the way that a
 * store has made empty, and is driven out itself: 10 is still found. */
static void a_line_that_is_back_has_no_tag(void **state)
{
    (void)state;
    for (int into_empty_way = 0; into_empty_way < 2; into_empty_way++) {
        struct dlp d;
        dlp_init(&d, "dlp", "vta_ways=2");
        uint32_t set = new_set(&d);
        load(&d.l1d, set, 10, B);
        load(&d.l1d, set, 0, A);
        load(&d.l1d, set, 1, OTHER);
        if (into_empty_way)
            store(&d.l1d, set, 1);
        load(&d.l1d, set, 0, OTHER); /* a VTA hit of A */
        if (into_empty_way)
            load(&d.l1d, set, 2, OTHER);
        load(&d.l1d, set, 10, OTHER); /* one of B */
        end_sample(&d);
        assert_int_equal(pd_of(&d, A), 2 * 4);
        assert_int_equal(pd_of(&d, B), 2 * 4);
        l1d_destroy(&d.l1d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vta_hit_belongs_to_the_instruction_of_the_victim),
        cmocka_unit_test(a_vta_hit_belongs_to_the_last_user),
        cmocka_unit_test(bypassed_lines_leave_no_tag),
        cmocka_unit_test(stores_leave_no_tag),
        cmocka_unit_test(the_vta_forgets_the_least_recent_victim),
        cmocka_unit_test(a_found_tag_is_the_most_recent),
        cmocka_unit_test(a_bypassed_load_searches_the_vta),
        cmocka_unit_test(each_set_has_its_own_tags),
        cmocka_unit_test(a_line_that_is_back_has_no_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
