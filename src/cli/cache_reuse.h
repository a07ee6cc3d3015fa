/* Reuse distances, shared by the code that measures, prints and draws them. */
#ifndef HEDDLE_CLI_CACHE_REUSE_H
#define HEDDLE_CLI_CACHE_REUSE_H

#include "analysis/lab_reuse.h"
#include "cli/cache_lab.h"

struct reuse_of_files {
    const char *const *paths;
    struct lab_reuse *of; /* by path */
    uint32_t n;
    struct lab_ranges ranges;
    enum lab_distance drawn;
    uint64_t n_insts; /* 0 = not told */
};

enum { REUSE_NAME_BYTES = 32 };

/* "5-8", ">64" */
void reuse_range_name(const struct lab_ranges *g, uint32_t i, char name[REUSE_NAME_BYTES]);
double reuse_percent(uint64_t part, uint64_t whole);

/* Stacked bars of the shares of the ranges, with the median as a curve: one bar for each PC of one
 * file (S3 Figure 5.4), or for each of several files (S3 Figure 5.3). */
enum heddle_status reuse_draw(const struct reuse_of_files *f, const char *path);

#endif
