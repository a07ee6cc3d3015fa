/* heddle advise l2: cmd_advise.c chooses candidates, advise_trial.c tries them, advise_answer.c
 * prints the answer. */
#ifndef HEDDLE_CLI_ADVISE_H
#define HEDDLE_CLI_ADVISE_H

#include "analysis/l2_report.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "cli/run.h"

struct advise_options {
    struct run_options run; /* must be first; used by the trials */
    const char *out;
};

/* The outcome of a candidate. */
struct proposal {
    uint32_t site;
    bool is_store, is_accepted;
    bool is_useless; /* sound, but DRAM traffic did not decrease: other annotations may change
                      * that */
    struct l2_traffic trial;
    const char *reason;
};

struct advisor {
    const struct advise_options *options;
    struct run_options trial; /* the options of the trials */
    const char *what;         /* workload, file, or the command of a program */
    struct text_list command; /* for an OpenCL program; empty = a workload or file */
    struct arena arena;
    struct l2_advice *advice;
    bool is_watched;   /* the current trial is the observed run */
    const char *title; /* of the trial, for its progress line */
    struct l2_traffic now, lru, final;
    struct proposal proposals[2 * L2_MAX_SITES];
    uint32_t n;
};

static inline const char *advise_mark(const struct proposal *p)
{
    return p->is_store ? ".cc" : ".cp";
}

/* Runs the program under annotations, given in one line, into `now`; the first run observes L2. */
enum heddle_status advise_try(struct advisor *a, const char *annotations);

/* The annotations of all accepted proposals, and one more (NULL = none), in one line. */
const char *advise_annotations(struct advisor *a, const struct proposal *more);

/* The file for `heddle run --annotations`. */
void advise_file(struct advisor *a, struct strbuf *out);
void advise_text(struct advisor *a, struct strbuf *out);
void advise_json(struct advisor *a, struct strbuf *out);

#endif
