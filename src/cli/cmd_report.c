/* heddle report: a store as one HTML page. */
#include <string.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "report/report.h"

struct report_command {
    const char *store, *output;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct report_command, store, "FILE",
                "the store that `heddle sweep`, `figure` and `repro` fill"),
    OPTION_TEXT_LETTER("output", 'o', struct report_command, output, "FILE",
                       "the page; report.html if not given, - is standard output"),
};

static enum heddle_status check_files(const struct report_command *o)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, o->store);
    file_uses_write(&uses, "--output", strcmp(o->output, "-") == 0 ? NULL : o->output);
    return file_uses_check(&uses);
}

enum heddle_status report_write(struct store *s, const char *store_name, const char *path)
{
    struct strbuf data = {0}, page = {0};
    const struct report_options options_of_page = {.store_name = store_name};
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
        status = lab_open_store(o->store, STORE_READ, &s);
    if (status == HEDDLE_OK)
        status = report_write(s, o->store, o->output);
    store_close(s);
    return status;
}

static const char *const examples[] = {
    "heddle report --store results.db",
    "writes report.html, which a browser opens without a network",
    "heddle report --store results.db -o monday.html",
    "under another name",
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
        "needs no network and nothing beside it (doc/report.md).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct report_command),
    .defaults = &defaults,
    .min_operands = 0,
    .max_operands = 0,
    .examples = examples,
    .run = run_report,
};
