/* The statistics that schedulers, cache policies, criticality providers and atomics units declare
 * (config/plugin_stat.h), each prefixed with the mechanism's section of the machine. */
#ifndef HEDDLE_GPU_MECHANISM_STATS_H
#define HEDDLE_GPU_MECHANISM_STATS_H

#include "gpu/mechanisms.h"
#include "heddle/heddle.h"

struct machine;

enum { MECHANISM_MAX_STATS = N_MECHANISM_PLACES * PLUGIN_MAX_STATS };

struct mechanism_row {
    const struct plugin_stat *stat;
    const char *name; /* including the section */
    enum mechanism_place place;
};

/* Those of one machine. */
struct mechanism_stats {
    uint32_t n;
    struct mechanism_row rows[MECHANISM_MAX_STATS];
    struct stat_reading looked_at[MECHANISM_MAX_STATS]; /* sums over the samples */
};
/* Names live as long as the arena. */
void mechanism_stats_init(struct mechanism_stats *s, const struct machine_config *c,
                          struct arena *arena);
/* Does mechanism_stats_sample() have to be called? */
bool mechanism_stats_are_sampled(const struct mechanism_stats *s);
/* Takes a sample; call it every STAT_SAMPLE_CYCLES cycles. */
void mechanism_stats_sample(struct mechanism_stats *s, const struct machine *m, uint64_t cycle);

/* The values at a point in time: a part of struct machine_totals. */
struct mechanism_totals {
    const struct mechanism_stats *of; /* NULL: nothing yet */
    struct stat_reading sums[MECHANISM_MAX_STATS];
};
void mechanism_totals_take(const struct machine *m, uint64_t cycle, struct mechanism_totals *t);
/* Only those of the host of a discrete GPU, which count on when the GPU's are frozen. */
void mechanism_totals_take_host(const struct machine *m, uint64_t cycle,
                                struct mechanism_totals *t);
/* Counters and samples are added; of a gauge the later value is kept, and subtraction leaves it. */
void mechanism_totals_add(struct mechanism_totals *into, const struct mechanism_totals *from);
void mechanism_totals_subtract(struct mechanism_totals *from,
                               const struct mechanism_totals *before);
struct heddle_stat mechanism_totals_stat(const struct mechanism_totals *t, uint32_t i);
/* For a time series: the same, except that sampled values are those of the cycle. */
struct heddle_stat mechanism_stat_now(const struct mechanism_totals *t, const struct machine *m,
                                      uint32_t i, uint64_t cycle);

/* All statistics of all mechanisms, including loaded plug-ins: one entry for each section and name,
 * in the arena. */
struct mechanism_listed {
    struct heddle_stat stat; /* without a value */
    const char *owners;      /* "ccws, ccws_authors" */
};
const struct mechanism_listed *mechanism_stats_list(struct arena *arena, uint32_t *n);

#endif
