#include "hetero/bubble.h"

#include <math.h>

const struct hetero_machine hetero_testbed = {
    .llc_bytes = 8 << 20,
    .dram_gbps = 22,
    .pcie_gbps = 11.8,
    .cores = 3, /* of four: one runs the native program */
    .lanes = 8,
};

double bubble_interpolate(const double steps[BUBBLE_STEPS + 1], double share)
{
    double at = fmin(fmax(share, 0), 1) * BUBBLE_STEPS;
    uint32_t below = (uint32_t)at;
    if (below == BUBBLE_STEPS)
        return steps[BUBBLE_STEPS];
    double part = at - below;
    return steps[below] + part * (steps[below + 1] - steps[below]);
}

double bubble_share_of(const double steps[BUBBLE_STEPS + 1], double slowdown)
{
    uint32_t i = 0;
    while (i <= BUBBLE_STEPS && steps[i] < slowdown)
        i++;
    if (i == 0 || i > BUBBLE_STEPS)
        return i == 0 ? 0 : 1;
    double part = (slowdown - steps[i - 1]) / (steps[i] - steps[i - 1]);
    return (i - 1 + part) / BUBBLE_STEPS;
}

struct bubble_effect bubble_effect_of(const struct bubble_table *t, const struct hetero_machine *m,
                                      struct pressure p)
{
    double cache = bubble_interpolate(t->cache, p.llc_bytes / m->llc_bytes);
    double bandwidth = bubble_interpolate(t->bandwidth, p.dram_gbps / m->dram_gbps);
    return (struct bubble_effect){cache, bandwidth, 1 + (cache - 1) + (bandwidth - 1)};
}

struct pressure pressure_on_cmp(const struct hetero_machine *m, enum pressure_rule rule,
                                double threads, double buffer_bytes)
{
    double live = rule == PRESSURE_FOOTPRINT ? 1 : fmin(1, m->cores * m->lanes / threads);
    return (struct pressure){.llc_bytes = fmin(m->llc_bytes, buffer_bytes * live)};
}

struct pressure pressure_measured(const struct hetero_machine *m, const struct bubble_table *t,
                                  double slowdown)
{
    return (struct pressure){.llc_bytes = m->llc_bytes * bubble_share_of(t->cache, slowdown)};
}

struct pressure pressure_on_gpu(const struct hetero_machine *m, double transfer_bytes,
                                double alone_s)
{
    return (struct pressure){.dram_gbps = fmin(m->pcie_gbps, transfer_bytes / 1e9 / alone_s)};
}
