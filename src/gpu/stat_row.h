/* Rows of statistics: a counter of struct machine_totals by its offset, or a number computed from
 * several of them. Tables of rows follow one another in the order of machine_totals_stat(). */
#ifndef HEDDLE_GPU_STAT_ROW_H
#define HEDDLE_GPU_STAT_ROW_H

#include <stddef.h>

#include "gpu/machine_totals.h"

struct stat_row {
    const char *name, *unit, *help;
    size_t at;    /* of the counter, if there is neither of the following */
    uint32_t app; /* for get_of() */
    double (*get)(const struct machine_totals *t);
    double (*get_of)(const struct machine_totals *t, uint32_t app);
};

#define ROW_COUNT(name_, unit_, help_, field)                                                      \
    {                                                                                              \
        .name = name_, .unit = unit_, .help = help_, .at = offsetof(struct machine_totals, field)  \
    }
#define ROW_RATIO(name_, unit_, help_, fn)                                                         \
    {                                                                                              \
        .name = name_, .unit = unit_, .help = help_, .get = fn                                     \
    }
#define ROW_RATIO_OF(app_, name_, unit_, help_, fn)                                                \
    {                                                                                              \
        .name = name_, .unit = unit_, .help = help_, .app = app_, .get_of = fn                     \
    }

static inline double stat_ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

struct stat_table {
    const struct stat_row *rows;
    uint32_t n;
    const char *gpu; /* the shipped GPU that has them; NULL = all have */
};

/* Of machines that attribute latencies (attribution_rows.c), of those with CPU cores, as many as
 * mix_row_count() says (mix_stats.c), and of a discrete GPU's host (host_stats.c). */
extern const struct stat_row attribution_rows[], mix_rows[], host_rows[];
extern const uint32_t n_attribution_rows;

#endif
