/* Messages about a user's input: where, what, and what to do. Parsers add them and continue; the
 * caller decides what to print. Nothing here prints or exits. */
#ifndef HEDDLE_BASE_DIAG_H
#define HEDDLE_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_severity severity;
    const char *file;   /* as the user named it; NULL = not about a file */
    uint32_t line, col; /* from 1; 0 = not known */
    const char *message;
    const char *hint;    /* what to do about it, or NULL */
    const char *excerpt; /* the source line, or NULL */
};

/* A zeroed list is empty and valid. */
struct diag_list {
    struct arena arena;
    struct diag *items;
    uint32_t n, cap;
    uint32_t n_errors; /* includes those past the limit */
    uint32_t limit;    /* how many to keep; 0 = 20 */
};

void diag_list_destroy(struct diag_list *list);

/* Adds one message. `text` is the whole source text (the excerpt is cut from it) or NULL. `hint`
 * may be NULL. Returns the stored message, or NULL if the list is full. */
struct diag *diag_add(struct diag_list *list, enum diag_severity severity, const char *file,
                      const char *text, uint32_t line, uint32_t col, const char *hint,
                      const char *format, ...) __attribute__((format(printf, 8, 9)));

/* "file:line:col: error: message", the excerpt with a caret, the hint; one paragraph a message. */
void diag_format(const struct diag_list *list, struct strbuf *out);

/* The candidate nearest to `word` if it is close enough to be a misspelling, otherwise NULL. */
const char *suggest_nearest(const char *word, const char *const *candidates, uint32_t n);

/* "did you mean 'x'?" in the arena, or NULL. */
const char *suggest_hint(struct arena *a, const char *word, const char *const *candidates,
                         uint32_t n);

#endif
