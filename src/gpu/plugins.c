#include "gpu/plugins.h"

#include <dlfcn.h>

#include "cache/cache_policy.h"
#include "crit/criticality.h"
#include "sched/scheduler.h"

static const struct {
    const char *symbol;
    bool (*load)(const char *path, struct strbuf *why);
} kinds[] = {
    {"heddle_cache_policy", cache_policy_load},
    {"heddle_scheduler", scheduler_load},
    {"heddle_criticality", criticality_load},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static bool load_all(void *object, const char *path, struct strbuf *why)
{
    bool found = false;
    for (int i = 0; i < N_KINDS; i++) {
        if (!dlsym(object, kinds[i].symbol))
            continue;
        found = true;
        if (!kinds[i].load(path, why))
            return false;
    }
    if (!found)
        strbuf_addf(why, "%s exports none of %s, %s and %s", path, kinds[0].symbol, kinds[1].symbol,
                    kinds[2].symbol);
    return found;
}

bool plugins_load(const char *path, struct strbuf *why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        strbuf_addf(why, "cannot load it: %s", dlerror());
        return false;
    }
    bool ok = load_all(object, path, why);
    dlclose(object); /* what was registered holds the object on its own */
    return ok;
}
