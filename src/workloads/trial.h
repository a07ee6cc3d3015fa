/* Trying a step in a child process before taking it in this one. For calls into libraries that may
 * crash: a crash then ends the child, and the caller learns of it. */
#ifndef HEDDLE_WORKLOADS_TRIAL_H
#define HEDDLE_WORKLOADS_TRIAL_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Whether `step` returns within `seconds` in a child process, a copy of this one. If it does not,
 * `how` is given how the child ended and the last line it wrote; what a step writes goes nowhere
 * else. */
bool trial_survives(void (*step)(void *argument), void *argument, unsigned seconds,
                    struct strbuf *how);

#endif
