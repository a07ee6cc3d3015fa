/* Recorded traces (doc/traces.md) that the points of one workload and input share: the first point
 * that needs one records it while it runs, later ones replay it. Only where that is exact: a trace
 * that is timing-dependent is never replayed here. */
#ifndef HEDDLE_LAB_TRACE_POOL_H
#define HEDDLE_LAB_TRACE_POOL_H

#include "lab/point.h"

enum trace_use { TRACE_UNUSED, TRACE_RECORD, TRACE_REPLAY };

struct trace_entry;

struct trace_pool {
    const char *folder; /* NULL = no traces are used */
    struct trace_entry *entries;
    uint32_t n, cap;
};

/* False, with errno set, if the folder is not there and cannot be made. */
bool trace_pool_create(struct trace_pool *t, const char *folder);
void trace_pool_destroy(struct trace_pool *t);

/* What a run of the point is to do, and the file it is about, in the arena. */
enum trace_use trace_pool_use(struct trace_pool *t, const struct point *p, struct arena *arena,
                              const char **path);
/* A run that recorded has ended. */
void trace_pool_recorded(struct trace_pool *t, const struct point *p);
/* A replay has failed: the trace must be recorded again. */
void trace_pool_distrust(struct trace_pool *t, const struct point *p);

#endif
