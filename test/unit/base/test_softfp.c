/* Soft floating point against three witnesses that share no code with it: the host's own arithmetic
 * under each rounding mode (f32, f64), rounding by its definition over the list of all values (f16,
 * bf16), and hand-computed cases. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/softfp.h"
#include "unit/random_bits.h"

enum op { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_SQRT, OP_FMA, N_OPS };

static const char *const op_names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
static const int host_rounding[] = {
    [FP_RN] = FE_TONEAREST, [FP_RZ] = FE_TOWARDZERO, [FP_RM] = FE_DOWNWARD, [FP_RP] = FE_UPWARD};

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bits of a result, with the canonical NaN in place of the host's. */
static uint64_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7fffffff : bits;
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7ff8000000000000 : bits;
}

static uint64_t soft(enum op op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c,
                     struct fp_mode m)
{
    switch (op) {
    case OP_ADD:
        return fp_add(f, a, b, m);
    case OP_SUB:
        return fp_sub(f, a, b, m);
    case OP_MUL:
        return fp_mul(f, a, b, m);
    case OP_DIV:
        return fp_div(f, a, b, m);
    case OP_SQRT:
        return fp_sqrt(f, a, m);
    default:
        return fp_fma(f, a, b, c, m);
    }
}

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
 * takes away the excess and a hair more, 2^-32 of the product's last place. Only who keeps track of
 * the hair rounds down. */
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

/* ---- 16-bit formats against the definition of rounding ---- */

#ifdef __SIZEOF_FLOAT128__
typedef __float128 wide; /* holds sums and products of 16-bit floats exactly */
#else
typedef long double wide;
_Static_assert(LDBL_MANT_DIG >= 113, "the reference needs a quadruple-precision type");
#endif

/* The value of a finite 16-bit float, from the formula of IEEE 754. */
static double value_16(enum fp_format f, uint64_t bits)
{
    int fraction_bits = f == FP_F16 ? 10 : 7, bias = f == FP_F16 ? 15 : 127;
    int exponent = (int)(bits & 0x7fff) >> fraction_bits;
    double fraction = (double)(bits & ((1u << fraction_bits) - 1));
    double magnitude =
        exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
                      : ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint64_t infinity_16(enum fp_format f)
{
    return f == FP_F16 ? 0x7c00 : 0x7f80;
}

/* The exact result of an operation, known by how it compares with a number of few bits. */
struct exact {
    enum op op;
    wide a, b, c;
};

static int compare_exact(const struct exact *e, wide t)
{
    wide difference = 0;
    switch (e->op) {
    case OP_ADD:
        difference = e->a + e->b - t;
        break;
    case OP_SUB:
        difference = e->a - e->b - t;
        break;
    case OP_MUL:
        difference = e->a * e->b - t;
        break;
    case OP_DIV:
        difference = e->b > 0 ? e->a - t * e->b : t * e->b - e->a;
        break;
    case OP_SQRT:
        difference = t < 0 ? 1 : e->a - t * t;
        break;
    default:
        difference = e->a * e->b + e->c - t;
        break;
    }
    return (difference > 0) - (difference < 0);
}

/* The magnitude that |exact result| rounds to: finds its neighbours by bisection over all values of
 * the format and chooses as the rounding mode says. Beyond the largest value, the next one there
 * would be stands for infinity. */
static uint64_t round_by_definition(enum fp_format f, const struct exact *e, bool negative,
                                    enum fp_round round)
{
    wide sign = negative ? -1 : 1;
    uint64_t below = 0, above = infinity_16(f);
    double beyond = ldexp(1.0, f == FP_F16 ? 16 : 128);
    if (compare_exact(e, sign * beyond) * (negative ? -1 : 1) >= 0)
        return round == FP_RZ || round == (negative ? FP_RP : FP_RM) ? above - 1 : above;
    while (above - below > 1) {
        uint64_t middle = (below + above) / 2;
        if (compare_exact(e, sign * value_16(f, middle)) * (negative ? -1 : 1) >= 0)
            below = middle;
        else
            above = middle;
    }
    double low = value_16(f, below), high = above == infinity_16(f) ? beyond : value_16(f, above);
    if (compare_exact(e, sign * low) == 0)
        return below;
    int side = compare_exact(e, sign * (low + high) / 2) * (negative ? -1 : 1);
    switch (round) {
    case FP_RN:
        return side > 0 || (side == 0 && (below & 1)) ? above : below;
    case FP_RNA:
        return side >= 0 ? above : below;
    case FP_RZ:
        return below;
    case FP_RM:
        return negative ? above : below;
    default:
        return negative ? below : above;
    }
}

/* Can the reference judge it? The result must not be zero (those are in the tables below), and a
 * sum must be exact: the exponents of two bf16 may be too far apart for it. */
static bool can_judge(const struct exact *e)
{
    if (e->op == OP_SQRT)
        return e->a > 0;
    if (e->op == OP_DIV)
        return e->b != 0 && e->a != 0;
    if (e->op == OP_MUL)
        return e->a * e->b != 0;
    wide x = e->op == OP_FMA ? e->a * e->b : e->a;
    wide y = e->op == OP_FMA ? e->c : e->op == OP_SUB ? -e->b : e->b;
    wide sum = x + y;
    return sum != 0 && sum - x == y && sum - y == x;
}

static void check_16(enum op op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c,
                     enum fp_round round)
{
    uint64_t infinity = infinity_16(f);
    if ((a & 0x7fff) >= infinity || (b & 0x7fff) >= infinity || (c & 0x7fff) >= infinity)
        return;
    struct exact e = {op, value_16(f, a), value_16(f, b), value_16(f, c)};
    if (!can_judge(&e))
        return;
    bool negative = compare_exact(&e, 0) < 0;
    uint64_t want = round_by_definition(f, &e, negative, round) | (negative ? 0x8000 : 0);
    uint64_t got = soft(op, f, a, b, c, (struct fp_mode){.round = round});
    if (got != want)
        fail_msg("%s, format %d, round %d: %#llx %#llx %#llx gives %#llx, not %#llx", op_names[op],
                 f, round, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
                 (unsigned long long)got, (unsigned long long)want);
}

static void operations_on_16_bits_round_by_definition(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int i = 0; i < 150000; i++) {
        enum fp_format f = i & 1 ? FP_F16 : FP_BF16;
        unsigned fraction_bits = f == FP_F16 ? 10 : 7;
        uint64_t a = random_float(&state, fraction_bits, 15 - fraction_bits);
        uint64_t b = random_float(&state, fraction_bits, 15 - fraction_bits);
        uint64_t c = random_float(&state, fraction_bits, 15 - fraction_bits);
        if (i & 2)
            b = (a ^ 0x8000) + random_u64(&state) % 5 - 2;
        check_16((enum op)(i / 4 % N_OPS), f, a & 0xffff, b & 0xffff, c,
                 (enum fp_round)(random_u64(&state) % 5));
    }
}

static void square_roots_of_all_halves_round_by_definition(void **unused)
{
    (void)unused;
    for (uint64_t a = 0; a < 0x7c00; a++)
        check_16(OP_SQRT, FP_F16, a, 0, 0, (enum fp_round)(a % 5));
}

static void all_16_bit_floats_convert_exactly_and_back(void **unused)
{
    (void)unused;
    struct fp_mode m = {.round = FP_RN};
    for (uint64_t a = 0; a < 0x10000; a++) {
        for (enum fp_format f = FP_F16; f <= FP_BF16; f++) {
            if ((a & 0x7fff) > infinity_16(f)) {
                assert_int_equal(fp_convert(f, FP_F32, a, m), 0x7fffffff);
                continue;
            }
            double x = (a & 0x7fff) == infinity_16(f) ? (a & 0x8000 ? -INFINITY : INFINITY)
                                                      : value_16(f, a);
            uint64_t single = fp_convert(f, FP_F32, a, m), twice = fp_convert(f, FP_F64, a, m);
            assert_int_equal(single, bits_of_float((float)x));
            assert_int_equal(twice, bits_of_double(x));
            assert_int_equal(fp_convert(FP_F32, f, single, m), a);
            assert_int_equal(fp_convert(FP_F64, f, twice, m), a);
        }
    }
}

/* Around every half, and around every middle of two: conversion is the sum with zero of the
 * reference above. */
static void floats_convert_to_16_bits_by_definition(void **unused)
{
    (void)unused;
    for (uint64_t a = 0; a < 0x7c00; a++) {
        uint32_t at_half = (uint32_t)bits_of_float((float)value_16(FP_F16, a));
        uint32_t near = at_half ^ (a & 64 ? 0x1000 : 0) ^ (a & 128 ? 0x80000000 : 0);
        near += (uint32_t)(a % 3) - 1;
        for (enum fp_format f = FP_F16; f <= FP_BF16; f++) {
            enum fp_round round = (enum fp_round)(a / 3 % 5);
            float x = float_of(near);
            if (isnan(x) || x == 0)
                continue;
            struct exact e = {OP_ADD, x, 0, 0};
            uint64_t want = round_by_definition(f, &e, x < 0, round) | (x < 0 ? 0x8000 : 0);
            assert_int_equal(fp_convert(FP_F32, f, near, (struct fp_mode){.round = round}), want);
        }
    }
}

/* ---- by hand ---- */

static void special_values_follow_the_tables(void **unused)
{
    (void)unused;
    enum { ZERO = 0, MINUS_ZERO = 0x8000, ONE = 0x3c00, INF = 0x7c00, MINUS_INF = 0xfc00 };
    enum { NOT_A_NUMBER = 0x7fff, SIGNALLING = 0x7c01, MINUS_ONE = 0xbc00 };
    static const struct {
        enum op op;
        uint64_t a, b, c;
        enum fp_round round;
        uint64_t result;
    } cases[] = {
        {OP_ADD, INF, MINUS_INF, 0, FP_RN, NOT_A_NUMBER},
        {OP_ADD, INF, INF, 0, FP_RN, INF},
        {OP_SUB, INF, INF, 0, FP_RN, NOT_A_NUMBER},
        {OP_ADD, ZERO, MINUS_ZERO, 0, FP_RN, ZERO},
        {OP_ADD, ZERO, MINUS_ZERO, 0, FP_RM, MINUS_ZERO},
        {OP_ADD, MINUS_ZERO, MINUS_ZERO, 0, FP_RP, MINUS_ZERO},
        {OP_SUB, ONE, ONE, 0, FP_RZ, ZERO},
        {OP_SUB, ONE, ONE, 0, FP_RM, MINUS_ZERO},
        {OP_MUL, INF, ZERO, 0, FP_RN, NOT_A_NUMBER},
        {OP_MUL, MINUS_ONE, ZERO, 0, FP_RN, MINUS_ZERO},
        {OP_MUL, MINUS_ONE, INF, 0, FP_RN, MINUS_INF},
        {OP_DIV, ZERO, ZERO, 0, FP_RN, NOT_A_NUMBER},
        {OP_DIV, INF, INF, 0, FP_RN, NOT_A_NUMBER},
        {OP_DIV, ONE, MINUS_ZERO, 0, FP_RN, MINUS_INF},
        {OP_DIV, MINUS_ONE, INF, 0, FP_RN, MINUS_ZERO},
        {OP_SQRT, MINUS_ONE, 0, 0, FP_RN, NOT_A_NUMBER},
        {OP_SQRT, MINUS_ZERO, 0, 0, FP_RN, MINUS_ZERO},
        {OP_SQRT, INF, 0, 0, FP_RN, INF},
        {OP_SQRT, MINUS_INF, 0, 0, FP_RN, NOT_A_NUMBER},
        {OP_ADD, SIGNALLING, ONE, 0, FP_RN, NOT_A_NUMBER},
        {OP_FMA, INF, ZERO, ONE, FP_RN, NOT_A_NUMBER},
        {OP_FMA, INF, ONE, MINUS_INF, FP_RN, NOT_A_NUMBER},
        {OP_FMA, MINUS_ONE, ZERO, ZERO, FP_RN, ZERO},
        {OP_FMA, MINUS_ONE, ZERO, MINUS_ZERO, FP_RN, MINUS_ZERO},
        {OP_FMA, ONE, ONE, MINUS_ONE, FP_RM, MINUS_ZERO},
        {OP_ADD, 0x7bff, 0x7bff, 0, FP_RN, INF},    /* 65504 + 65504 */
        {OP_ADD, 0x7bff, 0x7bff, 0, FP_RZ, 0x7bff}, /* the largest half */
        {OP_MUL, 0x0001, 0x3800, 0, FP_RN, ZERO},   /* half of the smallest: a tie, to even */
        {OP_MUL, 0x0001, 0x3800, 0, FP_RNA, 1},
        {OP_MUL, 0x0001, 0x3800, 0, FP_RP, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fp_mode m = {.round = cases[i].round};
        uint64_t got = soft(cases[i].op, FP_F16, cases[i].a, cases[i].b, cases[i].c, m);
        if (got != cases[i].result)
            fail_msg("case %zu: %#llx", i, (unsigned long long)got);
    }
}

static void ftz_in_conversions_concerns_f32_only(void **unused)
{
    (void)unused;
    struct fp_mode m = {.round = FP_RN, .ftz = true};
    assert_int_equal(fp_convert(FP_F16, FP_F32, 0x0001, m), 0x33800000); /* 2^-24, not flushed */
    assert_int_equal(fp_convert(FP_F32, FP_F16, 0x33800000, m), 0x0001);
    assert_int_equal(fp_convert(FP_F32, FP_F64, 0x80000001, m), 0x8000000000000000);
    assert_int_equal(fp_convert(FP_F64, FP_F32, 0x37a0000000000000, m), 0); /* 2^-133 */
    assert_int_equal(fp_to_int(FP_F32, 0x00000001, 32, true, (struct fp_mode){FP_RP, true, false}),
                     0);
    assert_int_equal(fp_to_int(FP_F32, 0x00000001, 32, true, (struct fp_mode){FP_RP, false, false}),
                     1);
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
        cmocka_unit_test(operations_on_16_bits_round_by_definition),
        cmocka_unit_test(square_roots_of_all_halves_round_by_definition),
        cmocka_unit_test(all_16_bit_floats_convert_exactly_and_back),
        cmocka_unit_test(floats_convert_to_16_bits_by_definition),
        cmocka_unit_test(special_values_follow_the_tables),
        cmocka_unit_test(ftz_in_conversions_concerns_f32_only),
        cmocka_unit_test(comparison_agrees_with_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
