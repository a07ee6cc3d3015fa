/* Measurements to train a model from: a CSV file with a header, one row per (kernel, input size,
 * native programs). The columns `kernel` and `time` (seconds) are required; every other column is a
 * feature. */
#ifndef HEDDLE_HETERO_ROWS_H
#define HEDDLE_HETERO_ROWS_H

#include "base/arena.h"
#include "base/diag.h"

struct hetero_rows {
    struct arena arena;
    const char **features;
    uint32_t n_features;
    const char **kernels; /* distinct names, in order of appearance */
    uint32_t n_kernels;
    uint32_t *kernel_of; /* per row: index into kernels */
    double *times;       /* per row */
    double *values;      /* rows x features */
    uint32_t n_rows;
};

/* False on errors, which are in `diags`; call hetero_rows_destroy() in either case. */
bool hetero_rows_read(struct hetero_rows *rows, const char *file, const char *text,
                      struct diag_list *diags);
void hetero_rows_destroy(struct hetero_rows *rows);

#endif
