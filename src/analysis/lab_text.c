/* Accesses as text, one per line: `cycle sm warp thread pc kind address [bytes]`. Numbers are
 * decimal, except for the address and the bytes, which are hexadecimal with or without 0x. The kind
 * is L (load) or S (global store), or with an annotation for L2 L.cp or S.cc. The bytes are a mask
 * of the requested bytes of the line, bit 0 for the first; without it, all of them. A # begins a
 * comment; blank lines are ignored. */
#include <ctype.h>
#include <string.h>

#include "analysis/lab_stream.h"

struct line_reader {
    const char *file, *text; /* the whole text, for excerpts */
    const char *start, *at;  /* start of the line; current position */
    uint32_t line;
    struct diag_list *diags;
};

static void skip_blanks(struct line_reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static bool at_end(const struct line_reader *r)
{
    return *r->at == '\0' || *r->at == '\n' || *r->at == '#';
}

static bool complain(const struct line_reader *r, const char *at, const char *expected)
{
    diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, (uint32_t)(at - r->start) + 1,
             "a line has the form: cycle sm warp thread pc kind address [bytes]", "expected %s",
             expected);
    return false;
}

static bool ends_word(char c)
{
    return c == '\0' || c == '#' || isspace((unsigned char)c);
}

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static bool read_number(struct line_reader *r, unsigned base, uint64_t max, const char *expected,
                        uint64_t *out)
{
    skip_blanks(r);
    const char *first = r->at;
    if (base == 16 && first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        r->at += 2;
    const char *digits = r->at;
    uint64_t value = 0;
    for (; digit_value(*r->at) < base; r->at++) {
        unsigned d = digit_value(*r->at);
        if (value > (max - d) / base)
            return complain(r, first, expected);
        value = value * base + d;
    }
    *out = value;
    return (r->at > digits && ends_word(*r->at)) || complain(r, first, expected);
}

static bool read_kind(struct line_reader *r, struct lab_access *a)
{
    static const struct {
        const char *word;
        uint8_t kind, op;
    } kinds[] = {{"L", LAB_LOAD, MEM_OP_NONE},
                 {"L.cp", LAB_LOAD, MEM_OP_CP},
                 {"S", LAB_STORE, MEM_OP_NONE},
                 {"S.cc", LAB_STORE, MEM_OP_CC}};
    skip_blanks(r);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].word);
        if (strncmp(r->at, kinds[i].word, n) != 0 || !ends_word(r->at[n]))
            continue;
        a->kind = kinds[i].kind;
        a->op = kinds[i].op;
        r->at += n;
        return true;
    }
    return complain(r, r->at, "a kind: L or L.cp for a load, S or S.cc for a store");
}

/* Up to 128 bits; all of them if there is no mask. */
static bool read_bytes(struct line_reader *r, struct lab_bytes *out)
{
    static const char expected[] = "the bytes as a hexadecimal mask of 1 to 128 bits, not 0";
    *out = (struct lab_bytes){{UINT64_MAX, UINT64_MAX}};
    skip_blanks(r);
    if (at_end(r))
        return true;
    const char *first = r->at;
    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        r->at += 2;
    *out = (struct lab_bytes){{0, 0}};
    for (; digit_value(*r->at) < 16; r->at++) {
        if (out->mask[1] >> 60)
            return complain(r, first, expected);
        out->mask[1] = out->mask[1] << 4 | out->mask[0] >> 60;
        out->mask[0] = out->mask[0] << 4 | digit_value(*r->at);
    }
    if (!ends_word(*r->at) || !(out->mask[0] | out->mask[1]))
        return complain(r, first, expected);
    return true;
}

static bool read_access(struct line_reader *r, struct lab_access *a, struct lab_bytes *bytes)
{
    uint64_t sm, pc;
    *a = (struct lab_access){0};
    if (!read_number(r, 10, UINT64_MAX, "a cycle, a decimal number", &a->cycle) ||
        !read_number(r, 10, LAB_MAX_SMS - 1, "an SM, 0 to 65535", &sm) ||
        !read_number(r, 10, UINT64_MAX, "a warp, a decimal number", &a->warp) ||
        !read_number(r, 10, UINT64_MAX, "a thread, a decimal number", &a->thread) ||
        !read_number(r, 10, UINT32_MAX, "a PC, a decimal number of 32 bits", &pc) ||
        !read_kind(r, a) ||
        !read_number(r, 16, UINT64_MAX, "an address, a hexadecimal number", &a->address) ||
        !read_bytes(r, bytes))
        return false;
    a->sm = (uint32_t)sm;
    a->pc = (uint32_t)pc;
    skip_blanks(r);
    return at_end(r) || complain(r, r->at, "the end of the line");
}

bool lab_stream_parse_text(struct lab_stream *s, const char *path, const char *text,
                           struct diag_list *diags)
{
    uint32_t n_errors = diags->n_errors;
    struct line_reader r = {.file = path, .text = text, .start = text, .diags = diags};
    s->tells_bytes = true;
    while (*r.start) {
        struct lab_access a;
        struct lab_bytes bytes;
        r.at = r.start;
        r.line++;
        skip_blanks(&r);
        if (!at_end(&r) && read_access(&r, &a, &bytes))
            lab_stream_add_bytes(s, &a, bytes);
        const char *end = strchr(r.at, '\n');
        r.start = end ? end + 1 : r.at + strlen(r.at);
    }
    return diags->n_errors == n_errors;
}

bool lab_stream_read_text(struct lab_stream *s, const char *path, struct diag_list *diags)
{
    struct strbuf text = {0};
    int error = strbuf_read_file(&text, path);
    bool ok = false;
    if (error)
        diag_add(diags, DIAG_ERROR, path, NULL, 0, 0, NULL, "cannot be read: %s", strerror(error));
    else if (strlen(strbuf_text(&text)) != text.len)
        diag_add(diags, DIAG_ERROR, path, NULL, 0, 0, "for a recording, leave out --format text",
                 "this is not text");
    else
        ok = lab_stream_parse_text(s, path, strbuf_text(&text), diags);
    strbuf_destroy(&text);
    return ok;
}
