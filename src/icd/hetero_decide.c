/* Where a launch runs: features, predictions, slowdowns of native programs, the decision, its
 * record. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "hetero/model_set.h"
#include "icd/hetero.h"
#include "icd/hetero_usage.h"
#include "icd/launch_log.h"
#include "lab/hetero_setting.h"

struct hetero_policy {
    enum hetero_mode mode;
    bool predicts; /* it has models */
    struct hetero_model_set models;
    struct json_input input; /* owns what the setting points to */
    struct hetero_setting setting;
    struct usage_meter *usage;
    uint64_t n_choices;
    bool has_warned; /* about features that cannot be counted */
    bool has_warned_of_natives;
};

/* --- models --- */

static bool read_shipped(struct hetero_policy *p, struct strbuf *error)
{
    icd_complain("HeteroPDP: the models are those of S3's Appendix A, which do not describe this "
                 "machine; `heddle hetero train --machine` measures it");
    return hetero_model_set_shipped(&p->models, "i7-3770", "s9150", error);
}

/* Native programs change times: without co-located models they cannot be predicted. */
static bool has_co_located(const struct hetero_policy *p, const char *folder, struct strbuf *error)
{
    bool all = true;
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        if (p->setting.n_natives &&
            p->models.of[HETERO_CO_LOCATED][t] == p->models.of[HETERO_ALONE][t]) {
            strbuf_addf(error,
                        "%s/%s-co-located.model is missing, and there are native programs: `heddle "
                        "hetero train --machine --natives FILE` makes it\n",
                        folder, hetero_target_names[t]);
            all = false;
        }
    return all;
}

static bool read_models(struct hetero_policy *p, const char *folder, struct strbuf *error)
{
    return hetero_model_set_read(&p->models, folder, error) && has_co_located(p, folder, error);
}

struct hetero_policy *hetero_policy_new(const struct icd_settings *s, struct strbuf *error)
{
    enum { SAMPLE_US = 1000 };
    struct hetero_policy *p = xcalloc(1, sizeof *p);
    bool ok = true;
    p->mode = s->hetero_mode;
    p->setting.machine = hetero_testbed;
    if (s->hetero_natives) {
        ok = hetero_natives_read(&p->input, s->hetero_natives, &p->setting) == HEDDLE_OK;
        if (!ok)
            diag_format(&p->input.diags, error);
    }
    /* Elsewhere predictions are only for the log: those of Appendix A would mean nothing. */
    p->predicts = p->mode == MODE_PREDICT || s->hetero_models;
    if (ok && p->predicts)
        ok = s->hetero_models ? read_models(p, s->hetero_models, error) : read_shipped(p, error);
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
                         struct target_program *program, double *features)
{
    const char *name = l->kernel->info->name, *why;
    const struct hetero_counts *counts = hetero_kernel_counts(program, name, &why);
    if (why && !p->has_warned)
        icd_complain("HeteroPDP: the instructions of kernel '%s' cannot be counted: %s", name, why);
    p->has_warned |= why != NULL;
    for (uint32_t i = 0; i < HETERO_N_FEATURES; i++)
        features[i] = (double)counts->n[i];
}

/* Is this the first argument with this object? Later ones do not count again. */
static bool is_first_use(const struct launch_command *l, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (l->objects[k] == l->objects[i])
            return false;
    return true;
}

/* May the kernel read or write the object, through any argument? */
static bool uses_object(const struct launch_command *l, const void *object,
                        bool (*does)(const struct launch_command *l, uint32_t i))
{
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++)
        if (l->objects[i] == object && does(l, i))
            return true;
    return false;
}

/* Bytes of the distinct memory objects, and what would be transferred to the GPU and back if only
 * the host's copies were current. */
static void add_buffers(const struct launch_command *l, double *buffer, double *transfer)
{
    *buffer = *transfer = 0;
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++) {
        const struct _cl_mem *m = l->objects[i];
        enum arg_kind kind = l->kernel->info->args[i].kind;
        if (!m || kind == ARG_SAMPLER || !is_first_use(l, i))
            continue;
        bool reads = uses_object(l, m, launch_reads);
        bool writes = uses_object(l, m, launch_writes) && !(m->flags & CL_MEM_READ_ONLY);
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

static double predict(const struct hetero_policy *p, enum hetero_scenario s, int target,
                      struct hetero_decision *d)
{
    const double system[HETERO_N_SYSTEM] = {d->llc_misses, d->dram_bandwidth};
    return hetero_predict(p->models.of[s][target], d->features, system, &d->n_clamped);
}

/* Scores that are not finite cannot be compared. */
static void ignore_natives(struct hetero_policy *p, struct hetero_question *q, const char *why)
{
    if (!p->has_warned_of_natives)
        icd_complain("HeteroPDP: %s: in such cases the shorter time alone decides, without the "
                     "native programs",
                     why);
    p->has_warned_of_natives = true;
    q->n_natives = 0;
}

static struct hetero_answer answer(struct hetero_policy *p, struct hetero_question *q)
{
    struct hetero_answer a = hetero_choose(q);
    struct strbuf why = {0};
    if (!hetero_answer_check(q, &a, &why)) {
        ignore_natives(p, q, strbuf_text(&why));
        a = hetero_choose(q);
    }
    strbuf_destroy(&why);
    return a;
}

static void predict_all(struct hetero_policy *p, struct hetero_decision *d)
{
    const struct hetero_setting *s = &p->setting;
    struct hetero_question q = {.goal = s->goal,
                                .reference = s->reference,
                                .natives = s->natives,
                                .n_natives = s->n_natives};
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        d->alone_s[t] = q.alone_s[t] = predict(p, HETERO_ALONE, t, d);
        uint32_t n_clamped = d->n_clamped;
        d->co_located_s[t] = q.co_located_s[t] = predict(p, HETERO_CO_LOCATED, t, d);
        if (!s->n_natives) /* only for the record */
            d->n_clamped = n_clamped;
    }
    d->pressure[HETERO_CMP] = pressure_on_cmp(&s->machine, s->rule, d->features[HETERO_THREADS],
                                              d->features[HETERO_BUFFER]);
    d->pressure[HETERO_GPU] = pressure_on_gpu(&s->machine, d->transfer, d->alone_s[HETERO_GPU]);
    hetero_apply_bubbles(&s->machine, d->pressure, s->natives, s->n_natives);
    d->answer = answer(p, &q);
    d->n_natives = q.n_natives;
    d->is_predicted = true;
}

static void choose_by_mode(const struct hetero_policy *p, struct hetero_decision *d)
{
    switch (p->mode) {
    case MODE_PREDICT:
        d->target = d->answer.target;
        d->reason = d->answer.reason;
        return;
    case MODE_CMP:
    case MODE_GPU:
        d->target = p->mode == MODE_CMP ? HETERO_CMP : HETERO_GPU;
        d->reason = "the mode names this target";
        return;
    case MODE_ALTERNATE:
    case N_HETERO_MODES:
        d->target = p->n_choices % 2 ? HETERO_GPU : HETERO_CMP;
        d->reason = "launches alternate";
        return;
    }
}

/* Why the other target runs what this one was chosen for. */
static const char *why_not(const struct target *t, const struct target_program *program)
{
    if (program->is_bound && program->bound_to != t->which)
        return "the program's variables are on this target";
    return t->has_failed ? "the other target has failed" : "only this target can run it";
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
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct usage usage = usage_now(p->usage);
    out->llc_misses = usage.llc_misses;
    out->dram_bandwidth = usage.dram_bandwidth;
    out->utilisation = usage.source;
    count_kernel(p, l, program, out->features);
    out->features[HETERO_THREADS] = work_items(&l->launch);
    add_buffers(l, &out->features[HETERO_BUFFER], &out->transfer);
    if (p->predicts)
        predict_all(p, out);
    choose_by_mode(p, out);
    p->n_choices++;
    if (!can[out->target]) {
        out->reason = why_not(&h->targets[out->target], program);
        out->target = out->target == HETERO_CMP ? HETERO_GPU : HETERO_CMP;
    }
    out->microseconds = seconds_since(&begin) * 1e6;
}

/* --- the record --- */

static void write_features(struct json_writer *w, const struct hetero_decision *d)
{
    json_begin_object(w, "features");
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        json_double(w, hetero_features[f].name, d->features[f]);
    json_double(w, hetero_system_names[HETERO_LLC_MISSES], d->llc_misses);
    json_double(w, hetero_system_names[HETERO_DRAM_BANDWIDTH], d->dram_bandwidth);
    json_end_object(w);
    json_double(w, "transfer", d->transfer);
    json_string(w, "utilisation", d->utilisation);
}

static void write_prediction(struct json_writer *w, const struct hetero_policy *p,
                             const struct hetero_decision *d)
{
    const struct hetero_setting *s = &p->setting;
    hetero_pair_write(w, "alone", d->alone_s);
    hetero_pair_write(w, "co_located", d->co_located_s);
    json_uint(w, "clamped", d->n_clamped);
    if (!d->n_natives)
        return;
    json_string(w, "slowdown_reference", slowdown_reference_names[s->reference]);
    hetero_pair_write(w, "kernel_slowdown", d->answer.kernel_slowdown[REFERENCE_SAME]);
    hetero_pair_write(w, "kernel_slowdown_best", d->answer.kernel_slowdown[REFERENCE_BEST]);
    hetero_pair_write(w, "kernel_speed", d->answer.kernel_speed);
    hetero_pressures_write(w, "kernel_pressure", d->pressure);
    json_begin_array(w, "natives");
    for (uint32_t i = 0; i < d->n_natives; i++)
        hetero_native_write(w, &s->natives[i]);
    json_end_array(w);
    json_string(w, "goal", hetero_goal_names[s->goal]);
    hetero_pair_write(w, "score", d->answer.score[s->goal]);
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
    json_bool(&w, "has_variables", decision->has_variables);
    json_string(&w, "ran_on", hetero_target_names[decision->ran_on]);
    json_bool(&w, "taken_over", decision->was_taken_over);
    json_int(&w, "status", decision->status);
    json_double(&w, "kernel_s", (double)decision->kernel_ns / 1e9);
    json_double(&w, "transfer_s", (double)decision->transfer_ns / 1e9);
    json_string(&w, "time", h->targets[decision->ran_on].is_simulated ? "simulated" : "real");
    json_string(&w, "device", strbuf_text(&h->targets[decision->ran_on].name));
    json_end_object(&w);
    launch_append_line(path, "the log of HeteroPDP", &text);
    strbuf_destroy(&text);
}
