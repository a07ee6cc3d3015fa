/* Tries a step in a child process before taking it in this one. For calls into libraries that may
 * crash: a crash then ends only the child, and the caller is informed. */
#ifndef HEDDLE_WORKLOADS_TRIAL_H
#define HEDDLE_WORKLOADS_TRIAL_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Does `step` return within `seconds` in a child process, a copy of this one? If not, `how` says
 * how the child ended, with the last line it wrote; any other output of the step is discarded. */
bool trial_survives(void (*step)(void *argument), void *argument, unsigned seconds,
                    struct strbuf *how);

#endif
