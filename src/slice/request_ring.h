/* Queues of a memory slice: first in, first out, each item with the L2 cycle from which it may
 * leave. A ring grows on demand, up to what the machine's queues and MSHRs allow. */
#ifndef HEDDLE_SLICE_REQUEST_RING_H
#define HEDDLE_SLICE_REQUEST_RING_H

#include <stddef.h>
#include <stdint.h>

struct mem_request;

struct timed_request {
    uint64_t at;
    union {
        struct mem_request *request;
        uint64_t tag; /* tag of a DRAM access */
    };
};

/* A zeroed ring is empty. */
struct request_ring {
    struct timed_request *items;
    uint32_t head, n, cap; /* cap: a power of two, or 0 */
    uint32_t mask;         /* cap - 1 */
};

void ring_grow(struct request_ring *r);
void ring_destroy(struct request_ring *r);

/* Requires a free entry. */
static inline void ring_add(struct request_ring *r, struct timed_request item)
{
    r->items[(r->head + r->n++) & r->mask] = item;
}

/* Makes room for `n` more items. */
static inline void ring_reserve(struct request_ring *r, uint32_t n)
{
    while (r->cap - r->n < n)
        ring_grow(r);
}

static inline void ring_push(struct request_ring *r, struct timed_request item)
{
    if (r->n == r->cap)
        ring_grow(r);
    ring_add(r, item);
}

/* The first item, NULL if there is none. */
static inline const struct timed_request *ring_front(const struct request_ring *r)
{
    return r->n ? &r->items[r->head] : NULL;
}

/* The same for a ring that is not empty. */
static inline const struct timed_request *ring_first(const struct request_ring *r)
{
    return &r->items[r->head];
}

/* The item `i` places behind the first. */
static inline struct timed_request *ring_at(const struct request_ring *r, uint32_t i)
{
    return &r->items[(r->head + i) & r->mask];
}

/* Removes the first `n` items. */
static inline void ring_drop(struct request_ring *r, uint32_t n)
{
    r->head = (r->head + n) & r->mask;
    r->n -= n;
}

static inline void ring_pop(struct request_ring *r)
{
    ring_drop(r, 1);
}

#endif
