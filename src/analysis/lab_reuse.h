/* The potential of a cache: reuse distances of loads, and who owns the lines they find in an
 * unbounded cache.
 *
 * Distances count the loads of one SM and one set; stores and flushes neither count nor separate a
 * pair. A distance belongs to the PC of the earlier load; first loads have none. */
#ifndef HEDDLE_ANALYSIS_LAB_REUSE_H
#define HEDDLE_ANALYSIS_LAB_REUSE_H

#include "analysis/lab_replay.h"

/* S2: loads of the set in between. S3: distinct other lines among those loads. */
enum lab_distance { LAB_S2, LAB_S3, N_LAB_DISTANCES };
enum { LAB_MAX_RANGES = 16 };

/* Upper ends, ascending; a further range holds everything above the last one. */
struct lab_ranges {
    uint32_t ends[LAB_MAX_RANGES - 1];
    uint32_t n;            /* ends */
    bool is_critical_only; /* only loads by warps that were critical at the time (S3 Figure 4.4) */
};

struct lab_distances {
    uint32_t pc; /* of the earlier loads */
    uint64_t n;
    uint64_t in_range[N_LAB_DISTANCES][LAB_MAX_RANGES];
    uint32_t median[N_LAB_DISTANCES]; /* the lower median; 0 if there are no distances */
};

struct lab_reuse {
    uint64_t n_loads, n_stores, n_atomics;
    struct lab_distances all;
    struct lab_distances *pcs; /* by PC, only those with a distance */
    uint32_t n_pcs;
    /* The unbounded cache; stores, atomics and flushes still remove lines. Hits are counted by the
     * owner of the line: the first to load it since it was last removed. */
    uint64_t hits[N_LAB_LOCALITIES];
    uint64_t compulsory_misses; /* first loads of a line by an SM */
    uint64_t other_misses;      /* of lines that had been removed */
};

/* Access by access, for a stream larger than memory. Without ranges, only the unbounded cache. */
struct lab_reuse_run;
struct lab_reuse_run *lab_reuse_begin(uint32_t n_sms, const struct lab_config *config,
                                      const struct lab_ranges *ranges);
void lab_reuse_take(struct lab_reuse_run *r, const struct lab_access *items, size_t n);
void lab_reuse_end(struct lab_reuse_run *r, struct lab_reuse *out); /* destroys it */
/* The same for a stream in memory. */
void lab_reuse_measure(const struct lab_stream *s, const struct lab_config *config,
                       const struct lab_ranges *ranges, struct lab_reuse *out);
/* Only the unbounded cache. */
void lab_unbounded_measure(const struct lab_stream *s, const struct lab_config *config,
                           struct lab_reuse *out);
/* Only the first loads of a line by an SM, which no cache hits. */
uint64_t lab_compulsory_misses(const struct lab_stream *s, uint32_t line_bytes);
void lab_reuse_destroy(struct lab_reuse *r);

#endif
