/* Ctrl-C on the cache itself. Expectations are derived from the sentences and lines above them.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 5.2. What its counters count:
 * test_paper_ctrl_c_counters.c. */
#include "paper/ctrl_c_stage.h"

/* --- Algorithm 11, at a miss --- */

/* Algorithm 11, lines 4 to 12: with AGG = n the first 2^n - 1 misses of an instruction bypass and
 * the next one is inserted: "a probability of 1/2^AGG to be inserted" (5.2.3). */
static void ctrl_c_inserts_one_in_2_to_the_agg(void **state)
{
    (void)state;
    static const char *const words[] = {"agg_init=0 agg_hold=true", "agg_init=1 agg_hold=true",
                                        "agg_init=3 agg_hold=true", "agg_init=7 agg_hold=true"};
    static const uint32_t one_in[] = {1, 2, 8, 128};
    for (uint32_t i = 0; i < 4; i++) {
        struct l1d c;
        l1d_init(&c, "ctrl_c", words[i], 1, 4);
        for (uint32_t n = 1; n <= 2 * 128; n++)
            assert_int_equal(load_fresh(&c, 0, A), n % one_in[i] ? CACHE_BYPASSED : CACHE_MISS);
        l1d_destroy(&c);
    }
}

/* Line 3: each instruction has its own entry: misses of others in between change nothing. */
static void ctrl_c_counts_for_each_instruction(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "agg_init=2 agg_hold=true", 1, 4);
    for (uint32_t n = 1; n <= 16; n++) {
        assert_int_equal(load_fresh(&c, 0, A), n % 4 ? CACHE_BYPASSED : CACHE_MISS);
        if (n % 3 == 0)
            assert_int_equal(load_fresh(&c, 0, B), n % 12 ? CACHE_BYPASSED : CACHE_MISS);
    }
    l1d_destroy(&c);
}

/* Line 12: "ctrl.BYP <- 0" where a line is inserted, at a miss; Algorithm 11 has no hits. A load
 * that hits between two misses does not change how many of them bypass. */
static void ctrl_c_hits_do_not_count(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "agg_init=3 agg_hold=true", 1, 4);
    for (uint32_t n = 1; n < 8; n++)
        assert_int_equal(load(&c, 0, 0, A), CACHE_BYPASSED);
    assert_int_equal(load(&c, 0, 0, A), CACHE_MISS);
    for (uint32_t n = 1; n <= 3 * 8; n++) {
        assert_int_equal(load_fresh(&c, 0, A), n % 8 ? CACHE_BYPASSED : CACHE_MISS);
        assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    }
    l1d_destroy(&c);
}

/* 5.2.2: "indexed by the lower 7-bit of the instruction PCs": PCs 128 apart count together. */
static void ctrl_c_has_128_entries(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "agg_init=1 agg_hold=true", 1, 4);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, A + 64), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, A + 128), CACHE_MISS);
    l1d_destroy(&c);
}

/* Algorithm 12, lines 8 to 13: when INSERT reaches the period, AGG rises if ZERO / INSERT > 0.4;
 * five of ten are more, four of ten are not. */
static void ctrl_c_bypasses_more_when_too_few_lines_are_reused(void **state)
{
    (void)state;
    assert_int_equal(bypasses_after(10, 5), 1);
    assert_int_equal(bypasses_after(10, 6), 0);
    assert_int_equal(bypasses_after(10, 0), 1);
}

/* Line 8: "INSERT >= SAMPLE_PERIOD": nine lines are no sample. */
static void ctrl_c_waits_for_the_end_of_a_sample(void **state)
{
    (void)state;
    assert_int_equal(bypasses_after(9, 0), 0);
    assert_int_equal(bypasses_after(10, 0), 1);
}

/* Table 5.2: "Target Threshold [0.1, 0.4]", in samples of 100 lines: 41 without reuse are more than
 * 0.4, 40 are not. */
static void ctrl_c_raises_agg_above_two_fifths(void **state)
{
    (void)state;
    for (uint32_t n_zero = 40; n_zero <= 41; n_zero++) {
        struct l1d c;
        l1d_init(&c, "ctrl_c", "sample_period=100", 1, 1);
        let_lines_leave(&c, A, 100, 100 - n_zero);
        assert_int_equal(bypasses_of(&c, A), n_zero == 41 ? 1 : 0);
        l1d_destroy(&c);
    }
}

/* Lines 14 to 16: from AGG 1 and a period of 2 n >> 1 lines: ZERO / INSERT < 0.1 lowers it, exactly
 * a tenth does not. Every second miss is inserted, so lines are requested twice. */
static uint32_t bypasses_after_reuse(const char *words, uint32_t n_lines, uint32_t n_zero)
{
    struct l1d c;
    l1d_init(&c, "ctrl_c", words, 1, 1);
    for (uint32_t i = 0; i < n_lines; i++, c.n_fresh++) {
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_BYPASSED);
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_MISS);
        if (i >= n_zero)
            assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_HIT);
    }
    assert_int_equal(load_fresh(&c, 0, C), CACHE_BYPASSED);
    load_fresh(&c, 0, C);
    uint32_t n = bypasses_of(&c, A);
    l1d_destroy(&c);
    return n;
}

static void ctrl_c_bypasses_less_when_nearly_all_lines_are_reused(void **state)
{
    (void)state;
    assert_int_equal(bypasses_after_reuse("sample_period=20 agg_init=1", 10, 0), 0);
    assert_int_equal(bypasses_after_reuse("sample_period=20 agg_init=1", 10, 1), 1);
    assert_int_equal(bypasses_after_reuse("sample_period=200 agg_init=1", 100, 9), 0);
    assert_int_equal(bypasses_after_reuse("sample_period=200 agg_init=1", 100, 10), 1);
}

/* "NOTE: ctrl.AGG is a saturating counter": a sample of lines that are all reused leaves 0 at 0. */
static void ctrl_c_agg_does_not_fall_below_0(void **state)
{
    (void)state;
    assert_int_equal(bypasses_after(10, 10), 0);
}

/* From AGG a sample of 1024 >> AGG lines of A, with a reuse or none: what is AGG then? Each line is
 * inserted after 2^AGG - 1 misses that bypass. */
static uint32_t bypasses_after_sample(uint32_t agg, bool is_reused)
{
    struct l1d c;
    struct arena arena = {0};
    l1d_init(&c, "ctrl_c", arena_printf(&arena, "agg_init=%u", agg), 1, 1);
    for (uint32_t i = 0; i < 1024u >> agg; i++) {
        assert_int_equal(bypasses_of(&c, A), (1u << agg) - 1);
        if (is_reused)
            assert_int_equal(load(&c, 0, c.n_fresh - 1, A), CACHE_HIT);
    }
    assert_int_equal(bypasses_of(&c, C), (1u << agg) - 1); /* the last one leaves */
    uint32_t n = bypasses_of(&c, A);
    l1d_destroy(&c);
    arena_destroy(&arena);
    return n;
}

/* 5.2.4: "the controller increments AGG by 1" above the high threshold and "decrements AGG by 1"
 * below the low one, from each of its values; a "3-bit counter" (Table 5.2) that saturates. */
static void ctrl_c_agg_moves_by_one_step(void **state)
{
    (void)state;
    for (uint32_t agg = 0; agg <= 7; agg++) {
        uint32_t up = agg < 7 ? agg + 1 : 7, down = agg ? agg - 1 : 0;
        assert_int_equal(bypasses_after_sample(agg, false), (1u << up) - 1);
        assert_int_equal(bypasses_after_sample(agg, true), (1u << down) - 1);
    }
}

/* Table 5.2: the period is "(1024 >> AGG) cache evictions": the second sample is half as long. */
static void ctrl_c_samples_become_shorter_with_agg(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "", 1, 1);
    let_lines_leave(&c, A, 1023, 0);
    assert_int_equal(bypasses_of(&c, A), 0); /* its line is the 1024th to leave */
    load_fresh(&c, 0, C);
    for (uint32_t n = 0; n < 512; n++)
        assert_int_equal(bypasses_of(&c, A), 1); /* the last of them is still there */
    load_fresh(&c, 0, C);
    assert_int_equal(bypasses_of(&c, A), 3);
    l1d_destroy(&c);
}

/* Table 5.2: AGG is a "3-bit counter": however many lines leave unused, one load of 128 is
 * inserted. A sample of 128 evictions or less, with 128 loads in each, raises AGG by 1. */
static void ctrl_c_inserts_one_in_128_at_least(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=128", 1, 1);
    for (uint32_t n = 0; n < 20 * 128; n++)
        load_fresh(&c, 0, A);
    for (uint32_t n = 0; n < 128 && load_fresh(&c, 0, A) != CACHE_MISS; n++)
        continue;
    for (uint32_t n = 1; n <= 2 * 128; n++)
        assert_int_equal(load_fresh(&c, 0, A), n % 128 ? CACHE_BYPASSED : CACHE_MISS);
    l1d_destroy(&c);
}

/* Lines 18 and 19: both counters are 0 after a sample. Ten lines without reuse, then ten with: AGG
 * rises once, and falls again. */
static void ctrl_c_counts_each_sample_alone(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10 agg_max=1", 1, 1);
    let_lines_leave(&c, A, 10, 0);
    for (uint32_t i = 0; i < 5; i++, c.n_fresh++) { /* 10 >> 1 */
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_BYPASSED);
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_MISS);
        assert_int_equal(load(&c, 0, c.n_fresh, A), CACHE_HIT);
    }
    load_fresh(&c, 0, C);
    assert_int_equal(bypasses_of(&c, A), 0);
    l1d_destroy(&c);
}

/* Algorithm 12, line 3: the controller is that of the evicted line's insertion PC. B's loads drive
 * A's lines out, and those of A are the ones without reuse. */
static void ctrl_c_trains_the_instruction_that_inserted(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    for (uint32_t i = 0; i < 10; i++) {
        load_fresh(&c, 0, A);
        load(&c, 0, c.n_fresh, B);
        load(&c, 0, c.n_fresh++, A); /* a hit, by any instruction, is a reuse of B's line */
    }
    load_fresh(&c, 0, C);
    assert_int_equal(bypasses_of(&c, B), 0);
    assert_int_equal(bypasses_of(&c, A), 1);
    l1d_destroy(&c);
}

/* 5.2.2: "an eviction candidate is selected based on the underlying cache replacement policy", LRU.
 */
static void ctrl_c_replaces_the_least_recent_line(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "", 1, 3);
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

/* Algorithm 11, lines 10 and 11: evictedLine is the line that an insertion drives out. Lines that
 * stores remove train nothing. */
static void ctrl_c_does_not_train_where_stores_remove_lines(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
        store(&c, 0, c.n_fresh - 1);
    }
    assert_int_equal(bypasses_of(&c, A), 0);
    l1d_destroy(&c);
}

/* 5.3.5: "Ctrl-C needs only 608 bytes"; Table 5.2: AGG 3, BYP 7, ZERO and REF 10 bits, 128 entries;
 * 5.2.2: 8 bits a line. */
static void ctrl_c_costs_608_bytes(void **state)
{
    (void)state;
    assert_int_equal(cost_bits("ctrl_c", "iReuse table"), 128 * (3 + 7 + 10 + 10));
    assert_int_equal(cost_bits("ctrl_c", "insertion PCs and reuse bits"), 128 * 8);
    assert_int_equal(cost_bits("ctrl_c", NULL), 8 * 608);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctrl_c_inserts_one_in_2_to_the_agg),
        cmocka_unit_test(ctrl_c_counts_for_each_instruction),
        cmocka_unit_test(ctrl_c_hits_do_not_count),
        cmocka_unit_test(ctrl_c_has_128_entries),
        cmocka_unit_test(ctrl_c_bypasses_more_when_too_few_lines_are_reused),
        cmocka_unit_test(ctrl_c_waits_for_the_end_of_a_sample),
        cmocka_unit_test(ctrl_c_raises_agg_above_two_fifths),
        cmocka_unit_test(ctrl_c_bypasses_less_when_nearly_all_lines_are_reused),
        cmocka_unit_test(ctrl_c_agg_does_not_fall_below_0),
        cmocka_unit_test(ctrl_c_agg_moves_by_one_step),
        cmocka_unit_test(ctrl_c_samples_become_shorter_with_agg),
        cmocka_unit_test(ctrl_c_inserts_one_in_128_at_least),
        cmocka_unit_test(ctrl_c_counts_each_sample_alone),
        cmocka_unit_test(ctrl_c_trains_the_instruction_that_inserted),
        cmocka_unit_test(ctrl_c_replaces_the_least_recent_line),
        cmocka_unit_test(ctrl_c_does_not_train_where_stores_remove_lines),
        cmocka_unit_test(ctrl_c_costs_608_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
