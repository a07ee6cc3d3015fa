/* Speckle-reducing anisotropic diffusion, one launch per step of the algorithm.
 *
 * The image is stored column after column. A pixel's four neighbours are found through index arrays
 * in global memory (iN, iS: row above and below; jW, jE: column left and right), so every neighbour
 * costs a dependent load. The four derivatives and the diffusion coefficient go through global
 * memory from `srad` to `srad2`. */

#define GROUP 512

/* From grey levels 0..255 to the exponential scale the diffusion works on, and back. */
__kernel void extract(int pixels, __global float *image)
{
    int i = get_global_id(0);
    if (i < pixels)
        image[i] = exp(image[i] / 255.0f);
}

__kernel void compress(int pixels, __global float *image)
{
    int i = get_global_id(0);
    if (i < pixels)
        image[i] = log(image[i]) * 255.0f;
}

__kernel void prepare(int pixels, __global const float *image, __global float *sums,
                      __global float *sums_of_squares)
{
    int i = get_global_id(0);
    if (i < pixels) {
        float value = image[i];
        sums[i] = value;
        sums_of_squares[i] = value * value;
    }
}

/* Adds up GROUP of the n partial sums, which lie `stride` apart, in place: the group's sum replaces
 * the first of them. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce(int n, int stride, __global float *sums, __global float *sums_of_squares)
{
    __local float sum[GROUP], sum_of_squares[GROUP];
    int lid = get_local_id(0), i = get_global_id(0);

    sum[lid] = i < n ? sums[i * stride] : 0.0f;
    sum_of_squares[lid] = i < n ? sums_of_squares[i * stride] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 1; reach < GROUP; reach *= 2) {
        if ((lid + 1) % (2 * reach) == 0) {
            sum[lid] += sum[lid - reach];
            sum_of_squares[lid] += sum_of_squares[lid - reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == GROUP - 1) {
        int first = (i - lid) * stride;
        sums[first] = sum[lid];
        sums_of_squares[first] = sum_of_squares[lid];
    }
}

/* How much a pixel may diffuse: 1 where it varies as speckle does (q0_squared), 0 at an edge. */
static float diffusion(float gradient_squared, float laplacian, float q0_squared)
{
    float num = 0.5f * gradient_squared - (1.0f / 16.0f) * laplacian * laplacian;
    float den = 1.0f + 0.25f * laplacian;
    float q_squared = num / (den * den);
    float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    return clamp(1.0f / (1.0f + excess), 0.0f, 1.0f);
}

__kernel void srad(int rows, int pixels, __global const int *iN, __global const int *iS,
                   __global const int *jW, __global const int *jE, __global const float *image,
                   float q0_squared, __global float *dN, __global float *dS, __global float *dW,
                   __global float *dE, __global float *c)
{
    int i = get_global_id(0);
    if (i >= pixels)
        return;
    int row = i % rows, col = i / rows;
    float centre = image[i];
    float north = image[iN[row] + rows * col] - centre;
    float south = image[iS[row] + rows * col] - centre;
    float west = image[row + rows * jW[col]] - centre;
    float east = image[row + rows * jE[col]] - centre;

    float gradient_squared = (north * north + south * south + west * west + east * east) /
                             (centre * centre);
    float laplacian = (north + south + west + east) / centre;
    dN[i] = north;
    dS[i] = south;
    dW[i] = west;
    dE[i] = east;
    c[i] = diffusion(gradient_squared, laplacian, q0_squared);
}

__kernel void srad2(int rows, int pixels, __global const int *iS, __global const int *jE,
                    float lambda, __global const float *dN, __global const float *dS,
                    __global const float *dW, __global const float *dE, __global const float *c,
                    __global float *image)
{
    int i = get_global_id(0);
    if (i >= pixels)
        return;
    int row = i % rows, col = i / rows;
    float here = c[i];
    float south = c[iS[row] + rows * col];
    float east = c[row + rows * jE[col]];
    float divergence = here * dN[i] + south * dS[i] + here * dW[i] + east * dE[i];
    image[i] += 0.25f * lambda * divergence;
}
