/* What there is to gain for a cache: how far loads lie from the last load of their line, and whose
 * lines they find in a cache without bounds.
 *
 * Distances are taken over the loads of one SM and one set; stores neither count nor part a pair,
 * nor do flushes. A distance belongs to the PC of the earlier load; first loads have none. */
#ifndef HEDDLE_ANALYSIS_LAB_REUSE_H
#define HEDDLE_ANALYSIS_LAB_REUSE_H

#include "analysis/lab_replay.h"

/* S2: loads of the set in between. S3: distinct other lines among them. */
enum lab_distance { LAB_S2, LAB_S3, N_LAB_DISTANCES };
enum { LAB_MAX_RANGES = 16 };

/* Upper ends, ascending; what is above the last one is a range of its own. */
struct lab_ranges {
    uint32_t ends[LAB_MAX_RANGES - 1];
    uint32_t n;            /* ends */
    bool is_critical_only; /* only of loads by warps that were critical then (S3 Figure 4.4) */
};

struct lab_distances {
    uint32_t pc; /* of those of one PC */
    uint64_t n;
    uint64_t in_range[N_LAB_DISTANCES][LAB_MAX_RANGES];
    uint32_t median[N_LAB_DISTANCES]; /* the lower one; 0 if there are none */
};

struct lab_reuse {
    uint64_t n_loads, n_stores, n_atomics;
    struct lab_distances all;
    struct lab_distances *pcs; /* by PC; of those with a distance */
    uint32_t n_pcs;
    /* The cache without bounds, from which stores, atomics and flushes remove lines all the same.
     * Hits by the owner of the line: whoever loaded it first since it was last removed. */
    uint64_t hits[N_LAB_LOCALITIES];
    uint64_t compulsory_misses; /* first loads of a line by an SM */
    uint64_t other_misses;      /* of lines that had been removed */
};

/* Access by access, of a stream that is longer than memory. Without ranges, the cache without
 * bounds alone. */
struct lab_reuse_run;
struct lab_reuse_run *lab_reuse_begin(uint32_t n_sms, const struct lab_config *config,
                                      const struct lab_ranges *ranges);
void lab_reuse_take(struct lab_reuse_run *r, const struct lab_access *items, size_t n);
void lab_reuse_end(struct lab_reuse_run *r, struct lab_reuse *out); /* destroys it */
/* The same of a stream at hand. */
void lab_reuse_measure(const struct lab_stream *s, const struct lab_config *config,
                       const struct lab_ranges *ranges, struct lab_reuse *out);
/* Of all that, the cache without bounds alone. */
void lab_unbounded_measure(const struct lab_stream *s, const struct lab_config *config,
                           struct lab_reuse *out);
/* First loads of a line by an SM, which no cache hits: those alone. */
uint64_t lab_compulsory_misses(const struct lab_stream *s, uint32_t line_bytes);
void lab_reuse_destroy(struct lab_reuse *r);

#endif
