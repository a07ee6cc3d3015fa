/* Arithmetic that is rare or has too many forms for a row of its own: directed rounding, half
 * precision, saturation, conversions. One lane at a time through soft floating point, so that the
 * result is exact in every mode on every host. */
#include <string.h>

#include "base/softfp.h"
#include "emu/lanes.h"
#include "emu/vec.h"

#define FN(id) void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask)
#define EACH_LANE(i, mask)                                                                         \
    for (uint32_t m_ = (mask), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static uint64_t get(const struct emu_warp *w, uint32_t row, uint32_t lane, bool wide)
{
    return wide ? ((const uint64_t *)warp_row(w, row))[lane]
                : ((const uint32_t *)warp_row(w, row))[lane];
}

static void put(struct emu_warp *w, uint32_t row, uint32_t lane, bool wide, uint64_t v)
{
    if (wide)
        ((uint64_t *)warp_row(w, row))[lane] = v;
    else
        ((uint32_t *)warp_row(w, row))[lane] = (uint32_t)v;
}

static enum fp_format format_of(uint8_t type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return FP_F16;
    case PTX_BF16:
    case PTX_BF16X2:
        return FP_BF16;
    case PTX_F64:
        return FP_F64;
    default:
        return FP_F32;
    }
}

static bool is_pair(uint8_t type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

static struct fp_mode mode_of(const struct op *op)
{
    return (struct fp_mode){(enum fp_round)op->round, op->flags & OP_FTZ, op->flags & OP_SAT};
}

/* d = f(a, b, c) in the operation's format, both halves of a packed pair. */
typedef uint64_t (*float_fn)(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                             uint64_t c);

static void each_float(struct emu_warp *w, const struct op *op, uint32_t mask, float_fn fn)
{
    enum fp_format f = format_of(op->type);
    bool wide = op->type == PTX_F64;
    EACH_LANE(i, mask)
    {
        uint64_t a = get(w, op->a, i, wide), b = get(w, op->b, i, wide), c = get(w, op->c, i, wide);
        uint64_t d;
        if (is_pair(op->type))
            d = fn(op, f, a & 0xffff, b & 0xffff, c & 0xffff) | fn(op, f, a >> 16, b >> 16, c >> 16)
                                                                    << 16;
        else
            d = fn(op, f, a, b, c);
        put(w, op->dst, i, wide, d);
    }
}

static uint64_t float_add(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_add(f, a, b, mode_of(op));
}

static uint64_t float_sub(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_sub(f, a, b, mode_of(op));
}

static uint64_t float_mul(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_mul(f, a, b, mode_of(op));
}

static uint32_t sign_bit(enum fp_format f)
{
    return f == FP_F64 ? 63 : f == FP_F32 ? 31 : 15;
}

static bool sign_of(enum fp_format f, uint64_t a)
{
    return a >> sign_bit(f) & 1;
}

static uint64_t float_fma(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = fp_fma(f, a, b, c, mode_of(op));
    bool relu = op->extra; /* set by fma.relu, see lower_inst.c */
    return relu && sign_of(f, d) && !fp_is_nan(f, d) ? 0 : d;
}

static uint64_t float_div(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return fp_div(f, a, b, mode_of(op));
}

static uint64_t float_rcp(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    uint64_t one = f == FP_F64 ? 0x3ff0000000000000ull : 0x3f800000ull;
    return fp_div(f, one, a, mode_of(op));
}

static uint64_t float_sqrt(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                           uint64_t c)
{
    (void)b;
    (void)c;
    return fp_sqrt(f, a, mode_of(op));
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

static uint64_t flush(enum fp_format f, uint64_t a)
{
    uint64_t exponent = f == FP_F16 ? 0x7c00 : 0x7f800000;
    return (f != FP_F32 && f != FP_F16) || (a & exponent) ? a : a & 1ull << sign_bit(f);
}

static uint64_t float_extreme(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                              bool want_max)
{
    if (op->flags & OP_FTZ) {
        a = flush(f, a);
        b = flush(f, b);
    }
    bool a_nan = fp_is_nan(f, a), b_nan = fp_is_nan(f, b);
    if ((a_nan && b_nan) || (op->sub == PTX_MOD_NAN_NAN && (a_nan || b_nan)))
        return canonical_nan(f);
    if (a_nan || b_nan)
        return a_nan ? b : a;
    int order = fp_compare(f, a, b, false);
    bool a_less = order < 0 || (order == 0 && sign_of(f, a) && !sign_of(f, b));
    return a_less == want_max ? b : a;
}

/* .xorsign.abs: the extreme of the magnitudes, negative where the operands' signs differ. */
static uint64_t float_choose(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                             bool want_max)
{
    uint64_t sign = 1ull << sign_bit(f);
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

/* Of integers: pairs of halves, and with .relu, where negative results become 0. */
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
        uint32_t a = (uint32_t)get(w, op->a, i, false), b = (uint32_t)get(w, op->b, i, false);
        put(w, op->dst, i, false,
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

/* --- half-precision special functions: the single-precision one, rounded --- */

static uint64_t through_f32(enum fp_format f, uint64_t a, float (*fn)(float))
{
    struct fp_mode nearest = {FP_RN, false, false};
    float x = f32_of_bits((uint32_t)fp_convert(f, FP_F32, a, nearest));
    return fp_convert(FP_F32, f, bits_f32(fn(x)), nearest);
}

static uint64_t float_ex2(const struct op *op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    (void)op;
    (void)b;
    (void)c;
    return through_f32(f, a, approx_ex2_f32);
}

static uint64_t float_tanh(const struct op *op, enum fp_format f, uint64_t a, uint64_t b,
                           uint64_t c)
{
    (void)op;
    (void)b;
    (void)c;
    return through_f32(f, a, approx_tanh_f32);
}

FN(EX2_ANY)
{
    each_float(w, op, mask, float_ex2);
}
FN(TANH_ANY)
{
    each_float(w, op, mask, float_tanh);
}

/* --- comparison --- */

static int compare_values(uint8_t type, uint64_t a, uint64_t b, bool ftz)
{
    uint32_t unused = 64 - ptx_types[type].bits;
    switch (ptx_types[type].kind) {
    case 'f':
        return fp_compare(format_of(type), a, b, ftz);
    case 's': {
        int64_t x = (int64_t)(a << unused), y = (int64_t)(b << unused);
        return x < y ? -1 : x > y;
    }
    default:
        a <<= unused;
        b <<= unused;
        return a < b ? -1 : a > b;
    }
}

/* `order` as fp_compare() gives it: 2 = unordered. */
static bool comparison_holds(uint8_t cmp, int order)
{
    switch (cmp) {
    case PTX_MOD_CMP_EQ:
        return order == 0;
    case PTX_MOD_CMP_NE:
        return order == -1 || order == 1;
    case PTX_MOD_CMP_LT:
    case PTX_MOD_CMP_LO:
        return order == -1;
    case PTX_MOD_CMP_LE:
    case PTX_MOD_CMP_LS:
        return order == -1 || order == 0;
    case PTX_MOD_CMP_GT:
    case PTX_MOD_CMP_HI:
        return order == 1;
    case PTX_MOD_CMP_GE:
    case PTX_MOD_CMP_HS:
        return order == 1 || order == 0;
    case PTX_MOD_CMP_EQU:
        return order == 0 || order == 2;
    case PTX_MOD_CMP_NEU:
        return order != 0;
    case PTX_MOD_CMP_LTU:
        return order == -1 || order == 2;
    case PTX_MOD_CMP_LEU:
        return order != 1;
    case PTX_MOD_CMP_GTU:
        return order == 1 || order == 2;
    case PTX_MOD_CMP_GEU:
        return order != -1;
    case PTX_MOD_CMP_NUM:
        return order != 2;
    default: /* NAN */
        return order == 2;
    }
}

static uint32_t compare_lanes(struct emu_warp *w, const struct op *op, uint32_t mask, uint8_t type,
                              uint32_t shift)
{
    bool wide = ptx_types[type].bits == 64;
    uint8_t part = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
    uint32_t bits = 0;
    EACH_LANE(i, mask)
    {
        uint64_t a = get(w, op->a, i, wide) >> shift, b = get(w, op->b, i, wide) >> shift;
        if (is_pair(type)) {
            a &= 0xffff;
            b &= 0xffff;
        }
        int order = compare_values(part, a, b, op->flags & OP_FTZ);
        bits |= (uint32_t)comparison_holds(op->sub, order) << i;
    }
    return bits;
}

FN(SETP_ANY)
{
    uint32_t with = warp_pred(w, op->psrc);
    uint32_t first = compare_lanes(w, op, mask, op->type, 0);
    /* p|q of a packed comparison are the two halves; of another, a result and its opposite. */
    uint32_t second = is_pair(op->type) ? compare_lanes(w, op, mask, op->type, 16) : ~first;
    warp_set_pred(w, op->pdst, vec_combine(op->sub2, first, with), mask);
    warp_set_pred(w, op->pdst2, vec_combine(op->sub2, second, with), mask);
}

FN(SET_ANY)
{
    uint32_t with = warp_pred(w, op->psrc);
    uint32_t low = vec_combine(op->sub2, compare_lanes(w, op, mask, op->type2, 0), with);
    uint32_t high = is_pair(op->type2)
                        ? vec_combine(op->sub2, compare_lanes(w, op, mask, op->type2, 16), with)
                        : 0;
    EACH_LANE(i, mask)
    {
        uint32_t yes = low >> i & 1, yes_high = high >> i & 1, v;
        switch (op->type) {
        case PTX_F32:
            v = yes ? 0x3f800000u : 0;
            break;
        case PTX_F16:
            v = yes ? 0x3c00u : 0;
            break;
        case PTX_BF16:
            v = yes ? 0x3f80u : 0;
            break;
        case PTX_F16X2:
            v = (yes ? 0x3c00u : 0) | (yes_high ? 0x3c000000u : 0);
            break;
        case PTX_BF16X2:
            v = (yes ? 0x3f80u : 0) | (yes_high ? 0x3f800000u : 0);
            break;
        default:
            v = is_pair(op->type2) ? (yes ? 0xffffu : 0) | (yes_high ? 0xffff0000u : 0)
                                   : (yes ? ~0u : 0);
        }
        put(w, op->dst, i, false, op->flags & OP_DST16 ? (uint16_t)v : v);
    }
}

FN(SLCT_ANY)
{
    bool wide = op->flags & OP_DST64;
    EACH_LANE(i, mask)
    {
        uint32_t c = (uint32_t)get(w, op->c, i, false);
        bool first = (int32_t)c >= 0;
        if (op->type2 == PTX_F32) { /* -0 counts as 0; NaN selects the second */
            if (op->flags & OP_FTZ)
                c = (uint32_t)flush(FP_F32, c);
            first = f32_of_bits(c) >= 0.0f;
        }
        put(w, op->dst, i, wide, get(w, first ? op->a : op->b, i, wide));
    }
}

FN(TESTP_ANY)
{
    bool wide = op->type == PTX_F64;
    uint64_t exponent_mask = wide ? 0x7ff0000000000000ull : 0x7f800000ull;
    uint64_t mantissa_mask = wide ? 0x000fffffffffffffull : 0x007fffffull;
    uint32_t bits = 0;
    EACH_LANE(i, mask)
    {
        uint64_t a = get(w, op->a, i, wide);
        uint64_t exponent = a & exponent_mask, mantissa = a & mantissa_mask;
        bool special = exponent == exponent_mask, zero = !exponent && !mantissa, yes;
        switch (op->sub) {
        case PTX_MOD_TESTP_FINITE:
            yes = !special;
            break;
        case PTX_MOD_TESTP_INFINITE:
            yes = special && !mantissa;
            break;
        case PTX_MOD_TESTP_NUMBER:
            yes = !(special && mantissa);
            break;
        case PTX_MOD_TESTP_NOTANUMBER:
            yes = special && mantissa;
            break;
        case PTX_MOD_TESTP_NORMAL:
            yes = zero || (!special && exponent); /* PTX counts zeros among the normal numbers */
            break;
        default:
            yes = !exponent && mantissa;
        }
        bits |= (uint32_t)yes << i;
    }
    warp_set_pred(w, op->pdst, bits, mask);
}

/* --- conversions --- */

static uint64_t extend_int(uint8_t type, uint64_t v)
{
    uint32_t unused = 64 - ptx_types[type].bits;
    v <<= unused;
    return ptx_types[type].kind == 's' ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

/* Clamps an integer of type `from` to what type `to` can hold. */
static uint64_t clamp_int(uint8_t to, uint8_t from, uint64_t v)
{
    bool from_signed = ptx_types[from].kind == 's', to_signed = ptx_types[to].kind == 's';
    uint32_t bits = ptx_types[to].bits;
    uint64_t max = to_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (from_signed && (int64_t)v < 0) {
        int64_t min = to_signed ? (bits == 64 ? INT64_MIN : -(int64_t)(1ull << (bits - 1))) : 0;
        return (int64_t)v < min ? (uint64_t)min : v;
    }
    return v > max ? max : v;
}

/* A float with 10 fraction bits in the place of one with 23. */
static uint64_t to_tf32(uint64_t a, enum fp_round round)
{
    uint64_t dropped = 0x1fff, half = 0x1000;
    if (fp_is_nan(FP_F32, a))
        return NAN_BITS_F32;
    if (round == FP_RNA)
        a += half;
    else if (round == FP_RN)
        a += half - 1 + (a >> 13 & 1);
    return a & ~dropped;
}

static uint64_t convert(const struct op *op, uint64_t v)
{
    uint8_t to = op->type, from = op->type2;
    bool to_float = ptx_types[to].kind == 'f', from_float = ptx_types[from].kind == 'f';
    struct fp_mode mode = mode_of(op);
    if (!from_float) {
        v = extend_int(from, v);
        if (to_float)
            return fp_from_int(format_of(to), v, ptx_types[from].kind == 's', mode);
        return op->flags & OP_SAT ? clamp_int(to, from, v) : v;
    }
    if (!to_float)
        return fp_to_int(format_of(from), v, ptx_types[to].bits, ptx_types[to].kind == 's', mode);
    bool integral = op->sub == PTX_MOD_RNDI_RNI || op->sub == PTX_MOD_RNDI_RZI ||
                    op->sub == PTX_MOD_RNDI_RMI || op->sub == PTX_MOD_RNDI_RPI;
    if (to == from && integral)
        return fp_round_integral(format_of(to), v, mode);
    if (to == PTX_TF32)
        return to_tf32(v, mode.round);
    return fp_convert(format_of(from), format_of(to), v, mode);
}

/* The same with .relu, of a pair where there are two sources. */
static uint64_t convert_all(const struct op *op, uint64_t a, uint64_t b)
{
    enum fp_format f = format_of(op->type);
    uint64_t d = convert(op, a);
    bool relu = op->extra; /* see lower_inst.c */
    if (relu && sign_of(f, d) && !fp_is_nan(f, d))
        d = 0;
    if (op->vec == 1)
        return d;
    struct op single = *op;
    single.vec = 1;
    return d << 16 | convert_all(&single, b, 0);
}

FN(CVT_ANY)
{
    bool wide_dst = op->flags & OP_DST64, wide_src = op->flags & OP_SRC64;
    bool is_int = ptx_types[op->type].kind != 'f';
    EACH_LANE(i, mask)
    {
        uint64_t b = op->vec == 2 ? get(w, op->b, i, false) : 0;
        uint64_t v = convert_all(op, get(w, op->a, i, wide_src), b);
        if (is_int)
            v = extend_int(op->type, v); /* the register may be wider than the type */
        put(w, op->dst, i, wide_dst, op->flags & OP_DST16 ? (uint16_t)v : v);
    }
}

/* --- bits --- */

FN(BFI_B32)
{
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)get(w, op->a, i, false), b = (uint32_t)get(w, op->b, i, false);
        uint32_t pos = get(w, op->c, i, false) & 0xff;
        uint32_t len = get(w, w->emu->program->extra[op->extra], i, false) & 0xff;
        uint64_t field = pos > 31 ? 0 : (len > 31 ? 0xffffffffull : (1ull << len) - 1) << pos;
        put(w, op->dst, i, false, (b & ~field) | (((uint64_t)a << (pos & 31)) & field));
    }
}

FN(BFI_B64)
{
    EACH_LANE(i, mask)
    {
        uint64_t a = get(w, op->a, i, true), b = get(w, op->b, i, true);
        uint32_t pos = get(w, op->c, i, false) & 0xff;
        uint32_t len = get(w, w->emu->program->extra[op->extra], i, false) & 0xff;
        uint64_t ones = len > 63 ? ~0ull : (1ull << len) - 1;
        uint64_t field = pos > 63 ? 0 : ones << pos;
        put(w, op->dst, i, true, (b & ~field) | ((a << (pos & 63)) & field));
    }
}

FN(LOP3_B32)
{
    uint32_t table = (uint32_t)op->imm, nonzero = 0;
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)get(w, op->a, i, false), b = (uint32_t)get(w, op->b, i, false);
        uint32_t c = (uint32_t)get(w, op->c, i, false), d = 0;
        for (uint32_t k = 0; k < 8; k++)
            if (table >> k & 1)
                d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        put(w, op->dst, i, false, d);
        nonzero |= (uint32_t)(d != 0) << i;
    }
    warp_set_pred(w, op->pdst, vec_combine(op->sub2, nonzero, warp_pred(w, op->psrc)), mask);
}

/* The selectors of prmt's special modes, per low two bits of c, as prmt's own nibbles. */
static uint32_t prmt_selectors(uint8_t mode, uint32_t k)
{
    static const uint16_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
    static const uint16_t b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const uint16_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
    static const uint16_t ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const uint16_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210};
    static const uint16_t rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
    switch (mode) {
    case PTX_MOD_PRMT_F4E:
        return f4e[k];
    case PTX_MOD_PRMT_B4E:
        return b4e[k];
    case PTX_MOD_PRMT_RC8:
        return rc8[k];
    case PTX_MOD_PRMT_ECL:
        return ecl[k];
    case PTX_MOD_PRMT_ECR:
        return ecr[k];
    default:
        return rc16[k];
    }
}

FN(PRMT_ANY)
{
    EACH_LANE(i, mask)
    {
        uint32_t c = (uint32_t)get(w, op->c, i, false) & 3;
        put(w, op->dst, i, false,
            prmt_b32((uint32_t)get(w, op->a, i, false), (uint32_t)get(w, op->b, i, false),
                     prmt_selectors(op->sub, c)));
    }
}

FN(DP2A_ANY)
{
    bool a_signed = op->type == PTX_S32, b_signed = op->type2 == PTX_S32;
    uint32_t shift = op->sub == PTX_MOD_HALF_HI ? 16 : 0;
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)get(w, op->a, i, false);
        uint32_t b = (uint32_t)get(w, op->b, i, false) >> shift;
        uint32_t sum = (uint32_t)get(w, op->c, i, false);
        for (uint32_t k = 0; k < 2; k++) {
            int32_t x = a_signed ? (int16_t)(a >> 16 * k) : (int32_t)(uint16_t)(a >> 16 * k);
            int32_t y = b_signed ? (int8_t)(b >> 8 * k) : (int32_t)(uint8_t)(b >> 8 * k);
            sum += (uint32_t)(x * y);
        }
        put(w, op->dst, i, false, sum);
    }
}

/* --- video: four bytes at a time --- */

static int32_t video_byte(enum ptx_opcode what, int32_t x, int32_t y)
{
    switch (what) {
    case PTX_OP_VADD4:
        return x + y;
    case PTX_OP_VSUB4:
        return x - y;
    case PTX_OP_VAVRG4: /* rounds away from zero for sums of either sign */
        return (x + y + (x + y >= 0)) >> 1;
    case PTX_OP_VMIN4:
        return x < y ? x : y;
    case PTX_OP_VMAX4:
        return x > y ? x : y;
    default: /* VABSDIFF4 */
        return x < y ? y - x : x - y;
    }
}

static int32_t saturate_byte(int32_t v, bool is_signed)
{
    int32_t min = is_signed ? -128 : 0, max = is_signed ? 127 : 255;
    return v < min ? min : v > max ? max : v;
}

FN(VIDEO4_ANY)
{
    const struct ptx_inst *inst = w->emu->program->info[op - w->code].inst;
    bool d_signed = op->type == PTX_S32, a_signed = op->type2 == PTX_S32;
    bool b_signed = inst->types[2] == PTX_S32;
    bool add = ptx_inst_mod(inst, PTX_GROUP_VIDEO) == PTX_MOD_VIDEO_ADD;
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)get(w, op->a, i, false), b = (uint32_t)get(w, op->b, i, false);
        uint32_t c = (uint32_t)get(w, op->c, i, false), packed = 0;
        int32_t sum = 0;
        for (uint32_t k = 0; k < 4; k++) {
            uint8_t ab = (uint8_t)(a >> 8 * k), bb = (uint8_t)(b >> 8 * k);
            int32_t v =
                video_byte(inst->op, a_signed ? (int8_t)ab : ab, b_signed ? (int8_t)bb : bb);
            if (op->flags & OP_SAT)
                v = saturate_byte(v, d_signed);
            sum += add && !(op->flags & OP_SAT) ? v : d_signed ? (int8_t)v : (uint8_t)v;
            packed |= (uint32_t)(uint8_t)v << 8 * k;
        }
        put(w, op->dst, i, false, add ? c + (uint32_t)sum : packed);
    }
}

/* --- moves --- */

FN(MOV_ANY) /* lower_inst.c chooses a precise form for every mov */
{
    emu_fault(w, FAULT_REFUSED, (uint32_t)__builtin_ctz(mask), "a mov of an unknown form");
    (void)op;
}

FN(MOV_PACK)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    bool wide = op->flags & OP_SRC64;
    uint32_t part_bits = op->width * 8u;
    uint64_t part_mask = (1ull << part_bits) - 1; /* parts are at most 32 bits wide */
    EACH_LANE(i, mask)
    {
        uint64_t v = 0;
        for (uint32_t k = 0; k < op->vec; k++)
            v |= (get(w, rows[k], i, false) & part_mask) << (k * part_bits);
        put(w, op->dst, i, wide, v);
    }
}

FN(MOV_UNPACK)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    bool wide = op->flags & OP_SRC64;
    uint32_t part_bits = op->width * 8u;
    uint64_t part_mask = (1ull << part_bits) - 1;
    EACH_LANE(i, mask)
    {
        uint64_t v = get(w, op->a, i, wide);
        for (uint32_t k = 0; k < op->vec; k++)
            put(w, rows[k], i, false, v >> (k * part_bits) & part_mask);
    }
}

FN(MOV_FRAME)
{
    uint64_t at = w->frames[w->n_frames - 1].local_at + (uint64_t)op->imm;
    EACH_LANE(i, mask) put(w, op->dst, i, op->flags & OP_DST64, at);
}

FN(MOV_PARAM)
{
    uint64_t at = w->emu->launch.params_address + (uint64_t)op->imm;
    EACH_LANE(i, mask) put(w, op->dst, i, op->flags & OP_DST64, at);
}

FN(CVTA_ANY) /* lowered to an addition or a move */
{
    emu_fault(w, FAULT_REFUSED, (uint32_t)__builtin_ctz(mask), "a cvta of an unknown form");
    (void)op;
}

FN(ISSPACEP_ANY)
{
    bool wide = op->flags & OP_SRC64;
    uint32_t bits = 0;
    EACH_LANE(i, mask)
    {
        uint64_t a = get(w, op->a, i, wide);
        bool shared = a >= GENERIC_SHARED_BASE && a < GENERIC_LOCAL_BASE;
        bool local = a >= GENERIC_LOCAL_BASE && a < GENERIC_LOCAL_END;
        bool yes;
        switch (op->sub) {
        case PTX_MOD_SPACE_SHARED:
        case PTX_MOD_SPACE_SHARED_CTA:
            yes = shared;
            break;
        case PTX_MOD_SPACE_LOCAL:
            yes = local;
            break;
        case PTX_MOD_SPACE_GLOBAL:
            yes = !shared && !local;
            break;
        default: /* const and param windows do not exist apart from global */
            yes = false;
        }
        bits |= (uint32_t)yes << i;
    }
    warp_set_pred(w, op->pdst, bits, mask);
}
