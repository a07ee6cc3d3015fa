/* Recorded traces (doc/traces.md) shared by the points of one workload and input: the first point
 * that needs a trace records it while it runs, later ones replay it. Only where that is exact: a
 * timing-dependent trace is never replayed here. */
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

/* False, with errno set, if the folder does not exist and cannot be created. */
bool trace_pool_create(struct trace_pool *t, const char *folder);
void trace_pool_destroy(struct trace_pool *t);

/* What a run of the point should do, and the file it uses, in the arena. */
enum trace_use trace_pool_use(struct trace_pool *t, const struct point *p, struct arena *arena,
                              const char **path);
/* A recording run has ended. */
void trace_pool_recorded(struct trace_pool *t, const struct point *p);
/* A replay has failed: the trace must be recorded again. */
void trace_pool_distrust(struct trace_pool *t, const struct point *p);

#endif
