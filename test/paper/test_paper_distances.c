/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What sections 4.1.3 to 4.3 say about protection distances
 * under DLP, and section 5.3 of Global-Protection, on the cache itself. N_asc is 4, the ways of the
 * VTA, unless it says otherwise. Expectations are derived from the sentences above them. */
#include "paper/dlp_stage.h"

/* --- 4.1.3: the prediction table --- */

/* "The PDPT has 128 entries", by the hashed PC. */
static void instructions_128_apart_share_an_entry(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    hit_in_vta(&d, A);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A + 128), 15);
    assert_int_equal(pd_of(&d, A + 64), 0);
    l1d_destroy(&d.l1d);
}

/* "Whenever a sample is finished, the TDA hits and VTA hits field of all entries in the PDPT is
 * reset to 0": a sample without hits leaves A's PD at 4, where the old hits would make it 8. */
static void the_next_sample_counts_from_0(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 4);
    l1d_destroy(&d.l1d);
}

/* A sample long enough for counters to reach their tops. */
enum { LONG_SAMPLE = 6000 };

static void start_long_sample(struct dlp *d)
{
    dlp_init(d, "dlp", "vta_ways=4 sample_accesses=6000");
}

/* `n` hits of the instruction in the TDA, or in the VTA. */
static void count_in_tda(struct dlp *d, uint32_t pc, uint32_t n)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(load(&d->l1d, set, 0, pc), CACHE_HIT);
}

static void count_in_vta(struct dlp *d, uint32_t pc, uint32_t n)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    for (uint32_t i = 0; i < n; i++) {
        load_fresh(&d->l1d, set, OTHER);
        assert_int_equal(load(&d->l1d, set, 0, pc), CACHE_MISS);
    }
}

static void end_long_sample(struct dlp *d)
{
    assert_true(d->l1d.n_loads < LONG_SAMPLE);
    while (d->l1d.n_loads < LONG_SAMPLE)
        load_fresh(&d->l1d, 0, OTHER);
}

/* 4.3: "8 bits for TDA hits": 300 count as 255. With as many VTA hits A's PD rises by N_asc, with
 * one less by half of it. The VTA hits of B are there for the gate. */
static void tda_hits_have_8_bits(void **state)
{
    (void)state;
    static const uint32_t tda_hits[] = {254, 255, 300}, tops[] = {254, 255, 255};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t n_less = 0; n_less < 2; n_less++) {
            struct dlp d;
            start_long_sample(&d);
            count_in_tda(&d, A, tda_hits[i]);
            count_in_vta(&d, A, tops[i] - n_less);
            count_in_vta(&d, B, 2);
            end_long_sample(&d);
            assert_int_equal(pd_of(&d, A), n_less ? N_ASC / 2 : N_ASC);
            l1d_destroy(&d.l1d);
        }
}

/* 4.3: "10 bits for VTA hits": 1100 count as 1023. They are more than 1022 hits in the TDA, and not
 * more than 1023; these are of B and others, so that none saturates. */
static void vta_hits_have_10_bits(void **state)
{
    (void)state;
    static const uint32_t vta_hits[] = {1023, 1100};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t n_tda = 1022; n_tda <= 1023; n_tda++) {
            struct dlp d;
            start_long_sample(&d);
            count_in_vta(&d, A, vta_hits[i]);
            for (uint32_t pc = B; pc < B + 4; pc++)
                count_in_tda(&d, pc, 250);
            count_in_tda(&d, B + 4, n_tda - 4 * 250);
            end_long_sample(&d);
            assert_int_equal(pd_of(&d, A), n_tda == 1022 ? 15 : 0);
            l1d_destroy(&d.l1d);
        }
}

/* --- 4.1.4: samples --- */

/* "We use the number of cache accesses as a counter [...], a sample limit of 200." */
static void a_sample_has_200_accesses(void **state)
{
    (void)state;
    for (uint32_t n_loads = SAMPLE - 1; n_loads <= SAMPLE; n_loads++) {
        struct dlp d;
        dlp_init(&d, "dlp", "vta_ways=4");
        hit_in_vta(&d, A);
        while (d.l1d.n_loads < n_loads)
            load_fresh(&d.l1d, 0, OTHER);
        assert_int_equal(pd_of(&d, A), n_loads == SAMPLE ? 15 : 0);
        l1d_destroy(&d.l1d);
    }
}

/* The 200th access itself uses the old PDs, a miss or a hit: "the PD field calculates the life
 * extension for the next sample" (4.1.3). */
static void the_last_access_of_a_sample_has_the_old_pd(void **state)
{
    (void)state;
    for (int hits = 0; hits < 2; hits++) {
        struct dlp d;
        dlp_init(&d, "dlp", "vta_ways=4");
        hit_in_vta(&d, A);
        uint32_t set = new_set(&d);
        if (hits)
            load(&d.l1d, set, 0, OTHER);
        while (d.l1d.n_loads < SAMPLE - 1)
            load_fresh(&d.l1d, 0, OTHER);
        assert_int_equal(load(&d.l1d, set, 0, A), hits ? CACHE_HIT : CACHE_MISS);
        assert_int_equal(drive_out(&d, set), 0);
        l1d_destroy(&d.l1d);
    }
}

/* "A maximum sample amount for the number of instructions executed", of which S2 gives no number.
 */
static void instructions_end_a_sample_too(void **state)
{
    (void)state;
    for (uint32_t n_insts = 999; n_insts <= 1000; n_insts++) {
        struct dlp d;
        dlp_init(&d, "dlp", "vta_ways=4 max_sample_insns=1000");
        hit_in_vta(&d, A);
        issue_insts(&d.l1d, n_insts);
        assert_int_equal(pd_of(&d, A), n_insts == 1000 ? 15 : 0);
        l1d_destroy(&d.l1d);
    }
}

/* The counts of both limits begin again with each sample: 999 instructions before the end of one do
 * not count in the next, nor do 150 accesses before a sample that instructions end. */
static void both_limits_begin_again_with_a_sample(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 max_sample_insns=1000");
    issue_insts(&d.l1d, 999);
    end_sample(&d);
    hit_in_vta(&d, A);
    issue_insts(&d.l1d, 1);
    assert_int_equal(pd_of(&d, A), 0);
    l1d_destroy(&d.l1d);
    dlp_init(&d, "dlp", "vta_ways=4 max_sample_insns=1000");
    while (d.l1d.n_loads < 150)
        load_fresh(&d.l1d, 0, OTHER);
    issue_insts(&d.l1d, 1000);
    hit_in_vta(&d, A);
    while (d.l1d.n_loads < SAMPLE + 50)
        load_fresh(&d.l1d, 0, OTHER);
    assert_int_equal(pd_of(&d, A), 0);
    l1d_destroy(&d.l1d);
}

/* --- 4.2: protection distances --- */

/* Hits of A, and B's TDA hits beside them; A's PD afterwards. */
static uint32_t pd_with(const char *words, uint32_t vta_hits, uint32_t tda_hits, uint32_t others)
{
    struct dlp d;
    dlp_init(&d, "dlp", words);
    give_hits(&d, A, vta_hits, tda_hits);
    give_hits(&d, B, 0, others);
    end_sample(&d);
    uint32_t pd = pd_of(&d, A);
    l1d_destroy(&d.l1d);
    return pd;
}

/* "If the amount of overall hits in the VTA is greater than in the TDA" PDs rise; "if this is not
 * the case, increasing PD is unnecessary": equal is not greater. */
static void pds_rise_only_where_the_vta_has_more_hits_in_all(void **state)
{
    (void)state;
    assert_int_equal(pd_with("vta_ways=4", 2, 0, 1), 15);
    assert_int_equal(pd_with("vta_ways=4", 2, 0, 2), 0);
    assert_int_equal(pd_with("vta_ways=4", 2, 0, 3), 0);
}

/* "We sequentially compare Hit_VTA with [...] four times Hit_TDA, two times Hit_TDA, Hit_TDA, and
 * half of Hit_TDA. Then, we shift N_asc according to the outcome": 16, 8, 4, 2 or 0 with 4 ways,
 * and 4 bits hold at most 15 (4.3). C's VTA hits see to it that PDs rise. */
static void a_rise_is_by_steps_of_the_ratio(void **state)
{
    (void)state;
    static const struct {
        uint32_t vta_hits, tda_hits, pd;
    } steps[] = {{8, 2, 15}, {7, 2, 8}, {4, 2, 8}, {3, 2, 4}, {2, 2, 4}, {1, 2, 2},
                 {2, 5, 2},  {1, 4, 0}, {0, 2, 0}, {0, 0, 0}, {1, 0, 15}};
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct dlp d;
        dlp_init(&d, "dlp", "vta_ways=4");
        give_hits(&d, A, steps[i].vta_hits, steps[i].tda_hits);
        give_hits(&d, C, 6, 0);
        end_sample(&d);
        assert_int_equal(pd_of(&d, A), steps[i].pd);
        l1d_destroy(&d.l1d);
    }
}

/* "N_asc represents the value of set associativity of the VTA", which by default is that of the
 * cache (footnote 2): one way here. */
static void a_rise_is_by_the_ways_of_the_vta(void **state)
{
    (void)state;
    assert_int_equal(pd_with("vta_ways=2", 2, 1, 0), 2 * 2);
    assert_int_equal(pd_with("vta_ways=3", 2, 1, 0), 3 * 2);
    assert_int_equal(pd_with("", 2, 1, 0), 1 * 2);
}

/* "Increase PD": a PD of 4 that rises by 4 is 8. */
static void rises_add_up(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    give_hits(&d, A, 1, 1);
    give_hits(&d, C, 1, 0);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 8);
    l1d_destroy(&d.l1d);
}

/* "If the amount of global hits in the VTA is less than half of the hits in the TDA, [...] we will
 * decrease all PDs": half is not less. By how much they fall S2 leaves open. */
static void pds_fall_where_the_vta_has_less_than_half_the_hits(void **state)
{
    (void)state;
    assert_int_equal(pd_with("vta_ways=4 pd_init=8 pd_step_down=3", 0, 1, 0), 5);
    assert_int_equal(pd_with("vta_ways=4 pd_init=8 pd_step_down=3", 1, 3, 0), 5);
    assert_int_equal(pd_with("vta_ways=4 pd_init=8 pd_step_down=3", 1, 2, 0), 8);
    assert_int_equal(pd_with("vta_ways=4 pd_init=8 pd_step_down=3", 0, 0, 0), 8);
}

/* Ours: S2 does not say by how much PDs fall. It is N_asc unless pd_step_down says otherwise, the
 * middle one of the steps by which they rise: 15 - 4, and 4 - 4. */
static void pds_fall_by_n_asc_by_default(void **state)
{
    (void)state;
    struct dlp d;
    start_with_pds_of_4_and_15(&d);
    hit_in_tda(&d, C);
    end_sample(&d);
    assert_int_equal(pd_of(&d, B), 15 - N_ASC);
    assert_int_equal(pd_of(&d, A), 0);
    l1d_destroy(&d.l1d);
}

/* "We do not apply an instruction-based decision in the PD-decreasing path": A, which has VTA hits
 * only, and C, which has no hits, fall with the others. */
static void all_pds_fall_together(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 pd_init=8 pd_step_down=3");
    give_hits(&d, A, 1, 0);
    give_hits(&d, B, 0, 3);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 5);
    assert_int_equal(pd_of(&d, B), 5);
    assert_int_equal(pd_of(&d, C), 5);
    l1d_destroy(&d.l1d);
}

static void pds_do_not_fall_below_0(void **state)
{
    (void)state;
    assert_int_equal(pd_with("vta_ways=4 pd_init=2 pd_step_down=5", 0, 1, 0), 0);
}

/* "Overall hits", "each memory instruction", "all PDs": those of the last of the 128 entries too.
 */
static void the_last_entry_counts_like_the_first(void **state)
{
    (void)state;
    enum { LAST = 127 };
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4 pd_init=2 pd_step_down=1");
    give_hits(&d, LAST, 1, 0);
    end_sample(&d);
    assert_int_equal(pd_of(&d, LAST), 15);
    assert_int_equal(pd_of(&d, A), 2); /* it has no hits */
    end_sample(&d);
    give_hits(&d, LAST, 0, 1);
    end_sample(&d);
    assert_int_equal(pd_of(&d, LAST), 14);
    l1d_destroy(&d.l1d);
}

/* --- 4.3: hardware overhead --- */

/* "176 bytes [...], the total cache space for the VTA is 624 bytes [...], 464 bytes of space
 * consumed for all entries of the PDPT [...], 1264 bytes [...], 7.48 % of the baseline cache size."
 */
static void dlp_costs_1264_bytes(void **state)
{
    (void)state;
    assert_int_equal(cost_bits("dlp", "line ids and protected lives"), 8 * 176);
    assert_int_equal(cost_bits("dlp", "victim tag array"), 8 * 624);
    assert_int_equal(cost_bits("dlp", "protection distances"), 8 * 464);
    assert_int_equal(cost_bits("dlp", NULL), 8 * 1264);
    assert_int_equal(cost_bits("dlp", NULL) / 8 * 10000 / 16896, 748);
}

/* --- 5.3: Global-Protection --- */

/* "Instead of an instruction-based PD [...], this scheme computes a global PD for all cache
 * entries": from the hits of all, for instructions without any too. 3 VTA hits and 2 TDA hits rise
 * by N_asc. */
static void global_protection_has_one_pd(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "pdp", "vta_ways=4");
    give_hits(&d, A, 3, 0);
    give_hits(&d, B, 0, 2);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), N_ASC);
    assert_int_equal(pd_of(&d, B), N_ASC);
    assert_int_equal(pd_of(&d, C), N_ASC);
    l1d_destroy(&d.l1d);
}

/* "A PD computing algorithm similar to Figure 9": the same tests before. */
static void global_protection_rises_and_falls_by_the_same_tests(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "pdp", "vta_ways=4 pd_init=8 pd_step_down=3");
    give_hits(&d, A, 2, 2);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 8);
    give_hits(&d, A, 0, 1);
    end_sample(&d);
    assert_int_equal(pd_of(&d, A), 5);
    l1d_destroy(&d.l1d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_128_apart_share_an_entry),
        cmocka_unit_test(the_next_sample_counts_from_0),
        cmocka_unit_test(tda_hits_have_8_bits),
        cmocka_unit_test(vta_hits_have_10_bits),
        cmocka_unit_test(a_sample_has_200_accesses),
        cmocka_unit_test(the_last_access_of_a_sample_has_the_old_pd),
        cmocka_unit_test(instructions_end_a_sample_too),
        cmocka_unit_test(both_limits_begin_again_with_a_sample),
        cmocka_unit_test(pds_rise_only_where_the_vta_has_more_hits_in_all),
        cmocka_unit_test(a_rise_is_by_steps_of_the_ratio),
        cmocka_unit_test(a_rise_is_by_the_ways_of_the_vta),
        cmocka_unit_test(rises_add_up),
        cmocka_unit_test(pds_fall_where_the_vta_has_less_than_half_the_hits),
        cmocka_unit_test(pds_fall_by_n_asc_by_default),
        cmocka_unit_test(all_pds_fall_together),
        cmocka_unit_test(pds_do_not_fall_below_0),
        cmocka_unit_test(the_last_entry_counts_like_the_first),
        cmocka_unit_test(dlp_costs_1264_bytes),
        cmocka_unit_test(global_protection_has_one_pd),
        cmocka_unit_test(global_protection_rises_and_falls_by_the_same_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
