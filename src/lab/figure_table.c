/* A figure of a table: of numbers that are not statistics of points, such as those of the warps of
 * one CTA. The table is CSV without quotes; its first line names the columns, one of which is the x
 * axis. An empty field is a gap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/figure_internal.h"

enum { MAX_COLUMNS = 64 };

struct table_file {
    const char *path;
    struct diag_list *diags;
    const char *columns[MAX_COLUMNS];
    uint32_t n_columns, line;
};

static void complain(struct table_file *t, const char *hint, const char *what, const char *name)
{
    diag_add(t->diags, DIAG_ERROR, t->path, NULL, t->line, 1, hint, "%s '%s'", what, name);
}

/* Splits a line into its fields in place; those beyond MAX_COLUMNS are dropped. */
static uint32_t split(char *line, const char **fields)
{
    uint32_t n = 0;
    line[strcspn(line, "\r")] = 0;
    for (char *field; n < MAX_COLUMNS && (field = strsep(&line, ","));)
        fields[n++] = field;
    return n;
}

static uint32_t column_of(struct table_file *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->columns[i], name) == 0)
            return i;
    complain(t, suggest_hint(&t->diags->arena, name, t->columns, t->n_columns),
             "the table has no column", name);
    return MAX_COLUMNS;
}

static double number_of(struct table_file *t, const char *field)
{
    char *end;
    double value = strtod(field, &end);
    if (*field && *end)
        complain(t, NULL, "expected a number, found", field);
    return *field && !*end ? value : (double)NAN;
}

static void read_row(struct figure *f, struct table_file *t, char *line, const uint32_t *columns,
                     uint32_t x_column)
{
    const char *fields[MAX_COLUMNS];
    if (split(line, fields) != t->n_columns) {
        complain(t, NULL, "the number of fields differs from the number of columns:", fields[0]);
        return;
    }
    f->xs[f->n_xs] = arena_strdup(&f->arena, fields[x_column]);
    for (uint32_t i = 0; i < f->n_series; i++)
        f->series[i].values[f->n_xs] = number_of(t, fields[columns[i]]);
    f->n_xs++;
}

/* One series per rule, with room for `n_rows` values, and the index of its column. */
static void make_series(struct figure *f, struct table_file *t, uint32_t n_rows, uint32_t *columns)
{
    for (uint32_t i = 0; i < f->n_rules && i < FIGURE_MAX_SERIES; i++) {
        const struct figure_rule *rule = &f->rules[i];
        columns[f->n_series] = column_of(t, rule->value);
        f->series[f->n_series++] =
            (struct figure_series){.title = rule->title ? rule->title : rule->value,
                                   .values = ARENA_ARRAY(&f->arena, double, n_rows),
                                   .is_right = rule->is_right,
                                   .is_relative = rule->is_relative};
    }
}

static void read_table(struct figure *f, struct table_file *t, char *text)
{
    uint32_t columns[FIGURE_MAX_SERIES], n_rows = 1, errors_before = t->diags->n_errors;
    for (const char *c = text; *c; c++)
        n_rows += *c == '\n';
    char *rest = text, *line = strsep(&rest, "\n");
    t->line = 1;
    t->n_columns = split(line, t->columns);
    uint32_t x_column = column_of(t, f->x_axis);
    make_series(f, t, n_rows, columns);
    ARRAY_RESERVE(f->xs, f->cap_xs, n_rows);
    while (t->diags->n_errors == errors_before && (line = strsep(&rest, "\n"))) {
        t->line++;
        if (*line)
            read_row(f, t, line, columns, x_column);
    }
}

enum heddle_status figure_take_table(struct figure *f, const char *path, struct diag_list *diags)
{
    struct table_file t = {.path = path, .diags = diags};
    uint32_t errors_before = diags->n_errors;
    struct strbuf text = {0};
    enum heddle_status status = yaml_file_read(path, &text, diags);
    if (status == HEDDLE_OK) {
        read_table(f, &t, text.text ? text.text : (char[1]){0});
        figure_check_claims(f);
        status = diags->n_errors == errors_before ? HEDDLE_OK : HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&text);
    return status;
}
