/* Merges stores: sweeps on several machines write one each. */
#ifndef HEDDLE_LAB_STORE_MERGE_H
#define HEDDLE_LAB_STORE_MERGE_H

#include "lab/store.h"

struct store_merged {
    int64_t n_taken, n_there; /* results taken, and results that were there already */
};

/* Takes the results of the store `path` that `s`, open for writing, does not have, in one
 * transaction; `path` is not changed. A result replaces a failure. HEDDLE_WRONG_RESULT if both have
 * a result of the same point and they differ; then nothing is taken. */
enum heddle_status store_merge(struct store *s, const char *path, struct store_merged *merged);

#endif
