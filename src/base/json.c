#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>

void json_add_quoted(struct strbuf *b, const char *s)
{
    strbuf_add_char(b, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            strbuf_addf(b, "\\%c", c);
        else if (c == '\n')
            strbuf_add(b, "\\n");
        else if (c == '\t')
            strbuf_add(b, "\\t");
        else if (c < 0x20)
            strbuf_addf(b, "\\u%04x", c);
        else
            strbuf_add_char(b, (char)c);
    }
    strbuf_add_char(b, '"');
}

static void begin_item(struct json_writer *w, const char *key)
{
    if (w->depth) {
        if (w->has_items[w->depth])
            strbuf_add_char(w->out, ',');
        w->has_items[w->depth] = true;
        strbuf_addf(w->out, "\n%*s", (int)w->depth * 2, "");
    }
    if (key) {
        json_add_quoted(w->out, key);
        strbuf_add(w->out, ": ");
    }
}

static void begin_nested(struct json_writer *w, const char *key, char bracket)
{
    begin_item(w, key);
    strbuf_add_char(w->out, bracket);
    assert(w->depth + 1 < sizeof w->has_items);
    w->has_items[++w->depth] = false;
}

static void end_nested(struct json_writer *w, char bracket)
{
    bool had_items = w->has_items[w->depth--];
    if (had_items)
        strbuf_addf(w->out, "\n%*s", (int)w->depth * 2, "");
    strbuf_add_char(w->out, bracket);
    if (!w->depth)
        strbuf_add_char(w->out, '\n');
}

void json_begin_object(struct json_writer *w, const char *key)
{
    begin_nested(w, key, '{');
}

void json_end_object(struct json_writer *w)
{
    end_nested(w, '}');
}

void json_begin_array(struct json_writer *w, const char *key)
{
    begin_nested(w, key, '[');
}

void json_end_array(struct json_writer *w)
{
    end_nested(w, ']');
}

void json_string(struct json_writer *w, const char *key, const char *value)
{
    begin_item(w, key);
    if (value)
        json_add_quoted(w->out, value);
    else
        strbuf_add(w->out, "null");
}

void json_uint(struct json_writer *w, const char *key, uint64_t value)
{
    begin_item(w, key);
    strbuf_addf(w->out, "%llu", (unsigned long long)value);
}

void json_int(struct json_writer *w, const char *key, int64_t value)
{
    begin_item(w, key);
    strbuf_addf(w->out, "%lld", (long long)value);
}

void json_double(struct json_writer *w, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(w, key);
        return;
    }
    begin_item(w, key);
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) /* 17 digits only if 15 do not restore the same number */
        snprintf(text, sizeof text, "%.17g", value);
    strbuf_add(w->out, text);
}

void json_bool(struct json_writer *w, const char *key, bool value)
{
    begin_item(w, key);
    strbuf_add(w->out, value ? "true" : "false");
}

void json_null(struct json_writer *w, const char *key)
{
    begin_item(w, key);
    strbuf_add(w->out, "null");
}
