/* Things due at a cycle, in order of insertion. Those further ahead than WHEEL_CYCLES come by once
 * a round and are put back. */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { WHEEL_CYCLES = 1024 };

struct wheel_event {
    uint32_t kind, value;
    void *body;
};

struct wheel_node {
    struct wheel_event event;
    uint64_t at;
    struct wheel_node *next;
};

struct wheel {
    struct wheel_list {
        struct wheel_node *first, *last; /* first is NULL if there are none */
    } at[WHEEL_CYCLES];
    uint64_t used[WHEEL_CYCLES / 64]; /* a bit a list: is there anything? */
    struct wheel_node *free;
    uint32_t n_events;
    /* Not after the first event, UINT64_MAX = there is none; perhaps before it. */
    uint64_t due;
    struct arena pool;
};

void wheel_init(struct wheel *w);
void wheel_destroy(struct wheel *w);
struct wheel_node *wheel_new_node(struct wheel *w);
/* A cycle >= now, not after the first event; UINT64_MAX if there is none. */
uint64_t wheel_next(const struct wheel *w, uint64_t now);

static inline void wheel_put_node(struct wheel *w, uint64_t now, struct wheel_node *node)
{
    uint64_t near = node->at - now < WHEEL_CYCLES ? node->at : now + WHEEL_CYCLES - 1;
    uint32_t place = (uint32_t)(near % WHEEL_CYCLES);
    struct wheel_list *list = &w->at[place];
    node->next = NULL;
    if (list->first) {
        list->last->next = node;
    } else {
        list->first = node;
        w->used[place / 64] |= 1ull << place % 64;
        w->due = near < w->due ? near : w->due;
    }
    list->last = node;
}

/* `at` must not be before `now`. */
static inline void wheel_add(struct wheel *w, uint64_t now, uint64_t at, struct wheel_event e)
{
    assert(at >= now);
    struct wheel_node *node = w->free;
    if (node)
        w->free = node->next;
    else
        node = wheel_new_node(w);
    node->event = e;
    node->at = at;
    wheel_put_node(w, now, node);
    w->n_events++;
}

/* Takes the first event of cycle `now`; false if there is none left: `due` is later then. To be
 * asked in every cycle that is due. */
static inline bool wheel_take(struct wheel *w, uint64_t now, struct wheel_event *e)
{
    uint32_t place = (uint32_t)(now % WHEEL_CYCLES);
    struct wheel_node *node;
    while ((node = w->at[place].first)) {
        w->at[place].first = node->next;
        if (node->at > now) {
            wheel_put_node(w, now, node);
            continue;
        }
        *e = node->event;
        node->next = w->free;
        w->free = node;
        w->n_events--;
        return true;
    }
    w->used[place / 64] &= ~(1ull << place % 64);
    w->due = wheel_next(w, now + 1);
    return false;
}

#endif
