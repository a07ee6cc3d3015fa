/* heddle ptx: reports on a PTX file without running it. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/ptx_load.h"
#include "lab/demangle.h"
#include "ptx/report.h"

struct ptx_options {
    bool json, print;
    const char *build_options;
};

static const struct option options[] = {
    OPTION_FLAG("json", struct ptx_options, json,
                "print the report as JSON, a list with one object per file, including broken ones"),
    OPTION_FLAG("print", struct ptx_options, print,
                "write the program back as PTX instead of reporting on it"),
    OPTION_TEXT("build-options", struct ptx_options, build_options, "TEXT",
                "options for the compiler of .cl and .cu files"),
};

/* An unknown position is null. */
static void write_place(struct json_writer *w, const char *key, uint32_t n)
{
    if (n)
        json_uint(w, key, n);
    else
        json_null(w, key);
}

/* The object of a file that is not a valid program. */
static void write_broken(const char *path, const struct diag_list *diags, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_string(w, "file", path);
    json_null(w, "version");
    json_null(w, "target");
    json_begin_array(w, "kernels");
    json_end_array(w);
    json_begin_array(w, "errors");
    for (uint32_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->items[i];
        if (d->severity != DIAG_ERROR)
            continue;
        json_begin_object(w, NULL);
        write_place(w, "line", d->line);
        write_place(w, "column", d->col);
        json_string(w, "message", d->message);
        json_string(w, "hint", d->hint);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void report_module(const struct ptx_module *module, struct strbuf *out)
{
    struct strbuf text = {0};
    ptx_report_text(module, &text);
    demangle_text(strbuf_text(&text), out);
    strbuf_destroy(&text);
}

/* Processes every file, even after one that failed: thousands may be given. */
static enum heddle_status run_ptx(const void *values, const struct text_list *operands)
{
    const struct ptx_options *o = values;
    enum heddle_status worst = HEDDLE_OK;
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    bool as_json = o->json && !o->print;
    if (as_json)
        json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < operands->n; i++) {
        struct ptx_module *module = NULL;
        struct diag_list diags = {0};
        enum heddle_status status =
            ptx_load_file(operands->items[i], o->build_options, &module, &diags);
        if (module && o->print)
            ptx_print(module, &text);
        else if (module && as_json)
            ptx_report_json(module, &w);
        else if (module)
            report_module(module, &text);
        else if (as_json)
            write_broken(operands->items[i], &diags, &w);
        ptx_module_destroy(module);
        diag_list_destroy(&diags);
        if (!as_json && status == HEDDLE_OK)
            status = output_take(&text);
        worst = worst < status ? status : worst;
        if (status == HEDDLE_ENVIRONMENT)
            break;
    }
    if (as_json)
        json_end_array(&w);
    enum heddle_status written = output_take(&text);
    return worst < written ? written : worst;
}

static const char *const examples[] = {
    "heddle ptx a.ptx b.cl",
    "registers, memory, instruction counts, loops and what is not supported, per kernel",
    "heddle ptx --print a.ptx",
    "the program as Heddle understands it",
    NULL,
};

const struct command command_ptx = {
    .name = "ptx",
    .operands = "FILE...",
    .summary = "report on PTX files without running them",
    .description = "Parses .ptx files (and .cl and .cu files, compiled first) and reports for each "
                   "kernel: registers, shared, local and constant memory, instructions by class, "
                   "loops, barriers, and what is not supported, with its line.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct ptx_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_ptx,
};
