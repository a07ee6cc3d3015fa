/* Stall-Bypass. S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for
 * GPUs using dynamic line protection. ICPP 2018, section 5.3:
 *
 * "enables a bypass path when a stall is detected in the L1D cache for any reason, such as no
 * available MSHR entry, no reservable slot in set, or a fully occupied miss queue."
 *
 * So a load that would stall because it lacks an MSHR, a slot in the MSHR it would merge with, a
 * slot in the miss queue, or a replaceable line bypasses instead. It still stalls if the port or
 * the bypass table is full. Everything else is LRU. */
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
    .summary = "LRU, but loads that would stall bypass the cache",
    .citation =
        "X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using "
        "dynamic line protection. ICPP 2018, section 5.3",
    .cost_bits = stall_bypass_cost_bits,
    .decide = stall_bypass_decide,
    .would_stall = stall_bypass_would_stall,
};
