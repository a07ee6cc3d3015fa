/* C = alpha A B^T + alpha B A^T + beta C, row-major, one work-item per element of C.
 *
 * The work-items of a warp read different rows of both matrices, a row apart. As in the original
 * the sum is kept in C, so each step of k stores to global memory. */
__kernel void sr2k(__global const float *a, __global const float *b, __global float *c, int n,
                   int m, float alpha, float beta)
{
    int j = (int)get_global_id(0);
    int i = (int)get_global_id(1);
    if (i >= n || j >= n)
        return;
    __global float *out = &c[i * n + j];
    *out *= beta;
    for (int k = 0; k < m; k++)
        *out += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
}
