/* PTX requirements on an instruction's words: which types it takes, and which modifiers it must
 * have. check_operands.c checks operands. */
#include "ptx/check.h"

#include <string.h>

/* --- types --- */

#define T(id)          (1u << PTX_##id)
#define SIGNED_TYPES   (T(S16) | T(S32) | T(S64))
#define UNSIGNED_TYPES (T(U16) | T(U32) | T(U64))

/* The sets of types that isa.def names by letters. */
static uint32_t type_set(char letter)
{
    switch (letter) {
    case 'i':
        return SIGNED_TYPES | UNSIGNED_TYPES;
    case 'o':
        return T(U8) | T(S8);
    case 'b':
        return T(B16) | T(B32) | T(B64);
    case 'y':
        return T(B8);
    case 'Q':
        return T(B128);
    case 'w':
        return T(U32) | T(S32);
    case 'W':
        return T(B32);
    case 'l':
        return T(U64) | T(S64);
    case 'L':
        return T(B64);
    case 'u':
        return T(U32);
    case 'f':
        return T(F32) | T(F64);
    case 'e':
        return T(F32);
    case 'h':
        return T(F16) | T(F16X2);
    case 'H':
        return T(BF16) | T(BF16X2);
    case 'x':
        return T(U16X2) | T(S16X2);
    case 'p':
        return T(PRED);
    case 's':
        return T(S32);
    case 't':
        return T(TF32);
    default:
        return 0;
    }
}

static bool check_types(struct parser *p, const struct ptx_inst *i)
{
    const char *c = ptx_insts[i->op].types, *text = ptx_insts[i->op].text;
    uint32_t n = 0;
    while (*c) {
        bool is_optional = *c == '?';
        uint32_t set = 0;
        for (c += is_optional; *c && *c != ' '; c++)
            set |= type_set(*c);
        c += *c == ' ';
        if (n < i->n_types && (set >> i->types[n] & 1))
            n++;
        else if (n < i->n_types)
            return parser_error(p, i->line, i->col, NULL, "'%s' has no form for '.%s'%s", text,
                                ptx_types[i->types[n]].text, n ? " in this position" : "");
        else if (!is_optional)
            return parser_error(p, i->line, i->col, NULL, "'%s' needs %s type", text,
                                n ? "another" : "a");
    }
    if (n < i->n_types)
        return parser_error(p, i->line, i->col, NULL, "'%s' does not take the type '.%s'", text,
                            ptx_types[i->types[n]].text);
    return true;
}

/* --- required modifiers --- */

/* One of the groups is required for these types. */
static const struct need {
    enum ptx_opcode op;
    char kind; /* kind of types[0]: 'i' integers, 'f' floats, ' ' any */
    uint64_t groups;
    const char *what;
} needs[] = {
#define G(group) (1ull << PTX_GROUP_##group)
    {PTX_OP_MUL, 'i', G(HALF), ".lo, .hi or .wide"},
    {PTX_OP_MAD, 'i', G(HALF), ".lo, .hi or .wide"},
    {PTX_OP_MADC, 'i', G(HALF), ".lo or .hi"},
    {PTX_OP_MUL24, 'i', G(HALF), ".lo or .hi"},
    {PTX_OP_MAD24, 'i', G(HALF), ".lo or .hi"},
    {PTX_OP_DP2A, 'i', G(HALF), ".lo or .hi"},
    {PTX_OP_FMA, 'f', G(RND), "a rounding such as .rn"},
    {PTX_OP_DIV, 'f', G(RND) | G(APPROX), "a rounding such as .rn, .approx or .full"},
    {PTX_OP_RCP, 'f', G(RND) | G(APPROX), "a rounding such as .rn, or .approx"},
    {PTX_OP_SQRT, 'f', G(RND) | G(APPROX), "a rounding such as .rn, or .approx"},
    {PTX_OP_RSQRT, 'f', G(APPROX), ".approx"},
    {PTX_OP_SIN, 'f', G(APPROX), ".approx"},
    {PTX_OP_COS, 'f', G(APPROX), ".approx"},
    {PTX_OP_LG2, 'f', G(APPROX), ".approx"},
    {PTX_OP_EX2, 'f', G(APPROX), ".approx"},
    {PTX_OP_TANH, 'f', G(APPROX), ".approx"},
    {PTX_OP_SETP, ' ', G(CMP), "a comparison such as .eq"},
    {PTX_OP_SET, ' ', G(CMP), "a comparison such as .eq"},
    {PTX_OP_TESTP, ' ', G(TESTP), "a property such as .finite"},
    {PTX_OP_SHF, ' ', G(SHIFTDIR), ".l or .r"},
    {PTX_OP_SHF, ' ', G(SHIFT), ".clamp or .wrap"},
    {PTX_OP_BMSK, ' ', G(SHIFT), ".clamp or .wrap"},
    {PTX_OP_SZEXT, ' ', G(SHIFT), ".clamp or .wrap"},
    {PTX_OP_ATOM, ' ', G(ATOMOP), "an operation such as .add"},
    {PTX_OP_RED, ' ', G(ATOMOP), "an operation such as .add"},
    {PTX_OP_SHFL, ' ', G(SHFL), ".up, .down, .bfly or .idx"},
    {PTX_OP_VOTE, ' ', G(VOTE), ".all, .any, .uni or .ballot"},
    {PTX_OP_MATCH, ' ', G(MATCH), ".any or .all"},
    {PTX_OP_REDUX, ' ', G(REDUX), "an operation such as .add"},
    {PTX_OP_MEMBAR, ' ', G(SCOPE), ".cta, .gl or .sys"},
    {PTX_OP_FENCE, ' ', G(SCOPE), ".cta, .gpu or .sys"},
    {PTX_OP_CVTA, ' ', G(SPACE), "a state space such as .global"},
    {PTX_OP_ISSPACEP, ' ', G(SPACE), "a state space such as .global"},
    {PTX_OP_BRX, ' ', G(IDX), ".idx"},
    {PTX_OP_BAR, ' ', G(BAR), ".sync, .arrive or .red"},
    {PTX_OP_BARRIER, ' ', G(BAR), ".sync, .arrive or .red"},
#undef G
};

static bool is_float(enum ptx_type t)
{
    return ptx_types[t].kind == 'f';
}

static bool check_needs(struct parser *p, const struct ptx_inst *i)
{
    uint64_t has = 0;
    for (uint32_t k = 0; k < i->n_mods; k++)
        has |= 1ull << ptx_mods[i->mods[k]].group;
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++) {
        const struct need *n = &needs[k];
        if (n->op == i->op && !(has & n->groups) &&
            (n->kind == ' ' || (n->kind == 'f') == is_float(i->types[0])))
            return parser_error(p, i->line, i->col, NULL, "'%s' needs %s", ptx_insts[i->op].text,
                                n->what);
    }
    return true;
}

static uint32_t element_bits(enum ptx_type t)
{
    return t == PTX_F16X2 || t == PTX_BF16X2 ? 16 : ptx_types[t].bits;
}

static bool check_conversion(struct parser *p, const struct ptx_inst *i)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    bool rounds = ptx_inst_mod(i, PTX_GROUP_RND) != PTX_NO_MOD;
    bool rounds_to_int = ptx_inst_mod(i, PTX_GROUP_RNDI) != PTX_NO_MOD;
    if (!is_float(to) && is_float(from) && !rounds_to_int)
        return parser_error(p, i->line, i->col, NULL,
                            "a conversion to integers needs .rni, .rzi, .rmi or .rpi");
    bool narrows = element_bits(to) < element_bits(from) || to == PTX_TF32;
    if (is_float(to) && (!is_float(from) || narrows) && !rounds)
        return parser_error(p, i->line, i->col, NULL,
                            "this conversion needs a rounding such as .rn");
    bool is_exact = is_float(to) == is_float(from) &&
                    (!is_float(to) || element_bits(to) > element_bits(from) || to == from);
    bool keeps_type = is_float(to) && to == from;
    if ((rounds && is_exact) ||
        (rounds_to_int && !(is_float(from) && !is_float(to)) && !keeps_type && !narrows) ||
        (rounds_to_int && !is_float(from)))
        return parser_error(p, i->line, i->col, NULL, "this conversion does not round");
    return true;
}

/* .lo, .ls, .hi and .hs compare unsigned integers; .equ and the like handle NaN; bits have no
 * order. */
static bool check_comparison(struct parser *p, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[i->n_types - 1];
    enum ptx_mod cmp = ptx_inst_mod(i, PTX_GROUP_CMP);
    char kind = ptx_types[type].kind;
    bool fits = cmp <= PTX_MOD_CMP_NE   ? true
                : cmp <= PTX_MOD_CMP_GE ? kind != 'b'
                : cmp <= PTX_MOD_CMP_HS ? kind == 'u'
                                        : kind == 'f';
    if (!fits)
        return parser_error(p, i->line, i->col, NULL, "'.%s' does not compare '.%s' values",
                            ptx_types[type].text, ptx_mods[cmp].text);
    bool combines = ptx_inst_mod(i, PTX_GROUP_BOOL) != PTX_NO_MOD;
    if (combines != (i->n_operands == 4))
        return parser_error(p, i->line, i->col, NULL,
                            "a predicate is combined with .and, .or or .xor, and only then");
    return true;
}

static bool check_atomic(struct parser *p, const struct ptx_inst *i)
{
    const uint32_t halves = T(F16) | T(F16X2) | T(BF16) | T(BF16X2);
    enum ptx_mod op = ptx_inst_mod(i, PTX_GROUP_ATOMOP);
    uint32_t set;
    switch (op) {
    case PTX_MOD_ATOMOP_ADD:
        set = T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | halves;
        break;
    case PTX_MOD_ATOMOP_MIN:
    case PTX_MOD_ATOMOP_MAX:
        set = T(U32) | T(S32) | T(U64) | T(S64) | halves;
        break;
    case PTX_MOD_ATOMOP_INC:
    case PTX_MOD_ATOMOP_DEC:
        set = T(U32);
        break;
    case PTX_MOD_ATOMOP_EXCH:
        set = T(B32) | T(B64) | T(B128);
        break;
    case PTX_MOD_ATOMOP_CAS:
        set = T(B16) | T(B32) | T(B64) | T(B128);
        break;
    default:
        set = T(B32) | T(B64);
        break;
    }
    bool returns_old = op == PTX_MOD_ATOMOP_EXCH || op == PTX_MOD_ATOMOP_CAS;
    if (i->op == PTX_OP_RED && returns_old)
        return parser_error(p, i->line, i->col, NULL, "'red.%s' does not exist, only 'atom.%s'",
                            ptx_mods[op].text, ptx_mods[op].text);
    if (set >> i->types[0] & 1)
        return true;
    return parser_error(p, i->line, i->col, NULL, "'%s.%s' has no form for '.%s'",
                        ptx_insts[i->op].text, ptx_mods[op].text, ptx_types[i->types[0]].text);
}

/* Sums and extremes of integers, logic of bits. */
static bool check_redux(struct parser *p, const struct ptx_inst *i)
{
    enum ptx_mod op = ptx_inst_mod(i, PTX_GROUP_REDUX);
    bool is_logic = op == PTX_MOD_REDUX_AND || op == PTX_MOD_REDUX_OR || op == PTX_MOD_REDUX_XOR;
    if (is_logic == (i->types[0] == PTX_B32))
        return true;
    return parser_error(p, i->line, i->col, NULL, "'redux.%s' has no form for '.%s'",
                        ptx_mods[op].text, ptx_types[i->types[0]].text);
}

static bool check_arithmetic(struct parser *p, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    enum ptx_mod half = ptx_inst_mod(i, PTX_GROUP_HALF);
    if (half == PTX_MOD_HALF_WIDE && ptx_types[type].bits == 64)
        return parser_error(p, i->line, i->col, NULL, "'%s.wide' has no form for '.%s'",
                            ptx_insts[i->op].text, ptx_types[type].text);
    if (half && is_float(type))
        return parser_error(p, i->line, i->col, NULL, "'.%s' is for integers", ptx_mods[half].text);
    if (half == PTX_MOD_HALF_LO && ptx_inst_mod(i, PTX_GROUP_SAT))
        return parser_error(p, i->line, i->col, NULL, "only '%s.hi' saturates",
                            ptx_insts[i->op].text);
    bool saturates = ptx_inst_mod(i, PTX_GROUP_SAT) != PTX_NO_MOD;
    if (saturates && i->n_types == 1 && !is_float(type) && type != PTX_S32)
        return parser_error(p, i->line, i->col, NULL, "'.sat' has no form for '.%s'",
                            ptx_types[type].text);
    if ((i->op == PTX_OP_NEG || i->op == PTX_OP_ABS) && ptx_types[type].kind == 'u')
        return parser_error(p, i->line, i->col, NULL, "'%s' has no form for '.%s'",
                            ptx_insts[i->op].text, ptx_types[type].text);
    return true;
}

/* Words that are valid individually but not together. */
static bool check_combination(struct parser *p, const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_CVT:
        return check_conversion(p, i);
    case PTX_OP_SETP:
    case PTX_OP_SET:
        return check_comparison(p, i);
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return check_atomic(p, i);
    case PTX_OP_REDUX:
        return check_redux(p, i);
    default:
        return check_arithmetic(p, i);
    }
}

bool parser_check_inst(struct parser *p, struct ptx_inst *i)
{
    bool is_barrier = i->op == PTX_OP_BARRIER || i->op == PTX_OP_BAR;
    if (is_barrier && ptx_inst_mod(i, PTX_GROUP_SCOPE) == PTX_MOD_SCOPE_CLUSTER)
        i->refused = true;
    if (i->refused)
        return true;
    return check_types(p, i) && check_needs(p, i) && check_combination(p, i) &&
           check_operands(p, i);
}
