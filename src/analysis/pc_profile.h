/* What happened at L1D per static instruction: which loads hit, miss and evict lines. */
#ifndef HEDDLE_ANALYSIS_PC_PROFILE_H
#define HEDDLE_ANALYSIS_PC_PROFILE_H

#include <stdint.h>

/* COUNTER(field, "meaning"): sums over all rows equal the l1d.* statistics of the same name. */
#define PC_COUNTERS(COUNTER)                                                                       \
    COUNTER(loads, "loads accepted: hits + merges + misses + bypasses")                            \
    COUNTER(hits, "loads that found their line")                                                   \
    COUNTER(merges, "loads that joined an outstanding miss")                                       \
    COUNTER(misses, "loads that fetched")                                                          \
    COUNTER(bypasses, "loads that bypassed the cache")                                             \
    COUNTER(stores, "stores accepted")                                                             \
    COUNTER(evictions, "lines replaced to make room for it")

struct pc_counts {
#define COUNTER(field, help) uint64_t field;
    PC_COUNTERS(COUNTER)
#undef COUNTER
};

struct pc_row {
    const char *kernel; /* the function the instruction is in */
    uint32_t pc, ptx_line;
    const char *text;        /* the instruction */
    const char *source_file; /* NULL = unknown */
    uint32_t source_line;
    struct pc_counts counts;
};

struct machine;
struct pc_profile;

/* Before the first launch. */
struct pc_profile *pc_profile_create(struct machine *m);
void pc_profile_destroy(struct pc_profile *p); /* NULL is fine */

/* Every instruction that accessed L1D, summed over SMs, sorted by program and PC; *n rows that live
 * as long as the profile. The programs must still be loaded. */
const struct pc_row *pc_profile_rows(struct pc_profile *p, uint32_t *n);

#endif
