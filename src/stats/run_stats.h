/* The counters of running kernels. The struct is for the hot path (`s->warp_insts++`); names, units
 * and meanings come from the same rows, see run_stats.def. */
#ifndef HEDDLE_STATS_RUN_STATS_H
#define HEDDLE_STATS_RUN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "ptx/ptx.h"

/* A zeroed struct is a run that has not begun. */
struct run_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
#define GAUGE(field, name, unit, help)   uint64_t field;
#define CLASS_COUNTERS                   uint64_t insts[PTX_N_CLASSES];
#include "stats/run_stats.def"
    double host_seconds; /* shown by a RATE row */
};

/* Every statistic in the order users see them: 0 <= i < run_stats_count(). */
uint32_t run_stats_count(void);
struct heddle_stat run_stats_at(const struct run_stats *s, uint32_t i);

/* Adds the counts of another launch or thread: sums and high-water marks. */
void run_stats_add(struct run_stats *into, const struct run_stats *from);

/* Subtracts earlier counts; high-water marks are unchanged. */
void run_stats_subtract(struct run_stats *from, const struct run_stats *before);

/* True if the counters are consistent. Otherwise appends one line to `why` for each violated
 * identity: a bug in the simulator, never the user's fault. */
bool run_stats_check(const struct run_stats *s, struct strbuf *why);

#endif
