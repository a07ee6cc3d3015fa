/* Whether two runs can be compared by `heddle compare --why`, before they are run. */
#ifndef HEDDLE_CLI_WHY_CHECK_H
#define HEDDLE_CLI_WHY_CHECK_H

#include "lab/why.h"

/* `runs` are the words of `heddle run` each. Both must be well-formed, be timed, leave to --why
 * what it asks of them itself, and be of one workload and input; kernel files and traces
 * are the user's to judge. Reports what is wrong: HEDDLE_BAD_INPUT. */
enum heddle_status why_check_runs(const char *const runs[WHY_SIDES]);

#endif
