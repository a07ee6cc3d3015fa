/* When each of several equal things (units, operand collectors) is free again. They are kept in
 * order in a ring: as new times are nearly always the latest, taking the first and giving it a new
 * one costs the same however many there are. */
#ifndef HEDDLE_SM_FREE_TIMES_H
#define HEDDLE_SM_FREE_TIMES_H

#include <stdint.h>

enum { FREE_TIMES_MAX = 16 };

/* Zeroed but for `n`, all are free from the beginning. */
struct free_times {
    uint64_t at[FREE_TIMES_MAX]; /* n of them, going round, earliest first */
    uint32_t n, first;           /* place % FREE_TIMES_MAX */
};

static inline uint64_t free_times_first(const struct free_times *f)
{
    return f->at[f->first % FREE_TIMES_MAX];
}

/* Moves a time that is not the latest to where it belongs, from the last place. */
static __attribute__((noinline, unused)) void free_times_sort(struct free_times *f, uint32_t last,
                                                              uint64_t at)
{
    uint32_t i = last;
    for (; i != f->first && f->at[(i - 1) % FREE_TIMES_MAX] > at; i--)
        f->at[i % FREE_TIMES_MAX] = f->at[(i - 1) % FREE_TIMES_MAX];
    f->at[i % FREE_TIMES_MAX] = at;
}

/* The one that is free first is taken until `at`. */
static inline void free_times_take(struct free_times *f, uint64_t at)
{
    uint32_t last = f->first++ + f->n;
    if (f->at[(last - 1) % FREE_TIMES_MAX] <= at)
        f->at[last % FREE_TIMES_MAX] = at;
    else
        free_times_sort(f, last, at);
}

#endif
