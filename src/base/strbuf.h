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

/* Plug-ins may call what is marked so. In a library its name begins with heddle_, so that it
 * clashes with no program's own. */
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
/* Every line of `s` behind so many blanks; the last one ends with a line break. */
void strbuf_add_indented(struct strbuf *b, const char *s, unsigned blanks);
const char *strbuf_text(const struct strbuf *b) PLUGIN_CALLABLE(strbuf_text); /* "" while empty */

/* Reads a whole file. Returns 0, or an errno value. */
int strbuf_read_file(struct strbuf *b, const char *path);
/* Where something stands that no text has, a zero byte; its length = nowhere. */
size_t strbuf_find_non_text(const struct strbuf *b);

#endif
