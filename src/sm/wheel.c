#include "sm/wheel.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void wheel_init(struct wheel *w)
{
    memset(w, 0, sizeof *w);
    w->due = UINT64_MAX;
}

void wheel_destroy(struct wheel *w)
{
    free(w->nodes);
    memset(w, 0, sizeof *w);
}

uint32_t wheel_new_node(struct wheel *w)
{
    ARRAY_RESERVE(w->nodes, w->cap_nodes, w->n_nodes + 1);
    return ++w->n_nodes;
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
