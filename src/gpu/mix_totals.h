/* Counts of CPU programs and of the last-level cache that they share with the GPU. */
#ifndef HEDDLE_GPU_MIX_TOTALS_H
#define HEDDLE_GPU_MIX_TOTALS_H

#include "cpu/core.h"
#include "gpu/machine_config.h"

enum { MIX_MAX_APPS = MACHINE_MAX_CPUS + 1 };

/* Words: the difference of two points in time is meaningful. Here application 0 is the GPU and CPU
 * core i is i + 1, so that machines with fewer cores have the first rows of those with more. */
struct mix_counts {
    struct cpu_stats cpus[MACHINE_MAX_CPUS]; /* each up to the first end of its program */
    uint64_t accesses[MIX_MAX_APPS], misses[MIX_MAX_APPS];
    uint64_t samples[MIX_MAX_APPS], sampled_lines[MIX_MAX_APPS]; /* until their first ends */
    uint64_t periods, judged, helps, quota_changes, xs_sum;
};

/* The current state. */
struct mix_state {
    uint32_t n_apps;   /* 0 = the machine has no CPU cores */
    uint64_t capacity; /* lines of the last-level cache */
    uint64_t lines[MIX_MAX_APPS], quotas[MIX_MAX_APPS], ended[MIX_MAX_APPS];
    uint64_t restarts[MIX_MAX_APPS];
    uint64_t xs_ratio, caching_helps;
};

struct machine;
struct machine_totals;

void mix_totals_take(const struct machine *m, struct machine_totals *t);
/* The number of rows of a machine with `n_apps` applications. */
uint32_t mix_row_count(uint32_t n_apps);
/* Observes the machine from time to time, for means over time. */
void mix_watch(struct machine *m);
/* Observes CPU programs before a launch, if testbed.sample_us says so. */
void testbed_sample_watch(struct machine *m);

#endif
