#include "gpu/mechanisms.h"

#include <string.h>

#include "gpu/machine_config.h"

#define MECHANISM(kind, words)                                                                     \
    static const struct plugin *kind##_plugin_at(uint32_t i)                                       \
    {                                                                                              \
        return &kind##_at(i)->plugin;                                                              \
    }                                                                                              \
    const struct mechanism kind##_mechanism = {words, kind##_count, kind##_plugin_at};
MECHANISM(scheduler, "scheduler")
MECHANISM(cache_policy, "cache policy")
MECHANISM(criticality, "criticality provider")
MECHANISM(atomics, "atomics unit")

void mechanism_unknown(const struct param_set *set, const struct mechanism *m, const char *prefix,
                       const char *parameter, const char *name, struct diag_list *diags)
{
    uint32_t n = m->count();
    const char **names = ARENA_ARRAY(&diags->arena, const char *, n);
    struct strbuf hint = {0};
    for (uint32_t i = 0; i < n; i++)
        names[i] = m->at(i)->name;
    const char *near = suggest_hint(&diags->arena, name, names, n);
    strbuf_addf(&hint, "%s%sthere are", near ? near : "", near ? " " : "");
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(&hint, "%s %s", i ? "," : "", names[i]);
    if (m != &atomics_mechanism)
        strbuf_add(&hint, "; others come from plug-ins (--plugin FILE.so)");
    param_set_complain(set, DIAG_ERROR, prefix, PARAM_NAMES(parameter), strbuf_text(&hint), diags,
                       "%s%s%s: there is no %s '%s'", prefix, *prefix ? "." : "", parameter,
                       m->what, name);
    strbuf_destroy(&hint);
}

/* --- names of parameters that do not exist --- */

/* A section for a mechanism: the prefix of its parameters. */
struct place {
    const char *prefix;   /* of the mechanism's parameters: "l1d.policy" */
    const char *setting;  /* the setting that chooses the mechanism */
    const char *in_short; /* an equivalent shorter prefix, "l1d"; NULL = none */
    const struct mechanism *mechanism;
    const struct plugin *in_use;
};
enum { N_PLACES = 5 };

static void find_places(const struct machine_config *c, struct place *places)
{
    const struct plugin *crit = c->criticality ? &c->criticality->plugin : NULL;
    const struct place all[N_PLACES] = {
        {"scheduler", "scheduler", NULL, &scheduler_mechanism, &c->scheduler->plugin},
        {"l1d.policy", "l1d.policy", "l1d", &cache_policy_mechanism, &c->l1d_policy->plugin},
        {"l2.policy", "l2.policy", "l2", &cache_policy_mechanism, &c->l2_policy->plugin},
        {"criticality", "criticality", NULL, &criticality_mechanism, crit},
        {"atomics", "atomics.unit", NULL, &atomics_mechanism, &c->atomics->plugin},
    };
    memcpy(places, all, sizeof all);
}

/* What follows "prefix."; NULL if the name begins differently. */
static const char *below(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

static bool has_param(const struct plugin *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_params; i++)
        if (strcmp(p->params[i].name, name) == 0)
            return true;
    return false;
}

static void list_params(const struct plugin *p, const char *prefix, struct strbuf *out)
{
    strbuf_addf(out, "%s has %s", p->name, p->n_params ? "" : "none");
    for (uint32_t i = 0; i < p->n_params; i++)
        strbuf_addf(out, "%s%s.%s", i ? ", " : "", prefix, p->params[i].name);
}

/* "did you mean ...?", if that is likely. */
static void suggest_param(const struct place *at, const char *parameter, struct strbuf *out)
{
    struct arena arena = {0};
    const struct plugin *p = at->in_use;
    const char **names = ARENA_ARRAY(&arena, const char *, p->n_params);
    for (uint32_t i = 0; i < p->n_params; i++)
        names[i] = p->params[i].name;
    const char *near = suggest_nearest(parameter, names, p->n_params);
    if (near)
        strbuf_addf(out, "did you mean '%s.%s'? ", at->prefix, near);
    arena_destroy(&arena);
}

/* For "scheduler.limit" if the scheduler has no such parameter: which scheduler has it, and what
 * parameters it has itself. */
static void explain_parameter(const struct place *at, const char *parameter, struct strbuf *out)
{
    const struct plugin *p = at->in_use;
    suggest_param(at, parameter, out);
    strbuf_addf(out, "%s is %s, which has no parameter '%s'", at->setting, p->name, parameter);
    uint32_t n_owners = 0;
    for (uint32_t i = 0; i < at->mechanism->count(); i++)
        if (has_param(at->mechanism->at(i), parameter))
            strbuf_addf(out, "%s%s", n_owners++ ? ", " : "; one is in ",
                        at->mechanism->at(i)->name);
    strbuf_add(out, "; ");
    list_params(p, at->prefix, out);
}

/* "swl.limit": parameters are named after the section of their mechanism. */
static void explain_owner(const struct place *at, const struct plugin *owner, struct strbuf *out)
{
    strbuf_addf(out, "parameters of %s %s begin with %s: ", at->mechanism->what, owner->name,
                at->prefix);
    list_params(owner, at->prefix, out);
    if (owner != at->in_use)
        strbuf_addf(out, "; %s is %s", at->setting, at->in_use->name);
}

/* Does any mechanism that could be here have it? */
static bool has_owner(const struct place *at, const char *parameter)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < at->mechanism->count(); i++)
        any = has_param(at->mechanism->at(i), parameter);
    return any;
}

static bool explain_at(const struct place *at, const char *name, struct strbuf *out)
{
    const char *parameter = below(name, at->prefix);
    const char *in_short = at->in_short ? below(name, at->in_short) : NULL;
    if (!parameter && in_short && has_owner(at, in_short))
        parameter = in_short;
    if (!at->in_use)
        return false;
    if (parameter) {
        explain_parameter(at, parameter, out);
        return true;
    }
    for (uint32_t i = 0; i < at->mechanism->count(); i++)
        if (below(name, at->mechanism->at(i)->name)) {
            explain_owner(at, at->mechanism->at(i), out);
            return true;
        }
    return false;
}

const char *machine_explain(const void *config, const char *name, struct arena *arena)
{
    struct place places[N_PLACES];
    struct strbuf text = {0};
    const char *hint = NULL;
    find_places(config, places);
    if (strcmp(name, "base") == 0)
        return "a base is set in a file: --gpu FILE";
    for (uint32_t i = 0; !hint && i < N_PLACES; i++)
        if (explain_at(&places[i], name, &text))
            hint = arena_strdup(arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return hint;
}
