/* Every pick of a scheduler from a plug-in is checked. Built-in schedulers are tested instead and
 * pay nothing. */
#ifndef HEDDLE_SCHED_CHECKED_H
#define HEDDLE_SCHED_CHECKED_H

#include "sched/scheduler.h"

/* A copy of the descriptor that does the same and ends the program if a pick breaks the contract.
 * Once registered, it lives as long as the program; until then the caller frees it. */
struct scheduler_desc *scheduler_checked(const struct scheduler_desc *own);

#endif
