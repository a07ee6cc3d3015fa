/* Tree pseudo-LRU: a binary tree over the ways of a set. Each node has a bit that points to the
 * half used longer ago (0 = lower ways). A use sets the bits on the path to its way so that they
 * point away from it; the victim is found by following the bits. If all lines of the half pointed
 * to are reserved, the search takes the other half.
 *
 * Uses are hits, merges, reservations, misses of sectors and stores that find the line. A store
 * that removes the line also counts as a use. This has no effect: its way is filled, and so used,
 * before the tree is consulted again. */
#include "cache/cache_policy.h"

/* The state is one word per set. Node 1 is the root, the children of node i are 2i and 2i+1; bit i
 * of the word is node i. */

static bool plru_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    (void)params;
    if (!(g->n_ways & (g->n_ways - 1)))
        return true;
    strbuf_addf(why,
                "policy plru keeps a binary tree over the ways of a set: %u ways are not a "
                "power of two",
                g->n_ways);
    return false;
}

static size_t plru_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)params;
    return g->n_sets * sizeof(uint64_t);
}

static int plru_decide(const struct cache_policy *p, const struct cache_set *s,
                       const struct mem_access *a)
{
    (void)a;
    uint64_t tree = ((const uint64_t *)p->state)[s->set];
    uint64_t candidates = cache_set_ways(s) & ~s->reserved;
    if (!candidates)
        return CACHE_STALL;
    uint32_t node = 1, first = 0;
    for (uint32_t half = s->n_ways / 2; half > 0; half /= 2) {
        uint64_t lower = ((1ull << half) - 1) << first;
        bool upper = tree >> node & 1;
        if (!(candidates & (upper ? lower << half : lower)))
            upper = !upper;
        first += upper ? half : 0;
        node = 2 * node + upper;
    }
    return (int)first;
}

static void plru_use(struct cache_policy *p, const struct cache_set *s, uint32_t way)
{
    uint64_t *tree = (uint64_t *)p->state + s->set;
    uint32_t node = 1;
    for (uint32_t half = s->n_ways / 2; half > 0; half /= 2) {
        bool upper = way & half;
        *tree = upper ? *tree & ~(1ull << node) : *tree | 1ull << node;
        node = 2 * node + upper;
    }
}

static void plru_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        const struct mem_access *a)
{
    (void)a;
    if (way != ~0u)
        plru_use(p, s, way);
}

static void plru_on_lookup(struct cache_policy *p, const struct cache_set *s, int way,
                           const struct mem_access *a)
{
    (void)a;
    if (way >= 0)
        plru_use(p, s, (uint32_t)way);
}

static uint64_t plru_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "trees", (uint64_t)g->n_sets * (g->n_ways - 1));
}

const struct cache_policy_desc cache_policy_plru = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "plru",
    .summary = "pseudo-LRU: a tree of bits over the ways points to the victim",
    .citation = "K. So, R. N. Rechtschaffen: Cache operations by MRU change. IEEE Transactions on "
                "Computers 37(6), 1988",
    .check = plru_check,
    .state_bytes = plru_state_bytes,
    .cost_bits = plru_cost_bits,
    .never_bypasses = true,
    .decide = plru_decide,
    .on_hit = plru_on_use,
    .on_merge = plru_on_use,
    .on_reserve = plru_on_use,
    .on_miss = plru_on_lookup,
    .on_store = plru_on_lookup,
};
