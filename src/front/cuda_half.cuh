/* <cuda_fp16.h>: half precision as a storage format. Arithmetic goes through single precision and
 * rounds once at the end, which for +, -, *, / gives the correctly rounded result. */
#pragma once

struct __attribute__((aligned(2))) __half {
    unsigned short bits;

    __host__ __device__ __half() = default;
    __device__ __half(float x)
    {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    }
    __device__ operator float() const
    {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
    __device__ __half &operator+=(__half y)
    {
        return *this = __half((float)*this + (float)y);
    }
    __device__ __half &operator-=(__half y)
    {
        return *this = __half((float)*this - (float)y);
    }
    __device__ __half &operator*=(__half y)
    {
        return *this = __half((float)*this * (float)y);
    }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

__HEDDLE__ __half __float2half(float x)
{
    return __half(x);
}
__HEDDLE__ __half __float2half_rn(float x)
{
    return __half(x);
}
__HEDDLE__ float __half2float(__half x)
{
    return x;
}
__HEDDLE__ __half __ushort_as_half(unsigned short bits)
{
    __half x;
    x.bits = bits;
    return x;
}
__HEDDLE__ unsigned short __half_as_ushort(__half x)
{
    return x.bits;
}
__HEDDLE__ __half __hadd(__half x, __half y)
{
    return __half((float)x + (float)y);
}
__HEDDLE__ __half __hsub(__half x, __half y)
{
    return __half((float)x - (float)y);
}
__HEDDLE__ __half __hmul(__half x, __half y)
{
    return __half((float)x * (float)y);
}
__HEDDLE__ __half __hdiv(__half x, __half y)
{
    return __half((float)x / (float)y);
}
/* The product of two halves is exact in single precision, its sum with a third in double. */
__HEDDLE__ __half __hfma(__half x, __half y, __half z)
{
    double sum = (double)((float)x * (float)y) + (double)(float)z;
    __half result;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"(sum));
    return result;
}
__HEDDLE__ __half2 __floats2half2_rn(float x, float y)
{
    return {__half(x), __half(y)};
}
__HEDDLE__ __half2 __float2half2_rn(float x)
{
    return {__half(x), __half(x)};
}
__HEDDLE__ __half2 __halves2half2(__half x, __half y)
{
    return {x, y};
}
__HEDDLE__ float2 __half22float2(__half2 v)
{
    return make_float2(v.x, v.y);
}
__HEDDLE__ float __low2float(__half2 v)
{
    return v.x;
}
__HEDDLE__ float __high2float(__half2 v)
{
    return v.y;
}
__HEDDLE__ __half2 __hadd2(__half2 a, __half2 b)
{
    return {__hadd(a.x, b.x), __hadd(a.y, b.y)};
}
__HEDDLE__ __half2 __hmul2(__half2 a, __half2 b)
{
    return {__hmul(a.x, b.x), __hmul(a.y, b.y)};
}
__HEDDLE__ __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
