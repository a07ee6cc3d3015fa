/* CPU programs alone, with an idle GPU. */
#include "cli/cpu_watch.h"
#include "cli/output.h"
#include "cli/run_attribution.h"
#include "cli/run_watch.h"
#include "cpu/programs.h"

enum heddle_status run_record_cpus(const struct machine_config *c)
{
    enum heddle_status status = HEDDLE_OK;
    struct strbuf path = {0}, why = {0};
    for (uint32_t i = 0; status == HEDDLE_OK && i < c->cpu_programs.n; i++)
        if (!cpu_is_bubble(c->cpu_programs.names[i]))
            status =
                cpu_program_trace(c->cpu_programs.names[i], &cpu_watch_on_terminal, &path, &why);
    if (status != HEDDLE_OK)
        output_error("%s", strbuf_text(&why));
    strbuf_destroy(&path);
    strbuf_destroy(&why);
    return status;
}

static void print(const struct run_context *run, const struct heddle_sim *sim,
                  const struct run_watch *watch, enum heddle_status status, struct strbuf *out)
{
    if (run->options->json) {
        struct json_writer w = {.out = out};
        json_begin_object(&w, NULL);
        json_string(&w, "cpu", run->machine->cpu.programs);
        run_json_outcome(sim, status, status == HEDDLE_OK ? NULL : heddle_error(sim), &w);
        run_json_machine(run, &w);
        run_json_stats(sim, &watch->locality, &w);
        json_end_object(&w);
    } else if (!run->options->quiet) {
        strbuf_addf(out, "%s on %s, the GPU idle\n", run->machine->cpu.programs, run->gpu->name);
        run_watch_print_result(watch, run->options, sim, out);
    }
}

enum heddle_status run_cpus(const struct run_context *run)
{
    struct run_watch watch = {0};
    struct heddle_sim *sim = NULL;
    struct strbuf text = {0};
    run->progress->title = run->machine->cpu.programs;
    enum heddle_status status = run_create_sim(run, &watch.attribution, &sim);
    if (status == HEDDLE_OK)
        status = run_watch_begin(&watch, run->options, sim, run->machine->cpu.programs);
    if (status == HEDDLE_OK) {
        status = heddle_finish(sim);
        output_progress_end();
        if (status != HEDDLE_OK)
            output_failure(heddle_error(sim));
        enum heddle_status watched = run_watch_end(&watch, run_extent(sim, status));
        if (run_extent(sim, status) != RUN_UNKNOWN)
            print(run, sim, &watch, status, &text);
        output_warnings(heddle_warnings(sim));
        enum heddle_status printed = output_take(&text);
        status = status != HEDDLE_OK ? status : watched != HEDDLE_OK ? watched : printed;
    }
    run_watch_destroy(&watch);
    strbuf_destroy(&text);
    heddle_destroy(sim);
    return status;
}
