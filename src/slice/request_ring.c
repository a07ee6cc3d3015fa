#include "slice/request_ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* As many as most rings need. */
enum { FIRST_PLACES = 64 };

void ring_grow(struct request_ring *r)
{
    uint32_t cap = r->cap ? r->cap * 2 : FIRST_PLACES;
    struct timed_request *items = xalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < r->n; i++)
        items[i] = r->items[(r->head + i) & (r->cap - 1)];
    free(r->items);
    *r = (struct request_ring){.items = items, .n = r->n, .cap = cap};
}

/* Items at places from..to move up by one. */
static void move_up(struct timed_request *items, uint32_t from, uint32_t to)
{
    memmove(items + from + 1, items + from, (to - from) * sizeof *items);
}

void ring_move_last(struct request_ring *r, uint32_t i)
{
    struct timed_request *items = r->items;
    uint32_t mask = r->cap - 1, from = (r->head + i) & mask, to = (r->head + r->n - 1) & mask;
    struct timed_request last = items[to];
    if (from <= to) {
        move_up(items, from, to);
    } else { /* some of them lie at the ring's beginning */
        move_up(items, 0, to);
        items[0] = items[mask];
        move_up(items, from, mask);
    }
    items[from] = last;
}

void ring_destroy(struct request_ring *r)
{
    free(r->items);
    *r = (struct request_ring){0};
}
