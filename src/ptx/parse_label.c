/* Labels, and the lists named like labels: targets of branches and calls, prototypes. */
#include "ptx/parse.h"

void parser_add_label_ref(struct parser *p, struct name *name, uint32_t line, uint32_t col)
{
    struct body *b = &p->body;
    ARRAY_RESERVE(b->label_refs, b->label_refs_cap, b->n_label_refs + 1);
    b->label_refs[b->n_label_refs++] = (struct label_ref){.name = name, .line = line, .col = col};
}

/* A label may be used before it is defined in its block, so uses are bound when the block ends.
 * Those still unbound may refer to a label of the enclosing block. */
void parser_bind_labels(struct parser *p)
{
    struct body *b = &p->body;
    uint32_t n_open = b->first_label_ref[p->depth];
    for (uint32_t i = n_open; i < b->n_label_refs; i++) {
        struct label_ref *ref = &b->label_refs[i];
        const struct decl *d = ref->name->decl;
        if (d && d->kind == DECL_LABEL && d->depth == p->depth)
            *ref->slot = d->label;
        else if (p->depth > 1)
            b->label_refs[n_open++] = *ref;
        else if (d && d->kind != DECL_LABEL)
            parser_error(p, ref->line, ref->col, NULL, "'%s' is not a label", ref->name->text);
        else
            parser_error(p, ref->line, ref->col, parser_hint_declared(p, ref->name->text),
                         "there is no label '%s' here", ref->name->text);
    }
    b->n_label_refs = n_open;
}

static bool parse_branch_targets(struct parser *p, struct ptx_targets *t)
{
    uint32_t first_ref = p->body.n_label_refs;
    do {
        struct token at = p->tok;
        struct name *label = parser_expect_name(p, "a label");
        if (!label) {
            p->body.n_label_refs = first_ref;
            return false;
        }
        parser_add_label_ref(p, label, at.line, at.col);
        t->n++;
    } while (parser_accept_punct(p, ','));
    t->labels = ARENA_ARRAY(&p->m->arena, uint32_t, t->n);
    for (uint32_t i = 0; i < t->n; i++)
        p->body.label_refs[first_ref + i].slot = &t->labels[i];
    return parser_expect_punct(p, ';');
}

static bool parse_call_targets(struct parser *p, struct ptx_targets *t)
{
    uint32_t first_ref = p->n_global_refs;
    do {
        struct token at = p->tok;
        struct name *func = parser_expect_name(p, "a function");
        if (!func) {
            p->n_global_refs = first_ref;
            return false;
        }
        parser_add_global_ref(p, (struct global_ref){.name = func, .line = at.line, .col = at.col});
        t->n++;
    } while (parser_accept_punct(p, ','));
    t->funcs = ARENA_ARRAY(&p->m->arena, struct ptx_func *, t->n);
    for (uint32_t i = 0; i < t->n; i++)
        p->global_refs[first_ref + i].func = &t->funcs[i];
    return parser_expect_punct(p, ';');
}

/* "name: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;" */
static bool parse_prototype(struct parser *p, struct ptx_proto *proto)
{
    if (parser_at_punct(p, '(') && !parse_params(p, &proto->rets, &proto->n_rets))
        return false;
    if (!parser_expect_name(p, "'_'"))
        return false;
    if (parser_at_punct(p, '(') && !parse_params(p, &proto->params, &proto->n_params))
        return false;
    struct ptx_func tuning = {0};
    while (p->tok.kind == TOKEN_WORD)
        if (!parse_tuning(p, &tuning))
            return false;
    proto->noreturn = tuning.noreturn;
    return parser_expect_punct(p, ';');
}

static bool parse_named_list(struct parser *p, struct name *name, const struct token *at,
                             enum directive directive)
{
    struct body *b = &p->body;
    bool is_proto = directive == DIRECTIVE_CALLPROTOTYPE;
    struct decl *d =
        parser_declare(p, name, is_proto ? DECL_PROTO : DECL_TARGETS, at->line, at->col);
    if (!d)
        return false;
    parser_advance(p);
    if (is_proto) {
        struct ptx_proto *proto = d->proto = ARENA_NEW(&p->m->arena, struct ptx_proto);
        proto->name = parser_unique_name(p, name);
        proto->at = b->n_insts;
        proto->index = b->n_protos;
        ARRAY_RESERVE(b->protos, b->protos_cap, b->n_protos + 1);
        b->protos[b->n_protos++] = proto;
        return parse_prototype(p, proto);
    }
    struct ptx_targets *t = d->targets = ARENA_NEW(&p->m->arena, struct ptx_targets);
    t->name = parser_unique_name(p, name);
    t->at = b->n_insts;
    t->index = b->n_targets;
    ARRAY_RESERVE(b->targets, b->targets_cap, b->n_targets + 1);
    b->targets[b->n_targets++] = t;
    return directive == DIRECTIVE_BRANCHTARGETS ? parse_branch_targets(p, t)
                                                : parse_call_targets(p, t);
}

bool parse_label(struct parser *p)
{
    struct body *b = &p->body;
    struct token at = p->tok;
    struct name *name = parser_expect_name(p, "a label");
    parser_advance(p); /* the colon */
    enum directive directive = parser_token_directive(p);
    if (directive == DIRECTIVE_BRANCHTARGETS || directive == DIRECTIVE_CALLTARGETS ||
        directive == DIRECTIVE_CALLPROTOTYPE)
        return parse_named_list(p, name, &at, directive);
    struct decl *d = parser_declare(p, name, DECL_LABEL, at.line, at.col);
    if (!d)
        return true; /* reported; what follows the label is a separate statement */
    d->label = b->n_labels;
    ARRAY_RESERVE(b->labels, b->labels_cap, b->n_labels + 1);
    b->labels[b->n_labels++] =
        (struct ptx_label){.name = parser_unique_name(p, name), .at = b->n_insts};
    return true;
}
