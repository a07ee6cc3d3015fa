/* heddle report: a store as one HTML page. */
#include "cli/cmd_report.h"

#include <string.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "config/number.h"
#include "lab/figure.h"
#include "report/explain.h"
#include "report/report.h"

struct report_command {
    const char *store, *output;
    struct text_list explain, figures;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct report_command, store, "FILE",
                "the store that `heddle sweep`, `figure` and `repro` fill"),
    OPTION_TEXT_LETTER("output", 'o', struct report_command, output, "FILE",
                       "the page; report.html if not given, - is standard output"),
    OPTION_LIST("figure", struct report_command, figures, "FILE",
                "your own figure, shown with the shipped ones; may be repeated"),
    OPTION_LIST("explain", struct report_command, explain, "ID",
                "run this result again and add details to the store that the page shows for single "
                "runs: reuse distances, counters over time, a warp timeline, where cycles went, "
                "loads by source line; may be repeated"),
};

static enum heddle_status check_files(const struct report_command *o)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, o->store);
    for (uint32_t i = 0; i < o->figures.n; i++)
        file_uses_read(&uses, o->figures.items[i]);
    file_uses_write(&uses, "--output", strcmp(o->output, "-") == 0 ? NULL : o->output);
    return file_uses_check(&uses);
}

enum heddle_status report_write(struct store *s, const char *store_name,
                                const struct text_list *figures, const char *path)
{
    struct strbuf data = {0}, page = {0};
    const struct report_options options_of_page = {
        .store_name = store_name, .figures = figures->items, .n_figures = figures->n};
    enum heddle_status status = report_data(s, &options_of_page, &data);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    else
        report_page(&data, &page);
    strbuf_destroy(&data);
    if (status == HEDDLE_OK)
        status = strcmp(path, "-") == 0 ? output_write(strbuf_text(&page), page.len)
                                        : output_file(path, strbuf_text(&page), page.len);
    strbuf_destroy(&page);
    return status;
}

/* --- explaining --- */

static void show_explaining(void *user, int64_t id, const char *doing, double seconds)
{
    (void)user;
    output_progress("result %lld: %s, %.0f s", (long long)id, doing, seconds);
}

static enum heddle_status explain_one(struct store *s, const char *word)
{
    static const struct explain_options how = {.program = "/proc/self/exe",
                                               .progress = show_explaining};
    struct strbuf error = {0};
    uint64_t id = 0;
    enum heddle_status status = HEDDLE_BAD_INPUT;
    if (!number_parse_u64(word, &id) || id > INT64_MAX)
        strbuf_addf(&error, "--explain %s: expected the id of a result, a number\n", word);
    else
        status = report_explain(s, (int64_t)id, &how, &error);
    output_progress_end();
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&error));
    strbuf_destroy(&error);
    return status;
}

static enum heddle_status explain_all(const struct report_command *o)
{
    struct store *s = NULL;
    enum heddle_status status = lab_check_readable(o->store);
    if (status == HEDDLE_OK)
        status = lab_open_store(o->store, STORE_WRITE, &s);
    for (uint32_t i = 0; status == HEDDLE_OK && i < o->explain.n; i++)
        status = explain_one(s, o->explain.items[i]);
    store_close(s);
    return status;
}

/* Errors in a figure's file are reported before anything is done. */
static enum heddle_status check_figures(const struct report_command *o)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < o->figures.n; i++) {
        struct figure f = {0};
        struct diag_list diags = {0};
        const struct spec_changes none = {0};
        status = figure_read(&f, o->figures.items[i], &none, &diags);
        if (diags.n_errors)
            output_complaints(&diags);
        figure_destroy(&f);
        diag_list_destroy(&diags);
    }
    return status;
}

static enum heddle_status run_report(const void *values, const struct text_list *operands)
{
    const struct report_command *o = values;
    (void)operands;
    if (!o->store) {
        output_error("heddle report needs --store FILE");
        return HEDDLE_BAD_INPUT;
    }
    struct store *s = NULL;
    enum heddle_status status = check_files(o);
    if (status == HEDDLE_OK)
        status = check_figures(o);
    if (status == HEDDLE_OK && o->explain.n)
        status = explain_all(o);
    if (status == HEDDLE_OK)
        status = lab_open_store(o->store, STORE_READ, &s);
    if (status == HEDDLE_OK)
        status = report_write(s, o->store, &o->figures, o->output);
    store_close(s);
    if (status == HEDDLE_OK && strcmp(o->output, "-") != 0) {
        struct strbuf end = {0};
        strbuf_addf(&end, "the page is %s\n", o->output);
        status = output_take(&end);
    }
    return status;
}

static const char *const examples[] = {
    "heddle report --store results.db",
    "writes report.html, which a browser opens without a network",
    "heddle report --store results.db -o monday.html",
    "under another name",
    "heddle report --store results.db --explain 3 --explain 7",
    "runs results 3 and 7 again, to show their warps, reuse distances and counters over time",
    NULL,
};

static const struct report_command defaults = {.output = "report.html"};

const struct command command_report = {
    .name = "report",
    .operands = "",
    .summary = "write the results of a store as one HTML page",
    .description =
        "Writes one HTML file from a store: speed-ups and misses, figures and claims of the papers "
        "beside their stated numbers, where cycles went, reuse distances, counters over time, warp "
        "timelines, kernels, machines, and every result with the command that repeats it. The page "
        "needs no network and no other files (doc/report.md).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct report_command),
    .defaults = &defaults,
    .min_operands = 0,
    .max_operands = 0,
    .examples = examples,
    .run = run_report,
};
