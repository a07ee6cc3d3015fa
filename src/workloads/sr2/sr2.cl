/* Speckle-reducing anisotropic diffusion, second version: an image in rows, 16x16 tiles of it in
 * local memory. `sr2_coefficients` leaves four derivatives and the coefficient of every pixel in
 * global memory, `sr2_update` reads them back.
 *
 * Only the pixels of the tile are in local memory: those beyond its edge are read from global
 * memory by the work-items at the edge, a row's end at a time. */

#define TILE 16

/* The value `step` columns and rows away; the image's edge repeats itself. From the tile if it is
 * there, else from the image. */
static float neighbour(__local const float tile[TILE][TILE], __global const float *image, int rows,
                       int cols, int2 step)
{
    int col = clamp((int)get_global_id(0) + step.x, 0, cols - 1);
    int row = clamp((int)get_global_id(1) + step.y, 0, rows - 1);
    int x = col - (int)get_group_id(0) * TILE, y = row - (int)get_group_id(1) * TILE;
    bool inside = x >= 0 && x < TILE && y >= 0 && y < TILE;
    return inside ? tile[y][x] : image[row * cols + col];
}

static float diffusion(float gradient_squared, float laplacian, float q0_squared)
{
    float num = 0.5f * gradient_squared - (1.0f / 16.0f) * laplacian * laplacian;
    float den = 1.0f + 0.25f * laplacian;
    float q_squared = num / (den * den);
    float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    return clamp(1.0f / (1.0f + excess), 0.0f, 1.0f);
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
sr2_coefficients(int rows, int cols, float q0_squared, __global const float *image,
                 __global float *dN, __global float *dS, __global float *dW, __global float *dE,
                 __global float *c)
{
    __local float tile[TILE][TILE];
    int i = (int)(get_global_id(1) * cols + get_global_id(0));
    float centre = tile[get_local_id(1)][get_local_id(0)] = image[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float north = neighbour(tile, image, rows, cols, (int2)(0, -1)) - centre;
    float south = neighbour(tile, image, rows, cols, (int2)(0, 1)) - centre;
    float west = neighbour(tile, image, rows, cols, (int2)(-1, 0)) - centre;
    float east = neighbour(tile, image, rows, cols, (int2)(1, 0)) - centre;
    float gradient_squared = (north * north + south * south + west * west + east * east) /
                             (centre * centre);
    dN[i] = north;
    dS[i] = south;
    dW[i] = west;
    dE[i] = east;
    c[i] = diffusion(gradient_squared, (north + south + west + east) / centre, q0_squared);
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
sr2_update(int rows, int cols, float lambda, __global const float *dN, __global const float *dS,
           __global const float *dW, __global const float *dE, __global const float *c,
           __global float *image)
{
    __local float tile[TILE][TILE];
    int i = (int)(get_global_id(1) * cols + get_global_id(0));
    float here = tile[get_local_id(1)][get_local_id(0)] = c[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float south = neighbour(tile, c, rows, cols, (int2)(0, 1));
    float east = neighbour(tile, c, rows, cols, (int2)(1, 0));
    image[i] += 0.25f * lambda * (here * dN[i] + south * dS[i] + here * dW[i] + east * dE[i]);
}
