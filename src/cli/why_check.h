/* Checks whether `heddle compare --why` can compare two runs, before they are run. */
#ifndef HEDDLE_CLI_WHY_CHECK_H
#define HEDDLE_CLI_WHY_CHECK_H

#include "lab/why.h"

/* `runs` are the arguments of `heddle run` each. Both must be well-formed and timed, must not set
 * the options that --why sets itself, and must use the same workload and input; kernel files and
 * traces are not checked. Reports errors: HEDDLE_BAD_INPUT. */
enum heddle_status why_check_runs(const char *const runs[WHY_SIDES]);

#endif
