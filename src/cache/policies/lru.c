/* Least recently used: the baseline of all four papers. The framework keeps the order of use for
 * every cache. Hits, merges and reservations are uses, and so are stores that keep the line.
 * Nothing bypasses. */
#include "cache/cache_policy.h"

static int lru_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    (void)p, (void)a;
    return cache_set_lru(s);
}

/* The base cost of every cache includes LRU bits. */
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
