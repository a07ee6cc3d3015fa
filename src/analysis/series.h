/* A time series of a run as CSV: a row every N core cycles, of the cycles since the row before, and
 * one at the end for the rest. Rows are exact: what happened before the row's cycle is in it,
 * whatever the quantum and the engine. */
#ifndef HEDDLE_ANALYSIS_SERIES_H
#define HEDDLE_ANALYSIS_SERIES_H

#include <stdint.h>

#include "base/sink.h"

struct machine;
struct series;

/* Before the first launch. */
struct series *series_create(struct machine *m, uint64_t period_cycles, struct sink sink);
/* The last row; false if anything could not be written. */
bool series_finish(struct series *s);
void series_destroy(struct series *s); /* NULL is fine */

#endif
