/* A time series of a run as CSV: a row every N core cycles, of the cycles since the row before, and
 * one at the end for the rest. Rows are exact: what happened before the row's cycle is in it,
 * whatever the quantum and the engine. */
#ifndef HEDDLE_ANALYSIS_SERIES_H
#define HEDDLE_ANALYSIS_SERIES_H

#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"

struct machine;
struct series;

/* Before the first launch. `columns`: names of statistics, separated by commas, NULL for the most
 * important ones and all of the machine's mechanisms, or "all". NULL, with the reason in `why`, if
 * there is no such statistic. */
struct series *series_create(struct machine *m, uint64_t period_cycles, const char *columns,
                             struct sink sink, struct strbuf *why);
/* The last row; false if anything could not be written. */
bool series_finish(struct series *s);
void series_destroy(struct series *s); /* NULL is fine */

#endif
