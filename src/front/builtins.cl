/* Heddle's OpenCL built-in library: what libclc's NVPTX library lacks, gets wrong, or has in a form
 * that the NVPTX back end cannot select. It is linked before libclc, so its definitions win; what
 * it calls itself (mul_hi, ...) comes from libclc. This text continues core.cl; conversions.cl,
 * math.cl, images.cl and atomics.cl continue it. */

/* --- Integers --- */

#define MAD_HI_ONE(t)                                                                              \
    PURE t mad_hi(t a, t b, t c) { return mul_hi(a, b) + c; }
#define MAD_HI(t)                                                                                  \
    MAD_HI_ONE(t)                                                                                  \
    MAD_HI_ONE(t##2) MAD_HI_ONE(t##3) MAD_HI_ONE(t##4) MAD_HI_ONE(t##8) MAD_HI_ONE(t##16)

MAD_HI(char)
MAD_HI(uchar)
MAD_HI(short)
MAD_HI(ushort)
MAD_HI(int)
MAD_HI(uint)
MAD_HI(long)
MAD_HI(ulong)

/* libclc's saturates when one factor is zero and the other negative. The sum of the 128-bit product
 * and c fits a long when its upper half is nothing but the lower half's sign. */
PURE long mad_sat(long a, long b, long c)
{
    ulong product = (ulong)a * (ulong)b;
    ulong low = product + (ulong)c;
    long high = mul_hi(a, b) + (c >> 63) + (low < product);
    if (high == (long)low >> 63)
        return (long)low;
    return high < 0 ? LONG_MIN : LONG_MAX;
}
#define MAD_SAT(t)                                                                           \
    PURE t mad_sat(t a, t b, t c)                                                                  \
    {                                                                                              \
        return (t)(mad_sat(a.lo, b.lo, c.lo), mad_sat(a.hi, b.hi, c.hi));                          \
    }
MAD_SAT(long2)
MAD_SAT(long4)
MAD_SAT(long8)
MAD_SAT(long16)
PURE long3 mad_sat(long3 a, long3 b, long3 c)
{
    return (long3)(mad_sat(a.xy, b.xy, c.xy), mad_sat(a.z, b.z, c.z));
}

/* The back end's 64-bit rotation takes its distance as it is, not modulo 64, so it is made of
 * 32-bit funnel shifts, which wrap. */
static PURE uint funnel_left(uint low, uint high, uint distance)
{
    uint result;
    __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(distance));
    return result;
}
PURE ulong rotate(ulong x, ulong distance)
{
    uint n = (uint)distance;
    uint low = n & 32 ? (uint)(x >> 32) : (uint)x;
    uint high = n & 32 ? (uint)x : (uint)(x >> 32);
    return (ulong)funnel_left(low, high, n) << 32 | funnel_left(high, low, n);
}
PURE long rotate(long x, long distance)
{
    return (long)rotate((ulong)x, (ulong)distance);
}
V_BINARY(ulong, rotate)
V_BINARY(long, rotate)

/* --- 64-bit atomics --- */

#define ATOM_BINARY(f, t, space, instruction)                                                      \
    OVERLOAD t f(volatile space t *p, t value)                                                     \
    {                                                                                              \
        t old;                                                                                     \
        __asm__ volatile("atom." instruction " %0, [%1], %2;"                                      \
                         : "=l"(old)                                                               \
                         : "l"(p), "l"(value)                                                      \
                         : "memory");                                                              \
        return old;                                                                                \
    }

#define ATOM_ALL(t, space, where, letter)                                                          \
    ATOM_BINARY(atom_add, t, space, where ".add.u64")                                              \
    ATOM_BINARY(atom_xchg, t, space, where ".exch.b64")                                            \
    ATOM_BINARY(atom_min, t, space, where ".min." letter "64")                                     \
    ATOM_BINARY(atom_max, t, space, where ".max." letter "64")                                     \
    ATOM_BINARY(atom_and, t, space, where ".and.b64")                                              \
    ATOM_BINARY(atom_or, t, space, where ".or.b64")                                                \
    ATOM_BINARY(atom_xor, t, space, where ".xor.b64")                                              \
    OVERLOAD t atom_sub(volatile space t *p, t value) { return atom_add(p, -value); }              \
    OVERLOAD t atom_inc(volatile space t *p) { return atom_add(p, (t)1); }                         \
    OVERLOAD t atom_dec(volatile space t *p) { return atom_add(p, (t)-1); }                        \
    OVERLOAD t atom_cmpxchg(volatile space t *p, t expected, t value)                              \
    {                                                                                              \
        t old;                                                                                     \
        __asm__ volatile("atom." where ".cas.b64 %0, [%1], %2, %3;"                                \
                         : "=l"(old)                                                               \
                         : "l"(p), "l"(expected), "l"(value)                                       \
                         : "memory");                                                              \
        return old;                                                                                \
    }

ATOM_ALL(long, __global, "global", "s")
ATOM_ALL(ulong, __global, "global", "u")
ATOM_ALL(long, __local, "shared", "s")
ATOM_ALL(ulong, __local, "shared", "u")

/* --- Holes in libclc's overload sets --- */

/* A hint; like libclc's other overloads these do nothing. */
#define PREFETCH_3(t)                                                                              \
    OVERLOAD void prefetch(const __global t##3 *p, size_t n) {}

PREFETCH_3(char)
PREFETCH_3(uchar)
PREFETCH_3(short)
PREFETCH_3(ushort)
PREFETCH_3(int)
PREFETCH_3(uint)
PREFETCH_3(long)
PREFETCH_3(ulong)
PREFETCH_3(float)
PREFETCH_3(double)

#define SMOOTHSTEP(t)                                                                              \
    PURE t smoothstep(double low, double high, t x) { return smoothstep((t)low, (t)high, x); }

SMOOTHSTEP(double2)
SMOOTHSTEP(double3)
SMOOTHSTEP(double4)
SMOOTHSTEP(double8)
SMOOTHSTEP(double16)

/* Vectors of three lie in memory as vectors of four do. */
#define COPY_3(t)                                                                                  \
    OVERLOAD event_t async_work_group_copy(__local t##3 *to, const __global t##3 *from, size_t n,  \
                                           event_t e)                                              \
    {                                                                                              \
        return async_work_group_copy((__local t##4 *)to, (const __global t##4 *)from, n, e);       \
    }                                                                                              \
    OVERLOAD event_t async_work_group_copy(__global t##3 *to, const __local t##3 *from, size_t n,  \
                                           event_t e)                                              \
    {                                                                                              \
        return async_work_group_copy((__global t##4 *)to, (const __local t##4 *)from, n, e);       \
    }                                                                                              \
    OVERLOAD event_t async_work_group_strided_copy(                                                \
        __local t##3 *to, const __global t##3 *from, size_t n, size_t stride, event_t e)           \
    {                                                                                              \
        return async_work_group_strided_copy((__local t##4 *)to, (const __global t##4 *)from, n,   \
                                             stride, e);                                           \
    }                                                                                              \
    OVERLOAD event_t async_work_group_strided_copy(                                                \
        __global t##3 *to, const __local t##3 *from, size_t n, size_t stride, event_t e)           \
    {                                                                                              \
        return async_work_group_strided_copy((__global t##4 *)to, (const __local t##4 *)from, n,   \
                                             stride, e);                                           \
    }

COPY_3(char)
COPY_3(uchar)
COPY_3(short)
COPY_3(ushort)
COPY_3(int)
COPY_3(uint)
COPY_3(long)
COPY_3(ulong)
COPY_3(float)
COPY_3(double)
