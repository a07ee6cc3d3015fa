/* Bit fields, permutations, video instructions, and moves with many forms. */
#include "emu/custom.h"
#include "emu/lanes.h"

/* --- bits --- */

FN(BFI_B32)
{
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)custom_get(w, op->a, i, false),
                 b = (uint32_t)custom_get(w, op->b, i, false);
        uint32_t pos = custom_get(w, op->c, i, false) & 0xff;
        uint32_t len = custom_get(w, w->emu->program->extra[op->extra], i, false) & 0xff;
        uint64_t field = pos > 31 ? 0 : (len > 31 ? 0xffffffffull : (1ull << len) - 1) << pos;
        custom_put(w, op->dst, i, false, (b & ~field) | (((uint64_t)a << (pos & 31)) & field));
    }
}

FN(BFI_B64)
{
    EACH_LANE(i, mask)
    {
        uint64_t a = custom_get(w, op->a, i, true), b = custom_get(w, op->b, i, true);
        uint32_t pos = custom_get(w, op->c, i, false) & 0xff;
        uint32_t len = custom_get(w, w->emu->program->extra[op->extra], i, false) & 0xff;
        uint64_t ones = len > 63 ? ~0ull : (1ull << len) - 1;
        uint64_t field = pos > 63 ? 0 : ones << pos;
        custom_put(w, op->dst, i, true, (b & ~field) | ((a << (pos & 63)) & field));
    }
}

FN(LOP3_B32)
{
    uint32_t table = (uint32_t)op->imm, nonzero = 0;
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)custom_get(w, op->a, i, false),
                 b = (uint32_t)custom_get(w, op->b, i, false);
        uint32_t c = (uint32_t)custom_get(w, op->c, i, false), d = 0;
        for (uint32_t k = 0; k < 8; k++)
            if (table >> k & 1)
                d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        custom_put(w, op->dst, i, false, d);
        nonzero |= (uint32_t)(d != 0) << i;
    }
    warp_set_pred(w, op->pdst, vec_combine(op->sub2, nonzero, warp_pred(w, op->psrc)), mask);
}

/* The selectors of prmt's special modes, by the low two bits of c, as nibbles for prmt. */
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
        uint32_t c = (uint32_t)custom_get(w, op->c, i, false) & 3;
        custom_put(w, op->dst, i, false,
                   lane_prmt_b32((uint32_t)custom_get(w, op->a, i, false),
                                 (uint32_t)custom_get(w, op->b, i, false),
                                 prmt_selectors(op->sub, c)));
    }
}

FN(DP2A_ANY)
{
    bool a_signed = op->type == PTX_S32, b_signed = op->type2 == PTX_S32;
    uint32_t shift = op->sub == PTX_MOD_HALF_HI ? 16 : 0;
    EACH_LANE(i, mask)
    {
        uint32_t a = (uint32_t)custom_get(w, op->a, i, false);
        uint32_t b = (uint32_t)custom_get(w, op->b, i, false) >> shift;
        uint32_t sum = (uint32_t)custom_get(w, op->c, i, false);
        for (uint32_t k = 0; k < 2; k++) {
            int32_t x = a_signed ? (int16_t)(a >> 16 * k) : (int32_t)(uint16_t)(a >> 16 * k);
            int32_t y = b_signed ? (int8_t)(b >> 8 * k) : (int32_t)(uint8_t)(b >> 8 * k);
            sum += (uint32_t)(x * y);
        }
        custom_put(w, op->dst, i, false, sum);
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
        uint32_t a = (uint32_t)custom_get(w, op->a, i, false),
                 b = (uint32_t)custom_get(w, op->b, i, false);
        uint32_t c = (uint32_t)custom_get(w, op->c, i, false), packed = 0;
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
        custom_put(w, op->dst, i, false, add ? c + (uint32_t)sum : packed);
    }
}

/* --- moves --- */

FN(MOV_ANY) /* lower_inst.c chooses a specific form for every mov */
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
            v |= (custom_get(w, rows[k], i, false) & part_mask) << (k * part_bits);
        custom_put(w, op->dst, i, wide, v);
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
        uint64_t v = custom_get(w, op->a, i, wide);
        for (uint32_t k = 0; k < op->vec; k++)
            custom_put(w, rows[k], i, false, v >> (k * part_bits) & part_mask);
    }
}

FN(MOV_FRAME)
{
    uint64_t at = w->frames[w->n_frames - 1].local_at + (uint64_t)op->imm;
    EACH_LANE(i, mask) custom_put(w, op->dst, i, op->flags & OP_DST64, at);
}

FN(MOV_PARAM)
{
    uint64_t at = w->emu->launch.params_address + (uint64_t)op->imm;
    EACH_LANE(i, mask) custom_put(w, op->dst, i, op->flags & OP_DST64, at);
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
        uint64_t a = custom_get(w, op->a, i, wide);
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
        default: /* const and param have no windows apart from global */
            yes = false;
        }
        bits |= (uint32_t)yes << i;
    }
    warp_set_pred(w, op->pdst, bits, mask);
}
