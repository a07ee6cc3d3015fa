/* Stall-Bypass (S2 section 5.3): LRU, but a load that would have to wait for an MSHR, a merge slot,
 * a line or a place in the miss queue goes around the cache instead. */
#include "cache/cache_policy.h"

static int stall_bypass_decide(const struct cache_policy *p, const struct cache_set *s,
                               const struct mem_access *a)
{
    (void)p, (void)a;
    return cache_set_lru(s);
}

static bool stall_bypass_would_stall(const struct cache_policy *p, enum cache_stall cause,
                                     const struct mem_access *a)
{
    (void)p, (void)cause, (void)a;
    return true;
}

static uint64_t stall_bypass_cost_bits(const struct cache_geometry *g, const void *params,
                                       struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

const struct cache_policy_desc cache_policy_stall_bypass = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "stall_bypass",
    .summary = "LRU; loads that would stall bypass the cache instead",
    .citation =
        "X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using "
        "dynamic line protection. ICPP 2018, section 5.3",
    .cost_bits = stall_bypass_cost_bits,
    .decide = stall_bypass_decide,
    .would_stall = stall_bypass_would_stall,
};
