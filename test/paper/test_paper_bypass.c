/* Bypassing, as the papers put it, on the cache itself. Expectations are derived from the
 * sentences above them.
 * S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018: Stall-Bypass, section 5.3.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017: Ctrl-C, section 5.2, PC-based adaptive
 * bypassing, section 5.3.1, and what section 5.1 tries by hand. */
#include "paper/l1d_stage.h"

enum { A = 1, B, C };

/* --- S2 5.3: Stall-Bypass "enables a bypass path when a stall is detected in the L1D cache for any
 * reason, such as no available MSHR entry, no reservable slot in set, or a fully occupied miss
 * queue". Each shortage stalls LRU, for that reason, and makes Stall-Bypass bypass. --- */

enum shortage { NO_MSHR, NO_LINE, NO_MISS_QUEUE, NO_MERGE, N_SHORTAGES };
static const enum cache_stall causes[N_SHORTAGES] = {STALL_MSHR, STALL_LINE, STALL_MISS_QUEUE,
                                                     STALL_MERGE};

/* A load that lacks it, in a cache of 8 sets of 2 ways. */
static enum cache_answer load_short_of(struct l1d *c, enum shortage what)
{
    switch (what) {
    case NO_MSHR: /* all four are in use for other sets */
        for (uint32_t set = 0; set < N_MSHRS; set++)
            assert_int_equal(ask(c, set, 0, A), CACHE_MISS);
        return ask(c, N_MSHRS, 0, A);
    case NO_LINE: /* both lines of the set are in flight */
        assert_int_equal(ask(c, 0, 0, A), CACHE_MISS);
        assert_int_equal(ask(c, 0, 1, A), CACHE_MISS);
        return ask(c, 0, 2, A);
    case NO_MISS_QUEUE:
        c->room.miss_queue = false;
        return ask(c, 0, 0, A);
    default: /* the MSHR of the line takes no more */
        for (uint32_t i = 0; i < N_MERGES; i++)
            assert_int_not_equal(ask(c, 0, 0, A), CACHE_STALLED);
        return ask(c, 0, 0, A);
    }
}

static void stall_bypass_bypasses_whatever_would_stall(void **state)
{
    (void)state;
    for (enum shortage what = 0; what < N_SHORTAGES; what++) {
        struct l1d lru, around;
        l1d_init(&lru, "lru", "", 8, 2);
        l1d_init(&around, "stall_bypass", "", 8, 2);
        assert_int_equal(load_short_of(&lru, what), CACHE_STALLED);
        assert_int_equal(lru.stall, causes[what]);
        assert_int_equal(load_short_of(&around, what), CACHE_BYPASSED);
        l1d_destroy(&lru);
        l1d_destroy(&around);
    }
}

/* Where nothing stalls, nothing is bypassed, "regardless of the reuse patterns": as LRU. */
static void stall_bypass_is_lru_otherwise(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "stall_bypass", "", 1, 2);
    assert_int_equal(load(&c, 0, 0, A), CACHE_MISS);
    assert_int_equal(load(&c, 0, 1, A), CACHE_MISS);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    assert_int_equal(load(&c, 0, 2, A), CACHE_MISS);
    assert_int_equal(c.victim, 1);
    c.room.miss_queue = false; /* hits need none */
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    l1d_destroy(&c);
}

/* A bypassed load reserves no line: what was there is still there. */
static void a_bypassed_load_replaces_nothing(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "stall_bypass", "", 1, 1);
    load(&c, 0, 0, A);
    c.room.miss_queue = false;
    assert_int_equal(load(&c, 0, 1, A), CACHE_BYPASSED);
    assert_int_equal(load(&c, 0, 0, A), CACHE_HIT);
    l1d_destroy(&c);
}

/* --- S3 5.2: Ctrl-C --- */

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

/* One way, AGG 0 and a short sample: `n_lines` lines of the instruction leave, `n_reused` of them
 * used again before. The line that stays belongs to C. */
static void let_lines_leave(struct l1d *c, uint32_t pc, uint32_t n_lines, uint32_t n_reused)
{
    for (uint32_t i = 0; i < n_lines; i++) {
        load(c, 0, c->n_fresh, pc);
        if (i < n_reused)
            assert_int_equal(load(c, 0, c->n_fresh, pc), CACHE_HIT);
        c->n_fresh++;
    }
    load_fresh(c, 0, C);
}

/* How many misses of the instruction in a row bypass: 2^AGG - 1. */
static uint32_t bypasses_of(struct l1d *c, uint32_t pc)
{
    uint32_t n = 0;
    while (load_fresh(c, 0, pc) == CACHE_BYPASSED)
        assert_true(++n < 1000);
    return n;
}

/* Lines of A left, a sample of ten of them: how aggressive is it then? */
static uint32_t bypasses_after(uint32_t n_lines, uint32_t n_reused)
{
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    let_lines_leave(&c, A, n_lines, n_reused);
    uint32_t n = bypasses_of(&c, A);
    l1d_destroy(&c);
    return n;
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

/* Lines 14 to 16: from AGG 1 and a period of 20 >> 1 lines: ZERO / INSERT < 0.1 lowers it, exactly
 * a tenth does not. Every second miss is inserted, so lines are requested twice. */
static uint32_t bypasses_after_reuse(uint32_t n_zero)
{
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=20 agg_init=1", 1, 1);
    for (uint32_t i = 0; i < 10; i++, c.n_fresh++) {
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
    assert_int_equal(bypasses_after_reuse(0), 0);
    assert_int_equal(bypasses_after_reuse(1), 1);
}

/* Line 16: "AGG - 1", by one step: from 2, one sample of 40 >> 2 lines that are all reused leaves
 * 1, and one miss of two is inserted. */
static void ctrl_c_bypasses_less_by_one_step(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=40 agg_init=2", 1, 1);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t line = c.n_fresh;
        assert_int_equal(bypasses_of(&c, A), 3);
        assert_int_equal(load(&c, 0, line + 3, A), CACHE_HIT);
    }
    assert_int_equal(bypasses_of(&c, C), 3); /* the tenth leaves */
    assert_int_equal(bypasses_of(&c, A), 1);
    l1d_destroy(&c);
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

/* 5.3.5: "Ctrl-C needs only 608 bytes"; Table 5.2: AGG 3, BYP 7, ZERO and REF 10 bits, 128 entries;
 * 5.2.2: 8 bits a line. */
static void ctrl_c_costs_608_bytes(void **state)
{
    (void)state;
    assert_int_equal(cost_bits("ctrl_c", "iReuse table"), 128 * (3 + 7 + 10 + 10));
    assert_int_equal(cost_bits("ctrl_c", "insertion PCs and reuse bits"), 128 * 8);
    assert_int_equal(cost_bits("ctrl_c", NULL), 8 * 608);
}

/* --- S3 5.3.1: PC-based adaptive bypassing --- */

/* Lines of A that leave without reuse, in a cache with one way; the counter has 3 bits. */
static void waste_lines(struct l1d *c, uint32_t n)
{
    l1d_init(c, "pc_bypass", "", 1, 1);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(load_fresh(c, 0, A), CACHE_MISS);
    assert_int_equal(load_fresh(c, 0, B), CACHE_MISS);
}

/* "When detecting cache lines inserted by an instruction do not have any reuse, the PC-based
 * Adaptive Bypassing bypasses all memory requests generated by this particular instruction": with
 * confidence at its maximum, 7. All: none is inserted. */
static void pc_bypass_bypasses_all_once_it_is_sure(void **state)
{
    (void)state;
    struct l1d c;
    waste_lines(&c, 6);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    l1d_destroy(&c);
    waste_lines(&c, 7);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    l1d_destroy(&c);
}

/* "generated by this particular instruction": no other. */
static void pc_bypass_bypasses_no_other_instruction(void **state)
{
    (void)state;
    struct l1d c;
    waste_lines(&c, 7);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load_fresh(&c, 0, B), CACHE_MISS);
    assert_int_equal(load_fresh(&c, 0, C), CACHE_MISS);
    l1d_destroy(&c);
}

/* Lines that were reused do not make it sure when they leave: eight of them do, one after another.
 */
static void pc_bypass_keeps_what_is_reused(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "pc_bypass", "", 1, 8);
    for (uint32_t line = 0; line < 8; line++)
        load(&c, 0, line, A);
    for (uint32_t line = 0; line < 8; line++)
        assert_int_equal(load(&c, 0, line, B), CACHE_HIT);
    for (uint32_t line = 0; line < 8; line++) {
        load_fresh(&c, 0, B);
        assert_int_equal(c.victim, line);
    }
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    l1d_destroy(&c);
}

/* A hit of a line that is still there takes 1 of the confidence away, of the instruction that
 * inserted the line: the next miss inserts, and if it is wasted the next bypasses again. */
static void pc_bypass_unlearns_at_hits_only(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "pc_bypass", "", 2, 1);
    load(&c, 1, 0, A); /* stays in another set */
    for (int i = 0; i < 7; i++)
        load_fresh(&c, 0, A);
    load_fresh(&c, 0, B);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(load(&c, 1, 0, B), CACHE_HIT);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    load_fresh(&c, 0, B);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    l1d_destroy(&c);
}

/* A load that merges with the miss of the line is a reuse too: it takes 1 away like a hit. */
static void pc_bypass_unlearns_at_merges(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "pc_bypass", "", 2, 1);
    ask(&c, 1, 0, A); /* on its way in another set */
    for (int i = 0; i < 7; i++)
        load_fresh(&c, 0, A);
    load_fresh(&c, 0, B);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
    assert_int_equal(ask(&c, 1, 0, B), CACHE_MERGE);
    assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
    l1d_destroy(&c);
}

/* --- S3 5.1: bypassing all, or part of what one instruction asks for --- */

/* Switched off (Figure 5.1): every load bypasses, and nothing ever hits. */
static void without_l1d_every_load_bypasses(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "none", "", 1, 4);
    for (int i = 0; i < 8; i++)
        assert_int_equal(load(&c, 0, 0, A), CACHE_BYPASSED);
    l1d_destroy(&c);
}

/* Figure 5.5: "A memory request has 1/2^N probability to be inserted into the L1 data cache". Of
 * 8192 misses 2^13 / 2^N are to be expected, with a deviation of less than its root. */
static void a_chosen_instruction_inserts_one_in_2_to_the_n(void **state)
{
    (void)state;
    static const char *const words[] = {"pc=1 n=0", "pc=1 n=1", "pc=1 n=3", "pc=1 n=7"};
    static const uint32_t expected[] = {8192, 4096, 1024, 64}, slack[] = {0, 5 * 64, 5 * 32, 5 * 8};
    for (uint32_t i = 0; i < 4; i++) {
        struct l1d c;
        uint32_t n = 0;
        l1d_init(&c, "pc_prob", words[i], 1, 4);
        for (uint32_t k = 0; k < 8192; k++) {
            n += load_fresh(&c, 0, A) == CACHE_MISS;
            assert_int_equal(load_fresh(&c, 0, B), CACHE_MISS); /* imposed on one instruction */
        }
        assert_in_range(n, expected[i] - slack[i], expected[i] + slack[i]);
        l1d_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_bypass_bypasses_whatever_would_stall),
        cmocka_unit_test(stall_bypass_is_lru_otherwise),
        cmocka_unit_test(a_bypassed_load_replaces_nothing),
        cmocka_unit_test(ctrl_c_inserts_one_in_2_to_the_agg),
        cmocka_unit_test(ctrl_c_counts_for_each_instruction),
        cmocka_unit_test(ctrl_c_has_128_entries),
        cmocka_unit_test(ctrl_c_bypasses_more_when_too_few_lines_are_reused),
        cmocka_unit_test(ctrl_c_waits_for_the_end_of_a_sample),
        cmocka_unit_test(ctrl_c_bypasses_less_when_nearly_all_lines_are_reused),
        cmocka_unit_test(ctrl_c_bypasses_less_by_one_step),
        cmocka_unit_test(ctrl_c_samples_become_shorter_with_agg),
        cmocka_unit_test(ctrl_c_inserts_one_in_128_at_least),
        cmocka_unit_test(ctrl_c_counts_each_sample_alone),
        cmocka_unit_test(ctrl_c_trains_the_instruction_that_inserted),
        cmocka_unit_test(ctrl_c_costs_608_bytes),
        cmocka_unit_test(pc_bypass_bypasses_all_once_it_is_sure),
        cmocka_unit_test(pc_bypass_bypasses_no_other_instruction),
        cmocka_unit_test(pc_bypass_keeps_what_is_reused),
        cmocka_unit_test(pc_bypass_unlearns_at_hits_only),
        cmocka_unit_test(pc_bypass_unlearns_at_merges),
        cmocka_unit_test(without_l1d_every_load_bypasses),
        cmocka_unit_test(a_chosen_instruction_inserts_one_in_2_to_the_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
