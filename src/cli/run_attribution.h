/* `heddle run --attribute`: where the cycles of the warps went, on one screen, as JSON, and record
 * by record as CSV. */
#ifndef HEDDLE_CLI_RUN_ATTRIBUTION_H
#define HEDDLE_CLI_RUN_ATTRIBUTION_H

#include "base/json.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

struct output_stream;

/* Of one kind, warps or CTAs: their number, and those that lived longest. */
enum { N_SLOWEST = 4, KERNEL_NAME_BYTES = 64 };
struct slowest {
    uint64_t n, sum_cycles;
    uint32_t n_kept;
    struct heddle_attributed kept[N_SLOWEST]; /* the slowest first; without kernel */
    char kernels[N_SLOWEST][KERNEL_NAME_BYTES];
};

/* A zeroed struct has seen nothing yet. */
struct run_attribution {
    struct slowest warps, ctas;
    struct output_stream *file; /* for all records; NULL = not requested */
    struct strbuf origin;       /* what was run, "workload=bfs size=tiny", for the last row */
};

/* Fits heddle_options.attributed; `user` is a struct run_attribution. */
void run_attribution_add(void *user, const struct heddle_attributed *record);
/* The first line of the file. */
void run_attribution_titles(struct output_stream *file);
/* The last line, if it is known what was run. */
void run_attribution_origin(const struct run_attribution *a);

void run_attribution_print(const struct run_attribution *a, const struct heddle_sim *sim,
                           struct strbuf *out);
void run_attribution_json(const struct run_attribution *a, struct json_writer *j);

#endif
