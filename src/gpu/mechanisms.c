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

/* --- places --- */

static bool l1d_accepts(const struct plugin *p)
{
    return !cache_policy_find(p->name)->l2_only;
}

/* MODEL: the last-level cache of a discrete GPU's host has no controller. */
static bool host_llc_accepts(const struct plugin *p)
{
    const struct cache_policy_desc *d = cache_policy_find(p->name);
    return !d->l2_only && !d->period;
}

#define IN_USE(place, field)                                                                       \
    static const struct plugin *place##_in_use(const struct machine_config *c)                     \
    {                                                                                              \
        return c->field ? &c->field->plugin : NULL;                                                \
    }
IN_USE(scheduler, scheduler)
IN_USE(criticality, criticality)
IN_USE(l1d, l1d_policy)
IN_USE(l2, l2_policy)
IN_USE(atomics, atomics)
IN_USE(host_llc, host_memory.llc_policy)

const struct mechanism_section mechanism_sections[N_MECHANISM_PLACES] = {
    [AT_SCHEDULER] = {"scheduler", "scheduler", NULL, &scheduler_mechanism, NULL, scheduler_in_use},
    [AT_CRITICALITY] = {"criticality", "criticality", NULL, &criticality_mechanism, NULL,
                        criticality_in_use},
    [AT_L1D] = {"l1d.policy", "l1d.policy", "l1d", &cache_policy_mechanism, l1d_accepts,
                l1d_in_use},
    [AT_L2] = {"l2.policy", "l2.policy", "l2", &cache_policy_mechanism, NULL, l2_in_use},
    [AT_ATOMICS] = {"atomics", "atomics.unit", NULL, &atomics_mechanism, NULL, atomics_in_use},
    [AT_HOST_LLC] = {"host_llc.policy", "host_llc.policy", "host_llc", &cache_policy_mechanism,
                     host_llc_accepts, host_llc_in_use},
};

bool mechanism_section_accepts(enum mechanism_place at, const struct plugin *p)
{
    return !mechanism_sections[at].accepts || mechanism_sections[at].accepts(p);
}

/* --- names of parameters that do not exist --- */

/* A section of a configuration, and the mechanism there. */
struct place {
    const struct mechanism_section *section;
    const struct plugin *in_use;
};

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
        strbuf_addf(out, "did you mean '%s.%s'? ", at->section->prefix, near);
    arena_destroy(&arena);
}

/* For "scheduler.limit" if the scheduler has no such parameter: which scheduler has it, and what
 * parameters it has itself. */
static void explain_parameter(const struct place *at, const char *parameter, struct strbuf *out)
{
    const struct plugin *p = at->in_use;
    suggest_param(at, parameter, out);
    strbuf_addf(out, "%s is %s, which has no parameter '%s'", at->section->setting, p->name,
                parameter);
    uint32_t n_owners = 0;
    for (uint32_t i = 0; i < at->section->mechanism->count(); i++)
        if (has_param(at->section->mechanism->at(i), parameter))
            strbuf_addf(out, "%s%s", n_owners++ ? ", " : "; one is in ",
                        at->section->mechanism->at(i)->name);
    strbuf_add(out, "; ");
    list_params(p, at->section->prefix, out);
}

/* "swl.limit": parameters are named after the section of their mechanism. */
static void explain_owner(const struct place *at, const struct plugin *owner, struct strbuf *out)
{
    strbuf_addf(out, "parameters of %s %s begin with %s: ", at->section->mechanism->what,
                owner->name, at->section->prefix);
    list_params(owner, at->section->prefix, out);
    if (owner != at->in_use)
        strbuf_addf(out, "; %s is %s", at->section->setting, at->in_use->name);
}

/* Does any mechanism that could be here have it? */
static bool has_owner(const struct place *at, const char *parameter)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < at->section->mechanism->count(); i++)
        any = has_param(at->section->mechanism->at(i), parameter);
    return any;
}

static bool explain_at(const struct place *at, const char *name, struct strbuf *out)
{
    const char *parameter = below(name, at->section->prefix);
    const char *in_short = at->section->in_short ? below(name, at->section->in_short) : NULL;
    if (!parameter && in_short && has_owner(at, in_short))
        parameter = in_short;
    if (!at->in_use)
        return false;
    if (parameter) {
        explain_parameter(at, parameter, out);
        return true;
    }
    for (uint32_t i = 0; i < at->section->mechanism->count(); i++)
        if (below(name, at->section->mechanism->at(i)->name)) {
            explain_owner(at, at->section->mechanism->at(i), out);
            return true;
        }
    return false;
}

const char *machine_explain(const void *config, const char *name, struct arena *arena)
{
    struct strbuf text = {0};
    const char *hint = NULL;
    if (strcmp(name, "base") == 0)
        return "a base is set in a file: --gpu FILE";
    for (uint32_t i = 0; !hint && i < N_MECHANISM_PLACES; i++) {
        const struct mechanism_section *s = &mechanism_sections[i];
        if (explain_at(&(struct place){s, s->in_use(config)}, name, &text))
            hint = arena_strdup(arena, strbuf_text(&text));
    }
    strbuf_destroy(&text);
    return hint;
}
