/* Lowering of instructions: selects how each is executed and resolves its operands. */
#include <string.h>

#include "base/softfp.h"
#include "ptx/exec_match.h"
#include "ptx/lower.h"

static const struct ptx_operand *operand(const struct lowerer *l, uint32_t i)
{
    return &l->inst->operands[i];
}

static enum ptx_type type_of(const struct lowerer *l, uint32_t i)
{
    return i < l->inst->n_types ? (enum ptx_type)l->inst->types[i] : PTX_NO_TYPE;
}

static uint32_t bits_of(const struct lowerer *l, uint32_t i)
{
    return ptx_types[type_of(l, i)].bits;
}

static void set_exec(struct lowerer *l, enum exec_id id)
{
    l->info->exec_id = (uint16_t)id;
}

/* The modifier that selects a variant of the instruction. */
static enum ptx_mod selecting_mod(const struct ptx_inst *inst)
{
    static const uint8_t groups[] = {
        PTX_GROUP_ATOMOP, PTX_GROUP_SHFL, PTX_GROUP_VOTE,  PTX_GROUP_MATCH, PTX_GROUP_REDUX,
        PTX_GROUP_CMP,    PTX_GROUP_BAR,  PTX_GROUP_TESTP, PTX_GROUP_PRMT,  PTX_GROUP_HALF,
        PTX_GROUP_VIDEO,  PTX_GROUP_RNDI, PTX_GROUP_SPACE, PTX_GROUP_NAN};
    for (uint32_t i = 0; i < sizeof groups; i++) {
        enum ptx_mod m = ptx_inst_mod(inst, groups[i]);
        if (m != PTX_NO_MOD)
            return m;
    }
    return PTX_NO_MOD;
}

static enum fp_round rounding(const struct ptx_inst *inst)
{
    switch (ptx_inst_mod(inst, PTX_GROUP_RND)) {
    case PTX_MOD_RND_RZ:
        return FP_RZ;
    case PTX_MOD_RND_RM:
        return FP_RM;
    case PTX_MOD_RND_RP:
        return FP_RP;
    case PTX_MOD_RND_RNA:
        return FP_RNA;
    default:
        break;
    }
    switch (ptx_inst_mod(inst, PTX_GROUP_RNDI)) {
    case PTX_MOD_RNDI_RZI:
        return FP_RZ;
    case PTX_MOD_RNDI_RMI:
        return FP_RM;
    case PTX_MOD_RNDI_RPI:
        return FP_RP;
    default:
        return FP_RN;
    }
}

static void lower_common(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    struct op *op = l->op;
    op->klass = (uint8_t)ptx_inst_class(inst);
    op->guard = OP_NO_PRED;
    if (inst->guard) {
        struct ptx_operand guard = {
            .kind = PTX_OPERAND_REG, .reg = inst->guard, .negated = inst->guard_negated};
        op->guard = lower_pred_src(l, &guard);
    }
    op->pdst = op->pdst2 = (uint16_t)(l->alloc->n_preds + FRAME_PRED_SCRATCH);
    op->psrc = (uint16_t)(l->alloc->n_preds + FRAME_PRED_TRUE);
    op->type = (uint8_t)type_of(l, 0);
    op->type2 = (uint8_t)type_of(l, 1);
    op->vec = 1;
    op->sub = (uint8_t)selecting_mod(inst);
    op->sub2 = (uint8_t)ptx_inst_mod(inst, PTX_GROUP_BOOL);
    if (ptx_inst_mod(inst, PTX_GROUP_XORSIGN) != PTX_NO_MOD)
        op->sub2 = PTX_MOD_XORSIGN_XORSIGN;
    op->round = (uint8_t)rounding(inst);
    if (ptx_inst_mod(inst, PTX_GROUP_FTZ))
        op->flags |= OP_FTZ;
    if (ptx_inst_mod(inst, PTX_GROUP_SAT))
        op->flags |= OP_SAT;
    if (ptx_inst_mod(inst, PTX_GROUP_CC) == PTX_MOD_CC_CC)
        op->flags |= OP_SETS_CC;
}

/* d = f(a, b, c): the sources' widths follow from the shape of the row. */
static void lower_arithmetic(struct lowerer *l, const struct exec_row *row)
{
    const struct ptx_inst *inst = l->inst;
    bool custom = strcmp(row->shape, "CUSTOM") == 0;
    uint32_t ts = custom ? bits_of(l, 0) : exec_type_bits(row->ts);
    uint32_t td = custom ? bits_of(l, 0) : exec_type_bits(row->td);
    enum ptx_type type = type_of(l, inst->n_types ? inst->n_types - 1 : 0);
    uint32_t bits[3] = {ts, ts, ts};
    if (strcmp(row->shape, "SHIFT") == 0)
        bits[1] = 32;
    if (strcmp(row->shape, "TERW") == 0)
        bits[2] = td;
    if (strcmp(row->shape, "TER64_32") == 0)
        bits[0] = 64;
    uint32_t *rows[3] = {&l->op->a, &l->op->b, &l->op->c};
    l->op->dst = lower_dst(l, operand(l, 0), td);
    for (uint32_t i = 1; i < inst->n_operands && i <= 3; i++)
        *rows[i - 1] = lower_src(l, operand(l, i), bits[i - 1], type);
    if (td == 64)
        l->op->flags |= OP_DST64;
    if (ptx_inst_mod(inst, PTX_GROUP_RELU) == PTX_MOD_RELU_RELU) {
        bool fits = inst->op == PTX_OP_FMA
                        ? ptx_types[type].bits == 16 || type == PTX_F16X2 || type == PTX_BF16X2
                        : type == PTX_S32 || type == PTX_S16X2;
        if (!fits)
            lower_error(l, "'%s.relu' has no form for '.%s'", ptx_insts[inst->op].text,
                        ptx_types[type].text);
        l->op->extra = 1; /* negative results become 0 */
    }
    enum ptx_mod second = ptx_inst_mod(inst, PTX_GROUP_VIDEO);
    if (second == PTX_MOD_VIDEO_MIN || second == PTX_MOD_VIDEO_MAX)
        lower_error(l, "'%s' has no form with .%s", ptx_insts[inst->op].text,
                    ptx_mods[second].text);
}

static void lower_pred_logic(struct lowerer *l)
{
    l->op->pdst = lower_pred_dst(l, operand(l, 0));
    l->op->a = lower_pred_src(l, operand(l, 1));
    if (l->inst->n_operands > 2)
        l->op->b = lower_pred_src(l, operand(l, 2));
}

/* A destination that may be `d|p`. */
static void lower_dst_pair(struct lowerer *l, const struct ptx_operand *o, uint32_t bits)
{
    if (o->kind == PTX_OPERAND_PAIR) {
        l->op->dst = lower_dst(l, &o->items[0], bits);
        l->op->pdst = lower_pred_dst(l, &o->items[1]);
    } else {
        l->op->dst = lower_dst(l, o, bits);
    }
}

static void lower_setp(struct lowerer *l)
{
    const struct ptx_operand *d = operand(l, 0);
    if (d->kind == PTX_OPERAND_PAIR) {
        l->op->pdst = lower_pred_dst(l, &d->items[0]);
        l->op->pdst2 = lower_pred_dst(l, &d->items[1]);
    } else {
        l->op->pdst = lower_pred_dst(l, d);
    }
    uint32_t bits = bits_of(l, 0);
    l->op->a = lower_src(l, operand(l, 1), bits, type_of(l, 0));
    l->op->b = lower_src(l, operand(l, 2), bits, type_of(l, 0));
    if (l->inst->n_operands > 3)
        l->op->psrc = lower_pred_src(l, operand(l, 3));
}

static void lower_set(struct lowerer *l)
{
    uint32_t bits = bits_of(l, 1);
    if (bits_of(l, 0) == 64)
        lower_error(l, "set has no form with a result of 64 bits");
    if (bits_of(l, 0) == 16)
        l->op->flags |= OP_DST16;
    l->op->dst = lower_dst(l, operand(l, 0), bits_of(l, 0));
    l->op->a = lower_src(l, operand(l, 1), bits, type_of(l, 1));
    l->op->b = lower_src(l, operand(l, 2), bits, type_of(l, 1));
    if (l->inst->n_operands > 3)
        l->op->psrc = lower_pred_src(l, operand(l, 3));
}

static void lower_selp(struct lowerer *l)
{
    uint32_t bits = bits_of(l, 0);
    l->op->dst = lower_dst(l, operand(l, 0), bits);
    l->op->a = lower_src(l, operand(l, 1), bits, type_of(l, 0));
    l->op->b = lower_src(l, operand(l, 2), bits, type_of(l, 0));
    l->op->psrc = lower_pred_src(l, operand(l, 3));
}

static void lower_slct(struct lowerer *l)
{
    uint32_t bits = bits_of(l, 0);
    l->op->dst = lower_dst(l, operand(l, 0), bits);
    l->op->a = lower_src(l, operand(l, 1), bits, type_of(l, 0));
    l->op->b = lower_src(l, operand(l, 2), bits, type_of(l, 0));
    l->op->c = lower_src(l, operand(l, 3), 32, type_of(l, 1));
    if (bits == 64)
        l->op->flags |= OP_DST64;
}

/* --- mov --- */

static void lower_mov_address(struct lowerer *l, const struct ptx_operand *src, uint32_t bits)
{
    uint64_t address;
    bool in_frame;
    if (!lower_var_address(l, src->var, &address, &in_frame)) {
        lower_error(l, "'%s' has no address", src->var->name);
        return;
    }
    const struct ptx_func *f = l->func;
    bool kernel_param = f->is_entry && src->var >= f->params && src->var < f->params + f->n_params;
    address += (uint64_t)src->offset;
    if (in_frame || kernel_param) {
        set_exec(l, in_frame ? EXEC_MOV_FRAME : EXEC_MOV_PARAM);
        l->op->imm = (int64_t)address;
        if (bits == 64)
            l->op->flags |= OP_DST64;
    } else {
        l->op->a = lower_const(l, address, bits);
    }
}

static void lower_mov_vector(struct lowerer *l)
{
    const struct ptx_operand *d = operand(l, 0), *s = operand(l, 1);
    bool pack = s->kind == PTX_OPERAND_VEC;
    const struct ptx_operand *parts = pack ? s : d;
    uint32_t whole = bits_of(l, 0), n = parts->n_items;
    if (n == 0 || whole % n || whole / n < 8 || whole > 64) {
        lower_error(l, "a .%s cannot be made of %u parts", ptx_types[type_of(l, 0)].text, n);
        return;
    }
    uint32_t part = whole / n;
    set_exec(l, pack ? EXEC_MOV_PACK : EXEC_MOV_UNPACK);
    if (pack)
        l->op->dst = lower_dst(l, d, whole);
    else
        l->op->a = lower_src(l, s, whole, type_of(l, 0));
    l->op->vec = (uint8_t)n;
    l->op->width = (uint8_t)(part / 8);
    if (whole == 64)
        l->op->flags |= OP_SRC64;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *o = &parts->items[i];
        uint32_t row = pack ? lower_src(l, o, part, type_of(l, 0)) : lower_dst(l, o, part);
        uint32_t at = lower_extra(l, row);
        if (i == 0)
            l->op->extra = at;
    }
}

static void lower_mov(struct lowerer *l)
{
    const struct ptx_operand *d = operand(l, 0), *s = operand(l, 1);
    uint32_t bits = bits_of(l, 0);
    if (d->kind == PTX_OPERAND_VEC || s->kind == PTX_OPERAND_VEC) {
        lower_mov_vector(l);
        return;
    }
    if (bits == 1) {
        set_exec(l, EXEC_MOV_PRED);
        lower_pred_logic(l);
        return;
    }
    if (bits > 64) {
        lower_error(l, "128-bit moves are not supported");
        return;
    }
    set_exec(l, bits == 64 ? EXEC_MOV_B64 : EXEC_MOV_B32);
    l->op->dst = lower_dst(l, d, bits);
    if (s->kind == PTX_OPERAND_SREG) {
        set_exec(l, EXEC_MOV_SREG);
        l->op->imm = s->sreg;
        if (s->sreg == PTX_SREG_ENVREG0 + 1 || s->sreg == PTX_SREG_ENVREG0 + 2)
            l->program->asks_for_cooperation = true;
        if (bits == 64)
            l->op->flags |= OP_DST64;
    } else if (s->kind == PTX_OPERAND_VAR) {
        lower_mov_address(l, s, bits);
    } else {
        l->op->a = lower_src(l, s, bits, type_of(l, 0));
    }
}

/* --- conversions --- */

static void lower_cvt(struct lowerer *l, enum exec_id id)
{
    const struct exec_row *row = &exec_rows[id];
    const struct ptx_operand *d = operand(l, 0), *s = operand(l, 1);
    uint32_t td = exec_type_bits(row->td), ts = exec_type_bits(row->ts);
    uint32_t d_bits =
        d->kind == PTX_OPERAND_SINK ? (bits_of(l, 0) == 64 ? 64 : 32) : operand_reg_bits(d);
    uint32_t s_bits = operand_reg_bits(s) ? operand_reg_bits(s) : bits_of(l, 1);
    if (ptx_inst_mod(l->inst, PTX_GROUP_SAT) == PTX_MOD_SAT_SATFINITE) {
        lower_error(l, "cvt.satfinite is not supported");
        return;
    }
    if (s->kind == PTX_OPERAND_SREG) {
        lower_error(l, "special register %s can only be read with mov", ptx_sreg_name(s->sreg));
        return;
    }
    /* The typed rows need registers exactly as wide as the types; 8-bit ones live in 32-bit
     * rows. */
    bool plain = id != EXEC_CVT_ANY && d_bits == td && (ts == 8 ? s_bits != 64 : s_bits == ts);
    if (!plain)
        id = EXEC_CVT_ANY;
    set_exec(l, id);
    l->op->dst = lower_dst(l, d, d_bits == 64 ? 64 : d_bits);
    l->op->a = lower_src(l, s, s_bits == 64 ? 64 : s_bits < 16 ? 16 : s_bits, type_of(l, 1));
    if (d_bits == 64)
        l->op->flags |= OP_DST64;
    if (d_bits == 16)
        l->op->flags |= OP_DST16;
    if (s_bits == 64)
        l->op->flags |= OP_SRC64;
    if (ptx_inst_mod(l->inst, PTX_GROUP_RELU) != PTX_NO_MOD)
        l->op->extra = 1;          /* negative results become 0 */
    if (l->inst->n_operands > 2) { /* a pair: the first source is its upper half */
        l->op->vec = 2;
        l->op->b = lower_src(l, operand(l, 2), 32, type_of(l, 1));
    }
}

static uint64_t window_of(enum ptx_space space)
{
    return space == PTX_SHARED ? GENERIC_SHARED_BASE : space == PTX_LOCAL ? GENERIC_LOCAL_BASE : 0;
}

/* Global, constant and parameter addresses are generic already; the windows are added or
 * subtracted. */
static void lower_cvta(struct lowerer *l)
{
    uint32_t bits = bits_of(l, 0);
    uint64_t window = window_of(ptx_inst_space(l->inst));
    const struct ptx_operand *s = operand(l, 1);
    l->op->dst = lower_dst(l, operand(l, 0), bits);
    if (s->kind == PTX_OPERAND_VAR) {
        set_exec(l, bits == 64 ? EXEC_MOV_B64 : EXEC_MOV_B32);
        struct ptx_operand moved = *s;
        moved.offset += (int64_t)window;
        lower_mov_address(l, &moved, bits);
        return;
    }
    if (ptx_inst_mod(l->inst, PTX_GROUP_TO))
        window = 0 - window;
    l->op->a = lower_src(l, s, bits, type_of(l, 0));
    if (window) {
        set_exec(l, bits == 64 ? EXEC_ADD_U64 : EXEC_ADD_U32);
        l->op->b = lower_const(l, window, bits);
    } else {
        set_exec(l, bits == 64 ? EXEC_MOV_B64 : EXEC_MOV_B32);
    }
}

static void lower_isspacep(struct lowerer *l)
{
    uint32_t bits = operand_reg_bits(operand(l, 1)) == 32 ? 32 : 64;
    l->op->pdst = lower_pred_dst(l, operand(l, 0));
    l->op->a = lower_src(l, operand(l, 1), bits, PTX_U64);
    if (bits == 64)
        l->op->flags |= OP_SRC64;
}

/* --- warp-wide and synchronising --- */

static void lower_barrier(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    struct op *op = l->op;
    enum ptx_mod kind = ptx_inst_mod(inst, PTX_GROUP_BAR);
    uint32_t i = 0, last = inst->n_operands;
    bool warp = kind == PTX_MOD_BAR_WARP, red = false;
    op->sub = PTX_MOD_BAR_SYNC;
    for (uint32_t k = 0; k < inst->n_mods; k++) {
        red |= inst->mods[k] == PTX_MOD_BAR_RED;
        warp |= inst->mods[k] == PTX_MOD_BAR_WARP;
        if (inst->mods[k] == PTX_MOD_BAR_ARRIVE)
            op->sub = PTX_MOD_BAR_ARRIVE;
    }
    if (warp) {
        set_exec(l, EXEC_BAR_WARP);
        return;
    }
    set_exec(l, EXEC_BAR);
    if (red) {
        op->sub = PTX_MOD_BAR_RED;
        op->sub2 = (uint8_t)ptx_inst_mod(inst, PTX_GROUP_BARRED);
        if (op->sub2 == PTX_MOD_BARRED_POPC)
            op->dst = lower_dst(l, operand(l, i++), 32);
        else
            op->pdst = lower_pred_dst(l, operand(l, i++));
        op->psrc = lower_pred_src(l, operand(l, --last));
    }
    op->a = i < last ? lower_src(l, operand(l, i), 32, PTX_U32) : lower_const(l, 0, 32);
    i++;
    op->imm = i < last; /* is there a thread count? */
    if (op->imm)
        op->b = lower_src(l, operand(l, i), 32, PTX_U32);
}

static void lower_vote(struct lowerer *l)
{
    if (bits_of(l, 0) == 1)
        l->op->pdst = lower_pred_dst(l, operand(l, 0));
    else
        l->op->dst = lower_dst(l, operand(l, 0), 32);
    l->op->psrc = lower_pred_src(l, operand(l, 1));
    l->op->c = l->inst->n_operands > 2 ? lower_src(l, operand(l, 2), 32, PTX_B32)
                                       : lower_const(l, ~0u, 32);
}

static void lower_shuffle(struct lowerer *l)
{
    lower_dst_pair(l, operand(l, 0), 32);
    l->op->a = lower_src(l, operand(l, 1), 32, PTX_B32);
    l->op->b = lower_src(l, operand(l, 2), 32, PTX_U32);
    l->op->c = lower_src(l, operand(l, 3), 32, PTX_U32);
}

static void lower_match(struct lowerer *l)
{
    lower_dst_pair(l, operand(l, 0), 32);
    l->op->a = lower_src(l, operand(l, 1), bits_of(l, 0), type_of(l, 0));
    if (bits_of(l, 0) == 64)
        l->op->flags |= OP_SRC64;
    l->op->c = lower_src(l, operand(l, 2), 32, PTX_B32);
}

/* --- branches --- */

static uint32_t pc_of(const struct lowerer *l, uint32_t inst)
{
    return l->out->entry + inst;
}

static void lower_branch(struct lowerer *l)
{
    uint32_t i = (uint32_t)(l->inst - l->func->insts);
    uint8_t kind = l->spin ? l->spin->kinds[i] : 0;
    uint32_t meet = kind & PTX_SPIN_LATE ? l->spin->meet[i] : ptx_cfg_reconvergence(l->cfg, i);
    l->info->reconverge = meet < l->func->n_insts ? pc_of(l, meet) : PROGRAM_NO_PC;
    if (l->inst->op == PTX_OP_BRA) {
        l->op->imm = pc_of(l, l->func->labels[operand(l, 0)->label].at);
        if (kind) {
            set_exec(l, EXEC_BRA_SPIN);
            l->op->sub = kind;
        }
        return;
    }
    const struct ptx_targets *t = operand(l, 1)->targets;
    l->op->a = lower_src(l, operand(l, 0), 32, PTX_U32);
    l->op->imm = t->n;
    for (uint32_t k = 0; k < t->n; k++) {
        uint32_t at = lower_extra(l, pc_of(l, l->func->labels[t->labels[k]].at));
        if (k == 0)
            l->op->extra = at;
    }
}

/* bfi and lop3 have a fourth source; lop3's is a constant. */
static void lower_four_sources(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    uint32_t bits = bits_of(l, 0);
    lower_dst_pair(l, operand(l, 0), bits);
    l->op->a = lower_src(l, operand(l, 1), bits, type_of(l, 0));
    l->op->b = lower_src(l, operand(l, 2), bits, type_of(l, 0));
    l->op->c = lower_src(l, operand(l, 3), 32, PTX_U32);
    if (inst->op == PTX_OP_LOP3) {
        if (operand(l, 4)->kind != PTX_OPERAND_IMM)
            lower_error(l, "the look-up table of lop3 must be a constant");
        l->op->imm = (int64_t)(operand(l, 4)->bits & 0xff);
        if (inst->n_operands > 5)
            l->op->psrc = lower_pred_src(l, operand(l, 5));
    } else {
        l->op->extra = lower_extra(l, lower_src(l, operand(l, 4), 32, PTX_U32));
    }
}

static void lower_testp(struct lowerer *l)
{
    l->op->pdst = lower_pred_dst(l, operand(l, 0));
    l->op->a = lower_src(l, operand(l, 1), bits_of(l, 0), type_of(l, 0));
}

static void lower_activemask(struct lowerer *l)
{
    l->op->dst = lower_dst(l, operand(l, 0), 32);
}

/* Has no operands that matter. */
static void lower_nothing(struct lowerer *l)
{
    (void)l;
}

/* Instructions without an arithmetic EXEC row. */
static void (*const lowerers[PTX_N_OPCODES])(struct lowerer *l) = {
    [PTX_OP_MOV] = lower_mov,           [PTX_OP_CVTA] = lower_cvta,
    [PTX_OP_ISSPACEP] = lower_isspacep, [PTX_OP_SETP] = lower_setp,
    [PTX_OP_SET] = lower_set,           [PTX_OP_SELP] = lower_selp,
    [PTX_OP_SLCT] = lower_slct,         [PTX_OP_TESTP] = lower_testp,
    [PTX_OP_LD] = lower_load,           [PTX_OP_LDU] = lower_load,
    [PTX_OP_ST] = lower_store,          [PTX_OP_ATOM] = lower_atomic,
    [PTX_OP_RED] = lower_atomic,        [PTX_OP_BRA] = lower_branch,
    [PTX_OP_BRX] = lower_branch,        [PTX_OP_CALL] = lower_call,
    [PTX_OP_BAR] = lower_barrier,       [PTX_OP_BARRIER] = lower_barrier,
    [PTX_OP_VOTE] = lower_vote,         [PTX_OP_SHFL] = lower_shuffle,
    [PTX_OP_MATCH] = lower_match,       [PTX_OP_ACTIVEMASK] = lower_activemask,
    [PTX_OP_BFI] = lower_four_sources,  [PTX_OP_LOP3] = lower_four_sources,
    [PTX_OP_RET] = lower_nothing,       [PTX_OP_EXIT] = lower_nothing,
    [PTX_OP_TRAP] = lower_nothing,      [PTX_OP_BRKPT] = lower_nothing,
    [PTX_OP_NANOSLEEP] = lower_nothing, [PTX_OP_PMEVENT] = lower_nothing,
    [PTX_OP_PREFETCH] = lower_nothing,  [PTX_OP_PREFETCHU] = lower_nothing,
    [PTX_OP_MEMBAR] = lower_nothing,    [PTX_OP_FENCE] = lower_nothing,
};

static void lower_unmatched(struct lowerer *l)
{
    struct strbuf text = {0};
    ptx_print_inst(l->func, l->inst, &text);
    lower_error(l, "this form of '%s' is not supported: %s", ptx_insts[l->inst->op].text,
                strbuf_text(&text));
    strbuf_destroy(&text);
}

void lower_inst(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    lower_common(l);
    enum exec_id id = inst->refused ? EXEC_REFUSED : exec_match(inst, N_EXEC);
    if (id == N_EXEC) {
        lower_unmatched(l);
        return;
    }
    set_exec(l, id);
    if (inst->refused)
        return;
    if (lowerers[inst->op])
        lowerers[inst->op](l);
    else if (inst->op == PTX_OP_CVT)
        lower_cvt(l, id);
    else if (bits_of(l, 0) == 1)
        lower_pred_logic(l);
    else
        lower_arithmetic(l, &exec_rows[id]);
}
