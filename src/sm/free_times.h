/* When each of several equal resources (units, operand collectors) is free again. They are kept in
 * order in a ring: new times are nearly always the latest, so taking the first and giving it a new
 * time costs the same however many there are. */
#ifndef HEDDLE_SM_FREE_TIMES_H
#define HEDDLE_SM_FREE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

enum { FREE_TIMES_MAX = 16 };

struct free_times {
    uint64_t at[FREE_TIMES_MAX]; /* from `first` downwards, going round, earliest first */
    uint64_t latest;             /* none of them is later */
    uint32_t first, top;         /* indices are 0 to top */
};

/* All of them are free at the beginning. */
static inline struct free_times free_times_of(uint32_t n)
{
    return (struct free_times){.top = n - 1};
}

static inline uint64_t free_times_first(const struct free_times *f)
{
    return f->at[f->first];
}

/* Moves a time that is not the latest from the last entry to its position. */
static __attribute__((noinline, unused)) void free_times_sort(struct free_times *f, uint32_t last,
                                                              uint64_t at)
{
    uint32_t i = last;
    while (i != f->first) {
        uint32_t before = i == f->top ? 0 : i + 1;
        if (f->at[before] <= at)
            break;
        f->at[i] = f->at[before];
        i = before;
    }
    f->at[i] = at;
}

/* Takes the one that is free first until `at`, which is not before any of the others. */
static inline void free_times_take_in_order(struct free_times *f, uint64_t at)
{
    uint32_t place = f->first, next = place - 1;
    f->first = place ? next : f->top;
    f->at[place] = at;
}

/* Is there only one? */
static inline bool free_times_is_one(const struct free_times *f)
{
    return !f->top;
}

/* Takes the one that is free first until `at`: it moves to its new position. */
static inline void free_times_take(struct free_times *f, uint64_t at)
{
    uint32_t place = f->first, next = place - 1;
    f->first = place ? next : f->top;
    if (at >= f->latest)
        f->at[place] = f->latest = at;
    else
        free_times_sort(f, place, at);
}

#endif
