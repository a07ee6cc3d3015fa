/* Scopes, declarations and the meaning of names in them. Registers are created at their first use,
 * so a range of a million registers costs nothing. */
#include "ptx/parse.h"

#include <string.h>

bool parser_scope_open(struct parser *p)
{
    if (p->depth == MAX_SCOPES)
        return parser_error_here(p, "blocks are nested more than %d deep", MAX_SCOPES);
    p->scopes[++p->depth] = NULL;
    return true;
}

void parser_scope_close(struct parser *p)
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

/* The innermost range that contains the name: "%r12" may be %r<20> or %r1<5>. */
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

struct decl *parser_declare(struct parser *p, struct name *name, enum decl_kind kind, uint32_t line,
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

struct decl *parser_lookup(struct parser *p, struct name *name)
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

const char *parser_unique_name(struct parser *p, struct name *name)
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

struct ptx_reg **parser_use_register(struct parser *p, struct decl *d)
{
    if (d->regs)
        return d->regs;
    d->regs = ARENA_ARRAY(&p->m->arena, struct ptx_reg *, d->vec);
    const char *name = parser_unique_name(p, d->name);
    if (d->vec == 1)
        d->regs[0] = add_register(p, name, d->type);
    else
        for (uint32_t i = 0; i < d->vec; i++)
            d->regs[i] =
                add_register(p, arena_printf(&p->m->arena, "%s.%c", name, "xyzw"[i]), d->type);
    return d->regs;
}

void parser_add_global_ref(struct parser *p, struct global_ref ref)
{
    ARRAY_RESERVE(p->global_refs, p->global_refs_cap, p->n_global_refs + 1);
    p->global_refs[p->n_global_refs++] = ref;
}
