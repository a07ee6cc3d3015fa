#include "trace/trace_op.h"

#include <stdlib.h>

#include "base/arena.h"
#include "ptx/regalloc.h"

/* Operations that count divisions by zero. */
static const bool divides[N_EXEC] = {
#define DIVIDES_DIVIDE(id) [EXEC_##id] = true,
#define DIVIDES_FN(id)
#define DIVIDES_CUSTOM(id)
#define DIVIDES_CTRL(id)
#define DIVIDES_VEC(id)
#define DIVIDES_UN(id)
#define DIVIDES_BIN(id)
#define DIVIDES_TER(id)
#define DIVIDES_TERW(id)
#define DIVIDES_TER64_32(id)
#define DIVIDES_SHIFT(id)
#define DIVIDES_CVTB(id)
#define DIVIDES_CARRY(id)
#define DIVIDES_CARRY3(id)
#define DIVIDES_SETP(id)
#define DIVIDES_SELP(id)
#define DIVIDES_PUN(id)
#define DIVIDES_PBIN(id)
#define EXEC(id, inst, types, mods, shape, td, ts, expr) DIVIDES_##shape(id)
#include "ptx/isa.def"
};

static bool is_constant(uint32_t row)
{
    return row & OP_POOL;
}

static bool accesses_memory(enum exec_id id)
{
    switch (id) {
    case EXEC_LD_GLOBAL:
    case EXEC_LD_SHARED:
    case EXEC_LD_LOCAL:
    case EXEC_LD_GENERIC:
    case EXEC_ST_GLOBAL:
    case EXEC_ST_SHARED:
    case EXEC_ST_LOCAL:
    case EXEC_ST_GENERIC:
    case EXEC_ATOM_ANY:
        return true;
    default: /* parameters and frames: their addresses are known */
        return false;
    }
}

static uint32_t questions_of(const struct program *p, uint32_t pc)
{
    const struct op *op = &p->ops[pc];
    uint32_t asks = op->guard == OP_NO_PRED ? 0 : ASK_GUARD;
    enum exec_id id = p->info[pc].exec_id;
    if (divides[id])
        return asks | ASK_ZEROS;
    if (accesses_memory(id))
        return is_constant(op->a) ? asks : asks | ASK_ADDRESS;
    switch (id) {
    case EXEC_BRX:
    case EXEC_CALL_INDIRECT:
        return asks | ASK_TARGET;
    case EXEC_BAR:
        return is_constant(op->a) && (!op->imm || is_constant(op->b)) ? asks : asks | ASK_BARRIER;
    case EXEC_CALL_HOST:
        return asks | ASK_TEXT;
    default:
        return asks;
    }
}

/* Does anything in the function read the register? Registers of PTX are hardly ever written twice,
 * so this says well enough whether the value is used. */
static bool is_read(const struct ptx_func *f, uint32_t reg)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        ptx_inst_regs(&f->insts[i], false, reads, &n_reads, writes, &n_writes);
        for (uint32_t k = 0; k < n_reads; k++)
            if (reads[k] == reg)
                return true;
    }
    return false;
}

static bool is_result_used(const struct op_info *info)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    ptx_inst_regs(info->inst, false, reads, &n_reads, writes, &n_writes);
    for (uint32_t k = 0; k < n_writes; k++)
        if (is_read(info->func, writes[k]))
            return true;
    return false;
}

static bool tells_time(uint32_t sreg)
{
    return sreg == PTX_SREG_SMID || sreg == PTX_SREG_NSMID ||
           (sreg >= PTX_SREG_CLOCK && sreg <= PTX_SREG_GLOBALTIMER_HI);
}

static enum time_source time_source_of(const struct program *p, uint32_t pc)
{
    const struct op *op = &p->ops[pc];
    switch (p->info[pc].exec_id) {
    case EXEC_MOV_SREG:
        return tells_time((uint32_t)op->imm) ? TIME_CLOCK : TIME_NONE;
    case EXEC_CALL_HOST:
        return p->calls[op->extra].host == PTX_HOST_MALLOC + 1 ? TIME_HEAP : TIME_NONE;
    default:
        return TIME_NONE;
    }
}

/* Additions of floats round; an exchange or a compare-and-swap leaves the last or the first
 * value. */
static bool commutes(const struct op *op)
{
    switch (op->sub) {
    case PTX_MOD_ATOMOP_ADD:
        return ptx_types[op->type].kind != 'f';
    case PTX_MOD_ATOMOP_MIN:
    case PTX_MOD_ATOMOP_MAX:
    case PTX_MOD_ATOMOP_AND:
    case PTX_MOD_ATOMOP_OR:
    case PTX_MOD_ATOMOP_XOR:
        return true;
    default:
        return false;
    }
}

/* Bytes of one lane's access; 0 if it is not an access. */
static uint32_t unit_of(const struct op *op, enum exec_id id)
{
    if (!accesses_memory(id))
        return 0;
    return id == EXEC_ATOM_ANY ? op->width : (uint32_t)op->width * op->vec;
}

/* Shared memory serves words, whichever lanes request them; only wide accesses are split by parts
 * of the warp. */
static bool is_in_any_order(const struct op *op, enum exec_id id)
{
    bool is_shared = id == EXEC_LD_SHARED || id == EXEC_ST_SHARED ||
                     (id == EXEC_ATOM_ANY && op->sub2 == PTX_SHARED);
    return is_shared && unit_of(op, id) <= 4;
}

static bool is_control(enum exec_id id)
{
    switch (id) {
    case EXEC_BRA:
    case EXEC_BRA_SPIN:
    case EXEC_BRX:
    case EXEC_CALL:
    case EXEC_CALL_INDIRECT:
    case EXEC_CALL_HOST:
    case EXEC_RET:
    case EXEC_EXIT:
    case EXEC_TRAP:
    case EXEC_REFUSED:
    case EXEC_BAR:
        return true;
    default:
        return false;
    }
}

/* The address of a function's variable is known; the access still takes place. */
static bool is_in_frame(enum exec_id id)
{
    return id == EXEC_LD_FRAME || id == EXEC_ST_FRAME;
}

static struct trace_op describe(struct trace_ops *t, const struct program *p, uint32_t pc)
{
    const struct op *op = &p->ops[pc];
    enum exec_id id = p->info[pc].exec_id;
    struct trace_op o = {.asks = (uint8_t)questions_of(p, pc),
                         .time_source = (uint8_t)time_source_of(p, pc),
                         .commutes = id == EXEC_ATOM_ANY && commutes(op),
                         .uses_result = id == EXEC_ATOM_ANY && is_result_used(&p->info[pc]),
                         .acts = accesses_memory(id) || is_in_frame(id) || is_control(id) ||
                                 divides[id],
                         .any_order = is_in_any_order(op, id),
                         .unit = (uint8_t)unit_of(op, id),
                         .exec_id = (uint16_t)id};
    if (o.asks & ASK_GUARD)
        o.guard = t->n_guards++;
    if (o.asks & ASK_ADDRESS)
        o.state = t->n_addresses++;
    if (o.asks & (ASK_TARGET | ASK_BARRIER))
        o.state = t->n_values++;
    t->has_atomics |= id == EXEC_ATOM_ANY;
    return o;
}

void trace_ops_build(struct trace_ops *t, const struct program *p)
{
    *t = (struct trace_ops){.n_ops = p->n_ops};
    t->ops = xcalloc(p->n_ops, sizeof *t->ops);
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        t->ops[pc] = describe(t, p, pc);
}

void trace_ops_destroy(struct trace_ops *t)
{
    free(t->ops);
    *t = (struct trace_ops){0};
}
