/* Progress of the sweeps that currently fill a store, for observers. */
#ifndef HEDDLE_LAB_STORE_PROGRESS_H
#define HEDDLE_LAB_STORE_PROGRESS_H

#include "lab/store.h"

struct store_progress {
    uint32_t n_points, n_done; /* `n_run` of those in this sweep, the others before */
    uint32_t n_run, n_running;
    double seconds; /* since the sweep began */
};

/* Records this process's progress, replacing its earlier record. */
enum heddle_status store_note_sweep(struct store *s, const struct store_progress *p);
/* The sweep has ended. */
enum heddle_status store_end_sweep(struct store *s);

/* Sums over the live sweeps, and the longest remaining time of any of them, assuming that the
 * remaining points take as long as those already run. -1 = unknown. */
struct store_sweeps {
    uint32_t n_sweeps;
    struct store_progress all;
    double seconds_left;
};
enum heddle_status store_find_sweeps(struct store *s, struct store_sweeps *out);

#endif
