/* Replays a trace. Nothing is computed, so there is nothing to verify, and the result says so. The
 * trace's notes say what it was recorded from. */
#include "cli/output.h"
#include "cli/run_oracle.h"
#include "cli/run_watch.h"
#include "config/number.h"
#include "lab/idle_mechanisms.h"

/* How a run of the same program describes itself. */
static void json_origin(const struct heddle_sim *sim, struct json_writer *w)
{
    static const char *const texts[] = {"workload", "size", "file", "kernel", "input_hash"};
    const char *seed = heddle_replay_note(sim, "seed");
    uint64_t number;
    struct heddle_stat launches;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (heddle_replay_note(sim, texts[i]))
            json_string(w, texts[i], heddle_replay_note(sim, texts[i]));
    if (seed && number_parse_u64(seed, &number))
        json_uint(w, "seed", number);
    if (heddle_stat_find(sim, "launches", &launches))
        json_uint(w, "launches", launches.count);
}

static void json_result(const struct run_context *run, const char *path,
                        const struct heddle_sim *sim, const struct run_watch *watch,
                        enum heddle_status status, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "trace", path);
    json_origin(sim, &w);
    json_string(&w, "heddle_version", heddle_version());
    json_null(&w, "verified");
    json_bool(&w, "replayed", true);
    json_bool(&w, "replay_forced", heddle_replay_is_forced(sim));
    if (status == HEDDLE_OK) {
        run_json_outcome(sim, status, NULL, &w);
        run_json_machine(run, &w);
        run_json_stats(sim, &watch->locality, &w);
        run_json_kernels(sim, &w);
        run_watch_json(watch, run->options, &w);
    } else {
        run_json_failure(run, sim, status, &w);
    }
    json_end_object(&w);
}

static void print_result(const struct run_context *run, const char *path,
                         const struct heddle_sim *sim, const struct run_watch *watch,
                         enum heddle_status status, struct strbuf *out)
{
    enum run_extent extent = run_extent(sim, status);
    if (extent == RUN_UNKNOWN)
        return;
    strbuf_addf(
        out, "%s: replayed on %s%s; no results are computed or verified\n", path, run->gpu->name,
        heddle_replay_is_forced(sim) ? " BY FORCE, although the trace depends on timing" : "");
    run_print_extent(extent, status, out);
    run_watch_print_result(watch, run->options, sim, out);
}

static enum heddle_status report(const struct run_context *run, const char *path,
                                 const struct heddle_sim *sim, const struct run_watch *watch,
                                 enum heddle_status status)
{
    struct strbuf text = {0};
    if (status != HEDDLE_OK)
        run_print_error(run->options, NULL, heddle_error(sim));
    output_warnings(heddle_warnings(sim));
    run_warn_of_no_atomics(run, status != HEDDLE_OK || idle_mechanisms_has_atomics(sim));
    if (run->options->json)
        json_result(run, path, sim, watch, status, &text);
    else if (!run->options->quiet)
        print_result(run, path, sim, watch, status, &text);
    return output_take(&text);
}

enum heddle_status run_trace(const struct run_context *run, const char *path)
{
    struct heddle_sim *sim = NULL;
    struct run_watch watch = {0};
    enum heddle_status status = run_create_sim(run, &watch.attribution, &sim);
    if (status == HEDDLE_OK)
        status = run_watch_begin(&watch, run->options, sim, path);
    if (status == HEDDLE_OK) {
        status = heddle_replay(sim, path, run->options->force_replay);
        if (status == HEDDLE_OK)
            status = heddle_finish(sim);
        output_progress_end();
        bool is_foreign = status == HEDDLE_OK &&
                          run_oracle_check(sim, heddle_replay_note(sim, "input_hash")) != HEDDLE_OK;
        enum heddle_status watched =
            run_watch_end(&watch, is_foreign ? RUN_UNKNOWN : run_extent(sim, status));
        enum heddle_status printed =
            is_foreign ? HEDDLE_BAD_INPUT : report(run, path, sim, &watch, status);
        status = status != HEDDLE_OK ? status : watched != HEDDLE_OK ? watched : printed;
    }
    run_watch_destroy(&watch);
    heddle_destroy(sim);
    return status;
}
