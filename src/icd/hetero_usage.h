/* The load that native programs put on the memory system (S3 section 6.4.3): misses of the
 * last-level cache and DRAM bandwidth, over the last whole sampling period before a launch. */
#ifndef HEDDLE_ICD_HETERO_USAGE_H
#define HEDDLE_ICD_HETERO_USAGE_H

#include "hetero/choose.h"

struct usage_meter;

struct usage {
    double llc_misses;     /* per second */
    double dram_bandwidth; /* 10^9 bytes a second */
    /* "perf": counted while they ran; "stated": given in their file; "none": there are no native
     * programs. */
    const char *source;
};

/* Counts misses of the native programs whose pids are known, every `sample_us`, if this machine
 * permits it. */
struct usage_meter *usage_meter_new(const struct hetero_native *natives, uint32_t n,
                                    uint64_t sample_us);
struct usage usage_now(struct usage_meter *m);
/* From the misses and the time between two readings. */
struct usage usage_from_counts(uint64_t misses, uint64_t ns);

#endif
