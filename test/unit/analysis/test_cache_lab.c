/* Replays against references that share nothing with them: loops whose optimum is known, all
 * possible decisions on tiny streams, a list for LRU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lab_replay.h"
#include "unit/random_bits.h"

enum { LINE = 128 };

static void add(struct lab_stream *s, uint8_t kind, uint32_t sm, uint64_t line)
{
    lab_stream_add(
        s, &(struct lab_access){.kind = kind, .sm = sm, .address = line * LINE + 4 * (s->n % 32)});
}

static bool keep_text(void *user, const void *data, size_t bytes)
{
    strbuf_add_n(user, data, bytes);
    return true;
}

/* What stores do to lines, in all replays until it is changed. */
static uint32_t stores_keep;

static struct lab_result replay(const struct lab_stream *s, const char *policy, uint32_t n_sets,
                                uint32_t n_ways, struct strbuf *log)
{
    struct lab_config c = {.n_sets = n_sets,
                           .n_ways = n_ways,
                           .line_bytes = LINE,
                           .stores_keep = stores_keep,
                           .policy = lab_policy_find(policy)};
    struct sink sink = {keep_text, log};
    struct lab_result r;
    struct strbuf why = {0};
    assert_non_null(c.policy);
    assert_true(lab_config_check(&c, s, &why));
    assert_true(lab_replay(s, &c, log ? &sink : NULL, &r));
    if (!cache_stats_check(&r.stats, &why))
        fail_msg("%s", strbuf_text(&why));
    return r;
}

/* Three lines in turn, two ways: LRU never hits, the optimum every second time, with bypassing two
 * times of three. */
static void a_loop_larger_than_the_cache(void **state)
{
    (void)state;
    enum { ROUNDS = 1000 };
    struct lab_stream s = {0};
    for (uint64_t i = 0; i < 3 * ROUNDS; i++)
        add(&s, LAB_LOAD, 0, i % 3);
    assert_int_equal(replay(&s, "lru", 1, 2, NULL).stats.hits, 0);
    struct cache_stats b = replay(&s, "belady", 1, 2, NULL).stats;
    assert_true(llabs((long long)b.hits - 3 * ROUNDS / 2) <= 2);
    assert_int_equal(b.bypasses, 0);
    b = replay(&s, "belady_bypass", 1, 2, NULL).stats;
    assert_int_equal(b.hits, 2 * (ROUNDS - 1));
    lab_stream_destroy(&s);
}

/* The fewest loads that do not hit, by trying every decision there is. What the ways hold is
 * in `held`, 0 = nothing; lines count from 1. */
static uint32_t fewest(const struct lab_stream *s, size_t at, const uint64_t *held, uint32_t n_ways,
                       bool may_bypass)
{
    if (at == s->n)
        return 0;
    uint64_t line = s->items[at].address / LINE + 1, next[4];
    bool is_load = s->items[at].kind == LAB_LOAD;
    memcpy(next, held, sizeof next);
    for (uint32_t w = 0; w < n_ways; w++)
        if (held[w] == line) {
            next[w] = is_load || stores_keep ? line : 0;
            return fewest(s, at + 1, next, n_ways, may_bypass);
        }
    if (!is_load)
        return fewest(s, at + 1, held, n_ways, may_bypass);
    uint32_t best = may_bypass ? fewest(s, at + 1, held, n_ways, true) : UINT32_MAX - 1;
    for (uint32_t w = 0; w < n_ways; w++) {
        memcpy(next, held, sizeof next);
        next[w] = line;
        bool has_empty = false;
        for (uint32_t v = 0; v < n_ways; v++)
            has_empty |= !held[v];
        if (has_empty && held[w])
            continue;
        uint32_t n = fewest(s, at + 1, next, n_ways, may_bypass);
        best = n < best ? n : best;
    }
    return best + 1;
}

static void belady_is_the_optimum(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 300; round++) {
        stores_keep = round & 1;
        struct lab_stream s = {0};
        uint32_t n_ways = 1 + (uint32_t)(random_u64(&random) % 3);
        for (int i = 0; i < 11; i++)
            add(&s, random_u64(&random) % 6 ? LAB_LOAD : LAB_STORE, 0, random_u64(&random) % 5);
        const uint64_t nothing[4] = {0};
        struct cache_stats b = replay(&s, "belady", 1, n_ways, NULL).stats;
        assert_int_equal(b.misses, fewest(&s, 0, nothing, n_ways, false));
        b = replay(&s, "belady_bypass", 1, n_ways, NULL).stats;
        assert_int_equal(b.misses + b.bypasses, fewest(&s, 0, nothing, n_ways, true));
        lab_stream_destroy(&s);
    }
    stores_keep = 0;
}

static void random_stream(struct lab_stream *s, uint64_t seed, uint32_t n, bool stores)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = random_u64(&seed);
        uint64_t line = bits >> 20 & 1 ? bits >> 32 & 31 : bits >> 32 & 255;
        add(s, stores && bits % 8 == 0 ? LAB_STORE : LAB_LOAD, bits >> 8 & 1, line);
        s->items[s->n - 1].pc = (uint32_t)(bits >> 10 & 15);
        s->items[s->n - 1].warp = bits >> 14 & 7;
    }
}

static void no_policy_beats_belady(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct lab_stream s = {0};
        random_stream(&s, seed, 20000, true);
        uint64_t best = replay(&s, "belady", 4, 4, NULL).stats.misses;
        struct cache_stats b = replay(&s, "belady_bypass", 4, 4, NULL).stats;
        uint64_t best_of_all = b.misses + b.bypasses;
        assert_true(best_of_all < best);
        for (uint32_t i = 0; i < cache_policy_count(); i++) {
            if (cache_policy_at(i)->l2_only)
                continue;
            struct cache_stats c = replay(&s, cache_policy_at(i)->name, 4, 4, NULL).stats;
            assert_int_equal(c.merges, 0);
            assert_true(c.misses + c.bypasses >= best_of_all);
            assert_true(c.bypasses || c.misses >= best);
        }
        lab_stream_destroy(&s);
    }
}

/* LRU as a list per set and SM, most recent first. */
struct lru_list {
    uint64_t lines[4];
    uint32_t n;
};

static bool list_take(struct lru_list *l, uint64_t line)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->lines[i] == line) {
            memmove(l->lines + i, l->lines + i + 1, (l->n - i - 1) * sizeof line);
            l->n--;
            return true;
        }
    return false;
}

static void the_log_of_lru_is_that_of_a_list(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct strbuf log = {0}, want = {0};
    static struct lru_list lists[2][8];
    random_stream(&s, 11, 20000, true);
    for (size_t i = 0; i < s.n; i++) {
        const struct lab_access *a = &s.items[i];
        uint64_t line = a->address / LINE;
        struct lru_list *l = &lists[a->sm][line % 8];
        bool there = list_take(l, line);
        if (a->kind == LAB_STORE)
            continue;
        strbuf_addf(&want, "%zu,%s,", i, there ? "hit" : "miss");
        if (!there && l->n == 4)
            strbuf_addf(&want, "0x%llx", (unsigned long long)(l->lines[--l->n] * LINE));
        strbuf_add(&want, "\n");
        memmove(l->lines + 1, l->lines, l->n * sizeof line);
        l->lines[0] = line;
        l->n++;
    }
    replay(&s, "lru", 8, 4, &log);
    assert_string_equal(strbuf_text(&log), strbuf_text(&want));
    strbuf_destroy(&log);
    strbuf_destroy(&want);
    lab_stream_destroy(&s);
}

static void a_flush_empties_one_sm(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct strbuf log = {0};
    add(&s, LAB_LOAD, 0, 1);
    add(&s, LAB_LOAD, 1, 1);
    add(&s, LAB_FLUSH, 0, 0);
    add(&s, LAB_LOAD, 0, 1);
    add(&s, LAB_LOAD, 1, 1);
    add(&s, LAB_ATOMIC, 1, 1);
    add(&s, LAB_LOAD, 1, 1);
    replay(&s, "belady", 1, 2, &log);
    assert_string_equal(strbuf_text(&log), "0,miss,\n1,miss,\n2,miss,\n3,hit,\n5,miss,\n");
    strbuf_destroy(&log);
    lab_stream_destroy(&s);
}

static void hits_are_told_by_who_inserted_the_line(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    static const uint64_t who[][2] = {{1, 10}, {1, 10}, {1, 11}, {2, 10}, {2, 10}, {1, 10}};
    for (size_t i = 0; i < sizeof who / sizeof who[0]; i++) {
        add(&s, LAB_LOAD, 0, 5);
        s.items[i].warp = who[i][0];
        s.items[i].thread = who[i][1];
    }
    struct lab_result r = replay(&s, "lru", 1, 1, NULL);
    assert_int_equal(r.localities[LAB_INTRA_THREAD], 2);
    assert_int_equal(r.localities[LAB_INTER_THREAD], 1);
    assert_int_equal(r.localities[LAB_INTER_WARP], 2);
    lab_stream_destroy(&s);
}

/* One set of two ways: A's first sector, B's, A's second one, C's, B's. After its second load A is
 * never used again, so that C must take its place; and B is the only hit. */
static void the_future_knows_sector_misses_as_uses(void **state)
{
    (void)state;
    static const struct {
        uint64_t line;
        uint8_t sectors;
    } loads[] = {{0, 1}, {1, 1}, {0, 2}, {2, 1}, {1, 1}};
    struct lab_config c = {.n_sets = 1,
                           .n_ways = 2,
                           .line_bytes = LINE,
                           .sector_bytes = LINE / 4,
                           .policy = lab_policy_find("belady")};
    struct lab_stream s = {0};
    struct strbuf log = {0};
    struct lab_result r;
    for (int i = 0; i < 5; i++)
        lab_stream_add(
            &s, &(struct lab_access){.address = loads[i].line * LINE, .sectors = loads[i].sectors});
    assert_true(lab_replay(&s, &c, &(struct sink){keep_text, &log}, &r));
    assert_string_equal(strbuf_text(&log), "0,miss,\n1,miss,\n2,miss,\n3,miss,0x0\n4,hit,\n");
    assert_int_equal(r.stats.sector_misses, 1);
    assert_int_equal(r.stats.sectors_fetched, 4);
    strbuf_destroy(&log);
    lab_stream_destroy(&s);
}

static void text_is_read(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct diag_list diags = {0};
    static const char text[] = "# a comment\n\n10 2 3 96 7 L 0x1F80\n \t11 0 3 96 8 S 80 # one\r\n"
                               "18446744073709551615 65535 0 0 4294967295 L ffffffffffffffff";
    assert_true(lab_stream_parse_text(&s, "t", text, &diags));
    assert_int_equal(s.n, 3);
    assert_int_equal(s.n_sms, 65536);
    const struct lab_access *a = &s.items[0];
    assert_true(a->cycle == 10 && a->sm == 2 && a->warp == 3 && a->thread == 96 && a->pc == 7 &&
                a->kind == LAB_LOAD && a->address == 0x1f80);
    assert_true(s.items[1].kind == LAB_STORE && s.items[1].address == 0x80);
    assert_true(s.items[2].cycle == UINT64_MAX && s.items[2].address == UINT64_MAX);
    lab_stream_destroy(&s);
    diag_list_destroy(&diags);
}

static void text_tells_marks_and_bytes(void **state)
{
    (void)state;
    static const char text[] = "0 0 0 0 0 L 80\n0 0 0 0 0 L.cp 80 0xf0 # some\n0 0 0 0 0 S.cc 80 "
                               "8000000000000000ffffffffffffffff\n0 0 0 0 0 S 80\n";
    static const struct {
        uint8_t kind, op;
        uint64_t low, high;
    } want[] = {{LAB_LOAD, MEM_OP_NONE, UINT64_MAX, UINT64_MAX},
                {LAB_LOAD, MEM_OP_CP, 0xf0, 0},
                {LAB_STORE, MEM_OP_CC, UINT64_MAX, UINT64_C(1) << 63},
                {LAB_STORE, MEM_OP_NONE, UINT64_MAX, UINT64_MAX}};
    struct lab_stream s = {0};
    struct diag_list diags = {0};
    assert_true(lab_stream_parse_text(&s, "t", text, &diags));
    assert_int_equal(s.n, 4);
    assert_true(s.tells_bytes);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(s.items[i].kind, want[i].kind);
        assert_int_equal(s.items[i].op, want[i].op);
        assert_int_equal(s.bytes[i].mask[0], want[i].low);
        assert_int_equal(s.bytes[i].mask[1], want[i].high);
    }
    lab_stream_destroy(&s);
    diag_list_destroy(&diags);
}

static void mistakes_in_text_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, col;
    } cases[] = {
        {"1 0 0 0 0 L 0\n1 0 0 0 0 X 0", 2, 11},
        {"1 0 0 0 0 L", 1, 12},
        {"1 65536 0 0 0 L 0", 1, 3},
        {"x 0 0 0 0 L 0", 1, 1},
        {"1 0 0 0 4294967296 L 0", 1, 9},
        {"1 0 0 0 0 L 0x", 1, 13},
        {"18446744073709551616 0 0 0 0 L 0", 1, 1},
        {"1 0 0 0 0 L 0 9 9", 1, 17},
        {"1 0 0 0 0 L.cc 0", 1, 11}, /* the mark of the other kind */
        {"1 0 0 0 0 S.cp 0", 1, 11},
        {"1 0 0 0 0 L 0 0", 1, 15},
        {"1 0 0 0 0 L 0 0x", 1, 15},
        {"1 0 0 0 0 S 0 1fffffffffffffffffffffffffffffffff", 1, 15}, /* 129 bits */
        {"1 0 0 0 0 S 0 f0q", 1, 15},
        {"1 0 0 0 0 L 10000000000000000", 1, 13},
        {"1 0 0 0 0 LS 0", 1, 11},
        {"1 0 -1 0 0 L 0", 1, 5},
        {"# x\n\n1 0 0 0 0 L 12g", 3, 13},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_stream s = {0};
        struct diag_list diags = {0};
        assert_false(lab_stream_parse_text(&s, "t", cases[i].text, &diags));
        assert_int_equal(diags.n_errors, 1);
        assert_int_equal(diags.items[0].line, cases[i].line);
        assert_int_equal(diags.items[0].col, cases[i].col);
        lab_stream_destroy(&s);
        diag_list_destroy(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_larger_than_the_cache),
        cmocka_unit_test(belady_is_the_optimum),
        cmocka_unit_test(no_policy_beats_belady),
        cmocka_unit_test(the_log_of_lru_is_that_of_a_list),
        cmocka_unit_test(a_flush_empties_one_sm),
        cmocka_unit_test(hits_are_told_by_who_inserted_the_line),
        cmocka_unit_test(the_future_knows_sector_misses_as_uses),
        cmocka_unit_test(text_is_read),
        cmocka_unit_test(text_tells_marks_and_bytes),
        cmocka_unit_test(mistakes_in_text_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
