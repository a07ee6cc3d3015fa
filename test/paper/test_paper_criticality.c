/* S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017. Worked examples of criticality
 * prediction (section 4.2.1, Algorithms 5 and 6). gCAWS: test_paper_gcaws.c. */
#include "paper/sched_stage.h"

/* --- 4.2.1: criticality prediction --- */

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

/* Equation 4.1 with Algorithms 5 and 6 over a list of all that happened, recomputed for each
 * answer and in fractions: what the warp of `cpl` must say, whatever the order of events. */
struct naive_cpl {
    uint64_t start, issues[64], commits[64];
    uint32_t n_issues, n_commits;
    int64_t n_branches; /* instructions that branches have put ahead */
};

static int64_t instructions_ahead(const struct naive_cpl *w, uint64_t now)
{
    int64_t n = w->n_branches;
    for (uint32_t i = 0; i < w->n_commits; i++)
        n -= w->commits[i] <= now;
    return n;
}

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
    return (double)instructions_ahead(w, now) * (double)(until - w->start) / w->n_issues + stalls;
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
        w->n_branches += forward[what / 4 % 3];
        break;
    case 1:
        branch(s, 0, 10, 7, 11, masks[what / 4 % 3]);
        w->n_branches += what / 4 % 3 ? 4 : 0;
        break;
    case 2: /* it is known now that the instruction commits later */
        if (s->cpl->desc->commit_ahead(s->cpl, 0, now + 1 + what / 4 % 40))
            w->commits[w->n_commits++] = now + 1 + what / 4 % 40;
        break;
    default:
        s->cpl->desc->on_commit(s->cpl, 0, now);
        w->commits[w->n_commits++] = now;
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

/* A warp above the median of its CTA is critical: two of four. */
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

/* Of its CTA, not of the SM: both warps of the second CTA are slower than those of the first. */
static void other_ctas_do_not_matter(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, 4, 2);
    s.cpl = criticality_create(criticality_find("cpl"), NULL, NULL, &s.view);
    static const uint64_t second_issue[] = {5, 10, 60, 90};
    for (uint32_t w = 0; w < 4; w++) {
        show_live(&s, w);
        s.cpl->desc->on_warp_start(s.cpl, w, 0);
        issue_at(&s, w, 1);
        issue_at(&s, w, second_issue[w]);
    }
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(s.cpl->desc->is_critical(s.cpl, w, 90), w % 2);
    criticality_destroy(s.cpl);
}

/* A warp is critical if at most half of the live warps of its CTA are as far behind, whatever has
 * happened: here warps issue, branch and commit at random, and end one by one. */
static bool is_above_the_median(const struct stage *s, uint32_t warp, uint64_t now)
{
    uint32_t n = 0, n_as_large = 0;
    for (uint64_t rest = s->view.live; rest; rest &= rest - 1, n++)
        n_as_large += value(s, (uint32_t)__builtin_ctzll(rest), now) >= value(s, warp, now);
    return n_as_large <= n / 2;
}

static void critical_warps_are_above_the_median(void **state)
{
    (void)state;
    enum { N = 6 };
    struct stage s;
    uint64_t random = 3, now = 0;
    start_cpl(&s, N);
    for (uint32_t n_live = N; n_live > 1; n_live--) {
        for (uint32_t i = 0; i < 2000; i++) {
            uint32_t warp = (uint32_t)(random_u64(&random) % n_live);
            now += random_u64(&random) % 3;
            issue_at(&s, warp, now);
            if (i % 4 == 0)
                branch(&s, warp, 10, 15, 18, random_u64(&random) % 2 ? 0 : 0x0f);
            else
                s.cpl->desc->on_commit(s.cpl, warp, now);
            now += 1 + random_u64(&random) % 10;
            for (uint32_t w = 0; w < n_live; w++)
                assert_int_equal(s.cpl->desc->is_critical(s.cpl, w, now),
                                 is_above_the_median(&s, w, now));
        }
        s.warps[n_live - 1].live = false;
        s.view.live &= ~(UINT64_C(1) << (n_live - 1));
        s.cpl->desc->on_warp_end(s.cpl, n_live - 1, now);
    }
    criticality_destroy(s.cpl);
}

/* Equation 4.1 has a warp's own nInst, CPI and nStall: a warp that starts where another has ended
 * has none of them. */
static void a_new_warp_is_not_behind(void **state)
{
    (void)state;
    struct stage s;
    start_cpl(&s, 2);
    issue_at(&s, 0, 1);
    branch(&s, 0, 1, 4, 5, 0);
    issue_at(&s, 0, 90);
    assert_true(value(&s, 0, 100) > 80);
    s.cpl->desc->on_warp_end(s.cpl, 0, 100);
    s.cpl->desc->on_warp_start(s.cpl, 0, 100);
    assert_int_equal(value(&s, 0, 100), 0);
    criticality_destroy(s.cpl);
}

/* 4.2: "CAWA consists of three major components": CPL, gCAWS and CACP. */
static void cawa_is_cpl_gcaws_and_cacp(void **state)
{
    (void)state;
    const struct scheduler_desc *cawa = scheduler_find("cawa"), *gcaws = scheduler_find("gcaws");
    assert_string_equal(cawa->criticality, "cpl");
    assert_string_equal(cawa->l1d_policy, "cacp");
    assert_ptr_equal(cawa->pick, gcaws->pick);
    assert_null(gcaws->l1d_policy);
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
        cmocka_unit_test(other_ctas_do_not_matter),
        cmocka_unit_test(critical_warps_are_above_the_median),
        cmocka_unit_test(a_new_warp_is_not_behind),
        cmocka_unit_test(cawa_is_cpl_gcaws_and_cacp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
