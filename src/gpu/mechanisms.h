/* Schedulers, cache policies, criticality providers and atomics units as a configuration names
 * them: which exist, and what to tell a user who names an unknown one or an unknown parameter. */
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

/* Reports, at the place where the parameter was set, that there is no such mechanism, and lists
 * those that exist. */
void mechanism_unknown(const struct param_set *set, const struct mechanism *m, const char *prefix,
                       const char *parameter, const char *name, struct diag_list *diags);

/* A param_set's explain(), for a `struct machine_config`: explains names of parameters of a
 * mechanism that is not in use, or that begin with a mechanism's own name. */
const char *machine_explain(const void *config, const char *name, struct arena *arena);

#endif
