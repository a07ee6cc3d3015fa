/* Bimodal RRIP (the paper and its algorithm: rrip.h): lines are inserted at 3, "distant", ready to
 * leave, except every `brrip_period`-th insertion of the cache, which is at 2, "long". So part of a
 * working set that is too large stays. The paper inserts at 2 with a low probability; a counter
 * takes its place. */
#include "cache/policies/rrip.h"

struct brrip_params {
    uint32_t brrip_period;
};

static const struct param brrip_params[] = {
    PARAM_U32(struct brrip_params, brrip_period, "32", 1, 1 << 20, "insertions",
              "period in which one insertion is at 2, the others at 3"),
};

struct brrip_stats {
    uint64_t distant_insertions;
};

static const struct plugin_stat brrip_stats[] = {
    STAT_COUNT(struct brrip_stats, distant_insertions, "lines",
               "lines inserted at 3 (distant re-reference)"),
};

/* One per application that shares the cache. */
struct brrip {
    uint64_t insertions; /* including those into empty ways */
};

static size_t brrip_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)params;
    return cache_geometry_apps(g) * sizeof(struct brrip);
}

static void brrip_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                             const struct mem_access *a)
{
    struct brrip *b = p->state;
    const struct brrip_params *params = p->params;
    uint8_t position = brrip_position(&b[a->app].insertions, params->brrip_period);
    rrip_line(s, way)->rrpv = position;
    ((struct brrip_stats *)p->stats)->distant_insertions += position == RRPV_DISTANT;
}

static uint64_t brrip_cost_bits(const struct cache_geometry *g, const void *params,
                                struct strbuf *parts)
{
    const struct brrip_params *b = params;
    return rrip_cost(g, parts) +
           plugin_cost(parts, "insertions", plugin_index_bits(b->brrip_period));
}

const struct cache_policy_desc cache_policy_brrip = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "brrip",
    .summary = "like srrip, but inserts with the interval 3 and only occasionally with 2",
    .citation = "A. Jaleel et al.: High performance cache replacement using re-reference interval "
                "prediction (RRIP). ISCA 2010",
    .params = brrip_params,
    .n_params = sizeof brrip_params / sizeof brrip_params[0],
    .params_bytes = sizeof(struct brrip_params),
    PLUGIN_STATS(brrip_stats, struct brrip_stats),
    .state_bytes = brrip_state_bytes,
    .line_state_bytes = sizeof(struct rrip_line),
    .cost_bits = brrip_cost_bits,
    .never_bypasses = true,
    .decide = rrip_decide,
    .on_hit = rrip_on_use,
    .hit_effect = rrip_hit_effect,
    .on_merge = rrip_on_use,
    .on_miss = rrip_on_lookup,
    .on_store = rrip_on_lookup,
    .on_evict = rrip_on_evict,
    .on_reserve = brrip_on_reserve,
};
