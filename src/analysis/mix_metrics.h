/* Metrics of programs that run together, from the ratio of each program's IPC to its IPC alone; the
 * GPU counts as one program. */
#ifndef HEDDLE_ANALYSIS_MIX_METRICS_H
#define HEDDLE_ANALYSIS_MIX_METRICS_H

#include <stdint.h>

/* The sum of the ratios. */
double mix_weighted_speedup(const double *ratios, uint32_t n);
/* Their harmonic mean; 0 if one of them is 0. */
double mix_fairness(const double *ratios, uint32_t n);

#endif
