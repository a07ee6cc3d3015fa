#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20, MAX_EXCERPT = 160, MAX_WORD = 63 };

void diag_list_destroy(struct diag_list *list)
{
    if (!list)
        return;
    arena_destroy(&list->arena);
    free(list->items);
    memset(list, 0, sizeof *list);
}

static const char *cut_excerpt(struct arena *a, const char *text, uint32_t line)
{
    if (!text || !line)
        return NULL;
    for (uint32_t i = 1; i < line; i++) {
        text = strchr(text, '\n');
        if (!text)
            return NULL;
        text++;
    }
    size_t n = strcspn(text, "\r\n");
    char *copy = arena_strndup(a, text, n < MAX_EXCERPT ? n : MAX_EXCERPT);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    return copy;
}

struct diag *diag_add(struct diag_list *list, enum diag_severity severity, const char *file,
                      const char *text, uint32_t line, uint32_t col, const char *hint,
                      const char *format, ...)
{
    if (severity == DIAG_ERROR)
        list->n_errors++;
    if (list->n >= (list->limit ? list->limit : DEFAULT_LIMIT))
        return NULL;
    struct strbuf message = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&message, format, args);
    va_end(args);
    ARRAY_RESERVE(list->items, list->cap, list->n + 1);
    struct diag *d = &list->items[list->n++];
    *d = (struct diag){
        .severity = severity,
        .file = file ? arena_strdup(&list->arena, file) : NULL,
        .line = line,
        .col = col,
        .message = arena_strdup(&list->arena, strbuf_text(&message)),
        .hint = hint ? arena_strdup(&list->arena, hint) : NULL,
        .excerpt = cut_excerpt(&list->arena, text, line),
    };
    strbuf_destroy(&message);
    return d;
}

static void format_one(const struct diag *d, struct strbuf *out)
{
    static const char *const names[] = {"error", "warning", "note"};
    if (d->file)
        strbuf_addf(out, "%s:", d->file);
    if (d->line)
        strbuf_addf(out, "%u:%u:", d->line, d->col);
    strbuf_addf(out, "%s%s: %s\n", d->file || d->line ? " " : "", names[d->severity], d->message);
    if (d->excerpt) {
        strbuf_addf(out, "    %s\n", d->excerpt);
        if (d->col && d->col <= strlen(d->excerpt) + 1)
            strbuf_addf(out, "    %*s^\n", (int)d->col - 1, "");
    }
    if (d->hint)
        strbuf_addf(out, "  hint: %s\n", d->hint);
}

void diag_format(const struct diag_list *list, struct strbuf *out)
{
    uint32_t kept_errors = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        format_one(&list->items[i], out);
        kept_errors += list->items[i].severity == DIAG_ERROR;
    }
    if (list->n_errors > kept_errors)
        strbuf_addf(out, "... and %u more errors\n", list->n_errors - kept_errors);
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edit distance; a transposition counts as one edit, and case is ignored. For words of at most
 * MAX_WORD letters. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX_WORD || nb > MAX_WORD)
        return MAX_WORD;
    unsigned row[3][MAX_WORD + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *now = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = prev[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            if (prev[j] + 1 < best)
                best = prev[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *suggest_nearest(const char *word, const char *const *candidates, uint32_t n)
{
    const char *nearest = NULL;
    unsigned best = ((unsigned)strlen(word) + 2) / 3; /* one letter of three may be wrong */
    for (uint32_t i = 0; i < n; i++) {
        if (!candidates[i])
            continue;
        unsigned d = edit_distance(word, candidates[i]);
        if (d <= best && (!nearest || d < best)) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

const char *suggest_hint(struct arena *a, const char *word, const char *const *candidates,
                         uint32_t n)
{
    const char *nearest = suggest_nearest(word, candidates, n);
    return nearest ? arena_printf(a, "did you mean '%s'?", nearest) : NULL;
}
