/* Prints a module as PTX text: instructions, functions, the module. Blocks are flattened and
 * others' pragmas omitted, so the text differs from what was read but means the same. */
#include "ptx/print.h"

#include <inttypes.h>

#include "ptx/lexer.h"

/* --- instructions --- */

static void print_operand(const struct ptx_func *f, const struct ptx_operand *op,
                          struct strbuf *out);

static void print_items(const struct ptx_func *f, const struct ptx_operand *op, uint32_t first,
                        struct strbuf *out)
{
    for (uint32_t i = first; i < op->n_items; i++) {
        if (i)
            strbuf_add(out, ", ");
        print_operand(f, &op->items[i], out);
    }
}

static void print_offset(int64_t offset, struct strbuf *out)
{
    if (offset)
        strbuf_addf(out, "+%" PRId64, offset);
}

static void print_immediate(const struct ptx_operand *op, struct strbuf *out)
{
    if (op->imm_f32)
        strbuf_addf(out, "0f%08" PRIX32, lexer_narrow_f32(op->bits));
    else if (op->imm_float)
        strbuf_addf(out, "0d%016" PRIX64, op->bits);
    else
        strbuf_addf(out, "%" PRId64, (int64_t)op->bits);
}

static void print_memory(const struct ptx_func *f, const struct ptx_operand *op, struct strbuf *out)
{
    strbuf_add_char(out, '[');
    print_operand(f, &op->items[0], out);
    print_offset(op->offset, out);
    print_items(f, op, 1, out);
    strbuf_add_char(out, ']');
}

static void print_group(const struct ptx_func *f, const struct ptx_operand *op, char open,
                        char close, struct strbuf *out)
{
    strbuf_add_char(out, open);
    print_items(f, op, 0, out);
    strbuf_add_char(out, close);
}

static void print_operand(const struct ptx_func *f, const struct ptx_operand *op,
                          struct strbuf *out)
{
    if (op->negated)
        strbuf_add_char(out, op->reg && op->reg->type != PTX_PRED ? '-' : '!');
    switch (op->kind) {
    case PTX_OPERAND_REG:
        strbuf_add(out, op->reg->name);
        break;
    case PTX_OPERAND_SREG:
        strbuf_add(out, ptx_sreg_name(op->sreg));
        break;
    case PTX_OPERAND_IMM:
        print_immediate(op, out);
        break;
    case PTX_OPERAND_VAR:
        strbuf_add(out, op->var->name);
        print_offset(op->offset, out);
        break;
    case PTX_OPERAND_FUNC:
        strbuf_add(out, op->func->name);
        break;
    case PTX_OPERAND_LABEL:
        strbuf_add(out, f->labels[op->label].name);
        break;
    case PTX_OPERAND_TARGETS:
        strbuf_add(out, op->targets->name);
        break;
    case PTX_OPERAND_PROTO:
        strbuf_add(out, op->proto->name);
        break;
    case PTX_OPERAND_MEM:
        print_memory(f, op, out);
        break;
    case PTX_OPERAND_VEC:
        print_group(f, op, '{', '}', out);
        break;
    case PTX_OPERAND_PAIR:
        print_operand(f, &op->items[0], out);
        strbuf_add_char(out, '|');
        print_operand(f, &op->items[1], out);
        break;
    case PTX_OPERAND_SINK:
        strbuf_add_char(out, '_');
        break;
    case PTX_OPERAND_LIST:
        print_group(f, op, '(', ')', out);
        break;
    }
}

static void print_words(const struct ptx_inst *i, struct strbuf *out)
{
    uint32_t mod = 0, type = 0;
    for (uint32_t k = 0; k < (uint32_t)i->n_mods + i->n_types; k++) {
        bool is_type = i->type_places >> k & 1;
        strbuf_add_char(out, '.');
        strbuf_add(out, is_type ? ptx_types[i->types[type]].text : ptx_mods[i->mods[mod]].text);
        type += is_type;
        mod += !is_type;
    }
    if (i->words)
        strbuf_add(out, i->words);
}

/* The empty lists that a call always has are not printed where they are not needed. */
static bool is_left_out(const struct ptx_inst *i, uint32_t operand)
{
    const struct ptx_operand *op = &i->operands[operand];
    return i->op == PTX_OP_CALL && op->kind == PTX_OPERAND_LIST && !op->n_items;
}

void ptx_print_inst(const struct ptx_func *f, const struct ptx_inst *i, struct strbuf *out)
{
    if (i->guard)
        strbuf_addf(out, "@%s%s ", i->guard_negated ? "!" : "", i->guard->name);
    strbuf_add(out, ptx_insts[i->op].text);
    print_words(i, out);
    const char *separator = " ";
    for (uint32_t k = 0; k < i->n_operands; k++) {
        if (is_left_out(i, k))
            continue;
        strbuf_add(out, separator);
        print_operand(f, &i->operands[k], out);
        separator = ", ";
    }
    strbuf_add_char(out, ';');
}

/* --- functions --- */

static void print_params(const struct ptx_var *params, uint32_t n, const char *indent,
                         struct strbuf *out)
{
    strbuf_add_char(out, '(');
    for (uint32_t i = 0; i < n; i++) {
        strbuf_add(out, i ? "," : "");
        strbuf_add(out, *indent || !i ? indent : " ");
        print_variable(&params[i], out);
    }
    strbuf_addf(out, "%s)", n && *indent ? "\n" : "");
}

static void print_tuning(const struct ptx_func *f, struct strbuf *out)
{
    const uint32_t *m = f->maxntid, *r = f->reqntid;
    if (m[0] | m[1] | m[2])
        strbuf_addf(out, "\n.maxntid %u, %u, %u", m[0], m[1], m[2]);
    if (r[0] | r[1] | r[2])
        strbuf_addf(out, "\n.reqntid %u, %u, %u", r[0], r[1], r[2]);
    if (f->minnctapersm)
        strbuf_addf(out, "\n.minnctapersm %u", f->minnctapersm);
    if (f->maxnreg)
        strbuf_addf(out, "\n.maxnreg %u", f->maxnreg);
    if (f->noreturn)
        strbuf_add(out, "\n.noreturn");
}

static void print_linkage(enum ptx_linkage linkage, struct strbuf *out)
{
    static const char *const texts[] = {
        [PTX_LINK_NONE] = "",           [PTX_LINK_VISIBLE] = ".visible ",
        [PTX_LINK_EXTERN] = ".extern ", [PTX_LINK_WEAK] = ".weak ",
        [PTX_LINK_COMMON] = ".common ",
    };
    strbuf_add(out, texts[linkage]);
}

static void print_header(const struct ptx_func *f, struct strbuf *out)
{
    print_linkage(f->linkage, out);
    strbuf_add(out, f->is_entry ? ".entry " : ".func ");
    if (f->n_rets) {
        print_params(f->rets, f->n_rets, "", out);
        strbuf_add_char(out, ' ');
    }
    strbuf_add(out, f->name);
    print_params(f->params, f->n_params, "\n\t", out);
}

static void print_targets(const struct ptx_func *f, const struct ptx_targets *t, struct strbuf *out)
{
    strbuf_addf(out, "%s: %s", t->name, t->funcs ? ".calltargets" : ".branchtargets");
    for (uint32_t i = 0; i < t->n; i++)
        strbuf_addf(out, "%s %s", i ? "," : "",
                    t->funcs ? t->funcs[i]->name : f->labels[t->labels[i]].name);
    strbuf_add(out, ";\n");
}

static void print_prototype(const struct ptx_proto *proto, struct strbuf *out)
{
    strbuf_addf(out, "%s: .callprototype ", proto->name);
    print_params(proto->rets, proto->n_rets, "", out);
    strbuf_add(out, " _ ");
    print_params(proto->params, proto->n_params, "", out);
    strbuf_add(out, proto->noreturn ? " .noreturn;\n" : ";\n");
}

/* The position of printing in the lists whose entries precede instructions. */
struct place {
    uint32_t label, target, proto;
};

static void print_before(const struct ptx_func *f, uint32_t inst, struct place *at,
                         struct strbuf *out)
{
    for (; at->target < f->n_targets && f->targets[at->target].at == inst; at->target++)
        print_targets(f, &f->targets[at->target], out);
    for (; at->proto < f->n_protos && f->protos[at->proto].at == inst; at->proto++)
        print_prototype(&f->protos[at->proto], out);
    for (; at->label < f->n_labels && f->labels[at->label].at == inst; at->label++)
        strbuf_addf(out, "%s:\n", f->labels[at->label].name);
}

static void print_insts(const struct ptx_func *f, struct strbuf *out)
{
    struct place at = {0};
    uint32_t file = 0, line = 0, col = 0;
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const struct ptx_inst *i = &f->insts[k];
        print_before(f, k, &at, out);
        if (i->loc_file != file || i->loc_line != line || i->loc_col != col) {
            file = i->loc_file;
            line = i->loc_line;
            col = i->loc_col;
            strbuf_addf(out, "\t.loc %u %u %u\n", file, line, col);
        }
        strbuf_add_char(out, '\t');
        ptx_print_inst(f, i, out);
        strbuf_add_char(out, '\n');
    }
    print_before(f, f->n_insts, &at, out);
}

static void print_function(const struct ptx_func *f, bool use_ranges, struct strbuf *out)
{
    strbuf_add_char(out, '\n');
    print_header(f, out);
    print_tuning(f, out);
    strbuf_add(out, "\n{\n");
    print_registers(f, use_ranges, out);
    for (uint32_t i = 0; i < f->n_vars; i++) {
        strbuf_add_char(out, '\t');
        print_linkage(f->vars[i]->linkage, out);
        print_variable(f->vars[i], out);
        strbuf_add(out, ";\n");
    }
    print_insts(f, out);
    strbuf_add(out, "}\n");
}

/* --- the module --- */

static bool names_later(const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_insts; i++)
        for (uint32_t o = 0; o < f->insts[i].n_operands; o++) {
            const struct ptx_operand *op = &f->insts[i].operands[o];
            if (op->kind == PTX_OPERAND_FUNC && op->func->index > f->index)
                return true;
        }
    for (uint32_t t = 0; t < f->n_targets; t++)
        for (uint32_t k = 0; f->targets[t].funcs && k < f->targets[t].n; k++)
            if (f->targets[t].funcs[k]->index > f->index)
                return true;
    return false;
}

/* PTX requires functions to be declared before a function or an initial value names them. In that
 * case all are declared first, in order, which keeps their order. */
static bool needs_declarations(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->n_vars; i++)
        for (uint32_t r = 0; r < m->vars[i]->n_relocs; r++)
            if (m->vars[i]->relocs[r].func)
                return true;
    for (uint32_t i = 0; i < m->n_funcs; i++)
        if (m->funcs[i]->alias_of || names_later(m->funcs[i]))
            return true;
    return false;
}

static bool is_percent_name(const char *name)
{
    return name[0] == '%';
}

/* Do only registers have names that start with '%', so that a range hides nothing? */
static bool percent_means_register(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->n_vars; i++)
        if (is_percent_name(m->vars[i]->name))
            return false;
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i];
        bool found = is_percent_name(f->name);
        for (uint32_t k = 0; k < f->n_params; k++)
            found |= is_percent_name(f->params[k].name);
        for (uint32_t k = 0; k < f->n_rets; k++)
            found |= is_percent_name(f->rets[k].name);
        for (uint32_t k = 0; k < f->n_vars; k++)
            found |= is_percent_name(f->vars[k]->name);
        for (uint32_t k = 0; k < f->n_labels; k++)
            found |= is_percent_name(f->labels[k].name);
        for (uint32_t k = 0; k < f->n_targets; k++)
            found |= is_percent_name(f->targets[k].name);
        for (uint32_t k = 0; k < f->n_protos; k++)
            found |= is_percent_name(f->protos[k].name);
        if (found)
            return false;
    }
    return true;
}

static void print_declaration(const struct ptx_func *f, struct strbuf *out)
{
    print_header(f, out);
    if (!f->has_body) /* otherwise it is printed once, with the body */
        print_tuning(f, out);
    strbuf_add(out, ";\n");
}

void ptx_print(const struct ptx_module *m, struct strbuf *out)
{
    bool declares = needs_declarations(m), use_ranges = percent_means_register(m);
    strbuf_addf(out, ".version %u.%u\n", m->version_major, m->version_minor);
    if (m->target)
        strbuf_addf(out, ".target %s\n", m->target);
    strbuf_addf(out, ".address_size %u\n\n", m->address_bits);
    if (m->late_reconvergence)
        strbuf_add(out, ".pragma \"" PTX_LATE_RECONVERGENCE "\";\n\n");
    for (uint32_t i = 0; i < m->n_files; i++)
        if (m->files[i])
            strbuf_addf(out, ".file %u \"%s\"\n", i, m->files[i]);
    for (uint32_t i = 0; declares && i < m->n_funcs; i++)
        print_declaration(m->funcs[i], out);
    for (uint32_t i = 0; i < m->n_vars; i++) {
        print_linkage(m->vars[i]->linkage, out);
        print_variable(m->vars[i], out);
        strbuf_add(out, ";\n");
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        if (m->funcs[i]->has_body)
            print_function(m->funcs[i], use_ranges, out);
        else if (!declares)
            print_declaration(m->funcs[i], out);
    }
    for (uint32_t i = 0; i < m->n_funcs; i++)
        if (m->funcs[i]->alias_of)
            strbuf_addf(out, ".alias %s, %s;\n", m->funcs[i]->name, m->funcs[i]->alias_of->name);
}
