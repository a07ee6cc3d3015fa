/* A table of text with aligned columns, for people. Numbers are right-aligned, words
 * left-aligned. */
#ifndef HEDDLE_CLI_TABLE_H
#define HEDDLE_CLI_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum { TABLE_MAX_COLUMNS = 64 };

struct table {
    const char *const *titles; /* NULL = none */
    uint32_t n_columns;
    const char *right; /* one letter a column: 'r' = to the right */
    char **cells;
    uint32_t n_cells, cap_cells;
};

void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A count with thousands separators: 1,234,567. */
void table_count(struct table *t, uint64_t value);
void table_print(const struct table *t, struct strbuf *out);
void table_destroy(struct table *t);

/* Adds `text` wrapped to `width` columns; every line is indented by `indent` except the first,
 * which begins at column `at`. */
void text_wrap(struct strbuf *out, const char *text, unsigned indent, unsigned at, unsigned width);

/* Appends 1,234,567. */
void text_count(struct strbuf *out, uint64_t value);
/* Appends "1 byte" or "1,234 bytes"; `unit` is the singular. */
void text_quantity(struct strbuf *out, uint64_t value, const char *unit);
void table_quantity(struct table *t, uint64_t value, const char *unit);

#endif
