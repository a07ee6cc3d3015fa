/* A time series of a run as CSV: a row every N core cycles, for the cycles since the previous row,
 * and a last row for the rest. Rows are exact for every quantum and engine: a row includes all
 * events before its cycle. */
#ifndef HEDDLE_ANALYSIS_SERIES_H
#define HEDDLE_ANALYSIS_SERIES_H

#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"

struct machine;
struct series;

/* Call it before the first launch. `columns`: names of statistics separated by commas, or "all";
 * NULL selects the most important ones and those of the machine's mechanisms. Returns NULL, with
 * the reason in `why`, if there is no such statistic. */
struct series *series_create(struct machine *m, uint64_t period_cycles, const char *columns,
                             struct sink sink, struct strbuf *why);
/* Writes the last row; false if a write failed. */
bool series_finish(struct series *s);
void series_destroy(struct series *s); /* NULL is fine */

#endif
