/* Speckle-reducing anisotropic diffusion in plain C, the reference of SR1 and SR2 (Yu and Acton,
 * "Speckle reducing anisotropic diffusion", IEEE Trans. Image Processing 2002): the image with a
 * mirrored frame of one pixel, in double precision. */
#ifndef HEDDLE_WORKLOADS_SRAD_H
#define HEDDLE_WORKLOADS_SRAD_H

#include "base/arena.h"

struct srad_frame {
    size_t rows, cols;
    double *pixel; /* (rows + 2) x (cols + 2), column-major, for image and coefficient alike */
};

struct srad_image {
    struct srad_frame now, next, coefficient;
};

struct srad_image srad_create(struct arena *a, size_t rows, size_t cols);
double *srad_at(const struct srad_frame *f, size_t row, size_t col);

/* The squared coefficient of variation of the first `rows` x `cols` pixels. */
double srad_speckle(const struct srad_frame *f, size_t rows, size_t cols);
/* One explicit step of length `lambda`. */
void srad_diffuse(struct srad_image *image, double q0_squared, double lambda);

#endif
