/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What DLP counts, once and in which sample: sections 4.1.1,
 * 4.1.3 and 4.1.4, on the cache itself. Expectations are derived from the sentences above them. */
#include "paper/dlp_stage.h"

/* --- 4.1.1: queries --- */

/* "When a set is queried, PL values of all TDA entries belonging to this set are decreased by 1":
 * by a request, however often it has to be tried again. X has a life of 5 and Y, which is refused
 * ten times, makes it 4. Three loads bypass while it is 3, 2 and 1. */
static void a_load_that_waits_queries_its_set_once(void **state)
{
    (void)state;
    enum { X, Y };
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=5", 1, 2);
    assert_int_equal(load(&c, 0, X, A), CACHE_MISS);
    c.room.miss_queue = false;
    for (int i = 0; i < 10; i++)
        assert_int_equal(ask(&c, 0, Y, A), CACHE_STALLED);
    c.room.miss_queue = true;
    assert_int_equal(load(&c, 0, Y, A), CACHE_MISS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    assert_int_equal(c.victim, X);
    l1d_destroy(&c);
}

/* --- 4.1.3 and 4.1.4: "the number of hits [...] during the current sampling period" --- */

/* The 201st access is the first of the next sample, and so is its hit in the TDA: with one VTA hit
 * A's ratio is 1 there, a rise by N_asc. Counted in the old sample, or not at all, it would leave
 * A the most. C's VTA hit is there for the gate. */
static void the_201st_access_hits_in_the_next_sample(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    end_sample(&d);
    assert_int_equal(load(&d.l1d, set, 0, OTHER), CACHE_HIT);
    give_hits(&d, A, 1, 0);
    give_hits(&d, C, 1, 0);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), N_ASC);
    l1d_destroy(&d.l1d);
}

/* The same of a hit in the VTA: A's PD rises when the second sample ends, not when the first does.
 */
static void the_201st_access_finds_its_tag_in_the_next_sample(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    drive_out(&d, set);
    end_sample(&d);
    load(&d.l1d, set, 0, OTHER);
    assert_int_equal(pd_of(&d, A), 0);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 15);
    l1d_destroy(&d.l1d);
}

/* The 201st access may merge with the 200th: it has the new PD of A, 15, and writes it. */
static void a_merge_can_be_the_201st_access(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    hit_in_vta(&d, A);
    while (d.l1d.n_loads % SAMPLE != SAMPLE - 1)
        load_fresh(&d.l1d, 0, OTHER);
    uint32_t set = new_set(&d);
    assert_int_equal(ask(&d.l1d, set, 0, OTHER), CACHE_MISS);
    assert_int_equal(ask(&d.l1d, set, 0, A), CACHE_MERGE);
    come(&d.l1d, set, 0);
    assert_int_equal(drive_out(&d, set), 15 - 1);
    l1d_destroy(&d.l1d);
}

/* "A maximum sample amount for the number of instructions executed" is of a sample: after one that
 * instructions have ended the next has as many. */
static void instructions_count_from_0_in_each_sample(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 max_sample_insns=1000");
    issue_insts(&d.l1d, 1000);
    hit_in_vta(&d, A);
    issue_insts(&d.l1d, 999);
    assert_int_equal(pd_of(&d, A), 0);
    issue_insts(&d.l1d, 1);
    assert_int_equal(pd_of(&d, A), 15);
    l1d_destroy(&d.l1d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_that_waits_queries_its_set_once),
        cmocka_unit_test(the_201st_access_hits_in_the_next_sample),
        cmocka_unit_test(the_201st_access_finds_its_tag_in_the_next_sample),
        cmocka_unit_test(a_merge_can_be_the_201st_access),
        cmocka_unit_test(instructions_count_from_0_in_each_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
