/* When each of several equal things (units, operand collectors) is free again. They are kept in
 * order in a ring: as new times are nearly always the latest, taking the first and giving it a new
 * one costs the same however many there are. */
#ifndef HEDDLE_SM_FREE_TIMES_H
#define HEDDLE_SM_FREE_TIMES_H

#include <stdint.h>

enum { FREE_TIMES_MAX = 16 };

/* Zeroed but for `n`, all are free from the beginning: any order is right then. */
struct free_times {
    uint64_t at[FREE_TIMES_MAX]; /* from `first` on, going round, earliest first */
    uint32_t n, first, last;
};

static inline uint64_t free_times_first(const struct free_times *f)
{
    return f->at[f->first];
}

/* Moves a time that is not the latest to its place, from the last place `i`. */
static __attribute__((noinline, unused)) void free_times_sort(struct free_times *f, uint32_t i,
                                                              uint64_t at)
{
    while (i != f->first) {
        uint32_t before = i ? i - 1 : f->n - 1;
        if (f->at[before] <= at)
            break;
        f->at[i] = f->at[before];
        i = before;
    }
    f->at[i] = at;
}

/* The one that is free first is taken until `at`. */
static inline void free_times_take(struct free_times *f, uint64_t at)
{
    uint32_t i = f->first, latest = f->last;
    f->first = i + 1 < f->n ? i + 1 : 0;
    f->last = i;
    if (f->at[latest] <= at)
        f->at[i] = at;
    else
        free_times_sort(f, i, at);
}

#endif
