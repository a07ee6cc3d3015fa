/* Reuse distances and miss-ratio curves against scans of the stream that remember nothing, the
 * worked examples of the definitions, and replays of each size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/lab_curve.h"
#include "analysis/lab_reuse.h"
#include "unit/random_bits.h"

enum { LINE = 32, N_SETS = 4 };

static const struct lab_ranges default_ranges = {.ends = {4, 8, 64}, .n = 3};

static void add(struct lab_stream *s, uint8_t kind, uint64_t line)
{
    lab_stream_add(s, &(struct lab_access){.kind = kind, .address = line * LINE});
}

static void random_stream(struct lab_stream *s, uint64_t seed, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = random_u64(&seed);
        uint64_t line = bits >> 32 & (bits >> 20 & 3 ? 31 : 127);
        uint32_t dice = bits % 64;
        add(s,
            dice == 0   ? LAB_FLUSH
            : dice == 1 ? LAB_ATOMIC
            : dice < 12 ? LAB_STORE
                        : LAB_LOAD,
            line);
        struct lab_access *a = &s->items[s->n - 1];
        a->sm = bits >> 8 & 1;
        a->pc = (uint32_t)(bits >> 10 & 7);
        a->warp = bits >> 14 & 1;
        a->thread = bits >> 16 & 1;
    }
    s->n_sms = 2;
}

static struct lab_reuse measure(const struct lab_stream *s, uint32_t n_sets,
                                const struct lab_ranges *ranges)
{
    struct lab_config c = {.n_sets = n_sets, .n_ways = 1, .line_bytes = LINE};
    struct lab_reuse r;
    lab_reuse_measure(s, &c, ranges, &r);
    return r;
}

static void the_definitions_examples(void **state)
{
    (void)state;
    static const struct {
        uint64_t lines[5];
        uint32_t accesses, distinct;
    } cases[] = {{{0, 1, 2, 3, 0}, 3, 3}, {{0, 1, 1, 2, 0}, 3, 2}};
    for (int c = 0; c < 2; c++) {
        struct lab_stream s = {0};
        /* Ends 0 to 14: each distance has its own range. */
        struct lab_ranges each = {.n = 15};
        for (uint32_t i = 0; i < 15; i++)
            each.ends[i] = i;
        for (int i = 0; i < 5; i++)
            add(&s, LAB_LOAD, cases[c].lines[i]);
        struct lab_reuse r = measure(&s, 1, &each);
        assert_int_equal(r.all.n, c ? 2 : 1);
        assert_int_equal(r.all.in_range[LAB_S2][cases[c].accesses], 1);
        assert_int_equal(r.all.in_range[LAB_S3][cases[c].distinct], 1);
        lab_reuse_destroy(&r);
        lab_stream_destroy(&s);
    }
}

static void both_sides_of_the_ranges(void **state)
{
    (void)state;
    static const uint32_t distances[] = {0, 1, 4, 5, 8, 9, 64, 65, 300};
    static const uint32_t in_range[] = {3, 2, 2, 2};
    struct lab_stream s = {0};
    uint64_t fresh = 1000;
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        add(&s, LAB_LOAD, i);
        for (uint32_t k = 0; k < distances[i]; k++)
            add(&s, LAB_LOAD, fresh++);
        add(&s, LAB_LOAD, i);
    }
    struct lab_reuse r = measure(&s, 1, &default_ranges);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.all.in_range[LAB_S2][i], in_range[i]);
        assert_int_equal(r.all.in_range[LAB_S3][i], in_range[i]);
    }
    assert_int_equal(r.all.median[LAB_S2], 8);
    lab_reuse_destroy(&r);
    /* Of an even number the median is the lower one: without the last pair, 5 of 0 1 4 5 8 9 64 65.
     */
    s.n -= 302;
    r = measure(&s, 1, &default_ranges);
    assert_int_equal(r.all.n, 8);
    assert_int_equal(r.all.median[LAB_S3], 5);
    lab_reuse_destroy(&r);
    lab_stream_destroy(&s);
}

/* Looks back from a load for the last one of its line; SIZE_MAX if there is none. */
static size_t look_back(const struct lab_stream *s, size_t from, uint32_t *n_loads,
                        uint32_t *n_lines)
{
    static bool seen[1024];
    uint64_t line = s->items[from].address / LINE;
    for (size_t i = 0; i < 1024; i++)
        seen[i] = false;
    *n_loads = *n_lines = 0;
    for (size_t i = from; i-- > 0;) {
        const struct lab_access *a = &s->items[i];
        uint64_t other = a->address / LINE;
        if (a->kind != LAB_LOAD || a->sm != s->items[from].sm || other % N_SETS != line % N_SETS)
            continue;
        if (other == line)
            return i;
        *n_lines += !seen[other];
        seen[other] = true;
        ++*n_loads;
    }
    return SIZE_MAX;
}

static void distances_are_those_of_looking_back(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    random_stream(&s, 5, 6000);
    struct lab_reuse r = measure(&s, N_SETS, &default_ranges);
    uint64_t n = 0, of_pc[8] = {0}, accesses_to_8 = 0, lines_of_pc_to_4[8] = {0};
    for (size_t i = 0; i < s.n; i++) {
        uint32_t n_loads, n_lines;
        if (s.items[i].kind != LAB_LOAD)
            continue;
        size_t previous = look_back(&s, i, &n_loads, &n_lines);
        if (previous == SIZE_MAX)
            continue;
        n++;
        of_pc[s.items[previous].pc]++;
        accesses_to_8 += n_loads <= 8;
        lines_of_pc_to_4[s.items[previous].pc] += n_lines <= 4;
    }
    assert_int_equal(r.all.n, n);
    assert_int_equal(r.all.in_range[LAB_S2][0] + r.all.in_range[LAB_S2][1], accesses_to_8);
    assert_int_equal(r.n_pcs, 8);
    for (uint32_t pc = 0; pc < 8; pc++) {
        assert_int_equal(r.pcs[pc].pc, pc);
        assert_int_equal(r.pcs[pc].n, of_pc[pc]);
        assert_int_equal(r.pcs[pc].in_range[LAB_S3][0], lines_of_pc_to_4[pc]);
    }
    lab_reuse_destroy(&r);
    lab_stream_destroy(&s);
}

/* The first to load the line since it was last removed; SIZE_MAX if there is none. */
static size_t owner_of(const struct lab_stream *s, size_t from, bool *is_first_ever)
{
    size_t owner = SIZE_MAX;
    bool is_gone = false;
    *is_first_ever = true;
    for (size_t i = from; i-- > 0;) {
        const struct lab_access *a = &s->items[i];
        if (a->sm != s->items[from].sm)
            continue;
        bool is_same = a->address == s->items[from].address;
        if (a->kind == LAB_FLUSH || (is_same && a->kind != LAB_LOAD))
            is_gone = true;
        else if (is_same) {
            *is_first_ever = false;
            owner = is_gone ? owner : i;
        }
    }
    return owner;
}

static void the_cache_without_bounds(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    random_stream(&s, 6, 4000);
    struct lab_reuse r = measure(&s, N_SETS, &default_ranges);
    uint64_t n_first = 0, n_other = 0, hits[N_LAB_LOCALITIES] = {0};
    for (size_t i = 0; i < s.n; i++) {
        bool is_first_ever;
        const struct lab_access *a = &s.items[i];
        if (a->kind != LAB_LOAD)
            continue;
        size_t owner = owner_of(&s, i, &is_first_ever);
        n_first += is_first_ever;
        n_other += owner == SIZE_MAX && !is_first_ever;
        if (owner == SIZE_MAX)
            continue;
        bool same_warp = a->warp == s.items[owner].warp;
        bool same_thread = a->thread == s.items[owner].thread;
        hits[!same_warp ? LAB_INTER_WARP : same_thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD]++;
    }
    assert_int_equal(r.compulsory_misses, n_first);
    assert_int_equal(r.other_misses, n_other);
    for (int i = 0; i < N_LAB_LOCALITIES; i++)
        assert_int_equal(r.hits[i], hits[i]);
    assert_true(n_first && n_other && hits[0] && hits[1] && hits[2]);
    lab_reuse_destroy(&r);
    lab_stream_destroy(&s);
}

static void the_curve_is_all_replays_at_once(void **state)
{
    (void)state;
    for (uint32_t n_sets = 1; n_sets <= 8; n_sets *= 2) {
        struct lab_stream s = {0};
        struct lab_curve curve;
        random_stream(&s, 30 + n_sets, 20000);
        lab_curve_make(&s, n_sets, LINE, INDEX_HASH, &curve);
        for (uint32_t n_ways = 1; n_ways <= 64; n_ways++) {
            struct lab_config c = {.n_sets = n_sets,
                                   .n_ways = n_ways,
                                   .line_bytes = LINE,
                                   .index = INDEX_HASH,
                                   .policy = lab_policy_find("lru")};
            struct lab_result r;
            assert_true(lab_replay(&s, &c, NULL, &r));
            assert_int_equal(curve.n_loads, r.stats.loads);
            assert_int_equal(lab_curve_hits(&curve, n_ways), r.stats.hits);
        }
        lab_curve_destroy(&curve);
        lab_stream_destroy(&s);
    }
}

/* Loads of lines 0 1 0 2 1 0, of which the last two are by critical warps: 1 with 0 and 2 in
 * between, 0 with 2 and 1. Others' loads still count in between. */
static void only_loads_of_critical_warps(void **state)
{
    (void)state;
    static const uint64_t lines[] = {0, 1, 0, 2, 1, 0};
    struct lab_stream s = {0};
    for (int i = 0; i < 6; i++) {
        add(&s, LAB_LOAD, lines[i]);
        s.items[i].is_critical = i >= 4;
    }
    for (int only = 0; only < 2; only++) {
        struct lab_ranges ranges = {.ends = {1}, .n = 1, .is_critical_only = only};
        struct lab_reuse r = measure(&s, 1, &ranges);
        assert_int_equal(r.n_loads, 6);
        assert_int_equal(r.all.n, only ? 2 : 3);
        assert_int_equal(r.all.in_range[LAB_S3][0], only ? 0 : 1);
        assert_int_equal(r.all.in_range[LAB_S3][1], 2);
        lab_reuse_destroy(&r);
    }
    lab_stream_destroy(&s);
}

static void nothing_is_measured_of_nothing(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct lab_curve curve;
    struct lab_reuse r = measure(&s, N_SETS, &default_ranges);
    lab_curve_make(&s, N_SETS, LINE, INDEX_LINEAR, &curve);
    assert_int_equal(r.n_loads + r.all.n + r.n_pcs + curve.n_loads, 0);
    assert_int_equal(lab_curve_hits(&curve, 64), 0);
    lab_curve_destroy(&curve);
    lab_reuse_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definitions_examples),
        cmocka_unit_test(both_sides_of_the_ranges),
        cmocka_unit_test(distances_are_those_of_looking_back),
        cmocka_unit_test(the_cache_without_bounds),
        cmocka_unit_test(the_curve_is_all_replays_at_once),
        cmocka_unit_test(only_loads_of_critical_warps),
        cmocka_unit_test(nothing_is_measured_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
