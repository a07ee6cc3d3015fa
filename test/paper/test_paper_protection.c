/* S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. What sections 4 and 5.3 say of DLP and Global-Protection, on
 * the cache itself. Expectations are worked out from the sentences that stand above them.
 *
 * Most examples have sets of one line and a VTA of four ways, so N_asc is 4 (section 4.2), and are
 * seen from outside: how long a line of an instruction keeps others out is its PD. */
#include "paper/l1d_stage.h"

enum { N_SETS = 256, SAMPLE = 200, N_ASC = 4, OTHER = 100 };
enum { A = 1, B, C, D };

struct dlp {
    struct l1d l1d;
    uint32_t n_used; /* sets, so that examples do not meet */
};

static void dlp_init(struct dlp *d, const char *policy, const char *words)
{
    l1d_init(&d->l1d, policy, words, N_SETS, 1);
    d->n_used = 1; /* set 0 is for loads that hit nothing */
}

static uint32_t new_set(struct dlp *d)
{
    assert_true(d->n_used < N_SETS);
    return d->n_used++;
}

/* Loads of the instruction OTHER until the line is replaced; how many bypass before. */
static uint32_t drive_out(struct dlp *d, uint32_t set)
{
    uint32_t n = 0;
    while (load_fresh(&d->l1d, set, OTHER) == CACHE_BYPASSED)
        assert_true(++n < 100);
    return n;
}

/* A hit in the TDA that belongs to `pc`, whose load was the last to use the line. */
static void hit_in_tda(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    assert_int_equal(load(&d->l1d, set, 0, OTHER), CACHE_HIT);
}

/* A hit in the VTA that belongs to `pc`: its line is evicted, and asked for again. */
static void hit_in_vta(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    drive_out(d, set);
    assert_int_not_equal(load(&d->l1d, set, 0, OTHER), CACHE_HIT);
}

static void give_hits(struct dlp *d, uint32_t pc, uint32_t vta_hits, uint32_t tda_hits)
{
    for (uint32_t i = 0; i < vta_hits; i++)
        hit_in_vta(d, pc);
    for (uint32_t i = 0; i < tda_hits; i++)
        hit_in_tda(d, pc);
}

/* Loads that hit in neither array, until the sample is full. */
static void end_sample(struct dlp *d)
{
    do
        load_fresh(&d->l1d, 0, OTHER);
    while (d->l1d.n_loads % SAMPLE);
}

/* 4.1.1: a line whose PD is d has PL = d; the loads that find it above 0 after taking 1 from it
 * bypass, d - 1 of them. A PD of 0 and one of 1 protect from none: both are 0 here. */
static uint32_t pd_of(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    uint32_t n = drive_out(d, set);
    return n ? n + 1 : 0;
}

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
static void start_with_pds_of_4_and_15(struct dlp *d)
{
    dlp_init(d, "dlp", "vta_ways=4");
    give_hits(d, A, 1, 1);
    give_hits(d, B, 1, 0);
    end_sample(d);
}

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

/* The 200th access itself goes by the old PDs: "the PD field calculates the life extension for the
 * next sample" (4.1.3). */
static void the_last_access_of_a_sample_has_the_old_pd(void **state)
{
    (void)state;
    struct dlp d;
    dlp_init(&d, "dlp", "vta_ways=4");
    hit_in_vta(&d, A);
    while (d.l1d.n_loads < SAMPLE - 1)
        load_fresh(&d.l1d, 0, OTHER);
    uint32_t set = new_set(&d);
    load(&d.l1d, set, 0, A);
    assert_int_equal(drive_out(&d, set), 0);
    l1d_destroy(&d.l1d);
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
        cache_insts(d.l1d.cache, n_insts);
        assert_int_equal(pd_of(&d, A), n_insts == 1000 ? 15 : 0);
        l1d_destroy(&d.l1d);
    }
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

/* "N_asc represents the value of set associativity of the VTA." */
static void a_rise_is_by_the_ways_of_the_vta(void **state)
{
    (void)state;
    assert_int_equal(pd_with("vta_ways=2", 2, 1, 0), 2 * 2);
    assert_int_equal(pd_with("vta_ways=3", 2, 1, 0), 3 * 2);
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

/* --- 2 and 4.1.3: merges --- */

/* A VTA hit of A, and loads of a line that is still on its way. */
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
        cmocka_unit_test(a_bypassed_load_searches_the_vta),
        cmocka_unit_test(instructions_128_apart_share_an_entry),
        cmocka_unit_test(the_next_sample_counts_from_0),
        cmocka_unit_test(a_sample_has_200_accesses),
        cmocka_unit_test(the_last_access_of_a_sample_has_the_old_pd),
        cmocka_unit_test(instructions_end_a_sample_too),
        cmocka_unit_test(pds_rise_only_where_the_vta_has_more_hits_in_all),
        cmocka_unit_test(a_rise_is_by_steps_of_the_ratio),
        cmocka_unit_test(a_rise_is_by_the_ways_of_the_vta),
        cmocka_unit_test(rises_add_up),
        cmocka_unit_test(pds_fall_where_the_vta_has_less_than_half_the_hits),
        cmocka_unit_test(all_pds_fall_together),
        cmocka_unit_test(pds_do_not_fall_below_0),
        cmocka_unit_test(merges_are_no_hits),
        cmocka_unit_test(merges_consume_the_lives_of_other_lines),
        cmocka_unit_test(merges_protect_anew),
        cmocka_unit_test(dlp_costs_1264_bytes),
        cmocka_unit_test(global_protection_has_one_pd),
        cmocka_unit_test(global_protection_rises_and_falls_by_the_same_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
