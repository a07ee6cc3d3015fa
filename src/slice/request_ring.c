#include "slice/request_ring.h"

#include <stdlib.h>

#include "base/arena.h"

/* Enough for most rings. */
enum { FIRST_PLACES = 64 };

void ring_grow(struct request_ring *r)
{
    uint32_t cap = r->cap ? r->cap * 2 : FIRST_PLACES;
    struct timed_request *items = xalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < r->n; i++)
        items[i] = r->items[(r->head + i) & r->mask];
    free(r->items);
    *r = (struct request_ring){.items = items, .n = r->n, .cap = cap, .mask = cap - 1};
}

void ring_destroy(struct request_ring *r)
{
    free(r->items);
    *r = (struct request_ring){0};
}
