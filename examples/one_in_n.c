/* An example cache policy: one in every n load misses is cached, the others bypass the cache;
 * stores and atomics are not affected. Victims are chosen by LRU. Streaming data then evict few
 * lines, and if the data of a loop do not fit, a part of them stays in the cache. */
#include "cache/cache_policy.h"

struct one_in_n_params {
    uint32_t n;
};

static const struct param one_in_n_params[] = {
    PARAM_U32(struct one_in_n_params, n, "4", 1, 65536, "misses",
              "n: one in every n misses is cached"),
};

/* Its statistic, reported with every result as l1d.policy.kept. */
struct one_in_n_stats {
    uint64_t kept;
};

static const struct plugin_stat one_in_n_stats[] = {
    STAT_COUNT(struct one_in_n_stats, kept, "misses", "misses that were cached"),
};

struct one_in_n {
    uint32_t n_misses; /* since the last one that was cached */
};

static size_t one_in_n_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct one_in_n);
}

static uint64_t one_in_n_cost_bits(const struct cache_geometry *g, const void *params,
                                   struct strbuf *parts)
{
    (void)g;
    const struct one_in_n_params *values = params;
    return plugin_cost(parts, "counter", plugin_index_bits(values->n));
}

/* Must not change state: it may be called again for the same load after a stall. A cache that
 * allocates on fill also calls it when the data arrive (`filling`): the miss was already accepted
 * for caching, so do not bypass. */
static int one_in_n_decide(const struct cache_policy *p, const struct cache_set *s,
                           const struct mem_access *a)
{
    const struct one_in_n *state = p->state;
    const struct one_in_n_params *values = p->params;
    bool is_load = a->kind != MEM_STORE && a->kind != MEM_ATOMIC;
    bool bypasses = is_load && !s->filling && state->n_misses + 1 < values->n;
    return bypasses ? CACHE_BYPASS : cache_set_lru(s);
}

/* Called once for every accepted load miss, cached or not. `way` >= 0: the line is present, and
 * only sectors of it are missing. */
static void one_in_n_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                             const struct mem_access *a)
{
    (void)s, (void)a;
    if (way >= 0)
        return;
    struct one_in_n *state = p->state;
    struct one_in_n_stats *stats = p->stats;
    const struct one_in_n_params *values = p->params;
    state->n_misses = (state->n_misses + 1) % values->n;
    stats->kept += state->n_misses == 0;
}

PLUGIN_EXPORT const struct cache_policy_desc heddle_cache_policy = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "one_in_n",
    .summary = "caches one of n misses, with LRU replacement",
    .citation = "doc/adding-a-policy.md",
    .params = one_in_n_params,
    .n_params = 1,
    .params_bytes = sizeof(struct one_in_n_params),
    PLUGIN_STATS(one_in_n_stats, struct one_in_n_stats),
    .state_bytes = one_in_n_state_bytes,
    .cost_bits = one_in_n_cost_bits,
    .decide = one_in_n_decide,
    .on_miss = one_in_n_on_miss,
};
