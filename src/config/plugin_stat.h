/* A statistic of a plug-in: one row that describes it completely. These rows drive results, --json,
 * --series, the store, comparisons, `heddle show` and the pages. In results a name is preceded by
 * its section: "l1d.policy.vta_hits", "scheduler.vta_hits".
 *
 *     struct dlp_stats {
 *         uint64_t vta_hits;
 *     };
 *     static const struct plugin_stat dlp_stats[] = {
 *         STAT_COUNT(struct dlp_stats, vta_hits, "hits", "misses whose tag a victim had left"),
 *         STAT_NOW("longest", "accesses", "the longest protection distance", STAT_MAX, longest),
 *     };
 *
 * The framework allocates the struct, zeroed, for each instance and never clears it: a policy that
 * is reset keeps its counts. Values are integers; a mean is a sum and a divisor. */
#ifndef HEDDLE_CONFIG_PLUGIN_STAT_H
#define HEDDLE_CONFIG_PLUGIN_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "config/param.h"

enum stat_kind {
    STAT_COUNTER, /* events so far; for a kernel or an interval, the events during it */
    STAT_GAUGE,   /* the state at the end of the run, the kernel or the interval */
    /* A state that only exists while kernels run: the mean of samples every STAT_SAMPLE_CYCLES core
     * cycles; in a time series, the state at the end of the interval. */
    STAT_SAMPLED,
};
enum { STAT_SAMPLE_CYCLES = 1000 };

/* How the values of all instances of a machine are combined. */
enum stat_join { STAT_SUM, STAT_MEAN, STAT_MAX };

/* The value of one instance, or a sum of `n` values where a mean is wanted. */
struct stat_reading {
    uint64_t value, n;
};

struct plugin_stat {
    const char *name; /* relative to the plug-in's section: lower case, digits, underscores */
    const char *unit; /* all plug-ins of a kind use the same unit for the same name */
    const char *help; /* what it means, in one line */
    enum stat_kind kind;
    enum stat_join join; /* counters: STAT_SUM */
    size_t offset;       /* counters: offset in the instance's `stats` */
    /* For all but counters. Must not change the instance, which is a struct cache_policy, scheduler
     * or criticality. `now` is a cycle of its clock; no event of that cycle has been seen yet. */
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

/* In a descriptor: the rows, and the struct that holds the counters. */
#define PLUGIN_STATS(table, owner)                                                                 \
    .stats = (table), .n_stats = sizeof(table) / sizeof(table)[0], .stats_bytes = sizeof(owner)

#endif
