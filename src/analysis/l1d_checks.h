/* Plausibility checks of a recording whose checksums were right: for files that another program
 * wrote, or wrote wrongly. */
#ifndef HEDDLE_ANALYSIS_L1D_CHECKS_H
#define HEDDLE_ANALYSIS_L1D_CHECKS_H

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"

/* Is each access of a valid kind, with a valid outcome? */
bool l1d_are_accesses(const struct l1d_table *t, bool may_be_critical);
/* Does every load and store request at least one sector, and only sectors that exist? Does every
 * resize leave a valid number of ways? */
bool l1d_are_details(const struct l1d_table *t, const struct cache_config *c);
/* Are they fills and evictions, in order among `n_accesses` accesses? */
bool l1d_are_the_rest(const struct l1d_table *t, uint64_t n_accesses);
/* Are they runs of instructions, in order among `n_accesses` accesses and `n_rest` fills and
 * evictions? */
bool l1d_are_insts(const struct l1d_table *t, uint64_t n_accesses, uint64_t n_rest);

#endif
