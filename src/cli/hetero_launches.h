/* Launches of a workload as HeteroPDP's models see them. */
#ifndef HEDDLE_CLI_HETERO_LAUNCHES_H
#define HEDDLE_CLI_HETERO_LAUNCHES_H

#include "base/arena.h"
#include "hetero/features.h"
#include "workloads/run.h"

/* A kernel, or equal launches of one. */
struct hetero_row {
    const char *kernel;
    struct hetero_counts counts;
    bool has_threads, has_buffer;
    uint64_t threads, buffer;
    uint64_t n_launches; /* 0 = of a file */
};

/* A zeroed struct is empty and valid. */
struct hetero_launches {
    struct arena arena;
    struct hetero_row *items;
    uint32_t n, cap;
    uint32_t *row_of; /* by launch, in order */
    uint32_t n_launches, cap_launches;
};

struct hetero_row *hetero_add_row(struct hetero_launches *rows, const char *kernel);
/* Counts the instructions of every row's kernel; warns about instructions that count as something
 * else. Leaves out, with a warning, kernels that cannot be counted; an error if none is left. */
enum heddle_status hetero_count_kernels(const struct ptx_module *module,
                                        struct hetero_launches *rows);
/* Runs the workload without timing, and adds one row for all equal launches. */
enum heddle_status hetero_watch(const struct workload *w, const struct workload_size *size,
                                uint64_t seed, struct hetero_launches *rows);
void hetero_launches_destroy(struct hetero_launches *rows);

#endif
