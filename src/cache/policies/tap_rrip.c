/* TAP-RRIP (S1 section 5.1.2; the paper and its two parts: tap.h): DRRIP per application (duel.h),
 * but
 *
 *     caching does not help the GPU, or it accesses the cache more than xs_threshold times as often
 *     as any CPU application: the GPU inserts as BRRIP
 *     else: as the winner by PSEL
 *
 * The GPU's leader sets lead in either case. SMs that sample insert at RRPV 3 (LRU) or 0 (MRU) and
 * do not train PSEL; nor do write-backs of CPU cores, which are no accesses of their programs. */
#include <assert.h>

#include "cache/policies/duel.h"
#include "cache/policies/tap.h"

struct tap_rrip_params {
    uint64_t period;
    uint32_t alpha_percent, xs_threshold, psel_bits, psel_init, brrip_period;
};

static const struct param tap_rrip_params[] = {
    PARAM_U64(struct tap_rrip_params, period, "5000000", 1, 1ull << 40, "cycles",
              "cycles between two decisions"),
    TAP_PARAMS(struct tap_rrip_params),
    PARAM_U32(struct tap_rrip_params, psel_bits, "10", 1, 30, "bits", "size of PSEL"),
    PARAM_U32(struct tap_rrip_params, psel_init, "512", 0, (1 << 30) - 1, NULL,
              "PSEL at the start"),
    PARAM_U32(struct tap_rrip_params, brrip_period, "32", 1, 1 << 20, "insertions",
              "period in which one of BRRIP's insertions is at 2, the others at 3"),
};

struct tap_rrip {
    uint32_t gpu_app; /* valid after the first decision */
    bool gpu_brrip;
    /* Counts for the next report. */
    uint64_t accesses[SHARED_MAX_APPS];
    struct duel_state duels[];
};

static const struct tap_rrip_params *params_of(const struct cache_policy *p)
{
    return p->params;
}

static bool tap_rrip_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    const struct tap_rrip_params *t = params;
    if (t->psel_init >> t->psel_bits)
        strbuf_addf(why, "policy tap_rrip: psel_init %u does not fit psel_bits %u", t->psel_init,
                    t->psel_bits);
    else if (g->n_apps > SHARED_MAX_APPS)
        strbuf_addf(why, "policy tap_rrip: %u applications, at most %d are possible", g->n_apps,
                    SHARED_MAX_APPS);
    else
        return true;
    return false;
}

static size_t tap_rrip_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)params;
    return sizeof(struct tap_rrip) + cache_geometry_apps(g) * sizeof(struct duel_state);
}

static void tap_rrip_init(struct cache_policy *p)
{
    struct tap_rrip *t = p->state;
    for (uint32_t k = 0; k < cache_geometry_apps(&p->geometry); k++)
        t->duels[k].psel = params_of(p)->psel_init;
}

static void tap_rrip_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                            const struct mem_access *a)
{
    ((struct tap_rrip *)p->state)->accesses[a->app]++;
    rrip_on_use(p, s, way, a);
}

/* A load that does not find its line, or any store. */
static void tap_rrip_on_lookup(struct cache_policy *p, const struct cache_set *s, int way,
                               const struct mem_access *a)
{
    struct tap_rrip *t = p->state;
    bool is_demand = !mem_is_write_back(a);
    t->accesses[a->app] += is_demand;
    if (way >= 0)
        rrip_on_use(p, s, (uint32_t)way, a);
    else if (is_demand && a->role == MEM_ROLE_NONE)
        duel_train(&t->duels[a->app], duel_leads(&p->geometry, s->set, a->app),
                   params_of(p)->psel_bits);
}

static enum duel inserts_as(const struct cache_policy *p, uint32_t set, uint32_t app)
{
    const struct tap_rrip *t = p->state;
    enum duel leader = duel_leads(&p->geometry, set, app);
    if (leader != DUEL_OPEN)
        return leader;
    if (t->gpu_brrip && app == t->gpu_app)
        return DUEL_BRRIP;
    return duel_winner(&t->duels[app], params_of(p)->psel_bits);
}

static void tap_rrip_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                                const struct mem_access *a)
{
    struct tap_rrip *t = p->state;
    uint8_t *rrpv = &rrip_line(s, way)->rrpv;
    if (a->role == MEM_ROLE_SAMPLE_LRU)
        *rrpv = RRPV_DISTANT;
    else if (a->role == MEM_ROLE_SAMPLE_MRU)
        *rrpv = 0;
    else if (inserts_as(p, s->set, a->app) == DUEL_SRRIP)
        *rrpv = RRPV_LONG;
    else
        *rrpv = brrip_position(&t->duels[a->app].brrip_insertions, params_of(p)->brrip_period);
}

static uint64_t tap_rrip_cost_bits(const struct cache_geometry *g, const void *params,
                                   struct strbuf *parts)
{
    const struct tap_rrip_params *t = params;
    return rrip_cost(g, parts) + plugin_cost(parts, "PSEL", cache_geometry_apps(g) * t->psel_bits) +
           plugin_cost(parts, "insertions",
                       cache_geometry_apps(g) * plugin_index_bits(t->brrip_period));
}

static uint64_t tap_rrip_period(const void *params)
{
    return ((const struct tap_rrip_params *)params)->period;
}

static void tap_rrip_report(struct cache_policy *p, struct shared_report *r)
{
    struct tap_rrip *t = p->state;
    for (uint32_t k = 0; k < cache_geometry_apps(&p->geometry); k++) {
        r->accesses[k] += t->accesses[k];
        t->accesses[k] = 0;
    }
}

static void tap_rrip_control(const void *params, const struct shared_report *r,
                             struct shared_decision *d)
{
    const struct tap_rrip_params *t = params;
    struct tap tap = {t->alpha_percent, t->xs_threshold};
    tap_decide(tap, r, d);
    d->gpu_brrip = !d->caching_helps || tap_exceeds(tap, r);
}

static void tap_rrip_apply(struct cache_policy *p, const void *quota, size_t bytes)
{
    const struct shared_decision *d = quota;
    struct tap_rrip *t = p->state;
    assert(bytes == sizeof *d);
    t->gpu_app = d->gpu_app;
    t->gpu_brrip = d->gpu_brrip;
}

const struct cache_policy_desc cache_policy_tap_rrip = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "tap_rrip",
    .summary = "drrip per application; the GPU uses brrip if caching does not help it or it "
               "accesses too often",
    .citation = "J. Lee, H. Kim: TAP: a TLP-aware cache management policy for a CPU-GPU "
                "heterogeneous architecture. HPCA 2012",
    .params = tap_rrip_params,
    .n_params = sizeof tap_rrip_params / sizeof tap_rrip_params[0],
    .params_bytes = sizeof(struct tap_rrip_params),
    .l2_only = true,
    .uses_sampling_sms = true,
    .never_bypasses = true,
    .check = tap_rrip_check,
    .state_bytes = tap_rrip_state_bytes,
    .line_state_bytes = sizeof(struct rrip_line),
    .cost_bits = tap_rrip_cost_bits,
    .control_cost_bits = tap_cost,
    .init = tap_rrip_init,
    .decide = rrip_decide,
    .on_hit = tap_rrip_on_hit,
    .on_merge = tap_rrip_on_hit,
    .on_miss = tap_rrip_on_lookup,
    .on_store = tap_rrip_on_lookup,
    .on_evict = rrip_on_evict,
    .on_reserve = tap_rrip_on_reserve,
    .period = tap_rrip_period,
    .report = tap_rrip_report,
    .control = tap_rrip_control,
    .apply = tap_rrip_apply,
};
