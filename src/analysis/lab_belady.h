/* Policies that know the future (L. A. Belady: A study of replacement algorithms for a
 * virtual-storage computer. IBM Systems Journal 5(2), 1966): bounds for all that do not. They are
 * for replays only, where access ids are positions in the stream. */
#ifndef HEDDLE_ANALYSIS_LAB_BELADY_H
#define HEDDLE_ANALYSIS_LAB_BELADY_H

#include "analysis/lab_stream.h"
#include "cache/cache_policy.h"

/* Always inserts: no such policy misses less often. */
extern const struct cache_policy_desc lab_policy_belady;
/* Bypasses what would be used last: no policy at all misses and bypasses less often. */
extern const struct cache_policy_desc lab_policy_belady_bypass;

#define LAB_NEVER UINT64_MAX

/* For each position: the position of the next load of the line by the same SM, LAB_NEVER if it is
 * not loaded again or leaves the cache first (a store that removes it, an atomic, a flush). To be
 * freed. */
uint64_t *lab_next_uses(const struct lab_stream *s, uint32_t line_bytes, bool stores_keep);

/* Tells an instance of one of them what is to come; it keeps the pointer. */
void lab_belady_foretell(struct cache_policy *p, const uint64_t *next_uses);

#endif
