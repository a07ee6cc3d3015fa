/* How far the sweeps are that fill a store right now, for those who watch it. */
#ifndef HEDDLE_LAB_STORE_PROGRESS_H
#define HEDDLE_LAB_STORE_PROGRESS_H

#include "lab/store.h"

struct store_progress {
    uint32_t n_points, n_done; /* `n_run` of those now, the others before */
    uint32_t n_run, n_running;
    double seconds; /* since the sweep began */
};

/* Says how far this process is; in place of what it said before. */
enum heddle_status store_note_sweep(struct store *s, const struct store_progress *p);
/* It has come to its end. */
enum heddle_status store_end_sweep(struct store *s);

/* Sums over the sweeps that are alive, and the longest time that one of them still takes: what is
 * left takes as long as what was run. -1 = not known. */
struct store_sweeps {
    uint32_t n_sweeps;
    struct store_progress all;
    double seconds_left;
};
enum heddle_status store_find_sweeps(struct store *s, struct store_sweeps *out);

#endif
