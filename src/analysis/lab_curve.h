/* Miss ratios of LRU caches of all sizes in one pass. Stores remove lines: where they keep them
 * there is no such curve, for a store refreshes a line in those caches only that hold it. */
#ifndef HEDDLE_ANALYSIS_LAB_CURVE_H
#define HEDDLE_ANALYSIS_LAB_CURVE_H

#include "analysis/lab_stream.h"

struct lab_curve {
    uint64_t n_loads;
    uint64_t *hits;  /* [w]: of a cache of w ways; 0 to n_ways */
    uint32_t n_ways; /* more ways have no more hits */
};

void lab_curve_make(const struct lab_stream *s, uint32_t n_sets, uint32_t line_bytes,
                    uint32_t index, struct lab_curve *out);
/* The hits of a cache of so many ways. */
uint64_t lab_curve_hits(const struct lab_curve *c, uint64_t n_ways);
void lab_curve_destroy(struct lab_curve *c);

#endif
