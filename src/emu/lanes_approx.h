/* The approximate functions of the special function unit, on one lane.
 *
 * A GPU computes them by table lookup and interpolation; PTX documents only the largest error. Here
 * they are polynomials in double precision, evaluated with IEEE + - * / alone and rounded to float
 * once. Errors stay near half a unit in the last place, well within what PTX allows, and every host
 * and vector variant gives the same bits. There are no branches, so that loops over lanes
 * vectorise. Polynomials are Chebyshev fits of the stated interval; their errors are stated with
 * them.
 *
 * MODEL: bits of approximate results differ from a GPU's within the documented error. */
#ifndef HEDDLE_EMU_LANES_APPROX_H
#define HEDDLE_EMU_LANES_APPROX_H

#include <stdint.h>

#include "emu/lanes_float.h"

/* ---- division and roots: IEEE operations are more accurate than required ---- */

/* div.full: within 2 ulp. */
static inline float lane_approx_full_div_f32(float a, float b)
{
    return lane_nan_f32(a / b);
}

/* div.approx: within 2 ulp as well, but 1 / b underflows to 0 when 2^126 < |b| < 2^128. */
static inline float lane_approx_div_f32(float a, float b)
{
    float size = __builtin_fabsf(b);
    int underflows = (size > 0x1p126f) & (size < __builtin_inff());
    float product = a * (b * 0.0f);
    return lane_nan_f32(underflows ? product : a / b);
}

/* rsqrt.approx.f32: relative error below 2^-22.9. Two roundings of 2^-24 each are within it. */
static inline float lane_approx_rsqrt_f32(float a)
{
    return lane_nan_f32(1.0f / __builtin_sqrtf(a));
}

/* The .approx.ftz.f64 forms read only the high word of their operand and produce only the high word
 * of the result: 1 sign, 11 exponent and 20 fraction bits, no subnormals, NaN 0x7fffffff. */
static inline double lane_high_word_operand(double a)
{
    uint64_t bits = lane_bits_f64(a) & 0xffffffff00000000ull;
    uint64_t sign = bits & 0x8000000000000000ull;
    return lane_f64_of_bits(bits & 0x7ff0000000000000ull ? bits : sign);
}

static inline double lane_high_word_result(double x)
{
    double rounded = lane_f64_of_bits((lane_bits_f64(x) + 0x80000000ull) & 0xffffffff00000000ull);
    double flushed = lane_high_word_operand(rounded);
    return x == x ? flushed : lane_f64_of_bits(0x7fffffff00000000ull);
}

static inline double lane_approx_rcp_f64(double a)
{
    return lane_high_word_result(1.0 / lane_high_word_operand(a));
}

static inline double lane_approx_rsqrt_f64(double a)
{
    return lane_high_word_result(1.0 / __builtin_sqrt(lane_high_word_operand(a)));
}

/* ---- powers of two and functions based on them ---- */

/* 2^x as scale * (1 + above_one): scale = 2^n and above_one = 2^f - 1 with f = x - n, |f| <= 1/2.
 */
struct power {
    double scale, above_one;
};

/* For |x| <= 1000. Relative error of above_one below 2^-31: nothing is lost near x = 0. */
static inline struct power lane_exp2_split(double x)
{
    /* The sum's unit in the last place is 1, so it rounds x to an integer, found in the low
     * bits. */
    const double to_integer = 0x1.8p52;
    double shifted = x + to_integer;
    double f = x - (shifted - to_integer);
    double p = 0x1.00a594fd058bap-16;
    p = p * f + 0x1.44401fae30efep-13;
    p = p * f + 0x1.5d879e9962406p-10;
    p = p * f + 0x1.3b2a1b516ca7fp-7;
    p = p * f + 0x1.c6b08d884527ep-5;
    p = p * f + 0x1.ebfbe0460cc0bp-3;
    p = p * f + 0x1.62e42fefa39efp-1;
    struct power power = {
        .scale = lane_f64_of_bits((lane_bits_f64(shifted) + 1023) << 52),
        .above_one = p * f,
    };
    return power;
}

/* ex2.approx.f32: within 2 ulp over the full range. Past the clamps the result is 0 or infinity. */
static inline float lane_approx_ex2_f32(float x)
{
    float bounded = x > -160.0f ? x : -160.0f;
    bounded = bounded < 130.0f ? bounded : 130.0f;
    struct power power = lane_exp2_split(bounded);
    float result = (float)(power.scale * power.above_one + power.scale);
    return x == x ? result : lane_f32_of_bits(NAN_BITS_F32);
}

/* tanh.approx.f32: relative error below 2^-11. tanh |x| = m / (m + 2) with m = e^|2x| - 1. */
static inline float lane_approx_tanh_f32(float x)
{
    const double two_log2_e = 0x1.71547652b82fep+1;
    uint32_t sign = lane_bits_f32(x) & 0x80000000u;
    float size = lane_f32_of_bits(lane_bits_f32(x) & 0x7fffffffu);
    struct power power = lane_exp2_split((double)(size < 32.0f ? size : 32.0f) * two_log2_e);
    double m = power.scale * power.above_one + (power.scale - 1.0);
    float result = lane_f32_of_bits(lane_bits_f32((float)(m / (m + 2.0))) | sign);
    return x == x ? result : lane_f32_of_bits(NAN_BITS_F32);
}

/* ---- logarithm ---- */

/* lg2.approx.f32: absolute error below 2^-22 in (0.5, 2), relative error below 2^-22 elsewhere.
 * x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log2 m is a polynomial in s = (m - 1) / (m + 1),
 * which vanishes with m - 1. Relative error of the polynomial below 2^-36. */
static inline float lane_approx_lg2_f32(float x)
{
    const uint64_t sqrt_half_bits = 0x3fe6a09e667f3bcdull;
    /* Biases the exponent so that it is positive, and starts a new one at sqrt(1/2). */
    uint64_t biased = lane_bits_f64(x) - sqrt_half_bits + (1024ull << 52);
    uint64_t e_biased = biased >> 52;
    double e = lane_f64_of_bits(0x4330000000000000ull | e_biased) - (0x1p52 + 1024.0);
    double m = lane_f64_of_bits((biased & 0x000fffffffffffffull) + sqrt_half_bits);
    double s = (m - 1.0) / (m + 1.0), t = s * s;
    double p = 0x1.5ce91c1a94018p-2;
    p = p * t + 0x1.a58d86633111bp-2;
    p = p * t + 0x1.27777fd825af6p-1;
    p = p * t + 0x1.ec709d13094a7p-1;
    p = p * t + 0x1.71547652bed9dp+1;
    float result = (float)(e + p * s);
    result = x < lane_f32_of_bits(0x7f800000u) ? result : x;
    result = x > 0.0f ? result : lane_f32_of_bits(x == 0.0f ? 0xff800000u : NAN_BITS_F32);
    return result;
}

/* ---- sine and cosine ---- */

/* An angle as a quadrant, of which the low two bits count, and a remainder in [-pi/4, pi/4]. */
struct angle {
    uint64_t quadrant;
    double rest;
};

/* Reduces any finite angle. A float is m * 2^k with a 24-bit m. Only the fraction of m * 2^k / (2
 * pi) matters, so 64 bits of 1 / (2 pi) from bit k on are enough, and the product may wrap: it is
 * the angle in units of 2^-64 turns, with an error of at most 2^-40 turns. Small angles are already
 * reduced and stay exact. */
static inline struct angle lane_reduce_angle(float x)
{
    /* 1 / (2 pi) in binary: the integer part, then the fraction. */
    static const uint64_t inverse_turn[] = {0, 0x28be60db9391054a, 0x7f09d5f47d4d3770,
                                            0x36d8a5664f10e410};
    uint32_t bits = lane_bits_f32(x);
    uint64_t exponent = bits >> 23 & 0xff;
    uint64_t m = (bits & 0x7fffff) | 0x800000;
    /* Bit k = exponent - 150 after the point; below 2^-1 the angle is small and k is not used. */
    uint64_t at = (exponent > 126 ? exponent : 126) - 150 + 64, shift = at & 63;
    uint64_t high = inverse_turn[at >> 6 & 3], low = inverse_turn[((at >> 6) + 1) & 3];
    uint64_t turns = m * (high << shift | low >> 1 >> (63 - shift));
    turns = bits >> 31 ? 0 - turns : turns;
    /* Adding an eighth of a turn makes the quadrant's remainder start at -pi/4. */
    turns += 1ull << 61;
    const double quarter_turn = 0x1.921fb54442d18p+0;
    double fraction = lane_f64_of_bits(0x4330000000000000ull | (turns << 2 >> 12)) - 0x1.8p52;
    float size = lane_f32_of_bits(bits & 0x7fffffffu);
    int small = size < 0x1.921fb4p-1f;
    struct angle angle = {
        .quadrant = small ? 0 : turns >> 62,
        .rest = small ? (double)x : fraction * 0x1p-52 * quarter_turn,
    };
    return angle;
}

/* sin or cos of a reduced angle: quadrant 0 is the sine's first. The polynomials' errors
 * are below 2^-32. */
static inline float lane_sine_of_angle(struct angle angle, float x)
{
    double r = angle.rest, t = r * r;
    double s = 0x1.6dbcfb4dee452p-19;
    s = s * t - 0x1.a013a455bd213p-13;
    s = s * t + 0x1.11110decc73fdp-7;
    s = s * t - 0x1.555555545d0dap-3;
    s = (s * t + 1.0) * r;
    double c = 0x1.9a6dbaa8b8ee6p-16;
    c = c * t - 0x1.6c0e040c547dap-10;
    c = c * t + 0x1.55554cb4ac619p-5;
    c = c * t - 0x1.fffffffaac6ccp-2;
    c = c * t + 1.0;
    double value = angle.quadrant & 1 ? c : s;
    uint64_t sign = (angle.quadrant & 2) << 62;
    float result = (float)lane_f64_of_bits(lane_bits_f64(value) ^ sign);
    int finite = (lane_bits_f32(x) & 0x7f800000u) != 0x7f800000u;
    return finite ? result : lane_f32_of_bits(NAN_BITS_F32);
}

/* sin.approx, cos.approx: absolute error below 2^-20.9 in [-pi, pi]. No bound is documented far
 * outside that interval; these are as accurate there. */
static inline float lane_approx_sin_f32(float x)
{
    return lane_sine_of_angle(lane_reduce_angle(x), x);
}

static inline float lane_approx_cos_f32(float x)
{
    struct angle angle = lane_reduce_angle(x);
    angle.quadrant += 1;
    return lane_sine_of_angle(angle, x);
}

#endif
