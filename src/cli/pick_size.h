/* The size of a workload that a user names. */
#ifndef HEDDLE_CLI_PICK_SIZE_H
#define HEDDLE_CLI_PICK_SIZE_H

#include "workloads/workload.h"

/* `text` is in the format of workload_make_size(); the size lives in the arena. Reports unknown
 * sizes. */
enum heddle_status pick_size(const struct workload *w, const char *text, struct arena *arena,
                             const struct workload_size **out);
/* Reports that the workload has no such size, with the nearest name; HEDDLE_BAD_INPUT. */
enum heddle_status pick_size_unknown(const struct workload *w, const char *text);

#endif
