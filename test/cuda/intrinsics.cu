// CUDA intrinsics, one value each; test_cuda_kernels.c knows from their definitions what they are.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda_fp16.h>

extern "C" __global__ void integers(const unsigned *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2];
    unsigned long long l = (unsigned long long)b << 32 | a;
    unsigned *r = out + 24 * i;
    r[0] = __popc(a);
    r[1] = __clz(a);
    r[2] = __ffs(a);
    r[3] = __brev(a);
    r[4] = __byte_perm(a, b, c);
    r[5] = __mulhi((int)a, (int)b);
    r[6] = __umulhi(a, b);
    r[7] = __mul24(a, b);
    r[8] = __umul24(a, b);
    r[9] = __funnelshift_l(a, b, c);
    r[10] = __funnelshift_r(a, b, c);
    r[11] = __dp4a((int)a, (int)b, (int)c);
    r[12] = __dp4a(a, b, c);
    r[13] = __popcll(l);
    r[14] = __clzll(l);
    r[15] = __ffsll(l);
    r[16] = __sad(a, b, c);
    r[17] = __hadd(a, b);
    r[18] = __urhadd(a, b);
    r[19] = (unsigned)(__brevll(l) >> 32);
    r[20] = __funnelshift_lc(a, b, c);
    r[21] = (unsigned)(__umul64hi(l, l) >> 32);
    r[22] = max(a, 5) + min((int)a, (int)b);
    r[23] = abs((int)a);
}

extern "C" __global__ void warp(const unsigned *in, unsigned *out)
{
    unsigned lane = threadIdx.x & 31;
    unsigned v = in[threadIdx.x];
    unsigned *r = out + 16 * threadIdx.x;
    r[0] = __shfl_sync(0xffffffff, v, 3);
    r[1] = __shfl_up_sync(0xffffffff, v, 2);
    r[2] = __shfl_down_sync(0xffffffff, v, 5);
    r[3] = __shfl_xor_sync(0xffffffff, v, 9);
    r[4] = __shfl_down_sync(0xffffffff, v, 3, 8);
    r[5] = __shfl_up_sync(0xffffffff, v, 1, 4);
    r[6] = __ballot_sync(0xffffffff, v & 1);
    r[7] = __all_sync(0xffffffff, v != 1) * 2 + __any_sync(0xffffffff, v == 1);
    r[8] = __match_any_sync(0xffffffff, v & 3);
    int same;
    r[9] = __match_all_sync(0xffffffff, lane < 32 ? 7 : 8, &same) + same;
    double d = __shfl_xor_sync(0xffffffff, (double)v, 16);
    r[10] = (unsigned)d;
    r[11] = __syncthreads_count(v & 1);
    r[12] = __syncthreads_and(v != 0) * 2 + __syncthreads_or(v == 0);
    if (lane < 5)
        r[13] = __activemask();
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    r[14] = tile.shfl(v, 2) + tile.thread_rank() + 100 * tile.meta_group_rank();
    r[15] = tile.ballot(v & 2);
}

__constant__ unsigned table[4] = {10, 20, 30, 40};
__device__ unsigned counter;

extern "C" __global__ void atomics(const unsigned *in, unsigned *out, unsigned long long *wide,
                                   float *f, double *d)
{
    __shared__ unsigned s[4];
    if (threadIdx.x < 4)
        s[threadIdx.x] = 0;
    __syncthreads();
    unsigned v = in[threadIdx.x];
    atomicAdd(out + 0, v);
    atomicSub(out + 1, v);
    atomicMin(out + 2, v);
    atomicMax((int *)out + 3, (int)v);
    atomicAnd(out + 4, v);
    atomicOr(out + 5, v);
    atomicXor(out + 6, v);
    atomicInc(out + 7, 9);
    atomicDec(out + 8, 9);
    atomicAdd(s, v);
    atomicMax(s + 1, v);
    atomicAdd(&counter, table[threadIdx.x & 3]);
    atomicAdd(wide, (unsigned long long)v << 8);
    atomicMax(wide + 1, (unsigned long long)v << 16);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        out[9] = s[0];
        out[10] = s[1];
        out[11] = counter;
        out[12] = atomicCAS(out + 13, 77, 78);
        out[14] = atomicExch(out + 15, 79);
    }
}

extern "C" __global__ void reals(const float *in, float *out, const double *din, double *dout)
{
    unsigned i = threadIdx.x;
    float x = in[i];
    float *r = out + 16 * i;
    r[0] = sinf(x);
    r[1] = expf(x);
    r[2] = logf(x);
    r[3] = powf(x, 1.5f);
    r[4] = sqrtf(x);
    r[5] = tanhf(x);
    r[6] = (float)__float2int_rn(x * 100) + (float)__float2int_ru(x * 100) / 1024;
    r[7] = fmodf(x * 10, 3);
    r[8] = floorf(x) + ceilf(x) * 16 + truncf(-x) * 256 + roundf(x) * 4096;
    r[9] = __half2float(__float2half(x));
    r[10] = erff(x);
    r[11] = cbrtf(x);
    r[12] = atan2f(x, 2.0f);
    r[13] = __fadd_ru(x, 1e-10f);
    r[14] = fminf(x, 1.0f) + fmaxf(x, 1.0f);
    r[15] = rsqrtf(x);
    double y = din[i];
    double *s = dout + 4 * i;
    s[0] = exp(y) + sqrt(2);
    s[1] = pow(y, 3);
    s[2] = sin(y);
    s[3] = fma(y, y, 1.0);
}

extern "C" __global__ void prints(int n)
{
    if (threadIdx.x == 1)
        printf("%d %s %.2f %c %llu\n", n, "word", 2.5, 'x', 1ull << 40);
}
