#include "hetero/rows.h"

#include <stdlib.h>
#include <string.h>

#include "hetero/model.h"
#include "hetero/text.h"

enum { NO_COLUMN = 0xffffffffu };

struct cells {
    const char **items;
    uint32_t *cols; /* position of each, from 1 */
    uint32_t n, cap, cap_cols;
};

struct reader {
    struct hetero_rows *rows;
    const char *file, *text;
    struct diag_list *diags;
    struct cells cells;
    uint32_t kernel_column, time_column;
    uint32_t line;
};

static void complain(struct reader *r, uint32_t col, const char *hint, const char *message)
{
    diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, col, hint, "%s", message);
}

static void add_cell(struct reader *r, const char *begin, const char *end, uint32_t col)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && strchr(" \t\r", end[-1]))
        end--;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    struct cells *c = &r->cells;
    ARRAY_RESERVE(c->items, c->cap, c->n + 1);
    ARRAY_RESERVE(c->cols, c->cap_cols, c->n + 1);
    c->items[c->n] = arena_strndup(&r->rows->arena, begin, (size_t)(end - begin));
    c->cols[c->n++] = col;
}

/* Commas within quotes belong to their cell. */
static void split(struct reader *r, const char *line, const char *end)
{
    const char *begin = line;
    bool quoted = false;
    r->cells.n = 0;
    for (const char *at = line; at < end; at++) {
        quoted = quoted != (*at == '"');
        if (*at == ',' && !quoted) {
            add_cell(r, begin, at, (uint32_t)(begin - line) + 1);
            begin = at + 1;
        }
    }
    add_cell(r, begin, end, (uint32_t)(begin - line) + 1);
}

static void read_header(struct reader *r)
{
    struct hetero_rows *rows = r->rows;
    uint32_t n_errors = r->diags->n_errors;
    rows->features = ARENA_ARRAY(&rows->arena, const char *, r->cells.n);
    for (uint32_t c = 0; c < r->cells.n; c++) {
        const char *name = r->cells.items[c];
        for (uint32_t k = 0; k < c; k++)
            if (strcmp(r->cells.items[k], name) == 0)
                complain(r, r->cells.cols[c], NULL, "this column occurs twice");
        if (!*name)
            complain(r, r->cells.cols[c], NULL, "a column has no name");
        else if (!hetero_is_feature_name(name))
            complain(r, r->cells.cols[c], NULL,
                     "a feature begins with a letter and has no blank and no ':'");
        else if (strcmp(name, "kernel") == 0)
            r->kernel_column = c;
        else if (strcmp(name, "time") == 0)
            r->time_column = c;
        else
            rows->features[rows->n_features++] = name;
    }
    if (r->kernel_column == NO_COLUMN || r->time_column == NO_COLUMN)
        complain(r, 1,
                 "the first line must name the columns: kernel, time, and one for each feature",
                 r->time_column == NO_COLUMN ? "the column 'time' is missing"
                                             : "the column 'kernel' is missing");
    if (rows->n_features == 0 && r->diags->n_errors == n_errors)
        complain(r, 1, NULL, "there is no feature column");
}

static bool read_number(struct reader *r, uint32_t c, double *out)
{
    bool ok = hetero_text_number(r->cells.items[c], out);
    if (!ok)
        complain(r, r->cells.cols[c], NULL, "this is not a finite number");
    return ok;
}

static uint32_t find_kernel(struct hetero_rows *rows, const char *name, uint32_t *cap)
{
    for (uint32_t k = 0; k < rows->n_kernels; k++)
        if (strcmp(rows->kernels[k], name) == 0)
            return k;
    ARRAY_RESERVE(rows->kernels, *cap, rows->n_kernels + 1);
    rows->kernels[rows->n_kernels] = name;
    return rows->n_kernels++;
}

struct capacity {
    uint32_t kernels, kernel_of, times, values;
};

static void read_row(struct reader *r, struct capacity *cap)
{
    struct hetero_rows *rows = r->rows;
    if (r->cells.n != rows->n_features + 2) {
        diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, 1, NULL,
                 "%u columns, where the first line has %u", r->cells.n, rows->n_features + 2);
        return;
    }
    ARRAY_RESERVE(rows->kernel_of, cap->kernel_of, rows->n_rows + 1);
    ARRAY_RESERVE(rows->times, cap->times, rows->n_rows + 1);
    ARRAY_RESERVE(rows->values, cap->values, (rows->n_rows + 1) * rows->n_features);
    double *value = rows->values + rows->n_rows * rows->n_features;
    for (uint32_t c = 0; c < r->cells.n; c++) {
        double number;
        if (c == r->kernel_column && !*r->cells.items[c])
            complain(r, r->cells.cols[c], NULL, "the kernel has no name");
        else if (c == r->kernel_column)
            rows->kernel_of[rows->n_rows] = find_kernel(rows, r->cells.items[c], &cap->kernels);
        else if (!read_number(r, c, &number))
            return;
        else if (c != r->time_column && number < 0)
            complain(r, r->cells.cols[c], NULL, "a feature must not be negative");
        else if (c != r->time_column)
            *value++ = number;
        else if (number > 0)
            rows->times[rows->n_rows] = number;
        else
            complain(r, r->cells.cols[c], NULL, "a time must be above 0");
    }
    rows->n_rows++;
}

bool hetero_rows_read(struct hetero_rows *rows, const char *file, const char *text,
                      struct diag_list *diags)
{
    text = hetero_text_begin(text);
    struct reader r = {.rows = rows,
                       .file = file,
                       .text = text,
                       .diags = diags,
                       .kernel_column = NO_COLUMN,
                       .time_column = NO_COLUMN};
    struct capacity cap = {0};
    uint32_t n_errors = diags->n_errors;
    bool has_header = false;
    for (const char *at = text; *at && (!has_header || diags->n_errors - n_errors < 20);) {
        const char *end = at + strcspn(at, "\n");
        r.line++;
        bool is_blank = strspn(at, " \t\r") >= (size_t)(end - at);
        if (!is_blank && *at != '#') {
            split(&r, at, end);
            if (has_header)
                read_row(&r, &cap);
            else
                read_header(&r);
            if (!has_header && diags->n_errors > n_errors)
                break;
            has_header = true;
        }
        at = end + (*end == '\n');
    }
    if (diags->n_errors == n_errors && rows->n_rows == 0)
        diag_add(diags, DIAG_ERROR, file, NULL, 0, 0, NULL, "the file contains no rows");
    free(r.cells.items);
    free(r.cells.cols);
    return diags->n_errors == n_errors;
}

void hetero_rows_destroy(struct hetero_rows *rows)
{
    free(rows->kernels);
    free(rows->kernel_of);
    free(rows->times);
    free(rows->values);
    arena_destroy(&rows->arena);
}
