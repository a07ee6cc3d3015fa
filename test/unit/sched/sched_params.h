/* Values of a scheduler's parameters, written as a user would: "group_size=2 inner=gto". */
#ifndef HEDDLE_TEST_SCHED_PARAMS_H
#define HEDDLE_TEST_SCHED_PARAMS_H

#include "sched/scheduler.h"
#include "unit/plugin_params.h"

/* The defaults with `words` on top, in the arena; NULL if a word is not understood. */
static inline const void *sched_params(const struct scheduler_desc *d, const char *words,
                                       struct arena *arena)
{
    return plugin_params(&d->plugin, words, arena);
}

#endif
