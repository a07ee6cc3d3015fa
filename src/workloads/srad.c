/* See srad.h. */
#include "workloads/srad.h"

#include <math.h>

double *srad_at(const struct srad_frame *f, size_t row, size_t col)
{
    return f->pixel + (col + 1) * (f->rows + 2) + row + 1;
}

static void mirror(struct srad_frame *f)
{
    for (size_t col = 0; col < f->cols; col++) {
        srad_at(f, 0, col)[-1] = *srad_at(f, 0, col);
        *srad_at(f, f->rows, col) = *srad_at(f, f->rows - 1, col);
    }
    for (size_t row = 0; row < f->rows; row++) {
        *(srad_at(f, row, 0) - (f->rows + 2)) = *srad_at(f, row, 0);
        *srad_at(f, row, f->cols) = *srad_at(f, row, f->cols - 1);
    }
}

double srad_speckle(const struct srad_frame *f, size_t rows, size_t cols)
{
    double mean = 0, variance = 0, pixels = (double)(rows * cols);
    for (size_t col = 0; col < cols; col++)
        for (size_t row = 0; row < rows; row++)
            mean += *srad_at(f, row, col) / pixels;
    for (size_t col = 0; col < cols; col++)
        for (size_t row = 0; row < rows; row++) {
            double deviation = *srad_at(f, row, col) - mean;
            variance += deviation * deviation / pixels;
        }
    return variance / (mean * mean);
}

/* Yu and Acton's coefficient (eq. 31-33). */
static double coefficient(const double *p, ptrdiff_t column, double q0_squared)
{
    double n = p[-1] - *p, s = p[1] - *p, w = p[-column] - *p, e = p[column] - *p;
    double g = (n * n + s * s + w * w + e * e) / (*p * *p), l = (n + s + w + e) / *p;
    double q_squared = (g / 2 - l * l / 16) / ((1 + l / 4) * (1 + l / 4));
    double c = 1 / (1 + (q_squared - q0_squared) / (q0_squared * (1 + q0_squared)));
    return fmin(fmax(c, 0), 1);
}

/* dI/dt = div(c grad I), each flow with the coefficient of its lower or right pixel. */
void srad_diffuse(struct srad_image *image, double q0_squared, double lambda)
{
    struct srad_frame *now = &image->now, *c = &image->coefficient;
    ptrdiff_t column = (ptrdiff_t)now->rows + 2;
    mirror(now);
    for (size_t col = 0; col < now->cols; col++)
        for (size_t row = 0; row < now->rows; row++)
            *srad_at(c, row, col) = coefficient(srad_at(now, row, col), column, q0_squared);
    mirror(c);
    for (size_t col = 0; col < now->cols; col++)
        for (size_t row = 0; row < now->rows; row++) {
            const double *p = srad_at(now, row, col), *k = srad_at(c, row, col);
            double in = *k * (p[-1] - *p) + *k * (p[-column] - *p);
            double out = k[1] * (*p - p[1]) + k[column] * (*p - p[column]);
            *srad_at(&image->next, row, col) = *p + lambda / 4 * (in - out);
        }
    struct srad_frame swap = image->now;
    image->now = image->next;
    image->next = swap;
}

static struct srad_frame create_frame(struct arena *a, size_t rows, size_t cols)
{
    return (struct srad_frame){rows, cols, ARENA_ARRAY(a, double, (rows + 2) * (cols + 2))};
}

struct srad_image srad_create(struct arena *a, size_t rows, size_t cols)
{
    return (struct srad_image){create_frame(a, rows, cols), create_frame(a, rows, cols),
                               create_frame(a, rows, cols)};
}
