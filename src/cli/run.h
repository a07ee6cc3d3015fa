/* The parts of `heddle run`: workloads, kernel files, and traces. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include "base/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "gpu/machine_config.h"
#include "heddle/heddle.h"

struct run_options {
    bool functional, json, strict, quiet, kernels, per_pc, attribute, record_criticality;
    bool locality, belady, fail_on_stale, alone;
    const char *annotations;
    const char *size, *gpu, *on, *host_isa, *scheduler, *l1d, *atomics, *engine, *fast_paths;
    const char *llc, *cpu;
    const char *record_l1d, *record_decisions, *series_out, *series_columns, *attribute_out;
    const char *timeline, *timeline_cycles, *timeline_sms;
    uint64_t timeline_limit;
    const char *record, *replay;
    bool force_replay;
    struct given_u64 seed;
    uint64_t max_insts, max_cycles, quantum, threads, series;
    struct text_list settings, plugins;
    /* For files. */
    const char *entry, *build_options;
    struct dim3 grid, block, offset;
    uint64_t shared_bytes;
    struct text_list args;
};

/* Observes the simulations of trial runs, which print only errors. */
struct run_spectator {
    void (*begin)(void *user, struct heddle_sim *sim); /* before its first launch */
    void (*end)(void *user, struct heddle_sim *sim);   /* the run has completed */
    void *user;
};

/* What a run needs besides its program. */
struct run_context {
    const struct run_options *options;
    const struct machine_config *machine;
    const struct gpu_config *gpu; /* part of it */
    struct text_list settings;    /* --set, and the equivalents of --scheduler, --l1d and others */
    struct progress *progress;    /* shown during timed launches */
    const struct run_spectator *spectator; /* NULL = not a trial */
};

/* Each reports errors on standard error, and returns the exit status. */
enum heddle_status run_workloads(const struct run_context *run, const struct text_list *names);
enum heddle_status run_file(const struct run_context *run, const char *path);
enum heddle_status run_trace(const struct run_context *run, const char *path);
/* CPU programs alone, with an idle GPU. */
enum heddle_status run_cpus(const struct run_context *run);
/* Records the machine's CPU programs that are not recorded yet, which takes some seconds each. */
enum heddle_status run_record_cpus(const struct machine_config *c);

/* Reports output files that would overwrite inputs or each other. `kernel_file` is the file that is
 * run, or NULL. */
enum heddle_status run_check_files(const struct run_context *run, const char *kernel_file);

/* Does --on name an OpenCL device instead of the simulated GPU? */
bool run_is_on_opencl(const struct run_options *o);

/* Do the options request the attribution of warp cycles? */
bool run_is_attributed(const struct run_options *o);

/* Creates a simulation from the options; reports a failure. Destroy *out in any case. */
struct run_attribution; /* receives warps that end, if the options request it */
enum heddle_status run_create_sim(const struct run_context *run,
                                  struct run_attribution *attribution, struct heddle_sim **out);

/* The setting for --annotations, NAME=VALUE in the arena; reports a file that cannot be read. */
enum heddle_status run_read_annotations(const char *path, struct arena *arena, const char **word);
/* With --fail-on-stale: a run that read data dropped by L2 has failed. Reports it. */
enum heddle_status run_check_stale(const struct run_options *o, const struct heddle_sim *sim,
                                   enum heddle_status status);

/* Warns if an atomics unit was chosen and had no atomics to perform. */
void run_warn_of_no_atomics(const struct run_context *run, bool has_atomics);

/* What was simulated: the GPU, how, and every parameter; keys of the current object. */
void run_json_machine(const struct run_context *run, struct json_writer *w);

/* What part of a run the statistics cover. After a fault they depend on how far the parts of the
 * machine had come, so there are none; a limit or a stop cuts all of them off at the same time. */
enum run_extent { RUN_WHOLE, RUN_PARTIAL, RUN_UNKNOWN };
enum run_extent run_extent(const struct heddle_sim *sim, enum heddle_status status);
/* A line for people, if the statistics that follow are not those of a successful run. */
void run_print_extent(enum run_extent extent, enum heddle_status status, struct strbuf *out);
/* How it ended: "status", "error" (a text, or null) and "partial". */
void run_json_outcome(const struct heddle_sim *sim, enum heddle_status status, const char *error,
                      struct json_writer *w);
/* Reports a failure; --quiet omits what every part of the machine was doing. `what` is named first;
 * NULL = nothing. */
void run_print_error(const struct run_options *o, const char *what, const char *error);
/* How a failed run ended, with the statistics if there are any. */
void run_json_failure(const struct run_context *run, const struct heddle_sim *sim,
                      enum heddle_status status, struct json_writer *w);

/* The statistics: the nonzero ones as a table, or all as an object named "stats"; with the run's
 * locality, if measured (NULL = not measured). */
struct locality;
void run_print_stats(const struct heddle_sim *sim, const struct locality *l, struct strbuf *out);
void run_json_stats(const struct heddle_sim *sim, const struct locality *l, struct json_writer *w);
/* Of these, those that a table of latencies does not contain: mechanisms and locality. */
void run_print_beside_attribution(const struct heddle_sim *sim, const struct locality *l,
                                  struct strbuf *out);

/* The same by kernel: the most important ones as a table, or all in a list named "kernels". */
void run_print_kernels(const struct heddle_sim *sim, struct strbuf *out);
void run_json_kernels(const struct heddle_sim *sim, struct json_writer *w);

#endif
