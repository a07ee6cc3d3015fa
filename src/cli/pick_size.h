/* The size of a workload that a user names. */
#ifndef HEDDLE_CLI_PICK_SIZE_H
#define HEDDLE_CLI_PICK_SIZE_H

#include "workloads/workload.h"

/* `text` is as workload_make_size() takes it; the size lives in the arena. Complains of what is
 * not there. */
enum heddle_status pick_size(const struct workload *w, const char *text, struct arena *arena,
                             const struct workload_size **out);
/* Says that the workload has no such size, and which was perhaps meant; HEDDLE_BAD_INPUT. */
enum heddle_status pick_size_unknown(const struct workload *w, const char *text);

#endif
