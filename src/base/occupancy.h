/* How full something is, summed over time: the area under its occupancy. At the end of a run the
 * area must equal the sum of what each occupant says of itself (left - entered); the two are kept
 * by different hands, so a lost, doubled or mistimed occupant shows.
 *
 * Changes may be told out of order: the area is exact, modulo 2^64, once all have been.
 *
 * Each occupant adds to the area the time it leaves and takes away the time it enters; so a change
 * costs an addition, and only who asks for the area multiplies. */
#ifndef HEDDLE_BASE_OCCUPANCY_H
#define HEDDLE_BASE_OCCUPANCY_H

#include <stdint.h>

/* A zeroed struct is empty since time 0. */
struct occupancy {
    uint64_t n;     /* present occupants */
    uint64_t sum;   /* of times left - times entered */
    uint64_t since; /* the last change */
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
 * it is empty, its area is `stays`. */
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

/* Both, of one whose leaving is known as it enters. */
static inline void queue_pass(struct queue_account *q, uint64_t entered, uint64_t left)
{
    q->occupancy.sum += left - entered;
    q->stays += left - entered;
}

#endif
