/* A scheduler that ends its process: what a sweep must survive. */
#include <stdlib.h>

#include "sched/scheduler.h"

static uint64_t crasher_cost_bits(const struct sched_geometry *geometry, const void *params,
                                  struct strbuf *parts)
{
    (void)geometry, (void)params, (void)parts;
    return 0;
}

static struct sched_pick crasher_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                      uint64_t ready_loads, uint64_t now)
{
    (void)s, (void)slot, (void)ready, (void)ready_loads, (void)now;
    abort();
}

PLUGIN_EXPORT const struct scheduler_desc heddle_scheduler = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "crasher",
    .summary = "aborts",
    .citation = "an example",
    .cost_bits = crasher_cost_bits,
    .pick = crasher_pick,
};
