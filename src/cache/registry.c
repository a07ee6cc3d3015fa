/* The one list of cache policies, what plug-ins add to it, and the policies' parameters. Plug-ins
 * are loaded before simulations start; the list does not change while one runs. */
#include <assert.h>
#include <string.h>

#include "cache/cache.h"

#define POLICY(name) extern const struct cache_policy_desc cache_policy_##name;
#include "cache/policies.def"
#undef POLICY

static const struct cache_policy_desc *const built_in[] = {
#define POLICY(name) &cache_policy_##name,
#include "cache/policies.def"
#undef POLICY
};

enum { N_BUILT_IN = sizeof built_in / sizeof built_in[0], MAX_PLUGGED = 64 };

static const struct cache_policy_desc *plugged[MAX_PLUGGED];
static uint32_t n_plugged;

uint32_t cache_policy_count(void)
{
    return N_BUILT_IN + n_plugged;
}

const struct cache_policy_desc *cache_policy_at(uint32_t i)
{
    assert(i < cache_policy_count());
    return i < N_BUILT_IN ? built_in[i] : plugged[i - N_BUILT_IN];
}

const struct cache_policy_desc *cache_policy_find(const char *name)
{
    for (uint32_t i = 0; i < cache_policy_count(); i++)
        if (strcmp(cache_policy_at(i)->name, name) == 0)
            return cache_policy_at(i);
    return NULL;
}

/* What is wrong with a descriptor whose ABI and size are right; NULL if nothing is. */
static const char *fault_of(const struct cache_policy_desc *d)
{
    if (!d->name || !*d->name)
        return "it has no name";
    if (!d->summary || !d->citation)
        return "it has no summary or no citation";
    if (!d->decide)
        return "it has no decide()";
    if (!d->cost_bits)
        return "it has no cost_bits()";
    if (d->n_params && (!d->params || !d->params_bytes))
        return "its parameters have no table or no size";
    if (cache_policy_find(d->name))
        return "there is a policy of that name already";
    return n_plugged == MAX_PLUGGED ? "there are too many policies" : NULL;
}

bool cache_policy_register(const struct cache_policy_desc *d, struct strbuf *why)
{
    if (d->abi_version != CACHE_POLICY_ABI || d->struct_size != sizeof *d) {
        strbuf_addf(why,
                    "a cache policy was built for another Heddle: ABI %u with descriptors of %zu "
                    "bytes, this one has ABI %u and %zu bytes; rebuild it",
                    d->abi_version, d->struct_size, CACHE_POLICY_ABI, sizeof *d);
        return false;
    }
    const char *fault = fault_of(d);
    if (fault) {
        strbuf_addf(why, "cache policy '%s': %s", d->name ? d->name : "", fault);
        return false;
    }
    plugged[n_plugged++] = d;
    return true;
}

void cache_policy_default_params(const struct cache_policy_desc *d, void *params)
{
    struct arena arena = {0};
    struct strbuf why = {0};
    for (uint32_t i = 0; i < d->n_params; i++) {
        const struct param *p = &d->params[i];
        if (p->type == PARAM_TYPE_STRING) { /* no copy: the table outlives every cache */
            *(const char **)((char *)params + p->offset) = p->default_text;
            continue;
        }
        bool ok = param_store(p, params, p->default_text, &arena, &why);
        assert(ok && "a default must be valid; the registry test checks it");
        (void)ok;
    }
    strbuf_destroy(&why);
    arena_destroy(&arena);
}

const void *cache_policy_bind(const struct cache_policy_desc *d, struct param_set *set,
                              const char *prefix, struct diag_list *diags)
{
    if (!d->n_params)
        return NULL;
    void *values = arena_alloc(&set->settings.arena, d->params_bytes);
    const char *name = arena_printf(&set->settings.arena, "%s.policy", prefix);
    param_set_bind(set, name, d->params, d->n_params, values, diags);
    return values;
}
