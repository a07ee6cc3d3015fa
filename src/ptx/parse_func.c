/* Functions: headers, and bodies with their blocks. Blocks are flattened: what they declare belongs
 * to the function, under names made unique. */
#include "ptx/parse.h"

#include <string.h>

/* --- the header --- */

static bool parse_int_list(struct parser *p, uint32_t *values)
{
    uint32_t n = 0, ignored = 1;
    for (uint32_t i = 0; i < 3; i++)
        values[i] = 1;
    do
        if (!parser_expect_uint32(p, n < 3 ? &values[n] : &ignored, "a number"))
            return false;
    while (n++ < 2 && parser_accept_punct(p, ','));
    return true;
}

/* The directives between a function's parameters and its body. */
bool parse_tuning(struct parser *p, struct ptx_func *f)
{
    uint32_t ignored[3];
    enum directive d = parser_token_directive(p);
    if (d == DIRECTIVE_PRAGMA)
        return parse_pragma(p);
    struct token at = p->tok;
    const struct name *word = parser_expect_word(p, "'{' or ';'");
    if (!word)
        return false;
    switch (d) {
    case DIRECTIVE_MAXNTID:
        return parse_int_list(p, f->maxntid);
    case DIRECTIVE_REQNTID:
        return parse_int_list(p, f->reqntid);
    case DIRECTIVE_MINNCTAPERSM:
        return parser_expect_uint32(p, &f->minnctapersm, "a number");
    case DIRECTIVE_MAXNREG:
        return parser_expect_uint32(p, &f->maxnreg, "a number");
    case DIRECTIVE_MAXNCTAPERSM:
    case DIRECTIVE_MAXCLUSTERRANK:
    case DIRECTIVE_REQNCTAPERCLUSTER:
    case DIRECTIVE_ABI_PRESERVE:
    case DIRECTIVE_ABI_PRESERVE_CONTROL:
        return parse_int_list(p, ignored);
    case DIRECTIVE_EXPLICITCLUSTER:
    case DIRECTIVE_BLOCKSARECLUSTERS:
        return true;
    case DIRECTIVE_NORETURN:
        f->noreturn = true;
        return true;
    case DIRECTIVE_ATTRIBUTE:
        return parser_skip_attribute(p);
    default:
        return parser_error(p, at.line, at.col, parser_hint_directive(p, word->text),
                            "unknown directive '.%s'", word->text);
    }
}

static struct name *parse_header(struct parser *p, struct ptx_func *f)
{
    while (parser_token_directive(p) == DIRECTIVE_ATTRIBUTE ||
           parser_token_directive(p) == DIRECTIVE_NORETURN)
        if (!parse_tuning(p, f))
            return NULL;
    if (parser_at_punct(p, '(') && !f->is_entry && !parse_params(p, &f->rets, &f->n_rets))
        return NULL;
    f->line = p->tok.line;
    f->col = p->tok.col;
    struct name *name = parser_expect_name(p, "a function's name");
    if (!name || (parser_at_punct(p, '(') && !parse_params(p, &f->params, &f->n_params)))
        return NULL;
    f->name = name->text;
    while (p->tok.kind == TOKEN_WORD)
        if (!parse_tuning(p, f))
            return NULL;
    f->has_body = parser_at_punct(p, '{');
    return f->has_body || parser_at_punct(p, ';') || parser_expected(p, "'{' or ';'") ? name : NULL;
}

/* The module's entry for the function: its declarations and its definition share one. */
static struct ptx_func *module_function(struct parser *p, struct name *name,
                                        const struct ptx_func *head)
{
    struct ptx_module *m = p->m;
    struct decl *d = name->decl;
    if (d && d->func && d->func->is_entry == head->is_entry &&
        !(d->func->has_body && head->has_body)) {
        struct ptx_func *f = d->func;
        if (head->has_body || !f->has_body) {
            uint32_t index = f->index;
            bool noreturn = f->noreturn;
            *f = *head;
            f->index = index;
            f->noreturn |= noreturn;
        }
        return f;
    }
    d = parser_declare(p, name, DECL_FUNC, head->line, head->col);
    if (!d)
        return NULL;
    d->func = ARENA_NEW(&m->arena, struct ptx_func);
    *d->func = *head;
    d->func->index = m->n_funcs;
    ARRAY_RESERVE(m->funcs, p->funcs_cap, m->n_funcs + 1);
    return m->funcs[m->n_funcs++] = d->func;
}

/* --- statements --- */

/* .loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN] */
static bool parse_loc(struct parser *p)
{
    struct body *b = &p->body;
    uint32_t ignored;
    parser_advance(p);
    if (!parser_expect_uint32(p, &b->loc_file, "a file number") ||
        !parser_expect_uint32(p, &b->loc_line, "a line number") ||
        !parser_expect_uint32(p, &b->loc_col, "a column number"))
        return false;
    while (parser_accept_punct(p, ',')) {
        const struct name *key = parser_expect_name(p, "'function_name' or 'inlined_at'");
        if (!key)
            return false;
        if (!strcmp(key->text, "function_name")) {
            if (!parser_expect_name(p, "a label") ||
                (parser_accept_punct(p, '+') && !parser_expect_uint32(p, &ignored, "an offset")))
                return false;
        } else if (!parser_expect_uint32(p, &ignored, "a file number") ||
                   !parser_expect_uint32(p, &ignored, "a line number") ||
                   !parser_expect_uint32(p, &ignored, "a column number")) {
            return false;
        }
    }
    return true;
}

static bool parse_body_directive(struct parser *p)
{
    switch (parser_token_directive(p)) {
    case DIRECTIVE_REG:
        return parse_registers(p);
    case DIRECTIVE_GLOBAL:
    case DIRECTIVE_SHARED:
    case DIRECTIVE_LOCAL:
    case DIRECTIVE_CONST:
    case DIRECTIVE_PARAM:
        return parse_variables(p, PTX_LINK_NONE);
    case DIRECTIVE_EXTERN:
        parser_advance(p);
        return parse_variables(p, PTX_LINK_EXTERN);
    case DIRECTIVE_LOC:
        return parse_loc(p);
    case DIRECTIVE_FILE:
        return parse_file(p);
    case DIRECTIVE_PRAGMA:
        return parse_pragma(p);
    case DIRECTIVE_SECTION:
        return parse_section(p);
    default: {
        struct token at = p->tok;
        const struct name *word = parser_expect_word(p, "a directive");
        return parser_error(p, at.line, at.col, parser_hint_directive(p, word->text),
                            "unknown directive '.%s'", word->text);
    }
    }
}

static bool parse_statement(struct parser *p)
{
    p->nesting = 0;
    if (parser_accept_punct(p, ';'))
        return true;
    if (p->tok.kind == TOKEN_WORD)
        return parse_body_directive(p);
    if (p->tok.kind == TOKEN_NAME && lexer_peek(&p->lex) == ':')
        return parse_label(p);
    if (p->tok.kind == TOKEN_NAME || parser_at_punct(p, '@'))
        return parse_instruction(p);
    return parser_expected(p, "an instruction");
}

/* Reads up to the brace that closes the body; parameters share the body's scope. */
static bool parse_blocks(struct parser *p)
{
    const uint32_t outermost = p->depth;
    struct token at = p->tok;
    p->body.first_label_ref[p->depth] = 0;
    parser_advance(p);
    while (p->tok.kind != TOKEN_END) {
        if (parser_at_punct(p, '{')) {
            if (!parser_scope_open(p)) {
                parser_skip_block(p);
                continue;
            }
            p->body.first_label_ref[p->depth] = p->body.n_label_refs;
            parser_advance(p);
        } else if (parser_at_punct(p, '}')) {
            parser_bind_labels(p);
            parser_advance(p);
            if (p->depth == outermost)
                return true;
            parser_scope_close(p);
        } else if (!parse_statement(p)) {
            parser_skip_statement(p);
        }
    }
    while (p->depth > outermost)
        parser_scope_close(p);
    return parser_error(p, at.line, at.col, NULL, "the body of '%s' is not closed",
                        p->body.f->name);
}

/* --- the end of a body --- */

/* Operands are updated to point into the function's final arrays. */
static void rebind_operand(struct ptx_func *f, struct ptx_operand *op)
{
    if (op->reg)
        op->reg = &f->regs[op->reg->index];
    if (op->targets)
        op->targets = &f->targets[op->targets->index];
    if (op->proto)
        op->proto = &f->protos[op->proto->index];
    for (uint32_t i = 0; i < op->n_items; i++)
        rebind_operand(f, &op->items[i]);
}

static void *copy_array(struct arena *a, const void *items, uint32_t n, size_t bytes)
{
    void *copy = arena_alloc(a, n * bytes);
    if (n)
        memcpy(copy, items, n * bytes);
    return copy;
}

static void finish_body(struct parser *p)
{
    struct body *b = &p->body;
    struct ptx_func *f = b->f;
    struct arena *a = &p->m->arena;
    f->n_regs = b->n_regs;
    f->n_vars = b->n_vars;
    f->n_labels = b->n_labels;
    f->n_targets = b->n_targets;
    f->n_protos = b->n_protos;
    f->n_insts = b->n_insts;
    f->vars = copy_array(a, b->vars, b->n_vars, sizeof *b->vars);
    f->labels = copy_array(a, b->labels, b->n_labels, sizeof *b->labels);
    f->insts = copy_array(a, b->insts, b->n_insts, sizeof *b->insts);
    f->regs = ARENA_ARRAY(a, struct ptx_reg, b->n_regs);
    f->targets = ARENA_ARRAY(a, struct ptx_targets, b->n_targets);
    f->protos = ARENA_ARRAY(a, struct ptx_proto, b->n_protos);
    for (uint32_t i = 0; i < b->n_regs; i++)
        f->regs[i] = *b->regs[i];
    for (uint32_t i = 0; i < b->n_protos; i++)
        f->protos[i] = *b->protos[i];
    for (uint32_t i = 0; i < b->n_targets; i++)
        f->targets[i] = *b->targets[i];
    for (uint32_t i = 0; i < f->n_insts; i++) {
        struct ptx_inst *inst = &f->insts[i];
        if (inst->guard)
            inst->guard = &f->regs[inst->guard->index];
        for (uint32_t o = 0; o < inst->n_operands; o++)
            rebind_operand(f, &inst->operands[o]);
    }
    b->f = NULL;
    b->n_regs = b->n_vars = b->n_labels = b->n_targets = b->n_protos = b->n_insts = 0;
    b->n_label_refs = 0;
    b->loc_file = b->loc_line = b->loc_col = 0;
}

bool parse_function(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_func head = {
        .linkage = linkage,
        .is_entry = parser_token_directive(p) == DIRECTIVE_ENTRY,
    };
    p->func_serial++;
    parser_advance(p);
    struct name *name = parse_header(p, &head);
    struct ptx_func *f = name ? module_function(p, name, &head) : NULL;
    if (!f)
        return false;
    if (!head.has_body)
        return parser_expect_punct(p, ';');
    if (!parser_scope_open(p))
        return false;
    p->body.f = f;
    bool ok = parser_declare_params(p, f->rets, f->n_rets) &&
              parser_declare_params(p, f->params, f->n_params) && parse_blocks(p);
    finish_body(p);
    parser_scope_close(p);
    return ok;
}
