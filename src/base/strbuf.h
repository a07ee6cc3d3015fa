/* A growing string, always terminated. A zeroed struct is empty and valid. */
#ifndef HEDDLE_BASE_STRBUF_H
#define HEDDLE_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *text; /* NULL while empty; use strbuf_text() to read */
    size_t len, cap;
};

/* Marks functions that plug-ins may call. In a library their names begin with heddle_, so that they
 * clash with no program's own names. */
#define PLUGIN_CALLABLE(name) __asm__("heddle_" #name) __attribute__((visibility("default")))

void strbuf_destroy(struct strbuf *b) PLUGIN_CALLABLE(strbuf_destroy);
void strbuf_clear(struct strbuf *b) PLUGIN_CALLABLE(strbuf_clear);
void strbuf_add(struct strbuf *b, const char *s) PLUGIN_CALLABLE(strbuf_add);
void strbuf_add_n(struct strbuf *b, const char *s, size_t n) PLUGIN_CALLABLE(strbuf_add_n);
void strbuf_add_char(struct strbuf *b, char c) PLUGIN_CALLABLE(strbuf_add_char);
void strbuf_add_count(struct strbuf *b, uint64_t n); /* 1,234,567 */
void strbuf_addf(struct strbuf *b, const char *format, ...) PLUGIN_CALLABLE(strbuf_addf)
    __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *b, const char *format, va_list args) PLUGIN_CALLABLE(strbuf_vaddf);
/* Adds every line of `s`, indented by `blanks`; the last one ends with a line break. */
void strbuf_add_indented(struct strbuf *b, const char *s, unsigned blanks);
const char *strbuf_text(const struct strbuf *b) PLUGIN_CALLABLE(strbuf_text); /* "" while empty */

/* Reads a whole file. Returns 0, or an errno value. */
int strbuf_read_file(struct strbuf *b, const char *path);
/* The position of the first byte that cannot be text, a zero byte; the length if there is none. */
size_t strbuf_find_non_text(const struct strbuf *b);

#endif
