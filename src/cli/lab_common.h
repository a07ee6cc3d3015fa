/* What the commands for experiments share: opening a store, and running points with progress. */
#ifndef HEDDLE_CLI_LAB_COMMON_H
#define HEDDLE_CLI_LAB_COMMON_H

#include "lab/sweep.h"

bool lab_file_exists(const char *path);

/* Can the file be read? If not, reports why, with the status that is due. */
enum heddle_status lab_check_readable(const char *path);

/* Reports a failure. *out is to be closed in any case. */
enum heddle_status lab_open_store(const char *path, enum store_access how, struct store **out);

struct lab_sweep {
    const char *store_path, *traces;
    uint64_t jobs;
    bool retry, is_quiet, prints_summary;
};

/* Runs what the store does not have; reports every point that failed. HEDDLE_WRONG_RESULT if some
 * did. */
enum heddle_status lab_run_points(const struct lab_sweep *how, struct store *s,
                                  struct point *points, uint32_t n,
                                  const struct point_context *context);

#endif
