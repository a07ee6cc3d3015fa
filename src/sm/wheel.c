#include "sm/wheel.h"

#include <string.h>

void wheel_init(struct wheel *w)
{
    memset(w, 0, sizeof *w);
    w->due = UINT64_MAX;
}

void wheel_destroy(struct wheel *w)
{
    arena_destroy(&w->pool);
    memset(w, 0, sizeof *w);
}

struct wheel_node *wheel_new_node(struct wheel *w)
{
    return ARENA_NEW(&w->pool, struct wheel_node);
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
