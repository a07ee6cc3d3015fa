#include "cli/run_alone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mix_metrics.h"
#include "cli/output.h"
#include "cli/run_attribution.h"

/* The machine of the mix, with that program on its first core and lru as the only policy. */
static struct text_list settings_of(const struct run_context *run, const char *programs)
{
    struct text_list list = {0};
    ARRAY_RESERVE(list.items, list.cap, run->settings.n + 2);
    for (uint32_t i = 0; i < run->settings.n; i++)
        if (strncmp(run->settings.items[i], "l2.policy.", strlen("l2.policy.")) != 0)
            list.items[list.n++] = run->settings.items[i];
    list.items[list.n++] = "l2.policy=lru";
    list.items[list.n++] = programs;
    return list;
}

static double stat_of(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    return heddle_stat_find(sim, name, &s) ? s.real : 0;
}

/* `w` NULL = CPU programs alone. */
static enum heddle_status measure(const struct run_context *run, const char *programs,
                                  const struct workload *w, const struct workload_size *size,
                                  double *ipc)
{
    struct run_attribution attribution = {0};
    struct run_context alone = *run;
    struct heddle_sim *sim = NULL;
    alone.settings = settings_of(run, programs);
    enum heddle_status status = run_create_sim(&alone, &attribution, &sim);
    if (status == HEDDLE_OK && w) {
        struct workload_result result = {0};
        struct device *d = device_create_heddle(sim);
        workload_run(w, size, run->options->seed.value, d, &result);
        status = result.status;
        if (status != HEDDLE_OK)
            run_print_error(run->options, w->name, strbuf_text(&result.message));
        workload_result_destroy(&result);
        device_destroy(d);
    } else if (status == HEDDLE_OK) {
        status = heddle_finish(sim);
        if (status != HEDDLE_OK)
            output_failure(heddle_error(sim));
    }
    *ipc = status == HEDDLE_OK ? stat_of(sim, w ? "ipc" : "cpu0.ipc") : 0;
    heddle_destroy(sim);
    free(alone.settings.items);
    return status;
}

enum heddle_status run_alone_measure(const struct run_context *run, const struct workload *w,
                                     const struct workload_size *size, struct run_alone *out)
{
    const struct cpu_programs *p = &run->machine->cpu_programs;
    const char *title = run->progress->title;
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i <= p->n; i++) {
        struct strbuf programs = {0};
        strbuf_addf(&programs, "cpu.programs=%s", i < p->n ? p->names[i] : "");
        run->progress->title = i < p->n ? p->names[i] : w->name;
        status = measure(run, strbuf_text(&programs), i < p->n ? NULL : w, size, &out->ipc[i]);
        strbuf_destroy(&programs);
    }
    run->progress->title = title;
    out->n = status == HEDDLE_OK ? p->n + 1 : 0;
    return status;
}

static void find_ratios(const struct run_alone *a, const struct heddle_sim *sim, double *ratios)
{
    for (uint32_t i = 0; i < a->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "cpu%u.ipc", i);
        double ipc = stat_of(sim, i + 1 < a->n ? name : "ipc");
        ratios[i] = a->ipc[i] > 0 ? ipc / a->ipc[i] : 0;
    }
}

void run_alone_print(const struct run_alone *a, const struct heddle_sim *sim, struct strbuf *out)
{
    double ratios[MACHINE_MAX_CPUS + 1];
    if (!a->n)
        return;
    find_ratios(a, sim, ratios);
    for (uint32_t i = 0; i < a->n; i++) {
        if (i + 1 < a->n)
            strbuf_addf(out, "  cpu%u", i);
        else
            strbuf_add(out, "  gpu ");
        strbuf_addf(out, "  IPC alone %.3f, in the mix %.3f of that\n", a->ipc[i], ratios[i]);
    }
    strbuf_addf(out, "  weighted speedup %.3f of %u, fairness %.3f\n",
                mix_weighted_speedup(ratios, a->n), a->n, mix_fairness(ratios, a->n));
}

void run_alone_json(const struct run_alone *a, const struct heddle_sim *sim, struct json_writer *w)
{
    double ratios[MACHINE_MAX_CPUS + 1];
    if (!a->n)
        return;
    find_ratios(a, sim, ratios);
    json_begin_object(w, "mix");
    json_begin_array(w, "ipc_alone");
    for (uint32_t i = 0; i < a->n; i++)
        json_double(w, NULL, a->ipc[i]);
    json_end_array(w);
    json_double(w, "weighted_speedup", mix_weighted_speedup(ratios, a->n));
    json_double(w, "fairness", mix_fairness(ratios, a->n));
    json_end_object(w);
}
