/* Random numbers that kernels and references compute themselves: a bijection of 32-bit words with
 * good avalanche (C. Wellons, "Prospecting for hash functions", 2018), applied to a counter. The
 * kernels contain the same lines in OpenCL C. */
#ifndef HEDDLE_WORKLOADS_MIX32_H
#define HEDDLE_WORKLOADS_MIX32_H

#include <math.h>
#include <stdint.h>

static inline uint32_t mix32(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Uniform in (0, 1], multiples of 2^-24: exact in a float. */
static inline double mix32_unit(uint32_t x)
{
    return (double)((mix32(x) >> 8) + 1) * 0x1p-24;
}

/* Two normal numbers from two uniform ones (Box and Muller). */
static inline void mix32_normals(uint32_t counter, double out[2])
{
    const double pi = 3.14159265358979323846;
    double radius = sqrt(-2 * log(mix32_unit(counter)));
    double angle = 2 * pi * mix32_unit(counter + 1);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

#endif
