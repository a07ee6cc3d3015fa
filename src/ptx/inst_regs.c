/* The registers that an instruction reads and writes, from the letters of its row in isa.def. The
 * carry flag of add.cc and similar instructions is not a register here: it only lives between
 * neighbours. */
#include <string.h>

#include "ptx/regalloc.h"

struct reg_list {
    uint32_t *regs;
    uint32_t n;
};

static void add_reg(struct reg_list *list, const struct ptx_reg *reg)
{
    if (list->n < PTX_MAX_INST_REGS)
        list->regs[list->n++] = reg->index;
}

static void add_operand(struct reg_list *list, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REG)
        add_reg(list, operand->reg);
    for (uint32_t k = 0; k < operand->n_items; k++)
        add_operand(list, &operand->items[k]);
}

/* The letter of the k-th operand; 0 if the format has none. */
static char format_letter(const char *format, uint32_t k)
{
    for (; *format; format++)
        if (*format != '?' && k-- == 0)
            return *format;
    return 0;
}

static bool is_destination(const struct ptx_inst *inst, uint32_t k)
{
    const struct ptx_operand *operand = &inst->operands[k];
    switch (inst->op) {
    case PTX_OP_MOV: /* both may be vectors, so the row has the same letter for both */
        return k == 0;
    case PTX_OP_CALL:
        return k == PTX_CALL_RETS;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return k == 0 && ptx_inst_mod(inst, PTX_GROUP_BAR) == PTX_MOD_BAR_RED;
    default:
        break;
    }
    /* Refused instructions have no format. They never execute; nearly all of them begin with either
     * what they write or the memory they write to. */
    if (ptx_insts[inst->op].unit == PTX_UNIT_REFUSED)
        return k == 0 && operand->kind != PTX_OPERAND_MEM;
    char letter = format_letter(ptx_insts[inst->op].format, k);
    return letter && strchr("dqP", letter);
}

void ptx_inst_regs(const struct ptx_inst *inst, bool for_liveness, uint32_t *reads,
                   uint32_t *n_reads, uint32_t *writes, uint32_t *n_writes)
{
    struct reg_list read = {reads, 0}, written = {writes, 0};
    if (inst->guard)
        add_reg(&read, inst->guard);
    for (uint32_t k = 0; k < inst->n_operands; k++)
        add_operand(is_destination(inst, k) ? &written : &read, &inst->operands[k]);
    if (for_liveness && inst->guard)
        for (uint32_t k = 0; k < inst->n_operands; k++)
            if (is_destination(inst, k))
                add_operand(&read, &inst->operands[k]);
    *n_reads = read.n;
    *n_writes = written.n;
}
