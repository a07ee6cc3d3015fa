/* The line that shows how far a timed launch has come, on a terminal. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

struct progress {
    const char *title; /* what runs, before the rest of the line; may be NULL */
    bool is_quiet;
    double shown_at; /* host seconds; 0 = never */
    /* Where the present launch began. */
    uint32_t launch;
    double launch_began;
    uint64_t insts_then;
};

/* Fits heddle_options.progress; `user` is a struct progress. Stops the launch
 * after Ctrl-C, and when a file that is written meanwhile cannot be. */
bool progress_show(void *user, const struct heddle_progress *p);

/* The line for a launch that has taken `seconds` and executed `insts` warp instructions in them. */
void progress_line(const struct heddle_progress *p, double seconds, uint64_t insts,
                   struct strbuf *out);

#endif
