/* heddle hetero rows: training data, measured on the testbed. A row is the launch of a workload
 * that takes longest on the CMP: its features, and its time on a target. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hetero_testbed.h"
#include "cli/output.h"
#include "cli/pick_size.h"
#include "cli/ptx_load.h"
#include "hetero/features.h"
#include "hetero/model.h"
#include "workloads/run.h"

enum { N_TARGETS = 2 };
static const char *const targets[N_TARGETS] = {"cmp", "gpu"};

struct row {
    const struct workload *workload;
    const struct workload_size *size;
    uint32_t launch; /* that is measured */
    char kernel[128];
    uint64_t threads, buffer;
    struct hetero_counts counts;
    uint32_t measured[N_TARGETS]; /* simulations */
};

struct measured {
    struct row *rows;
    uint32_t n;
    const char *natives;
    uint32_t natives_alone; /* a simulation, if there are some */
    struct testbed_runs runs;
};

/* --- what is measured --- */

/* Those that were named, else those that S3 Table 6.3 does not have. */
static bool is_wanted(const struct hetero_options *o, const struct workload *w)
{
    for (uint32_t i = 1; i < o->words->n; i++)
        if (strcmp(o->words->items[i], w->name) == 0)
            return true;
    return o->words->n == 1 && !w->categories.s3_ch6;
}

static enum heddle_status list_rows(struct measured *m, const struct hetero_options *o)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 1; i < o->words->n; i++)
        if (!workload_find(o->words->items[i]))
            return output_unknown_workload(o->words->items[i]);
    m->rows = xcalloc(workload_count + 1, sizeof *m->rows);
    for (uint32_t i = 0; status == HEDDLE_OK && i < workload_count; i++) {
        struct row *r = &m->rows[m->n];
        if (!is_wanted(o, workload_list[i]))
            continue;
        r->workload = workload_list[i];
        status = pick_size(r->workload, o->size ? o->size : "tiny", &m->runs.arena, &r->size);
        m->n++;
    }
    return status;
}

static enum heddle_status find_launches(struct measured *m, const struct hetero_options *o)
{
    struct testbed_runs all = {0};
    for (uint32_t i = 0; i < m->n; i++)
        testbed_add(&all, o,
                    &(struct testbed_point){m->rows[i].workload, m->rows[i].size, "cmp",
                                            TESTBED_ALL_LAUNCHES, ""});
    enum heddle_status status = testbed_go(&all, o);
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++)
        m->rows[i].launch = (uint32_t)testbed_stat(&all, i, "testbed.longest_launch");
    testbed_destroy(&all);
    return status;
}

/* --- features --- */

struct looking {
    struct row *row;
    uint32_t n;
};

static void on_launch(void *user, const struct device_launch_info *info)
{
    struct looking *l = user;
    if (++l->n != l->row->launch)
        return;
    snprintf(l->row->kernel, sizeof l->row->kernel, "%s", info->kernel);
    l->row->threads = info->work_items;
    l->row->buffer = info->buffer_bytes;
}

/* Runs it without timing, to see what the launch is. */
static enum heddle_status watch(struct row *r, uint64_t seed)
{
    struct heddle_options options = {.struct_size = sizeof options};
    struct looking looking = {.row = r};
    struct workload_result result = {0};
    struct heddle_sim *sim = NULL;
    enum heddle_status status = heddle_create(&options, &sim);
    if (status == HEDDLE_OK) {
        struct device *d = device_create_heddle(sim);
        device_observe(d, on_launch, &looking);
        workload_run(r->workload, r->size, seed, d, &result);
        status = result.status;
        device_destroy(d);
    }
    if (status != HEDDLE_OK)
        output_error("%s: %s", r->workload->name, strbuf_text(&result.message));
    workload_result_destroy(&result);
    heddle_destroy(sim);
    return status;
}

static enum heddle_status count(struct row *r)
{
    struct ptx_module *module = NULL;
    struct diag_list diags = {0};
    struct strbuf why = {0};
    enum heddle_status status = ptx_load_opencl(r->workload->name, r->workload->source,
                                                r->workload->build_options, &module, &diags);
    if (status == HEDDLE_OK && !hetero_count(ptx_find_func(module, r->kernel), &r->counts, &why)) {
        output_error("kernel %s: %s", r->kernel, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&why);
    ptx_module_destroy(module);
    diag_list_destroy(&diags);
    return status;
}

static enum heddle_status find_features(struct measured *m, const struct hetero_options *o)
{
    uint64_t seed = o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED;
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++) {
        status = watch(&m->rows[i], seed);
        if (status == HEDDLE_OK)
            status = count(&m->rows[i]);
    }
    return status;
}

/* --- times --- */

static enum heddle_status measure(struct measured *m, const struct hetero_options *o)
{
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < N_TARGETS; k++)
            m->rows[i].measured[k] =
                testbed_add(&m->runs, o,
                            &(struct testbed_point){m->rows[i].workload, m->rows[i].size,
                                                    targets[k], m->rows[i].launch, m->natives});
    if (*m->natives)
        m->natives_alone = testbed_add(
            &m->runs, o, &(struct testbed_point){NULL, NULL, "gpu", TESTBED_NO_LAUNCH, m->natives});
    return testbed_go(&m->runs, o);
}

/* LLC misses a second and 10^9 bytes of DRAM a second, of the natives without the kernel. */
static double system_feature(const struct measured *m, const char *name)
{
    const struct testbed_runs *t = &m->runs;
    const char *names[4];
    struct arena arena = {0};
    uint32_t n;
    double misses = 0, longest = 0;
    testbed_split(m->natives, &arena, names, &n);
    for (uint32_t i = 0; i < n; i++) {
        char stat[32];
        double seconds = testbed_native_seconds(t, m->natives_alone, i);
        snprintf(stat, sizeof stat, "cpu%u.llc_misses", i);
        misses += testbed_stat(t, m->natives_alone, stat) / seconds;
        longest = seconds > longest ? seconds : longest;
    }
    arena_destroy(&arena);
    return strcmp(name, "llc_misses") == 0
               ? misses
               : 1e-9 * testbed_stat(t, m->natives_alone, "host_dram.bytes") / longest;
}

static double feature_of(const struct measured *m, const struct row *r, const char *name)
{
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        if (strcmp(hetero_features[f].name, name) == 0)
            return f == HETERO_THREADS  ? (double)r->threads
                   : f == HETERO_BUFFER ? (double)r->buffer
                                        : (double)r->counts.n[f];
    return system_feature(m, name);
}

static void write_rows(const struct measured *m, uint32_t target, const struct hetero_model *model,
                       struct strbuf *out)
{
    if (!out->len) {
        strbuf_add(out, "kernel,time");
        for (uint32_t f = 0; f < model->n_features; f++)
            strbuf_addf(out, ",%s", model->features[f]);
        strbuf_add(out, "\n");
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const struct row *r = &m->rows[i];
        strbuf_addf(out, "%s/%s,%.17g", r->workload->name, r->kernel,
                    1e-9 * testbed_stat(&m->runs, r->measured[target], "testbed.ns"));
        for (uint32_t f = 0; f < model->n_features; f++)
            strbuf_addf(out, ",%.17g", feature_of(m, r, model->features[f]));
        strbuf_add(out, "\n");
    }
}

/* The features are those of S3's table for the target. */
static enum heddle_status write_file(const struct measured *m, uint32_t target, const char *folder)
{
    struct strbuf path = {0}, text = {0};
    struct diag_list diags = {0};
    const struct hetero_shipped *s = &hetero_shipped_models[(*m->natives ? 2 : 0) + target];
    struct hetero_model *model = hetero_model_read(s->name, s->text, &diags);
    strbuf_addf(&path, "%s/%s-%s.csv", folder, targets[target],
                *m->natives ? "co-located" : "alone");
    strbuf_read_file(&text, strbuf_text(&path)); /* if there is one, its rows stay */
    write_rows(m, target, model, &text);
    enum heddle_status status = output_file(strbuf_text(&path), strbuf_text(&text), text.len);
    hetero_model_destroy(model);
    diag_list_destroy(&diags);
    strbuf_destroy(&path);
    strbuf_destroy(&text);
    return status;
}

enum heddle_status hetero_cmd_rows(const struct hetero_options *o, const char *first,
                                   struct strbuf *out)
{
    struct measured m = {.natives = o->with ? o->with : ""};
    (void)first;
    if (!o->out) {
        output_error("heddle hetero rows needs --out FOLDER");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = list_rows(&m, o);
    if (status == HEDDLE_OK)
        status = find_launches(&m, o);
    if (status == HEDDLE_OK)
        status = find_features(&m, o);
    if (status == HEDDLE_OK)
        status = measure(&m, o);
    for (uint32_t k = 0; status == HEDDLE_OK && k < N_TARGETS; k++)
        status = write_file(&m, k, o->out);
    if (status == HEDDLE_OK)
        strbuf_addf(out, "%u rows each for CMP and GPU, %s, added to %s\n", m.n,
                    *m.natives ? "beside natives" : "alone", o->out);
    testbed_destroy(&m.runs);
    free(m.rows);
    return status;
}
