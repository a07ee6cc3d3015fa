/* Runs the points of an experiment that the store does not have yet, several at a time, each as a
 * separate `heddle run`, and stores every result as soon as it arrives. */
#ifndef HEDDLE_LAB_SWEEP_H
#define HEDDLE_LAB_SWEEP_H

#include "lab/point.h"
#include "lab/store.h"

struct sweep_progress {
    uint32_t n_points;   /* different ones */
    uint32_t n_stored;   /* found in the store */
    uint32_t n_run;      /* run now, including failures */
    uint32_t n_failed;   /* now, or before and not retried */
    uint32_t n_given_up; /* failures caused by this machine, which are not stored */
    uint32_t n_running;
    double seconds; /* since the beginning */
};

struct sweep_options {
    const char *program; /* heddle itself */
    uint32_t jobs;       /* concurrent runs; 0 = one per processor */
    bool retry;          /* run points again that failed before */
    const char *traces;  /* folder of traces to record and replay; NULL = every point executes */
    /* Called after each change and from time to time; may be NULL. `what` is the point that ended
     * last, or NULL. */
    void (*progress)(void *user, const struct sweep_progress *p, const struct point *what);
    void *progress_user;
};

/* A message about one point, one line or more. */
struct sweep_failure {
    const struct point *point;
    char *message;
};

/* A zeroed struct is empty and valid. */
struct sweep_outcome {
    struct sweep_progress counts;
    struct sweep_failure *failures; /* failures of now and before, in the order of points */
    uint32_t n_failures, cap_failures;
};

/* The stored state of a point: its result, or that it failed under the current limits. */
enum heddle_status sweep_find(struct store *s, const struct point *p, enum store_state *state,
                              int64_t *id);

/* The work ahead of a sweep. */
struct sweep_estimate {
    uint32_t n_to_run; /* without those that failed before */
    uint32_t n_known;  /* those with a workload and size for which the store has results */
    double seconds;    /* if run one after the other; 0 = unknown */
};
enum heddle_status sweep_estimate(struct store *s, const struct point *points, uint32_t n,
                                  struct sweep_estimate *e);

/* The points must have keys. Returns HEDDLE_OK even if points failed: see the outcome. Otherwise
 * the store's error says why; what was stored stays stored. */
enum heddle_status sweep_run(struct store *s, struct point *points, uint32_t n,
                             const struct point_context *context,
                             const struct sweep_options *options, struct sweep_outcome *outcome);
void sweep_outcome_destroy(struct sweep_outcome *o);

/* For other ways to run points. */
void sweep_add_failure(struct sweep_outcome *o, const struct point *p, const char *message);
void sweep_sort_failures(struct sweep_outcome *o); /* in the order of points; there is one */
/* Marks only the first of points with the same key. Returns the number of marks. */
uint32_t sweep_mark_different(const struct point *points, uint32_t n, bool *is_first);

#endif
