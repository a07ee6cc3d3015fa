/* Bypassing by PC (S3 section 5.3.1): a counter for each hashed PC learns from the lines the
 * instruction brought in, up when one leaves without having been used again, down at each hit. Once
 * it is saturated all misses of the instruction bypass; only hits of lines that are still there
 * bring it back. LRU underneath.
 *
 * MODEL: stores that allocate (local memory) insert always. */
#include "cache/cache_policy.h"
#include "cache/policies/counters.h"

struct pc_bypass_params {
    uint32_t entries, conf_bits;
};

static const struct param pc_bypass_params[] = {
    PARAM_U32(struct pc_bypass_params, entries, "128", 1, 1 << 16, "counters",
              "counters, one for each hashed PC"),
    PARAM_U32(struct pc_bypass_params, conf_bits, "3", 1, 8, "bits", "size of a counter"),
};

static size_t pc_bypass_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g;
    return ((const struct pc_bypass_params *)params)->entries;
}

static uint8_t *counter_of(const struct cache_policy *p, uint32_t pc)
{
    return (uint8_t *)p->state + pc % ((const struct pc_bypass_params *)p->params)->entries;
}

static uint32_t top_of(const struct cache_policy *p)
{
    return (1u << ((const struct pc_bypass_params *)p->params)->conf_bits) - 1;
}

static int pc_bypass_decide(const struct cache_policy *p, const struct cache_set *s,
                            const struct mem_access *a)
{
    if (a->kind != MEM_STORE && *counter_of(p, a->pc) == top_of(p))
        return CACHE_BYPASS;
    return cache_set_lru(s);
}

static void pc_bypass_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                             const struct mem_access *a)
{
    (void)a;
    if (way != ~0u)
        counter_down(counter_of(p, s->lines[way].insert_pc));
}

static void pc_bypass_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                               enum cache_evict_cause cause, const struct mem_access *a)
{
    (void)a;
    if (cause == EVICT_REPLACE && !s->lines[way].reused)
        counter_up(counter_of(p, s->lines[way].insert_pc), top_of(p));
}

static struct stat_reading n_bypassing(const void *instance, uint64_t now)
{
    (void)now;
    const struct cache_policy *p = instance;
    const uint8_t *counters = p->state;
    struct stat_reading r = {0};
    for (uint32_t i = 0; i < ((const struct pc_bypass_params *)p->params)->entries; i++)
        r.value += counters[i] == top_of(p);
    return r;
}

static const struct plugin_stat pc_bypass_stats[] = {
    STAT_NOW("bypassing_entries", "entries", "entries that bypass", STAT_SUM, n_bypassing),
};

static uint64_t pc_bypass_cost_bits(const struct cache_geometry *g, const void *params,
                                    struct strbuf *parts)
{
    const struct pc_bypass_params *b = params;
    uint64_t lines = (uint64_t)g->n_sets * g->n_ways;
    return plugin_cost(parts, "counters", (uint64_t)b->entries * b->conf_bits) +
           plugin_cost(parts, "insertion PCs and reuse bits",
                       lines * (plugin_index_bits(b->entries) + 1));
}

const struct cache_policy_desc cache_policy_pc_bypass = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "pc_bypass",
    .summary = "bypasses all misses of instructions whose lines are not used again",
    .citation = "S.-Y. Lee: Intelligent Scheduling and Memory Management Techniques for Modern GPU "
                "Architectures. PhD thesis, Arizona State University, 2017, section 5.3.1",
    .params = pc_bypass_params,
    .n_params = sizeof pc_bypass_params / sizeof pc_bypass_params[0],
    .params_bytes = sizeof(struct pc_bypass_params),
    .stats = pc_bypass_stats,
    .n_stats = sizeof pc_bypass_stats / sizeof pc_bypass_stats[0],
    .state_bytes = pc_bypass_state_bytes,
    .cost_bits = pc_bypass_cost_bits,
    .decide = pc_bypass_decide,
    .on_hit = pc_bypass_on_use,
    .on_merge = pc_bypass_on_use,
    .on_evict = pc_bypass_on_evict,
};
