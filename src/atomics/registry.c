#include "atomics/atomics.h"

#define ATOMICS(id) extern const struct atomics_desc atomics_##id;
#include "atomics/atomics.def"
#undef ATOMICS

static const struct plugin *const built_in[] = {
#define ATOMICS(id) &atomics_##id.plugin,
#include "atomics/atomics.def"
#undef ATOMICS
};

static const struct plugin_kind kind = {
    .what = "atomics unit",
    .abi_version = ATOMICS_ABI,
    .struct_size = sizeof(struct atomics_desc),
    .built_in = built_in,
    .n_built_in = sizeof built_in / sizeof built_in[0],
};

uint32_t atomics_count(void)
{
    return plugin_count(&kind);
}

const struct atomics_desc *atomics_at(uint32_t i)
{
    return (const struct atomics_desc *)plugin_at(&kind, i);
}

const struct atomics_desc *atomics_find(const char *name)
{
    return (const struct atomics_desc *)plugin_find(&kind, name);
}

bool atomics_is_sound(const struct atomics_desc *d, struct strbuf *why)
{
    if (!plugin_is_sound(&kind, &d->plugin, why))
        return false;
    bool in_l2 = d->may_serve && d->await_data && d->perform && d->at_boundary;
    if (!d->cost_bits || !d->lead || !d->take || !d->answer || (!d->net && !in_l2)) {
        strbuf_addf(why, "'%s' lacks one of its functions", d->name);
        return false;
    }
    return true;
}
