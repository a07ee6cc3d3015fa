#include "cli/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "lab/demangle.h"

/* A C++ kernel is shown with the name in its source. */
static void show_name(struct strbuf *cell)
{
    struct arena arena = {0};
    const char *name = demangle_kernel(&arena, cell->text);
    if (name != cell->text) {
        strbuf_clear(cell);
        strbuf_add(cell, name);
    }
    arena_destroy(&arena);
}

void table_cell(struct table *t, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&text, format, args);
    va_end(args);
    if (text.len > 2 && strncmp(text.text, "_Z", 2) == 0)
        show_name(&text);
    ARRAY_RESERVE(t->cells, t->cap_cells, t->n_cells + 1);
    t->cells[t->n_cells++] = text.text;
}

void text_count(struct strbuf *out, uint64_t value)
{
    strbuf_add_count(out, value);
}

void text_quantity(struct strbuf *out, uint64_t value, const char *unit)
{
    strbuf_add_count(out, value);
    strbuf_addf(out, " %s%s", unit, value == 1 ? "" : "s");
}

void table_quantity(struct table *t, uint64_t value, const char *unit)
{
    struct strbuf text = {0};
    text_quantity(&text, value, unit);
    table_cell(t, "%s", strbuf_text(&text));
    strbuf_destroy(&text);
}

void table_count(struct table *t, uint64_t value)
{
    struct strbuf text = {0};
    text_count(&text, value);
    table_cell(t, "%s", strbuf_text(&text));
    strbuf_destroy(&text);
}

static void print_row(const struct table *t, const char *const *cells, const int *widths,
                      struct strbuf *out)
{
    for (uint32_t c = 0; c < t->n_columns; c++) {
        int width = t->right && t->right[c] == 'r' ? widths[c] : -widths[c];
        if (c + 1 == t->n_columns && width < 0)
            width = 0; /* no trailing blanks */
        strbuf_addf(out, "%s%*s", c ? "  " : "", width, cells[c]);
    }
    strbuf_add_char(out, '\n');
}

void table_print(const struct table *t, struct strbuf *out)
{
    int widths[TABLE_MAX_COLUMNS] = {0};
    for (uint32_t c = 0; c < t->n_columns; c++) {
        widths[c] = t->titles ? (int)strlen(t->titles[c]) : 0;
        for (uint32_t i = c; i < t->n_cells; i += t->n_columns)
            if (widths[c] < (int)strlen(t->cells[i]))
                widths[c] = (int)strlen(t->cells[i]);
    }
    if (t->titles)
        print_row(t, t->titles, widths, out);
    for (uint32_t i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns)
        print_row(t, (const char *const *)t->cells + i, widths, out);
}

void table_destroy(struct table *t)
{
    for (uint32_t i = 0; i < t->n_cells; i++)
        free(t->cells[i]);
    free(t->cells);
    t->cells = NULL;
    t->n_cells = t->cap_cells = 0;
}

void text_wrap(struct strbuf *out, const char *text, unsigned indent, unsigned at, unsigned width)
{
    bool line_is_empty = true;
    while (*text) {
        if (*text == '\n') { /* an intended line break */
            strbuf_addf(out, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            at = indent;
            line_is_empty = true;
            text++;
            continue;
        }
        size_t n = strcspn(text, " \n");
        if (!line_is_empty && at + 1 + n > width) {
            strbuf_addf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!line_is_empty) {
            strbuf_add_char(out, ' ');
            at++;
        }
        strbuf_add_n(out, text, n);
        at += (unsigned)n;
        line_is_empty = false;
        text += n + (text[n] == ' ');
    }
    strbuf_add_char(out, '\n');
}
