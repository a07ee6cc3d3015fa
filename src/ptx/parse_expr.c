/* Constant expressions, as the PTX manual's section 4.5 defines them: 64-bit signed and unsigned
 * integers and doubles, C's operators and precedences, casts (.s64) and (.u64). */
#include "ptx/parse.h"

#include <string.h>

static bool parse_ternary(struct parser *p, struct constant *v);

static double as_double(const struct constant *v)
{
    double d;
    if (v->is_float)
        memcpy(&d, &v->bits, sizeof d);
    else
        d = v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
    return d;
}

static bool is_true(const struct constant *v)
{
    return v->is_float ? as_double(v) != 0 : v->bits != 0;
}

static struct constant from_double(double d)
{
    struct constant v = {.is_float = true};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static struct constant from_bool(bool b)
{
    return (struct constant){.bits = b};
}

static bool parse_cast_or_group(struct parser *p, struct constant *v);

static bool parse_unary(struct parser *p, struct constant *v)
{
    if (p->nesting >= MAX_NESTING)
        return parser_error_here(p, "this expression is nested too deeply");
    int op = p->tok.kind == TOKEN_PUNCT ? p->tok.punct : 0;
    if (op == '-' || op == '+' || op == '!' || op == '~') {
        struct token at = p->tok;
        parser_advance(p);
        p->nesting++;
        bool ok = parse_unary(p, v);
        p->nesting--;
        if (!ok)
            return false;
        if (op == '!')
            *v = from_bool(!is_true(v));
        else if (v->is_float && op == '-')
            v->bits ^= 1ull << 63;
        else if (v->is_float && op == '~')
            return parser_error(p, at.line, at.col, NULL, "'~' needs an integer");
        else if (op != '+')
            v->bits = op == '-' ? -v->bits : ~v->bits;
        return true;
    }
    if (op == '(')
        return parse_cast_or_group(p, v);
    if (p->tok.kind == TOKEN_NAME && p->tok.len == 7 && !memcmp(p->tok.text, "WARP_SZ", 7)) {
        *v = (struct constant){.bits = 32};
    } else if (p->tok.kind == TOKEN_INT || p->tok.kind == TOKEN_FLOAT) {
        *v = (struct constant){
            .is_float = p->tok.kind == TOKEN_FLOAT,
            .is_f32 = p->tok.is_f32,
            .is_unsigned = p->tok.is_unsigned,
            .bits = p->tok.bits,
        };
    } else {
        return parser_expected(p, "a number");
    }
    parser_advance(p);
    return true;
}

static bool parse_cast_or_group(struct parser *p, struct constant *v)
{
    parser_advance(p);
    p->nesting++;
    bool ok;
    if (p->tok.kind == TOKEN_WORD) {
        const struct name *word = parser_expect_word(p, "a type");
        ok = word->type == PTX_S64 || word->type == PTX_U64 ||
             parser_error_here(p, "a cast is (.s64) or (.u64)");
        ok = ok && parser_expect_punct(p, ')') && parse_unary(p, v);
        if (ok && v->is_float)
            ok = parser_error_here(p, "a cast needs an integer");
        v->is_unsigned = word->type == PTX_U64;
    } else {
        ok = parse_ternary(p, v) && parser_expect_punct(p, ')');
    }
    p->nesting--;
    return ok;
}

/* The precedence of a binary operator; 0 = not a binary operator. */
static int precedence(const struct token *t)
{
    if (t->kind != TOKEN_PUNCT)
        return 0;
    switch (t->punct) {
    case PUNCT_OR:
        return 1;
    case PUNCT_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PUNCT_EQ:
    case PUNCT_NE:
        return 6;
    case '<':
    case '>':
    case PUNCT_LE:
    case PUNCT_GE:
        return 7;
    case PUNCT_SHL:
    case PUNCT_SHR:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

static bool apply_float(struct parser *p, int op, struct constant *a, const struct constant *b)
{
    double x = as_double(a), y = as_double(b);
    switch (op) {
    case '+':
        *a = from_double(x + y);
        return true;
    case '-':
        *a = from_double(x - y);
        return true;
    case '*':
        *a = from_double(x * y);
        return true;
    case '/':
        *a = from_double(x / y);
        return true;
    case '<':
        *a = from_bool(x < y);
        return true;
    case '>':
        *a = from_bool(x > y);
        return true;
    case PUNCT_LE:
        *a = from_bool(x <= y);
        return true;
    case PUNCT_GE:
        *a = from_bool(x >= y);
        return true;
    case PUNCT_EQ:
        *a = from_bool(x == y);
        return true;
    case PUNCT_NE:
        *a = from_bool(x != y);
        return true;
    default:
        return parser_error_here(p, "this operator needs integers");
    }
}

/* Arithmetic is modulo 2^64; only operations that depend on signedness need a separate case. */
static bool apply_division(struct parser *p, int op, struct constant *a, uint64_t y,
                           bool is_unsigned)
{
    if (!y)
        return parser_error_here(p, "division by zero");
    if (is_unsigned)
        a->bits = op == '/' ? a->bits / y : a->bits % y;
    else if (y == UINT64_MAX) /* -1: the only divisor whose quotient may not fit */
        a->bits = op == '/' ? -a->bits : 0;
    else
        a->bits =
            (uint64_t)(op == '/' ? (int64_t)a->bits / (int64_t)y : (int64_t)a->bits % (int64_t)y);
    return true;
}

static uint64_t shift(int op, uint64_t x, uint64_t n, bool is_unsigned)
{
    if (op == PUNCT_SHL)
        return n > 63 ? 0 : x << n;
    if (is_unsigned)
        return n > 63 ? 0 : x >> n;
    return (uint64_t)((int64_t)x >> (n > 63 ? 63 : n));
}

static bool less(uint64_t x, uint64_t y, bool is_unsigned)
{
    return is_unsigned ? x < y : (int64_t)x < (int64_t)y;
}

static bool apply_integer(struct parser *p, int op, struct constant *a, const struct constant *b)
{
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    switch (op) {
    case '+':
        a->bits = x + y;
        break;
    case '-':
        a->bits = x - y;
        break;
    case '*':
        a->bits = x * y;
        break;
    case '/':
    case '%':
        if (!apply_division(p, op, a, y, is_unsigned))
            return false;
        break;
    case '|':
        a->bits = x | y;
        break;
    case '^':
        a->bits = x ^ y;
        break;
    case '&':
        a->bits = x & y;
        break;
    case PUNCT_SHL:
    case PUNCT_SHR:
        a->bits = shift(op, x, y, a->is_unsigned);
        return true;
    default: /* comparisons */
        *a = from_bool(op == '<'        ? less(x, y, is_unsigned)
                       : op == '>'      ? less(y, x, is_unsigned)
                       : op == PUNCT_LE ? !less(y, x, is_unsigned)
                       : op == PUNCT_GE ? !less(x, y, is_unsigned)
                       : op == PUNCT_EQ ? x == y
                                        : x != y);
        return true;
    }
    a->is_unsigned = is_unsigned;
    return true;
}

static bool parse_binary(struct parser *p, struct constant *v, int min_precedence)
{
    if (!parse_unary(p, v))
        return false;
    for (int level; (level = precedence(&p->tok)) >= min_precedence;) {
        int op = p->tok.punct;
        struct constant right;
        parser_advance(p);
        if (!parse_binary(p, &right, level + 1))
            return false;
        if (op == PUNCT_AND || op == PUNCT_OR)
            *v = from_bool(op == PUNCT_AND ? is_true(v) && is_true(&right)
                                           : is_true(v) || is_true(&right));
        else if (!(v->is_float || right.is_float ? apply_float(p, op, v, &right)
                                                 : apply_integer(p, op, v, &right)))
            return false;
    }
    return true;
}

static bool parse_ternary(struct parser *p, struct constant *v)
{
    if (!parse_binary(p, v, 1))
        return false;
    if (!parser_at_punct(p, '?'))
        return true;
    struct constant yes, no;
    parser_advance(p);
    if (++p->nesting >= MAX_NESTING)
        return parser_error_here(p, "this expression is nested too deeply");
    bool ok = parse_ternary(p, &yes) && parser_expect_punct(p, ':') && parse_ternary(p, &no);
    p->nesting--;
    if (ok)
        *v = is_true(v) ? yes : no;
    return ok;
}

bool parse_constant(struct parser *p, struct constant *value)
{
    return parse_ternary(p, value);
}

bool parse_integer(struct parser *p, int64_t *value)
{
    struct token at = p->tok;
    struct constant v;
    if (!parse_constant(p, &v))
        return false;
    if (v.is_float)
        return parser_error(p, at.line, at.col, NULL, "an integer is needed here");
    *value = (int64_t)v.bits;
    return true;
}
