/* How long a sweep may take, based on how long points of the same workload and size took in this
 * store. Other schedulers and policies take other times, so this is only an order of magnitude. */
#include <stdlib.h>
#include <string.h>

#include "lab/store_internal.h"
#include "lab/sweep.h"

struct duration {
    char *workload, *size;
    double seconds;
};

struct durations {
    struct duration *items;
    uint32_t n, cap;
};

static enum heddle_status read_durations(struct store *s, struct durations *d)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT workload, size, avg(seconds) FROM run"
                                       " WHERE state = 'done' GROUP BY workload, size");
    int step = SQLITE_ERROR;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        ARRAY_RESERVE(d->items, d->cap, d->n + 1);
        d->items[d->n++] = (struct duration){strdup((const char *)sqlite3_column_text(q, 0)),
                                             strdup((const char *)sqlite3_column_text(q, 1)),
                                             sqlite3_column_double(q, 2)};
    }
    sqlite3_finalize(q);
    return step == SQLITE_DONE ? HEDDLE_OK : store_fail(s, "read");
}

static void destroy_durations(struct durations *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        free(d->items[i].workload);
        free(d->items[i].size);
    }
    free(d->items);
}

/* 0 = not known. */
static double duration_of(const struct durations *d, const struct point *p)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (strcmp(d->items[i].workload, p->workload->name) == 0 &&
            strcmp(d->items[i].size, p->size->name) == 0)
            return d->items[i].seconds;
    return 0;
}

enum heddle_status sweep_estimate(struct store *s, const struct point *points, uint32_t n,
                                  struct sweep_estimate *e)
{
    struct durations d = {0};
    enum heddle_status status = read_durations(s, &d);
    *e = (struct sweep_estimate){0};
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++) {
        enum store_state state;
        int64_t id;
        status = sweep_find(s, &points[i], &state, &id);
        if (status != HEDDLE_OK || state != STORE_ABSENT)
            continue;
        double seconds = duration_of(&d, &points[i]);
        e->n_to_run++;
        e->n_known += seconds > 0;
        e->seconds += seconds;
    }
    /* Points without data are assumed to be like the others. */
    if (e->n_known)
        e->seconds *= (double)e->n_to_run / e->n_known;
    destroy_durations(&d);
    return status;
}
