/* The one list of cache policies, what plug-ins add to it, and the policies' parameters. Plug-ins
 * are loaded before simulations start; the list does not change while one runs. */
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "cache/checked.h"

#define POLICY(name) extern const struct cache_policy_desc cache_policy_##name;
#include "cache/policies.def"
#undef POLICY

static const struct plugin *const built_in[] = {
#define POLICY(name) &cache_policy_##name.plugin,
#include "cache/policies.def"
#undef POLICY
};

static struct plugin_kind kind = {
    .what = "cache policy",
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .built_in = built_in,
    .n_built_in = sizeof built_in / sizeof built_in[0],
};

uint32_t cache_policy_count(void)
{
    return plugin_count(&kind);
}

const struct cache_policy_desc *cache_policy_at(uint32_t i)
{
    return (const struct cache_policy_desc *)plugin_at(&kind, i);
}

const struct cache_policy_desc *cache_policy_find(const char *name)
{
    return (const struct cache_policy_desc *)plugin_find(&kind, name);
}

bool cache_policy_is_sound(const struct cache_policy_desc *d, struct strbuf *why)
{
    if (!plugin_is_sound(&kind, &d->plugin, why))
        return false;
    if (!d->decide || !d->cost_bits) {
        strbuf_addf(why, "'%s' lacks %s()", d->name, d->decide ? "cost_bits" : "decide");
        return false;
    }
    if (d->never_bypasses && d->would_stall) {
        strbuf_addf(why, "'%s' never bypasses but has would_stall()", d->name);
        return false;
    }
    return true;
}

bool cache_policy_register(const struct cache_policy_desc *d, struct strbuf *why)
{
    return cache_policy_is_sound(d, why) && plugin_register(&kind, &d->plugin, why);
}

bool cache_policy_load(const char *path, struct strbuf *why)
{
    const struct cache_policy_desc *d = plugin_open(path, "heddle_cache_policy", why);
    if (!d || !cache_policy_is_sound(d, why))
        return false;
    struct cache_policy_desc *checked = cache_policy_checked(d);
    bool ok = cache_policy_register(checked, why);
    if (!ok)
        free(checked);
    return ok;
}

/* `l2.drop` is short for `l2.policy.drop`, unless the cache itself has a parameter of that name. */
static void expand_short_names(const struct cache_policy_desc *d, struct param_set *set,
                               const char *prefix)
{
    struct arena *arena = &set->settings.arena;
    for (uint32_t k = 0; k < d->n_params; k++) {
        const char *name = arena_printf(arena, "%s.%s", prefix, d->params[k].name);
        for (uint32_t i = 0; i < set->settings.n; i++) {
            struct setting *s = &set->settings.items[i];
            if (!s->taken && strcmp(s->name, name) == 0)
                s->name = arena_printf(arena, "%s.policy.%s", prefix, d->params[k].name);
        }
    }
}

const void *cache_policy_bind(const struct cache_policy_desc *d, struct param_set *set,
                              const char *prefix, struct diag_list *diags)
{
    if (!d->n_params)
        return NULL;
    void *values = arena_alloc(&set->settings.arena, d->params_bytes);
    const char *name = arena_printf(&set->settings.arena, "%s.policy", prefix);
    expand_short_names(d, set, prefix);
    param_set_bind(set, name, d->params, d->n_params, values, diags);
    return values;
}
