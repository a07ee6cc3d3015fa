/* Instructions: guard, opcode, dotted words. */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

/* --- opcode and words --- */

static bool parse_guard(struct parser *p, struct ptx_inst *i)
{
    if (!parser_accept_punct(p, '@'))
        return true;
    i->guard_negated = parser_accept_punct(p, '!');
    struct token at = p->tok;
    struct name *name = parser_expect_name(p, "a predicate");
    if (!name)
        return false;
    struct decl *d = parser_lookup(p, name);
    if (!d || d->kind != DECL_REG || d->type != PTX_PRED || d->vec != 1)
        return parser_error(p, at.line, at.col, d ? NULL : parser_hint_declared(p, name->text),
                            d ? "'%s' is not a predicate" : "'%s' is not declared", name->text);
    i->guard = parser_use_register(p, d)[0];
    return true;
}

static const char *hint_opcode(struct parser *p, const char *word)
{
    const char *texts[PTX_N_OPCODES];
    for (uint32_t i = 0; i < PTX_N_OPCODES; i++)
        texts[i] = ptx_insts[i].text;
    return suggest_hint(&p->m->arena, word, texts, PTX_N_OPCODES);
}

static const char *hint_word(struct parser *p, enum ptx_opcode op, const char *word)
{
    const char *texts[PTX_N_MODS + PTX_N_TYPES];
    uint32_t n = 0;
    for (uint32_t i = 1; i < PTX_N_MODS; i++)
        if (ptx_insts[op].groups >> ptx_mods[i].group & 1)
            texts[n++] = ptx_mods[i].text;
    for (uint32_t i = 1; i < PTX_N_TYPES && ptx_insts[op].types[0]; i++)
        texts[n++] = ptx_types[i].text;
    return suggest_hint(&p->m->arena, word, texts, n);
}

/* The meaning of a word is searched only in the groups that the instruction allows; if there are
 * several, the first that it does not have yet (bar.warp.sync: the kind of barrier, then
 * "sync"). */
static enum ptx_mod find_mod(const struct ptx_inst *i, const struct name *word, bool *is_repeated)
{
    *is_repeated = false;
    for (uint32_t k = 0; k < word->n_mods; k++) {
        uint32_t group = ptx_mods[word->mods[k]].group;
        if (!(ptx_insts[i->op].groups >> group & 1))
            continue;
        if (group == PTX_GROUP_HINT || group == PTX_GROUP_OTHER || !ptx_inst_mod(i, group))
            return word->mods[k];
        *is_repeated = true;
    }
    return PTX_NO_MOD;
}

static bool add_word(struct parser *p, struct ptx_inst *i, const struct name *word,
                     const struct token *at)
{
    bool is_repeated;
    enum ptx_mod mod = find_mod(i, word, &is_repeated);
    if (i->n_mods == PTX_MAX_MODS || i->n_types == PTX_MAX_INST_TYPES)
        return parser_error(p, at->line, at->col, NULL, "too many words after '%s'",
                            ptx_insts[i->op].text);
    if (mod) {
        i->refused |= ptx_mods[mod].group == PTX_GROUP_OTHER;
        i->mods[i->n_mods++] = (uint8_t)mod;
        return true;
    }
    if (word->type) {
        i->type_places |= 1u << (i->n_mods + i->n_types);
        i->types[i->n_types++] = word->type;
        return true;
    }
    if (is_repeated)
        return parser_error(p, at->line, at->col, NULL, "'.%s' contradicts a word before it",
                            word->text);
    return parser_error(p, at->line, at->col, hint_word(p, i->op, word->text),
                        "'%s' has no modifier '.%s'", ptx_insts[i->op].text, word->text);
}

/* The words of a refused instruction are kept as written. */
static bool keep_words(struct parser *p, struct ptx_inst *i)
{
    struct strbuf words = {0};
    while (p->tok.kind == TOKEN_WORD) {
        strbuf_add_char(&words, '.');
        strbuf_add_n(&words, p->tok.text, p->tok.len);
        parser_advance(p);
    }
    i->words = arena_strdup(&p->m->arena, strbuf_text(&words));
    i->refused = true;
    strbuf_destroy(&words);
    return true;
}

static bool parse_words(struct parser *p, struct ptx_inst *i)
{
    if (ptx_insts[i->op].unit == PTX_UNIT_REFUSED)
        return keep_words(p, i);
    while (p->tok.kind == TOKEN_WORD) {
        struct token at = p->tok;
        if (!add_word(p, i, parser_expect_word(p, "a modifier"), &at))
            return false;
    }
    return true;
}

static bool parse_opcode(struct parser *p, struct ptx_inst *i)
{
    i->line = p->tok.line;
    i->col = p->tok.col;
    const struct name *name = parser_expect_name(p, "an instruction");
    if (!name)
        return false;
    /* st.async and red.async are separate instructions. */
    if (p->tok.kind == TOKEN_WORD && p->tok.len == 5 && !memcmp(p->tok.text, "async", 5)) {
        char text[32];
        int len = snprintf(text, sizeof text, "%.20s.async", name->text);
        const struct name *dotted = names_find(&p->names, text, (size_t)len);
        if (dotted && dotted->opcode != NO_OPCODE) {
            name = dotted;
            parser_advance(p);
        }
    }
    if (name->opcode == NO_OPCODE)
        return parser_error(p, i->line, i->col, hint_opcode(p, name->text),
                            "unknown instruction '%s'", name->text);
    i->op = name->opcode;
    return parse_words(p, i);
}

/* --- the whole --- */

/* References were recorded in the order of their operands. */
static void place_refs(struct parser *p, struct ptx_operand *op, uint32_t *global, uint32_t *label)
{
    if (op->kind == PTX_OPERAND_LABEL)
        p->body.label_refs[(*label)++].slot = &op->label;
    if ((op->kind == PTX_OPERAND_VAR && !op->var) || (op->kind == PTX_OPERAND_FUNC && !op->func))
        p->global_refs[(*global)++].operand = op;
    for (uint32_t i = 0; i < op->n_items; i++)
        place_refs(p, &op->items[i], global, label);
}

static bool reads_refused_sreg(const struct ptx_inst *i)
{
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (i->operands[k].kind == PTX_OPERAND_SREG && i->operands[k].sreg >= PTX_N_SUPPORTED_SREGS)
            return true;
    return false;
}

static void add_inst(struct parser *p, const struct ptx_inst *i, bool is_checked_late)
{
    struct body *b = &p->body;
    ARRAY_RESERVE(b->insts, b->insts_cap, b->n_insts + 1);
    b->insts[b->n_insts++] = *i;
    if (is_checked_late) {
        ARRAY_RESERVE(p->late_insts, p->late_insts_cap, p->n_late_insts + 1);
        p->late_insts[p->n_late_insts++] = *i;
    }
}

bool parse_instruction(struct parser *p)
{
    struct body *b = &p->body;
    struct ptx_inst i = {.loc_file = b->loc_file, .loc_line = b->loc_line, .loc_col = b->loc_col};
    uint32_t n_global_refs = p->n_global_refs, n_label_refs = b->n_label_refs;
    p->n_operands = 0;
    bool ok = parse_guard(p, &i) && parse_opcode(p, &i) && parse_operands(p, &i) &&
              (parser_at_punct(p, ';') || parser_expected(p, "',' or ';'"));
    if (!ok) {
        p->n_global_refs = n_global_refs;
        b->n_label_refs = n_label_refs;
        return false;
    }
    bool names_later = p->n_global_refs > n_global_refs;
    i.operands = parser_take_operands(p, 0, &i.n_operands);
    for (uint32_t k = 0; k < i.n_operands; k++)
        place_refs(p, &i.operands[k], &n_global_refs, &n_label_refs);
    i.refused |= reads_refused_sreg(&i);
    if (!names_later)
        parser_check_inst(p, &i);
    add_inst(p, &i, names_later || i.op == PTX_OP_CALL);
    parser_advance(p);
    return true;
}
