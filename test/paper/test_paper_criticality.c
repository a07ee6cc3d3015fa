/* Worked examples of S.-Y. Lee, thesis, Arizona State University 2017 (S3): criticality prediction
 * (section 4.2.1, Algorithms 5 and 6), greedy criticality-aware scheduling (4.2.2) and scheduling
 * by an oracle (3.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "crit/criticality.h"
#include "unit/random_bits.h"

enum { N_WARPS = 12 };

struct stage {
    struct sched_warp warps[SCHED_MAX_WARPS];
    struct sched_view view;
    struct criticality *cpl;
    struct scheduler *scheduler;
    int64_t times[SCHED_MAX_WARPS]; /* what the provider of the schedulers says */
};

static int64_t told_time(const struct criticality *stage, uint32_t warp, uint64_t now)
{
    (void)now;
    return ((const struct stage *)(const void *)stage)->times[warp];
}

/* CTAs of `cta_warps` warps that have not started. Warps are older the higher their slot. */
static void stage_init(struct stage *s, uint32_t n_warps, uint32_t cta_warps)
{
    *s = (struct stage){.view = {.n_warps = n_warps, .n_slots = 1}};
    s->view.warps = s->warps;
    s->view.provider = (const struct criticality *)(const void *)s;
    s->view.criticality_of = told_time;
    for (uint32_t w = 0; w < n_warps; w++)
        s->warps[w] = (struct sched_warp){.age = n_warps - w,
                                          .uid = w,
                                          .cta = w / cta_warps,
                                          .cta_slot = w / cta_warps,
                                          .warp_in_cta = w % cta_warps};
}

static void show_live(struct stage *s, uint32_t warp)
{
    s->warps[warp].live = true;
    s->view.live |= UINT64_C(1) << warp;
}

/* --- criticality prediction --- */

static void start_cpl(struct stage *s, uint32_t n_warps)
{
    stage_init(s, n_warps, n_warps);
    s->cpl = criticality_create(criticality_find("cpl"), NULL, NULL, &s->view);
    for (uint32_t w = 0; w < n_warps; w++) {
        show_live(s, w);
        s->cpl->desc->on_warp_start(s->cpl, w, 0);
    }
}

static void issue_at(struct stage *s, uint32_t warp, uint64_t cycle)
{
    s->cpl->desc->on_issue(s->cpl, warp, 1, cycle);
}

static int64_t value(const struct stage *s, uint32_t warp, uint64_t now)
{
    return s->cpl->desc->value(s->cpl, warp, now);
}

static void branch(struct stage *s, uint32_t warp, uint32_t pc, uint32_t target,
                   uint32_t reconvergence, uint32_t taken_mask)
{
    struct branch_info b = {.pc = pc,
                            .target = target,
                            .fallthrough = pc + 1,
                            .reconvergence = reconvergence,
                            .taken_mask = taken_mask,
                            .active_mask = 0xff};
    s->cpl->desc->on_branch(s->cpl, warp, &b);
}

/* What one instruction ahead is worth: the cycles per instruction, 10 after one in 10 cycles. */
static int64_t worth_of_one(const struct stage *s, uint32_t with_one, uint32_t with_none)
{
    int64_t one = value(s, with_one, 10) - value(s, with_none, 10);
    assert_in_range(one, 10, 11); /* whether cycle 0 counts is open */
    return one;
}

/* Algorithm 5: a branch at PC 1 to PC 4, paths that meet at PC 5. The path that follows it has two
 * instructions, the one at its target one, and a warp that diverges runs all three. */
static void a_branch_adds_the_path_ahead(void **state)
{
    (void)state;
    enum { NO_BRANCH, NOT_TAKEN, TAKEN, DIVERGED, N };
    struct stage s;
    start_cpl(&s, N);
    for (uint32_t w = 0; w < N; w++)
        issue_at(&s, w, 10);
    branch(&s, NOT_TAKEN, 1, 4, 5, 0);
    branch(&s, TAKEN, 1, 4, 5, 0xff);
    branch(&s, DIVERGED, 1, 4, 5, 0x0f);
    int64_t one = worth_of_one(&s, TAKEN, NO_BRANCH), none = value(&s, NO_BRANCH, 10);
    assert_int_equal(value(&s, NOT_TAKEN, 10) - none, 2 * one);
    assert_int_equal(value(&s, DIVERGED, 10) - none, 3 * one);
    /* Each instruction that is done takes one away. */
    s.cpl->desc->on_commit(s.cpl, DIVERGED, 10);
    assert_int_equal(value(&s, DIVERGED, 10) - none, 2 * one);
    s.cpl->desc->on_commit(s.cpl, NO_BRANCH, 10);
    assert_int_equal(value(&s, NO_BRANCH, 10), none - one);
    criticality_destroy(s.cpl);
}

/* The instructions ahead count as many cycles each as those before took: of two in 20 cycles 10. */
static void an_instruction_ahead_is_worth_the_cycles_per_instruction(void **state)
{
    (void)state;
    enum { NO_BRANCH, DIVERGED, N };
    struct stage s;
    start_cpl(&s, N);
    for (uint32_t w = 0; w < N; w++) {
        issue_at(&s, w, 9);
        issue_at(&s, w, 19);
    }
    branch(&s, DIVERGED, 1, 4, 5, 0x0f);
    assert_in_range(value(&s, DIVERGED, 19) - value(&s, NO_BRANCH, 19), 3 * 19 / 2, 3 * 20 / 2);
    criticality_destroy(s.cpl);
}

/* Equation 4.1 with Algorithms 5 and 6 over a list of all that happened, worked out anew for each
 * answer and in fractions: what the warp of `cpl` must say, whatever the order of events. */
struct naive_cpl {
    uint64_t start, issues[64];
    uint32_t n_issues;
    int64_t n_inst;
};

static double naive_value(const struct naive_cpl *w, const char *waiting, uint64_t now)
{
    if (!w->n_issues)
        return strcmp(waiting, "stall") == 0 ? (double)(now - w->start) : 0;
    double stalls = (double)(w->issues[0] - w->start);
    for (uint32_t i = 1; i < w->n_issues; i++)
        stalls += (double)(w->issues[i] - w->issues[i - 1] - 1);
    uint64_t last = w->issues[w->n_issues - 1];
    if (strcmp(waiting, "stall") == 0)
        stalls += (double)(now - last - 1);
    uint64_t until = strcmp(waiting, "nothing") == 0 ? last + 1 : now;
    return (double)w->n_inst * (double)(until - w->start) / w->n_issues + stalls;
}

static void happen(struct stage *s, struct naive_cpl *w, uint64_t now, uint64_t what)
{
    static const uint32_t masks[] = {0, 0x0f, 0xff};
    static const int64_t forward[] = {4, 4 + 3, 3}; /* from 10 to 15, paths that meet at 18 */
    w->issues[w->n_issues++] = now;
    issue_at(s, 0, now);
    switch (what % 4) {
    case 0:
        branch(s, 0, 10, 15, 18, masks[what / 4 % 3]);
        w->n_inst += forward[what / 4 % 3];
        break;
    case 1:
        branch(s, 0, 10, 7, 11, masks[what / 4 % 3]);
        w->n_inst += what / 4 % 3 ? 4 : 0;
        break;
    default:
        s->cpl->desc->on_commit(s->cpl, 0, now);
        w->n_inst--;
    }
}

static void criticality_is_what_a_list_of_events_gives(void **state)
{
    (void)state;
    for (uint32_t waiting = 0; waiting < 3; waiting++) {
        static const char *const names[] = {"cpi", "nothing", "stall"};
        uint64_t random = 7, now = 100;
        struct stage s;
        struct naive_cpl w = {.start = now};
        stage_init(&s, 1, 1);
        s.cpl = criticality_create(criticality_find("cpl"), &waiting, NULL, &s.view);
        show_live(&s, 0);
        s.cpl->desc->on_warp_start(s.cpl, 0, now);
        while (w.n_issues < 64) {
            now += 1 + random_u64(&random) % 30;
            double off = (double)value(&s, 0, now) - naive_value(&w, names[waiting], now);
            assert_true(off > -1 && off < 1); /* it counts in whole cycles */
            happen(&s, &w, now, random_u64(&random));
        }
        criticality_destroy(s.cpl);
    }
}

/* A loop of the instructions 5 to 9: another round has five of them, the end none; some lanes that
 * stay make a round. */
static void a_loop_adds_a_round_while_it_goes_on(void **state)
{
    (void)state;
    enum { ONE_AHEAD, LEAVES, GOES_ON, SOME_GO_ON, NO_BRANCH, N };
    struct stage s;
    start_cpl(&s, N);
    for (uint32_t w = 0; w < N; w++)
        issue_at(&s, w, 10);
    branch(&s, ONE_AHEAD, 1, 4, 5, 0xff);
    branch(&s, LEAVES, 9, 5, 10, 0);
    branch(&s, GOES_ON, 9, 5, 10, 0xff);
    branch(&s, SOME_GO_ON, 9, 5, 10, 0x01);
    int64_t one = worth_of_one(&s, ONE_AHEAD, NO_BRANCH), none = value(&s, NO_BRANCH, 10);
    assert_int_equal(value(&s, LEAVES, 10), none);
    assert_int_equal(value(&s, GOES_ON, 10) - none, 5 * one);
    assert_int_equal(value(&s, SOME_GO_ON, 10) - none, 5 * one);
    criticality_destroy(s.cpl);
}

/* Algorithm 6: stalls between two instructions add up; nothing is ahead of these warps, so stalls
 * are all there is. */
static void stalls_between_issues_add_up(void **state)
{
    (void)state;
    enum { SLOW, FAST, N };
    struct stage s;
    start_cpl(&s, N);
    issue_at(&s, SLOW, 1);
    issue_at(&s, FAST, 1);
    int64_t before = value(&s, SLOW, 1);
    issue_at(&s, SLOW, 11);
    int64_t first = value(&s, SLOW, 11) - before;
    issue_at(&s, SLOW, 31);
    int64_t second = value(&s, SLOW, 31) - before - first;
    assert_in_range(first, 9, 10); /* whether the cycle of the issue counts is open */
    assert_int_equal(second - first, 10);
    issue_at(&s, FAST, 2);
    issue_at(&s, FAST, 3);
    assert_int_equal(value(&s, FAST, 31) - before, 2 * (first - 9));
    criticality_destroy(s.cpl);
}

/* Critical is who is above the median of its CTA: of four, two. */
static void the_slower_half_of_a_cta_is_critical(void **state)
{
    (void)state;
    struct stage s;
    start_cpl(&s, 4);
    static const uint64_t second_issue[] = {30, 5, 90, 10};
    for (uint32_t w = 0; w < 4; w++) {
        issue_at(&s, w, 1);
        issue_at(&s, w, second_issue[w]);
    }
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(s.cpl->desc->is_critical(s.cpl, w, 90), second_issue[w] >= 30);
    criticality_destroy(s.cpl);
}

/* --- schedulers --- */

static void start_scheduler(struct stage *s, const char *name, uint32_t n_warps, uint32_t cta_warps)
{
    stage_init(s, n_warps, cta_warps);
    s->scheduler = scheduler_create(scheduler_find(name), NULL, &s->view, 1);
    for (uint32_t w = n_warps; w-- > 0;) { /* the oldest starts first */
        show_live(s, w);
        if (s->scheduler->desc->on_warp_start)
            s->scheduler->desc->on_warp_start(s->scheduler, w, 0);
    }
}

static uint32_t issue_next(struct stage *s, uint64_t ready, uint64_t now)
{
    struct scheduler *x = s->scheduler;
    int warp = x->desc->pick(x, 0, ready, 0, now).warp;
    assert_in_range(warp, 0, s->view.n_warps - 1);
    assert_true(ready >> warp & 1);
    x->desc->on_issue(x, 0, (uint32_t)warp, ISSUE_ALU, 1, now);
    return (uint32_t)warp;
}

/* A warp ends; or one starts in a slot that has none. */
static void turn_over(struct stage *s, uint32_t warp, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    bool starts = !s->warps[warp].live;
    s->warps[warp].live = starts;
    s->warps[warp].age += starts ? SCHED_MAX_WARPS : 0; /* ages stay different */
    s->view.live ^= UINT64_C(1) << warp;
    if (starts && d->on_warp_start)
        d->on_warp_start(s->scheduler, warp, now);
    if (!starts && d->on_warp_end)
        d->on_warp_end(s->scheduler, warp, now);
}

/* The most critical first, the oldest of equals, and the same one as long as it can issue, even if
 * another has become more critical. */
static void gcaws_goes_on_with_the_most_critical(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "gcaws", 4, 4);
    memcpy(s.times, (int64_t[]){5, 9, 9, 1}, 4 * sizeof s.times[0]);
    assert_int_equal(issue_next(&s, 0xf, 1), 2);
    s.times[0] = 20;
    assert_int_equal(issue_next(&s, 0xf, 2), 2);
    assert_int_equal(issue_next(&s, 0xb, 3), 0);
    assert_int_equal(issue_next(&s, 0xf, 4), 0);
    assert_int_equal(issue_next(&s, 0x8, 5), 3);
    assert_int_equal(issue_next(&s, 0xf, 6), 3);
    assert_int_equal(issue_next(&s, 0x7, 7), 0);
    scheduler_destroy(s.scheduler);
}

/* --- 3.4: scheduling by an oracle --- */

/* 3.4.2: "given there are 48 active warps in the pool [...], all warps would initially have counter
 * values from 0 to 47. The warp with a zero counter value is to be scheduled [...]. The counter for
 * the selected warp is always reset to be 47 since all warps are treated equally." */
static void equal_warps_issue_in_turn(void **state)
{
    (void)state;
    struct stage s;
    start_scheduler(&s, "caws_avg", 48, 48);
    for (uint32_t n = 0; n < 4 * 48; n++)
        assert_int_equal(issue_next(&s, s.view.live, n), n % 48);
    scheduler_destroy(s.scheduler);
}

/* Of warps that are as slow as each other caws_avg takes none for critical and none for fast. */
static void let_random_warps_issue(struct stage *caws, struct stage *rr, uint64_t seed)
{
    for (uint64_t now = 1; now <= 2000; now++) {
        uint32_t changes = (uint32_t)(random_u64(&seed) % (8 * N_WARPS));
        if (changes < N_WARPS) { /* a warp ends, or another one takes its slot */
            turn_over(caws, changes, now);
            turn_over(rr, changes, now);
        }
        uint64_t ready = caws->view.live & random_u64(&seed) & random_u64(&seed);
        if (ready)
            assert_int_equal(issue_next(caws, ready, now), issue_next(rr, ready, now));
    }
}

/* 3.4.2 defines round robin by these counters: with equal periods CAWS is RR, also where warps
 * stall, end and start. */
static void equal_periods_are_round_robin(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct stage caws, rr;
        start_scheduler(&caws, "caws_avg", N_WARPS, 4);
        start_scheduler(&rr, "lrr", N_WARPS, 4);
        let_random_warps_issue(&caws, &rr, seed);
        scheduler_destroy(caws.scheduler);
        scheduler_destroy(rr.scheduler);
    }
}

/* Twelve warps in three CTAs, and how many turns each has in the time of 60: 5 of a period of 12
 * (48 of 48), 6 of a critical warp's of 10 (40 of 48), 4 of a fast one's of 15 (60 of 48). */
static const struct {
    const char *scheduler;
    int64_t times[N_WARPS];
    uint32_t turns[N_WARPS];
} oracles[] = {
    /* 3.4.1: "the most critical warp in the thread block". */
    {"caws_blk",
     {50, 60, 70, 80, 900, 800, 700, 600, 1, 3, 2, 1},
     {5, 5, 5, 6, 6, 5, 5, 5, 5, 6, 5, 5}},
    /* "The top N critical warps from the warp pool, where N is equal to the number of thread
     * blocks": three. */
    {"caws_sm",
     {50, 60, 70, 80, 900, 800, 700, 600, 1, 3, 2, 1},
     {5, 5, 5, 5, 6, 6, 6, 5, 5, 5, 5, 5}},
    /* 3.4.2: more than 20 % above the average of 100, and below. */
    {"caws_avg",
     {120, 121, 100, 100, 80, 79, 100, 100, 100, 100, 100, 100},
     {5, 6, 5, 5, 5, 4, 5, 5, 5, 5, 5, 5}},
};
enum { N_ORACLES = sizeof oracles / sizeof oracles[0] };

static uint32_t sum_of(const uint32_t turns[N_WARPS])
{
    uint32_t sum = 0;
    for (uint32_t w = 0; w < N_WARPS; w++)
        sum += turns[w];
    return sum;
}

/* 3.4.2: "to give critical warp(s) 20 % more time resource, the scheduler will have to schedule the
 * critical warp(s) 20 % more frequently"; fast ones get 20 % less. */
static void critical_warps_have_a_fifth_more_turns(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_ORACLES; i++) {
        struct stage s;
        uint32_t turns[N_WARPS] = {0};
        start_scheduler(&s, oracles[i].scheduler, N_WARPS, 4);
        memcpy(s.times, oracles[i].times, sizeof oracles[i].times);
        for (uint32_t n = sum_of(oracles[i].turns); n > 0; n--)
            turns[issue_next(&s, s.view.live, n)]++;
        assert_memory_equal(turns, oracles[i].turns, sizeof turns);
        scheduler_destroy(s.scheduler);
    }
}

/* The same of a full pool: 40 and 48 for 48 warps. */
static void one_of_48_warps_is_critical(void **state)
{
    (void)state;
    enum { CRITICAL = 3 };
    struct stage s;
    uint32_t turns[48] = {0};
    start_scheduler(&s, "caws_blk", 48, 48);
    s.times[CRITICAL] = 1;
    for (uint32_t n = 0; n < 47 * 5 + 6; n++)
        turns[issue_next(&s, s.view.live, n)]++;
    for (uint32_t w = 0; w < 48; w++)
        assert_int_equal(turns[w], w == CRITICAL ? 6 : 5);
    scheduler_destroy(s.scheduler);
}

/* Of two warps the first is critical. Its turns are 2 * 40/48 apart, at 1, 2 2/3, 4 1/3, 6, 7 2/3,
 * ..., those of the other one at 2, 4, 6, ...; at 6 the older one comes first, which is the second
 * here. */
static void turns_of_two_warps_counted_by_hand(void **state)
{
    (void)state;
    static const uint32_t order[] = {0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
    struct stage s;
    start_scheduler(&s, "caws_blk", 2, 2);
    s.times[0] = 1;
    for (uint32_t n = 0; n < sizeof order / sizeof order[0]; n++)
        assert_int_equal(issue_next(&s, s.view.live, n), order[n]);
    scheduler_destroy(s.scheduler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_adds_the_path_ahead),
        cmocka_unit_test(an_instruction_ahead_is_worth_the_cycles_per_instruction),
        cmocka_unit_test(criticality_is_what_a_list_of_events_gives),
        cmocka_unit_test(a_loop_adds_a_round_while_it_goes_on),
        cmocka_unit_test(stalls_between_issues_add_up),
        cmocka_unit_test(the_slower_half_of_a_cta_is_critical),
        cmocka_unit_test(gcaws_goes_on_with_the_most_critical),
        cmocka_unit_test(equal_warps_issue_in_turn),
        cmocka_unit_test(equal_periods_are_round_robin),
        cmocka_unit_test(critical_warps_have_a_fifth_more_turns),
        cmocka_unit_test(one_of_48_warps_is_critical),
        cmocka_unit_test(turns_of_two_warps_counted_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
