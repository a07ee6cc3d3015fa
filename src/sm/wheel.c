#include "sm/wheel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void wheel_destroy(struct wheel *w)
{
    free(w->nodes);
    memset(w, 0, sizeof *w);
}

static uint32_t new_node(struct wheel *w)
{
    if (w->free) {
        uint32_t n = w->free;
        w->free = w->nodes[n - 1].next;
        return n;
    }
    ARRAY_RESERVE(w->nodes, w->cap_nodes, w->n_nodes + 1);
    return ++w->n_nodes;
}

static void put_node(struct wheel *w, uint64_t now, uint32_t n)
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
}

void wheel_add(struct wheel *w, uint64_t now, uint64_t at, struct wheel_event e)
{
    assert(at >= now);
    uint32_t n = new_node(w);
    w->nodes[n - 1].event = e;
    w->nodes[n - 1].at = at;
    put_node(w, now, n);
    w->n_events++;
}

int wheel_take(struct wheel *w, uint64_t now, struct wheel_event *e)
{
    uint32_t place = (uint32_t)(now % WHEEL_CYCLES), n;
    while ((n = w->head[place])) {
        w->head[place] = w->nodes[n - 1].next;
        if (!w->head[place])
            w->used[place / 64] &= ~(1ull << place % 64);
        if (w->nodes[n - 1].at > now) {
            put_node(w, now, n);
            continue;
        }
        *e = w->nodes[n - 1].event;
        w->nodes[n - 1].next = w->free;
        w->free = n;
        w->n_events--;
        return 1;
    }
    return 0;
}

uint64_t wheel_next(const struct wheel *w, uint64_t now)
{
    if (!w->n_events)
        return UINT64_MAX;
    uint32_t from = (uint32_t)(now % WHEEL_CYCLES);
    uint64_t first = w->used[from / 64] >> from % 64;
    if (first)
        return now + (uint32_t)__builtin_ctzll(first);
    for (uint32_t i = 1; i <= WHEEL_CYCLES / 64; i++) {
        uint32_t word = (from / 64 + i) % (WHEEL_CYCLES / 64);
        if (!w->used[word])
            continue;
        uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(w->used[word]);
        return now + (place - from + WHEEL_CYCLES) % WHEEL_CYCLES;
    }
    return UINT64_MAX;
}
