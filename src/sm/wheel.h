/* Things due at a cycle, in order of insertion. Those further ahead than WHEEL_CYCLES come by once
 * a round and are put back. */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { WHEEL_CYCLES = 1024 };

struct wheel_event {
    uint16_t kind;
    uint16_t slot; /* warp */
    uint32_t value;
    void *body;
};

struct wheel {
    struct wheel_node {
        struct wheel_event event;
        uint64_t at;
        uint32_t next; /* index + 1 */
    } * nodes;
    uint32_t n_nodes, cap_nodes, free;               /* free: index + 1 */
    uint32_t head[WHEEL_CYCLES], tail[WHEEL_CYCLES]; /* index + 1; 0 = none */
    uint64_t used[WHEEL_CYCLES / 64];
    uint32_t n_events;
    /* Not after the first event, UINT64_MAX = there is none; perhaps before it. */
    uint64_t due;
};

void wheel_init(struct wheel *w);
void wheel_destroy(struct wheel *w);
/* A free node, as index + 1. */
uint32_t wheel_new_node(struct wheel *w);
/* A cycle >= now, not after the first event; UINT64_MAX if there is none. */
uint64_t wheel_next(const struct wheel *w, uint64_t now);

static inline void wheel_put_node(struct wheel *w, uint64_t now, uint32_t n)
{
    uint64_t at = w->nodes[n - 1].at;
    uint64_t near = at - now < WHEEL_CYCLES ? at : now + WHEEL_CYCLES - 1;
    uint32_t place = (uint32_t)(near % WHEEL_CYCLES);
    w->nodes[n - 1].next = 0;
    if (w->head[place])
        w->nodes[w->tail[place] - 1].next = n;
    else
        w->head[place] = n;
    w->tail[place] = n;
    w->used[place / 64] |= 1ull << place % 64;
    w->due = near < w->due ? near : w->due;
}

/* `at` must not be before `now`. */
static inline void wheel_add(struct wheel *w, uint64_t now, uint64_t at, struct wheel_event e)
{
    assert(at >= now);
    uint32_t n = w->free;
    if (n)
        w->free = w->nodes[n - 1].next;
    else
        n = wheel_new_node(w);
    w->nodes[n - 1].event = e;
    w->nodes[n - 1].at = at;
    wheel_put_node(w, now, n);
    w->n_events++;
}

/* Takes the first event of cycle `now`; false if there is none left: `due` is later then. To be
 * asked in every cycle that is due. */
static inline bool wheel_take(struct wheel *w, uint64_t now, struct wheel_event *e)
{
    uint32_t place = (uint32_t)(now % WHEEL_CYCLES), n;
    while ((n = w->head[place])) {
        struct wheel_node *node = &w->nodes[n - 1];
        w->head[place] = node->next;
        if (!node->next)
            w->used[place / 64] &= ~(1ull << place % 64);
        if (node->at > now) {
            wheel_put_node(w, now, n);
            continue;
        }
        *e = node->event;
        node->next = w->free;
        w->free = n;
        w->n_events--;
        return true;
    }
    w->due = wheel_next(w, now + 1);
    return false;
}

#endif
