/* How the warps of a CTA keep pace with each other, evaluated when the CTA has ended: its slowest
 * and its fastest warp (S3 section 4.1), whether the slowest was predicted to be among the slower
 * ones (S3 section 4.3.3), and whether it is the one that an oracle predicted (S3 Table 3.3).
 *
 * Observes only, as part of the attribution of an SM. The slowest warp is the one with the longest
 * lifetime, the fastest the one with the shortest; of equals the first of the CTA. */
#ifndef HEDDLE_SM_PACE_H
#define HEDDLE_SM_PACE_H

#include "sm/attribution.h"

struct pace;

/* `has_oracle`: the rating of warps at their start says how slow they will be. */
struct pace *pace_create(bool has_oracle);
void pace_destroy(struct pace *p); /* NULL is fine */

/* A warp has started; `criticality` is the provider's rating at that time. */
void pace_start(struct pace *p, const struct sched_view *v, uint32_t slot, int64_t criticality);
/* Samples how critical each live warp is. MODEL: accuracy of criticality: a warp is slow if it is
 * more critical than at least half of the other warps of its CTA (S3: "larger than 50% of warps in
 * a thread-block"), and warps that have ended are not critical. So a warp that is alone is slow, as
 * in S3, where the accuracy of NW is 100 % because its "thread-block has only one or two warps"
 * (section 4.3.3, footnote 2). No reading satisfies both sentences: a warp that is alone is larger
 * than none, and of two warps the smaller one is not larger than half of them. If a warp had to be
 * larger than more than half of all warps of its CTA, itself included, NW would be at 0 %, and the
 * mean of S3's Figure 4.12 at 0.537 instead of 0.700 (S3: 0.73). */
void pace_sample(struct pace *p, const struct sched_view *v, uint64_t now);
/* A warp has ended; with the last warp of a CTA, all its samples are counted. */
void pace_end(struct pace *p, const struct warp_latency *w, struct pace_stats *into);

#endif
