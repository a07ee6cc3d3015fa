/* Integer operations on one lane, as the PTX ISA defines them, on plain C integers.
 *
 * Nothing here traps or is undefined for any input: division by zero has a value, shift amounts are
 * bounded before they are used, sums wrap in unsigned arithmetic. Where a branch-free form exists
 * it is used, so that a loop over 32 lanes becomes vector code. */
#ifndef HEDDLE_EMU_LANES_INT_H
#define HEDDLE_EMU_LANES_INT_H

#include <stdint.h>
#include <string.h>

/* ---- saturation, carries and wide products ---- */

static inline int32_t lane_sat_s32(int64_t v)
{
    return (int32_t)(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}

/* CC.CF as an integer of 0 or 1: the carry out of an addition, the borrow out of a subtraction. */
static inline uint32_t lane_carry_add32(uint32_t a, uint32_t b, uint32_t carry_in, uint32_t *carry)
{
    uint64_t sum = (uint64_t)a + b + carry_in;
    *carry = (uint32_t)(sum >> 32);
    return (uint32_t)sum;
}

static inline uint64_t lane_carry_add64(uint64_t a, uint64_t b, uint32_t carry_in, uint32_t *carry)
{
    uint64_t partial = a + b;
    uint64_t sum = partial + carry_in;
    *carry = (uint32_t)((partial < a) | (sum < partial));
    return sum;
}

static inline uint32_t lane_carry_sub32(uint32_t a, uint32_t b, uint32_t borrow_in,
                                        uint32_t *borrow)
{
    uint64_t difference = (uint64_t)a - b - borrow_in;
    *borrow = (uint32_t)(difference >> 63);
    return (uint32_t)difference;
}

static inline uint64_t lane_carry_sub64(uint64_t a, uint64_t b, uint32_t borrow_in,
                                        uint32_t *borrow)
{
    uint64_t partial = a - b;
    *borrow = (uint32_t)((a < b) | (partial < borrow_in));
    return partial - borrow_in;
}

/* Two 16-bit sums in one word: the top bit of each half is added without its carry. */
static inline uint32_t lane_add_16x2(uint32_t a, uint32_t b)
{
    return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}

static inline uint64_t lane_mulhi_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static inline int64_t lane_mulhi_s64(int64_t a, int64_t b)
{
    return (int64_t)(((__int128)a * b) >> 64);
}

static inline int32_t lane_sext24(int32_t a)
{
    return (int32_t)((uint32_t)a << 8) >> 8;
}

/* ---- division ---- */

/* The quotient of 32-bit numbers through a double: hosts have vector division for doubles but not
 * for integers. It is exact: if a / b is not an integer, it is at least 1 / b away from one,
 * relatively 1 / a > 2^-32, so rounding to 53 bits cannot reach it. Adding 2^52 rounds to an
 * integer and leaves it in the low bits of the sum; rounding up is then corrected. */
static inline uint32_t lane_quotient_u32(uint32_t a, uint32_t b)
{
    const double two52 = 0x1p52;
    double exact = (double)a / (double)b;
    double shifted = exact + two52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (uint32_t)bits - (uint32_t)(shifted - two52 > exact);
}

static inline uint32_t lane_magnitude_s32(int32_t a)
{
    return a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
}

/* MODEL: division by zero gives all ones, and the dividend as remainder, as GPUs do; PTX leaves it
 * unspecified. */
static inline uint32_t lane_div_u32(uint32_t a, uint32_t b)
{
    uint32_t quotient = lane_quotient_u32(a, b | (b == 0));
    return b == 0 ? ~0u : quotient;
}

static inline uint32_t lane_rem_u32(uint32_t a, uint32_t b)
{
    return a - lane_quotient_u32(a, b | (b == 0)) * b;
}

static inline int32_t lane_div_s32(int32_t a, int32_t b)
{
    uint32_t quotient = lane_quotient_u32(lane_magnitude_s32(a), lane_magnitude_s32(b) | (b == 0));
    uint32_t result = (a ^ b) < 0 ? 0u - quotient : quotient;
    return (int32_t)(b == 0 ? ~0u : result);
}

static inline int32_t lane_rem_s32(int32_t a, int32_t b)
{
    uint32_t rem = lane_rem_u32(lane_magnitude_s32(a), lane_magnitude_s32(b));
    return (int32_t)(a < 0 ? 0u - rem : rem);
}

static inline uint64_t lane_div_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? ~0ull : a / b;
}

static inline uint64_t lane_rem_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

static inline int64_t lane_div_s64(int64_t a, int64_t b)
{
    if (b == 0)
        return -1;
    return b == -1 ? (int64_t)(0ull - (uint64_t)a) : a / b;
}

static inline int64_t lane_rem_s64(int64_t a, int64_t b)
{
    if (b == 0)
        return a;
    return b == -1 ? 0 : a % b;
}

/* ---- counting and finding bits ---- */

/* Sums neighbouring fields of growing width. Unlike the host's instruction, if any, this
 * vectorises; compilers would recognise and replace a version that ends in a multiplication. */
static inline uint32_t lane_popc_u32(uint32_t a)
{
    a = a - (a >> 1 & 0x55555555u);
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    a += a >> 8;
    a += a >> 16;
    return a & 0x3f;
}

static inline uint32_t lane_popc_u64(uint64_t a)
{
    return lane_popc_u32((uint32_t)a) + lane_popc_u32((uint32_t)(a >> 32));
}

/* Sets all bits below the most significant set one; the remaining zeros are the leading zeros. */
static inline uint32_t lane_clz_u32(uint32_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    return lane_popc_u32(~a);
}

static inline uint32_t lane_clz_u64(uint64_t a)
{
    uint32_t high = lane_clz_u32((uint32_t)(a >> 32)), low = lane_clz_u32((uint32_t)a);
    return high == 32 ? 32 + low : high;
}

/* The most significant bit that differs from the sign; all ones when there is none. */
static inline uint32_t lane_bfind_s32(uint32_t a)
{
    return 31 - lane_clz_u32(a ^ (uint32_t)((int32_t)a >> 31));
}

static inline uint32_t lane_bfind_s64(uint64_t a)
{
    return 63 - lane_clz_u64(a ^ (uint64_t)((int64_t)a >> 63));
}

static inline uint32_t lane_brev_u32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

static inline uint64_t lane_brev_u64(uint64_t a)
{
    return (uint64_t)lane_brev_u32((uint32_t)a) << 32 | lane_brev_u32((uint32_t)(a >> 32));
}

/* The position of the |offset|-th set bit of `mask`, counted from `base` upwards or downwards;
 * offset 0 asks for bit `base` itself. All ones when there is no such bit. */
static inline uint32_t lane_fns_b32(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31)
        return ~0u;
    if (offset == 0)
        return mask >> base & 1 ? base : ~0u;
    uint32_t wanted = lane_magnitude_s32(offset) - 1;
    /* Downwards is upwards in the bit-reversed mask. */
    uint32_t rest = offset > 0 ? mask & ~0u << base : lane_brev_u32(mask) & ~0u << (31 - base);
    for (uint32_t i = 0; i < wanted && rest != 0; i++)
        rest &= rest - 1;
    if (rest == 0)
        return ~0u;
    uint32_t position = (uint32_t)__builtin_ctz(rest);
    return offset > 0 ? position : 31 - position;
}

/* ---- bit fields ---- */

/* The low n bits set, for any n. */
static inline uint32_t lane_low_mask32(uint32_t n)
{
    return n > 31 ? ~0u : (1u << (n & 31)) - 1;
}

static inline uint64_t lane_low_mask64(uint32_t n)
{
    return n > 63 ? ~0ull : (1ull << (n & 63)) - 1;
}

/* Repeats bit n - 1 of `a` in all higher bits, n in 1..32; n = 0 gives 0. */
static inline uint32_t lane_extend_sign32(uint32_t a, uint32_t n)
{
    uint32_t shift = (32 - n) & 31;
    uint32_t extended = (uint32_t)((int32_t)(a << shift) >> shift);
    return n == 0 ? 0 : extended;
}

static inline uint64_t lane_extend_sign64(uint64_t a, uint32_t n)
{
    uint32_t shift = (64 - n) & 63;
    uint64_t extended = (uint64_t)((int64_t)(a << shift) >> shift);
    return n == 0 ? 0 : extended;
}

/* bfe: `len` bits from bit `pos`, both modulo 256. Bits past the top are 0, or copies of the
 * sign. */
static inline uint32_t lane_bfe_u32(uint32_t a, uint32_t pos, uint32_t len)
{
    pos &= 0xff;
    return (pos > 31 ? 0 : a >> (pos & 31)) & lane_low_mask32(len & 0xff);
}

static inline uint64_t lane_bfe_u64(uint64_t a, uint32_t pos, uint32_t len)
{
    pos &= 0xff;
    return (pos > 63 ? 0 : a >> (pos & 63)) & lane_low_mask64(len & 0xff);
}

static inline uint32_t lane_bfe_s32(uint32_t a, uint32_t pos, uint32_t len)
{
    pos &= 0xff;
    len &= 0xff;
    uint32_t field = (uint32_t)((int32_t)a >> (pos > 31 ? 31 : pos));
    return lane_extend_sign32(field, len > 32 ? 32 : len);
}

static inline uint64_t lane_bfe_s64(uint64_t a, uint32_t pos, uint32_t len)
{
    pos &= 0xff;
    len &= 0xff;
    uint64_t field = (uint64_t)((int64_t)a >> (pos > 63 ? 63 : pos));
    return lane_extend_sign64(field, len > 64 ? 64 : len);
}

static inline uint32_t lane_bmsk_clamp(uint32_t pos, uint32_t width)
{
    return pos > 31 ? 0 : lane_low_mask32(width) << (pos & 31);
}

static inline uint32_t lane_szext_u32(uint32_t a, uint32_t n)
{
    return a & lane_low_mask32(n);
}

static inline uint32_t lane_szext_s32(uint32_t a, uint32_t n)
{
    return lane_extend_sign32(a, n > 32 ? 32 : n);
}

/* ---- shifts and bytes ---- */

/* Funnel shifts of the 64-bit value hi:lo by n in 0..32. */
static inline uint32_t lane_shf_l(uint32_t lo, uint32_t hi, uint32_t n)
{
    return (uint32_t)((((uint64_t)hi << 32 | lo) << n) >> 32);
}

static inline uint32_t lane_shf_r(uint32_t lo, uint32_t hi, uint32_t n)
{
    return (uint32_t)(((uint64_t)hi << 32 | lo) >> n);
}

/* prmt in its default mode: each of the low four nibbles of `selector` selects one of the eight
 * bytes of b:a; its top bit replicates that byte's sign into all eight bits instead. */
static inline uint32_t lane_prmt_b32(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nibble = selector >> 4 * i & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
        uint32_t sign = 0xff * (byte >> 7);
        result |= (nibble & 8 ? sign : byte) << 8 * i;
    }
    return result;
}

/* c plus the four products of the bytes of a and b. */
static inline uint32_t lane_dp4a(uint32_t a, uint32_t b, uint32_t c, int a_signed, int b_signed)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t x = a >> 8 * i & 0xff, y = b >> 8 * i & 0xff;
        x = a_signed ? lane_extend_sign32(x, 8) : x;
        y = b_signed ? lane_extend_sign32(y, 8) : y;
        c += x * y;
    }
    return c;
}

#endif
