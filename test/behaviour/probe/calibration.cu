// The kernels of the points measured on GPGPU-Sim 4.2's GTX 480 model; doc/machine.md compares.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

// Four accumulators, each updated four times an iteration.
extern "C" __global__ void fma_loop(float *out, float k, float y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = i, b = i + 1, c = i + 2, d = i + 3;
#pragma unroll 1
    for (int n = 0; n < 64; n++) {
#pragma unroll
        for (int m = 0; m < 4; m++) {
            a = a * k + y;
            b = b * k + y;
            c = c * k + y;
            d = d * k + y;
        }
    }
    out[i] = a + b + c + d;
}
