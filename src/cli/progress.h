/* The progress line of a timed run, on a terminal. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

struct run_total;

struct progress {
    const char *title; /* what runs, at the start of the line; may be NULL */
    bool is_quiet;
    struct run_total *total; /* counts the instructions of the whole run; may be NULL */
    double shown_at;         /* host seconds; 0 = never */
    /* When the run and its current launch began. */
    double began;
    uint32_t launch;
    double launch_began;
    uint64_t insts_then;
};

/* Fits heddle_options.progress; `user` is a struct progress. Stops the launch after Ctrl-C, and if
 * writing an output file fails. */
bool progress_show(void *user, const struct heddle_progress *p);

/* Elapsed time. */
struct progress_time {
    uint64_t total_insts;  /* of all launches of the run; 0 = unknown */
    double seconds;        /* of the run */
    double launch_seconds; /* of the current launch */
    uint64_t launch_insts; /* warp instructions in it */
};
/* The line without its title; the most important part comes first, because the line may be cut
 * off. */
void progress_line(const struct heddle_progress *p, const struct progress_time *t,
                   struct strbuf *out);

#endif
