/* Operands of instructions. */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

static bool parse_operand(struct parser *p, struct ptx_operand *op);

struct ptx_operand *parser_take_operands(struct parser *p, uint32_t first, uint32_t *n)
{
    *n = p->n_operands - first;
    struct ptx_operand *items = ARENA_ARRAY(&p->m->arena, struct ptx_operand, *n);
    if (*n)
        memcpy(items, p->operands + first, *n * sizeof *items);
    p->n_operands = first;
    return items;
}

static void push_operand(struct parser *p, const struct ptx_operand *op)
{
    ARRAY_RESERVE(p->operands, p->operands_cap, p->n_operands + 1);
    p->operands[p->n_operands++] = *op;
}

/* Operands up to a closing character, which is consumed; the opening one has been consumed. */
static bool parse_items(struct parser *p, struct ptx_operand *op, int close)
{
    uint32_t first = p->n_operands;
    if (++p->nesting > MAX_NESTING)
        return parser_error_here(p, "operands are nested too deeply");
    while (!parser_at_punct(p, close)) {
        struct ptx_operand item;
        if (!parse_operand(p, &item))
            return false;
        push_operand(p, &item);
        if (!parser_accept_punct(p, ','))
            break;
    }
    p->nesting--;
    op->items = parser_take_operands(p, first, &op->n_items);
    return parser_expect_punct(p, close);
}

/* "+ 4" or "- 4" after a base. */
static bool parse_offset(struct parser *p, int64_t *offset)
{
    if (parser_accept_punct(p, '+'))
        return parse_integer(p, offset);
    return !parser_at_punct(p, '-') || parse_integer(p, offset);
}

static bool parse_immediate(struct parser *p, struct ptx_operand *op)
{
    struct constant c;
    if (!parse_constant(p, &c))
        return false;
    op->kind = PTX_OPERAND_IMM;
    op->imm_float = c.is_float;
    op->imm_f32 = c.is_f32;
    op->bits = c.bits;
    return true;
}

/* A vector register stands for its parts. */
static void set_registers(struct parser *p, struct ptx_operand *op, struct decl *d)
{
    struct ptx_reg **regs = parser_use_register(p, d);
    op->kind = PTX_OPERAND_REG;
    op->reg = regs[0];
    if (d->vec == 1)
        return;
    op->kind = PTX_OPERAND_VEC;
    op->reg = NULL;
    op->n_items = d->vec;
    op->items = ARENA_ARRAY(&p->m->arena, struct ptx_operand, d->vec);
    for (uint32_t i = 0; i < d->vec; i++)
        op->items[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_REG, .reg = regs[i], .line = op->line, .col = op->col};
}

/* %v.x, or a special register such as %tid.x. */
static bool parse_component(struct parser *p, struct name *base, struct ptx_operand *op)
{
    char text[80];
    const char *xyzw = "xyzwrgba", *letter = strchr(xyzw, p->tok.text[0]);
    struct decl *d = parser_lookup(p, base);
    int len = snprintf(text, sizeof text, "%.60s.%.*s", base->text,
                       p->tok.len > 15 ? 15 : (int)p->tok.len, p->tok.text);
    const struct name *sreg = names_find(&p->names, text, (size_t)len);
    if (d && d->kind == DECL_REG && p->tok.len == 1 && letter &&
        (uint32_t)(letter - xyzw) % 4 < d->vec && d->vec > 1) {
        op->kind = PTX_OPERAND_REG;
        op->reg = parser_use_register(p, d)[(letter - xyzw) % 4];
    } else if (!d && sreg && sreg->sreg != NO_SREG) {
        op->kind = PTX_OPERAND_SREG;
        op->sreg = sreg->sreg;
    } else {
        return parser_error(p, op->line, op->col, parser_hint_sreg(p, text), "there is no '%s'",
                            text);
    }
    parser_advance(p);
    return true;
}

/* A name that is not declared yet: a variable or function that comes later. */
static bool set_forward(struct parser *p, struct name *name, struct ptx_operand *op)
{
    if (name->text[0] == '%' || !strcmp(name->text, "_"))
        return parser_error(p, op->line, op->col, parser_hint_declared(p, name->text),
                            "'%s' is not declared", name->text);
    op->kind = PTX_OPERAND_VAR;
    parser_add_global_ref(p, (struct global_ref){.name = name, .line = op->line, .col = op->col});
    return true;
}

static bool parse_named(struct parser *p, struct ptx_operand *op)
{
    struct name *name = parser_expect_name(p, "an operand");
    if (!name)
        return false;
    if (p->tok.kind == TOKEN_WORD && p->tok.is_glued)
        return parse_component(p, name, op);
    struct decl *d = parser_lookup(p, name);
    if (!d) {
        if (!strcmp(name->text, "_")) {
            op->kind = PTX_OPERAND_SINK;
            return true;
        }
        if (name->sreg != NO_SREG) {
            op->kind = PTX_OPERAND_SREG;
            op->sreg = name->sreg;
            return true;
        }
        return set_forward(p, name, op);
    }
    switch (d->kind) {
    case DECL_REG:
        set_registers(p, op, d);
        return true;
    case DECL_VAR:
        op->kind = PTX_OPERAND_VAR;
        op->var = d->var;
        return true;
    case DECL_FUNC:
        op->kind = PTX_OPERAND_FUNC;
        op->func = d->func;
        return true;
    case DECL_TARGETS:
        op->kind = PTX_OPERAND_TARGETS;
        op->targets = d->targets;
        return true;
    case DECL_PROTO:
        op->kind = PTX_OPERAND_PROTO;
        op->proto = d->proto;
        return true;
    default:
        return parser_error(p, op->line, op->col, NULL, "'%s' is a label", name->text);
    }
}

static bool is_number_next(const struct parser *p)
{
    return p->tok.kind == TOKEN_INT || p->tok.kind == TOKEN_FLOAT || parser_at_punct(p, '-') ||
           parser_at_punct(p, '+') || parser_at_punct(p, '~') || parser_at_punct(p, '!') ||
           parser_at_punct(p, '(') ||
           (p->tok.kind == TOKEN_NAME && p->tok.len == 7 && !memcmp(p->tok.text, "WARP_SZ", 7));
}

/* [base + offset]; [texture, {coordinates}] and the like in refused instructions. */
static bool parse_memory(struct parser *p, struct ptx_operand *op)
{
    struct ptx_operand base = {.line = p->tok.line, .col = p->tok.col};
    uint32_t first = p->n_operands;
    op->kind = PTX_OPERAND_MEM;
    if (++p->nesting > MAX_NESTING)
        return parser_error_here(p, "operands are nested too deeply");
    if (!(is_number_next(p) ? parse_immediate(p, &base)
                            : parse_named(p, &base) && parse_offset(p, &op->offset)))
        return false;
    push_operand(p, &base);
    while (parser_accept_punct(p, ',')) {
        struct ptx_operand extra;
        if (!parse_operand(p, &extra))
            return false;
        push_operand(p, &extra);
    }
    p->nesting--;
    op->items = parser_take_operands(p, first, &op->n_items);
    return parser_expect_punct(p, ']');
}

static bool starts_name(char c)
{
    return c == '%' || c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool parse_single(struct parser *p, struct ptx_operand *op)
{
    *op = (struct ptx_operand){.line = p->tok.line, .col = p->tok.col};
    if (parser_accept_punct(p, '{')) {
        op->kind = PTX_OPERAND_VEC;
        return parse_items(p, op, '}');
    }
    if (parser_accept_punct(p, '['))
        return parse_memory(p, op);
    if ((parser_at_punct(p, '!') || parser_at_punct(p, '-')) && starts_name(lexer_peek(&p->lex))) {
        parser_advance(p);
        op->negated = true;
    }
    if (is_number_next(p))
        return parse_immediate(p, op);
    if (p->tok.kind != TOKEN_NAME)
        return parser_expected(p, "an operand");
    if (!parse_named(p, op))
        return false;
    return op->kind != PTX_OPERAND_VAR || parse_offset(p, &op->offset);
}

/* `a` or `a|b`. */
static bool parse_operand(struct parser *p, struct ptx_operand *op)
{
    if (!parse_single(p, op))
        return false;
    if (!parser_at_punct(p, '|'))
        return true;
    struct ptx_operand second, first = *op;
    parser_advance(p);
    if (!parse_single(p, &second))
        return false;
    *op = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .line = first.line, .col = first.col};
    op->n_items = 2;
    op->items = ARENA_ARRAY(&p->m->arena, struct ptx_operand, 2);
    op->items[0] = first;
    op->items[1] = second;
    return true;
}

static bool parse_label_operand(struct parser *p, struct ptx_operand *op)
{
    *op = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .line = p->tok.line, .col = p->tok.col};
    struct name *name = parser_expect_name(p, "a label");
    if (!name)
        return false;
    parser_add_label_ref(p, name, op->line, op->col);
    return true;
}

/* A function name, which may be declared later, or a register. */
static bool parse_callee(struct parser *p, struct ptx_operand *op)
{
    *op = (struct ptx_operand){.line = p->tok.line, .col = p->tok.col};
    if (p->tok.kind != TOKEN_NAME)
        return parser_expected(p, "a function");
    if (!parse_named(p, op))
        return false;
    if (op->kind == PTX_OPERAND_VAR && !op->var)
        op->kind = PTX_OPERAND_FUNC;
    return op->kind == PTX_OPERAND_FUNC || op->kind == PTX_OPERAND_REG ||
           parser_error(p, op->line, op->col, NULL, "a function is called by name or register");
}

static bool parse_call_list(struct parser *p, struct ptx_operand *list)
{
    *list = (struct ptx_operand){.kind = PTX_OPERAND_LIST, .line = p->tok.line, .col = p->tok.col};
    return !parser_accept_punct(p, '(') || parse_items(p, list, ')');
}

/* call (returns), callee, (arguments), prototype: all but the callee are optional. */
static bool parse_call(struct parser *p)
{
    struct ptx_operand op;
    bool has_rets = parser_at_punct(p, '(');
    if (!parse_call_list(p, &op) || (has_rets && !parser_expect_punct(p, ',')))
        return false;
    push_operand(p, &op);
    if (!parse_callee(p, &op))
        return false;
    push_operand(p, &op);
    bool more = parser_accept_punct(p, ',');
    bool has_args = parser_at_punct(p, '(');
    if (!parse_call_list(p, &op))
        return false;
    push_operand(p, &op);
    if (!more || (has_args && !parser_accept_punct(p, ',')))
        return true;
    if (!parse_operand(p, &op))
        return false;
    push_operand(p, &op);
    return op.kind == PTX_OPERAND_PROTO || op.kind == PTX_OPERAND_TARGETS ||
           parser_error(p, op.line, op.col, NULL, "a prototype or list of call targets is needed");
}

bool parse_operands(struct parser *p, const struct ptx_inst *i)
{
    if (i->op == PTX_OP_CALL)
        return parse_call(p);
    bool takes_label = ptx_insts[i->op].format[0] == 'l';
    if (parser_at_punct(p, ';'))
        return true;
    do {
        struct ptx_operand op;
        if (!(takes_label ? parse_label_operand(p, &op) : parse_operand(p, &op)))
            return false;
        push_operand(p, &op);
    } while (parser_accept_punct(p, ','));
    return true;
}
