/* A cache policy and a scheduler whose answers break the contract, each in the way that its
 * parameter says. */
#include "cache/cache_policy.h"
#include "sched/scheduler.h"

enum answer { FAR_WAY, RESERVED_WAY, BYPASS };

static const char *const answers[] = {"far_way", "reserved_way", "bypass", NULL};

struct lawless_params {
    uint32_t answer;
};

static const struct param lawless_params[] = {
    PARAM_ENUM(struct lawless_params, answer, "far_way", answers, "what decide() answers"),
};

static uint64_t policy_cost_bits(const struct cache_geometry *g, const void *params,
                                 struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

static int lawless_decide(const struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a)
{
    (void)a;
    switch (((const struct lawless_params *)p->params)->answer) {
    case FAR_WAY:
        return 99;
    case BYPASS:
        return CACHE_BYPASS;
    default:
        return s->reserved ? __builtin_ctzll(s->reserved) : 0;
    }
}

PLUGIN_EXPORT const struct cache_policy_desc heddle_cache_policy = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "lawless_policy",
    .summary = "chooses what it may not",
    .citation = "a test",
    .params = lawless_params,
    .n_params = 1,
    .params_bytes = sizeof(struct lawless_params),
    .never_bypasses = true,
    .cost_bits = policy_cost_bits,
    .decide = lawless_decide,
};

static uint64_t scheduler_cost_bits(const struct sched_geometry *g, const void *params,
                                    struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

/* The first live warp, whether it is ready or not. */
static struct sched_pick lawless_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                      uint64_t ready_loads, uint64_t now)
{
    (void)ready, (void)ready_loads, (void)now;
    uint64_t mine = s->slot_warps[slot];
    return (struct sched_pick){.warp = __builtin_ctzll(mine), .visited = mine};
}

PLUGIN_EXPORT const struct scheduler_desc heddle_scheduler = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "lawless_scheduler",
    .summary = "picks warps that are not ready",
    .citation = "a test",
    .cost_bits = scheduler_cost_bits,
    .pick = lawless_pick,
};
