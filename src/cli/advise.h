/* heddle advise l2: candidates are chosen in cmd_advise.c and tried in advise_trial.c; what is said
 * of them is in advise_answer.c. */
#ifndef HEDDLE_CLI_ADVISE_H
#define HEDDLE_CLI_ADVISE_H

#include "analysis/l2_report.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "cli/run.h"

struct advise_options {
    struct run_options run; /* first: the trials' */
    const char *out;
};

/* What became of a candidate. */
struct proposal {
    uint32_t site;
    bool is_store, is_accepted;
    bool is_useless; /* sound, but DRAM moved no less: others may change that */
    struct l2_traffic trial;
    const char *reason;
};

struct advisor {
    const struct advise_options *options;
    struct run_options trial; /* as the runs are done */
    const char *what;         /* workload, file, or the command of a program */
    struct text_list command; /* of an OpenCL program; empty = a workload or file */
    struct arena arena;
    struct l2_advice *advice;
    bool is_watched;   /* the trial at hand is the recorded run */
    const char *title; /* of the trial, for its line of progress */
    struct l2_traffic now, lru, final;
    struct proposal proposals[2 * L2_MAX_SITES];
    uint32_t n;
};

static inline const char *advise_mark(const struct proposal *p)
{
    return p->is_store ? ".cc" : ".cp";
}

/* Runs the program under annotations, one line of them, into `now`; the first time, L2 is watched.
 */
enum heddle_status advise_try(struct advisor *a, const char *annotations);

/* Annotations of all that are accepted, and one more (NULL = none), in one line. */
const char *advise_annotations(struct advisor *a, const struct proposal *more);

/* The file for `heddle run --annotations`. */
void advise_file(struct advisor *a, struct strbuf *out);
void advise_text(struct advisor *a, struct strbuf *out);
void advise_json(struct advisor *a, struct strbuf *out);

#endif
