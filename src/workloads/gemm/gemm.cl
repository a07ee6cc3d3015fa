/* C = alpha A B + beta C, row-major, one work-item per element of C.
 *
 * The sum is kept in C itself, as the original keeps it: nothing says that the three matrices are
 * apart, so each step of k stores to global memory. */
__kernel void gemm(__global const float *a, __global const float *b, __global float *c, int ni,
                   int nj, int nk, float alpha, float beta)
{
    int j = (int)get_global_id(0);
    int i = (int)get_global_id(1);
    if (i >= ni || j >= nj)
        return;
    __global float *out = &c[i * nj + j];
    *out *= beta;
    for (int k = 0; k < nk; k++)
        *out += alpha * a[i * nk + k] * b[k * nj + j];
}
