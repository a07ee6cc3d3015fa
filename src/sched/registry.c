#include <stdlib.h>

#include "sched/checked.h"
#include "sched/scheduler.h"

#define SCHEDULER(id) extern const struct scheduler_desc scheduler_##id;
#include "sched/schedulers.def"
#undef SCHEDULER

static const struct plugin *const built_in[] = {
#define SCHEDULER(id) &scheduler_##id.plugin,
#include "sched/schedulers.def"
#undef SCHEDULER
};

static struct plugin_kind kind = {
    .what = "scheduler",
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .built_in = built_in,
    .n_built_in = sizeof built_in / sizeof built_in[0],
};

uint32_t scheduler_count(void)
{
    return plugin_count(&kind);
}

const struct scheduler_desc *scheduler_at(uint32_t i)
{
    return (const struct scheduler_desc *)plugin_at(&kind, i);
}

const struct scheduler_desc *scheduler_find(const char *name)
{
    return (const struct scheduler_desc *)plugin_find(&kind, name);
}

bool scheduler_is_sound(const struct scheduler_desc *d, struct strbuf *why)
{
    if (!plugin_is_sound(&kind, &d->plugin, why))
        return false;
    if (!d->pick || !d->cost_bits) {
        strbuf_addf(why, "'%s' lacks %s()", d->name, d->pick ? "cost_bits" : "pick");
        return false;
    }
    if (!d->on_stall != !d->on_wake) {
        strbuf_addf(why, "'%s' has one of on_stall() and on_wake() without the other", d->name);
        return false;
    }
    return true;
}

bool scheduler_register(const struct scheduler_desc *d, struct strbuf *why)
{
    return scheduler_is_sound(d, why) && plugin_register(&kind, &d->plugin, why);
}

bool scheduler_load(const char *path, struct strbuf *why)
{
    const struct scheduler_desc *d = plugin_open(path, "heddle_scheduler", why);
    if (!d || !scheduler_is_sound(d, why))
        return false;
    struct scheduler_desc *checked = scheduler_checked(d);
    bool ok = scheduler_register(checked, why);
    if (!ok)
        free(checked);
    return ok;
}
