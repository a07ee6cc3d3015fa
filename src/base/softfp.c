/* Floating point in integers. Every operation unpacks its operands, computes an exact number (or
 * one whose last bit stands for all lower bits), and packs it with one rounding. Left out:
 * exception flags and NaN payloads, which no PTX program can see. */
#include "base/softfp.h"

typedef unsigned __int128 uint128;

enum { TOP_BIT = 127 };

enum kind { KIND_ZERO, KIND_FINITE, KIND_INFINITE, KIND_NAN };

/* A finite number is significand * 2^(exponent - TOP_BIT), and its significand's top bit is set.
 * Unpacked significands fill the upper half only. */
struct number {
    enum kind kind;
    bool negative;
    int exponent;
    uint128 significand;
};

struct layout {
    unsigned fraction_bits, sign_bit;
    int max_exponent; /* largest exponent of a finite number; also the bias */
    uint64_t nan;
};

static const struct layout layouts[] = {
    [FP_F16] = {10, 15, 15, 0x7fff},
    [FP_BF16] = {7, 15, 127, 0x7fff},
    [FP_F32] = {23, 31, 127, 0x7fffffff},
    [FP_F64] = {52, 63, 1023, 0x7ff8000000000000},
};

static const struct number not_a_number = {.kind = KIND_NAN};

static uint64_t infinity_bits(const struct layout *l)
{
    return (uint64_t)(2 * l->max_exponent + 1) << l->fraction_bits;
}

static uint64_t one_bits(const struct layout *l)
{
    return (uint64_t)l->max_exponent << l->fraction_bits;
}

/* ---- numbers ---- */

/* Shifts the top bit into position; the significand is not zero. */
static struct number normalise(bool negative, int exponent, uint128 significand)
{
    uint64_t high = (uint64_t)(significand >> 64);
    int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)significand);
    struct number x = {KIND_FINITE, negative, exponent - shift, significand << shift};
    return x;
}

static struct number signed_kind(enum kind kind, bool negative)
{
    struct number x = {.kind = kind, .negative = negative};
    return x;
}

static struct number unpack(enum fp_format f, uint64_t bits, bool ftz)
{
    const struct layout *l = &layouts[f];
    bool negative = bits >> l->sign_bit & 1;
    uint64_t magnitude = bits & ((1ull << l->sign_bit) - 1);
    uint64_t hidden = 1ull << l->fraction_bits;
    if (magnitude > infinity_bits(l))
        return not_a_number;
    if (magnitude == infinity_bits(l))
        return signed_kind(KIND_INFINITE, negative);
    if (magnitude == 0 || (ftz && magnitude < hidden))
        return signed_kind(KIND_ZERO, negative);
    bool subnormal = magnitude < hidden;
    int biased = subnormal ? 1 : (int)(magnitude >> l->fraction_bits);
    uint64_t significand = subnormal ? magnitude : (magnitude & (hidden - 1)) | hidden;
    int exponent_of_last_place = biased - l->max_exponent - (int)l->fraction_bits;
    return normalise(negative, exponent_of_last_place + TOP_BIT, significand);
}

/* significand / 2^drop, rounded to an integer; drop is at least 1. */
static uint128 round_off(uint128 significand, int drop, bool negative, enum fp_round round)
{
    const uint128 half = (uint128)1 << TOP_BIT;
    uint128 kept = drop <= TOP_BIT ? significand >> drop : 0;
    /* The bits rounded off, as a fraction of 2^128; anything further down only makes it nonzero. */
    uint128 rest = drop <= TOP_BIT + 1 ? significand << (TOP_BIT + 1 - drop) : significand != 0;
    bool up = false;
    switch (round) {
    case FP_RN:
        up = rest > half || (rest == half && (kept & 1));
        break;
    case FP_RNA:
        up = rest >= half;
        break;
    case FP_RZ:
        break;
    case FP_RM:
        up = negative && rest != 0;
        break;
    case FP_RP:
        up = !negative && rest != 0;
        break;
    }
    return kept + up;
}

/* The magnitude of a finite number in the format. A carry out of the fraction increments the
 * exponent by itself, from subnormal to normal and from there to infinity. */
static uint64_t pack_finite(const struct layout *l, struct number x, enum fp_round round)
{
    int min_exponent = 1 - l->max_exponent;
    int above_min = x.exponent - min_exponent;
    int drop = TOP_BIT - (int)l->fraction_bits + (above_min < 0 ? -above_min : 0);
    uint64_t magnitude = (uint64_t)round_off(x.significand, drop, x.negative, round);
    if (above_min > 0)
        magnitude += (uint64_t)above_min << l->fraction_bits;
    if (magnitude < infinity_bits(l))
        return magnitude;
    bool to_largest = round == FP_RZ || round == (x.negative ? FP_RP : FP_RM);
    return infinity_bits(l) - to_largest;
}

/* Does .ftz flush the result? GPUs round it first as if the exponent were unbounded: a result just
 * below the least normal number may round up to it and is then kept. */
static bool is_flushed(const struct layout *l, struct number x, enum fp_round round)
{
    int below_min = 1 - l->max_exponent - x.exponent;
    if (below_min != 1)
        return below_min > 1;
    int drop = TOP_BIT - (int)l->fraction_bits;
    return round_off(x.significand, drop, x.negative, round) < (uint128)2 << l->fraction_bits;
}

static uint64_t saturate(const struct layout *l, struct number x, uint64_t magnitude)
{
    if (x.kind == KIND_NAN || x.negative)
        return 0;
    return magnitude > one_bits(l) ? one_bits(l) : magnitude;
}

static uint64_t pack(enum fp_format f, struct number x, struct fp_mode m)
{
    const struct layout *l = &layouts[f];
    uint64_t magnitude = 0;
    if (x.kind == KIND_FINITE)
        magnitude = pack_finite(l, x, m.round);
    else if (x.kind == KIND_INFINITE)
        magnitude = infinity_bits(l);
    if (m.ftz && x.kind == KIND_FINITE && is_flushed(l, x, m.round))
        magnitude = 0;
    if (m.sat)
        return saturate(l, x, magnitude);
    if (x.kind == KIND_NAN)
        return l->nan;
    return (uint64_t)x.negative << l->sign_bit | magnitude;
}

/* ---- arithmetic on numbers ---- */

/* Shifts right by n >= 1; the last bit becomes 1 when any bit was lost. */
static uint128 shift_right_sticky(uint128 v, int n)
{
    if (n > TOP_BIT)
        return v != 0;
    return v >> n | (v << (TOP_BIT + 1 - n) != 0);
}

/* Exact enough to round once. A product has 106 bits, so making room for the carry loses none of
 * them. Where more than one leading bit cancels, the exponents differ by at most one, and the
 * smaller operand has lost nothing either. */
static struct number sum_finite(struct number a, struct number b, enum fp_round round)
{
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        struct number swap = a;
        a = b;
        b = swap;
    }
    uint128 large = a.significand >> 1;
    uint128 small = shift_right_sticky(b.significand, 1 + a.exponent - b.exponent);
    uint128 significand = a.negative == b.negative ? large + small : large - small;
    if (significand == 0)
        return signed_kind(KIND_ZERO, round == FP_RM);
    return normalise(a.negative, a.exponent + 1, significand);
}

static struct number sum(struct number a, struct number b, enum fp_round round)
{
    if (a.kind == KIND_NAN || b.kind == KIND_NAN)
        return not_a_number;
    if (a.kind == KIND_INFINITE && b.kind == KIND_INFINITE)
        return a.negative == b.negative ? a : not_a_number;
    if (a.kind == KIND_ZERO && b.kind == KIND_ZERO)
        return a.negative == b.negative ? a : signed_kind(KIND_ZERO, round == FP_RM);
    if (a.kind == KIND_INFINITE || b.kind == KIND_ZERO)
        return a;
    if (b.kind == KIND_INFINITE || a.kind == KIND_ZERO)
        return b;
    return sum_finite(a, b, round);
}

static struct number product(struct number a, struct number b)
{
    bool negative = a.negative != b.negative;
    bool infinite = a.kind == KIND_INFINITE || b.kind == KIND_INFINITE;
    bool zero = a.kind == KIND_ZERO || b.kind == KIND_ZERO;
    if (a.kind == KIND_NAN || b.kind == KIND_NAN || (infinite && zero))
        return not_a_number;
    if (infinite || zero)
        return signed_kind(infinite ? KIND_INFINITE : KIND_ZERO, negative);
    uint128 significand = (a.significand >> 64) * (b.significand >> 64);
    return normalise(negative, a.exponent + b.exponent + 1, significand);
}

static struct number quotient(struct number a, struct number b)
{
    bool negative = a.negative != b.negative;
    if (a.kind == KIND_NAN || b.kind == KIND_NAN || (a.kind == b.kind && a.kind != KIND_FINITE))
        return not_a_number;
    if (a.kind == KIND_INFINITE || b.kind == KIND_ZERO)
        return signed_kind(KIND_INFINITE, negative);
    if (a.kind == KIND_ZERO || b.kind == KIND_INFINITE)
        return signed_kind(KIND_ZERO, negative);
    uint128 dividend = a.significand >> 1, divisor = b.significand >> 64;
    uint128 q = dividend / divisor;
    return normalise(negative, a.exponent - b.exponent, q << 64 | (dividend % divisor != 0));
}

static struct number square_root(struct number a)
{
    if (a.kind == KIND_NAN || (a.negative && a.kind != KIND_ZERO))
        return not_a_number;
    if (a.kind != KIND_FINITE)
        return a;
    /* With an even exponent the radicand is in [1, 4), the root in [1, 2). */
    uint128 radicand = a.exponent & 1 ? a.significand : a.significand >> 1;
    uint128 root = 0;
    for (uint128 bit = (uint128)1 << 63; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= radicand)
            root |= bit;
    /* Halves an odd exponent downwards: a shift, because division rounds towards zero. */
    return normalise(false, a.exponent >> 1, root << 64 | (root * root != radicand));
}

/* ---- the operations ---- */

uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m)
{
    return pack(f, sum(unpack(f, a, m.ftz), unpack(f, b, m.ftz), m.round), m);
}

uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m)
{
    return fp_add(f, a, b ^ 1ull << layouts[f].sign_bit, m);
}

uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m)
{
    return pack(f, product(unpack(f, a, m.ftz), unpack(f, b, m.ftz)), m);
}

uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, struct fp_mode m)
{
    struct number ab = product(unpack(f, a, m.ftz), unpack(f, b, m.ftz));
    return pack(f, sum(ab, unpack(f, c, m.ftz), m.round), m);
}

uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m)
{
    return pack(f, quotient(unpack(f, a, m.ftz), unpack(f, b, m.ftz)), m);
}

uint64_t fp_sqrt(enum fp_format f, uint64_t a, struct fp_mode m)
{
    return pack(f, square_root(unpack(f, a, m.ftz)), m);
}

uint64_t fp_convert(enum fp_format from, enum fp_format to, uint64_t a, struct fp_mode m)
{
    struct number x = unpack(from, a, m.ftz && from == FP_F32);
    m.ftz = m.ftz && to == FP_F32;
    return pack(to, x, m);
}

uint64_t fp_round_integral(enum fp_format f, uint64_t a, struct fp_mode m)
{
    struct number x = unpack(f, a, m.ftz);
    if (x.kind == KIND_FINITE && x.exponent < (int)layouts[f].fraction_bits) {
        uint128 integer = round_off(x.significand, TOP_BIT - x.exponent, x.negative, m.round);
        x = integer ? normalise(x.negative, TOP_BIT, integer) : signed_kind(KIND_ZERO, x.negative);
    }
    return pack(f, x, m);
}

uint64_t fp_to_int(enum fp_format from, uint64_t a, unsigned bits, bool is_signed, struct fp_mode m)
{
    struct number x = unpack(from, a, m.ftz && from == FP_F32);
    uint64_t top = 1ull << (bits - 1);
    if (x.kind == KIND_NAN) {
        uint64_t indefinite = is_signed ? 0 - top : top;
        return from == FP_F64 || bits == 64 ? indefinite : 0;
    }
    uint64_t largest = is_signed ? top - 1 : top | (top - 1);
    uint64_t limit = !x.negative ? largest : is_signed ? top : 0;
    uint128 magnitude = x.kind == KIND_ZERO ? 0 : ~(uint128)0;
    if (x.kind == KIND_FINITE && x.exponent < 64)
        magnitude = round_off(x.significand, TOP_BIT - x.exponent, x.negative, m.round);
    uint64_t clamped = magnitude > limit ? limit : (uint64_t)magnitude;
    return x.negative ? 0 - clamped : clamped;
}

uint64_t fp_from_int(enum fp_format to, uint64_t v, bool is_signed, struct fp_mode m)
{
    bool negative = is_signed && v >> 63;
    uint64_t magnitude = negative ? 0 - v : v;
    if (magnitude == 0)
        return 0;
    return pack(to, normalise(negative, TOP_BIT, magnitude), m);
}

/* ---- comparisons ---- */

bool fp_is_nan(enum fp_format f, uint64_t a)
{
    const struct layout *l = &layouts[f];
    return (a & ((1ull << l->sign_bit) - 1)) > infinity_bits(l);
}

/* A value's rank among all values, as an integer; both zeros are 0. */
static int64_t order_key(enum fp_format f, uint64_t a, bool ftz)
{
    const struct layout *l = &layouts[f];
    uint64_t magnitude = a & ((1ull << l->sign_bit) - 1);
    if (ftz && magnitude < 1ull << l->fraction_bits)
        return 0;
    return a >> l->sign_bit & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}

int fp_compare(enum fp_format f, uint64_t a, uint64_t b, bool ftz)
{
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return 2;
    int64_t x = order_key(f, a, ftz), y = order_key(f, b, ftz);
    return (x > y) - (x < y);
}
