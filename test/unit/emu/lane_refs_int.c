/* References of the integer rows; see lane_refs.h. */
#include "lane_refs.h"

#include <stddef.h>

#define REF(name) static wide_int name(const struct lane_args *x, bool *carry)
#define REF_EXPR(name, expr)                                                                       \
    REF(name)                                                                                      \
    {                                                                                              \
        (void)carry;                                                                               \
        return expr;                                                                               \
    }

static bool bit(wide_int v, unsigned i)
{
    return v >> i & 1;
}

static wide_int power_of_two(unsigned n)
{
    return (wide_int)1 << n;
}

/* The low n bits of v as a number. */
static wide_int field(wide_int v, unsigned n, bool is_signed)
{
    wide_int low = v & (power_of_two(n) - 1);
    return is_signed && n > 0 && bit(low, n - 1) ? low - power_of_two(n) : low;
}

/* Modulo 2^128: all of a product but that of two u64, and its low bits. */
static wide_int product(wide_int a, wide_int b)
{
    return (wide_int)((unsigned __int128)a * (unsigned __int128)b);
}

static wide_int clamped(wide_int v)
{
    return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
}

/* ---- arithmetic ---- */

REF_EXPR(add, x->a + x->b)
REF_EXPR(sub, x->a - x->b)
REF_EXPR(add_sat, clamped(x->a + x->b))
REF_EXPR(sub_sat, clamped(x->a - x->b))
REF_EXPR(mul, product(x->a, x->b))
REF_EXPR(mad, product(x->a, x->b) + x->c)
REF_EXPR(sad, (x->a < x->b ? x->b - x->a : x->a - x->b) + x->c)
REF_EXPR(div, x->b == 0 ? -1 : x->a / x->b)
REF_EXPR(rem, x->b == 0 ? x->a : x->a % x->b)
REF_EXPR(absolute, x->a < 0 ? -x->a : x->a)
REF_EXPR(negative, -x->a)
REF_EXPR(min, x->a < x->b ? x->a : x->b)
REF_EXPR(max, x->a > x->b ? x->a : x->b)
REF_EXPR(same, x->a)

REF(add_16x2)
{
    (void)carry;
    wide_int high = field(x->a >> 16, 16, false) + field(x->b >> 16, 16, false);
    return field(high, 16, false) << 16 | field(x->a + x->b, 16, false);
}

/* Long multiplication, a bit of b at a time, keeping only what has left the low half. */
static wide_int high_product(const struct lane_args *x)
{
    wide_int b = field(x->b, x->bits, false), high = 0;
    wide_int low = 0, low_end = power_of_two(x->bits);
    wide_int a_low = field(x->a, x->bits, false);
    wide_int a_high = x->a < 0 ? low_end - 1 : 0; /* a in two words */
    for (unsigned i = 0; i < x->bits; i++) {
        if (bit(b, i)) {
            low += a_low;
            high += a_high + (low >= low_end);
            low = field(low, x->bits, false);
            high = field(high, x->bits, false);
        }
        a_high = field(a_high << 1 | bit(a_low, x->bits - 1), x->bits, false);
        a_low = field(a_low << 1, x->bits, false);
    }
    /* The top bit of a negative b counts -2^bits, not 2^bits too much. */
    return x->b < 0 ? high - x->a : high;
}

REF_EXPR(mul_hi, high_product(x))
REF_EXPR(mad_hi, high_product(x) + x->c)
REF_EXPR(mad_hi_sat, clamped(field(high_product(x), 32, true) + x->c))

static wide_int product24(const struct lane_args *x)
{
    return field(x->a, 24, x->is_signed) * field(x->b, 24, x->is_signed);
}

REF_EXPR(mul24_lo, product24(x))
REF_EXPR(mul24_hi, product24(x) >> 16)
REF_EXPR(mad24_lo, product24(x) + x->c)
REF_EXPR(mad24_hi, (product24(x) >> 16) + x->c)
REF_EXPR(mad24_hi_sat, clamped((product24(x) >> 16) + x->c))

/* ---- carries: one bit past the operands' width ---- */

static wide_int with_carry(const struct lane_args *x, wide_int a, wide_int b, bool *carry)
{
    wide_int sum = field(a, x->bits, false) + field(b, x->bits, false) + x->carry_in;
    *carry = bit(sum, x->bits);
    return sum;
}

REF(add_c)
{
    return with_carry(x, x->a, x->b, carry);
}

REF(sub_c)
{
    wide_int difference = x->a - x->b - x->carry_in;
    *carry = difference < 0;
    return difference;
}

REF(mad_lo_c)
{
    return with_carry(x, product(x->a, x->b), x->c, carry);
}

REF(mad_hi_c)
{
    return with_carry(x, high_product(x), x->c, carry);
}

/* The forms that take no carry in. */
#define WITHOUT_CARRY_IN(name)                                                                     \
    REF(name##c)                                                                                   \
    {                                                                                              \
        struct lane_args y = *x;                                                                   \
        y.carry_in = false;                                                                        \
        return name(&y, carry);                                                                    \
    }
WITHOUT_CARRY_IN(add_c)
WITHOUT_CARRY_IN(sub_c)
WITHOUT_CARRY_IN(mad_lo_c)
WITHOUT_CARRY_IN(mad_hi_c)

/* ---- bits, one at a time ---- */

REF(popc)
{
    (void)carry;
    int n = 0;
    for (unsigned i = 0; i < x->bits; i++)
        n += bit(x->a, i);
    return n;
}

REF(clz)
{
    (void)carry;
    unsigned n = 0;
    while (n < x->bits && !bit(x->a, x->bits - 1 - n))
        n++;
    return n;
}

REF(bfind)
{
    (void)carry;
    for (unsigned i = x->bits; i-- > 0;)
        if (bit(x->a, i) != (x->is_signed && x->a < 0))
            return i;
    return -1;
}

REF(bfind_shiftamt)
{
    wide_int found = bfind(x, carry);
    return found < 0 ? -1 : x->bits - 1 - found;
}

REF(brev)
{
    (void)carry;
    wide_int d = 0;
    for (unsigned i = 0; i < x->bits; i++)
        d |= (wide_int)bit(x->a, i) << (x->bits - 1 - i);
    return d;
}

/* As the PTX manual writes it. */
REF(bfe)
{
    (void)carry;
    unsigned msb = x->bits - 1, pos = (unsigned)(x->b & 0xff), len = (unsigned)(x->c & 0xff);
    unsigned last = pos + len - 1 < msb ? pos + len - 1 : msb;
    bool sign = x->is_signed && len > 0 && bit(x->a, last);
    wide_int d = 0;
    for (unsigned i = 0; i <= msb; i++)
        d |= (wide_int)(i < len && pos + i <= msb ? bit(x->a, pos + i) : sign) << i;
    return d;
}

static wide_int mask_of(unsigned pos, unsigned width)
{
    wide_int d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (wide_int)(i >= pos && i < pos + width) << i;
    return d;
}

REF_EXPR(bmsk_clamp, mask_of(x->a > 32 ? 32 : (unsigned)x->a, x->b > 32 ? 32 : (unsigned)x->b))
REF_EXPR(bmsk_wrap, mask_of((unsigned)x->a % 32, (unsigned)x->b % 32))
REF_EXPR(szext_clamp, field(x->a, x->b_bits > 32 ? 32 : (unsigned)x->b_bits, x->is_signed))
REF_EXPR(szext_wrap, field(x->a, (unsigned)x->b_bits % 32, x->is_signed))

REF(fns)
{
    (void)carry;
    int64_t offset = (int32_t)x->c_bits, pos = (uint32_t)x->b_bits;
    int64_t step = offset < 0 ? -1 : 1, count = offset < 0 ? -offset : offset;
    if (offset == 0)
        return pos < 32 && bit(x->a, (unsigned)pos) ? pos : -1;
    for (; pos >= 0 && pos < 32; pos += step)
        if (bit(x->a, (unsigned)pos) && --count == 0)
            return pos;
    return -1;
}

static wide_int dot(const struct lane_args *x, bool a_signed, bool b_signed)
{
    wide_int d = x->c;
    for (unsigned i = 0; i < 32; i += 8)
        d += field(x->a >> i, 8, a_signed) * field(x->b >> i, 8, b_signed);
    return d;
}

REF_EXPR(dot_ss, dot(x, true, true))
REF_EXPR(dot_su, dot(x, true, false))
REF_EXPR(dot_us, dot(x, false, true))
REF_EXPR(dot_uu, dot(x, false, false))

/* ---- logic and shifts ---- */

REF_EXPR(and, x->a & x->b)
REF_EXPR(or, x->a | x->b)
REF_EXPR(xor, x->a ^ x->b)
REF_EXPR(not, -x->a - 1)
REF_EXPR(cnot, x->a == 0 ? 1 : 0)

/* A bit at a time, so that any amount means what it says. */
static wide_int shifted(wide_int v, uint64_t n, bool left)
{
    for (uint64_t i = 0; i < n && i < 70; i++)
        v = left ? product(v, 2) : v >> 1;
    return v;
}

REF_EXPR(shl, shifted(field(x->a, x->bits, false), x->b_bits < 64 ? x->b_bits : 64, true))
REF_EXPR(shr, shifted(x->a, x->b_bits, false))

static wide_int funnel(const struct lane_args *x, unsigned n, bool left)
{
    wide_int both = x->b << 32 | x->a;
    return left ? shifted(both, n, true) >> 32 : shifted(both, n, false);
}

static unsigned clamp32(uint64_t n)
{
    return n > 32 ? 32 : (unsigned)n;
}

REF_EXPR(shf_l_wrap, funnel(x, (unsigned)x->c % 32, true))
REF_EXPR(shf_r_wrap, funnel(x, (unsigned)x->c % 32, false))
REF_EXPR(shf_l_clamp, funnel(x, clamp32(x->c_bits), true))
REF_EXPR(shf_r_clamp, funnel(x, clamp32(x->c_bits), false))

REF(prmt)
{
    (void)carry;
    wide_int d = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (unsigned)(x->c >> 4 * i) & 7;
        wide_int byte = (n < 4 ? x->a >> 8 * n : x->b >> 8 * (n - 4)) & 0xff;
        bool sign_only = bit(x->c, 4 * i + 3);
        d |= (sign_only ? (bit(byte, 7) ? 0xff : 0) : byte) << 8 * i;
    }
    return d;
}

/* ---- comparisons ---- */

REF_EXPR(eq, x->a == x->b)
REF_EXPR(ne, x->a != x->b)
REF_EXPR(lt, x->a < x->b)
REF_EXPR(le, x->a <= x->b)
REF_EXPR(gt, x->a > x->b)
REF_EXPR(ge, x->a >= x->b)

#define U(row, ref)                                                                                \
    {                                                                                              \
#row, ref, false, false                                                                    \
    }
#define S(row, ref)                                                                                \
    {                                                                                              \
#row, ref, true, false                                                                     \
    }
#define SETP(C, ref)                                                                               \
    S(SETP_##C##_S16, ref), S(SETP_##C##_S32, ref), S(SETP_##C##_S64, ref),                        \
        U(SETP_##C##_U16, ref), U(SETP_##C##_U32, ref), U(SETP_##C##_U64, ref)

/* clang-format off */
const struct lane_ref lane_refs_int[] = {
    U(ADD_U32, add), U(ADD_U64, add), U(ADD_U16, add), S(ADD_SAT_S32, add_sat), U(ADD_X2, add_16x2),
    U(SUB_U32, sub), U(SUB_U64, sub), U(SUB_U16, sub), S(SUB_SAT_S32, sub_sat),
    U(ADD_CC_32, add_cc), U(ADD_CC_64, add_cc), U(SUB_CC_32, sub_cc), U(SUB_CC_64, sub_cc),
    U(ADDC_32, add_c), U(ADDC_64, add_c), U(SUBC_32, sub_c), U(SUBC_64, sub_c),
    U(MUL_LO_U32, mul), U(MUL_LO_U64, mul), U(MUL_LO_U16, mul),
    S(MUL_WIDE_S32, mul), U(MUL_WIDE_U32, mul), S(MUL_WIDE_S16, mul), U(MUL_WIDE_U16, mul),
    S(MUL_HI_S32, mul_hi), U(MUL_HI_U32, mul_hi), S(MUL_HI_S64, mul_hi), U(MUL_HI_U64, mul_hi),
    S(MUL_HI_S16, mul_hi), U(MUL_HI_U16, mul_hi),
    U(MAD_LO_U32, mad), U(MAD_LO_U64, mad), U(MAD_LO_U16, mad),
    S(MAD_WIDE_S32, mad), U(MAD_WIDE_U32, mad), S(MAD_WIDE_S16, mad), U(MAD_WIDE_U16, mad),
    S(MAD_HI_S32, mad_hi), U(MAD_HI_U32, mad_hi), S(MAD_HI_S64, mad_hi), U(MAD_HI_U64, mad_hi),
    S(MAD_HI_S16, mad_hi), U(MAD_HI_U16, mad_hi), S(MAD_HI_SAT_S32, mad_hi_sat),
    U(MAD_LO_CC_32, mad_lo_cc), U(MAD_LO_CC_64, mad_lo_cc),
    U(MAD_HI_CC_U32, mad_hi_cc), S(MAD_HI_CC_S32, mad_hi_cc),
    U(MAD_HI_CC_U64, mad_hi_cc), S(MAD_HI_CC_S64, mad_hi_cc),
    U(MADC_LO_32, mad_lo_c), U(MADC_LO_CC_32, mad_lo_c), U(MADC_LO_64, mad_lo_c),
    U(MADC_LO_CC_64, mad_lo_c), U(MADC_HI_U32, mad_hi_c), U(MADC_HI_CC_U32, mad_hi_c),
    S(MADC_HI_S32, mad_hi_c), S(MADC_HI_CC_S32, mad_hi_c), U(MADC_HI_U64, mad_hi_c),
    U(MADC_HI_CC_U64, mad_hi_c), S(MADC_HI_S64, mad_hi_c), S(MADC_HI_CC_S64, mad_hi_c),
    S(MUL24_LO_S32, mul24_lo), U(MUL24_LO_U32, mul24_lo), S(MUL24_HI_S32, mul24_hi),
    U(MUL24_HI_U32, mul24_hi), S(MAD24_LO_S32, mad24_lo), U(MAD24_LO_U32, mad24_lo),
    S(MAD24_HI_S32, mad24_hi), U(MAD24_HI_U32, mad24_hi), S(MAD24_HI_SAT_S32, mad24_hi_sat),
    U(SAD_U16, sad), S(SAD_S16, sad), U(SAD_U32, sad), S(SAD_S32, sad), U(SAD_U64, sad),
    S(SAD_S64, sad),
    S(DIV_S32, div), U(DIV_U32, div), S(DIV_S64, div), U(DIV_U64, div), S(DIV_S16, div),
    U(DIV_U16, div), S(REM_S32, rem), U(REM_U32, rem), S(REM_S64, rem), U(REM_U64, rem),
    S(REM_S16, rem), U(REM_U16, rem),
    S(ABS_S16, absolute), S(ABS_S32, absolute), S(ABS_S64, absolute),
    S(NEG_S16, negative), S(NEG_S32, negative), S(NEG_S64, negative),
    S(MIN_S32, min), U(MIN_U32, min), S(MIN_S64, min), U(MIN_U64, min), S(MIN_S16, min),
    U(MIN_U16, min), S(MAX_S32, max), U(MAX_U32, max), S(MAX_S64, max), U(MAX_U64, max),
    S(MAX_S16, max), U(MAX_U16, max),
    U(POPC_B32, popc), U(POPC_B64, popc), U(CLZ_B32, clz), U(CLZ_B64, clz),
    U(BFIND_U32, bfind), S(BFIND_S32, bfind), U(BFIND_U64, bfind), S(BFIND_S64, bfind),
    U(BFIND_SHIFTAMT_U32, bfind_shiftamt), S(BFIND_SHIFTAMT_S32, bfind_shiftamt),
    U(BFIND_SHIFTAMT_U64, bfind_shiftamt), S(BFIND_SHIFTAMT_S64, bfind_shiftamt),
    U(BREV_B32, brev), U(BREV_B64, brev),
    U(BFE_U32, bfe), S(BFE_S32, bfe), U(BFE_U64, bfe), S(BFE_S64, bfe),
    U(BMSK_CLAMP, bmsk_clamp), U(BMSK_WRAP, bmsk_wrap),
    U(SZEXT_CLAMP_U32, szext_clamp), S(SZEXT_CLAMP_S32, szext_clamp),
    U(SZEXT_WRAP_U32, szext_wrap), S(SZEXT_WRAP_S32, szext_wrap), U(FNS_B32, fns),
    U(DP4A_SS, dot_ss), U(DP4A_SU, dot_su), U(DP4A_US, dot_us), U(DP4A_UU, dot_uu),
    U(AND_B32, and), U(AND_B64, and), U(AND_B16, and), U(OR_B32, or), U(OR_B64, or), U(OR_B16, or),
    U(XOR_B32, xor), U(XOR_B64, xor), U(XOR_B16, xor), U(NOT_B32, not), U(NOT_B64, not),
    U(NOT_B16, not), U(CNOT_B32, cnot), U(CNOT_B64, cnot), U(CNOT_B16, cnot),
    U(SHL_B32, shl), U(SHL_B64, shl), U(SHL_B16, shl), U(SHR_U32, shr), S(SHR_S32, shr),
    U(SHR_U64, shr), S(SHR_S64, shr), U(SHR_U16, shr), S(SHR_S16, shr),
    U(SHF_L_WRAP, shf_l_wrap), U(SHF_R_WRAP, shf_r_wrap), U(SHF_L_CLAMP, shf_l_clamp),
    U(SHF_R_CLAMP, shf_r_clamp), U(PRMT_B32, prmt),
    U(MOV_B32, same), U(MOV_B64, same), U(CVT_COPY32, same), U(CVT_COPY64, same),
    S(CVT_S64_S32, same), U(CVT_U64_U32, same), U(CVT_U32_U64, same), U(CVT_U16_U32, same),
    U(CVT_U16_U64, same), U(CVT_U32_U16, same), S(CVT_S32_S16, same), U(CVT_U64_U16, same),
    S(CVT_S64_S16, same), S(CVT_S16_S8, same), U(CVT_U16_U8, same), S(CVT_S32_S8, same),
    U(CVT_U32_U8, same), S(CVT_S64_S8, same), U(CVT_U64_U8, same),
    SETP(EQ, eq), SETP(NE, ne), SETP(LT, lt), SETP(LE, le), SETP(GT, gt), SETP(GE, ge),
    {NULL, NULL, false, false},
};
/* clang-format on */
