/* A kernel whose data stay in the private caches: three matrices, 96 KB in all. */
#include "native.h"

enum { N = 64 };

static void multiply(const double *a, const double *b, double *c)
{
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < N; k++) {
            double scale = a[i * N + k];
            for (uint32_t j = 0; j < N; j++)
                c[i * N + j] += scale * b[k * N + j];
        }
}

void native_matmul(void)
{
    uint64_t state = 9;
    double *m[3];
    for (int i = 0; i < 3; i++) {
        m[i] = native_alloc(N * N * sizeof *m[i]);
        for (uint32_t k = 0; k < N * N; k++)
            m[i][k] = (double)(native_random(&state) % 1000) / 65536;
    }
    for (;;) {
        multiply(m[0], m[1], m[2]);
        for (uint32_t k = 0; k < N * N; k++) /* stays finite */
            m[2][k] *= 0.25;
        double *first = m[0];
        m[0] = m[1];
        m[1] = m[2];
        m[2] = first;
    }
}
