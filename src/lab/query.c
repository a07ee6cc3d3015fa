#include "lab/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/json.h"
#include "lab/store_internal.h"

/* Permits reading only. ATTACH would count as reading but could create files. */
static int authorize(void *user, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)user, (void)a, (void)b, (void)c, (void)d;
    bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
                 action == SQLITE_RECURSIVE;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

/* SQLite gives the byte offset; people count lines and columns. */
static void complain(struct store *s, const char *sql, struct diag_list *diags)
{
    int offset = sqlite3_error_offset(s->db);
    uint32_t line = offset < 0 ? 0 : 1, col = line;
    for (int i = 0; i < offset && sql[i]; i++) {
        col = sql[i] == '\n' ? 1 : col + 1;
        line += sql[i] == '\n';
    }
    bool is_denied = sqlite3_errcode(s->db) == SQLITE_AUTH;
    diag_add(diags, DIAG_ERROR, "query", sql, line, col,
             is_denied ? "a query can only read: SELECT ..."
                       : "`heddle query --store FILE` without SQL lists tables and columns",
             "%s", is_denied ? "this would do more than read" : sqlite3_errmsg(s->db));
}

/* A failure of the file, not of the query. */
static bool is_store_failure(int code)
{
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR ||
           code == SQLITE_BUSY || code == SQLITE_CANTOPEN || code == SQLITE_NOMEM;
}

static struct query_cell read_cell(sqlite3_stmt *q, int column)
{
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_INTEGER:
        return (struct query_cell){CELL_INTEGER, sqlite3_column_int64(q, column), 0, NULL};
    case SQLITE_FLOAT:
        return (struct query_cell){CELL_REAL, 0, sqlite3_column_double(q, column), NULL};
    case SQLITE_NULL:
        return (struct query_cell){CELL_NULL, 0, 0, NULL};
    default:
        return (struct query_cell){CELL_TEXT, 0, 0,
                                   strdup((const char *)sqlite3_column_text(q, column))};
    }
}

static enum heddle_status read_rows(struct store *s, sqlite3_stmt *q, const char *sql,
                                    struct query_answer *a, struct diag_list *diags)
{
    a->n_columns = (uint32_t)sqlite3_column_count(q);
    a->columns = xcalloc(a->n_columns + 1, sizeof *a->columns);
    for (uint32_t i = 0; i < a->n_columns; i++)
        a->columns[i] = strdup(sqlite3_column_name(q, (int)i));
    int step;
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        ARRAY_RESERVE(a->cells, a->cap_cells, a->n_cells + a->n_columns);
        for (uint32_t i = 0; i < a->n_columns; i++)
            a->cells[a->n_cells++] = read_cell(q, (int)i);
    }
    if (step == SQLITE_DONE)
        return HEDDLE_OK;
    if (is_store_failure(sqlite3_errcode(s->db)))
        return store_fail(s, "read");
    complain(s, sql, diags);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status run_statement(struct store *s, const char *sql,
                                        struct query_answer *answer, struct diag_list *diags)
{
    sqlite3_stmt *q = NULL;
    const char *rest = "";
    enum heddle_status status = HEDDLE_BAD_INPUT;
    int code = sqlite3_prepare_v2(s->db, sql, -1, &q, &rest);
    if (is_store_failure(code))
        status = store_fail(s, "read");
    else if (code != SQLITE_OK)
        complain(s, sql, diags);
    else if (!q)
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, "SELECT ...", "the query is empty");
    else if (rest[strspn(rest, " \t\r\n;")])
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL,
                 "only one statement is allowed: '%s' is another", rest + strspn(rest, " \t\r\n;"));
    else
        status = read_rows(s, q, sql, answer, diags);
    sqlite3_finalize(q);
    return status;
}

enum heddle_status query_run(struct store *s, const char *sql, struct query_answer *answer,
                             struct diag_list *diags)
{
    /* Table-valued functions are created at their first use, which the authorizer would deny. */
    store_number(s, "SELECT count(*) FROM json_each('[]'), json_tree('[]')");
    sqlite3_set_authorizer(s->db, authorize, NULL);
    enum heddle_status status = run_statement(s, sql, answer, diags);
    sqlite3_set_authorizer(s->db, NULL, NULL);
    return status;
}

enum heddle_status query_tables(struct store *s, struct query_answer *answer,
                                struct diag_list *diags)
{
    return run_statement(s,
                         "SELECT m.name AS \"table\", group_concat(p.name, ', ') AS columns"
                         " FROM sqlite_master m, pragma_table_info(m.name) p"
                         " WHERE m.type IN ('view', 'table')"
                         " GROUP BY m.name ORDER BY m.type DESC, m.name",
                         answer, diags);
}

void query_answer_destroy(struct query_answer *a)
{
    for (uint32_t i = 0; i < a->n_columns; i++)
        free(a->columns[i]);
    for (uint32_t i = 0; i < a->n_cells; i++)
        free(a->cells[i].text);
    free(a->columns);
    free(a->cells);
    *a = (struct query_answer){0};
}

void csv_field(struct strbuf *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        strbuf_add(out, text);
        return;
    }
    strbuf_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            strbuf_add_char(out, '"');
        strbuf_add_char(out, *text);
    }
    strbuf_add_char(out, '"');
}

static void csv_cell(struct strbuf *out, const struct query_cell *c)
{
    switch (c->kind) {
    case CELL_NULL:
        break;
    case CELL_INTEGER:
        strbuf_addf(out, "%" PRId64, c->integer);
        break;
    case CELL_REAL:
        strbuf_addf(out, "%.17g", c->real);
        break;
    case CELL_TEXT:
        csv_field(out, c->text);
        break;
    }
}

void query_csv(const struct query_answer *a, struct strbuf *out)
{
    for (uint32_t i = 0; i < a->n_columns; i++) {
        strbuf_add(out, i ? "," : "");
        csv_field(out, a->columns[i]);
    }
    strbuf_add(out, a->n_columns ? "\n" : "");
    for (uint32_t i = 0; i < a->n_cells; i++) {
        csv_cell(out, &a->cells[i]);
        strbuf_add(out, (i + 1) % a->n_columns ? "," : "\n");
    }
}

static void json_cell(struct json_writer *w, const char *name, const struct query_cell *c)
{
    if (c->kind == CELL_INTEGER)
        json_int(w, name, c->integer);
    else if (c->kind == CELL_REAL)
        json_double(w, name, c->real);
    else
        json_string(w, name, c->text);
}

void query_json(const struct query_answer *a, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < a->n_cells; i++) {
        if (i % a->n_columns == 0)
            json_begin_object(&w, NULL);
        json_cell(&w, a->columns[i % a->n_columns], &a->cells[i]);
        if ((i + 1) % a->n_columns == 0)
            json_end_object(&w);
    }
    json_end_array(&w);
}
