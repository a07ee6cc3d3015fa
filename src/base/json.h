/* Writes JSON into a string buffer: commas, quoting and indentation are handled here.
 *     json_begin_object(&w, NULL); json_string(&w, "name", "bfs"); json_end_object(&w); */
#ifndef HEDDLE_BASE_JSON_H
#define HEDDLE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct json_writer {
    struct strbuf *out;
    unsigned depth;
    bool has_items[64]; /* per depth: does the next item need a comma */
};

/* `key` is NULL inside arrays and at the top. */
void json_begin_object(struct json_writer *w, const char *key);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w, const char *key);
void json_end_array(struct json_writer *w);
void json_string(struct json_writer *w, const char *key, const char *value); /* NULL -> null */
void json_uint(struct json_writer *w, const char *key, uint64_t value);
void json_int(struct json_writer *w, const char *key, int64_t value);
void json_double(struct json_writer *w, const char *key, double value); /* nan, inf -> null */
void json_bool(struct json_writer *w, const char *key, bool value);
void json_null(struct json_writer *w, const char *key);

/* Adds a text in quotes, without a writer. */
void json_add_quoted(struct strbuf *out, const char *text);

#endif
