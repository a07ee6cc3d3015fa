/* Checks calls against their callees, once the whole module is known. */
#include "ptx/check.h"

/* .param variables, registers and, except for results, numbers. */
static bool check_kinds(struct parser *p, const struct ptx_operand *list, bool are_results)
{
    for (uint32_t k = 0; k < list->n_items; k++) {
        const struct ptx_operand *op = &list->items[k];
        bool is_param = op->kind == PTX_OPERAND_VAR && op->var->space == PTX_PARAM && !op->offset;
        bool is_other = are_results ? op->kind == PTX_OPERAND_SINK : op->kind == PTX_OPERAND_IMM;
        if ((!is_param && !is_other && op->kind != PTX_OPERAND_REG) || op->negated)
            return parser_error(p, op->line, op->col, NULL,
                                "a call passes .param variables and registers");
    }
    return true;
}

static bool check_arguments(struct parser *p, const struct ptx_operand *list,
                            const struct ptx_var *params, uint32_t n, const char *callee,
                            const char *what)
{
    bool is_variadic = n && params[n - 1].is_unsized;
    if (list->n_items != n && !(is_variadic && list->n_items + 1 >= n))
        return parser_error(p, list->line, list->col, NULL, "'%s' has %u %s, not %u", callee, n,
                            what, list->n_items);
    for (uint32_t k = 0; k < list->n_items && k < n; k++) {
        const struct ptx_operand *op = &list->items[k];
        uint64_t bytes = op->kind == PTX_OPERAND_VAR   ? op->var->bytes
                         : op->kind == PTX_OPERAND_REG ? ptx_types[op->reg->type].bits / 8u
                                                       : params[k].bytes;
        if (bytes != params[k].bytes && !params[k].is_unsized)
            return parser_error(p, op->line, op->col, NULL,
                                "this has %llu bytes, '%s' of '%s' has %llu",
                                (unsigned long long)bytes, params[k].name, callee,
                                (unsigned long long)params[k].bytes);
    }
    return true;
}

/* Functions without a body are supplied by the host, which accepts any arguments: clang declares
 * printf with one parameter and calls it with many. */
bool parser_check_call(struct parser *p, const struct ptx_inst *i)
{
    const struct ptx_operand *rets = &i->operands[PTX_CALL_RETS];
    const struct ptx_operand *args = &i->operands[PTX_CALL_ARGS];
    const struct ptx_func *f = i->operands[PTX_CALL_CALLEE].func;
    if (!check_kinds(p, rets, true) || !check_kinds(p, args, false))
        return false;
    if (f && f->alias_of)
        f = f->alias_of;
    if (f && f->is_entry)
        return parser_error(p, i->operands[PTX_CALL_CALLEE].line, i->operands[PTX_CALL_CALLEE].col,
                            NULL, "'%s' is a kernel; a function cannot call it", f->name);
    if (f)
        return !f->has_body ||
               (check_arguments(p, rets, f->rets, f->n_rets, f->name, "results") &&
                check_arguments(p, args, f->params, f->n_params, f->name, "parameters"));
    if (i->n_operands <= PTX_CALL_SHAPE || !i->operands[PTX_CALL_SHAPE].proto)
        return true;
    const struct ptx_proto *proto = i->operands[PTX_CALL_SHAPE].proto;
    return check_arguments(p, rets, proto->rets, proto->n_rets, proto->name, "results") &&
           check_arguments(p, args, proto->params, proto->n_params, proto->name, "parameters");
}
