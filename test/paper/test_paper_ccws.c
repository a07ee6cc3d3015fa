/* Examples of T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-Conscious Wavefront Scheduling, MICRO
 * 2012, section 3.3, on the scheduler with a small L1D (locality_stage.h). What counts as lost
 * locality, and when scores fall: test_paper_ccws_counts.c. */
#include "paper/locality_stage.h"

/* A VTA hit raises the score to hits x K x cutoff / instructions (section 3.3.5): with 400 as the
 * cutoff, K = 5 and 8 instructions make 250. A warp is blocked when the scores before it reach the
 * cutoff; among equals the younger one is. */
static void warps_behind_the_cutoff_may_not_load(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        uint32_t insts, n_losing; /* before the first VTA hit; warps 0.. lose, twice the insts */
        uint64_t blocked;
    } examples[] = {
        {"k_throttle=5", 8, 0, 0},              /* 100 100 100 100: sums 0 100 200 300 */
        {"k_throttle=3", 8, 1, 0},              /* 150 100 100 100: 0 150 250 350 */
        {"k_throttle=5", 8, 1, YOUNG},          /* 250 100 100 100: 0 250 350 450 */
        {"k_throttle=5", 8, 2, MIDDLE | YOUNG}, /* 250 250 100 100: 0 250 500 600 */
        {"k_throttle=5", 4, 1, OTHERS},         /* 500 100 100 100: 0 500 600 700 */
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct ccws_stage s;
        start(&s, examples[i].words);
        for (uint32_t w = 0; w < examples[i].n_losing; w++) {
            issue(&s, examples[i].insts);
            lose_locality(&s, w);
        }
        assert_int_equal(blocked_next_cycle(&s), examples[i].blocked);
        stage_destroy(&s);
    }
}

/* A sum that equals the cutoff blocks: 401 x 400 / 400 falls to 400 in the next cycle. */
static void the_cutoff_itself_blocks(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=401");
    issue(&s, 400);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), OTHERS); /* 400 */
    assert_int_equal(blocked_next_cycle(&s),
                     MIDDLE | YOUNG); /* 399: the oldest of the others loads */
    stage_destroy(&s);
}

static void only_loads_are_blocked(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 4);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    for (int class = 0; class < N_ISSUE_CLASSES; class ++)
        if (class != ISSUE_LOAD)
            assert_int_equal(stage_blocked(&s, (enum issue_class) class), 0);
    stage_destroy(&s);
}

/* 250 100 100 100: when the warp that is blocked ends, the cutoff is 300 and another is. */
static void a_warp_that_ends_lowers_the_cutoff(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 8);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), YOUNG);
    stage_end(&s, 2);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), MIDDLE);
    stage_destroy(&s);
}

/* 250 falls by 1 a cycle: the last warp is free below 200, 51 cycles later, and not before. */
static void scores_fall_by_one_a_cycle(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=5");
    issue(&s, 8);
    lose_locality(&s, 0);
    uint64_t raised = s.now;
    stage_advance(&s, 1);
    uint64_t named = s.scheduler->desc->next_change(s.scheduler, s.now);
    assert_in_range(named, s.now + 1, raised + 51);
    stage_advance(&s, 49);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), YOUNG);
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* After a long time all scores are 100, not less: with 301 before them 301 + 100 reach 400. */
static void scores_do_not_fall_below_the_base(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=302");
    stage_advance(&s, 100000);
    issue(&s, 400);
    lose_locality(&s, 0);
    assert_int_equal(blocked_next_cycle(&s), MIDDLE | YOUNG); /* 301: sums 0 301 401 501 */
    assert_int_equal(blocked_next_cycle(&s), MIDDLE | YOUNG); /* 300 */
    assert_int_equal(blocked_next_cycle(&s), YOUNG);          /* 299: 0 299 399 499 */
    stage_advance(&s, 100000);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), 0);
    assert_int_equal(s.scheduler->desc->next_change(s.scheduler, s.now), UINT64_MAX);
    /* Nor has the score that was high: warp 0 comes before the young one again. */
    issue(&s, 400);
    lose_locality(&s, 1);
    stage_advance(&s, 3); /* 299: 0 299 399 499 */
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), YOUNG);
    stage_destroy(&s);
}

/* Ten bits: 1023 falls to 400 in 623 cycles, and to 399 in one more. */
static void scores_saturate(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=1000000");
    issue(&s, 1);
    lose_locality(&s, 0);
    stage_advance(&s, 623);
    assert_int_equal(stage_blocked(&s, ISSUE_LOAD), OTHERS);
    assert_int_equal(blocked_next_cycle(&s), MIDDLE | YOUNG);
    stage_destroy(&s);
}

/* "capping each wavefront's score at LLDS, regardless of how many VTA hits it has received": the
 * first VTA hit gives 1 x 5 x 400 / 4 = 500, and all others are blocked. 96 instructions later the
 * second one gives 2 x 5 x 400 / 100 = 40: the score is the base, and no warp is blocked. Without
 * the cap it stays where it was. */
static void llds_caps_the_scores(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        uint64_t blocked;
    } cases[] = {{"k_throttle=5", 0}, {"k_throttle=5 llds_caps=false", OTHERS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ccws_stage s;
        start(&s, cases[i].words);
        issue(&s, 4);
        lose_locality(&s, 0);
        stage_advance(&s, 1);
        assert_int_equal(stage_blocked(&s, ISSUE_LOAD), OTHERS);
        issue(&s, 96);
        lose_locality(&s, 0);
        assert_int_equal(blocked_next_cycle(&s), cases[i].blocked);
        stage_destroy(&s);
    }
}

/* 3.3.2: "CCWS is implemented as an extension to the system's baseline wavefront prioritization
 * logic": among warps that may issue, that logic decides. After warp 1, the oldest, the greedy one
 * goes on with it and round robin takes the next. */
static void the_baseline_order_decides_among_the_others(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int next;
    } cases[] = {{"prioritise=gto", 1}, {"prioritise=lrr", 2}, {"prioritise=two_level", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ccws_stage s;
        start(&s, cases[i].words);
        stage_issue(&s, 1);
        assert_int_equal(s.scheduler->desc->pick(s.scheduler, 0, 0xf, 0, s.now).warp,
                         cases[i].next);
        stage_destroy(&s);
    }
}

/* --- what is in the victim tag arrays: any VTA hit blocks all other warps --- */

static void start_touchy(struct ccws_stage *s)
{
    start(s, "k_throttle=1000000");
    issue(s, 1);
}

static void a_tag_goes_to_the_warp_that_reserved_the_line(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_touchy(&s);
    load(&s, 0, 'a');
    load(&s, 1, 'b'); /* a leaves for warp 0's array, though warp 1 drove it out */
    load(&s, 1, 'a');
    assert_int_equal(blocked_next_cycle(&s), 0);
    load(&s, 2, 'c');
    load(&s, 0, 'a');
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_destroy(&s);
}

/* A tag that was found is gone: when the line, back in L1D, is lost in a way that leaves no tag,
 * the next miss does not find the old one. */
static void a_tag_is_found_once(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_touchy(&s);
    lose_locality(&s, 0); /* finds a */
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_advance(&s, 100000);
    cache_invalidate_line(s.l1d, (uint64_t)'a' * STAGE_LINE_BYTES);
    load(&s, 0, 'a');
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

static void only_replaced_lines_leave_tags(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_touchy(&s);
    load(&s, 0, 'a');
    store(&s, 0, 'a'); /* write-evict */
    load(&s, 0, 'a');
    assert_int_equal(blocked_next_cycle(&s), 0);
    cache_invalidate_line(s.l1d, (uint64_t)'a' * STAGE_LINE_BYTES);
    load(&s, 0, 'a');
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* With and without a store in between, which misses and is another warp's. */
static void stores_remove_tags_everywhere(void **state)
{
    (void)state;
    for (int with_store = 0; with_store < 2; with_store++) {
        struct ccws_stage s;
        start_touchy(&s);
        load(&s, 0, 'a');
        load(&s, 0, 'b');
        if (with_store)
            store(&s, 1, 'a');
        load(&s, 0, 'a');
        assert_int_equal(blocked_next_cycle(&s), with_store ? 0 : OTHERS);
        stage_destroy(&s);
    }
}

/* A warp that starts in the slot of another has lost nothing yet. */
static void a_new_warp_has_an_empty_array_and_the_base_score(void **state)
{
    (void)state;
    struct ccws_stage s;
    start_touchy(&s);
    lose_locality(&s, 0); /* the array holds b */
    stage_advance(&s, 1);
    stage_end(&s, 0);
    stage_start(&s, 0, 10);
    assert_int_equal(blocked_next_cycle(&s), 0);
    load(&s, 0, 'b');
    assert_int_equal(blocked_next_cycle(&s), 0);
    stage_destroy(&s);
}

/* --- what the published simulator does otherwise (tgrogers/ccws-2012) --- */

/* scheduling-point-system.cc, at the end of a warp: "m_issued_inst_total -=
 * m_issued_inst_per_warp[warp_id]", and VTA hits likewise. Warp 0 has one VTA hit and ends. Then
 * warp 1 has one after 11 instructions: 1 x 5 x 400 / 11 = 181, less 1 for a cycle: sums 0 180 280
 * 380. If the hit of warp 0 counted, 2 x 5 x 400 / 11 = 363 would block the two youngest. With the
 * totals of the text, 2 x 5 x 400 / 19 = 210 blocks the youngest. */
static void totals_of_live_warps_forget_those_that_end(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        uint64_t blocked;
    } cases[] = {{"k_throttle=5 live_totals=true", 0}, {"k_throttle=5", 1 << 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ccws_stage s;
        start(&s, cases[i].words);
        issue(&s, 8);
        lose_locality(&s, 0);
        stage_advance(&s, 1);
        stage_end(&s, 0);
        stage_start(&s, 0, 10); /* the youngest */
        stage_advance(&s, 1000);
        for (uint32_t n = 0; n < 11; n++)
            stage_issue(&s, 1);
        lose_locality(&s, 1);
        assert_int_equal(blocked_next_cycle(&s), cases[i].blocked);
        stage_destroy(&s);
    }
}

/* The victim cache is probed, and its tags stay until newer ones replace them. */
static void kept_tags_are_found_again(void **state)
{
    (void)state;
    struct ccws_stage s;
    start(&s, "k_throttle=1000000 keeps_tags=true");
    issue(&s, 1);
    lose_locality(&s, 0); /* finds a */
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_advance(&s, 100000);
    cache_invalidate_line(s.l1d, (uint64_t)'a' * STAGE_LINE_BYTES);
    load(&s, 0, 'a');
    assert_int_equal(blocked_next_cycle(&s), OTHERS);
    stage_destroy(&s);
}

/* ccws_authors has all of these, ccws none. */
static void ccws_authors_is_the_published_simulator(void **state)
{
    (void)state;
    static const char *const differs[][3] = {
        {"score_bits", "10", "30"},
        {"keeps_tags", "false", "true"},
        {"keeps_vta", "false", "true"},
        {"live_totals", "false", "true"},
        {"probes_merges", "false", "true"},
        {"starts_at_zero", "false", "true"},
        {"ties", "age", "slot"},
        {"k_throttle", "8", "8"},
        {"base_score", "100", "100"},
        {"llds_caps", "true", "true"},
        {"decay_cycles", "1", "1"},
        {"prioritise", "gto", "gto"},
        {"vta_entries_per_warp", "16", "16"},
        {"vta_ways", "8", "8"},
    };
    static const char *const names[] = {"ccws", "ccws_authors"};
    for (int n = 0; n < 2; n++) {
        const struct scheduler_desc *d = scheduler_find(names[n]);
        assert_int_equal(d->n_params, sizeof differs / sizeof differs[0]);
        for (uint32_t i = 0; i < d->n_params; i++) {
            uint32_t row = 0;
            while (row < d->n_params && strcmp(differs[row][0], d->params[i].name) != 0)
                row++;
            assert_true(row < d->n_params);
            assert_string_equal(d->params[i].default_text, differs[row][1 + n]);
        }
    }
}

/* Section 5.7, 32 warps and 256 lines: 2560 bytes of tags, 160 of warp numbers, 40 of scores and
 * two counters. */
static void the_cost_is_2768_bytes(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct strbuf parts = {0};
    const struct scheduler_desc *d = scheduler_find("ccws");
    const struct sched_geometry g = {.n_warps = 32, .n_slots = 1, .l1d_lines = 256};
    assert_int_equal(d->cost_bits(&g, sched_params(d, "", &arena), &parts), 8 * 2768);
    static const char *const lines[] = {"victim tags 20480", "WID of each line 1280", "scores 320",
                                        "VTA hits and instructions 64"};
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(strbuf_text(&parts), lines[i]));
    strbuf_destroy(&parts);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_behind_the_cutoff_may_not_load),
        cmocka_unit_test(the_cutoff_itself_blocks),
        cmocka_unit_test(only_loads_are_blocked),
        cmocka_unit_test(a_warp_that_ends_lowers_the_cutoff),
        cmocka_unit_test(scores_fall_by_one_a_cycle),
        cmocka_unit_test(scores_do_not_fall_below_the_base),
        cmocka_unit_test(scores_saturate),
        cmocka_unit_test(llds_caps_the_scores),
        cmocka_unit_test(the_baseline_order_decides_among_the_others),
        cmocka_unit_test(a_tag_goes_to_the_warp_that_reserved_the_line),
        cmocka_unit_test(a_tag_is_found_once),
        cmocka_unit_test(only_replaced_lines_leave_tags),
        cmocka_unit_test(stores_remove_tags_everywhere),
        cmocka_unit_test(a_new_warp_has_an_empty_array_and_the_base_score),
        cmocka_unit_test(totals_of_live_warps_forget_those_that_end),
        cmocka_unit_test(kept_tags_are_found_again),
        cmocka_unit_test(ccws_authors_is_the_published_simulator),
        cmocka_unit_test(the_cost_is_2768_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
