#include "base/strbuf.h"

#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void strbuf_destroy(struct strbuf *b)
{
    if (!b)
        return;
    free(b->text);
    memset(b, 0, sizeof *b);
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->text)
        b->text[0] = 0;
}

static void strbuf_reserve(struct strbuf *b, size_t more)
{
    ARRAY_RESERVE(b->text, b->cap, b->len + more + 1);
}

void strbuf_add_n(struct strbuf *b, const char *s, size_t n)
{
    strbuf_reserve(b, n);
    if (n)
        memcpy(b->text + b->len, s, n);
    b->len += n;
    b->text[b->len] = 0;
}

void strbuf_add(struct strbuf *b, const char *s)
{
    strbuf_add_n(b, s, strlen(s));
}

void strbuf_add_count(struct strbuf *b, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            strbuf_add_char(b, ',');
        strbuf_add_char(b, digits[i]);
    }
}

void strbuf_add_char(struct strbuf *b, char c)
{
    strbuf_add_n(b, &c, 1);
}

void strbuf_vaddf(struct strbuf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    strbuf_reserve(b, (size_t)n);
    vsnprintf(b->text + b->len, (size_t)n + 1, format, again);
    b->len += (size_t)n;
    va_end(again);
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vaddf(b, format, args);
    va_end(args);
}

void strbuf_add_indented(struct strbuf *b, const char *s, unsigned blanks)
{
    while (*s) {
        int n = (int)strcspn(s, "\n");
        strbuf_addf(b, "%*s%.*s\n", (int)blanks, "", n, s);
        s += n + (s[n] == '\n');
    }
}

const char *strbuf_text(const struct strbuf *b)
{
    return b->text ? b->text : "";
}

int strbuf_read_file(struct strbuf *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return errno;
    char chunk[16384];
    size_t n;
    errno = 0;
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        strbuf_add_n(b, chunk, n);
    int error = ferror(f) ? (errno ? errno : EIO) : 0;
    fclose(f);
    return error;
}

size_t strbuf_find_non_text(const struct strbuf *b)
{
    const char *zero = b->len ? memchr(b->text, 0, b->len) : NULL;
    return zero ? (size_t)(zero - b->text) : b->len;
}
