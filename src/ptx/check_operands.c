/* PTX requirements on an instruction's operands: how many, of which kind, of which type. As in
 * NVIDIA's assembler, registers of .bN types hold anything of that width, and loads, stores and
 * conversions may use registers wider than the type. */
#include "ptx/check.h"

#include <stdio.h>

/* The type of each operand, where it is not the instruction's (first) type:
 *   0 1  that type     x  the first type, twice as wide with .wide     p  predicate
 *   w    32 bits       l  64 bits           .  none of these: an address, a name */
static const struct {
    enum ptx_opcode op;
    const char *types;
} operand_types[] = {
    {PTX_OP_MUL, "x00"},     {PTX_OP_MAD, "x00x"},    {PTX_OP_SHL, "00w"},    {PTX_OP_SHR, "00w"},
    {PTX_OP_BFE, "00ww"},    {PTX_OP_BFI, "000ww"},   {PTX_OP_POPC, "w0"},    {PTX_OP_CLZ, "w0"},
    {PTX_OP_BFIND, "w0"},    {PTX_OP_LOP3, "0000wp"}, {PTX_OP_SETP, "p00p"},  {PTX_OP_SET, "011p"},
    {PTX_OP_SELP, "000p"},   {PTX_OP_SLCT, "0001"},   {PTX_OP_CVT, "011"},    {PTX_OP_TESTP, "p0"},
    {PTX_OP_ISSPACEP, "p."}, {PTX_OP_VOTE, "0pw"},    {PTX_OP_SHFL, "00www"}, {PTX_OP_MATCH, "w0w"},
    {PTX_OP_REDUX, "00w"},   {PTX_OP_BRX, "w."},      {PTX_OP_LD, "0.l"},     {PTX_OP_LDU, "0."},
    {PTX_OP_ST, ".0l"},      {PTX_OP_ATOM, "0.000"},  {PTX_OP_RED, ".00"},    {PTX_OP_PMEVENT, "w"},
    {PTX_OP_PREFETCH, "."},  {PTX_OP_PREFETCHU, "."},
};

static const char *types_of(enum ptx_opcode op)
{
    for (size_t i = 0; i < sizeof operand_types / sizeof *operand_types; i++)
        if (operand_types[i].op == op)
            return operand_types[i].types;
    return "00000";
}

static enum ptx_type twice(enum ptx_type t)
{
    switch (t) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        return t;
    }
}

static enum ptx_type operand_type(const struct ptx_inst *i, char code)
{
    switch (code) {
    case '1':
        return i->types[1];
    case 'x':
        return ptx_inst_mod(i, PTX_GROUP_HALF) == PTX_MOD_HALF_WIDE ? twice(i->types[0])
                                                                    : i->types[0];
    case 'w':
        return PTX_B32;
    case 'l':
        return PTX_B64;
    case 'p':
        return PTX_PRED;
    default:
        return i->types[0];
    }
}

static bool complain(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                     const char *what)
{
    return parser_error(p, op->line, op->col, NULL, "'%s' %s", ptx_insts[i->op].text, what);
}

/* --- types of registers and numbers --- */

static bool is_relaxed(enum ptx_opcode op)
{
    return op == PTX_OP_LD || op == PTX_OP_LDU || op == PTX_OP_ST || op == PTX_OP_CVT;
}

static bool register_fits(enum ptx_type type, enum ptx_type reg, bool is_relaxed_op)
{
    const struct ptx_type_info *t = &ptx_types[type], *r = &ptx_types[reg];
    if (t->kind == 'p' || r->kind == 'p')
        return t->kind == r->kind;
    bool is_wider = r->bits > t->bits;
    if (r->bits < t->bits || (is_wider && !is_relaxed_op))
        return false;
    if (t->kind == 'f')
        return r->kind == 'b' || (r->kind == 'f' && !is_wider);
    return r->kind != 'f' || (t->kind == 'b' && !is_wider);
}

static bool check_register(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                           enum ptx_type type)
{
    if (register_fits(type, op->reg->type, is_relaxed(i->op)))
        return true;
    return parser_error(
        p, op->line, op->col, NULL, "register '%s' is .%s; '%s' needs a register of type .%s here",
        op->reg->name, ptx_types[op->reg->type].text, ptx_insts[i->op].text, ptx_types[type].text);
}

static bool check_immediate(struct parser *p, const struct ptx_inst *i,
                            const struct ptx_operand *op, enum ptx_type type)
{
    const struct ptx_type_info *t = &ptx_types[type];
    if (op->imm_float && (t->kind == 'u' || t->kind == 's' || t->kind == 'p'))
        return complain(p, i, op, "needs an integer here");
    if (op->imm_float && t->bits < 32)
        return complain(p, i, op, "has no immediate of this type");
    if (!op->imm_float && (type == PTX_F32 || type == PTX_F64))
        return complain(p, i, op, "needs a floating-point number here, such as 0f3F800000 or 1.0");
    return true;
}

/* A register or a number. */
static bool check_value(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                        enum ptx_type type)
{
    if (op->negated && type != PTX_PRED)
        return complain(p, i, op, "does not negate its operands");
    if (op->kind == PTX_OPERAND_REG)
        return check_register(p, i, op, type);
    if (op->kind == PTX_OPERAND_IMM)
        return check_immediate(p, i, op, type);
    return complain(p, i, op, "needs a register or a number here");
}

static bool check_vector(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                         enum ptx_type type, uint32_t n, bool is_destination)
{
    if (op->n_items != n)
        return complain(p, i, op, "and this vector differ in size");
    for (uint32_t k = 0; k < n; k++) {
        const struct ptx_operand *item = &op->items[k];
        if (is_destination && item->kind == PTX_OPERAND_SINK)
            continue;
        if (is_destination && item->kind != PTX_OPERAND_REG)
            return complain(p, i, item, "needs registers to write to");
        if (!check_value(p, i, item, type))
            return false;
    }
    return true;
}

/* --- kinds of operands --- */

static bool check_destination(struct parser *p, const struct ptx_inst *i,
                              const struct ptx_operand *op, enum ptx_type type)
{
    uint32_t n = ptx_inst_vector(i);
    if (n && op->kind == PTX_OPERAND_VEC)
        return check_vector(p, i, op, type, n, true);
    if (n)
        return complain(p, i, op, "needs a vector here");
    if (op->kind == PTX_OPERAND_SINK && i->op == PTX_OP_ATOM)
        return true;
    if (op->kind != PTX_OPERAND_REG || op->negated)
        return complain(p, i, op, "needs a register to write to");
    return check_register(p, i, op, type);
}

/* `d|p`: the second is a predicate. */
static bool check_pair(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                       enum ptx_type type)
{
    if (op->kind != PTX_OPERAND_PAIR)
        return check_destination(p, i, op, type);
    for (uint32_t k = 0; k < 2; k++) {
        const struct ptx_operand *item = &op->items[k];
        if (item->kind != PTX_OPERAND_SINK && !check_destination(p, i, item, k ? PTX_PRED : type))
            return false;
    }
    return true;
}

static bool check_memory(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op)
{
    if (op->kind != PTX_OPERAND_MEM || op->n_items != 1 || op->negated)
        return complain(p, i, op, "needs an address in brackets here, such as [%rd1+4]");
    const struct ptx_operand *base = &op->items[0];
    enum ptx_space space = ptx_inst_space(i);
    if (space == PTX_CONST && ptx_insts[i->op].unit != PTX_UNIT_LOAD)
        return complain(p, i, op, "does not write to .const");
    switch (base->kind) {
    case PTX_OPERAND_REG: {
        const struct ptx_type_info *t = &ptx_types[base->reg->type];
        if ((t->bits != 32 && t->bits != 64) || t->kind == 'f')
            return parser_error(p, base->line, base->col, NULL,
                                "register '%s' is .%s; an address has 32 or 64 bits",
                                base->reg->name, t->text);
        return true;
    }
    case PTX_OPERAND_VAR:
        if (base->var && space != PTX_GENERIC && base->var->space != space)
            return parser_error(p, base->line, base->col, NULL,
                                "'%s' is not in the state space of this instruction",
                                base->var->name);
        return true;
    case PTX_OPERAND_IMM:
        if (base->imm_float)
            return complain(p, i, base, "needs an integer address");
        return true;
    default:
        return complain(p, i, base, "needs a register, a variable or a number as address");
    }
}

static bool check_source(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                         enum ptx_type type)
{
    uint32_t n = ptx_inst_vector(i);
    if (n)
        return op->kind == PTX_OPERAND_VEC ? check_vector(p, i, op, type, n, false)
                                           : complain(p, i, op, "needs a vector here");
    if (i->op == PTX_OP_CVTA && op->kind == PTX_OPERAND_VAR)
        return true;
    return check_value(p, i, op, type);
}

static bool check_address_register(struct parser *p, const struct ptx_inst *i,
                                   const struct ptx_operand *op)
{
    if (op->kind == PTX_OPERAND_REG && !op->negated && ptx_types[op->reg->type].bits >= 32 &&
        ptx_types[op->reg->type].bits <= 64 && ptx_types[op->reg->type].kind != 'f')
        return true;
    return complain(p, i, op, "needs a register with an address here");
}

static bool check_one(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op,
                      char letter, char code)
{
    enum ptx_type type = operand_type(i, code);
    switch (letter) {
    case 'd':
        return check_destination(p, i, op, type);
    case 'q':
    case 'P':
        return check_pair(p, i, op, type);
    case 'm':
        return check_memory(p, i, op);
    case 'l':
        return op->kind == PTX_OPERAND_LABEL || complain(p, i, op, "needs a label");
    case 't':
        return op->kind == PTX_OPERAND_TARGETS || complain(p, i, op, "needs a list of targets");
    case 'c':
        return check_value(p, i, op, PTX_PRED);
    default:
        if (code == '.')
            return check_address_register(p, i, op);
        return code == 'l' ? check_value(p, i, op, type) : check_source(p, i, op, type);
    }
}

static bool check_count(struct parser *p, const struct ptx_inst *i, uint32_t min, uint32_t max)
{
    if (i->n_operands >= min && i->n_operands <= max)
        return true;
    char range[32] = "";
    if (min != max)
        snprintf(range, sizeof range, " to %u", max);
    return parser_error(p, i->line, i->col, NULL, "'%s' takes %u%s operands, not %u",
                        ptx_insts[i->op].text, min, range, i->n_operands);
}

/* --- instructions with special rules --- */

/* Special registers have 32 bits, which 16-bit moves truncate; a few have 64. */
static bool check_special(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *op)
{
    bool is_wide = op->sreg == PTX_SREG_CLOCK64 || op->sreg == PTX_SREG_GLOBALTIMER;
    uint32_t bits = ptx_types[i->types[0]].bits;
    if (op->sreg == PTX_SREG_GRIDID || (is_wide ? bits == 64 : bits == 32 || bits == 16))
        return true;
    return parser_error(p, op->line, op->col, NULL, "'%s' has %d bits", ptx_sreg_name(op->sreg),
                        is_wide ? 64 : 32);
}

/* mov.b64 %rd1, {%r1, %r2} and vice versa. */
static bool check_packing(struct parser *p, const struct ptx_inst *i, const struct ptx_operand *vec,
                          const struct ptx_operand *scalar)
{
    static const struct {
        uint32_t bits, n;
        enum ptx_type part;
    } forms[] = {{16, 2, PTX_B8},  {32, 2, PTX_B16},  {32, 4, PTX_B8},  {64, 2, PTX_B32},
                 {64, 4, PTX_B16}, {128, 2, PTX_B64}, {128, 4, PTX_B32}};
    enum ptx_type type = i->types[0];
    if (ptx_types[type].kind != 'b')
        return complain(p, i, vec, "packs vectors with .b types only");
    if (scalar->kind == PTX_OPERAND_VEC)
        return complain(p, i, scalar, "has a vector on one side only");
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k].bits == ptx_types[type].bits && forms[k].n == vec->n_items)
            return check_vector(p, i, vec, forms[k].part, vec->n_items, vec == i->operands) &&
                   check_value(p, i, scalar, type);
    return complain(p, i, vec, "and this vector differ in size");
}

static bool check_move(struct parser *p, const struct ptx_inst *i)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    enum ptx_type type = i->types[0];
    if (!check_count(p, i, 2, 2))
        return false;
    if (to->kind == PTX_OPERAND_VEC)
        return check_packing(p, i, to, from);
    if (to->kind != PTX_OPERAND_REG || to->negated)
        return complain(p, i, to, "needs a register to write to");
    if (from->kind == PTX_OPERAND_VEC)
        return check_packing(p, i, from, to);
    if (!check_register(p, i, to, type))
        return false;
    if (from->kind == PTX_OPERAND_SREG)
        return check_special(p, i, from);
    if (from->kind != PTX_OPERAND_VAR && from->kind != PTX_OPERAND_FUNC)
        return check_value(p, i, from, type);
    if (ptx_types[type].kind == 'f' || (ptx_types[type].bits != 32 && ptx_types[type].bits != 64))
        return complain(p, i, from, "of an address needs an integer type of 32 or 64 bits");
    return true;
}

/* bar.sync a, n; bar.arrive a, n; bar.red.popc.u32 d, a, n, c; bar.warp.sync mask */
static bool check_barrier(struct parser *p, const struct ptx_inst *i)
{
    enum ptx_mod kind = ptx_inst_mod(i, PTX_GROUP_BAR);
    bool reduces = kind == PTX_MOD_BAR_RED, is_warp = kind == PTX_MOD_BAR_WARP;
    uint32_t min = reduces ? 3 : kind == PTX_MOD_BAR_ARRIVE ? 2 : 1;
    if (!check_count(p, i, min, reduces ? 4 : is_warp ? 1 : 2))
        return false;
    enum ptx_mod op = ptx_inst_mod(i, PTX_GROUP_BARRED);
    enum ptx_type type = op == PTX_MOD_BARRED_POPC ? PTX_U32 : PTX_PRED;
    if (reduces && (!op || i->types[0] != type))
        return parser_error(p, i->line, i->col, NULL,
                            "'%s.red' needs .popc.u32, .and.pred or .or.pred",
                            ptx_insts[i->op].text);
    for (uint32_t k = 0; k < i->n_operands; k++) {
        const struct ptx_operand *operand = &i->operands[k];
        bool is_destination = reduces && k == 0, is_vote = reduces && k + 1 == i->n_operands;
        if (!(is_destination ? check_destination(p, i, operand, type)
                             : check_value(p, i, operand, is_vote ? PTX_PRED : PTX_B32)))
            return false;
    }
    return true;
}

/* compare-and-swap takes two values, the others one; a cache policy may follow. */
static bool check_atomic_count(struct parser *p, const struct ptx_inst *i)
{
    bool has_policy = false;
    for (uint32_t k = 0; k < i->n_mods; k++)
        has_policy |= i->mods[k] == PTX_MOD_HINT_L2_CH;
    bool swaps = ptx_inst_mod(i, PTX_GROUP_ATOMOP) == PTX_MOD_ATOMOP_CAS;
    uint32_t n = 2u + (i->op == PTX_OP_ATOM) + swaps + has_policy;
    return check_count(p, i, n, n);
}

static bool check_by_format(struct parser *p, const struct ptx_inst *i)
{
    const char *format = ptx_insts[i->op].format, *codes = types_of(i->op);
    uint32_t min = 0, max = 0;
    char letters[8] = "";
    for (const char *c = format; *c; c++) {
        if (*c == '?') {
            min--;
        } else {
            letters[max++] = *c;
            min++;
        }
    }
    bool is_atomic = i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
    if (!(is_atomic ? check_atomic_count(p, i) : check_count(p, i, min, max)))
        return false;
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (!check_one(p, i, &i->operands[k], letters[k], codes[k]))
            return false;
    if (i->op == PTX_OP_LOP3 && i->operands[4].kind != PTX_OPERAND_IMM)
        return complain(p, i, &i->operands[4], "needs its table as a number");
    return true;
}

bool check_operands(struct parser *p, const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_MOV:
        return check_move(p, i);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return check_barrier(p, i);
    case PTX_OP_CALL:
        return true; /* checked against the callee once the module is known */
    default:
        return check_by_format(p, i);
    }
}
