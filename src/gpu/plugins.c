#include "gpu/plugins.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cache/cache_policy.h"
#include "crit/criticality.h"
#include "sched/scheduler.h"

/* Has the descriptor been registered before? Nothing else could have its name and its address. */
#define HAS(kind)                                                                                  \
    static bool has_##kind(const void *desc)                                                       \
    {                                                                                              \
        for (uint32_t i = 0; i < kind##_count(); i++)                                              \
            if (kind##_at(i) == desc)                                                              \
                return true;                                                                       \
        return false;                                                                              \
    }
HAS(cache_policy)
HAS(scheduler)
HAS(criticality)

static const struct {
    const char *symbol;
    bool (*has)(const void *desc);
    bool (*load)(const char *path, struct strbuf *why);
} kinds[] = {
    {"heddle_cache_policy", has_cache_policy, cache_policy_load},
    {"heddle_scheduler", has_scheduler, scheduler_load},
    {"heddle_criticality", has_criticality, criticality_load},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static bool load_all(void *object, const char *path, struct strbuf *why)
{
    bool found = false;
    for (int i = 0; i < N_KINDS; i++) {
        const void *desc = dlsym(object, kinds[i].symbol);
        if (!desc)
            continue;
        found = true;
        if (!kinds[i].has(desc) && !kinds[i].load(path, why))
            return false;
    }
    if (!found)
        strbuf_addf(why, "%s exports none of %s, %s and %s", path, kinds[0].symbol, kinds[1].symbol,
                    kinds[2].symbol);
    return found;
}

bool plugins_load(const char *name, struct strbuf *why)
{
    char path[PATH_MAX];
    /* Without a slash, dlopen() would look among the system's libraries. */
    if (snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "./", name) >=
        (int)sizeof path) {
        strbuf_add(why, "its name is too long");
        return false;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        strbuf_addf(why, "cannot load it: %s", dlerror());
        return false;
    }
    bool ok = load_all(object, path, why);
    dlclose(object); /* what was registered holds the object on its own */
    return ok;
}
