/* The trials of heddle advise l2: workloads and files in this process, OpenCL programs in separate
 * processes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/advise.h"
#include "cli/exec.h"
#include "cli/output.h"
#include "cli/ptx_load.h"

static const char policy[] = "l2.policy=write_buffering";

/* The given settings and one for the policy, with room for another. */
static struct text_list settings_of(const struct advisor *a)
{
    const struct text_list *given = &a->options->run.settings;
    struct text_list list = {.items = xcalloc(given->n + 2, sizeof *list.items)};
    for (uint32_t i = 0; i < given->n; i++)
        list.items[list.n++] = given->items[i];
    list.items[list.n++] = policy;
    return list;
}

/* --- workloads and files --- */

static void begin_trial(void *user, struct heddle_sim *sim)
{
    struct advisor *a = user;
    if (a->is_watched)
        l2_advice_watch(a->advice, sim);
}

static void end_trial(void *user, struct heddle_sim *sim)
{
    struct advisor *a = user;
    a->now = l2_traffic_of(sim);
}

static enum heddle_status try_here(struct advisor *a, const char *annotations)
{
    struct diag_list diags = {0};
    struct progress progress = {.title = a->title};
    struct run_spectator spectator = {begin_trial, end_trial, a};
    struct run_context run = {.options = &a->trial,
                              .progress = &progress,
                              .settings = settings_of(a),
                              .spectator = &spectator};
    run.settings.items[run.settings.n++] =
        arena_printf(&a->arena, "l2.annotations=%s", annotations);
    struct machine_config *config =
        machine_config_load(a->trial.gpu, run.settings.items, run.settings.n, &diags);
    run.machine = config;
    run.gpu = config ? config->gpu : NULL;
    struct text_list names = {.items = &a->what, .n = 1};
    enum heddle_status status = !config                ? output_complaints(&diags)
                                : ptx_is_file(a->what) ? run_file(&run, a->what)
                                                       : run_workloads(&run, &names);
    machine_config_destroy(config);
    free(run.settings.items);
    diag_list_destroy(&diags);
    return status;
}

/* --- OpenCL programs --- */

/* Shows the program's own messages. */
static enum heddle_status explain(const struct advisor *a, const char *messages, const char *what)
{
    output_progress_end();
    output_error("%s: %s", a->what, what);
    fputs(messages, stderr);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status judge(struct advisor *a, const struct l2_report *r, int exit_status,
                                const char *messages)
{
    if (exit_status)
        return explain(a, messages,
                       arena_printf(&a->arena, "its exit status is %d, so the run cannot be used",
                                    exit_status));
    if (r->n_failed)
        return explain(a, messages, "a launch failed, so the run cannot be used");
    if (!r->n_devices)
        return explain(a, messages,
                       "it launched no kernel on the simulated GPU; `heddle exec` shows what it "
                       "does there");
    a->now = r->sum;
    return HEDDLE_OK;
}

static enum heddle_status try_program(struct advisor *a, const char *annotations)
{
    int marks = memfd_create("heddle annotations", MFD_CLOEXEC), exit_status = 0;
    ssize_t n = (ssize_t)strlen(annotations);
    if (marks < 0 || write(marks, annotations, (size_t)n) != n) {
        output_error("not enough memory for a file of annotations");
        return HEDDLE_ENVIRONMENT;
    }
    struct exec_options o = {.gpu = a->trial.gpu,
                             .settings = settings_of(a),
                             .l2_watch = a->is_watched,
                             .annotations =
                                 arena_printf(&a->arena, "/proc/%ld/fd/%d", (long)getpid(), marks)};
    struct l2_report report = {.advice = a->is_watched ? a->advice : NULL};
    struct strbuf messages = {0};
    output_progress("%s", a->title);
    enum heddle_status status = exec_run(&o, &a->command, &messages, &report, &exit_status);
    if (status == HEDDLE_OK)
        status = judge(a, &report, exit_status, strbuf_text(&messages));
    strbuf_destroy(&messages);
    free(o.settings.items);
    close(marks);
    return status;
}

enum heddle_status advise_try(struct advisor *a, const char *annotations)
{
    return a->command.n ? try_program(a, annotations) : try_here(a, annotations);
}
