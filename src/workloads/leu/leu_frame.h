/* A frame of a video under a microscope, and what LEU derives from it before its kernels run. */
#ifndef HEDDLE_WORKLOADS_LEU_FRAME_H
#define HEDDLE_WORKLOADS_LEU_FRAME_H

#include "base/arena.h"
#include "workloads/workload.h"

enum {
    LEU_CIRCLES = 7, /* these as in the kernel text */
    LEU_SAMPLES = 150,
    LEU_DISC = 6,
    LEU_TILE = 41,
    LEU_TILE_PIXELS = LEU_TILE * LEU_TILE,
    LEU_SMALLEST_RADIUS = 8,
    LEU_RADIUS_STEP = 2,
    /* Circles around pixels nearer to the border leave the frame. */
    LEU_MARGIN = LEU_SMALLEST_RADIUS + (LEU_CIRCLES - 1) * LEU_RADIUS_STEP + 1,
};

struct leu_point {
    float x, y;
};

struct leu_offset {
    int32_t x, y;
};

struct leu_frame {
    uint32_t width, height, n_cells;
    float *gradient_x, *gradient_y;          /* of grey levels, by half differences */
    struct leu_point direction[LEU_SAMPLES]; /* from a centre to the samples of a circle */
    struct leu_offset offset[LEU_CIRCLES][LEU_SAMPLES];
    float *edge;              /* of each cell, a tile around it: the gradient's length, 0 to 1 */
    struct leu_point *motion; /* of each cell */
};

/* Discs of random radii on a noisy ground. The frame must be wider and higher than two margins. */
void leu_frame_create(struct leu_frame *f, struct arena *arena, uint32_t width, uint32_t height,
                      uint32_t n_cells, struct workload_rng *rng);

#endif
