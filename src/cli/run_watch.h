/* What `heddle run` observes while a machine runs, as requested by the options: instructions at
 * L1D, a time series, recordings, where the cycles of warps go, their timelines. */
#ifndef HEDDLE_CLI_RUN_WATCH_H
#define HEDDLE_CLI_RUN_WATCH_H

#include <stdio.h>

#include "analysis/locality.h"
#include "cli/run.h"
#include "cli/run_attribution.h"

/* A zeroed struct observes nothing and is valid. */
struct run_watch {
    struct pc_profile *pc_profile;
    struct series *series;
    struct l1d_recorder *recorder;
    struct timeline *timeline;
    struct decision_recorder *decisions;
    struct output_stream *series_file, *recording, *decisions_file, *trace;
    struct timeline_file *timeline_file;
    struct strbuf series_text; /* a time series without a file: for the JSON document */
    struct run_attribution attribution;
    struct heddle_sim *sim; /* the observed simulation */
    const struct run_options *options;
    /* The L1D stream, in a file without a name, for analysis after the run. */
    struct l1d_recorder *stream;
    FILE *stream_file;
    struct locality locality;
};

/* Call it before the first launch; reports a failure. `origin` says what is run, for a trace. */
enum heddle_status run_watch_begin(struct run_watch *w, const struct run_options *o,
                                   struct heddle_sim *sim, const char *origin);
/* A note about what is run, for the trace and the records of warps, if requested. */
void run_watch_note(struct run_watch *w, const char *name, const char *value);
/* Call it after the last launch: completes the files. Time-based files are written even if the run
 * was cut off, recordings only if it ran to its end; nothing is written if it failed. */
enum heddle_status run_watch_end(struct run_watch *w, enum run_extent extent);
void run_watch_destroy(struct run_watch *w); /* call it before the simulation is destroyed */

/* What was requested: where cycles went, and by instruction, as tables; or as "attribution", a list
 * named "per_pc", and "series". */
void run_watch_print(const struct run_watch *w, const struct run_options *o,
                     const struct heddle_sim *sim, struct strbuf *out);
/* The same after the statistics, or their replacement, and the kernels if requested. */
void run_watch_print_result(const struct run_watch *w, const struct run_options *o,
                            const struct heddle_sim *sim, struct strbuf *out);
void run_watch_json(const struct run_watch *w, const struct run_options *o, struct json_writer *j);

#endif
