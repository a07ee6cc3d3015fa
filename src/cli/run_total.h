/* How many warp instructions the run of a workload executes in all its launches. Nobody knows
 * before: what is launched may depend on results. So a process of lowest priority runs it without
 * timing beside the timed run, which is many times as fast, while somebody watches. */
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

/* Begins to count if standard error is a terminal and the run shows its progress. */
void run_total_begin(struct run_total *t, const struct run_context *run,
                     const struct workload *workload, const struct workload_size *size);
/* The number, or 0 as long as it is not known. */
uint64_t run_total_ask(struct run_total *t);
void run_total_end(struct run_total *t);

#endif
