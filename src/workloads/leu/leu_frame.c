#include "workloads/leu/leu_frame.h"

#include <math.h>
#include <stdlib.h>

enum { GROUND = 110, NOISE = 12, CONTRAST = 70 };

struct disc {
    int32_t x, y, radius;
};

static struct disc *place_discs(const struct leu_frame *f, struct workload_rng *rng)
{
    struct disc *discs = xcalloc(f->n_cells, sizeof *discs);
    for (uint32_t i = 0; i < f->n_cells; i++) {
        discs[i].x = (int32_t)(LEU_MARGIN + workload_rng_below(rng, f->width - 2 * LEU_MARGIN));
        discs[i].y = (int32_t)(LEU_MARGIN + workload_rng_below(rng, f->height - 2 * LEU_MARGIN));
        discs[i].radius =
            (int32_t)(LEU_SMALLEST_RADIUS + workload_rng_below(rng, LEU_CIRCLES) * LEU_RADIUS_STEP);
    }
    return discs;
}

/* Bright discs; where they overlap the brightness is that of one. */
static void paint(const struct leu_frame *f, int32_t *pixel, const struct disc *discs,
                  struct workload_rng *rng)
{
    for (uint32_t i = 0; i < f->width * f->height; i++)
        pixel[i] = GROUND + (int32_t)workload_rng_below(rng, 2 * NOISE + 1) - NOISE;
    for (uint32_t i = 0; i < f->width * f->height; i++) {
        int32_t x = (int32_t)(i % f->width), y = (int32_t)(i / f->width);
        bool is_inside = false;
        for (uint32_t c = 0; c < f->n_cells && !is_inside; c++) {
            int32_t dx = x - discs[c].x, dy = y - discs[c].y;
            is_inside = dx * dx + dy * dy <= discs[c].radius * discs[c].radius;
        }
        pixel[i] += is_inside ? CONTRAST : 0;
    }
}

/* Half of the difference of two pixels at most two apart: a multiple of 1/2. */
static void take_gradients(struct leu_frame *f, const int32_t *pixel)
{
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++) {
            uint32_t left = x > 0 ? x - 1 : x, right = x + 1 < f->width ? x + 1 : x;
            uint32_t above = y > 0 ? y - 1 : y, below = y + 1 < f->height ? y + 1 : y;
            size_t i = (size_t)y * f->width + x;
            f->gradient_x[i] =
                0.5f * (float)(pixel[y * f->width + right] - pixel[y * f->width + left]);
            f->gradient_y[i] =
                0.5f * (float)(pixel[below * f->width + x] - pixel[above * f->width + x]);
        }
}

/* By turning a unit vector, not by the library's sine: the same numbers on every host. */
static void lay_circles(struct leu_frame *f)
{
    const double cosine = 0.9991228300988584, sine = 0.04187565372919962; /* of 2 pi / 150 */
    double x = 1, y = 0;
    for (uint32_t i = 0; i < LEU_SAMPLES; i++) {
        f->direction[i] = (struct leu_point){(float)x, (float)y};
        for (uint32_t c = 0; c < LEU_CIRCLES; c++) {
            double radius = LEU_SMALLEST_RADIUS + c * LEU_RADIUS_STEP;
            f->offset[c][i] = (struct leu_offset){(int32_t)floor(radius * x + 0.5),
                                                  (int32_t)floor(radius * y + 0.5)};
        }
        double turned = x * cosine - y * sine;
        y = x * sine + y * cosine;
        x = turned;
    }
}

static float gradient_length(const struct leu_frame *f, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= (int32_t)f->width || y >= (int32_t)f->height)
        return 0.0f;
    size_t i = (size_t)y * f->width + (size_t)x;
    return sqrtf(f->gradient_x[i] * f->gradient_x[i] + f->gradient_y[i] * f->gradient_y[i]);
}

static void cut_tiles(struct leu_frame *f, const struct disc *discs, struct workload_rng *rng)
{
    for (uint32_t c = 0; c < f->n_cells; c++) {
        float *edge = f->edge + (size_t)c * LEU_TILE_PIXELS, largest = 1.0f;
        for (int32_t i = 0; i < LEU_TILE_PIXELS; i++) {
            edge[i] = gradient_length(f, discs[c].x + i % LEU_TILE - LEU_TILE / 2,
                                      discs[c].y + i / LEU_TILE - LEU_TILE / 2);
            largest = edge[i] > largest ? edge[i] : largest;
        }
        for (uint32_t i = 0; i < LEU_TILE_PIXELS; i++)
            edge[i] /= largest;
        f->motion[c].x = 2.0f * workload_rng_unit(rng) - 1.0f;
        f->motion[c].y = 2.0f * workload_rng_unit(rng) - 1.0f;
    }
}

void leu_frame_create(struct leu_frame *f, struct arena *arena, uint32_t width, uint32_t height,
                      uint32_t n_cells, struct workload_rng *rng)
{
    f->width = width;
    f->height = height;
    f->n_cells = n_cells;
    size_t n = (size_t)width * height;
    f->gradient_x = ARENA_ARRAY(arena, float, n);
    f->gradient_y = ARENA_ARRAY(arena, float, n);
    f->edge = ARENA_ARRAY(arena, float, (size_t)n_cells *LEU_TILE_PIXELS);
    f->motion = ARENA_ARRAY(arena, struct leu_point, n_cells);
    int32_t *pixel = xcalloc(n, sizeof *pixel);
    struct disc *discs = place_discs(f, rng);
    paint(f, pixel, discs, rng);
    take_gradients(f, pixel);
    lay_circles(f);
    cut_tiles(f, discs, rng);
    free(discs);
    free(pixel);
}
