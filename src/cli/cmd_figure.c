/* heddle figure: reproduces figures of papers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/claim_table.h"
#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"
#include "lab/figure.h"

struct figure_command {
    const char *store, *size, *gpu, *csv, *svg, *traces, *table;
    struct given_u64 jobs;
    bool retry, stored_only, dry_run, json;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct figure_command, store, "FILE",
                "the store of results; points that it has are not run again"),
    OPTION_TEXT("size", struct figure_command, size, "SIZE",
                "inputs of this size instead of the figure's"),
    OPTION_TEXT("gpu", struct figure_command, gpu, "GPU", "this GPU instead of the figure's"),
    OPTION_GIVEN("jobs", struct figure_command, jobs, "N",
                 "points to run at a time; one per processor if not given"),
    OPTION_TEXT("traces", struct figure_command, traces, "FOLDER",
                "record a trace of each workload and input there, and replay it for further points "
                "where that is exact (doc/traces.md); replayed results are not verified"),
    OPTION_TEXT("table", struct figure_command, table, "FILE",
                "the CSV file that a figure of a table is drawn from; it needs no store"),
    OPTION_FLAG("retry", struct figure_command, retry, "retry points that failed before"),
    OPTION_FLAG("stored-only", struct figure_command, stored_only,
                "run nothing: draw the figure from the results in the store"),
    OPTION_FLAG("dry-run", struct figure_command, dry_run,
                "run nothing and draw nothing: list the figure's points, and which of them the "
                "store has"),
    OPTION_TEXT("csv", struct figure_command, csv, "FILE",
                "write the figure's numbers as CSV, beside the paper's; - is standard output"),
    OPTION_TEXT("svg", struct figure_command, svg, "FILE", "draw the figure; - is standard output"),
    OPTION_FLAG("json", struct figure_command, json,
                "print the figure as JSON, with the paper's claims and verdicts; for the list, "
                "each figure's claims"),
};

static void list_row(struct table *t, const struct figure *f)
{
    table_cell(t, "%s", f->name);
    table_cell(t, "%s", f->source);
    table_cell(t, "%s", f->title);
}

static enum heddle_status list_figures(bool as_json)
{
    static const char *const titles[] = {"figure", "source", "title"};
    struct table t = {.titles = titles, .n_columns = 3};
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < n_figure_names; i++) {
        struct figure f = {0};
        struct diag_list diags = {0};
        const struct spec_changes none = {0};
        figure_read(&f, figure_names[i], &none, &diags);
        if (as_json)
            figure_json_definition(&w, &f);
        else
            list_row(&t, &f);
        figure_destroy(&f);
        diag_list_destroy(&diags);
    }
    json_end_array(&w);
    if (!as_json) {
        strbuf_clear(&text);
        table_print(&t, &text);
    }
    table_destroy(&t);
    return output_take(&text);
}

/* --- text --- */

static void print_values(const struct figure *f, struct strbuf *out)
{
    const char *titles[FIGURE_MAX_SERIES + 1] = {f->x_axis};
    char right[FIGURE_MAX_SERIES + 2] = "l";
    for (uint32_t i = 0; i < f->n_series; i++) {
        titles[i + 1] = f->series[i].title;
        right[i + 1] = 'r';
    }
    struct table t = {.titles = titles, .n_columns = f->n_series + 1, .right = right};
    for (uint32_t x = 0; x < f->n_xs; x++) {
        table_cell(&t, "%s", f->xs[x]);
        for (uint32_t i = 0; i < f->n_series; i++)
            if (isnan(f->series[i].values[x]))
                table_cell(&t, "missing");
            else
                table_cell(&t, "%.3f", f->series[i].values[x]);
    }
    table_print(&t, out);
    table_destroy(&t);
}

static void print_figure(struct figure *f, struct strbuf *out)
{
    strbuf_addf(out, "%s (%s)\n", f->title, f->source);
    strbuf_addf(out, "%s against %s", f->y_title, f->x_title);
    if (f->spec.n_points) {
        strbuf_add(out, "; ");
        figure_describe_inputs(f, out);
    }
    strbuf_add(out, "\n\n");
    print_values(f, out);
    if (f->n_claims) {
        strbuf_add_char(out, '\n');
        claim_table_print(f, out);
    }
    for (uint32_t i = 0; i < f->spec.n_missing; i++)
        strbuf_addf(out, "%smissing: Heddle has no %s\n", i ? "" : "\n", f->spec.missing[i]);
    if (f->note) {
        strbuf_add_char(out, '\n');
        text_wrap(out, f->note, 0, 0, 96);
    }
}

/* --- running --- */

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static enum heddle_status write_text(const char *path, const struct strbuf *text)
{
    return is_standard_output(path) ? output_write(strbuf_text(text), text->len)
                                    : output_file(path, strbuf_text(text), text->len);
}

static enum heddle_status write_files(const struct figure_command *o, const struct figure *f)
{
    struct strbuf text = {0};
    enum heddle_status status = HEDDLE_OK;
    if (o->csv) {
        figure_csv(f, &text);
        status = write_text(o->csv, &text);
    }
    strbuf_clear(&text);
    if (status == HEDDLE_OK && o->svg) {
        figure_svg(f, &text);
        status = write_text(o->svg, &text);
    }
    strbuf_destroy(&text);
    return status;
}

static enum heddle_status fill_store(const struct figure_command *o, struct figure *f,
                                     struct store *s)
{
    struct lab_sweep sweep = {
        .store_path = o->store, .traces = o->traces, .jobs = o->jobs, .retry = o->retry};
    struct point_context context = spec_context(&f->spec, NULL, NULL);
    return lab_run_points(&sweep, s, f->spec.points, f->spec.n_points, &context);
}

/* A figure without points is an error; one with gaps is a warning. */
static enum heddle_status check_found(const struct figure_command *o, const struct figure *f)
{
    if (f->n_found == f->spec.n_points || !o->stored_only)
        return HEDDLE_OK;
    struct strbuf note = {0};
    strbuf_addf(&note, "%s has %u of the figure's %u points", o->store, f->n_found,
                f->spec.n_points);
    if (f->n_found)
        fprintf(stderr, "heddle: warning: %s; without --stored-only the rest would be run\n",
                strbuf_text(&note));
    else
        output_error("%s; without --stored-only they would be run", strbuf_text(&note));
    strbuf_destroy(&note);
    return f->n_found ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status print_and_write(const struct figure_command *o, struct figure *f)
{
    struct strbuf text = {0};
    enum heddle_status found = check_found(o, f);
    enum heddle_status status = found == HEDDLE_OK ? write_files(o, f) : found;
    if (!is_standard_output(o->csv) && !is_standard_output(o->svg))
        (o->json ? figure_json : print_figure)(f, &text);
    enum heddle_status printed = output_take(&text);
    return status == HEDDLE_OK ? printed : status;
}

static enum heddle_status make_figure(const struct figure_command *o, struct figure *f)
{
    struct store *s = NULL;
    enum heddle_status ran = HEDDLE_OK;
    enum heddle_status status =
        lab_open_store(o->store, o->stored_only ? STORE_READ : STORE_WRITE, &s);
    if (status == HEDDLE_OK && !o->stored_only)
        ran = fill_store(o, f, s);
    /* Points that failed are gaps; the rest of the figure is valid. */
    if (status == HEDDLE_OK && ran != HEDDLE_OK && ran != HEDDLE_WRONG_RESULT)
        status = ran;
    else if (status == HEDDLE_OK && (status = figure_derive(f, s)) != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    store_close(s);
    if (status != HEDDLE_OK)
        return status;
    status = print_and_write(o, f);
    return status == HEDDLE_OK ? ran : status;
}

/* Rejoins an option that a figure's file breaks at one of its dashes. */
static void join_options(char *text)
{
    char *out = text, *word = text;
    for (const char *c = text; *c; c++) {
        bool is_broken =
            *c == ' ' && out - word > 3 && strncmp(word, "--", 2) == 0 && out[-1] == '-';
        if (is_broken)
            continue;
        *out++ = *c;
        if (*c == ' ')
            word = out;
    }
    *out = 0;
}

/* What the table is, and how to generate those of shipped figures. */
static void explain_table(const struct figure *f)
{
    static const char tool[] = "tools/results.py";
    struct strbuf text = {0};
    char *what = strdup(f->table);
    join_options(what);
    what[strcspn(what, "\n")] = 0; /* a folded text of YAML ends with one */
    text_wrap(&text, what, 2, 2, 96);
    if (strstr(what, tool))
        strbuf_addf(&text,
                    "  From the source folder, all tables and figures of a page of doc/results "
                    "(l1d or scheduling):\n  python3 %s PAGE build/heddle results.db",
                    tool);
    output_error("%s is drawn from a table: --table FILE\n  %s", f->name, strbuf_text(&text));
    free(what);
    strbuf_destroy(&text);
}

/* Does the command line have what the figure is made from? */
static bool check_origin(const struct figure_command *o, const struct figure *f)
{
    if (f->table && !o->table && !o->dry_run)
        explain_table(f);
    else if (!f->table && o->table)
        output_error("%s is drawn from the results of its points: --store, not --table", f->name);
    else if (f->table && o->dry_run)
        output_error("%s is drawn from a table and has no points to list", f->name);
    else if (!f->table && !o->store && !o->dry_run)
        output_error("heddle figure needs a store for the results: --store FILE");
    else
        return true;
    return false;
}

static enum heddle_status check_files(const struct figure_command *o, const struct figure *f,
                                      const char *name)
{
    struct file_uses uses = {0};
    if (figure_is_file(name))
        file_uses_read(&uses, name);
    file_uses_read(&uses, o->table);
    if (o->stored_only)
        file_uses_read(&uses, o->store);
    lab_note_files(&uses, &f->spec, o->stored_only || o->dry_run ? NULL : o->store);
    file_uses_write(&uses, "--csv", is_standard_output(o->csv) ? NULL : o->csv);
    file_uses_write(&uses, "--svg", is_standard_output(o->svg) ? NULL : o->svg);
    return file_uses_check(&uses);
}

/* Everything that can fail before a point is run. */
static enum heddle_status prepare(const struct figure_command *o, struct figure *f,
                                  const char *name, struct diag_list *diags)
{
    enum heddle_status status = check_files(o, f, name);
    if (status != HEDDLE_OK)
        return status;
    if (f->table)
        return figure_take_table(f, o->table, diags);
    struct point_context context = spec_context(&f->spec, f->name, f->has_doc ? f->doc.text : NULL);
    return point_make_keys(f->spec.points, f->spec.n_points, &context, diags);
}

static enum heddle_status run_figure(const void *values, const struct text_list *operands)
{
    const struct figure_command *o = values;
    if (!operands->n)
        return list_figures(o->json);
    if (!lab_check_jobs(&o->jobs))
        return HEDDLE_BAD_INPUT;
    struct figure f = {0};
    struct diag_list diags = {0};
    const struct spec_changes changes = {.size = o->size, .gpu = o->gpu};
    enum heddle_status status = figure_read(&f, operands->items[0], &changes, &diags);
    if (status == HEDDLE_OK && !check_origin(o, &f))
        status = HEDDLE_BAD_INPUT;
    if (status == HEDDLE_OK)
        status = prepare(o, &f, operands->items[0], &diags);
    if (diags.n_errors)
        output_complaints(&diags);
    if (status == HEDDLE_OK)
        status = o->dry_run ? lab_list_points(o->store, &f.spec)
                 : f.table  ? print_and_write(o, &f)
                            : make_figure(o, &f);
    figure_destroy(&f);
    diag_list_destroy(&diags);
    return status;
}

static const char *const examples[] = {
    "heddle figure",
    "lists the figures",
    "heddle figure s4-fig17 --store results.db --svg fig17.svg",
    "runs what is missing, prints the numbers beside the paper's, and draws them",
    "heddle figure s4-fig17 --store results.db --dry-run",
    "what it would run",
    "heddle figure s4-fig17 --store results.db --size tiny --csv fig17.csv",
    "the same with small inputs, for a spreadsheet",
    NULL,
};

const struct command command_figure = {
    .name = "figure",
    .operands = "[NAME|FILE]",
    .summary = "reproduce a figure of a paper, beside the paper's numbers",
    .description = "Runs the experiment behind a figure of a paper, derives its curves or bars, "
                   "and prints them beside the paper's claims, optionally as CSV and SVG. "
                   "Mechanisms that Heddle does not have are listed as missing. Figures are files "
                   "(doc/experiments.md); you can also give the path of your own file.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct figure_command),
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run_figure,
};
