/* heddle export: tables of a store as files for other programs. */
#include <string.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "lab/export.h"

struct export_command {
    const char *store, *table, *output, *schema;
    bool typed, all_models;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct export_command, store, "FILE",
                "the store that `heddle sweep` fills"),
    OPTION_TEXT("table", struct export_command, table, "NAME",
                "results if not given; wide (results with every statistic as a column), stats, "
                "parameters, inputs, kernels, kernel_stats, series, per_pc"),
    OPTION_FLAG("typed", struct export_command, typed,
                "Parquet-ready: every column has one type, texts are quoted, times are ISO 8601"),
    OPTION_TEXT("schema", struct export_command, schema, "FILE",
                "with --typed: write the names and types of the columns as JSON"),
    OPTION_FLAG("all-models", struct export_command, all_models,
                "include results of other versions of the model"),
    OPTION_TEXT_LETTER("output", 'o', struct export_command, output, "FILE",
                       "standard output if not given"),
};

static enum heddle_status check_options(const struct export_command *o)
{
    struct file_uses uses = {0};
    if (!o->store || (o->schema && !o->typed)) {
        output_error(o->store ? "--schema needs --typed" : "heddle export needs --store FILE");
        return HEDDLE_BAD_INPUT;
    }
    uint32_t i = 0;
    while (i < n_export_tables && strcmp(o->table, export_tables[i]) != 0)
        i++;
    if (i == n_export_tables)
        return output_unknown("table", o->table, export_tables, n_export_tables,
                              "heddle help export lists them");
    file_uses_read(&uses, o->store);
    file_uses_write(&uses, "--output", o->output);
    file_uses_write(&uses, "--schema", o->schema);
    return file_uses_check(&uses);
}

static enum heddle_status write_answer(const struct export_command *o, const struct query_answer *a)
{
    struct strbuf text = {0}, schema = {0};
    (o->typed ? export_typed_csv : query_csv)(a, &text);
    enum heddle_status status = o->output ? output_file(o->output, strbuf_text(&text), text.len)
                                          : output_write(strbuf_text(&text), text.len);
    if (status == HEDDLE_OK && o->schema) {
        export_schema(a, &schema);
        status = output_file(o->schema, strbuf_text(&schema), schema.len);
    }
    strbuf_destroy(&text);
    strbuf_destroy(&schema);
    return status;
}

static enum heddle_status run_export(const void *values, const struct text_list *operands)
{
    const struct export_command *o = values;
    (void)operands;
    struct store *s = NULL;
    struct query_answer answer = {0};
    int64_t n_hidden;
    enum heddle_status status = check_options(o);
    if (status != HEDDLE_OK)
        return status;
    status = lab_open_store(o->store, STORE_READ, &s);
    if (status == HEDDLE_OK) {
        if (!o->all_models)
            status = store_show_current(s, &n_hidden);
        if (status == HEDDLE_OK)
            status = export_read(s, o->table, &answer);
        if (status != HEDDLE_OK)
            output_failure(strbuf_text(&s->error));
    }
    if (status == HEDDLE_OK)
        status = write_answer(o, &answer);
    query_answer_destroy(&answer);
    store_close(s);
    return status;
}

static const char *const examples[] = {
    "heddle export --store results.db -o results.csv",
    "one row per run, with the main statistics",
    "heddle export --store results.db --table wide --typed -o runs.csv --schema runs.json",
    "all statistics as columns, with the type of each: for Parquet",
    "heddle export --store results.db --table series --typed -o series.csv",
    "time series, one row per value",
    NULL,
};

static const struct export_command defaults = {.table = "results"};

const struct command command_export = {
    .name = "export",
    .operands = "",
    .summary = "write a table of a store as CSV",
    .description =
        "Writes a table of a store, with the results of this Heddle's model, as CSV (RFC 4180 with "
        "LF as line end). --typed makes it ready for Parquet and data frames: integers are digits "
        "alone, real numbers have a point or an exponent and all digits, Booleans are true and "
        "false, times are ISO 8601 in UTC, texts are quoted and missing values empty.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct export_command),
    .defaults = &defaults,
    .max_operands = 0,
    .examples = examples,
    .run = run_export,
};
