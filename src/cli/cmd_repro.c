/* heddle repro: runs figures of papers one after the other into a store, and prints the papers'
 * claims beside the results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/claim_table.h"
#include "cli/cmd_report.h"
#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"

struct repro_command {
    const char *store, *size, *gpu, *output;
    struct given_u64 jobs;
    bool retry, dry_run;
};

static const struct option options[] = {
    OPTION_TEXT(
        "store", struct repro_command, store, "FILE",
        "the store of results; points that it has are not run again; repro.db if not given"),
    OPTION_TEXT("size", struct repro_command, size, "SIZE",
                "inputs: small if not given; tiny is faster and shows less; paper uses the sizes "
                "in each figure's file, the papers' own"),
    OPTION_TEXT("gpu", struct repro_command, gpu, "GPU", "this GPU instead of the figures'"),
    OPTION_TEXT_LETTER("output", 'o', struct repro_command, output, "FILE",
                       "the page with all results; repro.html if not given"),
    OPTION_GIVEN("jobs", struct repro_command, jobs, "N",
                 "points to run at a time; one per processor if not given"),
    OPTION_FLAG("retry", struct repro_command, retry, "retry points that failed before"),
    OPTION_FLAG("dry-run", struct repro_command, dry_run,
                "list the figures that would be run, and how many points the store lacks"),
};

/* The figures to run. */
struct repro {
    const struct repro_command *o;
    struct figure *figures;
    uint32_t n;
    struct text_list files; /* those given by the user */
    struct arena arena;
};

/* --- which figures --- */

static bool names_paper(const char *word)
{
    return (word[0] == 'S' || word[0] == 's') && word[1] >= '0' && word[1] <= '9' && !word[2];
}

static bool is_wanted(const struct figure *f, const struct text_list *operands)
{
    for (uint32_t i = 0; i < operands->n; i++) {
        const char *word = operands->items[i];
        if (strcmp(word, f->name) == 0)
            return true;
        if (names_paper(word) && claim_paper_length(f) && strncasecmp(word, f->source, 2) == 0)
            return true;
    }
    return !operands->n;
}

static enum heddle_status check_operands(const struct text_list *operands)
{
    for (uint32_t i = 0; i < operands->n; i++) {
        const char *word = operands->items[i];
        bool is_known =
            figure_is_file(word) || (names_paper(word) && word[1] >= '1' && word[1] <= '4');
        for (uint32_t k = 0; k < n_figure_names && !is_known; k++)
            is_known = strcmp(word, figure_names[k]) == 0;
        if (!is_known)
            return output_unknown("paper or figure", word, figure_names, n_figure_names,
                                  "papers are s1 to s4; `heddle figure` lists the figures");
    }
    return HEDDLE_OK;
}

/* Adds a figure to the list, unless its points cannot be run from here. */
static enum heddle_status take_figure(struct repro *r, const char *name,
                                      const struct text_list *operands)
{
    struct figure *f = &r->figures[r->n];
    struct diag_list diags = {0};
    bool is_own = strcmp(r->o->size, "paper") == 0;
    const struct spec_changes changes = {.size = is_own ? NULL : r->o->size, .gpu = r->o->gpu};
    enum heddle_status status = figure_read(f, name, &changes, &diags);
    if (diags.n_errors)
        output_complaints(&diags);
    bool is_named = operands->n && is_wanted(f, operands);
    if (status == HEDDLE_OK && f->table && is_named)
        output_note("%s is drawn from a table, not from points: see `heddle figure %s`", name,
                    name);
    if (status == HEDDLE_OK && !f->table && is_wanted(f, operands))
        r->n++;
    else
        figure_destroy(f);
    diag_list_destroy(&diags);
    return status;
}

/* A paper or figure that is not selected is not read: a size that it lacks is not an error. */
static bool may_be_wanted(const char *name, const struct text_list *operands)
{
    if (!operands->n)
        return true;
    for (uint32_t i = 0; i < operands->n; i++)
        if (names_paper(operands->items[i]) || strcmp(operands->items[i], name) == 0)
            return true;
    return false;
}

static enum heddle_status take_figures(struct repro *r, const struct text_list *operands)
{
    enum heddle_status status = check_operands(operands);
    r->figures = xcalloc(n_figure_names + operands->n, sizeof *r->figures);
    for (uint32_t i = 0; status == HEDDLE_OK && i < n_figure_names; i++)
        if (may_be_wanted(figure_names[i], operands))
            status = take_figure(r, figure_names[i], operands);
    for (uint32_t i = 0; status == HEDDLE_OK && i < operands->n; i++)
        if (figure_is_file(operands->items[i])) {
            text_list_add(&r->files, operands->items[i], &r->arena);
            status = take_figure(r, operands->items[i], &(struct text_list){0});
        }
    if (status == HEDDLE_OK && !r->n) {
        output_error("none of these figures has points to run");
        status = HEDDLE_BAD_INPUT;
    }
    return status;
}

static enum heddle_status make_keys(struct repro *r)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < r->n; i++) {
        struct figure *f = &r->figures[i];
        struct diag_list diags = {0};
        struct point_context context = spec_context(&f->spec, f->name, NULL);
        output_progress("[%u/%u] %s: checking the store", i + 1, r->n, f->name);
        status = point_make_keys(f->spec.points, f->spec.n_points, &context, &diags);
        if (diags.n_errors)
            output_complaints(&diags);
        diag_list_destroy(&diags);
    }
    output_progress_end();
    return status;
}

/* --- running --- */

static enum heddle_status dry_run(struct repro *r, struct store *s)
{
    struct strbuf text = {0};
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < r->n; i++) {
        struct figure *f = &r->figures[i];
        struct sweep_estimate e = {.n_to_run = f->spec.n_points};
        if (s)
            status = sweep_estimate(s, f->spec.points, f->spec.n_points, &e);
        strbuf_addf(&text, "%s: %u points, ", f->name, f->spec.n_points);
        lab_describe_estimate(&e, &text);
        strbuf_add_char(&text, '\n');
    }
    return status == HEDDLE_OK ? output_take(&text) : status;
}

/* HEDDLE_WRONG_RESULT if points failed: the rest is valid. */
static enum heddle_status run_figures(struct repro *r, struct store *s)
{
    enum heddle_status worst = HEDDLE_OK;
    for (uint32_t i = 0; i < r->n; i++) {
        struct figure *f = &r->figures[i];
        struct lab_sweep sweep = {
            .store_path = r->o->store, .jobs = r->o->jobs, .retry = r->o->retry};
        struct point_context context = spec_context(&f->spec, NULL, NULL);
        output_note("[%u/%u] %s: %s (%s)", i + 1, r->n, f->name, f->title, f->source);
        enum heddle_status status =
            lab_run_points(&sweep, s, f->spec.points, f->spec.n_points, &context);
        if (status != HEDDLE_OK && status != HEDDLE_WRONG_RESULT)
            return status;
        worst = status == HEDDLE_OK ? worst : status;
    }
    return worst;
}

static enum heddle_status print_claims(struct repro *r, struct store *s)
{
    struct strbuf text = {0};
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < r->n; i++)
        status = figure_derive(&r->figures[i], s);
    if (status != HEDDLE_OK) {
        output_failure(strbuf_text(&s->error));
        return status;
    }
    claim_table_print_all(r->figures, r->n, &text);
    return output_take(&text); /* before the page, which takes a while */
}

static enum heddle_status run_and_tell(struct repro *r, struct store *s)
{
    enum heddle_status ran = run_figures(r, s);
    if (ran != HEDDLE_OK && ran != HEDDLE_WRONG_RESULT)
        return ran;
    enum heddle_status status = print_claims(r, s);
    if (status == HEDDLE_OK)
        status = report_write(s, r->o->store, &r->files, r->o->output);
    struct strbuf end = {0};
    strbuf_addf(&end, "\nresults are in %s; the page is %s\n", r->o->store, r->o->output);
    if (status == HEDDLE_OK)
        status = output_take(&end);
    strbuf_destroy(&end);
    return status == HEDDLE_OK ? ran : status;
}

static enum heddle_status open_and_run(struct repro *r)
{
    struct store *s = NULL;
    enum heddle_status status = HEDDLE_OK;
    if (!r->o->dry_run || lab_file_exists(r->o->store))
        status = lab_open_store(r->o->store, r->o->dry_run ? STORE_READ : STORE_WRITE, &s);
    if (status == HEDDLE_OK)
        status = r->o->dry_run ? dry_run(r, s) : run_and_tell(r, s);
    store_close(s);
    return status;
}

static enum heddle_status check_files(const struct repro *r)
{
    struct file_uses uses = {0};
    for (uint32_t i = 0; i < r->n; i++)
        lab_note_files(&uses, &r->figures[i].spec, i ? NULL : r->o->store);
    file_uses_write(&uses, "--output", r->o->output);
    return file_uses_check(&uses);
}

static enum heddle_status run_repro(const void *values, const struct text_list *operands)
{
    struct repro r = {.o = values};
    if (!lab_check_jobs(&r.o->jobs))
        return HEDDLE_BAD_INPUT;
    enum heddle_status status = take_figures(&r, operands);
    if (status == HEDDLE_OK)
        status = check_files(&r);
    if (status == HEDDLE_OK)
        status = make_keys(&r);
    if (status == HEDDLE_OK)
        status = open_and_run(&r);
    for (uint32_t i = 0; i < r.n; i++)
        figure_destroy(&r.figures[i]);
    free(r.figures);
    arena_destroy(&r.arena);
    return status;
}

static const char *const examples[] = {
    "heddle repro s2-fig10 s4-fig7",
    "runs two figures with small inputs, prints the papers' claims beside the results, and writes "
    "repro.html",
    "heddle repro s3 --size paper --store s3.db",
    "all figures of the third paper, with the papers' own inputs: hours",
    "heddle repro --size tiny --dry-run",
    "the available figures, and how much is left to run",
    NULL,
};

static const struct repro_command defaults = {
    .store = "repro.db", .size = "small", .output = "repro.html"};

const struct command command_repro = {
    .name = "repro",
    .operands = "[PAPER|FIGURE|FILE...]",
    .summary = "reproduce papers: run their figures and check what they claim",
    .description = "Runs the experiments behind figures of papers (s1 to s4, names that `heddle "
                   "figure` lists, or your own files; all shipped figures if none is named), "
                   "unless the store already has them, prints a table of the papers' claims with "
                   "Heddle's results and verdicts, and counts of verdicts by paper, and writes the "
                   "page of `heddle report`. An interrupted run resumes where it stopped.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct repro_command),
    .defaults = &defaults,
    .min_operands = 0,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_repro,
};
