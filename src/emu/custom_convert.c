/* Comparisons and conversions between all types, one lane at a time. */
#include "emu/custom.h"
#include "emu/lanes.h"

/* --- comparison --- */

static int compare_values(uint8_t type, uint64_t a, uint64_t b, bool ftz)
{
    uint32_t unused = 64 - ptx_types[type].bits;
    switch (ptx_types[type].kind) {
    case 'f':
        return fp_compare(custom_format_of(type), a, b, ftz);
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

/* `order` is the result of fp_compare(): 2 = unordered. */
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
        uint64_t a = custom_get(w, op->a, i, wide) >> shift,
                 b = custom_get(w, op->b, i, wide) >> shift;
        if (custom_is_pair(type)) {
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
    /* p|q of a packed comparison are the two halves; otherwise a result and its negation. */
    uint32_t second = custom_is_pair(op->type) ? compare_lanes(w, op, mask, op->type, 16) : ~first;
    warp_set_pred(w, op->pdst, vec_combine(op->sub2, first, with), mask);
    warp_set_pred(w, op->pdst2, vec_combine(op->sub2, second, with), mask);
}

FN(SET_ANY)
{
    uint32_t with = warp_pred(w, op->psrc);
    uint32_t low = vec_combine(op->sub2, compare_lanes(w, op, mask, op->type2, 0), with);
    uint32_t high = custom_is_pair(op->type2)
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
            v = custom_is_pair(op->type2) ? (yes ? 0xffffu : 0) | (yes_high ? 0xffff0000u : 0)
                                          : (yes ? ~0u : 0);
        }
        custom_put(w, op->dst, i, false, op->flags & OP_DST16 ? (uint16_t)v : v);
    }
}

FN(SLCT_ANY)
{
    bool wide = op->flags & OP_DST64;
    EACH_LANE(i, mask)
    {
        uint32_t c = (uint32_t)custom_get(w, op->c, i, false);
        bool first = (int32_t)c >= 0;
        if (op->type2 == PTX_F32) { /* -0 counts as 0; NaN selects the second */
            if (op->flags & OP_FTZ)
                c = (uint32_t)custom_flush(FP_F32, c);
            first = lane_f32_of_bits(c) >= 0.0f;
        }
        custom_put(w, op->dst, i, wide, custom_get(w, first ? op->a : op->b, i, wide));
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
        uint64_t a = custom_get(w, op->a, i, wide);
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

/* A float with 10 fraction bits in the format of one with 23. */
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
    struct fp_mode mode = custom_mode_of(op);
    if (!from_float) {
        v = extend_int(from, v);
        if (to_float)
            return fp_from_int(custom_format_of(to), v, ptx_types[from].kind == 's', mode);
        return op->flags & OP_SAT ? clamp_int(to, from, v) : v;
    }
    if (!to_float)
        return fp_to_int(custom_format_of(from), v, ptx_types[to].bits, ptx_types[to].kind == 's',
                         mode);
    bool integral = op->sub == PTX_MOD_RNDI_RNI || op->sub == PTX_MOD_RNDI_RZI ||
                    op->sub == PTX_MOD_RNDI_RMI || op->sub == PTX_MOD_RNDI_RPI;
    if (to == from && integral)
        return fp_round_integral(custom_format_of(to), v, mode);
    if (to == PTX_TF32)
        return to_tf32(v, mode.round);
    return fp_convert(custom_format_of(from), custom_format_of(to), v, mode);
}

/* The same with .relu, and for a pair if there are two sources. */
static uint64_t convert_all(const struct op *op, uint64_t a, uint64_t b)
{
    enum fp_format f = custom_format_of(op->type);
    uint64_t d = convert(op, a);
    bool relu = op->extra; /* see lower_inst.c */
    if (relu && custom_sign_of(f, d) && !fp_is_nan(f, d))
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
        uint64_t b = op->vec == 2 ? custom_get(w, op->b, i, false) : 0;
        uint64_t v = convert_all(op, custom_get(w, op->a, i, wide_src), b);
        if (is_int)
            v = extend_int(op->type, v); /* the register may be wider than the type */
        custom_put(w, op->dst, i, wide_dst, op->flags & OP_DST16 ? (uint16_t)v : v);
    }
}
