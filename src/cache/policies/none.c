/* No cache: every load bypasses, as if the L1D were switched off. S3 = S.-Y. Lee: Intelligent
 * scheduling and memory management techniques for modern GPU architectures. PhD thesis, Arizona
 * State University 2017, section 5.1.
 *
 * Stores that would allocate are forwarded too. */
#include "cache/cache_policy.h"

static int none_decide(const struct cache_policy *p, const struct cache_set *s,
                       const struct mem_access *a)
{
    (void)p, (void)s, (void)a;
    return CACHE_BYPASS;
}

static uint64_t none_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

const struct cache_policy_desc cache_policy_none = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "none",
    .summary = "caches nothing: every load bypasses the cache",
    .citation = "S.-Y. Lee: Intelligent Scheduling and Memory Management Techniques for Modern GPU "
                "Architectures. PhD thesis, Arizona State University, 2017, section 5.1",
    .cost_bits = none_cost_bits,
    .decide = none_decide,
};
