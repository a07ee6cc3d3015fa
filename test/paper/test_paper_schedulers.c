/* S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012.
 * What sections 3.2 and 5.1 say about the schedulers that CCWS is compared with; two-level
 * scheduling: test_paper_two_level.c. Expectations are derived from the sentences above them. Warps
 * are older the higher their slot. */
#include "paper/sched_stage.h"

enum { ALL4 = 0xf };

/* --- 5.1: LRR --- */

/* "Wavefronts are prioritized for scheduling in round-robin order." */
static void lrr_goes_round(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "lrr", 4, 4);
    for (uint32_t n = 0; n < 12; n++)
        assert_int_equal(issue_next(&s, ALL4, n), n % 4);
    stage_destroy(&s);
}

/* "However, if a wavefront cannot issue during its turn, the next wavefront in round-robin order is
 * given the chance to issue": it has lost its turn, and waits for the next round. */
static void lrr_passes_over_who_cannot_issue(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "lrr", 4, 4);
    assert_int_equal(issue_next(&s, ALL4, 0), 0);
    assert_int_equal(issue_next(&s, 0xd, 1), 2); /* 1 cannot */
    assert_int_equal(issue_next(&s, ALL4, 2), 3);
    assert_int_equal(issue_next(&s, ALL4, 3), 0);
    assert_int_equal(issue_next(&s, ALL4, 4), 1);
    stage_destroy(&s);
}

/* --- 5.1: GTO and the other greedy schemes --- */

/* "GTO runs a single wavefront until it stalls then picks the oldest ready wavefront": the oldest
 * is in slot 3. One that wakes does not get its turn back before the present one stalls. */
static void gto_is_greedy_then_oldest(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gto", 4, 4);
    assert_int_equal(issue_next(&s, 0x7, 0), 2); /* 3 cannot */
    assert_int_equal(issue_next(&s, ALL4, 1), 2);
    assert_int_equal(issue_next(&s, ALL4, 2), 2);
    assert_int_equal(issue_next(&s, 0xb, 3), 3);
    assert_int_equal(issue_next(&s, ALL4, 4), 3);
    assert_int_equal(issue_next(&s, 0x3, 5), 1);
    stage_destroy(&s);
}

/* "The age of a wavefront is determined by the time it is assigned to the core": a warp that reuses
 * a slot is the youngest, though the one before it was greedy. */
static void gto_goes_by_the_time_of_assignment(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gto", 4, 4);
    assert_int_equal(issue_next(&s, ALL4, 0), 3);
    turn_over(&s, 3, 1);
    turn_over(&s, 3, 2);
    assert_int_equal(issue_next(&s, ALL4, 3), 2);
    assert_int_equal(issue_next(&s, 0x9, 4), 0);
    assert_int_equal(issue_next(&s, 0x8, 5), 3);
    stage_destroy(&s);
}

/* "Greedy-then-round-robin and oldest-first": the next after the present one; the oldest always. */
static void other_greedy_schemes(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gtrr", 4, 4);
    assert_int_equal(issue_next(&s, 0xe, 0), 1);
    assert_int_equal(issue_next(&s, ALL4, 1), 1);
    assert_int_equal(issue_next(&s, 0xd, 2), 2);
    turn_over(&s, 2, 3);
    turn_over(&s, 2, 4);
    assert_int_equal(issue_next(&s, ALL4, 5), 3);
    stage_destroy(&s);
    start_scheduler(&s, "oldest", 4, 4);
    assert_int_equal(issue_next(&s, 0x7, 0), 2);
    assert_int_equal(issue_next(&s, ALL4, 1), 3);
    stage_destroy(&s);
}

/* --- two issue slots --- */

enum { N_PAIRED = 24 };

/* An SM with two issue slots, and two SMs with one each that have its even and its odd warps. */
struct pair {
    struct stage both, alone[2];
};

static void start_pair(struct pair *p, const char *name)
{
    start_in_slots(&p->both, name, "", N_PAIRED, N_PAIRED, 2);
    for (uint32_t slot = 0; slot < 2; slot++)
        start_scheduler(&p->alone[slot], name, N_PAIRED / 2, N_PAIRED / 2);
}

static void change_pair(struct pair *p, uint32_t warp, int64_t time, uint64_t now)
{
    struct stage *alone = &p->alone[warp % 2];
    p->both.times[warp] = alone->times[warp / 2] = time;
    turn_over(&p->both, warp, now);
    turn_over(alone, warp / 2, now);
}

static void issue_in_pair(struct pair *p, uint32_t slot, uint64_t ready, uint64_t now)
{
    uint64_t ready_alone = 0;
    ready &= p->both.view.live & p->both.scheduler->slot_warps[slot];
    for (uint32_t w = slot; w < N_PAIRED; w += 2)
        ready_alone |= (ready >> w & 1) << w / 2;
    if (!ready)
        return;
    int warp = issue_or_idle(&p->both, slot, ready, now),
        alone = issue_or_idle(&p->alone[slot], 0, ready_alone, now);
    assert_int_equal(warp, alone < 0 ? -1 : 2 * alone + (int)slot);
}

/* S3, Table 3.1: "Num. of Schedulers per SM: 2": each of the two schedules its own warps, whatever
 * the other one issues. Warps end and start at random; gCAWS goes by how critical they are. */
static void two_issue_slots_are_two_schedulers(void **state)
{
    (void)state;
    static const char *const names[] = {"lrr",       "gto",           "gtrr",  "oldest",
                                        "two_level", "two_level_gto", "gcaws", "caws_avg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pair p;
        uint64_t seed = 1 + i;
        start_pair(&p, names[i]);
        for (uint64_t now = 1; now <= 2000; now++) {
            uint32_t warp = (uint32_t)(random_u64(&seed) % (8 * N_PAIRED));
            int64_t time = strcmp(names[i], "gcaws") == 0 ? (int64_t)(random_u64(&seed) % 4) : 0;
            if (warp < N_PAIRED)
                change_pair(&p, warp, time, now);
            for (uint32_t slot = 0; slot < 2; slot++)
                issue_in_pair(&p, slot, random_u64(&seed) & random_u64(&seed), now);
        }
        stage_destroy(&p.both);
        stage_destroy(&p.alone[0]);
        stage_destroy(&p.alone[1]);
    }
}

/* --- 3.2: static wavefront limiting --- */

/* "A register is used to determine how many wavefronts are actively issued, independent of
 * workgroup size"; which: 5.1, "the GTO policy is used to select between wavefronts". The two
 * oldest of six are 5 and 4, of three CTAs. */
static void swl_limits_the_warps_that_issue(void **state)
{
    (void)state;
    struct stage s;
    start_with(&s, "swl", "limit=2", 6, 2);
    assert_int_equal(allowed(&s), 0x30);
    assert_int_equal(issue_next(&s, 0x3f, 0), 5);
    assert_int_equal(issue_next(&s, 0x1f, 1), 4);
    assert_int_equal(issue_next(&s, 0x3f, 2), 4);
    stage_destroy(&s);
}

/* A warp that ends makes room for the next oldest. */
static void swl_lets_the_next_warp_in(void **state)
{
    (void)state;
    struct stage s;
    start_with(&s, "swl", "limit=2", 6, 2);
    turn_over(&s, 5, 1);
    assert_int_equal(allowed(&s), 0x18);
    stage_destroy(&s);
}

/* The register is of the compute unit: "limiting the number of wavefronts actively scheduled on a
 * compute unit". With two issue slots it is still the two oldest of six that may issue, one in each
 * slot; when the oldest, of slot 1, has ended, the next one is of that slot too. */
static void swl_limits_the_warps_of_all_issue_slots_together(void **state)
{
    (void)state;
    struct stage s;
    start_in_slots(&s, "swl", "limit=2", 6, 2, 2);
    assert_int_equal(allowed(&s), 0x30);
    assert_int_equal(issue_in_slot(&s, 0, 0x3f, 0), 4);
    assert_int_equal(issue_in_slot(&s, 1, 0x3f, 0), 5);
    turn_over(&s, 5, 1);
    assert_int_equal(allowed(&s), 0x18);
    turn_over(&s, 3, 2); /* both are of slot 0 now */
    assert_int_equal(allowed(&s), 0x14);
    stage_destroy(&s);
}

static void arrive_at_barrier(struct stage *s, uint32_t warp, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    s->warps[warp].at_barrier = true;
    d->on_barrier_arrive(s->scheduler, warp, now);
    d->on_barrier_arrive(s->twin, warp, now);
}

static void release_barrier(struct stage *s, uint64_t warps, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    for (uint32_t w = 0; w < s->view.n_warps; w++)
        s->warps[w].at_barrier &= !(warps >> w & 1);
    d->on_barrier_release(s->scheduler, warps, now);
    d->on_barrier_release(s->twin, warps, now);
}

/* "SWL limits the number of wavefronts running until a barrier, allows the rest of the work-group
 * to reach the barrier, then continues with the same multithreading constraints": whichever issue
 * slots its warps belong to. */
static void swl_lets_a_work_group_reach_its_barrier(void **state)
{
    (void)state;
    for (uint32_t n_slots = 1; n_slots <= 2; n_slots++) {
        struct stage s;
        /* CTAs 0-2 and 3-5; 5 and 4 may issue */
        start_in_slots(&s, "swl", "limit=2", 6, 3, n_slots);
        arrive_at_barrier(&s, 4, 1);
        assert_int_equal(allowed(&s) & ~0x10ull, 0x28);
        arrive_at_barrier(&s, 5, 2); /* the rest is warp 3: no other work-group gains from this */
        assert_int_equal(allowed(&s) & 0xf, 0x8);
        release_barrier(&s, 3 << 4, 3);
        assert_int_equal(allowed(&s), 0x30);
        stage_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_goes_round),
        cmocka_unit_test(lrr_passes_over_who_cannot_issue),
        cmocka_unit_test(gto_is_greedy_then_oldest),
        cmocka_unit_test(gto_goes_by_the_time_of_assignment),
        cmocka_unit_test(other_greedy_schemes),
        cmocka_unit_test(two_issue_slots_are_two_schedulers),
        cmocka_unit_test(swl_limits_the_warps_that_issue),
        cmocka_unit_test(swl_lets_the_next_warp_in),
        cmocka_unit_test(swl_limits_the_warps_of_all_issue_slots_together),
        cmocka_unit_test(swl_lets_a_work_group_reach_its_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
