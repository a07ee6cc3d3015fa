/* Like lbm as a vectorising compiler leaves it: the lattice of lattice.c (D2Q9, two lattices of 18
 * MB), with all directions of a cell unrolled. It has fewer instructions per line of memory. */
#include "native.h"

enum { WIDTH = 512, HEIGHT = 512, N_CELLS = WIDTH * HEIGHT, N_DIRECTIONS = 9 };

/* D(number, step in x, step in y, weight) */
#define DIRECTIONS(D)                                                                              \
    D(0, 0, 0, 4. / 9)                                                                             \
    D(1, 1, 0, 1. / 9)                                                                             \
    D(2, 0, 1, 1. / 9)                                                                             \
    D(3, -1, 0, 1. / 9)                                                                            \
    D(4, 0, -1, 1. / 9)                                                                            \
    D(5, 1, 1, 1. / 36)                                                                            \
    D(6, -1, 1, 1. / 36)                                                                           \
    D(7, -1, -1, 1. / 36)                                                                          \
    D(8, 1, -1, 1. / 36)

static inline double relaxed(double f, double weight, double density, double square, double along)
{
    double rest = weight * density * (square + along + along * along / 2);
    return f + 1.2 * (rest - f);
}

static inline void collide(const double *from, double *to, uint32_t x, uint32_t y)
{
    double density = 0, ux = 0, uy = 0;
#define LOAD(i, dx, dy, w)                                                                         \
    double f##i = from[(i)*N_CELLS + y * WIDTH + x];                                               \
    density += f##i;                                                                               \
    ux += f##i * (dx);                                                                             \
    uy += f##i * (dy);
    DIRECTIONS(LOAD)
    ux /= density;
    uy /= density;
    double square = 1 - 1.5 * (ux * ux + uy * uy);
#define STORE(i, dx, dy, w)                                                                        \
    to[(i)*N_CELLS + (y + (uint32_t)(dy)) % HEIGHT * WIDTH + (x + (uint32_t)(dx)) % WIDTH] =       \
        relaxed(f##i, w, density, square, 3 * ((dx)*ux + (dy)*uy));
    DIRECTIONS(STORE)
}

void native_fluid(void)
{
    double *from = native_alloc(N_DIRECTIONS * N_CELLS * sizeof *from);
    double *to = native_alloc(N_DIRECTIONS * N_CELLS * sizeof *to);
    for (uint32_t c = 0; c < N_CELLS; c++) {
#define BEGIN(i, dx, dy, w) from[(i)*N_CELLS + c] = (w) * (1 + 0.01 * (c % 17));
        DIRECTIONS(BEGIN)
    }
    for (;;) {
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                collide(from, to, x, y);
        double *other = from;
        from = to;
        to = other;
    }
}
