/* References of the float rows; see lane_refs.h. */
#include "lane_refs.h"

#include <stddef.h>

#define F32 FP_F32
#define F64 FP_F64

/* A reference on the raw operands A, B, C in the mode M, once for each format F. */
#define REF(name, F, expr)                                                                         \
    static wide_int name##_##F(const struct lane_args *x, bool *carry)                             \
    {                                                                                              \
        const uint64_t A = x->a_bits, B = x->b_bits, C = x->c_bits;                                \
        const struct fp_mode M = x->mode;                                                          \
        (void)carry, (void)A, (void)B, (void)C, (void)M;                                           \
        return (wide_int)(expr);                                                                   \
    }
#define REFS(name, expr32, expr64) REF(name, F32, expr32) REF(name, F64, expr64)
#define REFS_OF(name, call, ...)   REFS(name, call(F32, __VA_ARGS__), call(F64, __VA_ARGS__))

static uint64_t one(enum fp_format f)
{
    return f == F32 ? 0x3f800000 : 0x3ff0000000000000;
}

static uint64_t sign_of(enum fp_format f)
{
    return f == F32 ? 0x80000000 : 0x8000000000000000;
}

/* x + (-0) is x itself, but flushed, and a canonical NaN. */
static uint64_t plain(enum fp_format f, uint64_t a, struct fp_mode m)
{
    return fp_add(f, a, sign_of(f), m);
}

static uint64_t reciprocal(enum fp_format f, uint64_t a, struct fp_mode m)
{
    return fp_div(f, one(f), a, m);
}

static uint64_t reciprocal_root(enum fp_format f, uint64_t a, struct fp_mode m)
{
    return fp_div(f, one(f), fp_sqrt(f, a, m), m);
}

/* A NaN loses; equal values are zeros of either sign or the same bits. */
static uint64_t chosen(enum fp_format f, uint64_t a, uint64_t b, int wanted)
{
    struct fp_mode m = {.round = FP_RN};
    if (fp_is_nan(f, a))
        return plain(f, b, m);
    int order = fp_is_nan(f, b) ? wanted : fp_compare(f, a, b, false);
    if (order == 0 && wanted < 0)
        return a & sign_of(f) ? a : b;
    if (order == 0)
        return a & sign_of(f) ? b : a;
    return order == wanted ? a : b;
}

REFS_OF(add, fp_add, A, B, M)
REFS_OF(sub, fp_sub, A, B, M)
REFS_OF(mul, fp_mul, A, B, M)
REFS_OF(div, fp_div, A, B, M)
REFS_OF(fma, fp_fma, A, B, C, M)
REFS_OF(sqrt, fp_sqrt, A, M)
REFS_OF(rcp, reciprocal, A, M)
REFS_OF(rsqrt, reciprocal_root, A, M)
REFS_OF(min, chosen, A, B, -1)
REFS_OF(max, chosen, A, B, 1)
REFS(absolute, A % 0x80000000, A % 0x8000000000000000)
REFS(negative, A ^ 0x80000000, A ^ 0x8000000000000000)
REFS(copysign, B % 0x80000000 + (A & 0x80000000), B % 0x8000000000000000 + (A & 0x8000000000000000))
REF(absolute_ftz, F32, A & 0x7f800000 ? A % 0x80000000 : 0)
REF(negative_ftz, F32, (A & 0x7f800000 ? A : A & 0x80000000) ^ 0x80000000)
REFS(from_s32, fp_from_int(F32, (uint64_t)(int32_t)A, true, M),
     fp_from_int(F64, (uint64_t)(int32_t)A, true, M))
REFS(from_unsigned, fp_from_int(F32, A, false, M), fp_from_int(F64, A, false, M))
REF(widen, F32, fp_convert(F32, F64, A, M))
REF(narrow, F64, fp_convert(F64, F32, A, M))
REFS(from_s64, fp_from_int(F32, A, true, M), fp_from_int(F64, A, true, M))
REF(from_s16, F32, fp_from_int(F32, (uint64_t)(int16_t)A, true, M))
/* Divisors above 2^126 have no normal reciprocal; div.approx takes it for 0. */
REF(approx_div, F32,
    B % 0x80000000 > 0x7e800000 && B % 0x80000000 < 0x7f800000 ? fp_mul(F32, A, B & 0x80000000, M)
                                                               : fp_div(F32, A, B, M))
REF(sat, F32, fp_add(F32, A, 0, (struct fp_mode){.round = FP_RN, .sat = true}))

#define ROUND(mode) ((struct fp_mode){.round = mode})
REFS(to_s32_rz, fp_to_int(F32, A, 32, true, ROUND(FP_RZ)),
     fp_to_int(F64, A, 32, true, ROUND(FP_RZ)))
REFS(to_u32_rz, fp_to_int(F32, A, 32, false, ROUND(FP_RZ)),
     fp_to_int(F64, A, 32, false, ROUND(FP_RZ)))
REF(to_s32_rn, F32, fp_to_int(F32, A, 32, true, ROUND(FP_RN)))
REF(to_s32_rm, F32, fp_to_int(F32, A, 32, true, ROUND(FP_RM)))
REF(to_s32_rp, F32, fp_to_int(F32, A, 32, true, ROUND(FP_RP)))
REF(to_s64_rz, F64, fp_to_int(F64, A, 64, true, ROUND(FP_RZ)))
REFS_OF(integral_rn, fp_round_integral, A, ROUND(FP_RN))
REFS_OF(integral_rz, fp_round_integral, A, ROUND(FP_RZ))
REFS_OF(integral_rm, fp_round_integral, A, ROUND(FP_RM))
REFS_OF(integral_rp, fp_round_integral, A, ROUND(FP_RP))

/* A comparison is one of less (-1), equal (0), greater (1) and unordered (2). */
#define COMPARISON(name, holds)                                                                    \
    static bool name(int order)                                                                    \
    {                                                                                              \
        return holds;                                                                              \
    }                                                                                              \
    REFS(name, name(fp_compare(F32, A, B, false)), name(fp_compare(F64, A, B, false)))
COMPARISON(eq, order == 0)
COMPARISON(ne, order == -1 || order == 1)
COMPARISON(lt, order == -1)
COMPARISON(le, order == -1 || order == 0)
COMPARISON(gt, order == 1)
COMPARISON(ge, order == 1 || order == 0)
COMPARISON(equ, order == 0 || order == 2)
COMPARISON(neu, order != 0)
COMPARISON(ltu, order == -1 || order == 2)
COMPARISON(leu, order != 1)
COMPARISON(gtu, order == 1 || order == 2)
COMPARISON(geu, order != -1)
COMPARISON(ordered, order != 2)
COMPARISON(unordered, order == 2)

#define P(row, ref)                                                                                \
    {                                                                                              \
#row, ref, false, false                                                                    \
    }
#define FTZ(row, ref)                                                                              \
    {                                                                                              \
#row, ref, false, true                                                                     \
    }
#define BOTH(row, ref) P(row##_F32, ref##_F32), P(row##_F64, ref##_F64)

/* clang-format off */
const struct lane_ref lane_refs_float[] = {
    BOTH(ADD, add), FTZ(ADD_F32_FTZ, add_F32), BOTH(SUB, sub), FTZ(SUB_F32_FTZ, sub_F32),
    BOTH(MUL, mul), FTZ(MUL_F32_FTZ, mul_F32), BOTH(DIV, div),
    P(DIV_APPROX_F32, approx_div_F32), FTZ(DIV_APPROX_FTZ_F32, approx_div_F32), P(DIV_FULL_F32, div_F32),
    FTZ(DIV_FULL_FTZ_F32, div_F32),
    BOTH(MAD, fma), BOTH(FMA, fma), FTZ(FMA_F32_FTZ, fma_F32),
    BOTH(RCP, rcp), P(RCP_APPROX_F32, rcp_F32), FTZ(RCP_APPROX_FTZ_F32, rcp_F32),
    BOTH(SQRT, sqrt), P(SQRT_APPROX_F32, sqrt_F32), FTZ(SQRT_APPROX_FTZ_F32, sqrt_F32),
    BOTH(RSQRT, rsqrt), FTZ(RSQRT_FTZ_F32, rsqrt_F32),
    BOTH(MIN, min), BOTH(MAX, max), BOTH(ABS, absolute), BOTH(NEG, negative),
    P(ABS_F32_FTZ, absolute_ftz_F32), P(NEG_F32_FTZ, negative_ftz_F32), BOTH(COPYSIGN, copysign),
    P(CVT_F32_S32, from_s32_F32), P(CVT_F32_U32, from_unsigned_F32), P(CVT_F64_S32, from_s32_F64),
    P(CVT_F64_U32, from_unsigned_F64), P(CVT_F64_F32, widen_F32), P(CVT_F32_F64, narrow_F64),
    P(CVT_F32_S16, from_s16_F32), P(CVT_F32_U16, from_unsigned_F32), P(CVT_F32_S64, from_s64_F32),
    P(CVT_F32_U64, from_unsigned_F32), P(CVT_F64_S64, from_s64_F64), P(CVT_F64_U64, from_unsigned_F64),
    P(CVT_RZI_S32_F32, to_s32_rz_F32), P(CVT_RNI_S32_F32, to_s32_rn_F32),
    P(CVT_RMI_S32_F32, to_s32_rm_F32), P(CVT_RPI_S32_F32, to_s32_rp_F32),
    P(CVT_RZI_U32_F32, to_u32_rz_F32), P(CVT_RZI_S32_F64, to_s32_rz_F64),
    P(CVT_RZI_U32_F64, to_u32_rz_F64), P(CVT_RZI_S64_F64, to_s64_rz_F64),
    BOTH(CVT_RNI, integral_rn), BOTH(CVT_RZI, integral_rz), BOTH(CVT_RMI, integral_rm),
    BOTH(CVT_RPI, integral_rp), P(CVT_SAT_F32, sat_F32),
    BOTH(SETP_EQ, eq), BOTH(SETP_NE, ne), BOTH(SETP_LT, lt), BOTH(SETP_LE, le), BOTH(SETP_GT, gt),
    BOTH(SETP_GE, ge), BOTH(SETP_EQU, equ), BOTH(SETP_NEU, neu), BOTH(SETP_LTU, ltu),
    BOTH(SETP_LEU, leu), BOTH(SETP_GTU, gtu), BOTH(SETP_GEU, geu), BOTH(SETP_NUM, ordered),
    BOTH(SETP_NAN, unordered),
    {NULL, NULL, false, false},
};
/* clang-format on */
