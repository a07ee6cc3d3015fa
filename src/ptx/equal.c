/* Compares two modules. Things are compared by their index in the lists, so a name that resolves to
 * another thing of equal shape is a difference too. */
#include "ptx/ptx.h"

#include <string.h>

struct comparison {
    struct strbuf *why;
    const char *func; /* the function being compared, for the message */
};

static bool differ(struct comparison *c, const char *what, uint64_t place)
{
    if (c->why)
        strbuf_addf(c->why, "%s%s%s (at %llu)", c->func ? c->func : "", c->func ? ": " : "", what,
                    (unsigned long long)place);
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return a && b ? !memcmp(a, b, n) : a == b;
}

/* Index of an optional thing. */
#define INDEX(thing) ((thing) ? (int64_t)(thing)->index : -1)

static bool same_relocs(const struct ptx_var *a, const struct ptx_var *b)
{
    if (a->n_relocs != b->n_relocs)
        return false;
    for (uint32_t i = 0; i < a->n_relocs; i++) {
        const struct ptx_reloc *x = &a->relocs[i], *y = &b->relocs[i];
        if (x->at != y->at || x->bytes != y->bytes || x->shift_bits != y->shift_bits ||
            x->generic != y->generic || !same_text(x->symbol, y->symbol) ||
            x->addend != y->addend || INDEX(x->var) != INDEX(y->var) ||
            INDEX(x->func) != INDEX(y->func))
            return false;
    }
    return true;
}

static bool same_var(const struct ptx_var *a, const struct ptx_var *b)
{
    return same_text(a->name, b->name) && a->space == b->space && a->linkage == b->linkage &&
           a->type == b->type && a->vec == b->vec && a->is_array == b->is_array &&
           a->is_unsized == b->is_unsized && a->n_elems == b->n_elems && a->bytes == b->bytes &&
           a->align == b->align && a->is_ptr == b->is_ptr && a->ptr_space == b->ptr_space &&
           a->ptr_align == b->ptr_align && a->index == b->index &&
           same_bytes(a->data, b->data, a->bytes) && same_relocs(a, b);
}

static bool same_params(const struct ptx_var *a, uint32_t n_a, const struct ptx_var *b,
                        uint32_t n_b)
{
    if (n_a != n_b)
        return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (!same_var(&a[i], &b[i]))
            return false;
    return true;
}

static bool same_operands(const struct ptx_operand *a, uint32_t n_a, const struct ptx_operand *b,
                          uint32_t n_b)
{
    if (n_a != n_b)
        return false;
    for (uint32_t i = 0; i < n_a; i++) {
        const struct ptx_operand *x = &a[i], *y = &b[i];
        if (x->kind != y->kind || x->negated != y->negated || x->imm_float != y->imm_float ||
            x->imm_f32 != y->imm_f32 || x->bits != y->bits || INDEX(x->reg) != INDEX(y->reg) ||
            x->sreg != y->sreg || !x->var != !y->var || (x->var && !same_var(x->var, y->var)) ||
            INDEX(x->func) != INDEX(y->func) || x->label != y->label ||
            INDEX(x->targets) != INDEX(y->targets) || INDEX(x->proto) != INDEX(y->proto) ||
            x->offset != y->offset || !same_operands(x->items, x->n_items, y->items, y->n_items))
            return false;
    }
    return true;
}

static bool same_inst(const struct ptx_inst *a, const struct ptx_inst *b)
{
    return a->op == b->op && a->n_mods == b->n_mods && a->n_types == b->n_types &&
           !memcmp(a->mods, b->mods, a->n_mods) && !memcmp(a->types, b->types, a->n_types) &&
           a->type_places == b->type_places && INDEX(a->guard) == INDEX(b->guard) &&
           a->guard_negated == b->guard_negated && a->loc_file == b->loc_file &&
           a->loc_line == b->loc_line && a->loc_col == b->loc_col && a->pc == b->pc &&
           a->refused == b->refused && same_text(a->words, b->words) &&
           same_operands(a->operands, a->n_operands, b->operands, b->n_operands);
}

static bool same_targets(const struct ptx_targets *a, const struct ptx_targets *b)
{
    if (!same_text(a->name, b->name) || a->n != b->n || a->at != b->at || !a->funcs != !b->funcs)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->funcs ? a->funcs[i]->index != b->funcs[i]->index : a->labels[i] != b->labels[i])
            return false;
    return true;
}

static bool same_proto(const struct ptx_proto *a, const struct ptx_proto *b)
{
    return same_text(a->name, b->name) && a->noreturn == b->noreturn && a->at == b->at &&
           same_params(a->rets, a->n_rets, b->rets, b->n_rets) &&
           same_params(a->params, a->n_params, b->params, b->n_params);
}

static bool same_header(const struct ptx_func *a, const struct ptx_func *b)
{
    return a->is_entry == b->is_entry && a->has_body == b->has_body && a->noreturn == b->noreturn &&
           a->linkage == b->linkage &&
           same_params(a->params, a->n_params, b->params, b->n_params) &&
           same_params(a->rets, a->n_rets, b->rets, b->n_rets) &&
           !memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) &&
           !memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) &&
           a->minnctapersm == b->minnctapersm && a->maxnreg == b->maxnreg && a->index == b->index &&
           a->first_pc == b->first_pc && INDEX(a->alias_of) == INDEX(b->alias_of);
}

static bool same_func(struct comparison *c, const struct ptx_func *a, const struct ptx_func *b)
{
    if (!same_text(a->name, b->name) || !same_header(a, b))
        return differ(c, "headers differ", 0);
    if (a->n_regs != b->n_regs || a->n_vars != b->n_vars || a->n_labels != b->n_labels ||
        a->n_targets != b->n_targets || a->n_protos != b->n_protos || a->n_insts != b->n_insts)
        return differ(c, "sizes differ", 0);
    for (uint32_t i = 0; i < a->n_regs; i++)
        if (!same_text(a->regs[i].name, b->regs[i].name) || a->regs[i].type != b->regs[i].type)
            return differ(c, "registers differ", i);
    for (uint32_t i = 0; i < a->n_vars; i++)
        if (!same_var(a->vars[i], b->vars[i]))
            return differ(c, "variables differ", i);
    for (uint32_t i = 0; i < a->n_labels; i++)
        if (!same_text(a->labels[i].name, b->labels[i].name) || a->labels[i].at != b->labels[i].at)
            return differ(c, "labels differ", i);
    for (uint32_t i = 0; i < a->n_targets; i++)
        if (!same_targets(&a->targets[i], &b->targets[i]))
            return differ(c, "lists of targets differ", i);
    for (uint32_t i = 0; i < a->n_protos; i++)
        if (!same_proto(&a->protos[i], &b->protos[i]))
            return differ(c, "prototypes differ", i);
    for (uint32_t i = 0; i < a->n_insts; i++)
        if (!same_inst(&a->insts[i], &b->insts[i]))
            return differ(c, "instructions differ", i);
    return true;
}

bool ptx_module_equal(const struct ptx_module *a, const struct ptx_module *b, struct strbuf *why)
{
    struct comparison c = {.why = why};
    if (a->version_major != b->version_major || a->version_minor != b->version_minor ||
        !same_text(a->target, b->target) || a->sm != b->sm || a->address_bits != b->address_bits ||
        a->late_reconvergence != b->late_reconvergence)
        return differ(&c, "targets differ", 0);
    if (a->n_files != b->n_files || a->n_vars != b->n_vars || a->n_funcs != b->n_funcs ||
        a->n_insts != b->n_insts)
        return differ(&c, "sizes differ", 0);
    for (uint32_t i = 0; i < a->n_files; i++)
        if (!same_text(a->files[i], b->files[i]))
            return differ(&c, "files differ", i);
    for (uint32_t i = 0; i < a->n_vars; i++)
        if (!same_var(a->vars[i], b->vars[i]))
            return differ(&c, "variables differ", i);
    for (uint32_t i = 0; i < a->n_funcs; i++) {
        c.func = a->funcs[i]->name;
        if (!same_func(&c, a->funcs[i], b->funcs[i]))
            return false;
    }
    return true;
}
