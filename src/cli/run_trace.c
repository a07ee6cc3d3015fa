/* Replays a trace. Nothing is computed, so there is nothing to verify, and the result says so. */
#include "cli/output.h"
#include "cli/run_watch.h"

static enum heddle_status print_result(const struct run_context *run, const char *path,
                                       const struct heddle_sim *sim, const struct run_watch *watch)
{
    struct strbuf text = {0};
    if (run->options->json) {
        struct json_writer w = {.out = &text};
        json_begin_object(&w, NULL);
        json_string(&w, "trace", path);
        json_string(&w, "heddle_version", heddle_version());
        json_null(&w, "verified");
        json_bool(&w, "replayed", true);
        run_json_machine(run, &w);
        run_json_stats(sim, &w);
        run_json_kernels(sim, &w);
        run_watch_json(watch, run->options, &w);
        json_end_object(&w);
    } else if (!run->options->quiet) {
        strbuf_addf(&text, "%s: replayed on %s; results are not computed, so not verified\n", path,
                    run->gpu->name);
        run_print_stats(sim, &text);
        if (run->options->kernels)
            run_print_kernels(sim, &text);
        run_watch_print(watch, run->options, sim, &text);
    }
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
        output_progress_end();
        if (status != HEDDLE_OK)
            output_failure(heddle_error(sim));
        output_warnings(heddle_warnings(sim));
    }
    if (status == HEDDLE_OK)
        status = run_watch_end(&watch, true);
    if (status == HEDDLE_OK)
        status = print_result(run, path, sim, &watch);
    run_watch_destroy(&watch);
    heddle_destroy(sim);
    return status;
}
