#include "crit/criticality.h"

#define PROVIDER(id) extern const struct criticality_desc criticality_##id;
#include "crit/providers.def"
#undef PROVIDER

static const struct plugin *const built_in[] = {
#define PROVIDER(id) &criticality_##id.plugin,
#include "crit/providers.def"
#undef PROVIDER
};

static struct plugin_kind kind = {
    .what = "criticality provider",
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .built_in = built_in,
    .n_built_in = sizeof built_in / sizeof built_in[0],
};

uint32_t criticality_count(void)
{
    return plugin_count(&kind);
}

const struct criticality_desc *criticality_at(uint32_t i)
{
    return (const struct criticality_desc *)plugin_at(&kind, i);
}

const struct criticality_desc *criticality_find(const char *name)
{
    return (const struct criticality_desc *)plugin_find(&kind, name);
}

bool criticality_is_sound(const struct criticality_desc *d, struct strbuf *why)
{
    if (!plugin_is_sound(&kind, &d->plugin, why))
        return false;
    if (!d->value || !d->is_critical || !d->cost_bits) {
        strbuf_addf(why, "'%s' lacks one of value(), is_critical() and cost_bits()", d->name);
        return false;
    }
    return true;
}

bool criticality_register(const struct criticality_desc *d, struct strbuf *why)
{
    return criticality_is_sound(d, why) && plugin_register(&kind, &d->plugin, why);
}

bool criticality_load(const char *path, struct strbuf *why)
{
    const struct criticality_desc *d = plugin_open(path, "heddle_criticality", why);
    return d && criticality_register(d, why);
}
