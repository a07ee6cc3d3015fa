/* The kernels that host instructions per warp instruction are counted with. Fixed: a change here
 * changes what the budgets of bench/functional.c and bench/timing.c mean. */

/* Arithmetic only: four chains of multiply-adds. */
__kernel void fma_loop(__global float *out, int n)
{
    float x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        x = fma(x, 0.5f, 1.0f);
        y = fma(y, 0.5f, x);
        z = fma(z, 0.5f, y);
        w = fma(w, 0.5f, z);
    }
    out[get_global_id(0)] = x + y + z + w;
}

/* One element of C a thread: a row of A, the same for all lanes, and a column of B, side by side. */
__kernel void naive_gemm(__global const float *a, __global const float *b, __global float *c, int n)
{
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum = fma(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}

/* Memory only, all lanes side by side. */
__kernel void vector_add(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

/* Every thread walks a list of its own length through scattered addresses. */
__kernel void divergent_gather(__global const int *first, __global const int *index,
                               __global const float *values, __global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
#pragma unroll 1
    for (int j = first[i]; j < first[i + 1]; j++)
        sum += values[index[j]];
    out[i] = sum;
}

/* Every lane reads a line of its own at every step, and the warps of an SM together far more than
 * its L1D holds. */
__kernel void thrash(__global const float *rows, __global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += rows[i * n + k];
    out[i] = sum;
}
