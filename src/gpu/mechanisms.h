/* Schedulers, cache policies, criticality providers and atomics units as a configuration names
 * them: which there are, and what to tell a user who names one, or a parameter of one, that there
 * is not. */
#ifndef HEDDLE_GPU_MECHANISMS_H
#define HEDDLE_GPU_MECHANISMS_H

#include "config/param_set.h"
#include "config/plugin.h"

struct mechanism {
    const char *what; /* "scheduler" */
    uint32_t (*count)(void);
    const struct plugin *(*at)(uint32_t i);
};
extern const struct mechanism scheduler_mechanism, cache_policy_mechanism, criticality_mechanism,
    atomics_mechanism;

/* Says, where the parameter was set that names it, that there is no such mechanism, and which there
 * are. */
void mechanism_unknown(const struct param_set *set, const struct mechanism *m, const char *prefix,
                       const char *parameter, const char *name, struct diag_list *diags);

/* A param_set's explain(), for a `struct machine_config`: names that belong to a mechanism which is
 * not in use, or that begin with a mechanism's own name. */
const char *machine_explain(const void *config, const char *name, struct arena *arena);

#endif
