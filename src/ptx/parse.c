/* The parser's tools, and ptx_parse(). */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- messages --- */

static void add_message(struct parser *p, enum diag_severity severity, uint32_t line, uint32_t col,
                        const char *hint, const char *format, va_list args)
{
    char message[512];
    vsnprintf(message, sizeof message, format, args);
    diag_add(p->diags, severity, p->m->name, p->m->text, line, col, hint, "%s", message);
}

bool parser_error(struct parser *p, uint32_t line, uint32_t col, const char *hint,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_message(p, DIAG_ERROR, line, col, hint, format, args);
    va_end(args);
    if (++p->n_errors == MAX_ERRORS)
        p->lex.at = p->lex.end;
    return false;
}

void parser_warning(struct parser *p, uint32_t line, uint32_t col, const char *hint,
                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_message(p, DIAG_WARNING, line, col, hint, format, args);
    va_end(args);
}

bool parser_error_here(struct parser *p, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return parser_error(p, p->tok.line, p->tok.col, NULL, "%s", message);
}

bool parser_expected(struct parser *p, const char *what)
{
    const struct token *t = &p->tok;
    int shown = t->len > 40 ? 40 : (int)t->len;
    if (t->kind == TOKEN_END)
        return parser_error_here(p, "expected %s, found the end of the file", what);
    return parser_error_here(p, "expected %s, found '%s%.*s'", what,
                             t->kind == TOKEN_WORD ? "." : "", t->len ? shown : 1, t->text);
}

/* The declared name nearest to a misspelt one. Searched only while messages are still kept. */
const char *parser_hint_declared(struct parser *p, const char *word)
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

/* The special register nearest to a misspelt one. */
const char *parser_hint_sreg(struct parser *p, const char *word)
{
    const char *texts[PTX_N_SREGS];
    for (uint32_t i = 0; i < PTX_N_SREGS; i++)
        texts[i] = ptx_sreg_name(i);
    return suggest_hint(&p->m->arena, word, texts, PTX_N_SREGS);
}

/* The directive nearest to a misspelt one, as it is written. */
const char *parser_hint_directive(struct parser *p, const char *word)
{
    const char *nearest = suggest_nearest(word, directive_texts, N_DIRECTIVES);
    return nearest ? arena_printf(&p->m->arena, "did you mean '.%s'?", nearest) : NULL;
}

/* --- tokens --- */

void parser_advance(struct parser *p)
{
    lexer_next(&p->lex, &p->tok);
    while (p->tok.kind == TOKEN_BAD) {
        parser_error_here(p, "%s", p->tok.text);
        lexer_next(&p->lex, &p->tok);
    }
}

bool parser_at_punct(const struct parser *p, int punct)
{
    return p->tok.kind == TOKEN_PUNCT && p->tok.punct == punct;
}

bool parser_accept_punct(struct parser *p, int punct)
{
    if (!parser_at_punct(p, punct))
        return false;
    parser_advance(p);
    return true;
}

bool parser_expect_punct(struct parser *p, int punct)
{
    char what[] = {'\'', (char)punct, '\'', 0};
    return parser_accept_punct(p, punct) || parser_expected(p, what);
}

static struct name *take_name(struct parser *p, enum token_kind kind, const char *what)
{
    if (p->tok.kind != kind) {
        parser_expected(p, what);
        return NULL;
    }
    struct name *name = names_intern(&p->names, p->tok.text, p->tok.len);
    parser_advance(p);
    return name;
}

struct name *parser_expect_name(struct parser *p, const char *what)
{
    return take_name(p, TOKEN_NAME, what);
}

struct name *parser_expect_word(struct parser *p, const char *what)
{
    return take_name(p, TOKEN_WORD, what);
}

bool parser_expect_uint32(struct parser *p, uint32_t *value, const char *what)
{
    if (p->tok.kind != TOKEN_INT)
        return parser_expected(p, what);
    if (p->tok.bits > UINT32_MAX)
        return parser_error_here(p, "%s must fit 32 bits", what);
    *value = (uint32_t)p->tok.bits;
    parser_advance(p);
    return true;
}

enum directive parser_token_directive(struct parser *p)
{
    if (p->tok.kind != TOKEN_WORD)
        return NO_DIRECTIVE;
    const struct name *name = names_find(&p->names, p->tok.text, p->tok.len);
    return name ? name->directive : NO_DIRECTIVE;
}

/* --- the module --- */

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
    free(p->late_insts);
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
        parser_error(&p, 0, 0, NULL,
                     "the file is too long: files of 4 GiB and more are not supported");
    parser_advance(&p);
    parse_module(&p);
    parser_finish_module(&p);
    destroy_parser(&p);
    if (p.n_errors) {
        ptx_module_destroy(m);
        return NULL;
    }
    return m;
}
