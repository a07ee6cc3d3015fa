/* Where a launch goes: features, predictions, slowdowns of natives, the choice, its record. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "hetero/features.h"
#include "hetero/model.h"
#include "icd/hetero.h"
#include "icd/hetero_usage.h"
#include "icd/launch_log.h"
#include "lab/hetero_setting.h"
#include "ptx/ptx.h"

enum scenario { ALONE, CO_LOCATED, N_SCENARIOS };
static const char *const scenario_names[N_SCENARIOS] = {"alone", "co-located"};
const char *const hetero_mode_names[N_HETERO_MODES] = {"predict", "cmp", "gpu", "alternate"};

struct hetero_policy {
    enum hetero_mode mode;
    struct hetero_model *models[N_SCENARIOS][HETERO_N_TARGETS];
    struct json_input input; /* holds what the setting points to */
    struct hetero_setting setting;
    struct usage_meter *usage;
    uint64_t n_choices;
    bool has_warned; /* of features that cannot be counted */
};

/* --- models --- */

/* What a model may ask for besides the features of a kernel. */
static const char *const machine_features[] = {"llc_misses", "dram_bandwidth"};

static uint32_t feature_number(const char *name)
{
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        if (strcmp(hetero_features[f].name, name) == 0)
            return f;
    for (uint32_t i = 0; i < 2; i++)
        if (strcmp(machine_features[i], name) == 0)
            return HETERO_N_FEATURES + i;
    return HETERO_NO_FEATURE;
}

static struct hetero_model *read_model(const char *path, const char *text, struct strbuf *error)
{
    struct diag_list diags = {0};
    struct hetero_model *m = hetero_model_read(path, text, &diags);
    if (!m)
        diag_format(&diags, error);
    for (uint32_t i = 0; m && i < m->n_features; i++)
        if (feature_number(m->features[i]) == HETERO_NO_FEATURE) {
            strbuf_addf(error, "%s: there is no feature '%s'\n", path, m->features[i]);
            hetero_model_destroy(m);
            m = NULL;
        }
    diag_list_destroy(&diags);
    return m;
}

static const char *shipped(enum hetero_target target, enum scenario s)
{
    struct strbuf name = {0};
    const char *text = NULL;
    strbuf_addf(&name, "%s-%s", target == HETERO_CMP ? "i7-3770" : "s9150", scenario_names[s]);
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++)
        if (strcmp(hetero_shipped_models[i].name, strbuf_text(&name)) == 0)
            text = hetero_shipped_models[i].text;
    strbuf_destroy(&name);
    return text;
}

/* FOLDER/cmp-alone.model and so on. A missing co-located model is the one of the kernel alone. */
static bool read_folder(struct hetero_policy *p, const char *folder, struct strbuf *error)
{
    for (int s = 0; s < N_SCENARIOS; s++)
        for (int t = 0; t < HETERO_N_TARGETS; t++) {
            struct strbuf path = {0}, text = {0};
            strbuf_addf(&path, "%s/%s-%s.model", folder, hetero_target_names[t], scenario_names[s]);
            int status = strbuf_read_file(&text, strbuf_text(&path));
            if (status == 0)
                p->models[s][t] = read_model(strbuf_text(&path), strbuf_text(&text), error);
            else if (s == ALONE)
                strbuf_addf(error, "%s: %s\n", strbuf_text(&path), strerror(status));
            else
                p->models[s][t] = p->models[ALONE][t];
            strbuf_destroy(&path);
            strbuf_destroy(&text);
            if (!p->models[s][t])
                return false;
        }
    return true;
}

static bool read_shipped(struct hetero_policy *p, struct strbuf *error)
{
    icd_complain("HeteroPDP: the models are those of S3's Appendix A, which know nothing of this "
                 "machine; `heddle hetero train --machine` measures it");
    for (int s = 0; s < N_SCENARIOS; s++)
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            p->models[s][t] =
                read_model("Appendix A", shipped((enum hetero_target)t, (enum scenario)s), error);
    return true;
}

struct hetero_policy *hetero_policy_new(const struct icd_settings *s, struct strbuf *error)
{
    enum { SAMPLE_US = 1000 };
    struct hetero_policy *p = xcalloc(1, sizeof *p);
    bool ok = true;
    p->mode = s->hetero_mode;
    p->setting.machine = hetero_testbed;
    if (s->hetero_natives) {
        ok = json_input_read(&p->input, s->hetero_natives) == HEDDLE_OK;
        if (ok)
            hetero_setting_read(&p->input, yaml_doc_root(&p->input.doc), &p->setting);
        ok = ok && !p->input.diags.n_errors;
        if (!ok)
            diag_format(&p->input.diags, error);
    }
    if (ok && p->mode == MODE_PREDICT)
        ok = s->hetero_models ? read_folder(p, s->hetero_models, error) : read_shipped(p, error);
    if (ok) {
        p->usage = usage_meter_new(p->setting.natives, p->setting.n_natives, SAMPLE_US);
        return p;
    }
    json_input_destroy(&p->input);
    free(p);
    return NULL;
}

/* --- features --- */

static void count_kernel(struct hetero_policy *p, const struct launch_command *l,
                         const struct target_program *program, double *features)
{
    struct hetero_counts counts = {0};
    struct strbuf why = {0};
    const char *name = l->kernel->info->name;
    const struct ptx_func *f = program->ptx ? ptx_find_func(program->ptx, name) : NULL;
    bool ok = f && hetero_count(f, &counts, &why);
    if (!ok && !p->has_warned)
        icd_complain("HeteroPDP: the instructions of kernel '%s' cannot be counted: %s", name,
                     strbuf_text(&why));
    p->has_warned |= !ok;
    for (uint32_t i = 0; i < HETERO_N_FEATURES; i++)
        features[i] = (double)counts.n[i];
    strbuf_destroy(&why);
}

/* The first argument that is this object: later ones do not count again. */
static bool is_first_use(const struct launch_command *l, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (l->objects[k] == l->objects[i])
            return false;
    return true;
}

/* Bytes of the distinct memory objects, and what would move to the GPU and back if only the host
 * had them. */
static void add_buffers(const struct launch_command *l, double *buffer, double *transfer)
{
    *buffer = *transfer = 0;
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++) {
        const struct _cl_mem *m = l->objects[i];
        enum arg_kind kind = l->kernel->info->args[i].kind;
        if (!m || kind == ARG_SAMPLER || !is_first_use(l, i))
            continue;
        bool reads = !(m->flags & CL_MEM_WRITE_ONLY);
        bool writes = launch_writes(l, i) && !(m->flags & CL_MEM_READ_ONLY);
        *buffer += (double)m->bytes;
        *transfer += (double)m->bytes * (reads + writes);
    }
}

static double work_items(const struct heddle_launch *l)
{
    double n = 1;
    for (int i = 0; i < 3; i++)
        n *= (double)l->grid[i] * l->block[i];
    return n;
}

/* --- the choice --- */

static double predict(const struct hetero_model *m, struct hetero_decision *d)
{
    double *values = xcalloc(m->n_features + 1, sizeof *values);
    const double machine[2] = {d->llc_misses, d->dram_bandwidth};
    for (uint32_t i = 0; i < m->n_features; i++) {
        uint32_t f = feature_number(m->features[i]);
        values[i] = f < HETERO_N_FEATURES ? d->features[f] : machine[f - HETERO_N_FEATURES];
    }
    double seconds = hetero_model_evaluate(m, values);
    free(values);
    if (seconds > 0)
        return seconds;
    d->n_clamped++;
    return HETERO_MIN_TIME_S;
}

static void choose(struct hetero_policy *p, double transfer, struct hetero_decision *d)
{
    const struct hetero_setting *s = &p->setting;
    struct hetero_question q = {.goal = s->goal,
                                .reference = s->reference,
                                .natives = s->natives,
                                .n_natives = s->n_natives};
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        d->alone_s[t] = q.alone_s[t] = predict(p->models[ALONE][t], d);
        if (s->n_natives)
            d->co_located_s[t] = q.co_located_s[t] = predict(p->models[CO_LOCATED][t], d);
    }
    d->pressure[HETERO_CMP] = pressure_on_cmp(&s->machine, s->rule, d->features[HETERO_THREADS],
                                              d->features[HETERO_BUFFER]);
    d->pressure[HETERO_GPU] = pressure_on_gpu(&s->machine, transfer, d->alone_s[HETERO_GPU]);
    hetero_apply_bubbles(&s->machine, d->pressure, s->natives, s->n_natives);
    d->answer = hetero_choose(&q);
    d->target = d->answer.target;
    d->reason = d->answer.reason;
    d->is_predicted = true;
}

static void choose_by_mode(struct hetero_policy *p, double transfer, struct hetero_decision *d)
{
    switch (p->mode) {
    case MODE_PREDICT:
        choose(p, transfer, d);
        return;
    case MODE_CMP:
    case MODE_GPU:
        d->target = p->mode == MODE_CMP ? HETERO_CMP : HETERO_GPU;
        d->reason = "the mode names it";
        return;
    case MODE_ALTERNATE:
    case N_HETERO_MODES:
        d->target = p->n_choices % 2 ? HETERO_GPU : HETERO_CMP;
        d->reason = "launches alternate";
        return;
    }
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin->tv_sec) + (double)(end.tv_nsec - begin->tv_nsec) / 1e9;
}

void hetero_decide(struct hetero *h, const struct launch_command *l, struct target_program *program,
                   const bool can[HETERO_N_TARGETS], struct hetero_decision *out)
{
    struct hetero_policy *p = h->policy;
    struct timespec begin;
    double transfer;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct usage usage = usage_now(p->usage);
    out->llc_misses = usage.llc_misses;
    out->dram_bandwidth = usage.dram_bandwidth;
    out->utilisation = usage.source;
    count_kernel(p, l, program, out->features);
    out->features[HETERO_THREADS] = work_items(&l->launch);
    add_buffers(l, &out->features[HETERO_BUFFER], &transfer);
    choose_by_mode(p, transfer, out);
    p->n_choices++;
    if (!can[out->target]) {
        out->target = out->target == HETERO_CMP ? HETERO_GPU : HETERO_CMP;
        out->reason = "only this target can run it";
        out->is_predicted = false;
    }
    out->microseconds = seconds_since(&begin) * 1e6;
}

/* --- the record --- */

static void write_pair(struct json_writer *w, const char *key, const double *pair)
{
    json_begin_object(w, key);
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        json_double(w, hetero_target_names[t], pair[t]);
    json_end_object(w);
}

static void write_features(struct json_writer *w, const struct hetero_decision *d)
{
    json_begin_object(w, "features");
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        json_double(w, hetero_features[f].name, d->features[f]);
    json_double(w, machine_features[0], d->llc_misses);
    json_double(w, machine_features[1], d->dram_bandwidth);
    json_end_object(w);
    json_string(w, "utilisation", d->utilisation);
}

static void write_prediction(struct json_writer *w, const struct hetero_policy *p,
                             const struct hetero_decision *d)
{
    const struct hetero_setting *s = &p->setting;
    write_pair(w, "alone", d->alone_s);
    json_uint(w, "clamped", d->n_clamped);
    if (!s->n_natives)
        return;
    write_pair(w, "co_located", d->co_located_s);
    write_pair(w, "kernel_slowdown", d->answer.kernel_slowdown[s->reference]);
    json_begin_array(w, "natives");
    for (uint32_t i = 0; i < s->n_natives; i++) {
        json_begin_object(w, NULL);
        json_string(w, "name", s->natives[i].name);
        write_pair(w, "slowdown", s->natives[i].slowdown);
        json_end_object(w);
    }
    json_end_array(w);
    json_string(w, "goal", hetero_goal_names[s->goal]);
    write_pair(w, "score", d->answer.score[s->goal]);
}

void hetero_log(const struct _cl_device_id *d, const struct launch_command *l,
                const struct hetero_decision *decision)
{
    const char *path = d->platform->settings.hetero_log;
    const struct hetero *h = d->hetero;
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    if (!path)
        return;
    json_begin_object(&w, NULL);
    json_string(&w, "kernel", l->kernel->info->name);
    json_string(&w, "target", hetero_target_names[decision->target]);
    json_string(&w, "reason", decision->reason);
    write_features(&w, decision);
    if (decision->is_predicted)
        write_prediction(&w, h->policy, decision);
    json_double(&w, "decision_us", decision->microseconds);
    json_string(&w, "ran_on", hetero_target_names[decision->ran_on]);
    json_bool(&w, "taken_over", decision->was_taken_over);
    json_int(&w, "status", decision->status);
    json_double(&w, "kernel_s", (double)decision->kernel_ns / 1e9);
    json_double(&w, "transfer_s", (double)decision->transfer_ns / 1e9);
    json_string(&w, "time", h->targets[decision->ran_on].is_simulated ? "simulated" : "real");
    json_string(&w, "device", strbuf_text(&h->targets[decision->ran_on].name));
    json_end_object(&w);
    launch_append_line(path, &text);
    strbuf_destroy(&text);
}
