/* Floating-point operations on one lane, from IEEE basic operations of the host in
 * round-to-nearest. Other rounding modes, saturation and half precision are in base/softfp.c.
 *
 * MODEL: a NaN result is always the canonical NaN, 0x7fffffff for f32 and 0x7ff8000000000000 for
 * f64. For f32 this is what GPUs do. For f64 they propagate an input's payload. Which input is not
 * specified and differs between hosts, so Heddle drops the payload to give the same numbers
 * everywhere.
 *
 * .ftz flushes a result that is subnormal after rounding to 24 bits as if the exponent were
 * unbounded, as an H200 does. */
#ifndef HEDDLE_EMU_LANES_FLOAT_H
#define HEDDLE_EMU_LANES_FLOAT_H

#include <stdint.h>
#include <string.h>

#include "base/softfp.h"

#define NAN_BITS_F32 0x7fffffffu
#define NAN_BITS_F64 0x7ff8000000000000ull

static inline uint32_t lane_bits_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float lane_f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t lane_bits_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double lane_f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Makes a NaN canonical: one unordered comparison and one blend per vector. Every operation whose
 * result might be a NaN uses these, because hosts differ in its sign and payload. */
static inline float lane_nan_f32(float x)
{
    return x == x ? x : lane_f32_of_bits(NAN_BITS_F32);
}

static inline double lane_nan_f64(double x)
{
    return x == x ? x : lane_f64_of_bits(NAN_BITS_F64);
}

/* Flushes subnormals to zero of the same sign. */
static inline float lane_ftz_f32(float x)
{
    uint32_t bits = lane_bits_f32(x);
    return lane_f32_of_bits(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/* The same for halves, as bits. */
static inline uint32_t lane_ftz_f16(uint32_t a)
{
    return a & 0x7c00u ? a : a & 0x8000u;
}

static inline uint32_t lane_ftz_f16x2(uint32_t a)
{
    return lane_ftz_f16(a & 0xffff) | lane_ftz_f16(a >> 16) << 16;
}

/* ---- fused multiply-add ---- */

#if defined(__FMA__) || defined(__aarch64__)

static inline float lane_fma_f32(float a, float b, float c)
{
    return lane_nan_f32(__builtin_fmaf(a, b, c));
}

static inline double lane_fma_f64(double a, double b, double c)
{
    return lane_nan_f64(__builtin_fma(a, b, c));
}

#else

/* The product of two floats is exact in a double, the sum's error is exact too (Knuth's two-sum).
 * An inexact sum is moved to its odd neighbour on the side of the error, so that rounding it once
 * more, to float, rounds the exact value (Boldo and Melquiond, "Emulation of FMA and correctly
 * rounded sums", 2008). Infinities and NaNs make the error a NaN, which moves nothing. */
static inline float lane_fma_f32(float a, float b, float c)
{
    double product = (double)a * (double)b, addend = c;
    double sum = product + addend;
    double addend_seen = sum - product;
    double error = (product - (sum - addend_seen)) + (addend - addend_seen);
    uint64_t bits = lane_bits_f64(sum);
    uint64_t even = ~bits & 1;
    uint64_t outward = (error > 0) == (sum > 0) ? even : 0 - even;
    int inexact = (error > 0) | (error < 0);
    return lane_nan_f32((float)lane_f64_of_bits(bits + (inexact ? outward : 0)));
}

static inline double lane_fma_f64(double a, double b, double c)
{
    const struct fp_mode nearest = {.round = FP_RN};
    return lane_f64_of_bits(
        fp_fma(FP_F64, lane_bits_f64(a), lane_bits_f64(b), lane_bits_f64(c), nearest));
}

#endif

/* ---- products that flush subnormals ---- */

/* A result of 2^-126 may have been slightly less before rounding. The same operation with a scaled
 * exponent keeps all bits and shows it. Where scaling overflows, nothing is subnormal. */
#define FTZ_SCALE 0x1p64f
#define FTZ_LIMIT (0x1p-126f * FTZ_SCALE)

static inline float lane_flush_by_scaled(float result, float scaled)
{
    uint32_t bits = lane_bits_f32(result);
    return lane_f32_of_bits(__builtin_fabsf(scaled) < FTZ_LIMIT ? bits & 0x80000000u : bits);
}

static inline float lane_mul_ftz_f32(float a, float b)
{
    a = lane_ftz_f32(a);
    b = lane_ftz_f32(b);
    return lane_flush_by_scaled(lane_nan_f32(a * b), a * FTZ_SCALE * b);
}

static inline float lane_fma_ftz_f32(float a, float b, float c)
{
    a = lane_ftz_f32(a);
    b = lane_ftz_f32(b);
    c = lane_ftz_f32(c);
    return lane_flush_by_scaled(lane_fma_f32(a, b, c),
                                lane_fma_f32(a * FTZ_SCALE, b, c * FTZ_SCALE));
}

/* ---- minimum and maximum, on bit patterns ---- */

/* A NaN loses against a number, -0 is below +0. Equal operands have the same bits or are zeros of
 * either sign, so OR picks -0 for the minimum and AND picks +0 for the maximum. */
static inline uint32_t lane_min_f32(uint32_t a, uint32_t b)
{
    float x = lane_f32_of_bits(a), y = lane_f32_of_bits(b);
    uint32_t least = x < y ? a : b;
    least = x == y ? a | b : least;
    least = y == y ? least : a;
    return lane_bits_f32(lane_nan_f32(lane_f32_of_bits(least)));
}

static inline uint32_t lane_max_f32(uint32_t a, uint32_t b)
{
    float x = lane_f32_of_bits(a), y = lane_f32_of_bits(b);
    uint32_t most = x > y ? a : b;
    most = x == y ? a & b : most;
    most = y == y ? most : a;
    return lane_bits_f32(lane_nan_f32(lane_f32_of_bits(most)));
}

static inline uint64_t lane_min_f64(uint64_t a, uint64_t b)
{
    double x = lane_f64_of_bits(a), y = lane_f64_of_bits(b);
    uint64_t least = x < y ? a : b;
    least = x == y ? a | b : least;
    least = y == y ? least : a;
    return lane_bits_f64(lane_nan_f64(lane_f64_of_bits(least)));
}

static inline uint64_t lane_max_f64(uint64_t a, uint64_t b)
{
    double x = lane_f64_of_bits(a), y = lane_f64_of_bits(b);
    uint64_t most = x > y ? a : b;
    most = x == y ? a & b : most;
    most = y == y ? most : a;
    return lane_bits_f64(lane_nan_f64(lane_f64_of_bits(most)));
}

/* ---- rounding to an integral value ---- */

static inline float lane_with_sign_f32(float size, float x)
{
    return lane_f32_of_bits((lane_bits_f32(size) & 0x7fffffffu) | (lane_bits_f32(x) & 0x80000000u));
}

static inline double lane_with_sign_f64(double size, double x)
{
    const uint64_t sign = 0x8000000000000000ull;
    return lane_f64_of_bits((lane_bits_f64(size) & ~sign) | (lane_bits_f64(x) & sign));
}

/* Adding 2^23 leaves no bits for a fraction, so the host rounds it off; larger values have none.
 * The result always has the operand's sign, including zeros. */
static inline float lane_rni_f32(float x)
{
    float size = lane_with_sign_f32(x, 0.0f);
    float rounded = size < 0x1p23f ? (size + 0x1p23f) - 0x1p23f : size;
    return lane_nan_f32(lane_with_sign_f32(rounded, x));
}

static inline double lane_rni_f64(double x)
{
    double size = lane_with_sign_f64(x, 0.0);
    double rounded = size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size;
    return lane_nan_f64(lane_with_sign_f64(rounded, x));
}

/* Down, up and towards zero: the nearest integer, or its neighbour if that is on the wrong side. */
static inline float lane_rmi_f32(float x)
{
    float nearest = lane_rni_f32(x);
    return lane_nan_f32(lane_with_sign_f32(nearest - (nearest > x ? 1.0f : 0.0f), x));
}

static inline float lane_rpi_f32(float x)
{
    float nearest = lane_rni_f32(x);
    return lane_nan_f32(lane_with_sign_f32(nearest + (nearest < x ? 1.0f : 0.0f), x));
}

static inline float lane_rzi_f32(float x)
{
    return lane_nan_f32(lane_with_sign_f32(lane_rmi_f32(lane_with_sign_f32(x, 0.0f)), x));
}

static inline double lane_rmi_f64(double x)
{
    double nearest = lane_rni_f64(x);
    return lane_nan_f64(lane_with_sign_f64(nearest - (nearest > x ? 1.0 : 0.0), x));
}

static inline double lane_rpi_f64(double x)
{
    double nearest = lane_rni_f64(x);
    return lane_nan_f64(lane_with_sign_f64(nearest + (nearest < x ? 1.0 : 0.0), x));
}

static inline double lane_rzi_f64(double x)
{
    return lane_nan_f64(lane_with_sign_f64(lane_rmi_f64(lane_with_sign_f64(x, 0.0)), x));
}

/* ---- conversions ---- */

/* To [+0, 1]; a NaN gives +0. */
static inline float lane_sat_f32(float x)
{
    float bounded = x < 1.0f ? x : 1.0f;
    return x > 0.0f ? bounded : 0.0f;
}

/* To integers, towards zero and saturating. The value is brought into range before C's conversion.
 * A NaN gives 0, or only the top bit set if one of the two types has 64 bits. */
static inline int32_t lane_f32_to_s32_rz(float x)
{
    int fits = (x >= -0x1p31f) & (x < 0x1p31f);
    int32_t inside = (int32_t)(fits ? x : 0.0f);
    int32_t outside = x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : 0;
    return fits ? inside : outside;
}

/* Through a signed number, because hosts have vector conversions to those: the upper half of the
 * range is shifted down by 2^31, exactly, and back. */
static inline uint32_t lane_f32_to_u32_rz(float x)
{
    int upper = x >= 0x1p31f;
    float moved = upper ? x - 0x1p31f : x;
    int fits = (moved >= 0.0f) & (moved < 0x1p31f);
    uint32_t inside = (uint32_t)(int32_t)(fits ? moved : 0.0f);
    return fits ? inside + (upper ? 0x80000000u : 0) : upper ? UINT32_MAX : 0;
}

static inline int32_t lane_f64_to_s32_rz(double x)
{
    int fits = (x >= -0x1p31) & (x < 0x1p31);
    int32_t inside = (int32_t)(fits ? x : 0.0);
    return fits ? inside : x > 0 ? INT32_MAX : INT32_MIN;
}

static inline uint32_t lane_f64_to_u32_rz(double x)
{
    int fits = (x >= 0.0) & (x < 0x1p32);
    uint32_t inside = (uint32_t)(int64_t)(fits ? x : 0.0);
    return fits ? inside : x > 0 ? UINT32_MAX : x < 0 ? 0 : 0x80000000u;
}

static inline int64_t lane_f64_to_s64_rz(double x)
{
    int fits = (x >= -0x1p63) & (x < 0x1p63);
    int64_t inside = (int64_t)(fits ? x : 0.0);
    return fits ? inside : x > 0 ? INT64_MAX : INT64_MIN;
}

/* ---- comparisons, of integers and floats alike ---- */

/* The ordered forms are false if an operand is a NaN; those with a U are true. */
#define CMP_EQ(a, b)  ((a) == (b))
#define CMP_NE(a, b)  (((a) < (b)) | ((a) > (b)))
#define CMP_LT(a, b)  ((a) < (b))
#define CMP_LE(a, b)  ((a) <= (b))
#define CMP_GT(a, b)  ((a) > (b))
#define CMP_GE(a, b)  ((a) >= (b))
#define CMP_EQU(a, b) (!CMP_NE(a, b))
#define CMP_NEU(a, b) ((a) != (b))
#define CMP_LTU(a, b) (!((a) >= (b)))
#define CMP_LEU(a, b) (!((a) > (b)))
#define CMP_GTU(a, b) (!((a) <= (b)))
#define CMP_GEU(a, b) (!((a) < (b)))
#define CMP_NUM(a, b) (((a) == (a)) & ((b) == (b)))
#define CMP_NAN(a, b) (((a) != (a)) | ((b) != (b)))

#endif
