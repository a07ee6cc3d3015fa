/* Gaussian elimination without pivoting, one step of it per pair of launches: gau_multipliers
 * divides column t below the diagonal by the pivot, gau_eliminate subtracts multiples of row t from
 * the rows below it. The grid is the same in every step, so later steps leave most work-items idle.
 *
 * In gau_eliminate the first index counts rows, as in the original: neighbouring work-items are a
 * row of the matrix apart. */
__kernel void gau_multipliers(__global const float *a, __global float *m, int n, int t)
{
    int i = (int)get_global_id(0);
    if (i >= n - 1 - t)
        return;
    int row = t + 1 + i;
    m[n * row + t] = a[n * row + t] / a[n * t + t];
}

__kernel void gau_eliminate(__global float *a, __global float *b, __global const float *m, int n,
                            int t)
{
    int i = (int)get_global_id(0);
    int j = (int)get_global_id(1);
    if (i >= n - 1 - t || j >= n - t)
        return;
    int row = t + 1 + i, column = t + j;
    a[n * row + column] -= m[n * row + t] * a[n * t + column];
    if (j == 0)
        b[row] -= m[n * row + t] * b[t];
}
