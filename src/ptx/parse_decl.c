/* Declarations of registers, variables and parameters. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ALIGN = 1 << 16 };

/* --- registers --- */

static bool parse_register_name(struct parser *p, enum ptx_type type, uint32_t vec)
{
    struct token at = p->tok;
    struct name *name = parser_expect_name(p, "a register's name");
    if (!name)
        return false;
    uint32_t count = 0;
    bool is_range = parser_accept_punct(p, '<');
    if (is_range) {
        struct token number = p->tok;
        if (!parser_expect_uint32(p, &count, "how many registers") || !parser_expect_punct(p, '>'))
            return false;
        if (count > MAX_REGISTER_RANGE)
            return parser_error(p, number.line, number.col, NULL,
                                "%u registers are too many; at most %d in a range", count,
                                MAX_REGISTER_RANGE);
    }
    struct decl *d = parser_declare(p, name, is_range ? DECL_RANGE : DECL_REG, at.line, at.col);
    if (!d)
        return false;
    d->type = type;
    d->vec = vec;
    d->count = count;
    return true;
}

bool parse_registers(struct parser *p)
{
    enum ptx_type type = PTX_NO_TYPE;
    uint32_t vec = 1;
    if (!p->body.f)
        return parser_error_here(p, "registers are declared inside functions");
    parser_advance(p);
    while (p->tok.kind == TOKEN_WORD) {
        struct token at = p->tok;
        const struct name *word = parser_expect_word(p, "a type");
        if (word->directive == DIRECTIVE_V2 || word->directive == DIRECTIVE_V4)
            vec = word->directive == DIRECTIVE_V2 ? 2 : 4;
        else if (word->type && type == PTX_NO_TYPE)
            type = word->type;
        else
            return parser_error(p, at.line, at.col, NULL, "'.%s' is not a register type",
                                word->text);
    }
    if (type == PTX_NO_TYPE)
        return parser_expected(p, "a type such as .b32");
    do
        if (!parse_register_name(p, type, vec))
            return false;
    while (parser_accept_punct(p, ','));
    return parser_expect_punct(p, ';');
}

/* --- variables --- */

bool parser_skip_attribute(struct parser *p)
{
    if (!parser_expect_punct(p, '('))
        return false;
    for (int open = 1; open;) {
        if (p->tok.kind == TOKEN_END || parser_at_punct(p, ';'))
            return parser_expected(p, "')'");
        open += parser_at_punct(p, '(') - parser_at_punct(p, ')');
        parser_advance(p);
    }
    return true;
}

static bool parse_align(struct parser *p, uint32_t *align)
{
    struct token at = p->tok;
    if (!parser_expect_uint32(p, align, "an alignment"))
        return false;
    if (!*align || (*align & (*align - 1)) || *align > MAX_ALIGN)
        return parser_error(p, at.line, at.col, NULL, "an alignment is a power of two, at most %d",
                            MAX_ALIGN);
    return true;
}

static enum ptx_space directive_space(enum directive d)
{
    switch (d) {
    case DIRECTIVE_GLOBAL:
    case DIRECTIVE_TEX:
        return PTX_GLOBAL;
    case DIRECTIVE_SHARED:
        return PTX_SHARED;
    case DIRECTIVE_LOCAL:
        return PTX_LOCAL;
    case DIRECTIVE_CONST:
        return PTX_CONST;
    case DIRECTIVE_PARAM:
        return PTX_PARAM;
    default:
        return PTX_GENERIC;
    }
}

/* One dotted word of a variable's declaration. */
static bool parse_var_word(struct parser *p, struct ptx_var *v)
{
    struct token at = p->tok;
    const struct name *word = parser_expect_word(p, "a type");
    enum ptx_space space = directive_space(word->directive);
    if (word->directive == DIRECTIVE_ALIGN)
        return parse_align(p, v->is_ptr ? &v->ptr_align : &v->align);
    if (word->directive == DIRECTIVE_ATTRIBUTE)
        return parser_skip_attribute(p);
    if (word->directive == DIRECTIVE_V2 || word->directive == DIRECTIVE_V4)
        v->vec = word->directive == DIRECTIVE_V2 ? 2 : 4;
    else if (word->directive == DIRECTIVE_PTR)
        v->is_ptr = true;
    else if (space && v->is_ptr)
        v->ptr_space = space;
    else if (space && !v->space)
        v->space = space;
    else if (word->type && word->type != PTX_PRED && v->type == PTX_NO_TYPE)
        v->type = word->type;
    else if (v->type != PTX_TEXREF) /* .tex .u32 name: the type has no meaning */
        return parser_error(p, at.line, at.col, NULL, "'.%s' is not allowed here", word->text);
    if (word->directive == DIRECTIVE_TEX)
        v->type = PTX_TEXREF;
    return true;
}

static bool parse_var_words(struct parser *p, struct ptx_var *v)
{
    while (p->tok.kind == TOKEN_WORD)
        if (!parse_var_word(p, v))
            return false;
    if (v->type == PTX_NO_TYPE)
        return parser_expected(p, "a type such as .b8");
    return true;
}

static bool parse_dimensions(struct parser *p, struct ptx_var *v, struct shape *shape)
{
    while (parser_accept_punct(p, '[')) {
        struct token at = p->tok;
        int64_t n = 0;
        if (!parser_at_punct(p, ']') && !parse_integer(p, &n))
            return false;
        if (n < 0)
            return parser_error(p, at.line, at.col, NULL, "an array has no negative size");
        if (shape->n_dims == MAX_DIMS)
            return parser_error(p, at.line, at.col, NULL, "more than %d dimensions", MAX_DIMS);
        if (!n && shape->n_dims)
            return parser_error(p, at.line, at.col, NULL, "only the first size may be missing");
        shape->dims[shape->n_dims++] = (uint64_t)n;
        v->is_array = true;
        if (!parser_expect_punct(p, ']'))
            return false;
    }
    if (v->vec > 1 || !shape->n_dims)
        shape->dims[shape->n_dims++] = v->vec;
    return true;
}

/* Computes the size from the dimensions; the initial values may have given the first. */
static bool size_variable(struct parser *p, struct ptx_var *v, const struct shape *shape)
{
    uint64_t elem_bytes = ptx_types[v->type].bits / 8u, bytes = elem_bytes;
    v->is_unsized = v->is_array && !shape->dims[0];
    for (uint32_t i = v->is_unsized; i < shape->n_dims; i++)
        if (__builtin_mul_overflow(bytes, shape->dims[i], &bytes) || bytes > MAX_VAR_BYTES)
            return parser_error(p, v->line, v->col, NULL,
                                "'%s' is too large; at most %llu bytes are supported", v->name,
                                MAX_VAR_BYTES);
    v->bytes = v->is_unsized ? 0 : bytes;
    v->n_elems = v->bytes / (elem_bytes * v->vec);
    if (!v->align)
        v->align = (uint32_t)elem_bytes * v->vec;
    return true;
}

/* The module's entry for the name: an .extern declaration and the definition share one. */
static struct ptx_var *module_variable(struct parser *p, struct name *name, struct ptx_var *v)
{
    struct ptx_module *m = p->m;
    struct decl *d = name->decl;
    if (d && d->var && (d->var->linkage == PTX_LINK_EXTERN || v->linkage == PTX_LINK_EXTERN)) {
        v->index = d->var->index;
        if (v->linkage != PTX_LINK_EXTERN || d->var->linkage == PTX_LINK_EXTERN)
            *d->var = *v;
        return d->var;
    }
    d = parser_declare(p, name, DECL_VAR, v->line, v->col);
    if (!d)
        return NULL;
    d->var = ARENA_NEW(&m->arena, struct ptx_var);
    *d->var = *v;
    d->var->index = m->n_vars;
    ARRAY_RESERVE(m->vars, p->vars_cap, m->n_vars + 1);
    return m->vars[m->n_vars++] = d->var;
}

static struct ptx_var *local_variable(struct parser *p, struct name *name, const struct ptx_var *v)
{
    struct body *b = &p->body;
    struct decl *d = parser_declare(p, name, DECL_VAR, v->line, v->col);
    if (!d)
        return NULL;
    d->var = ARENA_NEW(&p->m->arena, struct ptx_var);
    *d->var = *v;
    d->var->name = parser_unique_name(p, name);
    d->var->index = b->n_vars;
    ARRAY_RESERVE(b->vars, b->vars_cap, b->n_vars + 1);
    return b->vars[b->n_vars++] = d->var;
}

static bool check_space(struct parser *p, const struct ptx_var *v)
{
    bool is_local = v->space == PTX_LOCAL || v->space == PTX_PARAM;
    if (is_local && !p->body.f)
        return parser_error_here(p, ".%s variables are declared inside functions",
                                 v->space == PTX_LOCAL ? "local" : "param");
    return true;
}

/* "name[2][3] = {...}", after the words that all names of the statement share. */
static bool parse_var_name(struct parser *p, struct ptx_var v)
{
    struct shape shape = {0};
    v.line = p->tok.line;
    v.col = p->tok.col;
    struct name *name = parser_expect_name(p, "a variable's name");
    if (!name)
        return false;
    v.name = name->text;
    if (!parse_dimensions(p, &v, &shape) || !size_variable(p, &v, &shape))
        return false;
    /* Declared before its initial value is read, which may be its own address. */
    struct ptx_var *var = p->body.f ? local_variable(p, name, &v) : module_variable(p, name, &v);
    if (!var || !parser_accept_punct(p, '='))
        return var != NULL;
    return parse_initializer(p, var, &shape) && size_variable(p, var, &shape);
}

bool parse_variables(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_var v = {.linkage = linkage, .vec = 1};
    if (!parse_var_words(p, &v) || !check_space(p, &v))
        return false;
    do
        if (!parse_var_name(p, v))
            return false;
    while (parser_accept_punct(p, ','));
    return parser_expect_punct(p, ';');
}

/* --- parameters --- */

static bool parse_param(struct parser *p, struct ptx_var *v)
{
    struct shape shape = {0};
    *v = (struct ptx_var){.vec = 1};
    if (parser_token_directive(p) == DIRECTIVE_REG)
        return parser_error_here(p,
                                 "parameters in registers are not supported; declare them .param");
    if (!parse_var_words(p, v))
        return false;
    v->line = p->tok.line;
    v->col = p->tok.col;
    const struct name *name = parser_expect_name(p, "a parameter's name");
    if (!name)
        return false;
    v->name = name->text;
    if (v->space != PTX_PARAM)
        return parser_error(p, v->line, v->col, NULL, "parameter '%s' is not .param", v->name);
    return parse_dimensions(p, v, &shape) && size_variable(p, v, &shape);
}

bool parser_declare_params(struct parser *p, struct ptx_var *params, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct name *name = names_intern(&p->names, params[i].name, strlen(params[i].name));
        struct decl *d = parser_declare(p, name, DECL_VAR, params[i].line, params[i].col);
        if (!d)
            return false;
        d->var = &params[i];
        parser_unique_name(p, name);
    }
    return true;
}

bool parse_params(struct parser *p, struct ptx_var **params, uint32_t *n)
{
    struct ptx_var *items = NULL;
    uint32_t cap = 0;
    bool ok = parser_expect_punct(p, '(');
    *n = 0;
    while (ok && !parser_at_punct(p, ')')) {
        ARRAY_RESERVE(items, cap, *n + 1);
        ok = (!*n || parser_expect_punct(p, ',')) && parse_param(p, &items[*n]);
        if (ok) {
            items[*n].index = *n;
            (*n)++;
        }
    }
    ok = ok && parser_expect_punct(p, ')');
    *params = ARENA_ARRAY(&p->m->arena, struct ptx_var, *n);
    if (*n)
        memcpy(*params, items, *n * sizeof **params);
    free(items);
    return ok;
}
