/* First in, first out: replaces the line that was reserved longest ago, however often it was used.
 * A line whose data are in flight is skipped and keeps its position in the queue. */
#include "cache/cache_policy.h"

static int fifo_decide(const struct cache_policy *p, const struct cache_set *s,
                       const struct mem_access *a)
{
    (void)p, (void)a;
    uint64_t oldest = UINT64_MAX;
    int way = CACHE_STALL;
    for (uint32_t w = 0; w < s->n_ways; w++)
        if (s->lines[w].inserted < oldest && !(s->reserved >> w & 1)) {
            oldest = s->lines[w].inserted;
            way = (int)w;
        }
    return way;
}

/* One pointer to the next victim per set. */
static uint64_t fifo_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "pointers", (uint64_t)g->n_sets * plugin_index_bits(g->n_ways));
}

const struct cache_policy_desc cache_policy_fifo = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "fifo",
    .summary = "replaces the line that was inserted first",
    .citation = "L. A. Belady: A study of replacement algorithms for a virtual-storage computer. "
                "IBM Systems Journal 5(2), 1966",
    .cost_bits = fifo_cost_bits,
    .never_bypasses = true,
    .decide = fifo_decide,
};
