#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/decisions.h"
#include "base/arena.h"

struct decision_reader {
    FILE *file;
    uint64_t n_read;
    bool has_begun;
    uint32_t launch;
    char **texts; /* by PC, for the current launch */
    uint32_t n_texts;
};

struct decision_reader *decision_reader_create(FILE *file)
{
    struct decision_reader *r = xcalloc(1, sizeof *r);
    r->file = file;
    return r;
}

static void forget_texts(struct decision_reader *r)
{
    for (uint32_t i = 0; i < r->n_texts; i++)
        free(r->texts[i]);
    free(r->texts);
    r->texts = NULL;
    r->n_texts = 0;
}

void decision_reader_destroy(struct decision_reader *r)
{
    if (!r)
        return;
    forget_texts(r);
    free(r);
}

static uint64_t number(const unsigned char **at, int n_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++)
        value |= (uint64_t)(*at)[i] << 8 * i;
    *at += n_bytes;
    return value;
}

static bool read_bytes(struct decision_reader *r, void *into, size_t n)
{
    return fread(into, 1, n, r->file) == n;
}

/* No program has a PC beyond this: the stream is broken. */
enum { MAX_PC = 1 << 24 };

static bool read_text(struct decision_reader *r)
{
    unsigned char head[10];
    const unsigned char *at = head;
    if (!read_bytes(r, head, sizeof head))
        return false;
    uint32_t launch = (uint32_t)number(&at, 4), pc = (uint32_t)number(&at, 4);
    size_t length = number(&at, 2);
    if (pc >= MAX_PC)
        return false;
    if (launch != r->launch)
        forget_texts(r);
    r->launch = launch;
    if (pc >= r->n_texts) {
        r->texts = xrealloc(r->texts, (pc + 1) * sizeof *r->texts);
        memset(r->texts + r->n_texts, 0, (pc + 1 - r->n_texts) * sizeof *r->texts);
        r->n_texts = pc + 1;
    }
    char *text = xcalloc(1, length + 1);
    free(r->texts[pc]);
    r->texts[pc] = text;
    return read_bytes(r, text, length);
}

static bool read_decision(struct decision_reader *r, struct decision *d)
{
    unsigned char bytes[DECISION_BYTES];
    const unsigned char *at = bytes;
    if (!read_bytes(r, bytes, sizeof bytes))
        return false;
    d->cycle = number(&at, 8);
    d->line = number(&at, 8);
    d->launch = (uint32_t)number(&at, 4);
    d->sm = (uint32_t)number(&at, 4);
    d->pc = (uint32_t)number(&at, 4);
    d->warp = (uint16_t)number(&at, 2);
    d->way = (uint16_t)number(&at, 2);
    d->kind = (uint8_t)number(&at, 1);
    d->scheduler = (uint8_t)number(&at, 1);
    r->n_read++;
    return d->kind < N_DECISION_KINDS;
}

static bool read_end(struct decision_reader *r)
{
    unsigned char bytes[8];
    const unsigned char *at = bytes;
    return read_bytes(r, bytes, sizeof bytes) && number(&at, 8) == r->n_read;
}

static bool read_title(struct decision_reader *r)
{
    static const char title[] = "heddle-decisions 1\n";
    char got[sizeof title] = "";
    r->has_begun = true;
    return read_bytes(r, got, sizeof title - 1) && strcmp(got, title) == 0;
}

enum decision_read decision_read(struct decision_reader *r, struct decision *d)
{
    if (!r->has_begun && !read_title(r))
        return DECISION_BROKEN;
    for (;;) {
        switch (getc(r->file)) {
        case 'p':
            if (!read_text(r))
                return DECISION_BROKEN;
            break;
        case 'd':
            return read_decision(r, d) ? DECISION_READ : DECISION_BROKEN;
        case 'e':
            return read_end(r) ? DECISION_END : DECISION_BROKEN;
        default:
            return DECISION_BROKEN;
        }
    }
}

const char *decision_instruction(const struct decision_reader *r, const struct decision *d)
{
    return d->launch == r->launch && d->pc < r->n_texts ? r->texts[d->pc] : NULL;
}

void decision_describe(const struct decision_reader *r, const struct decision *d,
                       struct strbuf *out)
{
    static const char *const words[] = {
#define KIND(name, text) text,
        DECISION_KINDS(KIND)
#undef KIND
    };
    const char *text = decision_instruction(r, d);
    strbuf_addf(out, "warp %u %s", d->warp, words[d->kind]);
    if (d->kind == DECISION_ISSUE)
        strbuf_addf(out, " (scheduler %u)", d->scheduler);
    else
        strbuf_addf(out, ", line 0x%" PRIx64, d->line);
    if (d->way != DECISION_NO_WAY)
        strbuf_addf(out, ", way %u", d->way);
    strbuf_addf(out, "; PC %u of %s", d->pc, text ? text : "?");
}

bool decision_equal(const struct decision *a, const struct decision *b)
{
    return a->cycle == b->cycle && a->line == b->line && a->launch == b->launch && a->sm == b->sm &&
           a->pc == b->pc && a->warp == b->warp && a->way == b->way && a->kind == b->kind &&
           a->scheduler == b->scheduler;
}
