/* Shared by the files of the mutex unit: mutex_unit.c (holding and performing), mutex_data.c
 * (fetches) and mutex_lines.c (lines, and their changes until L2 has them). */
#ifndef HEDDLE_ATOMICS_MUTEX_PARTS_H
#define HEDDLE_ATOMICS_MUTEX_PARTS_H

#include <assert.h>
#include <stdlib.h>

#include "atomics/mutex_unit.h"
#include "base/arena.h"

static inline void mutex_wake(struct mutex_unit *u, uint64_t cycle)
{
    if (cycle < u->due)
        u->due = cycle;
}

static inline uint32_t mutex_of_line(const struct mutex_unit *u, uint64_t line)
{
    return (uint32_t)(line / u->line_bytes % u->params->mutexes);
}

static inline struct mutex_request *mutex_request_at(struct mutex_unit *u, uint32_t number)
{
    return number ? &u->requests[number - 1] : NULL;
}

static inline uint64_t mutex_line_of(const struct mutex_request *r)
{
    return r->request->access.line;
}

static inline uint32_t mutex_sectors_of(const struct mutex_request *r)
{
    return r->request->access.sector_mask;
}

static inline struct mutex_line *mutex_find_line(const struct mutex *m, uint64_t line)
{
    struct mutex_line *l = m->lines;
    while (l && l->line != line)
        l = l->next;
    return l;
}

static inline bool mutex_line_is_changed(const struct mutex_line *l)
{
    return l->changed[0] | l->changed[1];
}

/* May another request be performed before the release? */
static inline bool mutex_wants_more(const struct mutex_unit *u, const struct mutex *m)
{
    return m->n && m->n_performed < u->params->hold_max;
}

/* --- data (mutex_data.c) --- */
/* Requests the data that requests of the mutex lack, as far as permitted now. */
void mutex_want_data(struct mutex_unit *u, uint32_t mutex, uint64_t now);
void mutex_send_fetches(struct mutex_unit *u, uint64_t now);
/* The mutex is held now: speculative data are valid, or not. */
void mutex_judge_fetches(struct mutex_unit *u, uint32_t mutex, bool good, uint64_t now);
/* Data of the line that are present or in flight have become stale: requests fetch them again. */
void mutex_outdate(struct mutex_unit *u, uint32_t mutex, uint64_t line);
/* The same for all lines: the mutex is released. */
void mutex_forget_data(struct mutex_unit *u, uint32_t mutex);

/* --- lines (mutex_lines.c) --- */
struct mutex_line *mutex_add_line(struct mutex_unit *u, struct mutex *m, uint64_t line);
/* Removes the lines of which the unit has no data. */
void mutex_tidy_lines(struct mutex_unit *u, struct mutex *m);
/* Removes lines that others may have changed since. */
void mutex_forget_lines(struct mutex_unit *u, struct mutex *m);
/* What the request has changed stays in the unit until it is written, whether or not it is in
 * L1D. */
void mutex_note_change(struct mutex_unit *u, uint32_t mutex, const struct mutex_request *r,
                       const uint64_t changed[2]);
/* Writes changes to L2, as far as there is room. */
void mutex_write_lines(struct mutex_unit *u, uint32_t mutex, uint64_t now);
/* Has L2 acknowledged all of them? */
bool mutex_is_written(const struct mutex *m);

#endif
