/* Loading plug-ins of any kind. A shared object may export one descriptor of each:
 *     heddle_cache_policy   struct cache_policy_desc   cache/cache_policy.h
 *     heddle_scheduler      struct scheduler_desc      sched/scheduler.h
 *     heddle_criticality    struct criticality_desc    crit/criticality.h */
#ifndef HEDDLE_GPU_PLUGINS_H
#define HEDDLE_GPU_PLUGINS_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Registers all descriptors of the object, before any machine is built. False, with the reason in
 * `why`, if it cannot be loaded, has none, or has one that does not fit this Heddle. An object may
 * be loaded more than once: every simulation may name it. */
bool plugins_load(const char *name, struct strbuf *why);

#endif
