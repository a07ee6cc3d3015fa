/* The number of warp instructions that a workload executes in all its launches. It is not known in
 * advance: launches may depend on results. So while a user watches, a process of lowest priority
 * runs the workload without timing beside the timed run, which is much faster. */
#ifndef HEDDLE_CLI_RUN_TOTAL_H
#define HEDDLE_CLI_RUN_TOTAL_H

#include <sys/types.h>

#include "cli/run.h"
#include "workloads/workload.h"

/* A zeroed struct counts nothing and is valid. */
struct run_total {
    pid_t pid;
    int fd;         /* where the process writes its answer */
    uint64_t insts; /* 0 = not known */
};

/* Starts counting if standard error is a terminal and the run shows its progress. */
void run_total_begin(struct run_total *t, const struct run_context *run,
                     const struct workload *workload, const struct workload_size *size);
/* The number, or 0 while it is unknown. */
uint64_t run_total_ask(struct run_total *t);
void run_total_end(struct run_total *t);

#endif
