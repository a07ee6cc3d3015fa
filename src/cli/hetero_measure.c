#include "cli/hetero_measure.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hetero_experiment.h"
#include "cli/output.h"
#include "front/process.h"
#include "hetero/model.h"
#include "lab/json_input.h"
#include "workloads/workload.h"

/* Equal launches form one row, with the mean of their times. */
struct row {
    const char *kernel;
    double *features;
    double seconds;
    uint32_t n;
};

struct rows {
    struct arena arena;
    struct row *items;
    uint32_t n, cap;
    struct hetero_model *model; /* of S3's Appendix A, for the features */
    struct strbuf left_out;     /* kernels with launches that have no time: " a, b," */
    uint32_t n_left_out;
};

/* --- the records of launches --- */

static struct row *find_row(struct rows *rows, const char *kernel, const double *features)
{
    size_t bytes = rows->model->n_features * sizeof *features;
    for (uint32_t i = 0; i < rows->n; i++)
        if (strcmp(rows->items[i].kernel, kernel) == 0 &&
            memcmp(rows->items[i].features, features, bytes) == 0)
            return &rows->items[i];
    ARRAY_RESERVE(rows->items, rows->cap, rows->n + 1);
    struct row *row = &rows->items[rows->n++];
    *row = (struct row){.kernel = kernel,
                        .features = ARENA_ARRAY(&rows->arena, double, rows->model->n_features + 1)};
    memcpy(row->features, features, bytes);
    return row;
}

/* Launches that failed, or that the other target has run instead. */
static void leave_out(struct rows *rows, const char *workload, const char *kernel)
{
    struct strbuf name = {0};
    strbuf_addf(&name, " %s/%s,", workload, kernel ? kernel : "?");
    if (!strstr(strbuf_text(&rows->left_out), strbuf_text(&name)))
        strbuf_add(&rows->left_out, strbuf_text(&name));
    strbuf_destroy(&name);
    rows->n_left_out++;
}

/* S3 measures a kernel alone on the CMP, and with its transfers on the GPU. */
static void take_launch(struct rows *rows, struct json_input *in, const char *workload,
                        enum hetero_target target)
{
    yaml_node_t *root = yaml_doc_root(&in->doc);
    yaml_node_t *features = yaml_find(&in->doc, root, "features");
    const char *kernel = yaml_scalar(&in->doc, yaml_find(&in->doc, root, "kernel"), "a name");
    double *values = xcalloc(rows->model->n_features + 1, sizeof *values);
    double kernel_s = 0, transfer_s = 0, status = 0;
    for (uint32_t f = 0; f < rows->model->n_features; f++)
        json_input_need(in, features, rows->model->features[f], &values[f]);
    json_input_need(in, root, "kernel_s", &kernel_s);
    json_input_need(in, root, "transfer_s", &transfer_s);
    json_input_need(in, root, "status", &status);
    double seconds = target == HETERO_CMP ? kernel_s : kernel_s + transfer_s;
    const char *ran_on = yaml_scalar(&in->doc, yaml_find(&in->doc, root, "ran_on"), "a target");
    bool is_here = ran_on && strcmp(ran_on, hetero_target_names[target]) == 0;
    if (!is_here || status != 0) {
        leave_out(rows, workload, kernel);
    } else if (seconds > 0) {
        struct row *row =
            find_row(rows, arena_printf(&rows->arena, "%s/%s", workload, kernel), values);
        row->seconds += seconds;
        row->n++;
    }
    free(values);
}

static enum heddle_status read_log(struct rows *rows, const char *path, const char *workload,
                                   enum hetero_target target)
{
    struct strbuf text = {0};
    enum heddle_status status = HEDDLE_OK;
    int error = strbuf_read_file(&text, path);
    if (error == ENOENT) {
        output_error("%s launched no kernel", workload);
        status = HEDDLE_ENVIRONMENT;
    } else if (error != 0) {
        output_error("%s: %s", path, strerror(error));
        status = HEDDLE_ENVIRONMENT;
    }
    char *save = NULL;
    for (char *line = text.len ? strtok_r(text.text, "\n", &save) : NULL;
         line && status == HEDDLE_OK; line = strtok_r(NULL, "\n", &save)) {
        struct json_input in = {0};
        status = json_input_parse(&in, path, line);
        if (status == HEDDLE_OK)
            take_launch(rows, &in, workload, target);
        status = output_input_end(&in.diags, status);
        json_input_destroy(&in);
    }
    strbuf_destroy(&text);
    return status;
}

/* --- the runs --- */

static enum heddle_status run_workload(const struct measurement *m, const char *workload,
                                       enum hetero_target target, const char *log)
{
    struct arena arena = {0};
    struct arg_list args = {.arena = &arena};
    struct strbuf messages = {0};
    char self[PATH_MAX] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return HEDDLE_ENVIRONMENT;
    args_add_all(&args, self, "exec", "--device", "heteropdp", "--hetero-target",
                 hetero_target_names[target], "--hetero-log", log, NULL);
    if (m->gpu)
        args_add_all(&args, "--gpu", m->gpu, NULL);
    if (m->natives)
        args_add_all(&args, "--hetero-natives", m->natives, NULL);
    args_add_all(&args, "--", self, "run", workload, "--size", m->size, "--on", "opencl", "--quiet",
                 NULL);
    struct process_result r = process_run(&args, "", 0, &messages);
    bool ok = r.error == 0 && r.exit_status == 0;
    if (!ok)
        output_error("%s on the %s: %s", workload, target == HETERO_CMP ? "CMP" : "GPU",
                     messages.len ? strbuf_text(&messages) : "it failed");
    args_destroy(&args);
    strbuf_destroy(&messages);
    arena_destroy(&arena);
    return ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

/* The named workloads; without names those that are not in S3 Table 6.3 under any name. */
static bool is_measured(const struct measurement *m, const struct workload *w)
{
    for (uint32_t i = 1; i < m->workloads->n; i++)
        if (strcmp(m->workloads->items[i], w->name) == 0)
            return true;
    return m->workloads->n == 1 && !experiment_has(w);
}

static enum heddle_status check_names(const struct measurement *m)
{
    for (uint32_t i = 1; i < m->workloads->n; i++)
        if (!workload_find(m->workloads->items[i]))
            return output_unknown_workload(m->workloads->items[i]);
    return HEDDLE_OK;
}

/* What an interrupted command loses: rows are written when a target is done. */
static void set_farewell(const struct measurement *m, enum hetero_target target, uint32_t done,
                         uint32_t n)
{
    struct strbuf line = {0};
    strbuf_addf(&line,
                "heddle: interrupted: the times of %u of %u workloads on the %s are lost; %s is "
                "written when all are measured\n",
                done, n, target == HETERO_CMP ? "CMP" : "GPU", m->rows);
    output_set_farewell(strbuf_text(&line));
    strbuf_destroy(&line);
}

static enum heddle_status run_all(const struct measurement *m, enum hetero_target target,
                                  struct rows *rows)
{
    struct strbuf log = {0};
    enum heddle_status status = check_names(m);
    uint32_t done = 0, n = 0;
    strbuf_addf(&log, "%s.log", m->rows);
    for (uint32_t i = 0; i < workload_count; i++)
        n += is_measured(m, workload_list[i]);
    for (uint32_t i = 0; i < workload_count && status == HEDDLE_OK; i++) {
        const struct workload *w = workload_list[i];
        if (!is_measured(m, w))
            continue;
        set_farewell(m, target, done, n);
        output_progress("%s on the %s: %u of %u", w->name, target == HETERO_CMP ? "CMP" : "GPU",
                        ++done, n);
        unlink(strbuf_text(&log));
        status = run_workload(m, w->name, target, strbuf_text(&log));
        if (status == HEDDLE_OK)
            status = read_log(rows, strbuf_text(&log), w->name, target);
    }
    output_progress_end();
    output_set_farewell("");
    unlink(strbuf_text(&log));
    strbuf_destroy(&log);
    return status;
}

/* --- the rows --- */

static void write_rows(const struct rows *rows, struct strbuf *out)
{
    if (!out->len) {
        strbuf_add(out, "kernel,time");
        for (uint32_t f = 0; f < rows->model->n_features; f++)
            strbuf_addf(out, ",%s", rows->model->features[f]);
        strbuf_add(out, "\n");
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];
        strbuf_addf(out, "%s,%.17g", row->kernel, row->seconds / row->n);
        for (uint32_t f = 0; f < rows->model->n_features; f++)
            strbuf_addf(out, ",%.17g", row->features[f]);
        strbuf_add(out, "\n");
    }
}

static struct hetero_model *model_of_features(const struct measurement *m,
                                              enum hetero_target target)
{
    struct diag_list diags = {0};
    uint32_t i = (m->natives ? 2 : 0) + (target == HETERO_GPU ? 1 : 0);
    const struct hetero_shipped *s = &hetero_shipped_models[i];
    struct hetero_model *model = hetero_model_read(s->name, s->text, &diags);
    diag_list_destroy(&diags);
    return model;
}

/* Says what has no time; fails if nothing has one. */
static enum heddle_status check_rows(const struct rows *rows, enum hetero_target target)
{
    const char *on = target == HETERO_CMP ? "CMP" : "GPU";
    struct strbuf text = {0};
    if (rows->n_left_out) {
        strbuf_addf(&text,
                    "heddle: warning: launches left out, which failed on the %s: %u, of%.*s\n", on,
                    rows->n_left_out, (int)rows->left_out.len - 1, strbuf_text(&rows->left_out));
        output_warnings(strbuf_text(&text));
    }
    strbuf_destroy(&text);
    if (rows->n)
        return HEDDLE_OK;
    output_error("no launch has run on the %s: there is nothing to train with", on);
    return HEDDLE_ENVIRONMENT;
}

enum heddle_status hetero_measure(const struct measurement *m, enum hetero_target target)
{
    struct rows rows = {.model = model_of_features(m, target)};
    struct strbuf text = {0};
    setenv("HEDDLE_HETERO_COLD", "1", 1);
    enum heddle_status status = run_all(m, target, &rows);
    if (status == HEDDLE_OK)
        status = check_rows(&rows, target);
    if (status == HEDDLE_OK && m->natives)
        strbuf_read_file(&text, m->rows); /* if it exists */
    if (status == HEDDLE_OK) {
        write_rows(&rows, &text);
        status = output_file(m->rows, strbuf_text(&text), text.len);
    }
    hetero_model_destroy(rows.model);
    free(rows.items);
    strbuf_destroy(&rows.left_out);
    arena_destroy(&rows.arena);
    strbuf_destroy(&text);
    return status;
}
