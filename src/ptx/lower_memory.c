/* Lowering of loads, stores and atomics: the space decides how the address is found. */
#include "ptx/exec_match.h"
#include "ptx/lower.h"

enum access {
    ACCESS_GLOBAL,
    ACCESS_SHARED,
    ACCESS_LOCAL,
    ACCESS_GENERIC,
    ACCESS_PARAM,
    ACCESS_FRAME
};

static enum access access_of_space(const struct lowerer *l, enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return ACCESS_SHARED;
    case PTX_LOCAL:
        return ACCESS_LOCAL;
    case PTX_GENERIC:
        return ACCESS_GENERIC;
    case PTX_PARAM: /* through a register: a kernel's parameters are in device memory */
        return l->func->is_entry ? ACCESS_GLOBAL : ACCESS_LOCAL;
    default:
        return ACCESS_GLOBAL;
    }
}

static enum access access_of_var(struct lowerer *l, const struct ptx_operand *base,
                                 uint64_t *address)
{
    const struct ptx_func *f = l->func;
    bool in_frame;
    if (!lower_var_address(l, base->var, address, &in_frame)) {
        lower_error(l, "'%s' has no address", base->var->name);
        return ACCESS_GLOBAL;
    }
    if (in_frame)
        return ACCESS_FRAME;
    if (f->is_entry && base->var >= f->params && base->var < f->params + f->n_params)
        return ACCESS_PARAM;
    return base->var->space == PTX_SHARED ? ACCESS_SHARED : ACCESS_GLOBAL;
}

/* Sets the operation's address fields and returns the kind of access. */
static enum access lower_address(struct lowerer *l, const struct ptx_operand *mem)
{
    const struct ptx_operand *base = &mem->items[0];
    struct op *op = l->op;
    uint64_t address = 0;
    op->imm = mem->offset;
    if (base->kind == PTX_OPERAND_REG) {
        uint32_t bits = operand_reg_bits(base);
        if (bits != 64 && bits != 32) {
            lower_error(l, "'%s' is not wide enough for an address", base->reg->name);
            bits = 32;
        }
        if (bits == 32)
            op->flags |= OP_ADDR32;
        op->a = lower_src(l, base, bits, PTX_U64);
        return access_of_space(l, ptx_inst_space(l->inst));
    }
    if (base->kind == PTX_OPERAND_VAR) {
        enum access kind = access_of_var(l, base, &address);
        address += (uint64_t)base->offset;
        if (kind == ACCESS_FRAME || kind == ACCESS_PARAM) {
            op->imm += (int64_t)address;
            return kind;
        }
        op->a = lower_const(l, address, 64);
        return kind;
    }
    if (base->kind != PTX_OPERAND_IMM)
        lower_error(l, "an address must be a register, a name or a constant");
    op->a = lower_const(l, base->bits, 64);
    return access_of_space(l, ptx_inst_space(l->inst));
}

/* The data registers: one row, or one row per element in extra[]. All must be equally wide. */
static void lower_data(struct lowerer *l, const struct ptx_operand *data, bool is_load)
{
    struct op *op = l->op;
    enum ptx_type type = (enum ptx_type)l->inst->types[0];
    uint32_t type_bits = ptx_types[type].bits, vector = ptx_inst_vector(l->inst);
    uint32_t n = vector ? vector : 1;
    const struct ptx_operand *items = data->kind == PTX_OPERAND_VEC ? data->items : data;
    uint32_t n_items = data->kind == PTX_OPERAND_VEC ? data->n_items : 1;
    if (type_bits > 64 || n_items != n) {
        lower_error(l, type_bits > 64 ? "128-bit accesses are not supported"
                                      : "as many registers are needed as the vector has elements");
        return;
    }
    op->width = (uint8_t)(type_bits / 8);
    op->vec = (uint8_t)n;
    if (ptx_types[type].kind == 's')
        op->flags |= OP_SIGNED;
    uint32_t widest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = operand_reg_bits(&items[i]);
        widest = bits > widest ? bits : widest;
    }
    uint32_t reg_bits = widest ? widest : type_bits < 16 ? 16 : type_bits;
    if (reg_bits == 64)
        op->flags |= is_load ? OP_DST64 : OP_SRC64;
    if (reg_bits == 16)
        op->flags |= OP_DST16;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row =
            is_load ? lower_dst(l, &items[i], reg_bits) : lower_src(l, &items[i], reg_bits, type);
        if (n == 1) {
            if (is_load)
                op->dst = row;
            else
                op->b = row;
        }
        uint32_t at = lower_extra(l, row);
        if (i == 0)
            op->extra = at;
    }
}

void lower_load(struct lowerer *l)
{
    static const uint16_t exec[] = {
        [ACCESS_GLOBAL] = EXEC_LD_GLOBAL, [ACCESS_SHARED] = EXEC_LD_SHARED,
        [ACCESS_LOCAL] = EXEC_LD_LOCAL,   [ACCESS_GENERIC] = EXEC_LD_GENERIC,
        [ACCESS_PARAM] = EXEC_LD_PARAM,   [ACCESS_FRAME] = EXEC_LD_FRAME};
    enum access kind = lower_address(l, &l->inst->operands[1]);
    l->info->exec_id = exec[kind];
    lower_data(l, &l->inst->operands[0], true);
}

void lower_store(struct lowerer *l)
{
    static const uint16_t exec[] = {
        [ACCESS_GLOBAL] = EXEC_ST_GLOBAL, [ACCESS_SHARED] = EXEC_ST_SHARED,
        [ACCESS_LOCAL] = EXEC_ST_LOCAL,   [ACCESS_GENERIC] = EXEC_ST_GENERIC,
        [ACCESS_PARAM] = EXEC_ST_FRAME,   [ACCESS_FRAME] = EXEC_ST_FRAME};
    enum access kind = lower_address(l, &l->inst->operands[0]);
    if (kind == ACCESS_PARAM)
        lower_error(l, "a kernel cannot store to its parameters");
    l->info->exec_id = exec[kind];
    lower_data(l, &l->inst->operands[1], false);
}

void lower_atomic(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    struct op *op = l->op;
    bool red = inst->op == PTX_OP_RED;
    uint32_t i = red ? 0 : 1;
    enum ptx_type type = (enum ptx_type)inst->types[0];
    uint32_t bits = ptx_types[type].bits;
    bool cas = op->sub == PTX_MOD_ATOMOP_CAS;
    if (bits > 64 || ptx_inst_vector(inst)) {
        lower_error(l, "128-bit and vector atomics are not supported");
        return;
    }
    bool extreme = op->sub == PTX_MOD_ATOMOP_MIN || op->sub == PTX_MOD_ATOMOP_MAX;
    if (extreme && ptx_types[type].kind == 'f') {
        lower_error(l, "minimum and maximum of floats exist only as vector atomics, which are not "
                       "supported");
        return;
    }
    enum access kind = lower_address(l, &inst->operands[i]);
    if (kind == ACCESS_FRAME || kind == ACCESS_LOCAL || kind == ACCESS_PARAM) {
        lower_error(l, "atomics work on global, shared or generic addresses");
        return;
    }
    op->sub2 = kind == ACCESS_SHARED    ? PTX_SHARED
               : kind == ACCESS_GENERIC ? PTX_GENERIC
                                        : PTX_GLOBAL;
    op->width = (uint8_t)(bits / 8);
    if (bits == 64)
        op->flags |= OP_DST64;
    op->dst = lower_dst(
        l, red ? &(struct ptx_operand){.kind = PTX_OPERAND_SINK} : &inst->operands[0], bits);
    if (inst->n_operands < i + (cas ? 3 : 2)) {
        lower_error(l, "an operand is missing");
        return;
    }
    op->b = lower_src(l, &inst->operands[i + 1], bits, type);
    op->c = cas ? lower_src(l, &inst->operands[i + 2], bits, type) : op->b;
    op->round = red; /* the old value is not used */
}
