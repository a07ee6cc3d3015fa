/* heddle run --alone: runs every program of a mix alone, for the metrics of the mix. */
#ifndef HEDDLE_CLI_RUN_ALONE_H
#define HEDDLE_CLI_RUN_ALONE_H

#include "cli/run.h"
#include "workloads/run.h"

/* IPC alone: of the CPU programs, then of the GPU. */
struct run_alone {
    double ipc[MACHINE_MAX_CPUS + 1];
    uint32_t n; /* 0 = not known */
};

/* Runs them one after another, under lru; reports failures. */
enum heddle_status run_alone_measure(const struct run_context *run, const struct workload *w,
                                     const struct workload_size *size, struct run_alone *out);
/* Weighted speedup and fairness of the mix that `sim` ran; nothing if they are unknown. */
void run_alone_print(const struct run_alone *a, const struct heddle_sim *sim, struct strbuf *out);
void run_alone_json(const struct run_alone *a, const struct heddle_sim *sim, struct json_writer *w);

#endif
