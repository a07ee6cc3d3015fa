/* Static RRIP (the paper and its algorithm: rrip.h): lines are inserted at 2, "long", one below the
 * top, so that lines of a scan are evicted before lines that were reused. */
#include "cache/policies/rrip.h"

static void srrip_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                             const struct mem_access *a)
{
    (void)p, (void)a;
    rrip_line(s, way)->rrpv = RRPV_LONG;
}

static uint64_t srrip_cost_bits(const struct cache_geometry *g, const void *params,
                                struct strbuf *parts)
{
    (void)params;
    return rrip_cost(g, parts);
}

const struct cache_policy_desc cache_policy_srrip = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "srrip",
    .summary = "re-reference interval prediction, 2 bits per line; inserts with the interval 2",
    .citation = "A. Jaleel et al.: High performance cache replacement using re-reference interval "
                "prediction (RRIP). ISCA 2010",
    .line_state_bytes = sizeof(struct rrip_line),
    .cost_bits = srrip_cost_bits,
    .never_bypasses = true,
    .decide = rrip_decide,
    .on_hit = rrip_on_use,
    .hit_effect = rrip_hit_effect,
    .on_merge = rrip_on_use,
    .on_miss = rrip_on_lookup,
    .on_store = rrip_on_lookup,
    .on_evict = rrip_on_evict,
    .on_reserve = srrip_on_reserve,
};
