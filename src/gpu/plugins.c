#include "gpu/plugins.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/cache_policy.h"
#include "crit/criticality.h"
#include "sched/scheduler.h"

/* Has the descriptor been registered before? The registered one may be a copy, with the same
 * name. */
#define HAS(kind)                                                                                  \
    static bool has_##kind(const void *desc)                                                       \
    {                                                                                              \
        for (uint32_t i = 0; i < kind##_count(); i++)                                              \
            if (kind##_at(i)->name == ((const struct plugin *)desc)->name)                         \
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

/* A plug-in resolves the functions it may call among global symbols. If a program has loaded the
 * library locally (an OpenCL loader, Python), its symbols are not global until now. */
static void show_own_names(void)
{
    Dl_info self;
    if (dladdr(kinds, &self) && self.dli_fname)
        dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* `heddle new policy mine` writes a folder: the user means mine/mine.so. */
static bool is_folder(const char *path, struct strbuf *why)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return false;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *slash = memrchr(path, '/', n), *last = slash ? slash + 1 : path;
    int n_last = (int)(path + n - last);
    struct strbuf object = {0};
    strbuf_addf(&object, "%.*s/%.*s.so", (int)n, path, n_last, last);
    strbuf_add(why, "it is a folder; name the shared object");
    if (access(strbuf_text(&object), F_OK) == 0)
        strbuf_addf(why, ", %s", strbuf_text(&object));
    strbuf_destroy(&object);
    return true;
}

/* `heddle new` writes a Makefile beside the source. */
static bool is_unbuilt(const char *path)
{
    struct strbuf makefile = {0};
    strbuf_addf(&makefile, "%.*s/Makefile", (int)(strrchr(path, '/') - path), path);
    bool is_there = access(strbuf_text(&makefile), F_OK) == 0;
    strbuf_destroy(&makefile);
    return is_there;
}

bool plugins_load(const char *name, struct strbuf *why)
{
    if (is_folder(name, why))
        return false;
    show_own_names();
    struct arena arena = {0};
    /* dlopen() searches a bare name among the system's libraries; the user means a file here. */
    const char *path =
        strchr(name, '/') || access(name, F_OK) != 0 ? name : arena_printf(&arena, "./%s", name);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool ok = object && load_all(object, path, why);
    if (object)
        dlclose(object); /* the registration holds the object by itself */
    else if (access(path, F_OK) != 0 && strchr(path, '/') && is_unbuilt(path))
        strbuf_addf(why, "it has not been built; `make -C %.*s` builds it",
                    (int)(strrchr(path, '/') - path), path);
    else
        strbuf_addf(why, "cannot load it: %s", dlerror());
    arena_destroy(&arena);
    return ok;
}
