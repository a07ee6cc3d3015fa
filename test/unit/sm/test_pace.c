/* How warps keep pace, against charts computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sm/pace.h"

/* Warps 0 to 3 are CTA slot 0, warps 4 and 5 CTA slot 1, warp 6 CTA slot 2. */
enum { N_WARPS = 7 };
static struct sched_warp warps[N_WARPS];
static int64_t criticality[N_WARPS];

static int64_t criticality_of(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)now;
    return criticality[warp];
}

static struct sched_view view = {
    .n_warps = N_WARPS, .warps = warps, .criticality_of = criticality_of};

static struct pace *begin(bool has_oracle, const int64_t *at_start)
{
    static const uint32_t cta[N_WARPS] = {0, 0, 0, 0, 1, 1, 2},
                          in_cta[N_WARPS] = {0, 1, 2, 3, 0, 1};
    struct pace *p = pace_create(has_oracle);
    view.live = 0;
    for (uint32_t w = 0; w < N_WARPS; w++) {
        warps[w] = (struct sched_warp){.cta_slot = cta[w], .warp_in_cta = in_cta[w]};
        view.live |= 1ull << w;
        pace_start(p, &view, w, at_start ? at_start[w] : 0);
    }
    return p;
}

static void sample(struct pace *p, const int64_t *values)
{
    for (uint32_t w = 0; w < N_WARPS; w++)
        criticality[w] = values[w];
    pace_sample(p, &view, 0);
}

/* After `cycles` of life, of which all but `exec` were misses. */
static void end(struct pace *p, uint32_t w, uint64_t cycles, uint64_t exec, struct pace_stats *s)
{
    struct warp_latency l = {.slot = w,
                             .cta_slot = warps[w].cta_slot,
                             .warp_in_cta = warps[w].warp_in_cta,
                             .start = 1000,
                             .end = 1000 + cycles};
    l.cycles[LATENCY_EXEC] = exec;
    l.cycles[LATENCY_DATA_CACHE_MISS] = cycles - exec;
    view.live &= ~(1ull << w);
    l.is_last_of_cta = true;
    for (uint32_t other = 0; other < N_WARPS; other++)
        l.is_last_of_cta &= !(view.live >> other & 1) || warps[other].cta_slot != l.cta_slot;
    pace_end(p, &l, s);
}

static void slowest_and_fastest_warps_are_found_per_cta(void **state)
{
    (void)state;
    struct pace *p = begin(false, NULL);
    struct pace_stats s = {0};
    end(p, 2, 100, 10, &s);
    end(p, 0, 150, 11, &s);
    end(p, 4, 40, 5, &s);
    end(p, 1, 150, 12, &s);
    assert_int_equal(s.ctas, 0); /* not before its last warp */
    end(p, 3, 200, 13, &s);
    assert_int_equal(s.ctas, 1);
    assert_int_equal(s.warps, 4);
    assert_int_equal(s.slowest_cycles, 200);
    assert_int_equal(s.fastest_cycles, 100);
    assert_int_equal(s.slowest[LATENCY_EXEC], 13);
    assert_int_equal(s.fastest[LATENCY_DATA_CACHE_MISS], 90);
    assert_int_equal(s.idle_cycles, 100 + 50 + 50);
    assert_int_equal(s.cta_warp_cycles, 4 * 200);
    end(p, 6, 999, 9, &s); /* a warp alone has no other to be compared with */
    assert_int_equal(s.ctas, 1);
    assert_int_equal(s.slowest_cycles, 200);
    end(p, 5, 40, 6, &s); /* equals: the first of the CTA is both */
    assert_int_equal(s.ctas, 2);
    assert_int_equal(s.slowest[LATENCY_EXEC], 13 + 5);
    assert_int_equal(s.fastest[LATENCY_EXEC], 10 + 5);
    assert_int_equal(s.idle_cycles, 200);
    assert_int_equal(s.inversions, 0); /* no warp was predicted to be the slowest */
    pace_destroy(p);
}

/* S3 section 4.3.3. Of three others a slow warp is above at least two; those that have ended are
 * below it, but do not count among the others alive. */
static void a_sample_is_right_if_the_slowest_is_in_the_slower_half(void **state)
{
    (void)state;
    struct pace *p = begin(false, NULL);
    struct pace_stats s = {0};
    sample(p, (int64_t[]){9, 1, 2, 8, 5, 4, 0}); /* CTA 0: warp 3 is above 2 others; 1: not above */
    sample(p, (int64_t[]){9, 1, 8, 8, 5, 6, 0}); /* above 1, another is equal; above */
    sample(p, (int64_t[]){-9, -1, -2, 0, 6, 6, 0}); /* above all; equal: not above */
    end(p, 0, 10, 1, &s);
    sample(p, (int64_t[]){0, 3, 9, 5, 7, 8, 0}); /* above 1 of 2 alive; above */
    end(p, 1, 20, 1, &s);
    sample(p, (int64_t[]){0, 0, 9, 5, 8, 7, 0}); /* above 2 that have ended, alone; not above */
    end(p, 2, 30, 1, &s);
    assert_int_equal(s.samples, 0);
    sample(p, (int64_t[]){0, 0, 0, -5, 8, 9, 0}); /* alone; above */
    end(p, 3, 40, 1, &s);
    assert_int_equal(s.samples, 6);
    assert_int_equal(s.slow, 5);
    assert_int_equal(s.slow_among_others, 3);
    assert_int_equal(s.samples_alone, 1);
    end(p, 4, 35, 1, &s);
    end(p, 5, 45, 1, &s);
    assert_int_equal(s.samples, 6 + 6);
    assert_int_equal(s.slow, 5 + 3);
    assert_int_equal(s.slow_among_others, 3 + 3);
    assert_int_equal(s.samples_alone, 1);
    end(p, 6, 50, 1, &s); /* S3: all right where a CTA has one warp */
    assert_int_equal(s.samples, 12 + 6);
    assert_int_equal(s.slow, 8 + 6);
    assert_int_equal(s.slow_among_others, 6);
    assert_int_equal(s.samples_alone, 1 + 6);
    pace_destroy(p);
}

/* S3 Table 3.3. */
static void a_cta_is_inverted_if_another_warp_than_foretold_is_the_slowest(void **state)
{
    (void)state;
    for (uint32_t slowest = 0; slowest < 4; slowest++) {
        struct pace *p = begin(true, (int64_t[]){3, 7, 7, 2, 1, 5, 0});
        struct pace_stats s = {0};
        for (uint32_t w = 0; w < 4; w++)
            end(p, w, w == slowest ? 90 : 50 + w, 1, &s);
        assert_int_equal(s.inversions, slowest != 1); /* of two equals the first */
        assert_int_equal(s.inversions_by_fast, slowest == 0 || slowest == 3); /* mean 4.75 */
        end(p, 5, 10, 1, &s);
        end(p, 4, 11, 1, &s);
        assert_int_equal(s.inversions, (slowest != 1) + 1);
        end(p, 6, 12, 1, &s);
        assert_int_equal(s.inversions, (slowest != 1) + 1);
        pace_destroy(p);
    }
}

/* As fast as the mean is not faster. */
static void equals_invert_but_are_not_fast(void **state)
{
    (void)state;
    struct pace *p = begin(true, (int64_t[]){4, 4, 4, 4, 0, 0, 0});
    struct pace_stats s = {0};
    for (uint32_t w = 0; w < 4; w++)
        end(p, w, 50 + w, 1, &s);
    assert_int_equal(s.inversions, 1);
    assert_int_equal(s.inversions_by_fast, 0);
    pace_destroy(p);
}

/* What is known of a CTA does not outlive it. */
static void a_slot_starts_anew(void **state)
{
    (void)state;
    struct pace *p = begin(true, (int64_t[]){0, 0, 0, 0, 900, 1, 0});
    struct pace_stats s = {0};
    sample(p, (int64_t[]){0, 0, 0, 0, 1, 0, 0});
    end(p, 4, 900, 1, &s);
    end(p, 5, 100, 1, &s);
    assert_int_equal(s.inversions, 0);
    assert_int_equal(s.slow, 1);
    for (uint32_t w = 4; w < 6; w++) {
        view.live |= 1ull << w;
        pace_start(p, &view, w, w == 4 ? 10 : 20);
    }
    end(p, 4, 10, 1, &s);
    end(p, 5, 20, 1, &s);
    assert_int_equal(s.inversions, 0);
    assert_int_equal(s.inversions_by_fast, 0); /* 20 of a mean of 15, not of all before */
    assert_int_equal(s.samples, 1);
    assert_int_equal(s.slowest_cycles, 900 + 20);
    assert_int_equal(s.fastest_cycles, 100 + 10);
    assert_int_equal(s.idle_cycles, 800 + 10);
    pace_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowest_and_fastest_warps_are_found_per_cta),
        cmocka_unit_test(a_sample_is_right_if_the_slowest_is_in_the_slower_half),
        cmocka_unit_test(a_cta_is_inverted_if_another_warp_than_foretold_is_the_slowest),
        cmocka_unit_test(equals_invert_but_are_not_fast),
        cmocka_unit_test(a_slot_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
