/* Utility-based cache partitioning: each application that shares the cache has a quota of ways.
 * Each period the ways are dealt again, by the hits that monitors predict for each quota.
 *     monitors: umon.h       partition: lookahead.h       replacement: quota.h
 * In a cache that is not shared the one application has all ways, and this is LRU. */
#include <stdlib.h>

#include "cache/policies/lookahead.h"
#include "cache/policies/quota.h"

struct ucp_params {
    uint64_t period;
    uint32_t min_ways;
    const char *quotas;
};

static const struct param ucp_params[] = {
    PARAM_U64(struct ucp_params, period, "5000000", 1, 1ull << 40, "cycles",
              "cycles between two partitions"),
    PARAM_U32(struct ucp_params, min_ways, "1", 1, CACHE_MAX_WAYS, "ways",
              "least number of ways of an application"),
    PARAM_STRING(struct ucp_params, quotas, "",
                 "ways of each application for the whole run, as in 24,8; none = by monitors"),
};

/* One quota per application, each at least 1; together they are all ways. */
static bool forced_quotas(const struct cache_geometry *g, const void *params, uint32_t *quotas)
{
    const char *text = ((const struct ucp_params *)params)->quotas;
    uint32_t n = cache_geometry_apps(g), sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        char *end;
        unsigned long ways = strtoul(text, &end, 10);
        if (end == text || !ways || ways > g->n_ways || *end != (k + 1 < n ? ',' : 0))
            return false;
        quotas[k] = (uint32_t)ways;
        sum += quotas[k];
        text = end + 1;
    }
    return sum == g->n_ways;
}

static bool ucp_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    const struct ucp_params *u = params;
    uint32_t quotas[SHARED_MAX_APPS];
    if (!quota_check(g, "ucp", u->min_ways, why))
        return false;
    if (!*u->quotas || forced_quotas(g, params, quotas))
        return true;
    strbuf_addf(why, "policy ucp: quotas %s: expected %u numbers of 1 or more with a sum of %u",
                u->quotas, cache_geometry_apps(g), g->n_ways);
    return false;
}

static void ucp_init(struct cache_policy *p)
{
    struct quota_state *q = p->state;
    quota_init(p);
    if (*((const struct ucp_params *)p->params)->quotas)
        forced_quotas(&p->geometry, p->params, q->quotas);
}

static uint64_t ucp_cost_bits(const struct cache_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)params;
    return quota_cost(g, parts);
}

static uint64_t ucp_period(const void *params)
{
    return ((const struct ucp_params *)params)->period;
}

static void ucp_control(const void *params, const struct shared_report *r,
                        struct shared_decision *d)
{
    const struct ucp_params *u = params;
    struct cache_geometry g = {.n_apps = r->n_apps, .n_ways = r->n_ways};
    struct lookahead l = {.n_apps = r->n_apps, .n_ways = r->n_ways, .min_ways = u->min_ways};
    d->has_quotas = true;
    if (*u->quotas) {
        forced_quotas(&g, params, d->quotas);
        return;
    }
    for (uint32_t k = 0; k < r->n_apps; k++)
        l.divide_by[k] = 1;
    lookahead_partition(&l, r->hits, d->quotas);
}

const struct cache_policy_desc cache_policy_ucp = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "ucp",
    .summary = "partitions the ways of a shared cache by the marginal utility of each application",
    .citation = "M. K. Qureshi, Y. N. Patt: Utility-based cache partitioning: a low-overhead, "
                "high-performance, runtime mechanism to partition shared caches. MICRO 2006",
    .params = ucp_params,
    .n_params = sizeof ucp_params / sizeof ucp_params[0],
    .params_bytes = sizeof(struct ucp_params),
    .l2_only = true,
    .never_bypasses = true,
    .check = ucp_check,
    .state_bytes = quota_state_bytes,
    .line_state_bytes = sizeof(struct quota_line),
    .cost_bits = ucp_cost_bits,
    .init = ucp_init,
    .decide = quota_decide,
    .on_hit = quota_on_hit,
    .on_merge = quota_on_merge,
    .on_miss = quota_on_miss,
    .on_store = quota_on_store,
    .on_reserve = quota_on_reserve,
    .period = ucp_period,
    .report = quota_report,
    .control = ucp_control,
    .apply = quota_apply,
};
