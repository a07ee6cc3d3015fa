/* Signature-based hit prediction over SRRIP.
 * C.-J. Wu et al.: SHiP: signature-based hit predictor for high performance caching. MICRO 2011,
 * with the PC as signature (SHiP-PC):
 *
 *     a line is hit:               SHCT[signature] + 1
 *     a line leaves without reuse: SHCT[signature] - 1
 *     insertion: SHCT[signature] == 0: distant re-reference, RRPV 3
 *                otherwise:            intermediate, RRPV 2
 *     hit: RRPV 0
 *
 * The signature of a line is that of the instruction that inserted it; the table has a saturating
 * counter for each hashed PC. MODEL: a load that merges with an outstanding miss is a hit here. The
 * paper is about CPU caches and does not mention merges. */
#include <string.h>

#include "cache/policies/counters.h"
#include "cache/policies/rrip.h"

struct ship_params {
    uint32_t entries, counter_bits, counter_init;
};

static const struct param ship_params[] = {
    PARAM_U32(struct ship_params, entries, "256", 1, 1 << 16, "counters",
              "counters, one for each hashed PC"),
    PARAM_U32(struct ship_params, counter_bits, "2", 1, 8, "bits", "size of a counter"),
    PARAM_U32(struct ship_params, counter_init, "1", 0, 255, NULL, "counters at the start"),
};

static bool ship_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    (void)g;
    const struct ship_params *sp = params;
    if (sp->counter_init >> sp->counter_bits)
        strbuf_addf(why, "policy ship: counter_init %u does not fit counter_bits %u",
                    sp->counter_init, sp->counter_bits);
    return !(sp->counter_init >> sp->counter_bits);
}

struct ship_stats {
    uint64_t distant_insertions;
};

static const struct plugin_stat ship_stats[] = {
    STAT_COUNT(struct ship_stats, distant_insertions, "lines",
               "lines inserted at 3 (distant re-reference)"),
};

static size_t ship_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g;
    return ((const struct ship_params *)params)->entries;
}

static void ship_init(struct cache_policy *p)
{
    const struct ship_params *params = p->params;
    memset(p->state, (int)params->counter_init, params->entries);
}

static uint8_t *counter_of(const struct cache_policy *p, uint32_t pc)
{
    const struct ship_params *params = p->params;
    return (uint8_t *)p->state + pc % params->entries;
}

static void ship_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        const struct mem_access *a)
{
    if (way == ~0u)
        return;
    const struct ship_params *params = p->params;
    rrip_on_use(p, s, way, a);
    counter_up(counter_of(p, s->lines[way].insert_pc), (1u << params->counter_bits) - 1);
}

static enum cache_hit_effect ship_hit_effect(const struct cache_policy *p,
                                             const struct cache_set *s, uint32_t way)
{
    const struct ship_params *params = p->params;
    bool is_at_top = *counter_of(p, s->lines[way].insert_pc) == (1u << params->counter_bits) - 1;
    return is_at_top ? rrip_hit_effect(p, s, way) : HIT_MATTERS;
}

static void ship_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                          enum cache_evict_cause cause, const struct mem_access *a)
{
    rrip_on_evict(p, s, way, cause, a);
    if (cause == EVICT_REPLACE && !s->lines[way].reused)
        counter_down(counter_of(p, s->lines[way].insert_pc));
}

static void ship_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                            const struct mem_access *a)
{
    bool is_distant = !*counter_of(p, a->pc);
    rrip_line(s, way)->rrpv = is_distant ? RRPV_DISTANT : RRPV_LONG;
    ((struct ship_stats *)p->stats)->distant_insertions += is_distant;
}

static uint64_t ship_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    const struct ship_params *sp = params;
    uint64_t lines = (uint64_t)g->n_sets * g->n_ways;
    return rrip_cost(g, parts) +
           plugin_cost(parts, "insertion PCs and reuse bits",
                       lines * (plugin_index_bits(sp->entries) + 1)) +
           plugin_cost(parts, "counters", (uint64_t)sp->entries * sp->counter_bits);
}

const struct cache_policy_desc cache_policy_ship = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "ship",
    .summary = "srrip that learns per PC whether inserted lines are reused",
    .citation =
        "C.-J. Wu et al.: SHiP: signature-based hit predictor for high performance caching. "
        "MICRO 2011",
    .params = ship_params,
    .n_params = sizeof ship_params / sizeof ship_params[0],
    .params_bytes = sizeof(struct ship_params),
    PLUGIN_STATS(ship_stats, struct ship_stats),
    .check = ship_check,
    .state_bytes = ship_state_bytes,
    .line_state_bytes = sizeof(struct rrip_line),
    .cost_bits = ship_cost_bits,
    .init = ship_init,
    .never_bypasses = true,
    .decide = rrip_decide,
    .on_hit = ship_on_use,
    .hit_effect = ship_hit_effect,
    .on_merge = ship_on_use,
    .on_miss = rrip_on_lookup,
    .on_store = rrip_on_lookup,
    .on_evict = ship_on_evict,
    .on_reserve = ship_on_reserve,
};
