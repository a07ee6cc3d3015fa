/* The positions of SMs, the distances between them, and which of them know a mutex. SM i of the
 * grid is at x = i mod columns, y = i / columns. */
#ifndef HEDDLE_ATOMICS_MUTEX_GRID_H
#define HEDDLE_ATOMICS_MUTEX_GRID_H

#include <stdint.h>

struct mutex_grid {
    uint32_t n_sms, rows, cols;
};

/* `rows` 0: the largest divisor of the number of SMs that is not above its square root. */
static inline struct mutex_grid mutex_grid_make(uint32_t n_sms, uint32_t rows)
{
    uint32_t largest = 1;
    for (uint32_t r = 2; r * r <= n_sms; r++)
        if (n_sms % r == 0)
            largest = r;
    rows = rows ? rows : largest;
    return (struct mutex_grid){.n_sms = n_sms, .rows = rows, .cols = n_sms / rows};
}

static inline uint32_t grid_x(const struct mutex_grid *g, uint32_t sm)
{
    return sm % g->cols;
}
static inline uint32_t grid_y(const struct mutex_grid *g, uint32_t sm)
{
    return sm / g->cols;
}
static inline uint32_t grid_apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}
static inline uint32_t grid_hops(const struct mutex_grid *g, uint32_t a, uint32_t b)
{
    return grid_apart(grid_x(g, a), grid_x(g, b)) + grid_apart(grid_y(g, a), grid_y(g, b));
}

#endif
