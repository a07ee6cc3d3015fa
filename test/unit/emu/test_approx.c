/* The approximate functions against libm in long double: over all exponents and many fractions, the
 * error stays within what the PTX manual documents. The special values are those of its tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/lanes.h"
#include "unit/random_bits.h"

/* A bound on |got - exact|, given the exact value and the operand. */
typedef long double bound_fn(long double exact, float x);

struct function {
    const char *name;
    float (*compute)(float x);
    long double (*exact)(long double x);
    bound_fn *bound;
    float low, high; /* where the bound holds */
};

static long double ulp(long double exact)
{
    float x = fabsf((float)exact);
    return x < 0x1p-126f ? 0x1p-149L : ldexpl(1, ilogbf(x) - 23);
}

static long double two_ulp(long double exact, float x)
{
    (void)x;
    return 2 * ulp(exact);
}

/* ISA: sin, cos: absolute error 2^-20.9 in [-pi, pi]. */
static long double sine_bound(long double exact, float x)
{
    (void)exact, (void)x;
    return powl(2, -20.9L);
}

/* ISA: lg2: absolute error 2^-22 in (0.5, 2), relative error 2^-22 elsewhere. */
static long double lg2_bound(long double exact, float x)
{
    return x > 0.5f && x < 2.0f ? 0x1p-22L : 0x1p-22L * fabsl(exact);
}

static long double tanh_bound(long double exact, float x)
{
    (void)x;
    return 0x1p-11L * fabsl(exact) + 0x1p-150L;
}

static long double rsqrt_bound(long double exact, float x)
{
    (void)x;
    return powl(2, -22.9L) * exact;
}

/* Not documented this tight; it is what lanes_approx.h promises and keeps a slip from hiding. */
static long double nearly_half_ulp(long double exact, float x)
{
    (void)x;
    return 0.51L * ulp(exact);
}

static long double half_ulp_of_one(long double exact, float x)
{
    (void)exact, (void)x;
    return 0x1.02p-25L;
}

static long double reciprocal_root(long double x)
{
    return 1 / sqrtl(x);
}

/* The functions are inline; a table needs their addresses. */
static const struct function functions[] = {
    {"ex2", lane_approx_ex2_f32, exp2l, two_ulp, -150, 127.99999f},
    {"ex2, as promised", lane_approx_ex2_f32, exp2l, nearly_half_ulp, -150, 127.99999f},
    {"lg2", lane_approx_lg2_f32, log2l, lg2_bound, 0x1p-149f, 0x1.fffffep127f},
    {"lg2, as promised", lane_approx_lg2_f32, log2l, nearly_half_ulp, 0x1p-149f, 0x1.fffffep127f},
    {"sin", lane_approx_sin_f32, sinl, sine_bound, -3.1415927f, 3.1415927f},
    {"cos", lane_approx_cos_f32, cosl, sine_bound, -3.1415927f, 3.1415927f},
    {"sin, small", lane_approx_sin_f32, sinl, nearly_half_ulp, -0.78f, 0.78f},
    {"tanh", lane_approx_tanh_f32, tanhl, tanh_bound, -0x1.fffffep127f, 0x1.fffffep127f},
    {"tanh, as promised", lane_approx_tanh_f32, tanhl, nearly_half_ulp, -100, 100},
    {"rsqrt", lane_approx_rsqrt_f32, reciprocal_root, rsqrt_bound, 0x1p-149f, 0x1.fffffep127f},
};

/* Returns the error in units in the last place. */
static long double check(const struct function *f, float x)
{
    if (!(x >= f->low && x <= f->high))
        return 0;
    long double exact = f->exact(x), got = f->compute(x);
    if (!(fabsl(got - exact) <= f->bound(exact, x)))
        fail_msg("%s(%a) = %La, exactly %La", f->name, (double)x, got, exact);
    return fabsl(got - exact) / ulp(exact);
}

static void errors_stay_within_the_documented_bounds(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        long double worst = 0;
        /* A stride that meets every exponent about 1,700 times, then random ones in range. */
        for (uint64_t bits = 0; bits < 1ull << 32; bits += 4931)
            worst = fmaxl(worst, check(&functions[i], lane_f32_of_bits((uint32_t)bits)));
        uint64_t state = i;
        float span = functions[i].high / 2 - functions[i].low / 2;
        for (int k = 0; k < 50000; k++) {
            float unit = (float)(random_u64(&state) >> 40) * 0x1p-23f;
            worst = fmaxl(worst, check(&functions[i], functions[i].low + unit * span));
            /* Where lg2 is near zero. */
            worst = fmaxl(worst, check(&functions[i], 1.0f + (unit - 1.0f) * 0x1p-10f));
        }
        print_message("%s: largest error %.4Lf ulp\n", functions[i].name,
                      worst); /* doc/numbers.md */
    }
}

/* Beyond [-pi, pi] nothing is documented; any finite angle is reduced as if by long division. The
 * exact values of the large ones were computed with 120 decimal digits. */
static void any_finite_angle_is_reduced_properly(void **unused)
{
    (void)unused;
    static const struct function anywhere[] = {
        {"sin", lane_approx_sin_f32, sinl, half_ulp_of_one, -0x1p62f, 0x1p62f},
        {"cos", lane_approx_cos_f32, cosl, half_ulp_of_one, -0x1p62f, 0x1p62f},
    };
    for (uint64_t bits = 0; bits < 1ull << 32; bits += 4931) {
        float x = lane_f32_of_bits((uint32_t)bits);
        check(&anywhere[0], x);
        check(&anywhere[1], x);
        if (isfinite(x)) {
            assert_true(fabsf(lane_approx_sin_f32(x)) <= 1.0f);
            assert_true(fabsf(lane_approx_cos_f32(x)) <= 1.0f);
        }
    }
    static const struct {
        float x;
        double sine, cosine;
    } large[] = {
        {0x1.fffffe0000000p+127f, -0.52187652333365854, 0.85302103983030416},
        {0x1.0000000000000p+127f, 0.62338551295587024, 0.78191463871496007},
        {-0x1.2468ac0000000p+125f, -0.95200600737493304, -0.30607933926032797},
        {0x1.b4b4b40000000p+95f, -0.70928908697064305, 0.70491771938599441},
        {0x1.389a5c0000000p+120f, 0.28700499891277081, 0.95792908432674724},
        {0x1.0000000000000p+64f, 0.023598509904439559, -0.99972151638858412},
        {0x1.468ace0000000p+99f, -0.99566911095023936, -0.092967851968085953},
        {-0x1.fdb9740000000p+102f, 0.36068194531274457, 0.9326888732720115},
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        assert_true(fabs((double)lane_approx_sin_f32(large[i].x) - large[i].sine) < 0x1p-24);
        assert_true(fabs((double)lane_approx_cos_f32(large[i].x) - large[i].cosine) < 0x1p-24);
    }
}

static void special_values_follow_the_tables_of_the_isa(void **unused)
{
    (void)unused;
    enum { PLUS_INF = 0x7f800000, NOT_A_NUMBER = 0x7fffffff, ONE = 0x3f800000 };
    const uint32_t minus_inf = 0xff800000u, minus_zero = 0x80000000u, minus_one = 0xbf800000u;
    const uint32_t any_nan = 0xffc01234u;
    const struct {
        float (*compute)(float x);
        uint32_t x, result;
    } cases[] = {
        {lane_approx_ex2_f32, minus_inf, 0},
        {lane_approx_ex2_f32, PLUS_INF, PLUS_INF},
        {lane_approx_ex2_f32, 0, ONE},
        {lane_approx_ex2_f32, minus_zero, ONE},
        {lane_approx_ex2_f32, 0x00000001, ONE},
        {lane_approx_ex2_f32, any_nan, NOT_A_NUMBER},
        {lane_approx_ex2_f32, 0x43000000, PLUS_INF},   /* 2^128 */
        {lane_approx_ex2_f32, 0xc3150000, 0x00000001}, /* 2^-149 */
        {lane_approx_ex2_f32, 0xc3160000, 0},          /* 2^-150: half of that, to even */
        {lane_approx_ex2_f32, 0x40400000, 0x41000000}, /* 2^3 */
        {lane_approx_lg2_f32, minus_inf, NOT_A_NUMBER},
        {lane_approx_lg2_f32, minus_one, NOT_A_NUMBER},
        {lane_approx_lg2_f32, minus_zero, 0xff800000},
        {lane_approx_lg2_f32, 0, 0xff800000},
        {lane_approx_lg2_f32, ONE, 0},
        {lane_approx_lg2_f32, PLUS_INF, PLUS_INF},
        {lane_approx_lg2_f32, any_nan, NOT_A_NUMBER},
        {lane_approx_lg2_f32, 0x00000001, 0xc3150000}, /* log2 of 2^-149 */
        {lane_approx_lg2_f32, 0x41000000, 0x40400000}, /* log2 of 8 */
        {lane_approx_sin_f32, minus_inf, NOT_A_NUMBER},
        {lane_approx_sin_f32, PLUS_INF, NOT_A_NUMBER},
        {lane_approx_sin_f32, minus_zero, 0x80000000},
        {lane_approx_sin_f32, 0, 0},
        {lane_approx_sin_f32, 0x00000001, 0x00000001},
        {lane_approx_sin_f32, any_nan, NOT_A_NUMBER},
        {lane_approx_cos_f32, PLUS_INF, NOT_A_NUMBER},
        {lane_approx_cos_f32, minus_zero, ONE},
        {lane_approx_cos_f32, 0, ONE},
        {lane_approx_cos_f32, any_nan, NOT_A_NUMBER},
        {lane_approx_tanh_f32, minus_inf, 0xbf800000},
        {lane_approx_tanh_f32, PLUS_INF, ONE},
        {lane_approx_tanh_f32, minus_zero, 0x80000000},
        {lane_approx_tanh_f32, 0x80000001, 0x80000001},
        {lane_approx_tanh_f32, any_nan, NOT_A_NUMBER},
        {lane_approx_rsqrt_f32, minus_inf, NOT_A_NUMBER},
        {lane_approx_rsqrt_f32, minus_one, NOT_A_NUMBER},
        {lane_approx_rsqrt_f32, minus_zero, 0xff800000},
        {lane_approx_rsqrt_f32, 0, PLUS_INF},
        {lane_approx_rsqrt_f32, PLUS_INF, 0},
        {lane_approx_rsqrt_f32, any_nan, NOT_A_NUMBER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t got = lane_bits_f32(cases[i].compute(lane_f32_of_bits(cases[i].x)));
        if (got != cases[i].result)
            fail_msg("case %zu: %#x, not %#x", i, got, cases[i].result);
    }
}

/* ISA: rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: high words in, high words out. */
static void high_word_forms_have_twenty_good_bits_and_no_low_word(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int i = 0; i < 200000; i++) {
        double x = lane_f64_of_bits(random_float(&state, 52, 11));
        double r = lane_approx_rcp_f64(x), q = lane_approx_rsqrt_f64(x);
        assert_int_equal((uint32_t)lane_bits_f64(r), 0);
        assert_int_equal((uint32_t)lane_bits_f64(q), 0);
        if (!isnormal(x))
            continue;
        /* The operand's lost word costs up to 2^-20; the result itself is rounded to nearest. */
        double seen = lane_f64_of_bits(lane_bits_f64(x) & 0xffffffff00000000ull);
        assert_true(fabs(seen / x - 1.0) < 0x1p-20);
        if (fabs(x) < 0x1p1021)
            assert_true(fabs(r * seen - 1.0) <= 0x1.00001p-21);
        if (x > 0)
            assert_true(fabs(q * sqrt(seen) - 1.0) <= 0x1.00001p-21);
    }
}

static void high_word_forms_have_the_special_values_of_the_isa(void **unused)
{
    (void)unused;
    const uint64_t plus_inf = 0x7ff0000000000000, minus_inf = 0xfff0000000000000;
    const uint64_t minus_zero = 0x8000000000000000, not_a_number = 0x7fffffff00000000;
    const struct {
        uint64_t x, rcp, rsqrt;
    } cases[] = {
        {minus_inf, minus_zero, not_a_number},
        {0x8000000000000001, minus_inf, minus_inf}, /* subnormal */
        {minus_zero, minus_inf, minus_inf},
        {0, plus_inf, plus_inf},
        {0x000fffffffffffff, plus_inf, plus_inf},
        {plus_inf, 0, 0},
        {0xfff8000000000123, not_a_number, not_a_number},
        {0x7ff0000000000001, 0, 0}, /* this NaN's high word is an infinity's */
        {0xc010000000000000, 0xbfd0000000000000, not_a_number}, /* -4 */
        {0x4010000000000000, 0x3fd0000000000000, 0x3fe0000000000000},
        {0x7fefffff00000000, 0, 0x1ff0000000000000}, /* 2^-1024 is flushed */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = lane_f64_of_bits(cases[i].x);
        assert_int_equal(lane_bits_f64(lane_approx_rcp_f64(x)), cases[i].rcp);
        assert_int_equal(lane_bits_f64(lane_approx_rsqrt_f64(x)), cases[i].rsqrt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_stay_within_the_documented_bounds),
        cmocka_unit_test(any_finite_angle_is_reduced_properly),
        cmocka_unit_test(special_values_follow_the_tables_of_the_isa),
        cmocka_unit_test(high_word_forms_have_twenty_good_bits_and_no_low_word),
        cmocka_unit_test(high_word_forms_have_the_special_values_of_the_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
