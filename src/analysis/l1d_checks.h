/* Does what was read of a recording make sense? Its checksums were right: this is for files that
 * somebody else wrote, or wrote wrongly. */
#ifndef HEDDLE_ANALYSIS_L1D_CHECKS_H
#define HEDDLE_ANALYSIS_L1D_CHECKS_H

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"

/* Is each of them of a kind that belongs there, with an outcome there is? */
bool l1d_are_accesses(const struct l1d_table *t, bool may_be_critical);
/* Does every load and store ask for sectors that there are, and for some of them; does every resize
 * leave ways that there are? */
bool l1d_are_details(const struct l1d_table *t, const struct cache_config *c);
/* Are they fills and evictions, in order among so many accesses? */
bool l1d_are_the_rest(const struct l1d_table *t, uint64_t n_accesses);
/* Runs of instructions, in order among so many accesses and so many of the rest? */
bool l1d_are_insts(const struct l1d_table *t, uint64_t n_accesses, uint64_t n_rest);

#endif
