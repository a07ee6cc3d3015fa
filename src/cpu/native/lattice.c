/* Like lbm: lattice Boltzmann, D2Q9 with one relaxation time. Each step reads one lattice of 18 MB
 * and writes another one, a plane for each direction. */
#include "native.h"

enum { WIDTH = 512, HEIGHT = 512, N_CELLS = WIDTH * HEIGHT, N_DIRECTIONS = 9 };

static const int dx[N_DIRECTIONS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int dy[N_DIRECTIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[N_DIRECTIONS] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                            1. / 36, 1. / 36, 1. / 36, 1. / 36};

static void collide(const double *from, double *to, uint32_t x, uint32_t y)
{
    double f[N_DIRECTIONS], density = 0, ux = 0, uy = 0;
    for (int i = 0; i < N_DIRECTIONS; i++) {
        f[i] = from[i * N_CELLS + y * WIDTH + x];
        density += f[i];
        ux += f[i] * dx[i];
        uy += f[i] * dy[i];
    }
    ux /= density;
    uy /= density;
    double square = 1 - 1.5 * (ux * ux + uy * uy);
    for (int i = 0; i < N_DIRECTIONS; i++) {
        double along = 3 * (dx[i] * ux + dy[i] * uy);
        double rest = weight[i] * density * (square + along + along * along / 2);
        uint32_t xx = (x + (uint32_t)(dx[i] + WIDTH)) % WIDTH;
        uint32_t yy = (y + (uint32_t)(dy[i] + HEIGHT)) % HEIGHT;
        to[i * N_CELLS + yy * WIDTH + xx] = f[i] + 1.2 * (rest - f[i]);
    }
}

void native_lattice(void)
{
    double *from = native_alloc(N_DIRECTIONS * N_CELLS * sizeof *from);
    double *to = native_alloc(N_DIRECTIONS * N_CELLS * sizeof *to);
    for (int i = 0; i < N_DIRECTIONS; i++)
        for (uint32_t c = 0; c < N_CELLS; c++)
            from[i * N_CELLS + c] = weight[i] * (1 + 0.01 * (c % 17));
    for (;;) {
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                collide(from, to, x, y);
        double *other = from;
        from = to;
        to = other;
    }
}
