/* Heddle's CUDA header, included before every CUDA source in place of the SDK's. It and the
 * headers it includes hold the language (this file), mathematics, integer and conversion
 * intrinsics, memory and atomics, warp operations, and the host's interface.
 *
 * Left out: textures and surfaces, device-side malloc and launches, wmma. */
#pragma once

#define __CUDACC__ 1
#define CUDA_VERSION 11000
#define CUDART_VERSION CUDA_VERSION
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 0

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
/* The C++ library writes __attribute__((__noinline__)), so this cannot be an attribute itself. */
#if __clang_major__ < 15
#define __noinline__
#endif

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define __clock_t_defined 1

/* How every function of these headers is declared: it leaves no trace in line information. */
#define __HEDDLE__ static __device__ __attribute__((always_inline, nodebug)) inline
#define __HEDDLE_BOTH__ static __host__ __device__ __attribute__((always_inline, nodebug)) inline

/* --- Vector types --- */

#define __HEDDLE_VECTOR(t, name, align2, align4)                                                   \
    struct name##1 {                                                                               \
        t x;                                                                                       \
    };                                                                                             \
    struct __align__(align2) name##2 {                                                             \
        t x, y;                                                                                    \
    };                                                                                             \
    struct name##3 {                                                                               \
        t x, y, z;                                                                                 \
    };                                                                                             \
    struct __align__(align4) name##4 {                                                             \
        t x, y, z, w;                                                                              \
    };                                                                                             \
    __HEDDLE_BOTH__ name##1 make_##name##1(t x) { return {x}; }                                    \
    __HEDDLE_BOTH__ name##2 make_##name##2(t x, t y) { return {x, y}; }                            \
    __HEDDLE_BOTH__ name##3 make_##name##3(t x, t y, t z) { return {x, y, z}; }                    \
    __HEDDLE_BOTH__ name##4 make_##name##4(t x, t y, t z, t w) { return {x, y, z, w}; }

__HEDDLE_VECTOR(signed char, char, 2, 4)
__HEDDLE_VECTOR(unsigned char, uchar, 2, 4)
__HEDDLE_VECTOR(short, short, 4, 8)
__HEDDLE_VECTOR(unsigned short, ushort, 4, 8)
__HEDDLE_VECTOR(int, int, 8, 16)
__HEDDLE_VECTOR(unsigned int, uint, 8, 16)
__HEDDLE_VECTOR(long, long, 16, 16)
__HEDDLE_VECTOR(unsigned long, ulong, 16, 16)
__HEDDLE_VECTOR(long long, longlong, 16, 16)
__HEDDLE_VECTOR(unsigned long long, ulonglong, 16, 16)
__HEDDLE_VECTOR(float, float, 8, 16)
__HEDDLE_VECTOR(double, double, 16, 16)
#undef __HEDDLE_VECTOR

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

/* --- threadIdx, blockIdx, blockDim, gridDim, warpSize --- */

#include <__clang_cuda_builtin_vars.h>

#define __HEDDLE_INDEX(name)                                                                       \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const                             \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const                            \
    {                                                                                              \
        return uint3{x, y, z};                                                                     \
    }
__HEDDLE_INDEX(threadIdx)
__HEDDLE_INDEX(blockIdx)
__HEDDLE_INDEX(blockDim)
__HEDDLE_INDEX(gridDim)
#undef __HEDDLE_INDEX

/* --- Time, output, the end --- */

__HEDDLE__ clock_t clock()
{
    return __nvvm_read_ptx_sreg_clock();
}
__HEDDLE__ long long clock64()
{
    return __nvvm_read_ptx_sreg_clock64();
}
__HEDDLE__ unsigned long long globaltimer()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
__HEDDLE__ void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
__HEDDLE__ void __trap()
{
    asm volatile("trap;");
}
__HEDDLE__ void __brkpt()
{
    asm volatile("brkpt;");
}

/* clang packs the arguments of a device-side printf and calls vprintf. */
extern "C" __device__ int vprintf(const char *format, const char *arguments);
extern "C" __device__ int printf(const char *format, ...);

/* The heap of the device. */
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *address);

/* What <assert.h> calls when an assertion does not hold. */
__HEDDLE__ void __assert_fail(const char *what, const char *file, unsigned line,
                              const char *function)
{
    printf("%s:%u: %s: block [%u,%u,%u], thread [%u,%u,%u]: Assertion `%s` failed.\n", file, line,
           function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
           what);
    __trap();
}

__HEDDLE__ void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
__HEDDLE__ void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

#include "cuda_math.cuh"
#include "cuda_intrinsics.cuh"
#include "cuda_memory.cuh"
#include "cuda_warp.cuh"
#include "cuda_host.cuh"

/* What nvcc's implicit <cuda_runtime.h> brings along, and sources rely on. */
#if __has_include(<stdlib.h>)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
