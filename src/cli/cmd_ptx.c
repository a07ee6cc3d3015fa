/* heddle ptx: what is in a PTX file, without running it. */
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "front/front.h"
#include "ptx/ptx.h"
#include "ptx/report.h"

struct ptx_options {
    bool json, print;
    const char *build_options;
};

static const struct option options[] = {
    OPTION_FLAG("json", struct ptx_options, json,
                "print the report as JSON, a list with an object per file"),
    OPTION_FLAG("print", struct ptx_options, print,
                "write the program back as PTX instead of reporting on it"),
    OPTION_TEXT("build-options", struct ptx_options, build_options, "TEXT",
                "options for the compiler of .cl and .cu files"),
};

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

/* Turns .cl and .cu into PTX, in place; anything else is taken for PTX already. */
static enum heddle_status compile(const char *path, const char *build_options, struct strbuf *text)
{
    bool is_opencl = ends_with(path, ".cl");
    if (!is_opencl && !ends_with(path, ".cu"))
        return HEDDLE_OK;
    struct strbuf ptx = {0}, error = {0};
    enum heddle_status status =
        front_compile(is_opencl ? FRONT_OPENCL_C : FRONT_CUDA_C, path, strbuf_text(text), text->len,
                      build_options, &ptx, &error);
    if (error.len)
        fprintf(stderr, "%s%s", strbuf_text(&error), error.text[error.len - 1] == '\n' ? "" : "\n");
    strbuf_destroy(&error);
    strbuf_destroy(text);
    *text = ptx;
    return status;
}

static enum heddle_status load(const char *path, const char *build_options, struct ptx_module **out)
{
    struct strbuf text = {0};
    struct diag_list diags = {0};
    enum heddle_status status = HEDDLE_OK;
    int error = strbuf_read_file(&text, path);
    if (error) {
        output_error("cannot read %s: %s", path, strerror(error));
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = compile(path, build_options, &text);
    if (status == HEDDLE_OK) {
        *out = ptx_parse(path, strbuf_text(&text), text.len, &diags);
        if (diags.n)
            output_complaints(&diags);
        status = *out ? HEDDLE_OK : HEDDLE_BAD_INPUT;
    }
    diag_list_destroy(&diags);
    strbuf_destroy(&text);
    return status;
}

/* Every file is looked at, also after one that failed: a thousand may be given. */
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
        enum heddle_status status = load(operands->items[i], o->build_options, &module);
        if (module && o->print)
            ptx_print(module, &text);
        else if (module && as_json)
            ptx_report_json(module, &w);
        else if (module)
            ptx_report_text(module, &text);
        ptx_module_destroy(module);
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
