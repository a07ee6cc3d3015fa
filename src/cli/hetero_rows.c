/* heddle hetero rows: training data, measured on the testbed like mixes (hetero_experiment.h). A
 * row is a kernel of a workload with one input: its features, and its time on a target. Both are
 * means over the kernel's launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/hetero_experiment.h"
#include "cli/hetero_launches.h"
#include "cli/output.h"
#include "cli/pick_size.h"
#include "hetero/model_set.h"

/* A workload with one input. */
struct input {
    const struct workload *workload;
    const struct workload_size *size;
    struct hetero_launches launches;
    uint32_t measured[HETERO_N_TARGETS]; /* simulations */
};

struct measured {
    struct input *inputs;
    uint32_t n, cap;
    uint32_t n_rows, n_known; /* added to the CMP's file, and there before */
    const char *words;        /* of the native programs, for cpu.programs */
    uint32_t sample;          /* a simulation, if there are native programs */
    struct testbed_runs runs;
};

/* --- measurements --- */

static bool is_wanted(const struct hetero_options *o, const struct workload *w)
{
    for (uint32_t i = 1; i < o->words->n; i++)
        if (strcmp(o->words->items[i], w->name) == 0)
            return true;
    return o->words->n == 1 && !experiment_has(w);
}

static enum heddle_status add_inputs(struct measured *m, const struct hetero_options *o,
                                     const struct workload *w)
{
    char *sizes = arena_strdup(&m->runs.arena, o->size ? o->size : "tiny"), *size;
    enum heddle_status status = HEDDLE_OK;
    while (status == HEDDLE_OK && (size = strsep(&sizes, ","))) {
        ARRAY_RESERVE(m->inputs, m->cap, m->n + 1);
        m->inputs[m->n] = (struct input){.workload = w};
        status = pick_size(w, size, &m->runs.arena, &m->inputs[m->n++].size);
    }
    return status;
}

static enum heddle_status list_inputs(struct measured *m, const struct hetero_options *o)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 1; i < o->words->n; i++)
        if (!workload_find(o->words->items[i]))
            return output_unknown_workload(o->words->items[i]);
    for (uint32_t i = 0; status == HEDDLE_OK && i < workload_count; i++)
        if (is_wanted(o, workload_list[i]))
            status = add_inputs(m, o, workload_list[i]);
    return status;
}

/* Native programs of the experiment by name, others as they are. */
static enum heddle_status list_natives(struct measured *m, const struct hetero_options *o)
{
    const char *names[4];
    uint32_t n;
    m->words = "";
    if (!testbed_split(o->with ? o->with : "", &m->runs.arena, names, &n))
        return HEDDLE_BAD_INPUT;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = experiment_find_native(names[i]);
        m->words =
            arena_printf(&m->runs.arena, "%s%s%s", m->words, i ? "," : "",
                         known < N_EXPERIMENT_NATIVES ? experiment_natives[known].word : names[i]);
    }
    return HEDDLE_OK;
}

static enum heddle_status find_features(struct measured *m, const struct hetero_options *o)
{
    uint64_t seed = o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED;
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++)
        status =
            hetero_watch(m->inputs[i].workload, m->inputs[i].size, seed, &m->inputs[i].launches);
    return status;
}

static enum heddle_status measure(struct measured *m, const struct hetero_options *o)
{
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < HETERO_N_TARGETS; k++)
            m->inputs[i].measured[k] =
                testbed_add(&m->runs, o,
                            &(struct testbed_point){m->inputs[i].workload, m->inputs[i].size,
                                                    hetero_target_names[k], TESTBED_ALL_LAUNCHES,
                                                    m->words, NULL});
    if (*m->words)
        m->sample = testbed_add(&m->runs, o,
                                &(struct testbed_point){.on = "gpu",
                                                        .launch = TESTBED_NO_LAUNCH,
                                                        .natives = m->words,
                                                        .setting = EXPERIMENT_SAMPLE});
    m->runs.wants_kernels = true;
    return testbed_go(&m->runs, o);
}

/* --- rows --- */

/* Over all launches of the kernel; false if an earlier row covers it. */
static bool mean_row(const struct hetero_launches *l, uint32_t first, double *threads,
                     double *buffer)
{
    double n = 0;
    *threads = *buffer = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct hetero_row *row = &l->items[i];
        if (strcmp(row->kernel, l->items[first].kernel) != 0)
            continue;
        if (i < first)
            return false;
        n += (double)row->n_launches;
        *threads += (double)row->n_launches * (double)row->threads;
        *buffer += (double)row->n_launches * (double)row->buffer;
    }
    *threads /= n;
    *buffer /= n;
    return true;
}

/* LLC misses per second and 10^9 bytes of DRAM per second, of the native programs before a
 * launch. */
static double system_feature(const struct measured *m, const char *name)
{
    const struct testbed_runs *t = &m->runs;
    if (strcmp(name, hetero_system_names[HETERO_LLC_MISSES]) == 0)
        return testbed_stat(t, m->sample, "testbed.sample_llc_misses") * 1e6 / EXPERIMENT_SAMPLE_US;
    return testbed_stat(t, m->sample, "testbed.sample_dram_bytes") * 1e-3 / EXPERIMENT_SAMPLE_US;
}

static double feature_of(const struct measured *m, const struct hetero_row *r, double threads,
                         double buffer, const char *name)
{
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        if (strcmp(hetero_features[f].name, name) == 0)
            return f == HETERO_THREADS  ? threads
                   : f == HETERO_BUFFER ? buffer
                                        : (double)r->counts.n[f];
    return system_feature(m, name);
}

static bool has_line(const struct strbuf *text, const struct strbuf *line)
{
    const char *at = strbuf_text(text);
    while ((at = strstr(at, strbuf_text(line))) && at > text->text && at[-1] != '\n')
        at++;
    return at;
}

static void write_row(struct measured *m, uint32_t target, const struct strbuf *line,
                      struct strbuf *out)
{
    bool is_known = has_line(out, line);
    if (!is_known)
        strbuf_add(out, strbuf_text(line));
    m->n_rows += target == HETERO_CMP && !is_known;
    m->n_known += target == HETERO_CMP && is_known;
}

static void write_input(struct measured *m, const struct input *in, uint32_t target,
                        const struct hetero_model *model, struct strbuf *out)
{
    for (uint32_t i = 0; i < in->launches.n; i++) {
        const struct hetero_row *r = &in->launches.items[i];
        double threads, buffer;
        double seconds = testbed_kernel_seconds(&m->runs, in->measured[target], r->kernel);
        if (!mean_row(&in->launches, i, &threads, &buffer) || !(seconds > 0))
            continue;
        struct strbuf line = {0};
        strbuf_addf(&line, "%s/%s,%.17g", in->workload->name, r->kernel, seconds);
        for (uint32_t f = 0; f < model->n_features; f++)
            strbuf_addf(&line, ",%.17g", feature_of(m, r, threads, buffer, model->features[f]));
        strbuf_add(&line, "\n");
        write_row(m, target, &line, out);
        strbuf_destroy(&line);
    }
}

/* False if a file that is there has other columns. */
static bool write_rows(struct measured *m, uint32_t target, const struct hetero_model *model,
                       struct strbuf *out)
{
    struct strbuf header = {0};
    strbuf_add(&header, "kernel,time");
    for (uint32_t f = 0; f < model->n_features; f++)
        strbuf_addf(&header, ",%s", model->features[f]);
    strbuf_add(&header, "\n");
    bool fits =
        !out->len || strncmp(strbuf_text(out), strbuf_text(&header), strlen(header.text)) == 0;
    if (!out->len)
        strbuf_add(out, strbuf_text(&header));
    else if (out->text[out->len - 1] != '\n')
        strbuf_add(out, "\n");
    for (uint32_t i = 0; fits && i < m->n; i++)
        write_input(m, &m->inputs[i], target, model, out);
    strbuf_destroy(&header);
    return fits;
}

/* The features are those of S3's table for the target. */
static enum heddle_status write_file(struct measured *m, uint32_t target, const char *folder)
{
    struct strbuf path = {0}, text = {0};
    struct diag_list diags = {0};
    const struct hetero_shipped *s = &hetero_shipped_models[(*m->words ? 2 : 0) + target];
    struct hetero_model *model = hetero_model_read(s->name, s->text, &diags);
    strbuf_addf(&path, "%s/%s-%s.csv", folder, hetero_target_names[target],
                hetero_scenario_names[*m->words ? HETERO_CO_LOCATED : HETERO_ALONE]);
    strbuf_read_file(&text, strbuf_text(&path)); /* if it exists, its rows are kept */
    enum heddle_status status = HEDDLE_BAD_INPUT;
    if (write_rows(m, target, model, &text))
        status = output_file(strbuf_text(&path), strbuf_text(&text), text.len);
    else
        output_error("%s has other columns than this command writes", strbuf_text(&path));
    hetero_model_destroy(model);
    diag_list_destroy(&diags);
    strbuf_destroy(&path);
    strbuf_destroy(&text);
    return status;
}

static void print_json(const struct measured *m, const char *folder, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "folder", folder);
    json_string(&w, "scenario",
                hetero_scenario_names[*m->words ? HETERO_CO_LOCATED : HETERO_ALONE]);
    json_uint(&w, "rows", m->n_rows);
    json_uint(&w, "known", m->n_known);
    json_end_object(&w);
}

static void destroy(struct measured *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        hetero_launches_destroy(&m->inputs[i].launches);
    free(m->inputs);
    testbed_destroy(&m->runs);
}

enum heddle_status hetero_cmd_rows(const struct hetero_options *o, const char *first,
                                   struct strbuf *out)
{
    struct measured m = {0};
    (void)first;
    if (!o->out) {
        output_error("heddle hetero rows needs --out FOLDER");
        return HEDDLE_BAD_INPUT;
    }
    struct hetero_options with = experiment_options(o, &m.runs.arena);
    enum heddle_status status = hetero_make_folder(o->out);
    if (status == HEDDLE_OK)
        status = list_natives(&m, o);
    if (status == HEDDLE_OK)
        status = list_inputs(&m, o);
    if (status == HEDDLE_OK)
        status = find_features(&m, o);
    if (status == HEDDLE_OK)
        status = measure(&m, &with);
    for (uint32_t k = 0; status == HEDDLE_OK && k < HETERO_N_TARGETS; k++)
        status = write_file(&m, k, o->out);
    if (status == HEDDLE_OK && o->json)
        print_json(&m, o->out, out);
    else if (status == HEDDLE_OK)
        strbuf_addf(out, "CMP and GPU, %s: rows added to %s: %u each, there before: %u\n",
                    *m.words ? "beside natives" : "alone", o->out, m.n_rows, m.n_known);
    destroy(&m);
    return status;
}
