#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/run_attribution.h"
#include "cli/table.h"
#include "gpu/machine.h"
#include "lab/idle_mechanisms.h"

/* What kernels print goes to the user, but not into JSON. */
static void print_text(void *user, const char *text, size_t len)
{
    const struct run_options *o = user;
    output_progress_end();
    fwrite(text, 1, len, o->json ? stderr : stdout);
}

bool run_is_on_opencl(const struct run_options *o)
{
    return o->on && (strcmp(o->on, "opencl") == 0 || strncmp(o->on, "opencl:", 7) == 0);
}

bool run_is_attributed(const struct run_options *o)
{
    return o->attribute || o->attribute_out;
}

enum heddle_status run_create_sim(const struct run_context *run,
                                  struct run_attribution *attribution, struct heddle_sim **out)
{
    const struct run_options *o = run->options;
    const struct heddle_options options = {
        .struct_size = sizeof options,
        .gpu = o->gpu,
        .settings = run->settings.items,
        .n_settings = run->settings.n,
        .timing = !o->functional,
        .every_cycle = o->engine && strcmp(o->engine, "cycle") == 0,
        .no_fast_paths = o->fast_paths && strcmp(o->fast_paths, "off") == 0,
        .quantum = (uint32_t)o->quantum,
        .threads = (uint32_t)o->threads,
        .max_cycles = o->max_cycles,
        .host_isa = o->host_isa,
        .strict = o->strict,
        .max_insts = o->max_insts,
        .plugins = o->plugins.items,
        .n_plugins = o->plugins.n,
        .progress = progress_show,
        .progress_user = run->progress,
        .print = print_text,
        .print_user = (void *)o,
        .attribute = run_is_attributed(o) || o->timeline,
        .attributed = run_attribution_add,
        .attributed_user = attribution,
    };
    *out = NULL;
    enum heddle_status status = heddle_create(&options, out);
    if (status != HEDDLE_OK)
        output_failure(heddle_error(*out));
    return status;
}

enum heddle_status run_read_annotations(const char *path, struct arena *arena, const char **word)
{
    enum heddle_status status = lab_check_readable(path);
    int error = status == HEDDLE_OK ? annotations_read_file(path, arena, word) : 0;
    if (error) {
        output_error("%s: %s", path, strerror(error));
        status = HEDDLE_ENVIRONMENT;
    }
    return status;
}

enum heddle_status run_check_stale(const struct run_options *o, const struct heddle_sim *sim,
                                   enum heddle_status status)
{
    struct heddle_stat s;
    if (status != HEDDLE_OK || !o->fail_on_stale || !sim ||
        !heddle_stat_find(sim, "l2.stale_reads", &s) || s.count == 0)
        return status;
    output_error("--fail-on-stale: %llu reads of data that L2 had dropped",
                 (unsigned long long)s.count);
    return HEDDLE_WRONG_RESULT;
}

void run_warn_of_no_atomics(const struct run_context *run, bool has_atomics)
{
    struct strbuf text = {0};
    if (!has_atomics && !run->options->functional && !run_is_on_opencl(run->options))
        idle_mechanisms_no_atomics(run->machine, &text);
    if (text.len)
        output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

void run_print_error(const struct run_options *o, const char *what, const char *error)
{
    const char *account = o->quiet ? strstr(error, MACHINE_DOING_LINE) : NULL;
    struct strbuf text = {0};
    if (what)
        strbuf_addf(&text, "heddle: error: %s: ", what);
    strbuf_add_n(&text, error, account ? (size_t)(account - error) : strlen(error));
    output_failure(strbuf_text(&text));
    strbuf_destroy(&text);
}
