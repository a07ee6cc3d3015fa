/* heddle hetero choose: where a kernel should run, with all intermediate numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "cli/hetero.h"
#include "cli/output.h"
#include "cli/table.h"
#include "hetero/model.h"
#include "lab/hetero_setting.h"

/* The file's question, and the answer. */
struct choice {
    const char *kernel;
    struct hetero_setting setting;
    double threads, buffer, transfer;
    bool has_pressure[HETERO_N_TARGETS]; /* of the kernel; otherwise it is estimated */
    struct pressure pressure[HETERO_N_TARGETS];
    struct hetero_question question;
    struct hetero_answer answer;
    uint32_t n_clamped;
    double microseconds;
};

/* --- Reading --- */

static const char *const top_keys[] = {
    HETERO_SETTING_KEYS, "kernel", "alone",    "co_located",
    "threads",           "buffer", "transfer", "pressure",
};

/* Predicted times may be negative: they are clamped and counted. */
static void read_times(struct json_input *in, yaml_node_t *map, const char *key, struct choice *c,
                       double *out)
{
    if (!hetero_pair_read(in, map, key, out))
        yaml_complain(&in->doc, map, NULL, "'%s' is missing here: {\"cmp\": S, \"gpu\": S}", key);
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        if (out[t] <= 0) {
            out[t] = HETERO_MIN_TIME_S;
            c->n_clamped++;
        }
}

static void read_kernel_pressure(struct json_input *in, yaml_node_t *root, struct choice *c)
{
    yaml_node_t *pair = yaml_find(&in->doc, root, "pressure");
    if (!pair)
        return;
    if (pair->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, pair, NULL, "expected an object with 'cmp' and 'gpu'");
        return;
    }
    HETERO_CHECK_KEYS(in, pair, hetero_target_names);
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        yaml_node_t *n = yaml_find(&in->doc, pair, hetero_target_names[t]);
        c->has_pressure[t] = n != NULL;
        if (n)
            hetero_pressure_read(in, n, &c->pressure[t]);
    }
}

/* What the pressures that the file does not have are estimated from. */
static void read_estimates(struct json_input *in, yaml_node_t *root, struct choice *c)
{
    bool needs_cmp = c->setting.uses_tables && !c->has_pressure[HETERO_CMP];
    bool needs_gpu = c->setting.uses_tables && !c->has_pressure[HETERO_GPU];
    if (needs_cmp && json_input_need(in, root, "threads", &c->threads))
        json_input_positive(in, root, "threads", &c->threads);
    if (needs_cmp && json_input_need(in, root, "buffer", &c->buffer))
        json_input_not_negative(in, root, "buffer", &c->buffer);
    if (needs_gpu && json_input_need(in, root, "transfer", &c->transfer))
        json_input_not_negative(in, root, "transfer", &c->transfer);
}

static void read_choice(struct json_input *in, struct choice *c)
{
    yaml_node_t *root = yaml_doc_root(&in->doc);
    struct hetero_question *q = &c->question;
    if (root->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, root, NULL, "expected an object: one choice per file");
        return;
    }
    HETERO_CHECK_KEYS(in, root, top_keys);
    yaml_node_t *kernel = yaml_find(&in->doc, root, "kernel");
    c->kernel = kernel ? yaml_scalar(&in->doc, kernel, "a name") : NULL;
    hetero_setting_read(in, root, &c->setting);
    q->goal = c->setting.goal;
    q->reference = c->setting.reference;
    q->natives = c->setting.natives;
    q->n_natives = c->setting.n_natives;
    read_kernel_pressure(in, root, c);
    read_times(in, root, "alone", c, q->alone_s);
    if (q->n_natives)
        read_times(in, root, "co_located", c, q->co_located_s);
    read_estimates(in, root, c);
}

/* --weight replaces the weights of the file. */
static enum heddle_status set_weights(struct hetero_question *q, const struct text_list *weights)
{
    if (weights->n && !q->n_natives) {
        output_error("--weight has no meaning: there are no native programs");
        return HEDDLE_BAD_INPUT;
    }
    if (weights->n > 1 && weights->n != q->n_natives) {
        output_error("--weight is given %u times for %u native programs: give one weight for all, "
                     "or one for each",
                     weights->n, q->n_natives);
        return HEDDLE_BAD_INPUT;
    }
    for (uint32_t i = 0; i < weights->n; i++) {
        char *end;
        double weight = strtod(weights->items[i], &end);
        if (*end || !isfinite(weight) || !(weight > 0)) {
            output_error("--weight %s: expected a number above 0", weights->items[i]);
            return HEDDLE_BAD_INPUT;
        }
        for (uint32_t k = 0; k < q->n_natives; k++)
            if (weights->n == 1 || k == i)
                q->natives[k].weight = weight;
    }
    return HEDDLE_OK;
}

/* --- Deciding --- */

static enum heddle_status check_answer(const struct choice *c, const char *path)
{
    struct strbuf why = {0};
    bool ok = hetero_answer_check(&c->question, &c->answer, &why);
    if (!ok)
        output_error("%s: %s", path, strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status decide(struct choice *c, const char *path)
{
    struct timespec begin, end;
    struct hetero_question *q = &c->question;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (c->setting.uses_tables && !c->has_pressure[HETERO_CMP])
        c->pressure[HETERO_CMP] =
            pressure_on_cmp(&c->setting.machine, c->setting.rule, c->threads, c->buffer);
    if (c->setting.uses_tables && !c->has_pressure[HETERO_GPU])
        c->pressure[HETERO_GPU] =
            pressure_on_gpu(&c->setting.machine, c->transfer, q->alone_s[HETERO_GPU]);
    hetero_apply_bubbles(&c->setting.machine, c->pressure, q->natives, q->n_natives);
    c->answer = hetero_choose(q);
    clock_gettime(CLOCK_MONOTONIC, &end);
    c->microseconds =
        (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
    return check_answer(c, path);
}

/* --- Printing --- */

static void print_json(const struct choice *c, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    const struct hetero_question *q = &c->question;
    const struct hetero_answer *a = &c->answer;
    json_begin_object(&w, NULL);
    json_string(&w, "kernel", c->kernel);
    json_string(&w, "target", hetero_target_names[a->target]);
    json_string(&w, "reason", a->reason);
    json_string(&w, "goal", hetero_goal_names[q->goal]);
    hetero_pair_write(&w, "alone", q->alone_s);
    json_uint(&w, "clamped", c->n_clamped);
    if (q->n_natives) {
        hetero_pair_write(&w, "co_located", q->co_located_s);
        json_string(&w, "slowdown_reference", slowdown_reference_names[q->reference]);
        for (int r = 0; r < N_REFERENCES; r++)
            hetero_pair_write(&w, r == REFERENCE_SAME ? "kernel_slowdown" : "kernel_slowdown_best",
                              a->kernel_slowdown[r]);
        hetero_pair_write(&w, "kernel_speed", a->kernel_speed);
        if (c->setting.uses_tables)
            hetero_pressures_write(&w, "kernel_pressure", c->pressure);
        json_begin_array(&w, "natives");
        for (uint32_t i = 0; i < q->n_natives; i++)
            hetero_native_write(&w, &q->natives[i]);
        json_end_array(&w);
        for (int g = 0; g < N_GOALS; g++)
            hetero_pair_write(&w, hetero_goal_names[g], a->score[g]);
        json_double(&w, "fairness_ratio", a->fairness_ratio);
    }
    json_double(&w, "microseconds", c->microseconds);
    json_end_object(&w);
}

static void add_row(struct table *t, const char *what, const double *pair)
{
    table_cell(t, "%s", what);
    for (int k = 0; k < HETERO_N_TARGETS; k++)
        table_cell(t, "%.6g", pair[k]);
}

static void print_text(const struct choice *c, struct strbuf *out)
{
    static const char *const titles[] = {"", "CMP", "GPU"};
    struct table t = {.titles = titles, .n_columns = 3, .right = "lrr"};
    const struct hetero_question *q = &c->question;
    const struct hetero_answer *a = &c->answer;
    strbuf_addf(out, "%s%s%s: %s\n", c->kernel ? c->kernel : "", c->kernel ? " -> " : "",
                a->target == HETERO_CMP ? "CMP" : "GPU", a->reason);
    add_row(&t, "time alone, s", q->alone_s);
    if (q->n_natives) {
        add_row(&t, "time co-located, s", q->co_located_s);
        add_row(&t, "slowdown of the kernel", a->kernel_slowdown[REFERENCE_SAME]);
        add_row(&t, "... relative to the faster target", a->kernel_slowdown[REFERENCE_BEST]);
        for (uint32_t i = 0; i < q->n_natives; i++) {
            struct strbuf what = {0};
            strbuf_addf(&what, "slowdown of %s, weight %g",
                        q->natives[i].name ? q->natives[i].name : "a native", q->natives[i].weight);
            add_row(&t, strbuf_text(&what), q->natives[i].slowdown);
            strbuf_destroy(&what);
        }
        for (int g = 0; g < N_GOALS; g++) {
            struct strbuf what = {0};
            strbuf_addf(&what, "%s%s", hetero_goal_names[g],
                        g == (int)q->goal ? " (the goal)" : "");
            add_row(&t, strbuf_text(&what), a->score[g]);
            strbuf_destroy(&what);
        }
    }
    table_print(&t, out);
    table_destroy(&t);
    if (q->n_natives)
        strbuf_addf(out, "fairness ratio CMP / GPU %.6g\n", a->fairness_ratio);
    if (c->n_clamped)
        strbuf_addf(out, "times that were not positive: %u; %g s is used instead\n", c->n_clamped,
                    HETERO_MIN_TIME_S);
}

enum heddle_status hetero_cmd_choose(const struct hetero_options *o, const char *path,
                                     struct strbuf *out)
{
    struct json_input in = {0};
    struct choice c = {0};
    enum heddle_status status = json_input_read(&in, path);
    if (status == HEDDLE_OK)
        read_choice(&in, &c);
    status = output_input_end(&in.diags, status);
    if (status == HEDDLE_OK)
        status = set_weights(&c.question, &o->weights);
    if (status == HEDDLE_OK)
        status = decide(&c, path);
    if (status == HEDDLE_OK && o->json)
        print_json(&c, out);
    else if (status == HEDDLE_OK)
        print_text(&c, out);
    json_input_destroy(&in);
    return status;
}
