/* The rows of statistics of machines that attribute latencies. */
#include "gpu/stat_row.h"

static double get_disparity(const struct machine_totals *t)
{
    const struct pace_stats *p = &t->latency.pace;
    return stat_ratio(p->slowest_cycles - p->fastest_cycles, p->fastest_cycles);
}

static double get_idle(const struct machine_totals *t)
{
    return stat_ratio(t->latency.pace.idle_cycles, t->latency.pace.cta_warp_cycles);
}

static double get_accuracy(const struct machine_totals *t)
{
    return stat_ratio(t->latency.pace.slow, t->latency.pace.samples);
}

/* A warp that is alone counts as slow, whatever is predicted. */
static double get_accuracy_among_others(const struct machine_totals *t)
{
    const struct pace_stats *p = &t->latency.pace;
    return stat_ratio(p->slow_among_others, p->samples - p->samples_alone);
}

static double get_inversion(const struct machine_totals *t)
{
    return stat_ratio(t->latency.pace.inversions, t->latency.pace.ctas);
}

static double get_inversion_by_fast(const struct machine_totals *t)
{
    return stat_ratio(t->latency.pace.inversions_by_fast, t->latency.pace.ctas);
}

static double get_critical_hit_rate(const struct machine_totals *t)
{
    return stat_ratio(t->latency.critical_hits, t->latency.critical_loads);
}

#define STRUCTURAL(name, unit, help)                                                               \
    ROW_COUNT("attribution.structural_hazard." name, "warp cycles", help, latency.structural[unit])
const struct stat_row attribution_rows[] = {
#define LATENCY(id, name, title, help)                                                             \
    ROW_COUNT("attribution." name, "warp cycles", help, latency.cycles[LATENCY_##id]),
    LATENCIES(LATENCY)
#undef LATENCY
        STRUCTURAL("sp", UNIT_SP, "no SP unit is free"),
    STRUCTURAL("int", UNIT_INT, "no integer unit is free"),
    STRUCTURAL("fp64", UNIT_FP64, "no unit for 64-bit floating point is free"),
    STRUCTURAL("sfu", UNIT_SFU, "no SFU is free"),
    STRUCTURAL("ldst", UNIT_LDST, "the load/store unit is full"),
    ROW_COUNT("attribution.live_warps", "warps",
              "warps still alive when a launch was cut off; their cycles up to then are counted",
              latency.cut),
    ROW_COUNT("attribution.cta.ctas", "CTAs",
              "CTAs of more than one warp, whose warps are compared", latency.pace.ctas),
    ROW_COUNT("attribution.cta.idle_cycles", "warp cycles",
              "from the exit of each warp to that of the slowest warp of its CTA",
              latency.pace.idle_cycles),
    ROW_COUNT("attribution.cta.slowest_cycles", "warp cycles",
              "lifetimes of the slowest warps of CTAs", latency.pace.slowest_cycles),
    ROW_COUNT("attribution.cta.fastest_cycles", "warp cycles",
              "lifetimes of the fastest warps of CTAs", latency.pace.fastest_cycles),
#define LATENCY(id, name, title, help)                                                             \
    ROW_COUNT("attribution.cta.slowest." name, "warp cycles",                                      \
              "of the slowest warps of CTAs: " help, latency.pace.slowest[LATENCY_##id]),
    LATENCIES(LATENCY)
#undef LATENCY
#define LATENCY(id, name, title, help)                                                             \
    ROW_COUNT("attribution.cta.fastest." name, "warp cycles",                                      \
              "of the fastest warps of CTAs: " help, latency.pace.fastest[LATENCY_##id]),
        LATENCIES(LATENCY)
#undef LATENCY
            ROW_RATIO("attribution.cta.disparity", "fraction",
                      "slowest against fastest warps of CTAs: (slowest - fastest) / fastest "
                      "(S3 section 4.1.1)",
                      get_disparity),
    ROW_RATIO("attribution.cta.idle", "fraction",
              "idle_cycles relative to the time in which the CTAs were resident (S3 Fig. 3.3)",
              get_idle),
    ROW_COUNT("attribution.criticality.samples", "samples",
              "of the slowest warp of each CTA, every 256 cycles, with a criticality provider",
              latency.pace.samples),
    ROW_COUNT("attribution.criticality.samples_alone", "samples",
              "of these, with no other warp of the CTA alive", latency.pace.samples_alone),
    ROW_COUNT("attribution.criticality.slow", "samples",
              "samples in which it was more critical than at least half of the other warps of its "
              "CTA, including those that have ended",
              latency.pace.slow),
    ROW_COUNT(
        "attribution.criticality.slow_among_others", "samples",
        "samples in which others were alive and it was more critical than at least half of them",
        latency.pace.slow_among_others),
    ROW_RATIO("attribution.criticality.accuracy", "fraction", "slow / samples (S3 section 4.3.3)",
              get_accuracy),
    ROW_RATIO("attribution.criticality.accuracy_among_others", "fraction",
              "slow_among_others / (samples - samples_alone): warps that have ended do not count",
              get_accuracy_among_others),
    ROW_COUNT("attribution.criticality.inversions", "CTAs",
              "with the provider oracle: CTAs of more than one warp whose slowest warp is not the "
              "slowest of the recorded run",
              latency.pace.inversions),
    ROW_RATIO("attribution.criticality.inversion", "fraction",
              "inversions / attribution.cta.ctas (S3 Table 3.3)", get_inversion),
    ROW_COUNT("attribution.criticality.inversions_by_fast", "CTAs",
              "with the provider oracle: CTAs of more than one warp whose slowest warp was faster "
              "than the mean of its CTA in the recorded run",
              latency.pace.inversions_by_fast),
    ROW_RATIO("attribution.criticality.inversion_by_fast", "fraction",
              "inversions_by_fast / attribution.cta.ctas", get_inversion_by_fast),
    ROW_COUNT("attribution.criticality.l1d_loads", "accesses",
              "L1D loads, not bypassed, by warps that the provider rated critical at that time",
              latency.critical_loads),
    ROW_COUNT("attribution.criticality.l1d_hits", "accesses", "of these, hits and merges",
              latency.critical_hits),
    ROW_RATIO("attribution.criticality.l1d_hit_rate", "fraction",
              "l1d_hits / l1d_loads (S3 Fig. 4.14)", get_critical_hit_rate),
};
const uint32_t n_attribution_rows = sizeof attribution_rows / sizeof attribution_rows[0];
