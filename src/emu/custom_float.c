/* Arithmetic that is rare or has too many forms for EXEC rows: directed rounding, half precision,
 * saturation. One lane at a time through soft floating point, so that the result is exact in every
 * mode on every host. */
#include "emu/custom.h"
#include "emu/lanes.h"

/* d = f(a, b, c) in the operation's format, for both halves of a packed pair. */
typedef uint64_t (*float_fn)(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                             uint64_t c);

static void each_float(struct emu_warp *w, const struct op *op, uint32_t mask, float_fn fn)
{
    enum fp_format f = custom_format_of(op->type);
    bool wide = op->type == PTX_F64;
    EACH_LANE(i, mask)
    {
        uint64_t a = custom_get(w, op->a, i, wide), b = custom_get(w, op->b, i, wide),
                 c = custom_get(w, op->c, i, wide);
        uint64_t d;
        if (custom_is_pair(op->type))
            d = fn(op, f, a & 0xffff, b & 0xffff, c & 0xffff) | fn(op, f, a >> 16, b >> 16, c >> 16)
                                                                    << 16;
        else
            d = fn(op, f, a, b, c);
        custom_put(w, op->dst, i, wide, d);
    }
}

static uint64_t float_add(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_add(f, a, b, custom_mode_of(op));
}

static uint64_t float_sub(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_sub(f, a, b, custom_mode_of(op));
}

static uint64_t float_mul(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_mul(f, a, b, custom_mode_of(op));
}

static uint64_t float_fma(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = fp_fma(f, a, b, c, custom_mode_of(op));
    bool relu = op->extra; /* set by fma.relu, see lower_inst.c */
    return relu && custom_sign_of(f, d) && !fp_is_nan(f, d) ? 0 : d;
}

static uint64_t float_div(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_div(f, a, b, custom_mode_of(op));
}

static uint64_t float_rcp(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    uint64_t one = f == FP_F64 ? 0x3ff0000000000000ull : 0x3f800000ull;
    return fp_div(f, one, a, custom_mode_of(op));
}

static uint64_t float_sqrt(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                           uint64_t c)
{
    (void)b;
    (void)c;
    return fp_sqrt(f, a, custom_mode_of(op));
}

FN(ADD_ANY)
{
    each_float(w, op, mask, float_add);
}
FN(SUB_ANY)
{
    each_float(w, op, mask, float_sub);
}
FN(MUL_ANY)
{
    each_float(w, op, mask, float_mul);
}
FN(FMA_ANY)
{
    each_float(w, op, mask, float_fma);
}
FN(MAD_ANY)
{
    each_float(w, op, mask, float_fma);
}
FN(DIV_ANY)
{
    each_float(w, op, mask, float_div);
}
FN(RCP_ANY)
{
    each_float(w, op, mask, float_rcp);
}
FN(SQRT_ANY)
{
    each_float(w, op, mask, float_sqrt);
}

/* --- minimum and maximum with their modifiers --- */

static uint64_t canonical_nan(enum fp_format f)
{
    return f == FP_F64 ? NAN_BITS_F64 : f == FP_F32 ? NAN_BITS_F32 : 0x7fff;
}

static uint64_t float_extreme(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                              bool want_max)
{
    if (op->flags & OP_FTZ) {
        a = custom_flush(f, a);
        b = custom_flush(f, b);
    }
    bool a_nan = fp_is_nan(f, a), b_nan = fp_is_nan(f, b);
    if ((a_nan && b_nan) || (op->sub == PTX_MOD_NAN_NAN && (a_nan || b_nan)))
        return canonical_nan(f);
    if (a_nan || b_nan)
        return a_nan ? b : a;
    int order = fp_compare(f, a, b, false);
    bool a_less = order < 0 || (order == 0 && custom_sign_of(f, a) && !custom_sign_of(f, b));
    return a_less == want_max ? b : a;
}

/* .xorsign.abs: the extreme of the magnitudes, negative if the operands' signs differ. */
static uint64_t float_choose(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                             bool want_max)
{
    uint64_t sign = 1ull << custom_sign_bit(f);
    if (op->sub2 != PTX_MOD_XORSIGN_XORSIGN)
        return float_extreme(op, f, a, b, want_max);
    uint64_t d = float_extreme(op, f, a & ~sign, b & ~sign, want_max);
    return fp_is_nan(f, d) ? d : d | ((a ^ b) & sign);
}

static uint64_t float_min(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return float_choose(op, f, a, b, false);
}

static uint64_t float_max(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return float_choose(op, f, a, b, true);
}

/* For integers: pairs of halves, and .relu, where negative results become 0. */
static uint32_t int_extreme(const struct op *op, int32_t a, int32_t b, bool want_max)
{
    int32_t d = (a < b) == want_max ? b : a;
    bool relu = op->extra; /* see lower_inst.c */
    return relu && d < 0 ? 0 : (uint32_t)d;
}

static uint32_t pair_extreme(const struct op *op, uint32_t a, uint32_t b, bool want_max)
{
    uint32_t d = 0;
    for (uint32_t shift = 0; shift < 32; shift += 16) {
        uint16_t x = (uint16_t)(a >> shift), y = (uint16_t)(b >> shift);
        bool is_signed = op->type == PTX_S16X2;
        uint32_t part =
            int_extreme(op, is_signed ? (int16_t)x : x, is_signed ? (int16_t)y : y, want_max);
        d |= (part & 0xffff) << shift;
    }
    return d;
}

static void each_extreme(struct emu_warp *w, const struct op *op, uint32_t mask, bool want_max)
{
    if (ptx_types[op->type].kind == 'f') {
        each_float(w, op, mask, want_max ? float_max : float_min);
        return;
    }
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)custom_get(w, op->a, i, false),
                 b = (uint32_t)custom_get(w, op->b, i, false);
        custom_put(w, op->dst, i, false,
                   op->type == PTX_S32 ? int_extreme(op, (int32_t)a, (int32_t)b, want_max)
                                       : pair_extreme(op, a, b, want_max));
    }
}

FN(MIN_ANY)
{
    each_extreme(w, op, mask, false);
}

FN(MAX_ANY)
{
    each_extreme(w, op, mask, true);
}

/* --- half-precision special functions: the single-precision result, rounded --- */

static uint64_t through_f32(enum fp_format f, uint64_t a, float (*fn)(float))
{
    struct fp_mode nearest = {FP_RN, false, false};
    float x = lane_f32_of_bits((uint32_t)fp_convert(f, FP_F32, a, nearest));
    return fp_convert(FP_F32, f, lane_bits_f32(fn(x)), nearest);
}

static uint64_t float_ex2(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)op;
    (void)b;
    (void)c;
    return through_f32(f, a, lane_approx_ex2_f32);
}

static uint64_t float_tanh(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                           uint64_t c)
{
    (void)op;
    (void)b;
    (void)c;
    return through_f32(f, a, lane_approx_tanh_f32);
}

FN(EX2_ANY)
{
    each_float(w, op, mask, float_ex2);
}
FN(TANH_ANY)
{
    each_float(w, op, mask, float_tanh);
}
