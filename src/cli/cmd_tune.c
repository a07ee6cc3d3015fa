/* heddle tune: finds the best value of a mechanism's parameter by running all of them. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"
#include "gpu/machine_config.h"
#include "lab/compare.h"
#include "lab/spec.h"

struct tune_command {
    const char *store, *size, *gpu, *limits, *traces;
    struct text_list settings;
    struct given_u64 jobs;
    bool json;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct tune_command, store, "FILE",
                "the store of results; limits that it has are not run again"),
    OPTION_TEXT("size", struct tune_command, size, "SIZE",
                "input of the workload; small if not given"),
    OPTION_TEXT("gpu", struct tune_command, gpu, "GPU", "gtx480 if not given"),
    OPTION_LIST("set", struct tune_command, settings, "NAME=VALUE",
                "change a parameter of the GPU; may be repeated"),
    OPTION_TEXT("limits", struct tune_command, limits, "N,N,...",
                "limits to try; all from 1 to the warps of an SM if not given"),
    OPTION_GIVEN("jobs", struct tune_command, jobs, "N",
                 "limits to try at a time; one per processor if not given"),
    OPTION_TEXT("traces", struct tune_command, traces, "FOLDER",
                "record a trace of each workload and input there, and replay it for further points "
                "where that is exact (doc/traces.md); replayed results are not verified"),
    OPTION_FLAG("json", struct tune_command, json, "print the result as JSON"),
};

/* The experiment as a file. */
static enum heddle_status write_spec(const struct tune_command *o, const char *workload,
                                     struct strbuf *out)
{
    struct diag_list diags = {0};
    struct machine_config *c =
        machine_config_load(o->gpu, o->settings.items, o->settings.n, &diags);
    if (!c) {
        output_complaints(&diags);
        diag_list_destroy(&diags);
        return HEDDLE_BAD_INPUT;
    }
    strbuf_addf(out, "workloads: [%s]\nsize: %s\ngpus: ['%s']\nschedulers:\n  - swl: {limit: [",
                workload, o->size ? o->size : "small", o->gpu ? o->gpu : gpu_names[0]);
    if (o->limits)
        strbuf_add(out, o->limits);
    for (uint32_t i = 1; !o->limits && i <= c->gpu->warps_per_sm; i++)
        strbuf_addf(out, "%s%u", i > 1 ? ", " : "", i);
    strbuf_add(out, "]}\n");
    for (uint32_t i = 0; i < o->settings.n; i++) {
        const char *word = o->settings.items[i], *equals = strchr(word, '=');
        strbuf_addf(out, "%s%.*s: '%s'\n", i ? "  " : "set:\n  ", (int)(equals - word), word,
                    equals + 1);
    }
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    return HEDDLE_OK;
}

static double stat_of(const struct result *r, const char *name)
{
    const struct result_stat *s = result_find(r, name);
    return s ? s->value : 0;
}

/* The fewest cycles; of equals the smallest limit. */
static uint32_t find_best(const struct result_set *set)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < set->n; i++)
        if (stat_of(&set->items[i], "cycles") < stat_of(&set->items[best], "cycles"))
            best = i;
    return best;
}

static const char *limit_of(const struct point *p, struct strbuf *text)
{
    return point_coordinate(p, "scheduler.limit", text) ? strbuf_text(text) : "?";
}

static void print_table(const struct spec *spec, const struct result_set *set, struct strbuf *out)
{
    static const char *const titles[] = {" ", "limit", "cycles", "IPC", "L1D MPKI", "speed-up"};
    struct strbuf limit = {0};
    uint32_t best = find_best(set);
    double last = stat_of(&set->items[set->n - 1], "cycles");
    struct table t = {.titles = titles, .n_columns = 6, .right = "lrrrrr"};
    for (uint32_t i = 0; i < set->n; i++) {
        const struct result *r = &set->items[i];
        table_cell(&t, "%s", i == best ? "*" : "");
        table_cell(&t, "%s", limit_of(&spec->points[i], &limit));
        table_count(&t, (uint64_t)stat_of(r, "cycles"));
        table_cell(&t, "%.1f", stat_of(r, "ipc"));
        table_cell(&t, "%.2f", stat_of(r, "l1d.mpki"));
        table_cell(&t, "%.3f", last / stat_of(r, "cycles"));
    }
    table_print(&t, out);
    strbuf_addf(out, "%s (%s): the best limit is %s", spec->points[0].workload->name,
                spec->points[0].size->name, limit_of(&spec->points[best], &limit));
    if (best == set->n - 1)
        strbuf_add(out, set->n > 1 ? ", the largest one tried\n" : ", the only one tried\n");
    else
        strbuf_addf(out, ", %.3f times as fast as %s\n",
                    last / stat_of(&set->items[best], "cycles"),
                    limit_of(&spec->points[set->n - 1], &limit));
    table_destroy(&t);
    strbuf_destroy(&limit);
}

static void print_json(const struct spec *spec, const struct result_set *set, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    struct strbuf limit = {0};
    json_begin_object(&w, NULL);
    json_string(&w, "workload", spec->points[0].workload->name);
    json_string(&w, "size", spec->points[0].size->name);
    json_uint(&w, "best_limit",
              strtoull(limit_of(&spec->points[find_best(set)], &limit), NULL, 10));
    json_begin_array(&w, "limits");
    for (uint32_t i = 0; i < set->n; i++) {
        json_begin_object(&w, NULL);
        json_uint(&w, "limit", strtoull(limit_of(&spec->points[i], &limit), NULL, 10));
        json_uint(&w, "cycles", (uint64_t)stat_of(&set->items[i], "cycles"));
        json_double(&w, "ipc", stat_of(&set->items[i], "ipc"));
        json_double(&w, "l1d_mpki", stat_of(&set->items[i], "l1d.mpki"));
        json_double(&w, "speedup",
                    stat_of(&set->items[set->n - 1], "cycles") / stat_of(&set->items[i], "cycles"));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    strbuf_destroy(&limit);
}

static enum heddle_status read_results(struct store *s, const struct spec *spec,
                                       struct result_set *set, struct arena *arena)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < spec->n_points; i++) {
        enum store_state state;
        int64_t id;
        status = store_find(s, spec->points[i].key, &state, &id);
        if (status == HEDDLE_OK)
            status = result_load(s, id, set, arena);
    }
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    return status;
}

static enum heddle_status check_files(const struct tune_command *o, const struct spec *spec)
{
    struct file_uses uses = {0};
    lab_note_files(&uses, spec, o->store);
    return file_uses_check(&uses);
}

static enum heddle_status tune(const struct tune_command *o, const struct spec *spec)
{
    struct lab_sweep sweep = {.store_path = o->store, .traces = o->traces, .jobs = o->jobs};
    struct point_context context = spec_context(spec, NULL, NULL);
    struct result_set set = {0};
    struct arena arena = {0};
    struct store *s = NULL;
    struct strbuf text = {0};
    enum heddle_status status = lab_open_store(o->store, STORE_WRITE, &s);
    if (status == HEDDLE_OK)
        status = lab_run_points(&sweep, s, spec->points, spec->n_points, &context);
    if (status == HEDDLE_OK)
        status = read_results(s, spec, &set, &arena);
    store_close(s);
    if (status == HEDDLE_OK) {
        (o->json ? print_json : print_table)(spec, &set, &text);
        status = output_take(&text);
    }
    free(set.items);
    arena_destroy(&arena);
    return status;
}

static enum heddle_status run_tune(const void *values, const struct text_list *operands)
{
    static const char *const known[] = {"swl"};
    const struct tune_command *o = values;
    const char *workload = operands->items[1];
    if (!lab_check_jobs(&o->jobs))
        return HEDDLE_BAD_INPUT;
    if (strcmp(operands->items[0], "swl") != 0)
        return output_unknown("mechanism to tune", operands->items[0], known, 1,
                              "only swl can be tuned");
    if (strcmp(workload, "all") == 0) {
        output_error(
            "heddle tune takes one workload at a time; `heddle show workloads` lists them");
        return HEDDLE_BAD_INPUT;
    }
    if (!workload_find(workload))
        return output_unknown_workload(workload);
    if (!o->store) {
        output_error("heddle tune needs a store for the results: --store FILE");
        return HEDDLE_BAD_INPUT;
    }
    struct strbuf text = {0};
    struct spec spec = {0};
    struct diag_list diags = {0};
    const struct spec_changes none = {0};
    enum heddle_status status = write_spec(o, workload, &text);
    if (status == HEDDLE_OK)
        status = spec_load(&spec, "heddle tune", strbuf_text(&text), &none, &diags);
    if (diags.n_errors)
        output_complaints(&diags);
    if (status == HEDDLE_OK)
        status = check_files(o, &spec);
    if (status == HEDDLE_OK)
        status = tune(o, &spec);
    spec_destroy(&spec);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

static const char *const examples[] = {
    "heddle tune swl kmn --gpu ccws --store results.db",
    "every limit from 1 to 32, several at a time; the best one is Best-SWL of the paper on CCWS",
    "heddle tune swl kmn --size tiny --limits 1,2,4,8 --store results.db",
    "a few limits only",
    NULL,
};

const struct command command_tune = {
    .name = "tune",
    .operands = "swl WORKLOAD",
    .summary = "find the best static warp limit of a workload",
    .description = "Runs a workload under static warp limiting (scheduler swl) with every limit, "
                   "several at a time, stores the results, and prints cycles against the limit. "
                   "The best limit is the one with the fewest cycles; of equals, the smallest. No "
                   "limit is skipped, because the curve may have several peaks.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct tune_command),
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .run = run_tune,
};
