/* Statements outside functions, and skipping what is irrelevant or wrong. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* Skips from '{' through the '}' that closes it. */
bool parser_skip_block(struct parser *p)
{
    uint32_t open = 0;
    do {
        if (p->tok.kind == TOKEN_END)
            return parser_expected(p, "'}'");
        open += parser_at_punct(p, '{');
        open -= parser_at_punct(p, '}');
        parser_advance(p);
    } while (open);
    return true;
}

/* Skips to the end of a wrong statement: past its ';', or to the '}' that ends its block. */
void parser_skip_statement(struct parser *p)
{
    uint32_t open = 0;
    while (p->tok.kind != TOKEN_END) {
        if (parser_at_punct(p, '}') && !open)
            return;
        bool ends = parser_at_punct(p, ';');
        open += parser_at_punct(p, '{');
        open -= parser_at_punct(p, '}');
        parser_advance(p);
        if (ends)
            return;
    }
}

/* Can the current word only begin a declaration outside functions? */
static bool at_declaration(struct parser *p)
{
    switch (parser_token_directive(p)) {
    case DIRECTIVE_VERSION:
    case DIRECTIVE_TARGET:
    case DIRECTIVE_ADDRESS_SIZE:
    case DIRECTIVE_EXTERN:
    case DIRECTIVE_VISIBLE:
    case DIRECTIVE_WEAK:
    case DIRECTIVE_ENTRY:
    case DIRECTIVE_FUNC:
        return true;
    default:
        return false;
    }
}

/* The same outside functions, where a block belongs to the statement before it. Some statements
 * there end with their line: skipping one of them must not hide errors in the next kernel. */
static void skip_declaration(struct parser *p)
{
    uint32_t line = p->tok.line;
    while (p->tok.kind != TOKEN_END) {
        if (p->tok.line > line && at_declaration(p))
            return;
        if (parser_at_punct(p, '{')) {
            parser_skip_block(p);
            return;
        }
        if (parser_accept_punct(p, ';'))
            return;
        parser_advance(p);
    }
}

enum { NEWEST_VERSION = 90 }; /* 9.0: the version that nvcc 13 writes */

static bool parse_version(struct parser *p)
{
    struct ptx_module *m = p->m;
    parser_advance(p);
    if (p->tok.kind != TOKEN_FLOAT || p->tok.is_f32)
        return parser_expected(p, "a version such as 6.0");
    const char *dot = memchr(p->tok.text, '.', (size_t)(p->lex.at - p->tok.text));
    m->version_major = (uint32_t)strtoul(p->tok.text, NULL, 10);
    m->version_minor = dot ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
    if (m->version_major * 10 + m->version_minor > NEWEST_VERSION)
        parser_warning(p, p->tok.line, p->tok.col, NULL,
                       "PTX %u.%u is newer than %u.%u, the newest version known to Heddle",
                       m->version_major, m->version_minor, NEWEST_VERSION / 10,
                       NEWEST_VERSION % 10);
    parser_advance(p);
    return true;
}

/* `sm_90`, optionally with the letter of architecture- or family-specific features. */
static void check_target(struct parser *p, const struct token *at, const char *text)
{
    static const uint32_t known[] = {10, 11, 12, 13,  20,  21,  30,  32,  35, 37, 50,
                                     52, 53, 60, 61,  62,  70,  72,  75,  80, 86, 87,
                                     88, 89, 90, 100, 101, 103, 110, 120, 121};
    const char *end = text + 3 + strspn(text + 3, "0123456789");
    bool is_known = !*end || (p->m->sm >= 90 && (!strcmp(end, "a") || !strcmp(end, "f")));
    for (uint32_t i = 0; is_known && i < sizeof known / sizeof known[0]; i++)
        if (known[i] == p->m->sm)
            return;
    parser_warning(p, at->line, at->col, NULL, "'%s' is not a known target", text);
}

static bool parse_target(struct parser *p)
{
    struct ptx_module *m = p->m;
    struct strbuf text = {0};
    bool ok = true;
    m->sm = 0;
    do {
        parser_advance(p);
        struct token at = p->tok;
        const struct name *name = parser_expect_name(p, "a target such as sm_35");
        ok = name != NULL;
        if (!ok)
            break;
        if (!strncmp(name->text, "sm_", 3)) {
            m->sm = (uint32_t)strtoul(name->text + 3, NULL, 10);
            check_target(p, &at, name->text);
        }
        strbuf_addf(&text, "%s%s", text.len ? ", " : "", name->text);
    } while (parser_at_punct(p, ','));
    m->target = arena_strdup(&m->arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return ok;
}

static bool parse_address_size(struct parser *p)
{
    parser_advance(p);
    struct token at = p->tok;
    if (!parser_expect_uint32(p, &p->m->address_bits, "32 or 64"))
        return false;
    if (p->m->address_bits != 32 && p->m->address_bits != 64)
        return parser_error(p, at.line, at.col, NULL, "addresses have 32 or 64 bits");
    return true;
}

/* .file NUMBER "name" [, TIMESTAMP, SIZE] */
bool parse_file(struct parser *p)
{
    struct ptx_module *m = p->m;
    uint32_t number;
    parser_advance(p);
    struct token at = p->tok;
    if (!parser_expect_uint32(p, &number, "a file number"))
        return false;
    if (number >= MAX_FILES)
        return parser_error(p, at.line, at.col, NULL, "file numbers end at %d", MAX_FILES - 1);
    if (p->tok.kind != TOKEN_STRING)
        return parser_expected(p, "a file name");
    if (number >= m->n_files) {
        ARRAY_RESERVE(m->files, p->files_cap, number + 1);
        memset(m->files + m->n_files, 0, (number + 1 - m->n_files) * sizeof *m->files);
        m->n_files = number + 1;
    }
    m->files[number] = arena_strndup(&m->arena, p->tok.text, p->tok.len);
    parser_advance(p);
    while (parser_accept_punct(p, ',')) {
        if (p->tok.kind != TOKEN_INT)
            return parser_expected(p, "a number");
        parser_advance(p);
    }
    return true;
}

/* Pragmas are hints to an optimiser; there is none here. Heddle's own is of the whole module. */
bool parse_pragma(struct parser *p)
{
    do {
        parser_advance(p);
        if (p->tok.kind != TOKEN_STRING)
            return parser_expected(p, "a string");
        if (p->tok.len == strlen(PTX_LATE_RECONVERGENCE) &&
            memcmp(p->tok.text, PTX_LATE_RECONVERGENCE, p->tok.len) == 0)
            p->m->late_reconvergence = true;
        parser_advance(p);
    } while (parser_at_punct(p, ','));
    return parser_expect_punct(p, ';');
}

/* Debug information, which is not read. */
bool parse_section(struct parser *p)
{
    parser_advance(p);
    if (p->tok.kind == TOKEN_WORD || p->tok.kind == TOKEN_NAME)
        parser_advance(p);
    return parser_at_punct(p, '{') ? parser_skip_block(p) : parser_expected(p, "'{'");
}

/* @@DWARF and the rest of its line: debug information of old compilers. */
static bool skip_dwarf_line(struct parser *p)
{
    const char *end = memchr(p->lex.at, '\n', (size_t)(p->lex.end - p->lex.at));
    p->lex.at = end ? end : p->lex.end;
    parser_advance(p);
    return true;
}

/* .alias name, function; */
static bool parse_alias(struct parser *p)
{
    parser_advance(p);
    struct token at = p->tok;
    struct name *alias = parser_expect_name(p, "a function's name");
    if (!alias)
        return false;
    if (!alias->decl || !alias->decl->func || alias->decl->func->has_body)
        return parser_error(p, at.line, at.col, NULL,
                            "'%s' must be a function declared without a body", alias->text);
    if (!parser_expect_punct(p, ','))
        return false;
    at = p->tok;
    struct name *target = parser_expect_name(p, "a function's name");
    if (!target)
        return false;
    if (target->decl && (!target->decl->func || !target->decl->func->has_body))
        return parser_error(p, at.line, at.col, NULL, "'%s' must be a function with a body",
                            target->text);
    parser_add_global_ref(p, (struct global_ref){.name = target,
                                                 .line = at.line,
                                                 .col = at.col,
                                                 .func = &alias->decl->func->alias_of});
    p->has_aliases = true;
    return parser_expect_punct(p, ';');
}

static bool parse_linked(struct parser *p)
{
    enum ptx_linkage linkage = PTX_LINK_NONE;
    for (;;) {
        switch (parser_token_directive(p)) {
        case DIRECTIVE_EXTERN:
            linkage = PTX_LINK_EXTERN;
            break;
        case DIRECTIVE_VISIBLE:
            linkage = PTX_LINK_VISIBLE;
            break;
        case DIRECTIVE_WEAK:
            linkage = PTX_LINK_WEAK;
            break;
        case DIRECTIVE_COMMON:
            linkage = PTX_LINK_COMMON;
            break;
        case DIRECTIVE_ENTRY:
        case DIRECTIVE_FUNC:
            return parse_function(p, linkage);
        case DIRECTIVE_GLOBAL:
        case DIRECTIVE_CONST:
        case DIRECTIVE_SHARED:
        case DIRECTIVE_LOCAL:
        case DIRECTIVE_PARAM:
        case DIRECTIVE_TEX:
            return parse_variables(p, linkage);
        case DIRECTIVE_ATTRIBUTE:
            parser_advance(p);
            if (!parser_skip_attribute(p))
                return false;
            continue;
        default:
            return parser_expected(p, "a function or a variable");
        }
        parser_advance(p);
    }
}

static bool parse_directive(struct parser *p)
{
    switch (parser_token_directive(p)) {
    case DIRECTIVE_VERSION:
        return parse_version(p);
    case DIRECTIVE_TARGET:
        return parse_target(p);
    case DIRECTIVE_ADDRESS_SIZE:
        return parse_address_size(p);
    case DIRECTIVE_FILE:
        return parse_file(p);
    case DIRECTIVE_PRAGMA:
        return parse_pragma(p);
    case DIRECTIVE_SECTION:
        return parse_section(p);
    case DIRECTIVE_ALIAS:
        return parse_alias(p);
    case DIRECTIVE_REG:
        return parse_registers(p);
    case DIRECTIVE_EXTERN:
    case DIRECTIVE_VISIBLE:
    case DIRECTIVE_WEAK:
    case DIRECTIVE_COMMON:
    case DIRECTIVE_ENTRY:
    case DIRECTIVE_FUNC:
    case DIRECTIVE_GLOBAL:
    case DIRECTIVE_CONST:
    case DIRECTIVE_SHARED:
    case DIRECTIVE_LOCAL:
    case DIRECTIVE_PARAM:
    case DIRECTIVE_TEX:
    case DIRECTIVE_ATTRIBUTE:
        return parse_linked(p);
    default:
        break;
    }
    const struct token *t = &p->tok;
    const char *word = arena_strndup(&p->m->arena, t->text, t->len < 63 ? t->len : 63);
    return parser_error(p, t->line, t->col, parser_hint_directive(p, word),
                        "unknown directive '.%s'", word);
}

static bool parse_module_statement(struct parser *p)
{
    p->nesting = 0;
    if (parser_accept_punct(p, ';'))
        return true;
    if (p->tok.kind == TOKEN_WORD)
        return parse_directive(p);
    if (parser_accept_punct(p, '@') && parser_at_punct(p, '@'))
        return skip_dwarf_line(p);
    return parser_expected(p, "a directive such as .visible .entry");
}

void parse_module(struct parser *p)
{
    while (p->tok.kind != TOKEN_END)
        if (!parse_module_statement(p))
            skip_declaration(p);
    if (p->m->n_funcs && !p->m->version_major)
        parser_warning(p, 1, 1, NULL, "there is no .version; PTX must begin with one");
    if (p->m->n_funcs && !p->m->target)
        parser_warning(p, 1, 1, NULL, "there is no .target; name a GPU such as sm_35");
}
