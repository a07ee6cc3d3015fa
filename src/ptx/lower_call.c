/* Lowering of calls. Parameters of functions live in the caller's and the callee's frames in
 * thread-local memory; a call copies arguments in, a return copies results out. */
#include <string.h>

#include "ptx/lower.h"

static struct call_site *new_call(struct lowerer *l)
{
    struct program *p = l->program;
    ARRAY_RESERVE(p->calls, l->cap_calls, p->n_calls + 1);
    l->op->extra = p->n_calls;
    struct call_site *c = &p->calls[p->n_calls++];
    memset(c, 0, sizeof *c);
    return c;
}

/* Where the caller keeps the variables it passes; the callee's side is known for direct calls. */
static struct call_copy *lower_list(struct lowerer *l, const struct ptx_operand *list,
                                    const uint32_t *callee_at, uint32_t n_callee, bool to_callee,
                                    uint32_t *n)
{
    *n = list ? list->n_items : 0;
    struct call_copy *copies = ARENA_ARRAY(&l->program->arena, struct call_copy, *n ? *n : 1);
    for (uint32_t i = 0; i < *n; i++) {
        const struct ptx_operand *o = &list->items[i];
        uint64_t address = 0;
        bool in_frame = false;
        if (o->kind != PTX_OPERAND_VAR || !lower_var_address(l, o->var, &address, &in_frame) ||
            !in_frame) {
            lower_error(l, "arguments and results of a call must be .param variables of this "
                           "function");
            continue;
        }
        uint32_t there = callee_at && i < n_callee ? callee_at[i] : 0;
        copies[i].bytes = (uint32_t)o->var->bytes;
        copies[i].from = to_callee ? (uint32_t)address : there;
        copies[i].to = to_callee ? there : (uint32_t)address;
    }
    return copies;
}

/* Operands of a call: [rets] target [args] [prototype or targets]. */
void lower_call(struct lowerer *l)
{
    const struct ptx_inst *inst = l->inst;
    const struct ptx_operand *rets = NULL, *target = NULL, *args = NULL;
    for (uint32_t i = 0; i < inst->n_operands; i++) {
        const struct ptx_operand *o = &inst->operands[i];
        if (o->kind == PTX_OPERAND_LIST && !target)
            rets = o;
        else if (o->kind == PTX_OPERAND_LIST)
            args = o;
        else if (o->kind == PTX_OPERAND_FUNC || o->kind == PTX_OPERAND_REG)
            target = target ? target : o;
    }
    if (!target) {
        lower_error(l, "a call needs a function");
        return;
    }
    struct call_site *c = new_call(l);
    struct program_func *callee = NULL;
    c->callee = -1;
    l->info->exec_id = EXEC_CALL_INDIRECT;
    if (target->kind == PTX_OPERAND_FUNC) {
        callee = &l->program->funcs[target->func->index];
        c->callee = (int32_t)target->func->index;
        l->info->exec_id = EXEC_CALL;
        if (!target->func->has_body) {
            enum ptx_host_function host = ptx_find_host_function(target->func->name);
            c->host = host == PTX_N_HOST_FUNCTIONS ? 0 : (uint16_t)(host + 1);
            l->info->exec_id = EXEC_CALL_HOST; /* an unknown one faults when it is called */
        }
    } else {
        l->op->a = lower_src(l, target, operand_reg_bits(target), PTX_U64);
        if (operand_reg_bits(target) == 64)
            l->op->flags |= OP_SRC64;
    }
    struct call_copy *copies;
    uint32_t n;
    copies = lower_list(l, args, callee ? callee->param_at : NULL,
                        callee ? callee->func->n_params : 0, true, &n);
    c = &l->program->calls[l->op->extra];
    c->args = copies;
    c->n_args = n;
    copies = lower_list(l, rets, callee ? callee->ret_at : NULL, callee ? callee->func->n_rets : 0,
                        false, &n);
    c->rets = copies;
    c->n_rets = n;
}
