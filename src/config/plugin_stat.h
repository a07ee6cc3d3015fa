/* A statistic of a plug-in: one row that says everything about it. Results, --json, --series, the
 * store, comparisons, `heddle show` and the pages are all driven by these rows; in results a name
 * has its place before it: "l1d.policy.vta_hits", "scheduler.vta_hits".
 *
 *     struct dlp_stats {
 *         uint64_t vta_hits;
 *     };
 *     static const struct plugin_stat dlp_stats[] = {
 *         STAT_COUNT(struct dlp_stats, vta_hits, "hits", "misses whose tag a victim had left"),
 *         STAT_NOW("longest", "accesses", "the longest protection distance", STAT_MAX, longest),
 *     };
 *
 * The framework allocates the struct, zeroed, for each instance, and never clears it: a policy that
 * is reset keeps its counts. Numbers are whole; a mean is a sum and what it is divided by. */
#ifndef HEDDLE_CONFIG_PLUGIN_STAT_H
#define HEDDLE_CONFIG_PLUGIN_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "config/param.h"

enum stat_kind {
    STAT_COUNTER, /* what has happened so far; of a kernel or an interval: what happened in it */
    STAT_GAUGE,   /* what is the case at the end of the run, the kernel or the interval */
    /* What is the case while kernels run, and is not when they have ended: the mean of looks every
     * STAT_SAMPLE_CYCLES core cycles; in a time series, at the end of the interval. */
    STAT_SAMPLED,
};
enum { STAT_SAMPLE_CYCLES = 1000 };

/* Of all instances of a machine together. */
enum stat_join { STAT_SUM, STAT_MEAN, STAT_MAX };

/* What one instance tells: a value, or a sum of `n` values where the mean is wanted. */
struct stat_reading {
    uint64_t value, n;
};

struct plugin_stat {
    const char *name; /* below the place of the plug-in: lower case, digits, underscores */
    const char *unit; /* the same wherever the kind has that name */
    const char *help; /* what it means, in a line */
    enum stat_kind kind;
    enum stat_join join; /* of a counter: STAT_SUM */
    size_t offset;       /* of a counter in the instance's `stats` */
    /* Of the others. Const. `instance` is the struct cache_policy, scheduler or criticality; `now`
     * a cycle of its clock, of which nothing has happened yet. */
    struct stat_reading (*read)(const void *instance, uint64_t now);
};

#define STAT_COUNT(owner, field, measure, meaning)                                                 \
    {                                                                                              \
        .name = #field, .unit = (measure), .help = (meaning), .kind = STAT_COUNTER,                \
        .join = STAT_SUM, .offset = PARAM_OFFSET(owner, field, uint64_t)                           \
    }
#define STAT_NOW(text, measure, meaning, how, function)                                            \
    {                                                                                              \
        .name = (text), .unit = (measure), .help = (meaning), .kind = STAT_GAUGE, .join = (how),   \
        .read = (function)                                                                         \
    }
#define STAT_WHILE_RUNNING(text, measure, meaning, how, function)                                  \
    {                                                                                              \
        .name = (text), .unit = (measure), .help = (meaning), .kind = STAT_SAMPLED, .join = (how), \
        .read = (function)                                                                         \
    }

/* In a descriptor: the rows and the struct that they count in. */
#define PLUGIN_STATS(table, owner)                                                                 \
    .stats = (table), .n_stats = sizeof(table) / sizeof(table)[0], .stats_bytes = sizeof(owner)

#endif
