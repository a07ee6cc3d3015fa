/* heddle hetero train: a model from measured times. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/file_uses.h"
#include "cli/hetero.h"
#include "cli/hetero_measure.h"
#include "cli/output.h"
#include "cli/table.h"
#include "gpu/machine_config.h"
#include "hetero/model_set.h"
#include "hetero/train.h"
#include "lab/hetero_setting.h"
#include "lab/yaml_doc.h"

/* Bounds of the error |p - t| / t for which the share of rows is printed (S3 Figure 6.8). */
static const double error_bounds[] = {0.05, 0.1, 0.2, 0.5, 1};
enum { N_BOUNDS = sizeof error_bounds / sizeof error_bounds[0] };

struct training {
    struct hetero_rows rows;
    struct train_options options;
    struct train_result result;
    uint32_t within[N_BOUNDS], n_clamped;
};

static void measure_errors(struct training *t)
{
    for (uint32_t r = 0; r < t->rows.n_rows; r++) {
        double predicted = hetero_predict_row(t->result.model, &t->rows, r);
        t->n_clamped += predicted <= 0;
        double time = predicted > 0 ? predicted : HETERO_MIN_TIME_S;
        double error = fabs(time - t->rows.times[r]) / t->rows.times[r];
        for (int b = 0; b < N_BOUNDS; b++)
            t->within[b] += error <= error_bounds[b];
    }
}

/* --- JSON --- */

static void write_stages(const struct training *t, struct json_writer *w)
{
    json_begin_array(w, "stages");
    for (uint32_t i = 0; i < t->result.n_stages; i++) {
        const struct train_stage *s = &t->result.stages[i];
        json_begin_object(w, NULL);
        json_uint(w, "kernels", s->n_kernels);
        json_double(w, "held_out_r_squared", s->r_squared);
        json_string(w, "goes", s->goes == HETERO_NO_FEATURE ? NULL : t->rows.kernels[s->goes]);
        json_double(w, "error", s->error);
        json_bool(w, "best", i == t->result.best_stage);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_dropped(const struct training *t, struct json_writer *w)
{
    const struct train_result *r = &t->result;
    json_begin_array(w, "dropped_terms");
    for (uint32_t i = 0; i < r->model->n_terms; i++)
        if (r->dropped_terms[i]) {
            struct strbuf name = {0};
            hetero_term_name(r->model, i, &name);
            json_string(w, NULL, strbuf_text(&name));
            strbuf_destroy(&name);
        }
    json_end_array(w);
    json_begin_array(w, "dropped_kernels");
    for (uint32_t i = 0; i < r->best_stage; i++)
        json_string(w, NULL, t->rows.kernels[r->stages[i].goes]);
    json_end_array(w);
}

static void write_training(const struct training *t, const char *path, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_string(w, "model", path);
    json_uint(w, "rows", t->rows.n_rows);
    json_uint(w, "kernels", t->rows.n_kernels);
    json_uint(w, "kept_kernels", t->result.n_kept_kernels);
    json_uint(w, "terms", t->result.model->n_terms);
    json_uint(w, "kept_terms", t->result.n_kept_terms);
    json_double(w, "r_squared_kept", t->result.r_squared_kept);
    json_double(w, "r_squared_all", t->result.r_squared_all);
    json_uint(w, "clamped", t->n_clamped);
    json_begin_array(w, "errors");
    for (int b = 0; b < N_BOUNDS; b++) {
        json_begin_object(w, NULL);
        json_double(w, "within", error_bounds[b]);
        json_double(w, "share", (double)t->within[b] / t->rows.n_rows);
        json_end_object(w);
    }
    json_end_array(w);
    write_dropped(t, w);
    write_stages(t, w);
    json_bool(w, "ended_early", t->result.ended_because);
    json_string(w, "ended_because", t->result.ended_because);
    json_end_object(w);
}

/* --- Text --- */

/* "1 row", "2 rows" */
static void add_count(uint32_t n, const char *what, const char *after, struct strbuf *out)
{
    strbuf_addf(out, "%u %s%s%s", n, what, n == 1 ? "" : "s", after);
}

/* Equal times have no variance to explain. */
static void add_r_squared(double r_squared, struct strbuf *out)
{
    if (isfinite(r_squared))
        strbuf_addf(out, "%.6f", r_squared);
    else
        strbuf_add(out, "undefined");
}

static void print_stages(const struct training *t, struct strbuf *out)
{
    static const char *const titles[] = {"kernels", "held-out R^2", "goes next", "its error"};
    struct table table = {.titles = titles, .n_columns = 4, .right = "rrlr"};
    struct strbuf r_squared = {0};
    for (uint32_t i = 0; i < t->result.n_stages; i++) {
        const struct train_stage *s = &t->result.stages[i];
        bool is_best = i == t->result.best_stage;
        table_cell(&table, "%u%s", s->n_kernels, is_best ? " *" : "");
        strbuf_clear(&r_squared);
        add_r_squared(s->r_squared, &r_squared);
        table_cell(&table, "%s", strbuf_text(&r_squared));
        table_cell(&table, "%s", s->goes == HETERO_NO_FEATURE ? "" : t->rows.kernels[s->goes]);
        table_cell(&table, "%.4f", s->error);
    }
    strbuf_add(out, "\nStages of pruning, the best one marked *:\n");
    table_print(&table, out);
    if (t->result.ended_because)
        strbuf_addf(out, "Pruning ends here, before %u kernel%s: %s.\n", t->result.least_kernels,
                    t->result.least_kernels == 1 ? "" : "s", t->result.ended_because);
    table_destroy(&table);
    strbuf_destroy(&r_squared);
}

static void print_fit(const struct training *t, struct strbuf *out)
{
    const struct train_result *r = &t->result;
    add_count(t->rows.n_rows, "row", " of ", out);
    add_count(t->rows.n_kernels, "kernel", ", ", out);
    add_count(t->rows.n_features, "feature", ", ", out);
    add_count(r->model->n_terms, "term", "\nR^2 ", out);
    add_r_squared(r->r_squared_kept, out);
    strbuf_add(out, " on the ");
    add_count(r->n_kept_kernels, "kernel", " kept, ", out);
    add_r_squared(r->r_squared_all, out);
    strbuf_addf(out, " on all%s\n",
                isfinite(r->r_squared_kept) ? "" : ": all times of the kernels kept are equal");
}

static void print_text(const struct training *t, const char *path, struct strbuf *out)
{
    const struct train_result *r = &t->result;
    print_fit(t, out);
    strbuf_add(out, "rows within an error of");
    for (int b = 0; b < N_BOUNDS; b++)
        strbuf_addf(out, "%s %g %%: %.1f %%", b ? "," : "", 100 * error_bounds[b],
                    100.0 * t->within[b] / t->rows.n_rows);
    strbuf_add(out, "\n");
    if (t->n_clamped)
        strbuf_addf(out, "%u predictions are not positive; %g s is used instead\n", t->n_clamped,
                    HETERO_MIN_TIME_S);
    if (r->n_kept_terms < r->model->n_terms) {
        strbuf_add(out, "terms that depend on others or are 0 everywhere, coefficient 0:");
        const char *comma = " ";
        for (uint32_t i = 0; i < r->model->n_terms; i++)
            if (r->dropped_terms[i]) {
                strbuf_add(out, comma);
                hetero_term_name(r->model, i, out);
                comma = ", ";
            }
        strbuf_add(out, "\n");
    }
    for (uint32_t i = 0; i < r->best_stage; i++)
        strbuf_addf(out, "%s%s%s",
                    i ? ", " : "kernels dropped: ", t->rows.kernels[r->stages[i].goes],
                    i + 1 == r->best_stage ? "\n" : "");
    if (r->n_stages)
        print_stages(t, out);
    if (path)
        strbuf_addf(out, "\nwritten to %s\n", path);
}

/* --- The command --- */

static bool uses(const struct hetero_model *m, const char *feature)
{
    return hetero_model_find_feature(m, feature) != HETERO_NO_FEATURE;
}

/* What it predicts, if it has the features of S3's models. */
static void note_kind(struct hetero_model *m)
{
    bool is_gpu = uses(m, "mem"), is_co_located = false;
    if (is_gpu == uses(m, "vector_mem"))
        return;
    for (int i = 0; i < HETERO_N_SYSTEM; i++)
        is_co_located |= uses(m, hetero_system_names[i]);
    hetero_model_note(m, "target", hetero_target_names[is_gpu ? HETERO_GPU : HETERO_CMP]);
    hetero_model_note(m, "scenario",
                      hetero_scenario_names[is_co_located ? HETERO_CO_LOCATED : HETERO_ALONE]);
}

static enum heddle_status write_model(const struct training *t, const char *rows, const char *path)
{
    if (!path)
        return HEDDLE_OK;
    struct strbuf text = {0}, note = {0};
    note_kind(t->result.model);
    hetero_model_note(t->result.model, "source", rows);
    strbuf_addf(&note, "%u of %u kernels, R^2 ", t->result.n_kept_kernels, t->rows.n_kernels);
    add_r_squared(t->result.r_squared_kept, &note);
    hetero_model_note(t->result.model, "fit", strbuf_text(&note));
    hetero_model_write(t->result.model, &text);
    enum heddle_status status = output_file(path, strbuf_text(&text), text.len);
    strbuf_destroy(&text);
    strbuf_destroy(&note);
    return status;
}

static enum heddle_status read_rows(struct training *t, const char *path)
{
    struct strbuf text = {0};
    struct diag_list diags = {0};
    enum heddle_status status = yaml_file_read(path, &text, &diags);
    if (status == HEDDLE_OK && !hetero_rows_read(&t->rows, path, strbuf_text(&text), &diags))
        status = HEDDLE_BAD_INPUT;
    if (diags.n)
        output_complaints(&diags);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

static enum heddle_status check_options(const struct hetero_options *o)
{
    static const uint64_t most = 10000;
    bool has_folds = !o->folds.is_given || o->folds.value != 0;
    if (o->folds.is_given && (o->folds.value == 1 || o->folds.value > most))
        output_error("--folds must be 0, for none, or 2 to %u", (unsigned)most);
    else if (o->passes.is_given && (o->passes.value == 0 || o->passes.value > most))
        output_error("--passes must be 1 to %u", (unsigned)most);
    else if (!has_folds && (o->passes.is_given || o->seed.is_given))
        output_error("%s has no meaning with --folds 0",
                     o->passes.is_given ? "--passes" : "--seed");
    else
        return HEDDLE_OK;
    return HEDDLE_BAD_INPUT;
}

static void set_options(struct training *t, const struct hetero_options *o)
{
    t->options = train_defaults;
    t->options.prune = !o->no_prune;
    t->options.pairs = !o->no_pairs;
    if (o->seed.is_given)
        t->options.seed = o->seed.value;
    if (o->folds.is_given)
        t->options.folds = (uint32_t)o->folds.value;
    if (o->passes.is_given)
        t->options.passes = (uint32_t)o->passes.value;
}

static enum heddle_status train_from(const struct hetero_options *o, const char *path,
                                     const char *model, struct json_writer *w)
{
    struct training t = {0};
    struct strbuf why = {0};
    set_options(&t, o);
    enum heddle_status status = read_rows(&t, path);
    if (status == HEDDLE_OK && !hetero_train(&t.rows, &t.options, &t.result, &why)) {
        output_error("%s: %s", path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK) {
        measure_errors(&t);
        status = write_model(&t, path, model);
    }
    if (status == HEDDLE_OK && o->json)
        write_training(&t, model, w);
    else if (status == HEDDLE_OK)
        print_text(&t, model, w->out);
    train_result_destroy(&t.result);
    hetero_rows_destroy(&t.rows);
    strbuf_destroy(&why);
    return status;
}

enum heddle_status hetero_make_folder(const char *path)
{
    struct stat s;
    if (!*path) {
        output_error("--out: '' is not a folder");
        return HEDDLE_BAD_INPUT;
    }
    int error = mkdir(path, 0777) == 0 ? 0 : errno;
    if (error == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        error = 0;
    if (error)
        output_error("%s: %s", path,
                     error == EEXIST ? "it is a file, not a folder" : strerror(error));
    bool is_mistake = error == EEXIST || error == ENOTDIR || error == ENOENT;
    return !error ? HEDDLE_OK : is_mistake ? HEDDLE_BAD_INPUT : HEDDLE_ENVIRONMENT;
}

/* Before hours of measurements. */
static enum heddle_status check_gpu(const char *name)
{
    struct diag_list diags = {0};
    struct machine_config *c = machine_config_load(name, NULL, 0, &diags);
    enum heddle_status status = output_input_end(&diags, c ? HEDDLE_OK : HEDDLE_BAD_INPUT);
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    return status;
}

static enum heddle_status check_natives(const char *path)
{
    struct json_input in = {0};
    struct hetero_setting setting;
    enum heddle_status status =
        output_input_end(&in.diags, hetero_natives_read(&in, path, &setting));
    json_input_destroy(&in);
    return status;
}

/* With JSON, a list of the CMP's model and the GPU's. */
static void begin_list(const struct hetero_options *o, struct json_writer *w)
{
    if (o->json)
        json_begin_array(w, NULL);
}

static void end_list(const struct hetero_options *o, struct json_writer *w)
{
    if (o->json)
        json_end_array(w);
}

/* Measures this machine: FOLDER/cmp-alone.csv and .model, and so on. */
static enum heddle_status train_machine(const struct hetero_options *o, struct strbuf *out)
{
    const char *scenario = o->natives ? "co-located" : "alone";
    struct json_writer w = {.out = out};
    struct arena arena = {0};
    if (!o->out) {
        output_error("heddle hetero train --machine needs --out FOLDER");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = o->gpu ? check_gpu(o->gpu) : HEDDLE_OK;
    if (status == HEDDLE_OK && o->natives)
        status = check_natives(o->natives);
    if (status == HEDDLE_OK)
        status = hetero_make_folder(o->out);
    begin_list(o, &w);
    for (int t = 0; t < HETERO_N_TARGETS && status == HEDDLE_OK; t++) {
        const char *name =
            arena_printf(&arena, "%s/%s-%s", o->out, hetero_target_names[t], scenario);
        const struct measurement m = {.workloads = o->words,
                                      .size = o->size ? o->size : "tiny",
                                      .gpu = o->gpu,
                                      .natives = o->natives,
                                      .rows = arena_printf(&arena, "%s.csv", name)};
        status = hetero_measure(&m, (enum hetero_target)t);
        if (status == HEDDLE_OK)
            status = train_from(o, m.rows, arena_printf(&arena, "%s.model", name), &w);
    }
    end_list(o, &w);
    arena_destroy(&arena);
    return status;
}

enum heddle_status hetero_cmd_train(const struct hetero_options *o, const char *path,
                                    struct strbuf *out)
{
    struct file_uses uses = {0};
    struct json_writer w = {.out = out};
    if (!o->machine && o->words->n != 2) {
        output_error("heddle hetero train takes one ROWS.csv, or --machine");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = check_options(o);
    if (status != HEDDLE_OK)
        return status;
    if (o->machine)
        return train_machine(o, out);
    file_uses_read(&uses, path);
    file_uses_write(&uses, "--out", o->out);
    status = file_uses_check(&uses);
    return status == HEDDLE_OK ? train_from(o, path, o->out, &w) : status;
}
