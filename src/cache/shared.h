/* A last-level cache that several applications share: what its policies report once a period, and
 * what a controller decides from the reports. CPU programs and the GPU are applications.
 * mem_access.app names the application of an access, cache_geometry.n_apps is their number. */
#ifndef HEDDLE_CACHE_SHARED_H
#define HEDDLE_CACHE_SHARED_H

#include "cache/cache_policy.h"

enum { SHARED_MAX_APPS = 16 };

/* Counts of one period, summed over the slices of the cache. */
struct shared_report {
    uint32_t n_apps, n_ways;
    uint32_t gpu_app; /* n_apps if there is no GPU */
    uint64_t accesses[SHARED_MAX_APPS];
    uint64_t hits[SHARED_MAX_APPS][CACHE_MAX_WAYS]; /* from the monitors, by recency */
    /* Instructions of the SMs that insert at the LRU and at the MRU position; false = no valid
     * sample. */
    bool has_samples;
    uint64_t sampled_insts[2];
};

/* Valid until the next decision. */
struct shared_decision {
    uint32_t n_apps, gpu_app;
    uint32_t quotas[SHARED_MAX_APPS]; /* in ways */
    bool has_quotas;                  /* the policy partitions the cache */
    bool caching_helps;               /* to the GPU */
    uint32_t xs_ratio;                /* XSRATIO of TAP */
    bool gpu_brrip;                   /* the GPU inserts as BRRIP, whatever PSEL says */
};

/* Before the first report: ways are dealt equally; if some are left over, the first applications
 * get one more each. */
static inline struct shared_decision shared_decision_first(uint32_t n_apps, uint32_t n_ways,
                                                           uint32_t gpu_app)
{
    struct shared_decision d = {
        .n_apps = n_apps, .gpu_app = gpu_app, .caching_helps = true, .xs_ratio = 1};
    for (uint32_t k = 0; k < n_apps; k++)
        d.quotas[k] = n_ways / n_apps + (k < n_ways % n_apps);
    return d;
}

#endif
