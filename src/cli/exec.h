/* User OpenCL programs with the simulated GPU as their device. The options become environment
 * variables, so that they reach programs that the program starts; libheddle_ocl reads them
 * (doc/opencl.md). */
#ifndef HEDDLE_CLI_EXEC_H
#define HEDDLE_CLI_EXEC_H

#include "analysis/l2_report.h"
#include "cli/options.h"

struct exec_options {
    bool functional, attribute, kernels, summary, beside, loose_bounds, fail_on_stale;
    const char *gpu, *scheduler, *l1d, *atomics, *annotations;
    const char *json, *store, *record, *series_out, *series_columns;
    const char *version, *device_type, *result;
    const char *device, *hetero_target, *hetero_models, *hetero_natives, *hetero_log;
    struct text_list settings, plugins;
    uint64_t threads, max_cycles, max_insts, series;
    /* Used by heddle itself. */
    const char *l2_report;
    bool l2_watch;
};

/* Changes the environment of this process; reports a failure. */
enum heddle_status exec_prepare(const struct exec_options *o, struct arena *arena);
/* Replaces this process by the program: returns only on failure, after reporting it. */
enum heddle_status exec_replace(const struct text_list *command, struct arena *arena);

/* Runs the program in a separate process, adds its devices' L2 lines to the report, and returns its
 * exit status, 128 + n after signal n. If `messages` is not NULL, the program is a trial: it reads
 * and prints nothing, and its standard error goes there. */
enum heddle_status exec_run(const struct exec_options *o, const struct text_list *command,
                            struct strbuf *messages, struct l2_report *report, int *exit_status);

#endif
