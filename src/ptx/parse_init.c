/* Initial values of variables: lists with nested braces, strings, numbers, and addresses of
 * symbols, whole or by the byte. Elements not given are zero. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

struct init {
    struct ptx_var *v;
    struct shape *shape;
    uint32_t elem_bytes;
    uint64_t n_given; /* elements up to the last one given */
};

/* Makes room for the bytes [0, end) of the variable, zeroed. */
static bool reserve_bytes(struct parser *p, const struct init *in, uint64_t end)
{
    if (end > p->init_bytes_left)
        return parser_error(p, in->v->line, in->v->col, NULL,
                            "the initial values of the module are larger than %llu bytes",
                            MAX_INIT_BYTES);
    if (end > p->init_cap) {
        uint64_t cap = p->init_cap ? p->init_cap : 64;
        while (cap < end)
            cap *= 2;
        p->init = xrealloc(p->init, cap);
        memset(p->init + p->init_cap, 0, cap - p->init_cap);
        p->init_cap = cap;
    }
    if (end > p->init_used)
        p->init_used = end;
    return true;
}

/* The number of elements in one item at that depth of braces. */
static uint64_t stride(const struct shape *shape, uint32_t level)
{
    uint64_t n = 1;
    for (uint32_t i = level + 1; i < shape->n_dims; i++)
        n *= shape->dims[i];
    return n;
}

static bool store_constant(struct parser *p, const struct init *in, uint64_t pos,
                           const struct constant *c, const struct token *at)
{
    const struct ptx_type_info *type = &ptx_types[in->v->type];
    uint64_t bits = c->bits;
    bool is_plain_float = in->v->type == PTX_F32 || in->v->type == PTX_F64;
    if (in->elem_bytes > 8 || (type->kind == 'f' && !is_plain_float))
        return parser_error(p, at->line, at->col, NULL, "a .%s variable has no initial value",
                            type->text);
    if (c->is_float && !is_plain_float && !(c->is_f32 ? type->bits == 32 : type->bits == 64))
        return parser_error(p, at->line, at->col, NULL, "an integer is needed here");
    if (!c->is_float && is_plain_float) {
        double d = c->is_unsigned ? (double)bits : (double)(int64_t)bits;
        memcpy(&bits, &d, sizeof d);
    }
    if (type->bits == 32 && (c->is_float || is_plain_float))
        bits = lexer_narrow_f32(bits);
    memcpy(p->init + pos * in->elem_bytes, &bits, in->elem_bytes);
    return true;
}

/* `symbol` or `generic(symbol)`, each optionally followed by `+ constant`. */
static bool parse_symbol(struct parser *p, struct ptx_reloc *r, struct token *at)
{
    *at = p->tok;
    const struct name *name = parser_expect_name(p, "the name of a variable or function");
    if (name && !strcmp(name->text, "generic") && parser_at_punct(p, '(')) {
        parser_advance(p);
        *at = p->tok;
        name = parser_expect_name(p, "the name of a variable or function");
        r->generic = true;
        if (!name || !parser_expect_punct(p, ')'))
            return false;
    }
    if (!name)
        return false;
    r->symbol = name->text;
    if (parser_accept_punct(p, '+'))
        return parse_integer(p, &r->addend);
    return !parser_at_punct(p, '-') || parse_integer(p, &r->addend);
}

static void add_reloc(struct parser *p, const struct ptx_reloc *r)
{
    ARRAY_RESERVE(p->relocs, p->relocs_cap, p->n_relocs + 1);
    p->relocs[p->n_relocs++] = *r;
}

static bool parse_address(struct parser *p, const struct init *in, uint64_t pos)
{
    struct token at;
    struct ptx_reloc r = {.at = (uint32_t)(pos * in->elem_bytes), .bytes = (uint8_t)in->elem_bytes};
    if (in->elem_bytes != 4 && in->elem_bytes != 8)
        return parser_error_here(p, "an address needs elements of 32 or 64 bits");
    if (!parse_symbol(p, &r, &at))
        return false;
    add_reloc(p, &r);
    return true;
}

/* 0xFF00(symbol): one byte of the address. */
static bool parse_masked(struct parser *p, const struct init *in, uint64_t pos, uint64_t mask,
                         const struct token *mask_at)
{
    struct token at;
    struct ptx_reloc r = {.at = (uint32_t)(pos * in->elem_bytes), .bytes = 1};
    while (r.shift_bits < 56 && mask != 0xffull << r.shift_bits)
        r.shift_bits = (uint8_t)(r.shift_bits + 8);
    if (mask != 0xffull << r.shift_bits || in->elem_bytes != 1)
        return parser_error(p, mask_at->line, mask_at->col, NULL,
                            "a mask picks one byte of an address for an 8-bit element");
    parser_advance(p);
    if (!parse_symbol(p, &r, &at) || !parser_expect_punct(p, ')'))
        return false;
    add_reloc(p, &r);
    return true;
}

static bool parse_element(struct parser *p, struct init *in, uint64_t pos)
{
    struct token at = p->tok;
    if (!reserve_bytes(p, in, (pos + 1) * in->elem_bytes))
        return false;
    if (pos >= in->n_given)
        in->n_given = pos + 1;
    if (p->tok.kind == TOKEN_NAME && !(p->tok.len == 7 && !memcmp(p->tok.text, "WARP_SZ", 7)))
        return parse_address(p, in, pos);
    struct constant c;
    if (!parse_constant(p, &c))
        return false;
    if (!c.is_float && parser_at_punct(p, '('))
        return parse_masked(p, in, pos, c.bits, &at);
    return store_constant(p, in, pos, &c, &at);
}

static bool parse_list(struct parser *p, struct init *in, uint32_t level, uint64_t base)
{
    const struct shape *shape = in->shape;
    if (level >= shape->n_dims)
        return parser_error_here(p, "more braces than dimensions");
    uint64_t step = stride(shape, level), pos = base;
    uint64_t end = shape->dims[level] ? base + shape->dims[level] * step : UINT64_MAX;
    parser_advance(p);
    while (!parser_at_punct(p, '}')) {
        if (pos >= end)
            return parser_error_here(p, "more initial values than elements");
        bool is_list = parser_at_punct(p, '{');
        if (!(is_list ? parse_list(p, in, level + 1, pos) : parse_element(p, in, pos)))
            return false;
        pos += is_list ? step : 1;
        if (!parser_accept_punct(p, ','))
            break;
    }
    return parser_expect_punct(p, '}');
}

static char unescape(const char **c, const char *end)
{
    char first = *(*c)++;
    if (first != '\\' || *c == end)
        return first;
    static const char from[] = "ntr0abfv\\\"'", to[] = "\n\t\r\0\a\b\f\v\\\"'";
    const char *known = memchr(from, *(*c)++, sizeof from - 1);
    return known ? to[known - from] : (*c)[-1];
}

/* The bytes of a string and its terminator, as in C. */
static bool parse_string(struct parser *p, struct init *in)
{
    if (in->elem_bytes != 1 || !in->v->is_array || in->shape->n_dims != 1)
        return parser_error_here(p, "a string initialises an array of bytes");
    uint64_t room = in->shape->dims[0], pos = 0;
    const char *c = p->tok.text, *end = c + p->tok.len;
    if (!reserve_bytes(p, in, p->tok.len + 1))
        return false;
    for (; c < end; pos++) {
        if (room && pos == room)
            return parser_error_here(p, "the string is longer than the array");
        p->init[pos] = (uint8_t)unescape(&c, end);
    }
    in->n_given = room && pos == room ? pos : pos + 1;
    parser_advance(p);
    return true;
}

/* .samplerref s = {addr_mode_0 = wrap, ...}: texture state is ignored. */
static bool skip_braces(struct parser *p)
{
    return parser_at_punct(p, '{') ? parser_skip_block(p) : parser_expected(p, "'{'");
}

/* Do eight byte-wise pieces form one whole address? */
static bool is_whole_address(const struct ptx_reloc *r, uint32_t n_left)
{
    if (n_left < 8)
        return false;
    for (uint32_t k = 0; k < 8; k++)
        if (r[k].bytes != 1 || r[k].shift_bits != 8 * k || r[k].at != r->at + k ||
            r[k].generic != r->generic || r[k].addend != r->addend ||
            strcmp(r[k].symbol, r->symbol))
            return false;
    return true;
}

static void take_relocs(struct parser *p, struct ptx_var *v)
{
    v->relocs = ARENA_ARRAY(&p->m->arena, struct ptx_reloc, p->n_relocs);
    v->n_relocs = 0;
    for (uint32_t i = 0; i < p->n_relocs;) {
        struct ptx_reloc *r = &v->relocs[v->n_relocs++];
        bool whole = is_whole_address(&p->relocs[i], p->n_relocs - i);
        *r = p->relocs[i];
        if (whole)
            r->bytes = 8;
        i += whole ? 8 : 1;
        parser_add_global_ref(p, (struct global_ref){
                                     .name = names_intern(&p->names, r->symbol, strlen(r->symbol)),
                                     .line = v->line,
                                     .col = v->col,
                                     .reloc = r,
                                 });
    }
}

bool parse_initializer(struct parser *p, struct ptx_var *v, struct shape *shape)
{
    struct init in = {.v = v, .shape = shape, .elem_bytes = ptx_types[v->type].bits / 8u};
    if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
        return parser_error_here(p, "only .global and .const variables have initial values");
    if (v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF)
        return skip_braces(p);
    if (v->linkage == PTX_LINK_EXTERN)
        return parser_error_here(p, "an .extern variable has no initial value");
    if (p->init_used)
        memset(p->init, 0, p->init_used);
    p->init_used = 0;
    p->n_relocs = 0;
    bool ok = p->tok.kind == TOKEN_STRING ? parse_string(p, &in)
              : parser_at_punct(p, '{')   ? parse_list(p, &in, 0, 0)
                                          : parse_element(p, &in, 0);
    if (!ok)
        return false;
    if (!shape->dims[0])
        shape->dims[0] = (in.n_given + stride(shape, 0) - 1) / stride(shape, 0);
    uint64_t bytes = shape->dims[0] * stride(shape, 0) * in.elem_bytes;
    if (!reserve_bytes(p, &in, bytes))
        return false;
    p->init_bytes_left -= bytes;
    uint8_t *data = arena_alloc(&p->m->arena, bytes);
    if (bytes)
        memcpy(data, p->init, bytes);
    v->data = data;
    take_relocs(p, v);
    return true;
}
