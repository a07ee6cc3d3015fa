/* Soft floating point in 16-bit formats, against rounding by its definition over the list of all
 * values, and against special values computed by hand. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "softfp_ops.h"
#include "unit/random_bits.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_on_16_bits_round_by_definition),
        cmocka_unit_test(square_roots_of_all_halves_round_by_definition),
        cmocka_unit_test(all_16_bit_floats_convert_exactly_and_back),
        cmocka_unit_test(floats_convert_to_16_bits_by_definition),
        cmocka_unit_test(special_values_follow_the_tables),
        cmocka_unit_test(ftz_in_conversions_concerns_f32_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
