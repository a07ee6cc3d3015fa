/* A scheduler from a shared object: youngest ready first, which no built-in one does. */
#include "sched/scheduler.h"

struct youngest_stats {
    uint64_t issues;
};

static const struct plugin_stat youngest_stats[] = {
    STAT_COUNT(struct youngest_stats, issues, "instructions", "that it was told of"),
};

static uint64_t youngest_cost_bits(const struct sched_geometry *g, const void *params,
                                   struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

static struct sched_pick youngest_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                       uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct sched_warp *warps = s->view->warps;
    struct sched_pick p = {.warp = -1, .visited = s->slot_warps[slot] & s->view->live};
    for (uint32_t w = 0; w < s->view->n_warps; w++)
        if (ready >> w & 1 && (p.warp < 0 || warps[w].age > warps[p.warp].age))
            p.warp = (int)w;
    for (uint32_t w = 0; w < s->view->n_warps; w++)
        if (warps[w].age < warps[p.warp].age)
            p.visited &= ~(UINT64_C(1) << w);
    return p;
}

static void youngest_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,
                              enum issue_class class, uint32_t pc, uint64_t now)
{
    (void)slot, (void)warp, (void)class, (void)pc, (void)now;
    ((struct youngest_stats *)s->stats)->issues++;
}

PLUGIN_EXPORT const struct scheduler_desc heddle_scheduler = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "youngest",
    .summary = "the youngest ready warp",
    .citation = "an example",
    PLUGIN_STATS(youngest_stats, struct youngest_stats),
    .cost_bits = youngest_cost_bits,
    .pick = youngest_pick,
    .on_issue = youngest_on_issue,
};
