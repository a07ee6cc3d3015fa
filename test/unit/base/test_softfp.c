/* Soft floating point in f32 and f64 against the host's own arithmetic under each rounding mode,
 * with which it shares no code. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "softfp_ops.h"
#include "unit/random_bits.h"

static const int host_rounding[] = {
    [FP_RN] = FE_TONEAREST, [FP_RZ] = FE_TOWARDZERO, [FP_RM] = FE_DOWNWARD, [FP_RP] = FE_UPWARD};

/* ---- against the host's arithmetic ---- */

/* Volatile operands and results keep the operation between the changes of the rounding mode. */
#define DEFINE_HOST(type, name, sqrt_fn, fma_fn)                                                   \
    static type name(enum op op, type a_, type b_, type c_, enum fp_round round)                   \
    {                                                                                              \
        volatile type a = a_, b = b_, c = c_, d = 0;                                               \
        fesetround(host_rounding[round]);                                                          \
        switch (op) {                                                                              \
        case OP_ADD:                                                                               \
            d = a + b;                                                                             \
            break;                                                                                 \
        case OP_SUB:                                                                               \
            d = a - b;                                                                             \
            break;                                                                                 \
        case OP_MUL:                                                                               \
            d = a * b;                                                                             \
            break;                                                                                 \
        case OP_DIV:                                                                               \
            d = a / b;                                                                             \
            break;                                                                                 \
        case OP_SQRT:                                                                              \
            d = sqrt_fn(a);                                                                        \
            break;                                                                                 \
        default:                                                                                   \
            d = fma_fn(a, b, c);                                                                   \
            break;                                                                                 \
        }                                                                                          \
        fesetround(FE_TONEAREST);                                                                  \
        return d;                                                                                  \
    }
DEFINE_HOST(float, host_f32, sqrtf, fmaf)
DEFINE_HOST(double, host_f64, sqrt, fma)

static uint64_t host(enum op op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c,
                     enum fp_round round)
{
    if (f == FP_F32)
        return bits_of_float(host_f32(op, float_of(a), float_of(b), float_of(c), round));
    return bits_of_double(host_f64(op, double_of(a), double_of(b), double_of(c), round));
}

/* Operands that make cancellation likely: b near -a or a, c near -(a * b). */
static void random_operands(uint64_t *state, enum fp_format f, uint64_t v[3])
{
    unsigned fraction_bits = f == FP_F32 ? 23 : 52, exponent_bits = f == FP_F32 ? 8 : 11;
    uint64_t sign = 1ull << (fraction_bits + exponent_bits);
    for (int i = 0; i < 3; i++)
        v[i] = random_float(state, fraction_bits, exponent_bits);
    uint64_t r = random_u64(state);
    if ((r & 3) == 0)
        v[1] = (v[0] ^ (r & 4 ? sign : 0)) + (r >> 8) % 9 - 4;
    if ((r >> 3 & 3) == 0)
        v[2] = (host(OP_MUL, f, v[0], v[1], 0, FP_RN) ^ sign) + (r >> 16) % 9 - 4;
    if (f == FP_F32)
        for (int i = 0; i < 3; i++)
            v[i] &= 0xffffffff;
}

static void check_operations_against_host(enum fp_format f)
{
    uint64_t state = 1;
    for (int i = 0; i < 400000; i++) {
        uint64_t v[3];
        random_operands(&state, f, v);
        enum op op = (enum op)(i % N_OPS);
        enum fp_round round = (enum fp_round)(random_u64(&state) % 4);
        uint64_t got = soft(op, f, v[0], v[1], v[2], (struct fp_mode){.round = round});
        uint64_t want = host(op, f, v[0], v[1], v[2], round);
        if (got != want)
            fail_msg("%s f%d round %d: %#llx %#llx %#llx gives %#llx, the host %#llx", op_names[op],
                     f == FP_F32 ? 32 : 64, round, (unsigned long long)v[0],
                     (unsigned long long)v[1], (unsigned long long)v[2], (unsigned long long)got,
                     (unsigned long long)want);
    }
}

static void f32_operations_equal_the_hosts_in_four_rounding_modes(void **unused)
{
    (void)unused;
    check_operations_against_host(FP_F32);
}

static void f64_operations_equal_the_hosts_in_four_rounding_modes(void **unused)
{
    (void)unused;
    check_operations_against_host(FP_F64);
}

/* The hardest sums: a product that is `excess` above the middle of two doubles, and an addend that
 * cancels the excess and a tiny amount more, 2^-32 of the product's last place. Only an
 * implementation that keeps this amount rounds down. */
static void f64_fma_sees_a_hair_below_the_middle(void **unused)
{
    (void)unused;
    uint64_t state = 9;
    const uint64_t mask53 = (1ull << 53) - 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t a = (random_u64(&state) & mask53) | 1ull << 52 | 1;
        uint64_t excess = random_u64(&state) % (1 << 20) + 1;
        /* b = (2^52 + excess) / a modulo 2^53; the inverse by Newton's iteration, 3 bits doubled.
         */
        uint64_t inverse = a;
        for (int k = 0; k < 5; k++)
            inverse *= 2 - a * inverse;
        uint64_t b = ((1ull << 52) + excess) * inverse & mask53;
        if ((uint64_t)((unsigned __int128)a * b >> 105) != 1)
            continue;
        uint64_t c = bits_of_double(-ldexp((double)(excess << 32 | 1), -32));
        uint64_t a_bits = bits_of_double((double)a), b_bits = bits_of_double((double)b);
        struct fp_mode m = {.round = (enum fp_round)(i % 4)};
        assert_int_equal(fp_fma(FP_F64, a_bits, b_bits, c, m),
                         host(OP_FMA, FP_F64, a_bits, b_bits, c, m.round));
    }
}

static uint64_t flushed_f32(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static void ftz_and_sat_treat_operands_and_results_as_said(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int i = 0; i < 100000; i++) {
        uint64_t v[3];
        random_operands(&state, FP_F32, v);
        enum op op = (enum op)(i % N_OPS);
        struct fp_mode m = {.round = (enum fp_round)(i / N_OPS % 4), .ftz = i & 1, .sat = i & 2};
        uint64_t got = soft(op, FP_F32, v[0], v[1], v[2], m);
        for (int k = 0; k < 3 && m.ftz; k++)
            v[k] = flushed_f32(v[k]);
        uint64_t want = host(op, FP_F32, v[0], v[1], v[2], m.round);
        if (m.ftz)
            want = flushed_f32(want);
        if (m.sat && !(float_of(want) > 0))
            want = 0;
        if (m.sat && float_of(want) > 1)
            want = 0x3f800000;
        assert_int_equal(got, want);
    }
}

/* ---- conversions against the host's ---- */

static float host_narrow(double x_, enum fp_round round)
{
    volatile double x = x_;
    fesetround(host_rounding[round]);
    volatile float y = (float)x;
    fesetround(FE_TONEAREST);
    return y;
}

static void f64_and_f32_convert_as_the_hosts_casts_do(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        enum fp_round round = (enum fp_round)(i % 4);
        struct fp_mode m = {.round = round};
        uint64_t narrow = random_float(&state, 23, 8);
        assert_int_equal(fp_convert(FP_F32, FP_F64, narrow, m), bits_of_double(float_of(narrow)));
        /* Half of the wide values are near a float or the middle of two. */
        uint64_t wide = random_float(&state, 52, 11);
        if (i & 4)
            wide = bits_of_double(float_of(narrow)) + (random_u64(&state) % 3 - 1);
        if (i & 8)
            wide ^= 1ull << 28;
        assert_int_equal(fp_convert(FP_F64, FP_F32, wide, m),
                         bits_of_float(host_narrow(double_of(wide), round)));
    }
}

static double host_round_integral(double x_, enum fp_round mode)
{
    if (mode == FP_RNA)
        return round(x_);
    volatile double x = x_;
    fesetround(host_rounding[mode]);
    volatile double y = nearbyint(x);
    fesetround(FE_TONEAREST);
    return y;
}

/* The integer PTX asks for, by comparing in double, where all bounds but 2^63 - 1 and 2^64 - 1 are
 * exact; those are beyond every smaller double anyway. */
static uint64_t reference_to_int(double x, unsigned bits, bool is_signed, bool source_f64,
                                 enum fp_round round)
{
    double top = ldexp(1.0, (int)bits - 1);
    if (isnan(x)) {
        if (!source_f64 && bits != 64)
            return 0;
        return is_signed ? (uint64_t)(int64_t)-top : (uint64_t)top;
    }
    double y = host_round_integral(x, round);
    if (is_signed) {
        if (y >= top)
            return (1ull << (bits - 1)) - 1;
        return y <= -top ? (uint64_t)(int64_t)-top : (uint64_t)(int64_t)y;
    }
    if (y >= 2 * top)
        return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return y <= 0 ? 0 : (uint64_t)y;
}

static void floats_become_integers_rounded_and_saturated(void **unused)
{
    (void)unused;
    static const unsigned widths[] = {8, 16, 32, 64};
    uint64_t state = 4;
    for (int i = 0; i < 400000; i++) {
        bool f64 = i & 1, is_signed = i & 2;
        unsigned bits = widths[i >> 2 & 3];
        struct fp_mode m = {.round = (enum fp_round)(random_u64(&state) % 5)};
        uint64_t a = f64 ? random_float(&state, 52, 11) : random_float(&state, 23, 8);
        /* Most uniform floats are far outside: take half of them from around the bounds. */
        double near = (double)(int64_t)random_int(&state, 64) / (i & 64 ? 2 : 8);
        if (i & 16)
            near = ldexp(near, (int)bits - 64);
        if (i & 32)
            a = f64 ? bits_of_double(near) : bits_of_float((float)near);
        double x = f64 ? double_of(a) : float_of(a);
        uint64_t got = fp_to_int(f64 ? FP_F64 : FP_F32, a, bits, is_signed, m);
        uint64_t want = reference_to_int(x, bits, is_signed, f64, m.round);
        if (got != want)
            fail_msg("%a to %s%u, round %d: %#llx, not %#llx", x, is_signed ? "s" : "u", bits,
                     m.round, (unsigned long long)got, (unsigned long long)want);
    }
}

static void values_round_to_integral_values_as_nearbyint_does(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (int i = 0; i < 200000; i++) {
        struct fp_mode m = {.round = (enum fp_round)(random_u64(&state) % 5)};
        uint64_t a = random_float(&state, 52, 11), b = random_float(&state, 23, 8);
        if (i & 1) {
            double near = ldexp((double)(int64_t)random_int(&state, 64), -(int)(i / 2 % 66));
            a = bits_of_double(near);
            b = bits_of_float((float)near);
        }
        assert_int_equal(fp_round_integral(FP_F64, a, m),
                         bits_of_double(host_round_integral(double_of(a), m.round)));
        assert_int_equal(fp_round_integral(FP_F32, b, m),
                         bits_of_float((float)host_round_integral(float_of(b), m.round)));
    }
}

static void integers_become_floats_as_the_hosts_casts_do(void **unused)
{
    (void)unused;
    uint64_t state = 6;
    for (int i = 0; i < 200000; i++) {
        enum fp_round round = (enum fp_round)(i % 4);
        struct fp_mode m = {.round = round};
        /* Not zero: some compilers' conversions then give -0 when rounding down. */
        volatile uint64_t v = random_int(&state, 64) >> (i & 4 ? random_u64(&state) % 64 : 0) | 1;
        fesetround(host_rounding[round]);
        volatile float uf = (float)v, sf = (float)(int64_t)v;
        volatile double ud = (double)v, sd = (double)(int64_t)v;
        fesetround(FE_TONEAREST);
        assert_int_equal(fp_from_int(FP_F32, v, false, m), bits_of_float(uf));
        assert_int_equal(fp_from_int(FP_F32, v, true, m), bits_of_float(sf));
        assert_int_equal(fp_from_int(FP_F64, v, false, m), bits_of_double(ud));
        assert_int_equal(fp_from_int(FP_F64, v, true, m), bits_of_double(sd));
        assert_int_equal(fp_from_int(FP_F64, 0, true, m), 0);
    }
}

static void comparison_agrees_with_the_hosts(void **unused)
{
    (void)unused;
    uint64_t state = 8;
    for (int i = 0; i < 100000; i++) {
        uint64_t v[3];
        random_operands(&state, FP_F32, v);
        bool ftz = i & 1;
        float x = float_of(ftz ? flushed_f32(v[0]) : v[0]);
        float y = float_of(ftz ? flushed_f32(v[1]) : v[1]);
        int want = isunordered(x, y) ? 2 : (x > y) - (x < y);
        assert_int_equal(fp_compare(FP_F32, v[0], v[1], ftz), want);
        assert_int_equal(fp_is_nan(FP_F32, v[0]), isnan(x) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_operations_equal_the_hosts_in_four_rounding_modes),
        cmocka_unit_test(f64_operations_equal_the_hosts_in_four_rounding_modes),
        cmocka_unit_test(f64_fma_sees_a_hair_below_the_middle),
        cmocka_unit_test(ftz_and_sat_treat_operands_and_results_as_said),
        cmocka_unit_test(f64_and_f32_convert_as_the_hosts_casts_do),
        cmocka_unit_test(floats_become_integers_rounded_and_saturated),
        cmocka_unit_test(values_round_to_integral_values_as_nearbyint_does),
        cmocka_unit_test(integers_become_floats_as_the_hosts_casts_do),
        cmocka_unit_test(comparison_agrees_with_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
