/* One memory for L1D and shared memory: how it is divided for a kernel.
 *
 * The SM supports a few sizes of shared memory. It takes the smallest that holds what the kernel's
 * CTAs need at the occupancy that the largest would allow (CUDA's default, as NVIDIA describes it);
 * L1D gets the rest. L1D is configured with the ways it has if the whole memory is its own; shared
 * memory takes whole ways of every set.
 *
 * MODEL: when the number of L1D ways changes between two kernels, L1D is emptied and its policy is
 * reset. */
#ifndef HEDDLE_SM_CARVEOUT_H
#define HEDDLE_SM_CARVEOUT_H

#include "cache/cache.h"

enum { CARVEOUT_MAX_SIZES = 8 };

struct carveout {
    uint32_t n; /* 0 = L1D and shared memory are separate */
    uint64_t shared_bytes[CARVEOUT_MAX_SIZES];
};

/* Parses "none", or sizes in ascending order: "0,8K,16K". False, with the reason in `why`, on
 * errors. */
bool carveout_parse(const char *text, struct carveout *out, struct strbuf *why);
/* Can such an L1D be divided this way, with at least one way left? False, with the reason in `why`,
 * if not. */
bool carveout_check(const struct carveout *c, const struct cache_config *l1d, struct strbuf *why);

/* The shared memory that the CTAs of an SM can have together, at most `most`, which the SM
 * allows. */
uint64_t carveout_largest(const struct carveout *c, uint64_t most);
/* The ways of L1D beside a kernel whose CTAs need that much shared memory together. */
uint32_t carveout_ways(const struct carveout *c, const struct cache_config *l1d,
                       uint64_t shared_bytes);

#endif
