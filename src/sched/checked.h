/* Schedulers from plug-ins have every pick checked. Built-in ones are tested instead, and pay
 * nothing. */
#ifndef HEDDLE_SCHED_CHECKED_H
#define HEDDLE_SCHED_CHECKED_H

#include "sched/scheduler.h"

/* A copy that does the same and ends the program where a pick breaks the contract. Once it is
 * registered it lives as long as the program; until then it is the caller's to free. */
struct scheduler_desc *scheduler_checked(const struct scheduler_desc *own);

#endif
