/* CUDA's mathematics. Functions that are one instruction come from clang's built-ins; the others
 * from libclc, whose OpenCL functions are linked under the names given here. With
 * -fcuda-approx-transcendentals (nvcc's --use_fast_math) the single-precision ones become the
 * special function unit's approximations, as in the CUDA manual. */
#pragma once

/* --- What a call with other types than the declared ones means --- */

template <class T> struct __heddle_number {
};
#define __HEDDLE_INTEGER(t)                                                                        \
    template <> struct __heddle_number<t> {                                                        \
        typedef double integer;                                                                    \
        typedef double real;                                                                       \
    };
__HEDDLE_INTEGER(bool)
__HEDDLE_INTEGER(char)
__HEDDLE_INTEGER(signed char)
__HEDDLE_INTEGER(unsigned char)
__HEDDLE_INTEGER(short)
__HEDDLE_INTEGER(unsigned short)
__HEDDLE_INTEGER(int)
__HEDDLE_INTEGER(unsigned int)
__HEDDLE_INTEGER(long)
__HEDDLE_INTEGER(unsigned long)
__HEDDLE_INTEGER(long long)
__HEDDLE_INTEGER(unsigned long long)
#undef __HEDDLE_INTEGER
template <> struct __heddle_number<float> {
    typedef float real;
};
template <> struct __heddle_number<double> {
    typedef double real;
};
template <class A, class B>
using __heddle_common =
    decltype(typename __heddle_number<A>::real() + typename __heddle_number<B>::real());

/* f(int) computes in double; f(float, double) in the wider of the two. */
#define __HEDDLE_UNARY_OTHER(f)                                                                    \
    template <class T> __HEDDLE__ typename __heddle_number<T>::integer f(T x)                      \
    {                                                                                              \
        return f((double)x);                                                                       \
    }
#define __HEDDLE_BINARY_OTHER(f)                                                                   \
    template <class A, class B> __HEDDLE__ __heddle_common<A, B> f(A x, B y)                       \
    {                                                                                              \
        return f((__heddle_common<A, B>)x, (__heddle_common<A, B>)y);                              \
    }

/* --- One instruction --- */

#define __HEDDLE_UNARY(fn, single, twice)                                                          \
    __HEDDLE__ float fn##f(float x) { return single; }                                             \
    __HEDDLE__ float fn(float x) { return single; }                                                \
    __HEDDLE__ double fn(double x) { return twice; }                                               \
    __HEDDLE_UNARY_OTHER(fn)
#define __HEDDLE_BINARY(fn, single, twice)                                                         \
    __HEDDLE__ float fn##f(float x, float y) { return single; }                                    \
    __HEDDLE__ float fn(float x, float y) { return single; }                                       \
    __HEDDLE__ double fn(double x, double y) { return twice; }                                     \
    __HEDDLE_BINARY_OTHER(fn)

#ifdef __CLANG_CUDA_APPROX_TRANSCENDENTALS__
#define __HEDDLE_FAST(approximate, exact) approximate
#else
#define __HEDDLE_FAST(approximate, exact) exact
#endif

__HEDDLE_UNARY(fabs, __builtin_fabsf(x), __builtin_fabs(x))
__HEDDLE_UNARY(floor, __builtin_floorf(x), __builtin_floor(x))
__HEDDLE_UNARY(ceil, __builtin_ceilf(x), __builtin_ceil(x))
__HEDDLE_UNARY(trunc, __builtin_truncf(x), __builtin_trunc(x))
__HEDDLE_UNARY(rint, __builtin_rintf(x), __builtin_rint(x))
__HEDDLE_UNARY(nearbyint, __builtin_rintf(x), __builtin_rint(x))
__HEDDLE_UNARY(sqrt, __HEDDLE_FAST(__nvvm_sqrt_approx_f(x), __nvvm_sqrt_rn_f(x)),
               __nvvm_sqrt_rn_d(x))
__HEDDLE_UNARY(rsqrt, __nvvm_rsqrt_approx_f(x), 1.0 / __nvvm_sqrt_rn_d(x))
__HEDDLE_BINARY(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
__HEDDLE_BINARY(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
__HEDDLE_BINARY(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))

__HEDDLE__ float fmaf(float x, float y, float z)
{
    return __nvvm_fma_rn_f(x, y, z);
}
__HEDDLE__ float fma(float x, float y, float z)
{
    return __nvvm_fma_rn_f(x, y, z);
}
__HEDDLE__ double fma(double x, double y, double z)
{
    return __nvvm_fma_rn_d(x, y, z);
}
__HEDDLE__ float fdividef(float x, float y)
{
    return __HEDDLE_FAST(__nvvm_div_approx_f(x, y), x / y);
}
__HEDDLE__ float abs(float x)
{
    return __builtin_fabsf(x);
}
__HEDDLE__ double abs(double x)
{
    return __builtin_fabs(x);
}
__HEDDLE__ int abs(int x)
{
    return x < 0 ? -x : x;
}
__HEDDLE__ long abs(long x)
{
    return x < 0 ? -x : x;
}
__HEDDLE__ long long abs(long long x)
{
    return x < 0 ? -x : x;
}
__HEDDLE__ long labs(long x)
{
    return x < 0 ? -x : x;
}
__HEDDLE__ long long llabs(long long x)
{
    return x < 0 ? -x : x;
}

/* --- The special function unit --- */

__HEDDLE__ float __sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}
__HEDDLE__ float __cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}
__HEDDLE__ float __fdividef(float x, float y)
{
    return __nvvm_div_approx_f(x, y);
}
__HEDDLE__ float __tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
__HEDDLE__ void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
__HEDDLE__ float __exp2f(float x)
{
    return __nvvm_ex2_approx_f(x);
}
__HEDDLE__ float __log2f(float x)
{
    return __nvvm_lg2_approx_f(x);
}
__HEDDLE__ float __expf(float x)
{
    return __exp2f(x * 1.4426950408889634f);
}
__HEDDLE__ float __exp10f(float x)
{
    return __exp2f(x * 3.3219280948873623f);
}
__HEDDLE__ float __logf(float x)
{
    return __log2f(x) * 0.69314718055994531f;
}
__HEDDLE__ float __log10f(float x)
{
    return __log2f(x) * 0.30102999566398120f;
}
__HEDDLE__ float __powf(float x, float y)
{
    return __exp2f(y * __log2f(x));
}
__HEDDLE__ float __saturatef(float x)
{
    return __nvvm_saturate_f(x);
}
__HEDDLE__ float __tanhf(float x)
{
    float e = __exp2f(2.8853900817779268f * x);
    return 1.0f - __fdividef(2.0f, e + 1.0f);
}

/* --- From libclc --- */

/* `mangled` is the OpenCL name as it is linked: its length, then its letters. */
#define __HEDDLE_CLC_UNARY(fn, mangled, fast)                                                      \
    extern "C" __device__ float __heddle_f_##fn(float) __asm__("_Z" mangled "f");                  \
    extern "C" __device__ double __heddle_d_##fn(double) __asm__("_Z" mangled "d");                \
    __HEDDLE_UNARY(fn, __HEDDLE_FAST(fast, __heddle_f_##fn(x)), __heddle_d_##fn(x))
#define __HEDDLE_CLC_BINARY(fn, mangled, fast)                                                     \
    extern "C" __device__ float __heddle_f_##fn(float, float) __asm__("_Z" mangled "ff");          \
    extern "C" __device__ double __heddle_d_##fn(double, double) __asm__("_Z" mangled "dd");       \
    __HEDDLE_BINARY(fn, __HEDDLE_FAST(fast, __heddle_f_##fn(x, y)), __heddle_d_##fn(x, y))

__HEDDLE_CLC_UNARY(sin, "3sin", __sinf(x))
__HEDDLE_CLC_UNARY(cos, "3cos", __cosf(x))
__HEDDLE_CLC_UNARY(tan, "3tan", __tanf(x))
__HEDDLE_CLC_UNARY(exp, "3exp", __expf(x))
__HEDDLE_CLC_UNARY(exp2, "4exp2", __exp2f(x))
__HEDDLE_CLC_UNARY(exp10, "5exp10", __exp10f(x))
__HEDDLE_CLC_UNARY(log, "3log", __logf(x))
__HEDDLE_CLC_UNARY(log2, "4log2", __log2f(x))
__HEDDLE_CLC_UNARY(log10, "5log10", __log10f(x))
__HEDDLE_CLC_BINARY(pow, "3pow", __powf(x, y))
#define __HEDDLE_CLC_UNARY_EXACT(fn, mangled) __HEDDLE_CLC_UNARY(fn, mangled, __heddle_f_##fn(x))
#define __HEDDLE_CLC_BINARY_EXACT(fn, mangled)                                                     \
    __HEDDLE_CLC_BINARY(fn, mangled, __heddle_f_##fn(x, y))
__HEDDLE_CLC_UNARY_EXACT(expm1, "5expm1")
__HEDDLE_CLC_UNARY_EXACT(log1p, "5log1p")
__HEDDLE_CLC_UNARY_EXACT(logb, "4logb")
__HEDDLE_CLC_UNARY_EXACT(cbrt, "4cbrt")
__HEDDLE_CLC_UNARY_EXACT(asin, "4asin")
__HEDDLE_CLC_UNARY_EXACT(acos, "4acos")
__HEDDLE_CLC_UNARY_EXACT(atan, "4atan")
__HEDDLE_CLC_UNARY_EXACT(sinh, "4sinh")
__HEDDLE_CLC_UNARY_EXACT(cosh, "4cosh")
__HEDDLE_CLC_UNARY_EXACT(tanh, "4tanh")
__HEDDLE_CLC_UNARY_EXACT(asinh, "5asinh")
__HEDDLE_CLC_UNARY_EXACT(acosh, "5acosh")
__HEDDLE_CLC_UNARY_EXACT(atanh, "5atanh")
__HEDDLE_CLC_UNARY_EXACT(sinpi, "5sinpi")
__HEDDLE_CLC_UNARY_EXACT(cospi, "5cospi")
__HEDDLE_CLC_UNARY_EXACT(erf, "3erf")
__HEDDLE_CLC_UNARY_EXACT(erfc, "4erfc")
__HEDDLE_CLC_UNARY_EXACT(tgamma, "6tgamma")
__HEDDLE_CLC_UNARY_EXACT(lgamma, "6lgamma")
__HEDDLE_CLC_UNARY_EXACT(round, "5round")
__HEDDLE_CLC_BINARY_EXACT(fmod, "4fmod")
__HEDDLE_CLC_BINARY_EXACT(remainder, "9remainder")
__HEDDLE_CLC_BINARY_EXACT(atan2, "5atan2")
__HEDDLE_CLC_BINARY_EXACT(hypot, "5hypot")
__HEDDLE_CLC_BINARY_EXACT(fdim, "4fdim")
__HEDDLE_CLC_BINARY_EXACT(nextafter, "9nextafter")
__HEDDLE_UNARY(rcbrt, 1.0f / cbrtf(x), 1.0 / cbrt(x))
__HEDDLE_BINARY(rhypot, 1.0f / hypotf(x, y), 1.0 / hypot(x, y))
__HEDDLE_UNARY(normcdf, 0.5f * erfcf(x * -0.70710678118654752f),
               0.5 * erfc(x * -0.70710678118654752))

extern "C" __device__ float __heddle_f_ldexp(float, int) __asm__("_Z5ldexpfi");
extern "C" __device__ double __heddle_d_ldexp(double, int) __asm__("_Z5ldexpdi");
extern "C" __device__ float __heddle_f_pown(float, int) __asm__("_Z4pownfi");
extern "C" __device__ double __heddle_d_pown(double, int) __asm__("_Z4powndi");
extern "C" __device__ int __heddle_f_ilogb(float) __asm__("_Z5ilogbf");
extern "C" __device__ int __heddle_d_ilogb(double) __asm__("_Z5ilogbd");
extern "C" __device__ float __heddle_f_frexp(float, int *) __asm__("_Z5frexpfPi");
extern "C" __device__ double __heddle_d_frexp(double, int *) __asm__("_Z5frexpdPi");
extern "C" __device__ float __heddle_f_remquo(float, float, int *) __asm__("_Z6remquoffPi");
extern "C" __device__ double __heddle_d_remquo(double, double, int *) __asm__("_Z6remquoddPi");

/* A function with more or other arguments than one or two reals, in both precisions. */
#define __HEDDLE_PAIR(result_f, result_d, fn, params_f, params_d, body_f, body_d)                  \
    __HEDDLE__ result_f fn##f params_f { body_f; }                                                 \
    __HEDDLE__ result_f fn params_f { body_f; }                                                    \
    __HEDDLE__ result_d fn params_d { body_d; }

__HEDDLE_PAIR(float, double, ldexp, (float x, int n), (double x, int n),
              return __heddle_f_ldexp(x, n), return __heddle_d_ldexp(x, n))
__HEDDLE_PAIR(float, double, scalbn, (float x, int n), (double x, int n),
              return __heddle_f_ldexp(x, n), return __heddle_d_ldexp(x, n))
__HEDDLE_PAIR(int, int, ilogb, (float x), (double x), return __heddle_f_ilogb(x),
              return __heddle_d_ilogb(x))
__HEDDLE_PAIR(float, double, frexp, (float x, int *n), (double x, int *n),
              return __heddle_f_frexp(x, n), return __heddle_d_frexp(x, n))
__HEDDLE_PAIR(float, double, remquo, (float x, float y, int *n), (double x, double y, int *n),
              return __heddle_f_remquo(x, y, n), return __heddle_d_remquo(x, y, n))
__HEDDLE_PAIR(float, double, modf, (float x, float *whole), (double x, double *whole),
              *whole = trunc(x); return copysign(x - *whole, x),
              *whole = trunc(x); return copysign(x - *whole, x))
__HEDDLE_PAIR(void, void, sincos, (float x, float *s, float *c), (double x, double *s, double *c),
              *s = sin(x); *c = cos(x), *s = sin(x); *c = cos(x))
__HEDDLE_PAIR(void, void, sincospi, (float x, float *s, float *c),
              (double x, double *s, double *c), *s = sinpi(x); *c = cospi(x),
              *s = sinpi(x); *c = cospi(x))
__HEDDLE_PAIR(long, long, lrint, (float x), (double x), return (long)rint(x), return (long)rint(x))
__HEDDLE_PAIR(long, long, lround, (float x), (double x), return (long)round(x),
              return (long)round(x))
__HEDDLE_PAIR(long long, long long, llrint, (float x), (double x), return (long long)rint(x),
              return (long long)rint(x))
__HEDDLE_PAIR(long long, long long, llround, (float x), (double x), return (long long)round(x),
              return (long long)round(x))

__HEDDLE__ float powif(float x, int n)
{
    return __heddle_f_pown(x, n);
}
__HEDDLE__ double powi(double x, int n)
{
    return __heddle_d_pown(x, n);
}
__HEDDLE__ float norm3df(float a, float b, float c)
{
    return sqrtf(a * a + b * b + c * c);
}
__HEDDLE__ double norm3d(double a, double b, double c)
{
    return sqrt(a * a + b * b + c * c);
}
__HEDDLE__ float rnorm3df(float a, float b, float c)
{
    return rsqrtf(a * a + b * b + c * c);
}

/* --- Kinds of numbers --- */

#define __HEDDLE_CLASSIFY(f, expression)                                                           \
    __HEDDLE__ bool f(float x) { return expression; }                                              \
    __HEDDLE__ bool f(double x) { return expression; }
__HEDDLE_CLASSIFY(isnan, __builtin_isnan(x))
__HEDDLE_CLASSIFY(isinf, __builtin_isinf(x))
__HEDDLE_CLASSIFY(isfinite, __builtin_isfinite(x))
__HEDDLE_CLASSIFY(signbit, __builtin_signbit(x))
__HEDDLE__ float nanf(const char *)
{
    return __builtin_nanf("");
}
__HEDDLE__ double nan(const char *)
{
    return __builtin_nan("");
}

/* --- min and max of everything --- */

#define __HEDDLE_MIN_MAX(t)                                                                        \
    __HEDDLE_BOTH__ t min(t x, t y) { return y < x ? y : x; }                                      \
    __HEDDLE_BOTH__ t max(t x, t y) { return x < y ? y : x; }
#define __HEDDLE_MIN_MAX_MIXED(a, b, t)                                                            \
    __HEDDLE_BOTH__ t min(a x, b y) { return min((t)x, (t)y); }                                    \
    __HEDDLE_BOTH__ t min(b x, a y) { return min((t)x, (t)y); }                                    \
    __HEDDLE_BOTH__ t max(a x, b y) { return max((t)x, (t)y); }                                    \
    __HEDDLE_BOTH__ t max(b x, a y) { return max((t)x, (t)y); }

__HEDDLE_MIN_MAX(int)
__HEDDLE_MIN_MAX(unsigned int)
__HEDDLE_MIN_MAX(long)
__HEDDLE_MIN_MAX(unsigned long)
__HEDDLE_MIN_MAX(long long)
__HEDDLE_MIN_MAX(unsigned long long)
__HEDDLE_MIN_MAX_MIXED(int, unsigned int, unsigned int)
__HEDDLE_MIN_MAX_MIXED(int, long, long)
__HEDDLE_MIN_MAX_MIXED(int, unsigned long, unsigned long)
__HEDDLE_MIN_MAX_MIXED(unsigned int, unsigned long, unsigned long)
__HEDDLE_MIN_MAX_MIXED(long, unsigned long, unsigned long)
__HEDDLE_MIN_MAX_MIXED(int, long long, long long)
__HEDDLE_MIN_MAX_MIXED(int, unsigned long long, unsigned long long)
__HEDDLE_MIN_MAX_MIXED(long long, unsigned long long, unsigned long long)

/* Reals follow fmin and fmax: a NaN loses against a number. */
__HEDDLE_BOTH__ float min(float x, float y)
{
    return __builtin_fminf(x, y);
}
__HEDDLE_BOTH__ float max(float x, float y)
{
    return __builtin_fmaxf(x, y);
}
__HEDDLE_BOTH__ double min(double x, double y)
{
    return __builtin_fmin(x, y);
}
__HEDDLE_BOTH__ double max(double x, double y)
{
    return __builtin_fmax(x, y);
}
__HEDDLE_MIN_MAX_MIXED(float, double, double)
__HEDDLE_MIN_MAX_MIXED(float, int, float)
__HEDDLE_MIN_MAX_MIXED(double, int, double)
__HEDDLE_MIN_MAX_MIXED(float, unsigned int, float)
__HEDDLE_MIN_MAX_MIXED(double, unsigned int, double)

/* --- <math_constants.h> --- */

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 3.1415926535897931
