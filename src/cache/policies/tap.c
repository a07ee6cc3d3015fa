#include "cache/policies/tap.h"

enum {
    XS_RATIO_MAX = (1 << XS_RATIO_BITS) - 1,
    SAMPLE_COUNTER_BITS = 32,
    ACCESS_COUNTER_BITS = 32
};

/* Accesses of the CPU application with the most accesses. */
static uint64_t cpu_accesses(const struct shared_report *r)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < r->n_apps; k++)
        if (k != r->gpu_app && r->accesses[k] > most)
            most = r->accesses[k];
    return most;
}

bool tap_exceeds(struct tap params, const struct shared_report *r)
{
    return r->gpu_app < r->n_apps &&
           r->accesses[r->gpu_app] > params.xs_threshold * cpu_accesses(r);
}

static uint32_t xs_ratio(struct tap params, const struct shared_report *r)
{
    if (!tap_exceeds(params, r))
        return 1;
    uint64_t cpu = cpu_accesses(r);
    uint64_t ratio = cpu ? r->accesses[r->gpu_app] / cpu : XS_RATIO_MAX;
    return ratio < XS_RATIO_MAX ? (uint32_t)ratio : XS_RATIO_MAX;
}

/* 100 x |a - b| > alpha x max(a, b) */
static bool samples_differ(struct tap params, const uint64_t *insts)
{
    uint64_t more = insts[0] > insts[1] ? insts[0] : insts[1];
    uint64_t less = insts[0] > insts[1] ? insts[1] : insts[0];
    return 100 * (more - less) > params.alpha_percent * more;
}

void tap_decide(struct tap params, const struct shared_report *r, struct shared_decision *d)
{
    if (r->has_samples)
        d->caching_helps = samples_differ(params, r->sampled_insts);
    d->xs_ratio = xs_ratio(params, r);
}

uint64_t tap_cost(const struct cache_geometry *g, const void *params, struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "core sampling", 2 * SAMPLE_COUNTER_BITS) +
           plugin_cost(parts, "access counters",
                       cache_geometry_apps(g) * (uint64_t)ACCESS_COUNTER_BITS) +
           plugin_cost(parts, "XSRATIO", XS_RATIO_BITS);
}
