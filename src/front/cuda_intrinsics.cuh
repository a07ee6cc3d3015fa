/* CUDA's arithmetic intrinsics: rounding modes, conversions, bit patterns, integer operations.
 * Each is the PTX instruction that the CUDA manual names. */
#pragma once

/* --- Arithmetic in a given rounding mode --- */

#define __HEDDLE_BINARY_ASM(name, t, letter, instruction)                                          \
    __HEDDLE__ t name(t x, t y)                                                                    \
    {                                                                                              \
        t result;                                                                                  \
        asm(instruction " %0, %1, %2;" : "=" letter(result) : letter(x), letter(y));               \
        return result;                                                                             \
    }
#define __HEDDLE_UNARY_ASM(name, r, rletter, t, letter, instruction)                               \
    __HEDDLE__ r name(t x)                                                                         \
    {                                                                                              \
        r result;                                                                                  \
        asm(instruction " %0, %1;" : "=" rletter(result) : letter(x));                             \
        return result;                                                                             \
    }
#define __HEDDLE_FMA_ASM(name, t, letter, instruction)                                             \
    __HEDDLE__ t name(t x, t y, t z)                                                               \
    {                                                                                              \
        t result;                                                                                  \
        asm(instruction " %0, %1, %2, %3;"                                                         \
            : "=" letter(result)                                                                   \
            : letter(x), letter(y), letter(z));                                                    \
        return result;                                                                             \
    }

/* `mode` is CUDA's name of a rounding mode, `ptx` PTX's. */
#define __HEDDLE_ROUNDED(mode, ptx)                                                                \
    __HEDDLE_BINARY_ASM(__fadd_##mode, float, "f", "add." ptx ".f32")                              \
    __HEDDLE_BINARY_ASM(__fsub_##mode, float, "f", "sub." ptx ".f32")                              \
    __HEDDLE_BINARY_ASM(__fmul_##mode, float, "f", "mul." ptx ".f32")                              \
    __HEDDLE_BINARY_ASM(__fdiv_##mode, float, "f", "div." ptx ".f32")                              \
    __HEDDLE_BINARY_ASM(__dadd_##mode, double, "d", "add." ptx ".f64")                             \
    __HEDDLE_BINARY_ASM(__dsub_##mode, double, "d", "sub." ptx ".f64")                             \
    __HEDDLE_BINARY_ASM(__dmul_##mode, double, "d", "mul." ptx ".f64")                             \
    __HEDDLE_BINARY_ASM(__ddiv_##mode, double, "d", "div." ptx ".f64")                             \
    __HEDDLE_UNARY_ASM(__fsqrt_##mode, float, "f", float, "f", "sqrt." ptx ".f32")                 \
    __HEDDLE_UNARY_ASM(__dsqrt_##mode, double, "d", double, "d", "sqrt." ptx ".f64")               \
    __HEDDLE_UNARY_ASM(__frcp_##mode, float, "f", float, "f", "rcp." ptx ".f32")                   \
    __HEDDLE_UNARY_ASM(__drcp_##mode, double, "d", double, "d", "rcp." ptx ".f64")                 \
    __HEDDLE_FMA_ASM(__fmaf_##mode, float, "f", "fma." ptx ".f32")                                 \
    __HEDDLE_FMA_ASM(__fma_##mode, double, "d", "fma." ptx ".f64")
__HEDDLE_ROUNDED(rn, "rn")
__HEDDLE_ROUNDED(rz, "rz")
__HEDDLE_ROUNDED(ru, "rp")
__HEDDLE_ROUNDED(rd, "rm")
__HEDDLE_UNARY_ASM(__frsqrt_rn, float, "f", float, "f", "rsqrt.approx.f32")

/* --- Conversions --- */

#define __HEDDLE_TO_INTEGER(mode, ptx)                                                             \
    __HEDDLE_UNARY_ASM(__float2int_##mode, int, "r", float, "f", "cvt." ptx "i.s32.f32")           \
    __HEDDLE_UNARY_ASM(__float2uint_##mode, unsigned, "r", float, "f", "cvt." ptx "i.u32.f32")     \
    __HEDDLE_UNARY_ASM(__float2ll_##mode, long long, "l", float, "f", "cvt." ptx "i.s64.f32")      \
    __HEDDLE_UNARY_ASM(__float2ull_##mode, unsigned long long, "l", float, "f",                    \
                       "cvt." ptx "i.u64.f32")                                                     \
    __HEDDLE_UNARY_ASM(__double2int_##mode, int, "r", double, "d", "cvt." ptx "i.s32.f64")         \
    __HEDDLE_UNARY_ASM(__double2uint_##mode, unsigned, "r", double, "d", "cvt." ptx "i.u32.f64")   \
    __HEDDLE_UNARY_ASM(__double2ll_##mode, long long, "l", double, "d", "cvt." ptx "i.s64.f64")    \
    __HEDDLE_UNARY_ASM(__double2ull_##mode, unsigned long long, "l", double, "d",                  \
                       "cvt." ptx "i.u64.f64")
__HEDDLE_TO_INTEGER(rn, "rn")
__HEDDLE_TO_INTEGER(rz, "rz")
__HEDDLE_TO_INTEGER(ru, "rp")
__HEDDLE_TO_INTEGER(rd, "rm")

#define __HEDDLE_TO_REAL(mode, ptx)                                                                \
    __HEDDLE_UNARY_ASM(__int2float_##mode, float, "f", int, "r", "cvt." ptx ".f32.s32")            \
    __HEDDLE_UNARY_ASM(__uint2float_##mode, float, "f", unsigned, "r", "cvt." ptx ".f32.u32")      \
    __HEDDLE_UNARY_ASM(__ll2float_##mode, float, "f", long long, "l", "cvt." ptx ".f32.s64")       \
    __HEDDLE_UNARY_ASM(__ull2float_##mode, float, "f", unsigned long long, "l",                    \
                       "cvt." ptx ".f32.u64")                                                      \
    __HEDDLE_UNARY_ASM(__ll2double_##mode, double, "d", long long, "l", "cvt." ptx ".f64.s64")     \
    __HEDDLE_UNARY_ASM(__ull2double_##mode, double, "d", unsigned long long, "l",                  \
                       "cvt." ptx ".f64.u64")                                                      \
    __HEDDLE_UNARY_ASM(__double2float_##mode, float, "f", double, "d", "cvt." ptx ".f32.f64")
__HEDDLE_TO_REAL(rn, "rn")
__HEDDLE_TO_REAL(rz, "rz")
__HEDDLE_TO_REAL(ru, "rp")
__HEDDLE_TO_REAL(rd, "rm")
__HEDDLE__ double __int2double_rn(int x)
{
    return x;
}
__HEDDLE__ double __uint2double_rn(unsigned x)
{
    return x;
}

#define __HEDDLE_BITS(name, r, rletter, t, letter, type)                                           \
    __HEDDLE_UNARY_ASM(name, r, rletter, t, letter, "mov." type)
__HEDDLE_BITS(__float_as_int, int, "r", float, "f", "b32")
__HEDDLE_BITS(__float_as_uint, unsigned, "r", float, "f", "b32")
__HEDDLE_BITS(__int_as_float, float, "f", int, "r", "b32")
__HEDDLE_BITS(__uint_as_float, float, "f", unsigned, "r", "b32")
__HEDDLE_BITS(__double_as_longlong, long long, "l", double, "d", "b64")
__HEDDLE_BITS(__longlong_as_double, double, "d", long long, "l", "b64")
__HEDDLE__ int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
__HEDDLE__ int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
__HEDDLE__ double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

/* --- Integers --- */

__HEDDLE_BINARY_ASM(__mul24, int, "r", "mul24.lo.s32")
__HEDDLE_BINARY_ASM(__umul24, unsigned, "r", "mul24.lo.u32")
__HEDDLE_BINARY_ASM(__mulhi, int, "r", "mul.hi.s32")
__HEDDLE_BINARY_ASM(__umulhi, unsigned, "r", "mul.hi.u32")
__HEDDLE_BINARY_ASM(__mul64hi, long long, "l", "mul.hi.s64")
__HEDDLE_BINARY_ASM(__umul64hi, unsigned long long, "l", "mul.hi.u64")
__HEDDLE_UNARY_ASM(__brev, unsigned, "r", unsigned, "r", "brev.b32")
__HEDDLE_UNARY_ASM(__brevll, unsigned long long, "l", unsigned long long, "l", "brev.b64")
__HEDDLE_FMA_ASM(__byte_perm, unsigned, "r", "prmt.b32")
__HEDDLE_FMA_ASM(__funnelshift_l, unsigned, "r", "shf.l.wrap.b32")
__HEDDLE_FMA_ASM(__funnelshift_r, unsigned, "r", "shf.r.wrap.b32")
__HEDDLE_FMA_ASM(__funnelshift_lc, unsigned, "r", "shf.l.clamp.b32")
__HEDDLE_FMA_ASM(__funnelshift_rc, unsigned, "r", "shf.r.clamp.b32")

__HEDDLE__ int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
__HEDDLE__ int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
__HEDDLE_UNARY_ASM(__clz, int, "r", int, "r", "clz.b32")
__HEDDLE_UNARY_ASM(__clzll, int, "r", long long, "l", "clz.b64")
__HEDDLE__ int __ffs(int x)
{
    return x == 0 ? 0 : 32 - __clz(x & -x);
}
__HEDDLE__ int __ffsll(long long x)
{
    return x == 0 ? 0 : 64 - __clzll(x & -x);
}
__HEDDLE__ unsigned __sad(int x, int y, unsigned z)
{
    return (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + z;
}
__HEDDLE__ unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return (x < y ? y - x : x - y) + z;
}
__HEDDLE__ int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
__HEDDLE__ int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
__HEDDLE__ unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
__HEDDLE__ unsigned __urhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define __HEDDLE_DOT(name, t, a, instruction)                                                      \
    __HEDDLE__ t name(a x, a y, t sum)                                                             \
    {                                                                                              \
        t result;                                                                                  \
        asm(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));             \
        return result;                                                                             \
    }
__HEDDLE_DOT(__dp4a, int, int, "dp4a.s32.s32")
__HEDDLE_DOT(__dp4a, unsigned, unsigned, "dp4a.u32.u32")
__HEDDLE_DOT(__dp2a_lo, int, int, "dp2a.lo.s32.s32")
__HEDDLE_DOT(__dp2a_lo, unsigned, unsigned, "dp2a.lo.u32.u32")
__HEDDLE_DOT(__dp2a_hi, int, int, "dp2a.hi.s32.s32")
__HEDDLE_DOT(__dp2a_hi, unsigned, unsigned, "dp2a.hi.u32.u32")
__HEDDLE__ int __dp4a(char4 x, char4 y, int sum)
{
    return __dp4a(*(int *)&x, *(int *)&y, sum);
}
__HEDDLE__ unsigned __dp4a(uchar4 x, uchar4 y, unsigned sum)
{
    return __dp4a(*(unsigned *)&x, *(unsigned *)&y, sum);
}
#endif
