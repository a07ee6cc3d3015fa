#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "lab/demangle.h"
#include "lab/model.h"
#include "report/report_internal.h"

enum heddle_status report_query(struct store *s, const char *sql, struct query_answer *answer)
{
    struct diag_list diags = {0};
    enum heddle_status status = query_run(s, sql, answer, &diags);
    if (diags.n_errors) /* the store lacks something that every store of its schema has */
        diag_format(&diags, &s->error);
    diag_list_destroy(&diags);
    return status;
}

void report_add_cell(const struct query_cell *c, struct strbuf *out)
{
    if (c->kind == CELL_INTEGER)
        strbuf_addf(out, "%" PRId64, c->integer);
    else if (c->kind == CELL_REAL && isfinite(c->real))
        strbuf_addf(out, "%.7g", c->real);
    else if (c->kind == CELL_TEXT)
        json_add_quoted(out, c->text);
    else
        strbuf_add(out, "null");
}

static void add_rows(const struct query_answer *a, struct strbuf *out)
{
    strbuf_add(out, "{\"columns\":[");
    for (uint32_t i = 0; i < a->n_columns; i++) {
        strbuf_add(out, i ? "," : "");
        json_add_quoted(out, a->columns[i]);
    }
    strbuf_add(out, "],\"rows\":[");
    for (uint32_t i = 0; i < a->n_cells; i++) {
        strbuf_add(out, i % a->n_columns ? "," : i ? "],\n[" : "[");
        report_add_cell(&a->cells[i], out);
    }
    strbuf_add(out, a->n_cells ? "]]}" : "]}");
}

enum heddle_status report_add_table(struct store *s, const char *key, const char *sql,
                                    struct strbuf *out)
{
    struct query_answer a = {0};
    enum heddle_status status = report_query(s, sql, &a);
    if (status == HEDDLE_OK) {
        strbuf_addf(out, "\"%s\":", key);
        add_rows(&a, out);
        strbuf_add(out, ",\n");
    }
    query_answer_destroy(&a);
    return status;
}

/* `"values": {"run": [statistic, value, statistic, value, ...], ...}`: a third of the bytes that
 * rows would take. The query's columns are run, statistic and value, by run. */
static enum heddle_status add_values(struct store *s, const char *key, const char *sql,
                                     struct strbuf *out)
{
    struct query_answer a = {0};
    enum heddle_status status = report_query(s, sql, &a);
    strbuf_addf(out, "\"%s\":{", key);
    for (uint32_t i = 0; i + 2 < a.n_cells; i += 3) {
        bool is_new = !i || a.cells[i].integer != a.cells[i - 3].integer;
        if (is_new)
            strbuf_addf(out, "%s\"%" PRId64 "\":[", i ? "],\n" : "", a.cells[i].integer);
        strbuf_addf(out, "%s%" PRId64 ",", is_new ? "" : ",", a.cells[i + 1].integer);
        report_add_cell(&a.cells[i + 2], out);
    }
    strbuf_add(out, a.n_cells ? "]},\n" : "},\n");
    query_answer_destroy(&a);
    return status;
}

/* Statistics that are zero in every run carry no information. */
#define TOLD "stat IN (SELECT stat FROM stat_value GROUP BY stat HAVING max(abs(value)) > 0)"

/* The page stays below 20 MB: everything about the newest results is shown, less about older ones.
 * In bytes of the page these limits are about 3, 5, 1, 5 and 6 MB. */
#define SHOWN_RUNS   "(SELECT id FROM run ORDER BY id DESC LIMIT 10000)"
#define TOLD_RUNS    "(SELECT id FROM run ORDER BY id DESC LIMIT 2500)"
#define TOLD_KERNELS "(SELECT id FROM kernel ORDER BY id DESC LIMIT 600)"
#define TOLD_SERIES                                                                                \
    "(SELECT run FROM (SELECT run, sum(count(*)) OVER (ORDER BY run DESC) AS n FROM series_value"  \
    " GROUP BY run) WHERE n <= 250000)"
#define TOLD_DETAILS                                                                               \
    "(SELECT run, name, value FROM (SELECT *, sum(length(value)) OVER (ORDER BY run DESC, name)"   \
    " AS bytes FROM details WHERE name IN ('per_pc', 'reuse', 'timeline')) WHERE bytes <= "        \
    "6000000)"

static const char left_out[] =
    "SELECT (SELECT count(*) FROM run WHERE id NOT IN " SHOWN_RUNS ") AS results,"
    " (SELECT count(*) FROM run WHERE id IN " SHOWN_RUNS " AND id NOT IN " TOLD_RUNS
    ") AS statistics,"
    " (SELECT count(DISTINCT run) FROM kernel WHERE id NOT IN " TOLD_KERNELS ") AS kernels,"
    " (SELECT count(DISTINCT run) FROM series_value WHERE run NOT IN " TOLD_SERIES ") AS series,"
    " (SELECT count(DISTINCT run) FROM details WHERE name IN ('per_pc', 'reuse', 'timeline')"
    " AND (run, name) NOT IN (SELECT run, name FROM " TOLD_DETAILS ")) AS details";

/* --- data that every run has --- */

static const struct {
    const char *key, *sql;
} tables[] = {
    /* store_list_current() */
    {"runs", "SELECT *, id IN temp.current_run AS is_current FROM run WHERE id IN " SHOWN_RUNS
             " ORDER BY id"},
    {"left_out", left_out},
    {"statistics", "SELECT id, name, unit FROM stat_name ORDER BY id"},
    {"configurations", "SELECT id, parameters FROM config ORDER BY id"},
};

static enum heddle_status add_tables(struct store *s, struct strbuf *out)
{
    enum heddle_status status = store_list_current(s);
    for (size_t i = 0; status == HEDDLE_OK && i < sizeof tables / sizeof tables[0]; i++)
        status = report_add_table(s, tables[i].key, tables[i].sql, out);
    if (status == HEDDLE_OK)
        status = add_values(
            s, "values",
            "SELECT run, stat, value FROM stat_value WHERE " TOLD " ORDER BY run, stat", out);
    return status;
}

/* --- data that only some runs have --- */

static enum heddle_status add_details(struct store *s, struct strbuf *out)
{
    enum heddle_status status = report_add_table(
        s, "kernels",
        "SELECT id, run, position, name FROM kernel WHERE id IN " TOLD_KERNELS " ORDER BY id", out);
    if (status == HEDDLE_OK)
        status = add_values(s, "kernel_values",
                            "SELECT kernel, stat, value FROM kernel_value WHERE value != 0 AND "
                            "kernel IN " TOLD_KERNELS " ORDER BY kernel, stat",
                            out);
    if (status == HEDDLE_OK)
        status = report_add_table(
            s, "series",
            "SELECT run, stat, cycle, value FROM series_value WHERE run IN " TOLD_SERIES
            " ORDER BY run, stat, cycle",
            out);
    if (status == HEDDLE_OK)
        status = report_add_table(
            s, "details", "SELECT run, name, value FROM " TOLD_DETAILS " ORDER BY run", out);
    return status;
}

/* Adds `"names": {"_Z3addPfS_i": "add", ...}` for C++ kernels. */
static enum heddle_status add_names(struct store *s, struct strbuf *out)
{
    struct query_answer a = {0};
    struct arena arena = {0};
    enum heddle_status status =
        report_query(s, "SELECT DISTINCT name FROM kernel WHERE substr(name, 1, 2) = '_Z'", &a);
    strbuf_add(out, "\"names\":{");
    for (uint32_t i = 0; i < a.n_cells; i++) {
        strbuf_add(out, i ? "," : "");
        json_add_quoted(out, a.cells[i].text);
        strbuf_add_char(out, ':');
        json_add_quoted(out, demangle_kernel(&arena, a.cells[i].text));
    }
    strbuf_add(out, "},\n");
    arena_destroy(&arena);
    query_answer_destroy(&a);
    return status;
}

enum heddle_status report_version(struct store *s, struct strbuf *out)
{
    struct query_answer a = {0};
    enum heddle_status status = report_query(
        s,
        "SELECT count(*) || '.' || coalesce(max(id), 0) || '.' || coalesce(max(stored_at), '')"
        " || '.' || (SELECT count(*) FROM details) FROM run",
        &a);
    if (status == HEDDLE_OK)
        strbuf_add(out, a.cells[0].text);
    query_answer_destroy(&a);
    return status;
}

static void add_field(const char *key, const char *value, struct strbuf *out)
{
    strbuf_addf(out, "\"%s\":", key);
    json_add_quoted(out, value);
    strbuf_add(out, ",\n");
}

static enum heddle_status add_head(struct store *s, const struct report_options *o,
                                   struct strbuf *out)
{
    char written[64];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(written, sizeof written, "%Y-%m-%d %H:%M UTC", &utc);
    add_field("version", HEDDLE_VERSION, out);
    add_field("model", model_engine_version(), out);
    add_field("store", o->store_name, out);
    add_field("written", written, out);
    if (!o->is_live)
        return HEDDLE_OK;
    struct strbuf version = {0};
    enum heddle_status status = report_version(s, &version);
    add_field("live", strbuf_text(&version), out);
    strbuf_destroy(&version);
    return status;
}

enum heddle_status report_data(struct store *s, const struct report_options *options,
                               struct strbuf *out)
{
    strbuf_add(out, "{");
    enum heddle_status status = add_head(s, options, out);
    if (status == HEDDLE_OK)
        status = add_tables(s, out);
    if (status == HEDDLE_OK)
        status = add_details(s, out);
    if (status == HEDDLE_OK)
        status = add_names(s, out);
    if (status == HEDDLE_OK)
        status = report_add_figures(s, options, out);
    report_add_reference(out);
    strbuf_add(out, "}\n");
    return status;
}
