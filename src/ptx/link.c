/* The end of a module: binds names used before their declaration, checks calls against their
 * callees, numbers instructions. */
#include "ptx/parse.h"

#include <string.h>

static bool bind_ref(struct parser *p, const struct global_ref *ref)
{
    const struct decl *d = ref->name->decl;
    if (!d)
        return parser_error(p, ref->line, ref->col, parser_hint_declared(p, ref->name->text),
                            "'%s' is not declared", ref->name->text);
    bool wants_func = ref->func || (ref->operand && ref->operand->kind == PTX_OPERAND_FUNC);
    if (wants_func && !d->func)
        return parser_error(p, ref->line, ref->col, NULL, "'%s' is not a function",
                            ref->name->text);
    if (ref->operand) {
        ref->operand->kind = d->func ? PTX_OPERAND_FUNC : PTX_OPERAND_VAR;
        ref->operand->func = d->func;
        ref->operand->var = d->var;
    } else if (ref->reloc) {
        ref->reloc->func = d->func;
        ref->reloc->var = d->var;
    } else {
        *ref->func = d->func;
    }
    return true;
}

/* Calls of an alias become calls of the aliased function. */
static void follow_aliases(struct ptx_module *m)
{
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        struct ptx_func *f = m->funcs[k];
        for (uint32_t i = 0; i < f->n_insts; i++)
            for (uint32_t o = 0; o < f->insts[i].n_operands; o++) {
                struct ptx_operand *op = &f->insts[i].operands[o];
                if (op->kind == PTX_OPERAND_FUNC && op->func->alias_of)
                    op->func = op->func->alias_of;
            }
    }
}

/* A local name equal to a module's name would hide it once blocks are flattened. */
static void rename_local(struct parser *p, const char **text)
{
    struct name *name = names_intern(&p->names, *text, strlen(*text));
    if (!name->decl)
        return;
    do
        *text = parser_unique_name(p, name);
    while (names_intern(&p->names, *text, strlen(*text))->decl);
}

static void rename_hiding_locals(struct parser *p, struct ptx_func *f)
{
    p->func_serial++;
#define EACH_LOCAL(action)                                                                         \
    for (uint32_t i = 0; i < f->n_regs; i++)                                                       \
        action(p, &f->regs[i].name);                                                               \
    for (uint32_t i = 0; i < f->n_vars; i++)                                                       \
        action(p, &f->vars[i]->name);                                                              \
    for (uint32_t i = 0; i < f->n_labels; i++)                                                     \
        action(p, &f->labels[i].name);                                                             \
    for (uint32_t i = 0; i < f->n_targets; i++)                                                    \
        action(p, &f->targets[i].name);                                                            \
    for (uint32_t i = 0; i < f->n_protos; i++)                                                     \
    action(p, &f->protos[i].name)
#define TAKE(p, text) names_intern(&p->names, *(text), strlen(*(text)))->taken_by = p->func_serial
    EACH_LOCAL(TAKE);
    for (uint32_t i = 0; i < f->n_params; i++)
        TAKE(p, &f->params[i].name);
    for (uint32_t i = 0; i < f->n_rets; i++)
        TAKE(p, &f->rets[i].name);
    EACH_LOCAL(rename_local);
#undef TAKE
#undef EACH_LOCAL
}

void parser_finish_module(struct parser *p)
{
    struct ptx_module *m = p->m;
    for (uint32_t i = 0; i < p->n_global_refs; i++)
        bind_ref(p, &p->global_refs[i]);
    if (p->n_errors)
        return;
    for (uint32_t i = 0; i < p->n_late_insts; i++) {
        struct ptx_inst *inst = &p->late_insts[i];
        if (inst->op == PTX_OP_CALL)
            parser_check_call(p, inst);
        else
            parser_check_inst(p, inst);
    }
    if (p->has_aliases)
        follow_aliases(m);
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        struct ptx_func *f = m->funcs[k];
        if (f->alias_of && f->has_body)
            parser_error(p, f->line, f->col, NULL, "'%s' is an alias and must not have a body",
                         f->name);
        f->first_pc = m->n_insts;
        for (uint32_t i = 0; i < f->n_insts; i++)
            f->insts[i].pc = m->n_insts++;
        rename_hiding_locals(p, f);
    }
}
