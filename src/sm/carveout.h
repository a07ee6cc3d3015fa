/* One memory for L1D and shared memory: how it is divided for a kernel.
 *
 * The SM can be set to a few sizes of shared memory; the smallest that holds what the kernel's
 * CTAs need at the occupancy that the largest would allow is taken (CUDA's default, as NVIDIA
 * describes it), and L1D has the rest. L1D is configured with the ways it has when all of the
 * memory is its own; what shared memory takes, it takes in whole ways of every set.
 *
 * MODEL: when the ways change between two kernels, L1D is emptied and its policy is reset. */
#ifndef HEDDLE_SM_CARVEOUT_H
#define HEDDLE_SM_CARVEOUT_H

#include "cache/cache.h"

enum { CARVEOUT_MAX_SIZES = 8 };

struct carveout {
    uint32_t n; /* 0 = L1D and shared memory are apart */
    uint64_t shared_bytes[CARVEOUT_MAX_SIZES];
};

/* Reads "none", or sizes in ascending order: "0,8K,16K". False with the reason in `why`. */
bool carveout_parse(const char *text, struct carveout *out, struct strbuf *why);
/* Can such an L1D be divided so, leaving it a way at least? False with the reason in `why`. */
bool carveout_check(const struct carveout *c, const struct cache_config *l1d, struct strbuf *why);

/* The shared memory that CTAs of an SM can have together, of `most` that the SM allows. */
uint64_t carveout_largest(const struct carveout *c, uint64_t most);
/* Ways of L1D beside a kernel whose CTAs need so much shared memory together. */
uint32_t carveout_ways(const struct carveout *c, const struct cache_config *l1d,
                       uint64_t shared_bytes);

#endif
