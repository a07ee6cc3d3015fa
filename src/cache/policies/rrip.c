#include "cache/policies/rrip.h"

int rrip_decide(const struct cache_policy *p, const struct cache_set *s, const struct mem_access *a)
{
    (void)p, (void)a;
    return rrip_victim(s, cache_set_ways(s));
}

void rrip_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                 const struct mem_access *a)
{
    (void)p, (void)a;
    if (way != ~0u)
        rrip_line(s, way)->rrpv = 0;
}

enum cache_hit_effect rrip_hit_effect(const struct cache_policy *p, const struct cache_set *s,
                                      uint32_t way)
{
    (void)p;
    return rrip_line(s, way)->rrpv == 0 ? HIT_IS_SILENT : HIT_MATTERS;
}

void rrip_on_lookup(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a)
{
    if (way >= 0)
        rrip_on_use(p, s, (uint32_t)way, a);
}

void rrip_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   enum cache_evict_cause cause, const struct mem_access *a)
{
    (void)p, (void)a;
    if (cause == EVICT_REPLACE)
        rrip_age(s, cache_set_ways(s), way);
}

uint64_t rrip_cost(const struct cache_geometry *g, struct strbuf *parts)
{
    return plugin_cost(parts, "predictions", (uint64_t)g->n_sets * g->n_ways * RRPV_BITS);
}
