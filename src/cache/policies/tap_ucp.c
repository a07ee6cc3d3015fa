/* TAP-UCP (S1 section 5.1.1; the paper and its two parts: tap.h): UCP, but
 *
 *     caching does not help the GPU: only CPU applications are dealt ways, the GPU keeps min_ways
 *     else: the GPU's utilities are divided by XSRATIO
 *
 * The SM that samples LRU insertion inserts there; everything else is UCP's (ucp.c). */
#include "cache/policies/lookahead.h"
#include "cache/policies/quota.h"
#include "cache/policies/tap.h"

struct tap_ucp_params {
    uint64_t period;
    uint32_t min_ways, alpha_percent, xs_threshold;
};

static const struct param tap_ucp_params[] = {
    PARAM_U64(struct tap_ucp_params, period, "5000000", 1, 1ull << 40, "cycles",
              "cycles between two partitions"),
    PARAM_U32(struct tap_ucp_params, min_ways, "1", 1, CACHE_MAX_WAYS, "ways",
              "least number of ways of an application"),
    TAP_PARAMS(struct tap_ucp_params),
};

static bool tap_ucp_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    return quota_check(g, "tap_ucp", ((const struct tap_ucp_params *)params)->min_ways, why);
}

static uint64_t tap_ucp_cost_bits(const struct cache_geometry *g, const void *params,
                                  struct strbuf *parts)
{
    (void)params;
    return quota_cost(g, parts);
}

static void tap_ucp_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                               const struct mem_access *a)
{
    quota_on_reserve(p, s, way, a);
    if (a->role == MEM_ROLE_SAMPLE_LRU)
        quota_demote(p, s, way);
}

static uint64_t tap_ucp_period(const void *params)
{
    return ((const struct tap_ucp_params *)params)->period;
}

static void tap_ucp_control(const void *params, const struct shared_report *r,
                            struct shared_decision *d)
{
    const struct tap_ucp_params *t = params;
    struct lookahead l = {.n_apps = r->n_apps, .n_ways = r->n_ways, .min_ways = t->min_ways};
    tap_decide((struct tap){t->alpha_percent, t->xs_threshold}, r, d);
    for (uint32_t k = 0; k < r->n_apps; k++) {
        l.divide_by[k] = k == r->gpu_app ? d->xs_ratio : 1;
        l.keeps_least[k] = k == r->gpu_app && !d->caching_helps;
    }
    lookahead_partition(&l, r->hits, d->quotas);
    d->has_quotas = true;
}

const struct cache_policy_desc cache_policy_tap_ucp = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "tap_ucp",
    .summary = "ucp that judges the GPU's utility by core sampling and normalises its access rate",
    .citation = "J. Lee, H. Kim: TAP: a TLP-aware cache management policy for a CPU-GPU "
                "heterogeneous architecture. HPCA 2012",
    .params = tap_ucp_params,
    .n_params = sizeof tap_ucp_params / sizeof tap_ucp_params[0],
    .params_bytes = sizeof(struct tap_ucp_params),
    .l2_only = true,
    .uses_sampling_sms = true,
    .never_bypasses = true,
    .check = tap_ucp_check,
    .state_bytes = quota_state_bytes,
    .line_state_bytes = sizeof(struct quota_line),
    .cost_bits = tap_ucp_cost_bits,
    .control_cost_bits = tap_cost,
    .init = quota_init,
    .decide = quota_decide,
    .on_hit = quota_on_hit,
    .on_merge = quota_on_merge,
    .on_miss = quota_on_miss,
    .on_store = quota_on_store,
    .on_reserve = tap_ucp_on_reserve,
    .period = tap_ucp_period,
    .report = quota_report,
    .control = tap_ucp_control,
    .apply = quota_apply,
};
