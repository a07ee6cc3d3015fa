/* A scheduler built for an interface of another time. */
#include "sched/scheduler.h"

PLUGIN_EXPORT const struct scheduler_desc heddle_scheduler = {
    .abi_version = SCHEDULER_ABI + 1,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "outdated",
};
