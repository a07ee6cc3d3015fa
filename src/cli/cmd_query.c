/* heddle query: SQL on a store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"
#include "lab/query.h"

struct query_command {
    const char *store;
    bool csv, json, all_models;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct query_command, store, "FILE",
                "the store that `heddle sweep` fills"),
    OPTION_FLAG("csv", struct query_command, csv,
                "print CSV (RFC 4180 with LF as line end), all digits of numbers"),
    OPTION_FLAG("json", struct query_command, json, "print a list of objects"),
    OPTION_FLAG("all-models", struct query_command, all_models,
                "include results of other versions of the model; by default the views have only "
                "those of this Heddle"),
};

/* A text with several lines would break the table: prints the first, and the number of others. */
static void add_text(struct table *t, const char *text)
{
    size_t n = strcspn(text, "\n");
    unsigned n_more = 0;
    for (const char *c = text + n; *c; c++)
        n_more += *c == '\n' && c[1];
    if (n_more)
        table_cell(t, "%.*s [%u more line%s: --csv shows all]", (int)n, text, n_more,
                   n_more > 1 ? "s" : "");
    else
        table_cell(t, "%.*s", (int)n, text);
}

static void add_cell(struct table *t, const struct query_cell *c)
{
    if (c->kind == CELL_INTEGER)
        table_cell(t, "%" PRId64, c->integer);
    else if (c->kind == CELL_REAL)
        table_cell(t, c->real < 1000 && c->real > -1000 ? "%.3f" : "%.0f", c->real);
    else if (c->kind == CELL_TEXT)
        add_text(t, c->text);
    else
        table_cell(t, "-");
}

/* Columns of numbers are right-aligned. */
static char *alignment(const struct query_answer *a)
{
    char *right = xcalloc(a->n_columns + 1, 1);
    for (uint32_t i = 0; i < a->n_columns; i++)
        right[i] = 'r';
    for (uint32_t i = 0; i < a->n_cells; i++)
        if (a->cells[i].kind == CELL_TEXT)
            right[i % a->n_columns] = 'l';
    return right;
}

static void print_table(const struct query_answer *a, struct strbuf *out)
{
    char *right = alignment(a);
    struct table t = {
        .titles = (const char *const *)a->columns, .n_columns = a->n_columns, .right = right};
    for (uint32_t i = 0; i < a->n_cells; i++)
        add_cell(&t, &a->cells[i]);
    table_print(&t, out);
    table_destroy(&t);
    free(right);
}

static enum heddle_status print_answer(const struct query_command *o, const struct query_answer *a)
{
    struct strbuf text = {0};
    if (!o->csv && !o->json && a->n_columns > TABLE_MAX_COLUMNS) {
        output_error("%u columns are too many for a table; use --csv or --json, or name fewer",
                     a->n_columns);
        return HEDDLE_BAD_INPUT;
    }
    if (o->json)
        query_json(a, &text);
    else if (o->csv)
        query_csv(a, &text);
    else
        print_table(a, &text);
    return output_take(&text);
}

static enum heddle_status run_query(const void *values, const struct text_list *operands)
{
    const struct query_command *o = values;
    if (!o->store || (o->csv && o->json)) {
        output_error(o->store ? "--csv and --json exclude each other"
                              : "heddle query needs --store FILE");
        return HEDDLE_BAD_INPUT;
    }
    struct store *s = NULL;
    struct query_answer answer = {0};
    struct diag_list diags = {0};
    enum heddle_status status = lab_open_store(o->store, STORE_READ, &s);
    int64_t n_hidden = 0;
    if (status == HEDDLE_OK && operands->n && !o->all_models &&
        (status = store_show_current(s, &n_hidden)) != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    if (status == HEDDLE_OK) {
        status = operands->n ? query_run(s, operands->items[0], &answer, &diags)
                             : query_tables(s, &answer, &diags);
        if (diags.n_errors)
            output_complaints(&diags);
        else if (status != HEDDLE_OK)
            output_failure(strbuf_text(&s->error));
    }
    if (status == HEDDLE_OK)
        status = print_answer(o, &answer);
    if (n_hidden && status == HEDDLE_OK)
        fprintf(stderr,
                "heddle: note: %" PRId64
                " result%s of other versions of the model %s not in the views; "
                "--all-models shows all\n",
                n_hidden, n_hidden == 1 ? "" : "s", n_hidden == 1 ? "is" : "are");
    query_answer_destroy(&answer);
    diag_list_destroy(&diags);
    store_close(s);
    return status;
}

static const char *const examples[] = {
    "heddle query --store results.db \"SELECT workload, scheduler, cycles FROM results\"",
    "one row per run, with the main statistics as columns",
    "heddle query --store results.db \"SELECT * FROM stats WHERE run = 1 AND name LIKE 'l1d.%'\"",
    "one row per statistic",
    "heddle query --store results.db --csv \"SELECT * FROM results\"",
    "export for a spreadsheet",
    "heddle query --store results.db",
    "lists the tables and views",
    NULL,
};

const struct command command_query = {
    .name = "query",
    .operands = "[SQL]",
    .summary = "query a store of results in SQL",
    .description =
        "Runs one SQL statement on a store, read-only, and prints the answer as a table, CSV or "
        "JSON. Views: results (one row per run), stats (one row per statistic: run, name, value, "
        "unit), parameters (run, name, value), kernels and kernel_stats (the same by kernel), "
        "series (time series) and others. They show the results of this Heddle's model: those "
        "whose sources have not changed since. doc/experiments.md describes all tables.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct query_command),
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run_query,
};
