/* Policies that know the future (L. A. Belady: A study of replacement algorithms for a
 * virtual-storage computer. IBM Systems Journal 5(2), 1966): they bound all others. For replays
 * only, where access ids are positions in the stream. */
#ifndef HEDDLE_ANALYSIS_LAB_BELADY_H
#define HEDDLE_ANALYSIS_LAB_BELADY_H

#include "analysis/lab_stream.h"
#include "cache/cache_policy.h"

/* Always inserts. No policy that always inserts misses less often. */
extern const struct cache_policy_desc lab_policy_belady;
/* Bypasses a line that would be used last. No policy at all misses and bypasses less often. */
extern const struct cache_policy_desc lab_policy_belady_bypass;

#define LAB_NEVER UINT64_MAX

/* For each position: the position of the next load of the line by the same SM. LAB_NEVER if the
 * line is not loaded again or is removed first (by a store, an atomic or a flush). Free it after
 * use. */
uint64_t *lab_next_uses(const struct lab_stream *s, uint32_t line_bytes, bool stores_keep);

/* Gives an instance of one of them the future; it keeps the pointer. */
void lab_belady_foretell(struct cache_policy *p, const uint64_t *next_uses);

#endif
