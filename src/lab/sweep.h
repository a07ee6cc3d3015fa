/* Runs the points of an experiment that the store does not have yet, several at a time, each as a
 * `heddle run` of its own, and keeps every result as soon as it is there. */
#ifndef HEDDLE_LAB_SWEEP_H
#define HEDDLE_LAB_SWEEP_H

#include "lab/point.h"
#include "lab/store.h"

struct sweep_progress {
    uint32_t n_points;   /* different ones */
    uint32_t n_stored;   /* found in the store */
    uint32_t n_run;      /* run now, those that failed included */
    uint32_t n_failed;   /* now or, not tried again, before */
    uint32_t n_given_up; /* of those: for want of something on this machine, so not stored */
    uint32_t n_running;
    double seconds; /* since the beginning */
};

struct sweep_options {
    const char *program; /* heddle itself */
    uint32_t jobs;       /* at a time; 0 = one a processor */
    bool retry;          /* points that failed before are run again */
    const char *traces;  /* folder of traces to record and replay; NULL = every point executes */
    /* Told after each change and now and then; may be NULL. `what` is the point that ended last,
     * or NULL. */
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
    struct sweep_failure *failures; /* of now and of before, in the order of points */
    uint32_t n_failures, cap_failures;
};

/* What the store has of a point: its result, or that it failed under the limits of now. */
enum heddle_status sweep_find(struct store *s, const struct point *p, enum store_state *state,
                              int64_t *id);

/* What is ahead of a sweep. */
struct sweep_estimate {
    uint32_t n_to_run; /* those that failed before are not */
    uint32_t n_known;  /* of those, with a workload and size that the store has results of */
    double seconds;    /* one after the other; 0 = nothing is known */
};
enum heddle_status sweep_estimate(struct store *s, const struct point *points, uint32_t n,
                                  struct sweep_estimate *e);

/* The points must have keys. HEDDLE_OK though points failed: the outcome tells; otherwise the
 * store's error does, and what was stored is stored. */
enum heddle_status sweep_run(struct store *s, struct point *points, uint32_t n,
                             const struct point_context *context,
                             const struct sweep_options *options, struct sweep_outcome *outcome);
void sweep_outcome_destroy(struct sweep_outcome *o);

/* For other ways to run points. */
void sweep_add_failure(struct sweep_outcome *o, const struct point *p, const char *message);
void sweep_sort_failures(struct sweep_outcome *o); /* in the order of points; there is one */
/* Of points with one key only the first is marked; returns how many are. */
uint32_t sweep_mark_different(const struct point *points, uint32_t n, bool *is_first);

#endif
