/* The one list of workloads, and look-ups in it. */
#include <string.h>

#include "workloads/workload.h"

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/list.def"
#undef WORKLOAD

const struct workload *const workload_list[] = {
#define WORKLOAD(name) &workload_##name,
#include "workloads/list.def"
#undef WORKLOAD
};
const uint32_t workload_count = sizeof workload_list / sizeof workload_list[0];

const struct workload *workload_find(const char *name)
{
    for (uint32_t i = 0; i < workload_count; i++)
        if (strcmp(workload_list[i]->name, name) == 0)
            return workload_list[i];
    return NULL;
}

const struct workload_size *workload_find_size(const struct workload *w, const char *name)
{
    for (const struct workload_size *s = w->sizes; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}
