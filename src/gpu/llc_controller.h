/* The controller of a last-level cache shared by applications: a part of the machine that
 * receives the reports of all slices and of the sampling SMs, decides when the last report of a
 * period has arrived, and sends the decision to the slices. The policy's control()
 * (cache/shared.h) decides. */
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
    uint32_t n_expected, n_reports;  /* per period; received in this one */
    struct shared_report report;     /* their sum */
    struct llc_sample samples[2];    /* of the SMs that sample LRU and MRU insertion */
    struct shared_decision decision; /* the last one */
    /* Over the run. */
    uint64_t n_periods, n_helps, n_judged, n_quota_changes, xs_sum;
    uint64_t accesses[2]; /* of the GPU and of all CPU programs, as reported by the periods */
};

#endif
