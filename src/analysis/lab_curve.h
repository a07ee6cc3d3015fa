/* Miss ratios of LRU caches of all sizes in one pass. Stores remove lines. If stores kept them,
 * there would be no such curve, because a store refreshes a line only in those caches that hold
 * it. */
#ifndef HEDDLE_ANALYSIS_LAB_CURVE_H
#define HEDDLE_ANALYSIS_LAB_CURVE_H

#include "analysis/lab_stream.h"

struct lab_curve {
    uint64_t n_loads;
    uint64_t *hits;  /* [w]: hits of a cache with w ways; 0 to n_ways */
    uint32_t n_ways; /* more ways give no more hits */
};

void lab_curve_make(const struct lab_stream *s, uint32_t n_sets, uint32_t line_bytes,
                    uint32_t index, struct lab_curve *out);
/* The hits of a cache with `n_ways` ways. */
uint64_t lab_curve_hits(const struct lab_curve *c, uint64_t n_ways);
void lab_curve_destroy(struct lab_curve *c);

#endif
