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

/* Someone who looks at the simulations of runs that are trials: nothing is said of these but what
 * went wrong. */
struct run_spectator {
    void (*begin)(void *user, struct heddle_sim *sim); /* before its first launch */
    void (*end)(void *user, struct heddle_sim *sim);   /* it ran to its end */
    void *user;
};

/* What a run needs besides its program. */
struct run_context {
    const struct run_options *options;
    const struct machine_config *machine;
    const struct gpu_config *gpu; /* part of it */
    struct text_list settings;    /* --set, and what --scheduler, --l1d and others stand for */
    struct progress *progress;    /* shown during timed launches */
    const struct run_spectator *spectator; /* NULL = it is no trial */
};

/* Each reports what went wrong on standard error, and returns the exit status. */
enum heddle_status run_workloads(const struct run_context *run, const struct text_list *names);
enum heddle_status run_file(const struct run_context *run, const char *path);
enum heddle_status run_trace(const struct run_context *run, const char *path);
/* CPU programs alone, on a machine whose GPU has nothing to do. */
enum heddle_status run_cpus(const struct run_context *run);
/* Records the machine's CPU programs that have not been, which takes some seconds each. */
enum heddle_status run_record_cpus(const struct machine_config *c);

/* Complains of files that would overwrite what is read, or each other. `kernel_file` is the file
 * that is run, NULL if none is. */
enum heddle_status run_check_files(const struct run_context *run, const char *kernel_file);

/* Whether --on names an OpenCL device instead of the simulated GPU. */
bool run_is_on_opencl(const struct run_options *o);

/* Whether the options ask where the cycles of warps went. */
bool run_is_attributed(const struct run_options *o);

/* A simulation as the options ask for; reports a failure. *out is to be destroyed in any case. */
struct run_attribution; /* told of warps that end, if the options ask for it */
enum heddle_status run_create_sim(const struct run_context *run,
                                  struct run_attribution *attribution, struct heddle_sim **out);

/* What --annotations stands for, NAME=VALUE in the arena; reports a file that cannot be read. */
enum heddle_status run_read_annotations(const char *path, struct arena *arena, const char **word);
/* With --fail-on-stale: a run that read what L2 had dropped has failed. Reports it. */
enum heddle_status run_check_stale(const struct run_options *o, const struct heddle_sim *sim,
                                   enum heddle_status status);

/* Says so, if an atomics unit was chosen and there were none for it to perform. */
void run_warn_of_no_atomics(const struct run_context *run, bool has_atomics);

/* What was simulated: the GPU, how, and every parameter; keys of the present object. */
void run_json_machine(const struct run_context *run, struct json_writer *w);

/* What of a run the statistics tell. After a fault they depend on how far the parts of the machine
 * had come, so there are none; a limit, or who stops it, cuts all of them off at the same time. */
enum run_extent { RUN_WHOLE, RUN_PARTIAL, RUN_UNKNOWN };
enum run_extent run_extent(const struct heddle_sim *sim, enum heddle_status status);
/* A line for people, if the statistics that follow it are not those of a run that went well. */
void run_print_extent(enum run_extent extent, enum heddle_status status, struct strbuf *out);
/* How it ended: "status", "error" (a text, or null) and "partial". */
void run_json_outcome(const struct heddle_sim *sim, enum heddle_status status, const char *error,
                      struct json_writer *w);
/* Reports a failure; --quiet leaves out what every part of a machine was doing. `what` is named
 * first, NULL = nothing is. */
void run_print_error(const struct run_options *o, const char *what, const char *error);
/* How a run that failed ended, with whatever statistics there are. */
void run_json_failure(const struct run_context *run, const struct heddle_sim *sim,
                      enum heddle_status status, struct json_writer *w);

/* The statistics: those that are not zero as a table, or all as an object named "stats"; with what
 * the run tells of locality, if anything (NULL = nothing). */
struct locality;
void run_print_stats(const struct heddle_sim *sim, const struct locality *l, struct strbuf *out);
void run_json_stats(const struct heddle_sim *sim, const struct locality *l, struct json_writer *w);
/* Of these, what a table of latencies does not tell: mechanisms and locality. */
void run_print_beside_attribution(const struct heddle_sim *sim, const struct locality *l,
                                  struct strbuf *out);

/* The same by kernel: the most important ones as a table, or all in a list named "kernels". */
void run_print_kernels(const struct heddle_sim *sim, struct strbuf *out);
void run_json_kernels(const struct heddle_sim *sim, struct json_writer *w);

#endif
