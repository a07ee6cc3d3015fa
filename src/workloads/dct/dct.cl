/* Discrete cosine transform of 8x8 blocks: one work-group per block, one work-item per pixel.
 *
 * A block X becomes D X D^T with the 8x8 basis D in constant memory; the block and the half-finished
 * product go through local memory. The inverse is D^T Y D. */

#define SIDE 8

static float row_times_row(__constant float *a, __local const float *b)
{
    float sum = 0.0f;
    for (int k = 0; k < SIDE; k++)
        sum += a[k] * b[k];
    return sum;
}

static float column_times_column(__constant float *a, __local const float *b)
{
    float sum = 0.0f;
    for (int k = 0; k < SIDE; k++)
        sum += a[k * SIDE] * b[k * SIDE];
    return sum;
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
dct_forward(__global const float *image, __global float *coefficients, __constant float *basis)
{
    __local float block[SIDE * SIDE], half_done[SIDE * SIDE];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int i = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));

    block[y * SIDE + x] = image[i] - 128.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    half_done[y * SIDE + x] = row_times_row(basis + x * SIDE, block + y * SIDE);
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < SIDE; k++)
        sum += basis[y * SIDE + k] * half_done[k * SIDE + x];
    coefficients[i] = sum;
}

/* To the nearest multiple of the step that the place in the block has. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
dct_quantise(__global const float *coefficients, __global float *quantised,
             __constant float *steps)
{
    int i = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));
    float step = steps[get_local_id(1) * SIDE + get_local_id(0)];
    quantised[i] = step * rint(coefficients[i] / step);
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
dct_inverse(__global const float *coefficients, __global float *image, __constant float *basis)
{
    __local float block[SIDE * SIDE], half_done[SIDE * SIDE];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int i = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));

    block[y * SIDE + x] = coefficients[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    half_done[y * SIDE + x] = column_times_column(basis + y, block + x);
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 128.0f;
    for (int k = 0; k < SIDE; k++)
        sum += half_done[y * SIDE + k] * basis[k * SIDE + x];
    image[i] = sum;
}
