/* What TAP adds to UCP and RRIP (J. Lee, H. Kim: TAP: a TLP-aware cache management policy for a
 * CPU-GPU heterogeneous architecture. HPCA 2012; S1 section 5).
 *     Core sampling: one SM inserts at the LRU position, one at the MRU position. If the
 *     instructions they retire in a period differ by no more than alpha, caching does not help the
 *     GPU.
 *     Lifetime normalisation: XSRATIO = accesses of the GPU / accesses of the CPU application with
 *     the most, rounded down, if that is above a threshold; else 1. 10 bits. */
#ifndef HEDDLE_CACHE_POLICIES_TAP_H
#define HEDDLE_CACHE_POLICIES_TAP_H

#include "cache/shared.h"

enum { XS_RATIO_BITS = 10 };

struct tap {
    uint32_t alpha_percent, xs_threshold;
};

/* Parameter rows for a policy whose parameters include a `struct tap` with these names. */
#define TAP_PARAMS(owner)                                                                          \
    PARAM_U32(                                                                                     \
        owner, alpha_percent, "5", 0, 100, "%",                                                    \
        "caching helps the GPU if the instructions of the sampling SMs differ by more than this"), \
        PARAM_U32(owner, xs_threshold, "10", 0, 1023, NULL,                                        \
                  "GPU accesses per CPU access above which lifetimes are normalised")

/* Updates caching_helps and xs_ratio of the decision. */
void tap_decide(struct tap params, const struct shared_report *r, struct shared_decision *d);
/* Does the GPU access the cache more than xs_threshold times as often as any CPU application? */
bool tap_exceeds(struct tap params, const struct shared_report *r);
/* For cache_policy_desc.control_cost_bits of a policy with TAP. */
uint64_t tap_cost(const struct cache_geometry *g, const void *params, struct strbuf *parts);

#endif
