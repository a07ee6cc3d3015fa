/* Runs workloads one after the other, each on a fresh device, and checks their results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/pick_size.h"
#include "cli/run_alone.h"
#include "cli/run_oracle.h"
#include "cli/run_rows.h"
#include "cli/run_total.h"
#include "cli/run_watch.h"
#include "lab/idle_mechanisms.h"
#include "stats/host.h"
#include "workloads/run.h"

struct job {
    const struct workload *workload;
    const struct workload_size *size;
};

struct job_list {
    struct arena arena;
    struct job *jobs;
    uint32_t n;
    struct run_rows rows;
};

static void add_job(struct job_list *list, const struct workload *w,
                    const struct workload_size *size)
{
    list->jobs[list->n++] = (struct job){w, size};
    run_rows_fit(&list->rows, w->name, size->name);
}

/* With "all", workloads that no paper ran at that size, or that have no such input, are left out,
 * if at least one has it. */
static enum heddle_status list_all(const char *size_name, struct job_list *list)
{
    bool some_have_the_size = false;
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        struct strbuf why = {0};
        const struct workload_size *size = workload_make_size(w, size_name, &list->arena, &why);
        if (size)
            add_job(list, w, size);
        some_have_the_size |= why.len > 0;
        strbuf_destroy(&why);
    }
    if (list->n)
        return HEDDLE_OK;
    if (!some_have_the_size)
        return pick_size_unknown(workload_list[0], size_name);
    output_error(
        "no workload has the size '%s'; `heddle show workload NAME` lists the inputs of one",
        size_name);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status list_one(const struct workload *w, const char *size_name,
                                   struct job_list *list)
{
    const struct workload_size *size;
    enum heddle_status status = pick_size(w, size_name, &list->arena, &size);
    if (status == HEDDLE_OK)
        add_job(list, w, size);
    return status;
}

static enum heddle_status list_jobs(const struct run_context *run, const struct text_list *names,
                                    struct job_list *list)
{
    const char *size_name = run->options->size ? run->options->size : "small";
    list->jobs = ARENA_ARRAY(&list->arena, struct job, workload_count + names->n);
    if (names->n == 1 && strcmp(names->items[0], "all") == 0)
        return list_all(size_name, list);
    for (uint32_t i = 0; i < names->n; i++) {
        const struct workload *w = workload_find(names->items[i]);
        if (!w && strcmp(names->items[i], "all") == 0) {
            output_error("'all' cannot be combined with other workloads");
            return HEDDLE_BAD_INPUT;
        }
        if (!w)
            return output_unknown_workload(names->items[i]);
        enum heddle_status status = list_one(w, size_name, list);
        if (status != HEDDLE_OK)
            return status;
    }
    return HEDDLE_OK;
}

static const char *verdict(const struct workload_result *r)
{
    return r->verified ? "verified, the result agrees with the reference"
           : r->ok     ? "NOT verified, the result is wrong"
                       : "NOT verified, it did not run to its end";
}

static void print_one(const struct run_context *run, const struct job *job,
                      const struct heddle_sim *sim, const struct run_watch *watch,
                      const struct run_alone *alone, const char *device,
                      const struct workload_result *r, struct strbuf *out)
{
    strbuf_addf(out, "%s (%s) on %s%s%s: %s\n", job->workload->name, job->size->name, device,
                sim ? ", " : "", sim ? run->gpu->name : "", verdict(r));
    if (!sim) {
        strbuf_addf(out, "  launches  %u\n  seconds   %.3f\n", r->launches, r->seconds);
        return;
    }
    enum run_extent extent = run_extent(sim, r->status);
    if (extent == RUN_UNKNOWN)
        return;
    run_print_extent(extent, r->status, out);
    run_watch_print_result(watch, run->options, sim, out);
    run_alone_print(alone, sim, out);
}

static void hash_text(uint64_t hash, char text[24])
{
    snprintf(text, 24, "%016" PRIx64, hash);
}

static void json_hash(struct json_writer *w, const char *name, uint64_t hash)
{
    char text[24];
    hash_text(hash, text);
    json_string(w, name, text);
}

static void json_one(const struct run_context *run, const struct job *job,
                     const struct heddle_sim *sim, const struct run_watch *watch,
                     const struct run_alone *alone, const char *device,
                     const struct workload_result *r, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_string(w, "workload", job->workload->name);
    json_string(w, "size", job->size->name);
    workload_json_inputs(job->workload, job->size, "input", w);
    json_string(w, "device", device);
    json_string(w, "heddle_version", heddle_version());
    json_uint(w, "seed", run->options->seed.value);
    json_hash(w, "input_hash", r->input_hash);
    json_hash(w, "output_hash", r->output_hash);
    json_bool(w, "verified", r->verified);
    json_string(w, "message", r->verified ? NULL : strbuf_text(&r->message));
    run_json_outcome(sim, r->status, r->ok ? NULL : strbuf_text(&r->message), w);
    json_uint(w, "launches", r->launches);
    json_double(w, "seconds", r->seconds);
    json_double(w, "reference_seconds", r->reference_seconds);
    if (sim) {
        run_json_machine(run, w);
    } else {
        json_null(w, "gpu");
        json_null(w, "mode");
    }
    bool has_stats = run_extent(sim, r->status) != RUN_UNKNOWN;
    run_json_stats(has_stats ? sim : NULL, &watch->locality, w);
    run_json_kernels(has_stats ? sim : NULL, w);
    if (has_stats)
        run_watch_json(watch, run->options, w);
    if (has_stats && sim)
        run_alone_json(alone, sim, w);
    json_end_object(w);
}

/* What to print for each job, and where it is collected. */
struct printer {
    const struct run_context *run;
    struct job_list *jobs;
    bool as_rows, has_atomics, has_failed; /* over all results so far */
    struct run_alone alone;                /* the programs of a mix alone */
    struct json_writer json;
    struct strbuf text; /* JSON until the end, text until it is written */
};

static enum heddle_status print_result(struct printer *p, const struct job *job,
                                       const struct heddle_sim *sim, const struct run_watch *watch,
                                       const char *device, const struct workload_result *r)
{
    if (p->run->options->json) {
        json_one(p->run, job, sim, watch, &p->alone, device, r, &p->json);
        return HEDDLE_OK;
    }
    if (!r->verified)
        run_print_error(
            p->run->options,
            arena_printf(&p->jobs->arena, "%s (%s)", job->workload->name, job->size->name),
            strbuf_text(&r->message));
    if (p->run->options->quiet)
        return HEDDLE_OK;
    if (p->as_rows)
        run_rows_add(&p->jobs->rows, job->workload->name, job->size->name, r->ok ? sim : NULL, r,
                     &p->text);
    else
        print_one(p->run, job, sim, watch, &p->alone, device, r, &p->text);
    return output_take(&p->text);
}

/* The device that the options request, and the simulation behind it unless it is an OpenCL device;
 * reports a failure. Destroy both in any case. */
static enum heddle_status create_device(const struct run_context *run, struct run_watch *watch,
                                        struct heddle_sim **sim, struct device **device)
{
    const char *on = run->options->on;
    if (!run_is_on_opencl(run->options)) {
        enum heddle_status status = run_create_sim(run, &watch->attribution, sim);
        if (status == HEDDLE_OK)
            *device = device_create_heddle(*sim);
        return status;
    }
    *device = device_create_opencl(on[6] == ':' ? on + 7 : NULL);
    if (device_ok(*device))
        return HEDDLE_OK;
    output_error("%s", device_error(*device));
    return HEDDLE_ENVIRONMENT;
}

/* What a replay cannot know by itself. */
static void note_origin(struct run_watch *watch, const struct job *job, uint64_t seed,
                        const struct workload_result *r)
{
    char text[24];
    run_watch_note(watch, "workload", job->workload->name);
    run_watch_note(watch, "size", job->size->name);
    snprintf(text, sizeof text, "%" PRIu64, seed);
    run_watch_note(watch, "seed", text);
    hash_text(r->input_hash, text);
    run_watch_note(watch, "input_hash", text);
}

static bool oracle_is_of_run(const struct heddle_sim *sim, const struct workload_result *r)
{
    char hash[24];
    hash_text(r->input_hash, hash);
    output_progress_end();
    return run_oracle_check(sim, hash) == HEDDLE_OK;
}

static enum heddle_status run_on(struct printer *p, const struct job *job, struct heddle_sim *sim,
                                 struct device *device, struct run_watch *watch)
{
    struct workload_result result = {0};
    enum heddle_status status = HEDDLE_OK;
    if (sim)
        status = run_watch_begin(watch, p->run->options, sim,
                                 arena_printf(&p->jobs->arena, "%s, %s, seed %llu",
                                              job->workload->name, job->size->name,
                                              (unsigned long long)p->run->options->seed.value));
    if (status != HEDDLE_OK)
        return status;
    const struct run_spectator *spectator = p->run->spectator;
    if (spectator)
        spectator->begin(spectator->user, sim);
    struct run_total total = {0};
    if (sim && !spectator)
        run_total_begin(&total, p->run, job->workload, job->size);
    p->run->progress->total = &total;
    workload_run(job->workload, job->size, p->run->options->seed.value, device, &result);
    p->run->progress->total = NULL;
    run_total_end(&total);
    status = result.status;
    if (spectator && status == HEDDLE_OK)
        spectator->end(spectator->user, sim);
    note_origin(watch, job, p->run->options->seed.value, &result);
    if (sim && result.ok && !oracle_is_of_run(sim, &result)) {
        workload_result_destroy(&result);
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status watched =
        sim ? run_watch_end(watch, run_extent(sim, result.status)) : HEDDLE_OK;
    enum heddle_status printed = print_result(p, job, sim, watch, device_name(device), &result);
    if (sim && !spectator)
        output_warnings(heddle_warnings(sim));
    p->has_atomics |= sim && idle_mechanisms_has_atomics(sim);
    p->has_failed |= status != HEDDLE_OK;
    status = run_check_stale(p->run->options, sim, status);
    workload_result_destroy(&result);
    printed = printed == HEDDLE_OK ? watched : printed;
    return printed == HEDDLE_OK ? status : printed;
}

static enum heddle_status run_job(struct printer *p, const struct job *job)
{
    struct heddle_sim *sim = NULL;
    struct device *device = NULL;
    struct run_watch watch = {0};
    enum heddle_status status = HEDDLE_OK;
    if (p->run->options->alone)
        status = run_alone_measure(p->run, job->workload, job->size, &p->alone);
    if (status == HEDDLE_OK)
        status = create_device(p->run, &watch, &sim, &device);
    if (status == HEDDLE_OK)
        status = run_on(p, job, sim, device, &watch);
    run_watch_destroy(&watch);
    device_destroy(device);
    heddle_destroy(sim);
    return status;
}

static enum heddle_status run_all_jobs(struct printer *p)
{
    enum heddle_status worst = HEDDLE_OK;
    const struct job_list *list = p->jobs;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = list->jobs[i].workload->name;
        p->run->progress->title =
            list->n == 1 ? name : arena_printf(&p->jobs->arena, "[%u/%u] %s", i + 1, list->n, name);
        if (!p->run->options->quiet)
            output_progress("%s", p->run->progress->title);
        enum heddle_status status = run_job(p, &list->jobs[i]);
        worst = worst < status ? status : worst;
        if (status == HEDDLE_ENVIRONMENT || output_is_asked_to_stop())
            break; /* the others would fail in the same way, or are not wanted any more */
    }
    output_progress_end();
    return worst;
}

/* Several results form a table, row by row, or one JSON list at the end. */
static enum heddle_status print_begin(struct printer *p)
{
    const struct run_options *o = p->run->options;
    if (!p->as_rows || (o->quiet && !o->json))
        return HEDDLE_OK;
    if (o->json) {
        json_begin_array(&p->json, NULL);
        return HEDDLE_OK;
    }
    run_rows_titles(&p->jobs->rows, &p->text);
    return output_take(&p->text);
}

static enum heddle_status print_end(struct printer *p)
{
    if (p->run->options->json && p->as_rows)
        json_end_array(&p->json);
    return output_take(&p->text);
}

enum heddle_status run_workloads(const struct run_context *run, const struct text_list *names)
{
    bool is_timed = !run->options->functional && !run_is_on_opencl(run->options);
    struct job_list jobs = {.rows = {.is_timed = is_timed}};
    struct printer p = {.run = run, .jobs = &jobs};
    p.json.out = &p.text;
    p.as_rows = names->n > 1 || strcmp(names->items[0], "all") == 0;
    enum heddle_status status = list_jobs(run, names, &jobs);
    if (status == HEDDLE_OK)
        status = print_begin(&p);
    if (status == HEDDLE_OK) {
        status = run_all_jobs(&p);
        enum heddle_status printed = print_end(&p);
        status = printed == HEDDLE_OK ? status : printed;
        if (!run->spectator)
            run_warn_of_no_atomics(run, p.has_atomics || p.has_failed);
    }
    strbuf_destroy(&p.text);
    arena_destroy(&jobs.arena);
    return status;
}
