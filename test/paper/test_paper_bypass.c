/* Bypassing, as the papers put it, on the cache itself. Expectations are derived from the
 * sentences above them.
 * S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018: Stall-Bypass, section 5.3.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017: PC-based adaptive bypassing, section
 * 5.3.1, and what section 5.1 tries by hand. Ctrl-C: test_paper_ctrl_c.c. */
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

/* "No reservable slot": one line in flight is no reason while the other can be replaced. */
static void stall_bypass_replaces_beside_a_line_in_flight(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "stall_bypass", "", 1, 2);
    load(&c, 0, 0, A);
    assert_int_equal(ask(&c, 0, 1, A), CACHE_MISS);
    assert_int_equal(ask(&c, 0, 2, A), CACHE_MISS);
    assert_int_equal(c.victim, 0);
    assert_int_equal(ask(&c, 0, 3, A), CACHE_BYPASSED);
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

/* Ours: a load that a policy bypasses needs neither an MSHR nor a place in the miss queue, as it
 * waits for no line; S2 does not say. All MSHRs are in use for sets 0 to 3; the line of set 7 has a
 * life. */
static void a_bypassed_load_needs_no_mshr_and_no_miss_queue(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "dlp", "pd_init=5", 8, 1);
    load(&c, 7, 0, A);
    for (uint32_t set = 0; set < N_MSHRS; set++)
        assert_int_equal(ask(&c, set, 0, A), CACHE_MISS);
    assert_int_equal(ask(&c, 7, 1, A), CACHE_BYPASSED);
    c.room.miss_queue = false;
    assert_int_equal(ask(&c, 7, 2, A), CACHE_BYPASSED);
    l1d_destroy(&c);
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

/* "All memory requests": those that would find an empty way too. */
static void pc_bypass_bypasses_beside_an_empty_way(void **state)
{
    (void)state;
    struct l1d c;
    waste_lines(&c, 7);
    store(&c, 0, c.n_fresh - 1);
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

/* Ours, as S3 gives no size: 128 "per-instruction confidence counters", by the lower bits of the
 * PC. */
static void pc_bypass_has_128_counters(void **state)
{
    (void)state;
    struct l1d c;
    waste_lines(&c, 7);
    assert_int_equal(load_fresh(&c, 0, A + 64), CACHE_MISS);
    assert_int_equal(load_fresh(&c, 0, A + 128), CACHE_BYPASSED);
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

/* "Any reuse": by the instruction that inserted the line too. */
static void pc_bypass_keeps_what_its_own_instruction_reuses(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "pc_bypass", "", 1, 8);
    for (uint32_t line = 0; line < 8; line++)
        load(&c, 0, line, A);
    for (uint32_t line = 0; line < 8; line++)
        assert_int_equal(load(&c, 0, line, A), CACHE_HIT);
    for (uint32_t line = 0; line < 8; line++)
        load_fresh(&c, 0, B);
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

/* Every hit takes 1 away, not only the first of a line: 7 - 2 hits + 1 wasted line are 6. A line
 * that was hit before A was sure, when the counter was 0, takes 1 away when it is hit again. */
static void pc_bypass_unlearns_at_every_hit(void **state)
{
    (void)state;
    for (int was_hit = 0; was_hit < 2; was_hit++) {
        struct l1d c;
        l1d_init(&c, "pc_bypass", "", 2, 1);
        load(&c, 1, 0, A);
        if (was_hit)
            assert_int_equal(load(&c, 1, 0, B), CACHE_HIT); /* 0 stays 0 */
        for (int i = 0; i < 7; i++)
            load_fresh(&c, 0, A);
        load_fresh(&c, 0, B);
        assert_int_equal(load_fresh(&c, 0, A), CACHE_BYPASSED);
        for (int i = 0; i < 2; i++)
            assert_int_equal(load(&c, 1, 0, B), CACHE_HIT); /* 5 */
        load_fresh(&c, 0, A);
        load_fresh(&c, 0, B); /* 6 */
        assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
        l1d_destroy(&c);
    }
}

/* Lines that a store removes were not "detected" to be without reuse: only replaced ones count. */
static void pc_bypass_learns_nothing_where_stores_remove_lines(void **state)
{
    (void)state;
    struct l1d c;
    l1d_init(&c, "pc_bypass", "", 1, 1);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(load_fresh(&c, 0, A), CACHE_MISS);
        store(&c, 0, c.n_fresh - 1);
    }
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

/* 5.1: "bypassed stochastically": with N = 3 not every eighth miss is inserted. Of some 1024
 * insertions an eighth directly follow another one; (7/8)^16 = 12 % come after 16 misses or more.
 */
static void insertions_of_a_chosen_instruction_are_random(void **state)
{
    (void)state;
    struct l1d c;
    uint32_t gap = 0, shortest = UINT32_MAX, longest = 0;
    l1d_init(&c, "pc_prob", "pc=1 n=3", 1, 4);
    for (uint32_t k = 0; k < 8192; k++, gap++)
        if (load_fresh(&c, 0, A) == CACHE_MISS) {
            shortest = gap < shortest ? gap : shortest;
            longest = gap > longest ? gap : longest;
            gap = 0;
        }
    assert_true(shortest <= 1 && longest > 16);
    l1d_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_bypass_bypasses_whatever_would_stall),
        cmocka_unit_test(stall_bypass_is_lru_otherwise),
        cmocka_unit_test(stall_bypass_replaces_beside_a_line_in_flight),
        cmocka_unit_test(a_bypassed_load_replaces_nothing),
        cmocka_unit_test(a_bypassed_load_needs_no_mshr_and_no_miss_queue),
        cmocka_unit_test(pc_bypass_bypasses_all_once_it_is_sure),
        cmocka_unit_test(pc_bypass_bypasses_beside_an_empty_way),
        cmocka_unit_test(pc_bypass_bypasses_no_other_instruction),
        cmocka_unit_test(pc_bypass_has_128_counters),
        cmocka_unit_test(pc_bypass_keeps_what_is_reused),
        cmocka_unit_test(pc_bypass_keeps_what_its_own_instruction_reuses),
        cmocka_unit_test(pc_bypass_unlearns_at_hits_only),
        cmocka_unit_test(pc_bypass_unlearns_at_every_hit),
        cmocka_unit_test(pc_bypass_learns_nothing_where_stores_remove_lines),
        cmocka_unit_test(pc_bypass_unlearns_at_merges),
        cmocka_unit_test(without_l1d_every_load_bypasses),
        cmocka_unit_test(a_chosen_instruction_inserts_one_in_2_to_the_n),
        cmocka_unit_test(insertions_of_a_chosen_instruction_are_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
