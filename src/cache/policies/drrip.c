/* Dynamic RRIP (the paper and its algorithm: rrip.h), by set dueling:
 *
 *     a few sets always insert as SRRIP, the same number of sets always as BRRIP
 *     a load miss in a set of SRRIP: PSEL + 1; in a set of BRRIP: PSEL - 1
 *     all other sets insert as BRRIP if PSEL's highest bit is set, else as SRRIP
 *
 * With L leader sets of a kind and stride = sets / L, sets i * stride lead SRRIP and sets
 * i * stride + stride / 2 lead BRRIP; a set that would lead both leads SRRIP. In a cache that
 * applications share, each application has a PSEL, leader sets and a counter for BRRIP of its own
 * (duel.h). */
#include "cache/policies/duel.h"

struct drrip_params {
    uint32_t leader_sets, psel_bits, psel_init, brrip_period;
    enum duel force;
};

static const char *const force_names[] = {"no", "srrip", "brrip", NULL};

static const struct param drrip_params[] = {
    PARAM_U32(struct drrip_params, leader_sets, "0", 0, 1 << 16, "sets",
              "leader sets of each policy; 0 = an eighth of all sets, at least 1"),
    PARAM_U32(struct drrip_params, psel_bits, "10", 1, 30, "bits", "size of PSEL"),
    PARAM_U32(struct drrip_params, psel_init, "512", 0, (1 << 30) - 1, NULL, "PSEL at the start"),
    PARAM_U32(struct drrip_params, brrip_period, "32", 1, 1 << 20, "insertions",
              "period in which one of BRRIP's insertions is at 2, the others at 3"),
    PARAM_ENUM(struct drrip_params, force, "no", force_names,
               "use this policy in all sets, ignoring PSEL"),
};

struct drrip_stats {
    uint64_t srrip_insertions, brrip_insertions;
};

static bool drrip_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    const struct drrip_params *d = params;
    if (d->leader_sets > g->n_sets)
        strbuf_addf(why, "policy drrip: %u leader sets of a kind, but the cache has only %u sets",
                    d->leader_sets, g->n_sets);
    else if (g->n_apps && d->leader_sets)
        strbuf_addf(why,
                    "policy drrip: leader_sets is for a cache of one application; where "
                    "applications share it, each has %d leader sets of a kind",
                    DUEL_LEADERS);
    else if (d->psel_init >> d->psel_bits)
        strbuf_addf(why, "policy drrip: psel_init %u does not fit psel_bits %u", d->psel_init,
                    d->psel_bits);
    else
        return true;
    return false;
}

static size_t drrip_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)params;
    return cache_geometry_apps(g) * sizeof(struct duel_state);
}

static void drrip_init(struct cache_policy *p)
{
    struct duel_state *d = p->state;
    for (uint32_t k = 0; k < cache_geometry_apps(&p->geometry); k++)
        d[k].psel = ((const struct drrip_params *)p->params)->psel_init;
}

/* Which policy the set leads, if any. */
static enum duel leads(const struct cache_policy *p, uint32_t set, uint32_t app)
{
    const struct drrip_params *params = p->params;
    uint32_t n_sets = p->geometry.n_sets, leaders = params->leader_sets;
    if (p->geometry.n_apps)
        return duel_leads(&p->geometry, set, app);
    if (!leaders)
        leaders = n_sets / 8 ? n_sets / 8 : 1;
    uint32_t stride = n_sets / leaders;
    if (set / stride >= leaders)
        return DUEL_OPEN;
    if (set % stride == 0)
        return DUEL_SRRIP;
    return set % stride == stride / 2 ? DUEL_BRRIP : DUEL_OPEN;
}

static void drrip_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                          const struct mem_access *a)
{
    struct duel_state *d = p->state;
    if (way >= 0) /* the line is present, only sectors are missing */
        rrip_on_use(p, s, (uint32_t)way, a);
    else
        duel_train(&d[a->app], leads(p, s->set, a->app),
                   ((const struct drrip_params *)p->params)->psel_bits);
}

/* In a shared cache stores train PSEL like loads, but write-backs do not. */
static void drrip_on_store(struct cache_policy *p, const struct cache_set *s, int way,
                           const struct mem_access *a)
{
    if (p->geometry.n_apps && !mem_is_write_back(a))
        drrip_on_miss(p, s, way, a);
    else
        rrip_on_lookup(p, s, way, a);
}

static enum duel inserts_as(const struct cache_policy *p, uint32_t set, uint32_t app)
{
    const struct drrip_params *params = p->params;
    const struct duel_state *d = p->state;
    if (params->force != DUEL_OPEN)
        return params->force;
    enum duel leader = leads(p, set, app);
    return leader != DUEL_OPEN ? leader : duel_winner(&d[app], params->psel_bits);
}

static void drrip_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                             const struct mem_access *a)
{
    struct duel_state *d = p->state;
    struct drrip_stats *stats = p->stats;
    const struct drrip_params *params = p->params;
    bool is_srrip = inserts_as(p, s->set, a->app) == DUEL_SRRIP;
    rrip_line(s, way)->rrpv =
        is_srrip ? RRPV_LONG : brrip_position(&d[a->app].brrip_insertions, params->brrip_period);
    stats->srrip_insertions += is_srrip;
    stats->brrip_insertions += !is_srrip;
}

static struct stat_reading drrip_psel(const void *instance, uint64_t now)
{
    (void)now;
    const struct cache_policy *p = instance;
    const struct duel_state *d = p->state;
    struct stat_reading sum = {0, cache_geometry_apps(&p->geometry)};
    for (uint32_t k = 0; k < cache_geometry_apps(&p->geometry); k++)
        sum.value += d[k].psel;
    return sum;
}

static const struct plugin_stat drrip_stats[] = {
    STAT_COUNT(struct drrip_stats, srrip_insertions, "lines", "lines inserted by SRRIP's rule"),
    STAT_COUNT(struct drrip_stats, brrip_insertions, "lines", "lines inserted by BRRIP's rule"),
    STAT_NOW("psel", "points", "PSEL, which is high where BRRIP misses less", STAT_MEAN,
             drrip_psel),
};

static uint64_t drrip_cost_bits(const struct cache_geometry *g, const void *params,
                                struct strbuf *parts)
{
    const struct drrip_params *d = params;
    return rrip_cost(g, parts) + plugin_cost(parts, "PSEL", cache_geometry_apps(g) * d->psel_bits) +
           plugin_cost(parts, "insertions",
                       cache_geometry_apps(g) * plugin_index_bits(d->brrip_period));
}

const struct cache_policy_desc cache_policy_drrip = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "drrip",
    .summary = "set dueling: follows srrip or brrip, whichever misses less in the leader sets",
    .citation = "A. Jaleel et al.: High performance cache replacement using re-reference interval "
                "prediction (RRIP). ISCA 2010",
    .params = drrip_params,
    .n_params = sizeof drrip_params / sizeof drrip_params[0],
    .params_bytes = sizeof(struct drrip_params),
    PLUGIN_STATS(drrip_stats, struct drrip_stats),
    .check = drrip_check,
    .state_bytes = drrip_state_bytes,
    .line_state_bytes = sizeof(struct rrip_line),
    .cost_bits = drrip_cost_bits,
    .init = drrip_init,
    .never_bypasses = true,
    .decide = rrip_decide,
    .on_hit = rrip_on_use,
    .hit_effect = rrip_hit_effect,
    .on_merge = rrip_on_use,
    .on_miss = drrip_on_miss,
    .on_store = drrip_on_store,
    .on_evict = rrip_on_evict,
    .on_reserve = drrip_on_reserve,
};
