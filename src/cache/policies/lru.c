/* Least recently used: the baseline of all four sources. The order of use is what the framework
 * keeps for every cache; hits, merges and reservations are uses, and so are stores that leave the
 * line in its place. Nothing ever bypasses. */
#include "cache/cache_policy.h"

static int lru_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    (void)p, (void)a;
    return cache_set_lru(s);
}

/* LRU bits are part of every cache's base cost. */
static uint64_t lru_cost_bits(const struct cache_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

const struct cache_policy_desc cache_policy_lru = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "lru",
    .summary = "replaces the least recently used line",
    .citation = "R. L. Mattson et al.: Evaluation techniques for storage hierarchies. IBM Systems "
                "Journal 9(2), 1970",
    .cost_bits = lru_cost_bits,
    .never_bypasses = true,
    .decide = lru_decide,
};
