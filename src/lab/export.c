#include "lab/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"

const char *const export_tables[] = {"results", "wide",         "stats",  "parameters", "inputs",
                                     "kernels", "kernel_stats", "series", "per_pc"};
const uint32_t n_export_tables = sizeof export_tables / sizeof export_tables[0];

/* --- reading --- */

static enum heddle_status read_sql(struct store *s, const char *sql, struct query_answer *answer)
{
    struct diag_list diags = {0};
    enum heddle_status status = query_run(s, sql, answer, &diags);
    if (diags.n_errors) { /* an internal error: no user wrote the query */
        strbuf_clear(&s->error);
        diag_format(&diags, &s->error);
    }
    diag_list_destroy(&diags);
    return status;
}

/* `results` calls l1d.hits l1d_hits. */
static bool has_column(const struct query_answer *results, const char *stat)
{
    for (uint32_t i = 0; i < results->n_columns; i++) {
        const char *column = results->columns[i], *at = stat;
        while (*column && (*at == *column || (*at == '.' && *column == '_'))) {
            column++;
            at++;
        }
        if (!*column && !*at)
            return true;
    }
    return false;
}

/* A column for every statistic that `results` has no column for. */
static enum heddle_status wide_sql(struct store *s, struct strbuf *sql)
{
    struct query_answer names = {0}, results = {0};
    enum heddle_status status = read_sql(s, "SELECT * FROM results LIMIT 0", &results);
    if (status == HEDDLE_OK)
        status = read_sql(s, "SELECT DISTINCT name FROM stats ORDER BY name", &names);
    strbuf_add(sql, "SELECT r.*");
    for (uint32_t i = 0; i < names.n_cells; i++) {
        const char *name = names.cells[i].text;
        if (has_column(&results, name) || strpbrk(name, "'\"")) /* no statistic has such a name */
            continue;
        strbuf_addf(sql,
                    ", (SELECT value FROM stat_value WHERE run = r.id AND stat = (SELECT id FROM"
                    " stat_name WHERE name = '%s')) AS \"%s\"",
                    name, name);
    }
    strbuf_add(sql, " FROM results r ORDER BY r.id");
    query_answer_destroy(&names);
    query_answer_destroy(&results);
    return status;
}

enum heddle_status export_read(struct store *s, const char *table, struct query_answer *answer)
{
    struct strbuf sql = {0};
    enum heddle_status status = HEDDLE_OK;
    if (strcmp(table, "wide") == 0)
        status = wide_sql(s, &sql);
    else
        strbuf_addf(&sql, "SELECT * FROM %s ORDER BY 1", table);
    if (status == HEDDLE_OK)
        status = read_sql(s, strbuf_text(&sql), answer);
    strbuf_destroy(&sql);
    return status;
}

/* --- types --- */

enum column_type { INT64, DOUBLE, BOOL, TIMESTAMP, STRING };

/* Columns whose type differs from SQLite's storage type. */
static bool is_truth(const char *column)
{
    return strcmp(column, "verified") == 0 || strcmp(column, "replayed") == 0;
}

static enum column_type type_of(const struct query_answer *a, uint32_t column)
{
    bool has_real = false, has_integer = false;
    if (is_truth(a->columns[column]))
        return BOOL;
    if (strcmp(a->columns[column], "stored_at") == 0)
        return TIMESTAMP;
    for (uint32_t i = column; i < a->n_cells; i += a->n_columns) {
        if (a->cells[i].kind == CELL_TEXT)
            return STRING;
        has_real |= a->cells[i].kind == CELL_REAL;
        has_integer |= a->cells[i].kind == CELL_INTEGER;
    }
    return has_real ? DOUBLE : has_integer ? INT64 : STRING;
}

static enum column_type *types_of(const struct query_answer *a)
{
    enum column_type *types = xcalloc(a->n_columns + 1, sizeof *types);
    for (uint32_t i = 0; i < a->n_columns; i++)
        types[i] = type_of(a, i);
    return types;
}

void export_schema(const struct query_answer *a, struct strbuf *out)
{
    static const char *const names[] = {[INT64] = "int64",
                                        [DOUBLE] = "double",
                                        [BOOL] = "bool",
                                        [TIMESTAMP] = "timestamp",
                                        [STRING] = "string"};
    struct json_writer w = {.out = out};
    enum column_type *types = types_of(a);
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < a->n_columns; i++) {
        json_begin_object(&w, NULL);
        json_string(&w, "name", a->columns[i]);
        json_string(&w, "type", names[types[i]]);
        json_end_object(&w);
    }
    json_end_array(&w);
    free(types);
}

/* --- values --- */

static void add_quoted(struct strbuf *out, const char *text)
{
    strbuf_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            strbuf_add_char(out, '"');
        strbuf_add_char(out, *text);
    }
    strbuf_add_char(out, '"');
}

static void add_real(struct strbuf *out, double value)
{
    size_t before = out->len;
    strbuf_addf(out, "%.17g", value);
    if (!strpbrk(out->text + before, ".en"))
        strbuf_add(out, ".0");
}

static void add_string(struct strbuf *out, const struct query_cell *c)
{
    struct strbuf text = {0};
    if (c->kind == CELL_INTEGER)
        strbuf_addf(&text, "%" PRId64, c->integer);
    else if (c->kind == CELL_REAL)
        strbuf_addf(&text, "%.17g", c->real);
    else
        strbuf_add(&text, c->text);
    add_quoted(out, strbuf_text(&text));
    strbuf_destroy(&text);
}

static void add_value(struct strbuf *out, const struct query_cell *c, enum column_type type)
{
    if (c->kind == CELL_NULL)
        return;
    switch (type) {
    case INT64:
        strbuf_addf(out, "%" PRId64, c->integer);
        break;
    case DOUBLE:
        add_real(out, c->kind == CELL_REAL ? c->real : (double)c->integer);
        break;
    case BOOL:
        strbuf_add(out, c->integer ? "true" : "false");
        break;
    case TIMESTAMP: /* SQLite's has a space between date and time */
        strbuf_addf(out, "%.10sT%sZ", c->text, c->text + 11);
        break;
    case STRING:
        add_string(out, c);
        break;
    }
}

void export_typed_csv(const struct query_answer *a, struct strbuf *out)
{
    enum column_type *types = types_of(a);
    for (uint32_t i = 0; i < a->n_columns; i++) {
        strbuf_add(out, i ? "," : "");
        add_quoted(out, a->columns[i]);
    }
    strbuf_add(out, a->n_columns ? "\n" : "");
    for (uint32_t i = 0; i < a->n_cells; i++) {
        add_value(out, &a->cells[i], types[i % a->n_columns]);
        strbuf_add(out, (i + 1) % a->n_columns ? "," : "\n");
    }
    free(types);
}
