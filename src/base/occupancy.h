/* Occupancy summed over time: the area under the curve. At the end of a run the area must equal the
 * sum over the occupants of (time left - time entered). Different code keeps the two numbers, so a
 * lost, duplicated or mistimed occupant shows.
 *
 * Changes may be reported out of order: the area is exact, modulo 2^64, once all have been
 * reported.
 *
 * Each occupant adds the time it leaves to the area and subtracts the time it enters. So a change
 * costs one addition; only reading the area multiplies. */
#ifndef HEDDLE_BASE_OCCUPANCY_H
#define HEDDLE_BASE_OCCUPANCY_H

#include <stdint.h>

/* A zeroed struct is empty since time 0. */
struct occupancy {
    uint64_t n;     /* present occupants */
    uint64_t sum;   /* sum of times left - times entered */
    uint64_t since; /* time of the last change */
};

/* The sum of occupants x time up to the last change. */
static inline uint64_t occupancy_area(const struct occupancy *o)
{
    return o->sum + o->n * o->since;
}

static inline void occupancy_add(struct occupancy *o, uint64_t at, uint64_t n)
{
    o->sum -= n * at;
    o->since = at;
    o->n += n;
}

static inline void occupancy_remove(struct occupancy *o, uint64_t at, uint64_t n)
{
    occupancy_add(o, at, 0 - n);
}

/* A queue seen from both sides: its length over time, and the time its occupants spent in it. When
 * the queue is empty, its area equals `stays`. */
struct queue_account {
    struct occupancy occupancy;
    uint64_t stays;
};

static inline void queue_enter(struct queue_account *q, uint64_t now)
{
    occupancy_add(&q->occupancy, now, 1);
}

static inline void queue_leave(struct queue_account *q, uint64_t entered, uint64_t now)
{
    occupancy_remove(&q->occupancy, now, 1);
    q->stays += now - entered;
}

/* Enters and leaves at once, for an occupant whose departure time is known when it enters. */
static inline void queue_pass(struct queue_account *q, uint64_t entered, uint64_t left)
{
    q->occupancy.sum += left - entered;
    q->stays += left - entered;
}

#endif
