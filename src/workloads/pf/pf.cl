/* A particle filter that follows a bright disc through a noisy video, one work-item per particle
 * except where one alone adds things up in order. */

#define GROUP 128
#define BACKGROUND 100
#define FOREGROUND 228

/* 24 bits of a linear congruential generator of the particle's own, never 0 or 1. */
static float uniform(uint *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ((float)(*seed >> 9) + 0.5f) * 0x1p-23f;
}

static float normal(uint *seed)
{
    float u = uniform(seed), v = uniform(seed);
    return sqrt(-2.0f * log(u)) * cos(2.0f * M_PI_F * v);
}

/* Moves a particle as the disc is known to move, give or take. */
__kernel void pf_move(__global float *x, __global float *y, __global uint *seeds, int n)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    uint seed = seeds[i];
    x[i] += 1.0f + 5.0f * normal(&seed);
    y[i] += -2.0f + 2.0f * normal(&seed);
    seeds[i] = seed;
}

/* How much more the pixels under the disc, with its centre at the particle, look like foreground
 * than like background; each group also adds up the weights of its particles. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pf_weigh(__global const uchar *frame, int rows, int cols, __global const int2 *disc, int n_disc,
         __global const float *x, __global const float *y, __global float *weight,
         __global float *partial, int n)
{
    __local float sums[GROUP];
    int i = (int)get_global_id(0), lid = (int)get_local_id(0);
    sums[lid] = 0.0f;
    if (i < n) {
        int col = (int)round(x[i]), row = (int)round(y[i]), sum = 0;
        for (int k = 0; k < n_disc; k++) {
            int c = clamp(col + disc[k].x, 0, cols - 1), r = clamp(row + disc[k].y, 0, rows - 1);
            int pixel = frame[r * cols + c];
            sum += (pixel - BACKGROUND) * (pixel - BACKGROUND) -
                   (pixel - FOREGROUND) * (pixel - FOREGROUND);
        }
        sums[lid] = weight[i] = exp((float)sum / (50.0f * (float)n_disc) - 300.0f) / (float)n;
    }
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
    }
    if (lid == 0)
        partial[get_group_id(0)] = sums[0];
}

/* One work-item: the sum of all weights. */
__kernel void pf_total(__global const float *partial, int n_partial, __global float *total)
{
    float sum = 0.0f;
    for (int i = 0; i < n_partial; i++)
        sum += partial[i];
    *total = sum;
}

__kernel void pf_normalise(__global float *weight, __global const float *total, int n)
{
    int i = (int)get_global_id(0);
    if (i < n)
        weight[i] /= *total;
}

/* One work-item: the distribution function, in which everybody then looks for a place. */
__kernel void pf_accumulate(__global const float *weight, __global float *cdf, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += weight[i];
        cdf[i] = sum;
    }
}

/* Particle i becomes a copy of the first one at which the distribution reaches (start + i) / n. */
__kernel void pf_resample(__global const float *cdf, __global const float *x,
                          __global const float *y, __global float *new_x, __global float *new_y,
                          float start, int n)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    float wanted = (start + (float)i) / (float)n;
    int found = 0;
    while (found < n - 1 && cdf[found] < wanted)
        found++;
    new_x[i] = x[found];
    new_y[i] = y[found];
}
