/* A growing string, always terminated. A zeroed struct is empty and valid. */
#ifndef HEDDLE_BASE_STRBUF_H
#define HEDDLE_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *text; /* NULL while empty; use strbuf_text() to read */
    size_t len, cap;
};

/* Visible to plug-ins, which give their reasons and costs in words. */
#pragma GCC visibility push(default)

void strbuf_destroy(struct strbuf *b);
void strbuf_clear(struct strbuf *b);
void strbuf_add(struct strbuf *b, const char *s);
void strbuf_add_n(struct strbuf *b, const char *s, size_t n);
void strbuf_add_char(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *b, const char *format, va_list args);
const char *strbuf_text(const struct strbuf *b); /* "" while empty */

/* Reads a whole file. Returns 0, or an errno value. */
int strbuf_read_file(struct strbuf *b, const char *path);

#pragma GCC visibility pop

#endif
