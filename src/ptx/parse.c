/* The parser's tools, and ptx_parse(). */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- messages --- */

bool parser_error(struct parser *p, uint32_t line, uint32_t col, const char *hint,
                  const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_add(p->diags, DIAG_ERROR, p->m->name, p->m->text, line, col, hint, "%s", message);
    if (++p->n_errors == MAX_ERRORS)
        p->lex.at = p->lex.end;
    return false;
}

bool error_here(struct parser *p, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return parser_error(p, p->tok.line, p->tok.col, NULL, "%s", message);
}

bool expected(struct parser *p, const char *what)
{
    const struct token *t = &p->tok;
    int shown = t->len > 40 ? 40 : (int)t->len;
    if (t->kind == TOKEN_END)
        return error_here(p, "expected %s, found the end of the file", what);
    return error_here(p, "expected %s, found '%s%.*s'", what, t->kind == TOKEN_WORD ? "." : "",
                      t->len ? shown : 1, t->text);
}

/* The declared name nearest to a misspelt one. Looked for only while messages are still kept. */
const char *hint_declared(struct parser *p, const char *word)
{
    if (p->n_errors > 20)
        return NULL;
    const char **candidates = xcalloc(p->names.n, sizeof *candidates);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->names.n_slots; i++)
        if (p->names.slots[i] && p->names.slots[i]->decl)
            candidates[n++] = p->names.slots[i]->text;
    const char *hint = suggest_hint(&p->m->arena, word, candidates, n);
    free(candidates);
    return hint;
}

/* --- tokens --- */

void parser_advance(struct parser *p)
{
    lexer_next(&p->lex, &p->tok);
    while (p->tok.kind == TOKEN_BAD) {
        error_here(p, "%s", p->tok.text);
        lexer_next(&p->lex, &p->tok);
    }
}

bool at_punct(const struct parser *p, int punct)
{
    return p->tok.kind == TOKEN_PUNCT && p->tok.punct == punct;
}

bool accept_punct(struct parser *p, int punct)
{
    if (!at_punct(p, punct))
        return false;
    parser_advance(p);
    return true;
}

bool expect_punct(struct parser *p, int punct)
{
    char what[] = {'\'', (char)punct, '\'', 0};
    return accept_punct(p, punct) || expected(p, what);
}

static struct name *take_name(struct parser *p, enum token_kind kind, const char *what)
{
    if (p->tok.kind != kind) {
        expected(p, what);
        return NULL;
    }
    struct name *name = names_intern(&p->names, p->tok.text, p->tok.len);
    parser_advance(p);
    return name;
}

struct name *expect_name(struct parser *p, const char *what)
{
    return take_name(p, TOKEN_NAME, what);
}

struct name *expect_word(struct parser *p, const char *what)
{
    return take_name(p, TOKEN_WORD, what);
}

bool expect_uint32(struct parser *p, uint32_t *value, const char *what)
{
    if (p->tok.kind != TOKEN_INT)
        return expected(p, what);
    if (p->tok.bits > UINT32_MAX)
        return error_here(p, "%s must fit 32 bits", what);
    *value = (uint32_t)p->tok.bits;
    parser_advance(p);
    return true;
}

enum directive token_directive(struct parser *p)
{
    if (p->tok.kind != TOKEN_WORD)
        return NO_DIRECTIVE;
    const struct name *name = names_find(&p->names, p->tok.text, p->tok.len);
    return name ? name->directive : NO_DIRECTIVE;
}

/* --- scopes --- */

bool scope_open(struct parser *p)
{
    if (p->depth == MAX_SCOPES)
        return error_here(p, "blocks are nested more than %d deep", MAX_SCOPES);
    p->scopes[++p->depth] = NULL;
    return true;
}

void scope_close(struct parser *p)
{
    for (struct decl *d = p->scopes[p->depth]; d; d = d->next_in_scope) {
        if (d->kind == DECL_RANGE)
            d->name->range = d->outer;
        else
            d->name->decl = d->outer;
    }
    p->depth--;
}

static struct decl *add_decl(struct parser *p, struct name *name, enum decl_kind kind,
                             uint32_t depth)
{
    struct decl **innermost = kind == DECL_RANGE ? &name->range : &name->decl;
    struct decl *d = ARENA_NEW(&p->m->arena, struct decl);
    *d = (struct decl){
        .kind = kind,
        .depth = depth,
        .name = name,
        .outer = *innermost,
        .next_in_scope = p->scopes[depth],
        .vec = 1,
    };
    p->scopes[depth] = d;
    return *innermost = d;
}

/* The innermost range that holds the name: "%r12" may be %r<20> or %r1<5>. */
static struct decl *find_range(const struct parser *p, const struct name *name)
{
    struct decl *best = NULL;
    uint64_t number = 0, unit = 1;
    for (uint32_t k = name->len; k > 1 && name->len - k < 8; unit *= 10) {
        char digit = name->text[--k];
        if (digit < '0' || digit > '9')
            break;
        number += unit * (uint64_t)(digit - '0');
        if (digit == '0' && k + 1 < name->len)
            continue; /* numbers have no leading zeros */
        const struct name *prefix = names_find(&p->names, name->text, k);
        struct decl *range = prefix ? prefix->range : NULL;
        while (range && range->count <= number)
            range = range->outer;
        if (range && (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}

struct decl *declare(struct parser *p, struct name *name, enum decl_kind kind, uint32_t line,
                     uint32_t col)
{
    const struct decl *there = kind == DECL_RANGE ? name->range : name->decl;
    const struct decl *range = kind == DECL_RANGE ? NULL : find_range(p, name);
    if ((there && there->depth == p->depth) || (range && range->depth == p->depth)) {
        parser_error(p, line, col, NULL, "'%s%s' is already declared in this scope", name->text,
                     kind == DECL_RANGE ? "<...>" : "");
        return NULL;
    }
    if (name->sreg != NO_SREG) {
        parser_error(p, line, col, NULL, "'%s' is a special register", name->text);
        return NULL;
    }
    return add_decl(p, name, kind, p->depth);
}

struct decl *lookup(struct parser *p, struct name *name)
{
    struct decl *d = name->decl;
    if (d && d->depth == p->depth)
        return d;
    const struct decl *range = find_range(p, name);
    if (!range || (d && d->depth >= range->depth))
        return d;
    d = add_decl(p, name, DECL_REG, range->depth);
    d->type = range->type;
    d->vec = range->vec;
    return d;
}

const char *unique_name(struct parser *p, struct name *name)
{
    if (name->taken_by != p->func_serial) {
        name->taken_by = p->func_serial;
        name->n_copies = 0;
        return name->text;
    }
    for (;;) {
        const char *text = arena_printf(&p->m->arena, "%s$%u", name->text, ++name->n_copies);
        struct name *copy = names_intern(&p->names, text, strlen(text));
        if (copy->taken_by != p->func_serial) {
            copy->taken_by = p->func_serial;
            copy->n_copies = 0;
            return copy->text;
        }
    }
}

static struct ptx_reg *add_register(struct parser *p, const char *name, enum ptx_type type)
{
    struct body *b = &p->body;
    struct ptx_reg *r = ARENA_NEW(&p->m->arena, struct ptx_reg);
    *r = (struct ptx_reg){.name = name, .type = type, .index = b->n_regs};
    ARRAY_RESERVE(b->regs, b->regs_cap, b->n_regs + 1);
    return b->regs[b->n_regs++] = r;
}

struct ptx_reg **use_register(struct parser *p, struct decl *d)
{
    if (d->regs)
        return d->regs;
    d->regs = ARENA_ARRAY(&p->m->arena, struct ptx_reg *, d->vec);
    const char *name = unique_name(p, d->name);
    if (d->vec == 1)
        d->regs[0] = add_register(p, name, d->type);
    else
        for (uint32_t i = 0; i < d->vec; i++)
            d->regs[i] =
                add_register(p, arena_printf(&p->m->arena, "%s.%c", name, "xyzw"[i]), d->type);
    return d->regs;
}

void add_global_ref(struct parser *p, struct global_ref ref)
{
    ARRAY_RESERVE(p->global_refs, p->global_refs_cap, p->n_global_refs + 1);
    p->global_refs[p->n_global_refs++] = ref;
}

/* --- the end of the module --- */

static bool bind_ref(struct parser *p, const struct global_ref *ref)
{
    const struct decl *d = ref->name->decl;
    if (!d)
        return parser_error(p, ref->line, ref->col, hint_declared(p, ref->name->text),
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

/* Calls of an alias become calls of the function behind it. */
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

/* A local thing with the name of a module's thing would hide it, once blocks are flattened. */
static void rename_local(struct parser *p, const char **text)
{
    struct name *name = names_intern(&p->names, *text, strlen(*text));
    if (!name->decl)
        return;
    do
        *text = unique_name(p, name);
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

static void finish_module(struct parser *p)
{
    struct ptx_module *m = p->m;
    for (uint32_t i = 0; i < p->n_global_refs; i++)
        bind_ref(p, &p->global_refs[i]);
    if (p->n_errors)
        return;
    for (uint32_t i = 0; i < p->n_calls; i++)
        check_call(p, &p->calls[i]);
    if (p->has_aliases)
        follow_aliases(m);
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        struct ptx_func *f = m->funcs[k];
        if (f->alias_of && f->has_body)
            parser_error(p, f->line, f->col, NULL, "'%s' is an alias and has a body", f->name);
        f->first_pc = m->n_insts;
        for (uint32_t i = 0; i < f->n_insts; i++)
            f->insts[i].pc = m->n_insts++;
        rename_hiding_locals(p, f);
    }
}

/* Arrays that grow on the heap move to the arena, which the module owns. */
static void *move_array(struct arena *a, void *items, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (bytes)
        memcpy(copy, items, bytes);
    free(items);
    return copy;
}

static void destroy_parser(struct parser *p)
{
    struct ptx_module *m = p->m;
    m->vars = move_array(&m->arena, m->vars, m->n_vars * sizeof *m->vars);
    m->funcs = move_array(&m->arena, m->funcs, m->n_funcs * sizeof *m->funcs);
    m->files = move_array(&m->arena, m->files, m->n_files * sizeof *m->files);
    names_destroy(&p->names);
    free(p->body.regs);
    free(p->body.vars);
    free(p->body.labels);
    free(p->body.targets);
    free(p->body.protos);
    free(p->body.insts);
    free(p->body.label_refs);
    free(p->operands);
    free(p->global_refs);
    free(p->calls);
    free(p->relocs);
    free(p->init);
}

struct ptx_module *ptx_parse(const char *name, const char *text, size_t len,
                             struct diag_list *diags)
{
    struct ptx_module *m = xcalloc(1, sizeof *m);
    m->name = arena_strdup(&m->arena, name);
    m->text = arena_strndup(&m->arena, text, len);
    m->address_bits = 64;
    struct parser p = {.m = m, .diags = diags, .init_bytes_left = MAX_INIT_BYTES};
    names_init(&p.names, &m->arena);
    lexer_init(&p.lex, m->text, len);
    if (len >= UINT32_MAX)
        parser_error(&p, 0, 0, NULL, "the file is too long: 4 GiB and more are not read");
    parser_advance(&p);
    parse_module(&p);
    finish_module(&p);
    destroy_parser(&p);
    if (p.n_errors) {
        ptx_module_destroy(m);
        return NULL;
    }
    return m;
}
