/* Schedulers, cache policies, criticality providers and atomics units as a configuration names
 * them: which exist, and what to tell a user who names an unknown one or an unknown parameter. */
#ifndef HEDDLE_GPU_MECHANISMS_H
#define HEDDLE_GPU_MECHANISMS_H

#include "config/param_set.h"
#include "config/plugin.h"

struct machine_config;

struct mechanism {
    const char *what; /* "scheduler" */
    uint32_t (*count)(void);
    const struct plugin *(*at)(uint32_t i);
};
extern const struct mechanism scheduler_mechanism, cache_policy_mechanism, criticality_mechanism,
    atomics_mechanism;

/* Where a machine may have a mechanism. */
enum mechanism_place {
    AT_SCHEDULER,
    AT_CRITICALITY,
    AT_L1D,
    AT_L2,
    AT_ATOMICS,
    AT_HOST_LLC,
    N_MECHANISM_PLACES
};
struct mechanism_section {
    const char *prefix;   /* of its parameters and statistics: "l1d.policy" */
    const char *setting;  /* the setting that chooses it */
    const char *in_short; /* an equivalent shorter prefix of parameters, "l1d"; NULL = none */
    const struct mechanism *mechanism;
    bool (*accepts)(const struct plugin *p); /* NULL = all of its kind */
    /* NULL = the machine has no such place, or it is not known yet. */
    const struct plugin *(*in_use)(const struct machine_config *c);
};
extern const struct mechanism_section mechanism_sections[N_MECHANISM_PLACES];
/* Can the mechanism be there? */
bool mechanism_section_accepts(enum mechanism_place at, const struct plugin *p);

/* Reports, at the place where the parameter was set, that there is no such mechanism, and lists
 * those that exist. */
void mechanism_unknown(const struct param_set *set, const struct mechanism *m, const char *prefix,
                       const char *parameter, const char *name, struct diag_list *diags);

/* A param_set's explain(), for a `struct machine_config`: explains names of parameters of a
 * mechanism that is not in use, or that begin with a mechanism's own name. */
const char *machine_explain(const void *config, const char *name, struct arena *arena);

#endif
