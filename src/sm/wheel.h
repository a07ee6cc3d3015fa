/* Events due at a cycle, in order of insertion.
 *
 * Nearly all are due within a few cycles: each of the next WHEEL_CYCLES has its own array, which is
 * reused when the wheel has turned; the wheel includes memory for the usual number. The few events
 * further ahead wait in one sorted list; those of a cycle were inserted before any that found it
 * near, so they come first. Sleepers, for which only the warp and the wake-up cycle matter, take
 * one bit each. */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { WHEEL_CYCLES = 64, WHEEL_USUAL_EVENTS = 8 };

struct wheel_event {
    uint32_t kind, value;
    void *body;
};

struct far_event {
    struct wheel_event event;
    uint64_t at;
    struct far_event *next;
};

struct wheel {
    uint64_t due;  /* of the first event; UINT64_MAX = there is none */
    uint64_t used; /* bit c % 64: something is due in cycle c, which is near */
    struct wheel_list {
        struct wheel_event *items;
        uint32_t n, cap;
    } near[WHEEL_CYCLES];
    uint64_t asleep;                  /* bit c % 64: a warp wakes in cycle c, which is near */
    uint64_t sleepers[WHEEL_CYCLES];  /* the warps that wake in each of the next cycles */
    struct far_event *far, *last_far; /* `far` is NULL if there are none */
    struct far_event *free;
    struct arena pool;
    struct wheel_event usual[WHEEL_CYCLES][WHEEL_USUAL_EVENTS];
};

/* It must not be moved in memory. */
void wheel_init(struct wheel *w);
void wheel_destroy(struct wheel *w);
void wheel_grow(struct wheel *w, struct wheel_list *list);
void wheel_add_far(struct wheel *w, uint64_t at, struct wheel_event e);
struct wheel_event wheel_take_far(struct wheel *w);

static inline bool wheel_is_empty(const struct wheel *w)
{
    return !w->used && !w->asleep && !w->far;
}

/* `at` is near; `bit` as in `used`. */
static inline void wheel_add_near(struct wheel *w, uint64_t at, uint64_t bit, struct wheel_event e)
{
    struct wheel_list *list = &w->near[at % WHEEL_CYCLES];
    if (list->n == list->cap)
        wheel_grow(w, list);
    list->items[list->n++] = e;
    w->used |= bit;
    if (at < w->due)
        w->due = at;
}

/* They wake in cycle `at`, which is near. */
static inline void wheel_sleep(struct wheel *w, uint64_t at, uint64_t sleepers)
{
    w->sleepers[at % WHEEL_CYCLES] |= sleepers;
    w->asleep |= 1ull << at % WHEEL_CYCLES;
    if (at < w->due)
        w->due = at;
}

/* The warps that wake in cycle `now`. */
static inline uint64_t wheel_wake(struct wheel *w, uint64_t now)
{
    uint64_t sleepers = w->sleepers[now % WHEEL_CYCLES];
    w->sleepers[now % WHEEL_CYCLES] = 0;
    w->asleep &= ~(1ull << now % WHEEL_CYCLES);
    return sleepers;
}

/* `at` must not be before `now`, nor `now` itself once its events have been taken. */
static inline void wheel_add(struct wheel *w, uint64_t now, uint64_t at, struct wheel_event e)
{
    if (at - now >= WHEEL_CYCLES) {
        assert(at >= now);
        wheel_add_far(w, at, e);
        return;
    }
    wheel_add_near(w, at, 1ull << at % WHEEL_CYCLES, e);
}

/* The first cycle from `from` on in which something is due. */
static inline uint64_t wheel_next(const struct wheel *w, uint64_t from)
{
    uint64_t far = w->far ? w->far->at : UINT64_MAX, used = w->used | w->asleep;
    if (!used)
        return far;
    uint32_t turn = (uint32_t)(from % WHEEL_CYCLES);
    uint64_t ahead = used >> turn | used << (WHEEL_CYCLES - turn) % WHEEL_CYCLES;
    uint64_t near = from + (uint32_t)__builtin_ctzll(ahead);
    return near < far ? near : far;
}

/* Is there an event of cycle `now` that was inserted when that was far? */
static inline bool wheel_has_far(const struct wheel *w, uint64_t now)
{
    return w->far && w->far->at <= now;
}

/* Does a warp wake in cycle `now`, which is due, and nothing else happen? */
static inline bool wheel_only_wakes(const struct wheel *w, uint64_t now)
{
    return !(w->used >> now % WHEEL_CYCLES & 1) && !wheel_has_far(w, now);
}

/* Takes the first of them; false if there is none left. */
static inline bool wheel_take_first(struct wheel *w, uint64_t now, struct wheel_event *e)
{
    if (!wheel_has_far(w, now))
        return false;
    *e = wheel_take_far(w);
    return true;
}

/* The events of cycle `now` after those: processing one may add more. */
static inline const struct wheel_list *wheel_list_of(const struct wheel *w, uint64_t now)
{
    return &w->near[now % WHEEL_CYCLES];
}

/* All events of cycle `now` are done: `due` is then later. Call it in every due cycle. */
static inline void wheel_turn(struct wheel *w, uint64_t now)
{
    w->near[now % WHEEL_CYCLES].n = 0;
    w->used &= ~(1ull << now % WHEEL_CYCLES);
    w->due = wheel_next(w, now + 1);
}

#endif
