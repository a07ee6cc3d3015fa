/* The controller of a last-level cache that applications share: a part of the machine that gets the
 * reports of all slices and of the SMs that sample, decides when the last of a period has come, and
 * sends the decision to the slices. What it decides is the policy's control() (cache/shared.h). */
#ifndef HEDDLE_GPU_LLC_CONTROLLER_H
#define HEDDLE_GPU_LLC_CONTROLLER_H

#include "cache/shared.h"
#include "noc/ticker.h"
#include "request/request.h"
#include "slice/slice_config.h"

struct llc_controller {
    struct ticker ticker; /* first */
    const struct cache_policy_desc *policy;
    const void *params;
    const struct llc_setup *llc;
    uint32_t first_slice, n_slices;  /* shard ids */
    uint32_t n_expected, n_reports;  /* in a period; that have come in this one */
    struct shared_report report;     /* their sum */
    struct llc_sample samples[2];    /* of the SMs that insert as LRU and as MRU does */
    struct shared_decision decision; /* the last one */
    /* Over the run. */
    uint64_t n_periods, n_helps, n_judged, n_quota_changes, xs_sum;
    uint64_t accesses[2]; /* of the GPU and of all CPU programs, as the periods reported them */
};

#endif
