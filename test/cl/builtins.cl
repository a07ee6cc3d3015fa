/* OpenCL built-in functions whose results are exact, so that two implementations must agree to the
 * bit. Every kernel reads 16 words and writes 64 words a work-item; test_builtins.c runs each of
 * them on Heddle and on another OpenCL. Nothing here depends on how a * b + c is contracted. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define KERNEL(name) __kernel void name(__global const uint *in, __global uint *out)
#define BEGIN                                                                                      \
    size_t item = get_global_id(0);                                                                \
    __global const uint *src = in + 16 * item;                                                     \
    __global uint *dst = out + 64 * item;

/* --- Integers, every type, one and four wide --- */

#define INTEGER_BODY(t, u)                                                                         \
    {                                                                                              \
        BEGIN t a = ((__global const t *)src)[0], b = ((__global const t *)src)[1];                \
        t c = ((__global const t *)(src + 8))[0];                                                  \
        __global t *r = (__global t *)dst;                                                         \
        __global u *ur = (__global u *)dst;                                                        \
        ur[0] = abs(a);                                                                            \
        ur[1] = abs_diff(a, b);                                                                    \
        r[2] = add_sat(a, b);                                                                      \
        r[3] = sub_sat(a, b);                                                                      \
        r[4] = hadd(a, b);                                                                         \
        r[5] = rhadd(a, b);                                                                        \
        r[6] = clz(a);                                                                             \
        r[7] = mul_hi(a, b);                                                                       \
        r[8] = mad_hi(a, b, c);                                                                    \
        r[9] = max(a, b);                                                                          \
        r[10] = min(a, b);                                                                         \
        r[11] = clamp(a, min(b, c), max(b, c));                                                    \
        r[12] = rotate(a, b);                                                                      \
        r[13] = popcount(a);                                                                       \
        r[14] = mad_sat(a, b, c);                                                                  \
    }
#define INTEGER(t, u)                                                                              \
    KERNEL(integer_##t) INTEGER_BODY(t, u)                                                         \
    KERNEL(integer_##t##2) INTEGER_BODY(t##2, u##2)
INTEGER(char, uchar)
INTEGER(uchar, uchar)
INTEGER(short, ushort)
INTEGER(ushort, ushort)
INTEGER(int, uint)
INTEGER(uint, uint)
INTEGER(long, ulong)
INTEGER(ulong, ulong)

KERNEL(integer_24_bit)
{
    BEGIN int a = (int)src[0] >> 8, b = (int)src[1] >> 8;
    dst[0] = mul24(a, b);
    dst[1] = mad24(a, b, (int)src[2]);
    dst[2] = mul24(src[0] >> 8, src[1] >> 8);
    dst[3] = mad24(src[0] >> 8, src[1] >> 8, src[2]);
    ((__global ulong *)dst)[2] = upsample(src[0], src[1]);
    ((__global long *)dst)[3] = upsample((int)src[0], src[1]);
    dst[8] = upsample((ushort)src[0], (ushort)src[1]);
    dst[9] = upsample((uchar)src[0], (uchar)src[1]);
}

/* --- Conversions: saturated to integers, rounded to reals --- */

#define TO_INTEGERS(name, t)                                                                       \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        BEGIN t a = *(__global const t *)src;                                                      \
        __global ulong *r = (__global ulong *)dst;                                                 \
        r[0] = (ulong)convert_char_sat(a);                                                         \
        r[1] = (ulong)convert_uchar_sat(a);                                                        \
        r[2] = (ulong)convert_short_sat(a);                                                        \
        r[3] = (ulong)convert_ushort_sat(a);                                                       \
        r[4] = (ulong)convert_int_sat(a);                                                          \
        r[5] = (ulong)convert_uint_sat(a);                                                         \
        r[6] = (ulong)convert_long_sat(a);                                                         \
        r[7] = (ulong)convert_ulong_sat(a);                                                        \
        r[8] = (ulong)convert_int_sat_rte(a);                                                      \
        r[9] = (ulong)convert_int_sat_rtp(a);                                                      \
        r[10] = (ulong)convert_int_sat_rtn(a);                                                     \
        r[11] = (ulong)convert_uchar_sat_rte(a);                                                   \
        r[12] = (ulong)convert_long_sat_rtn(a);                                                    \
        r[13] = (ulong)convert_ulong_sat_rtp(a);                                                   \
    }
TO_INTEGERS(float_to_integers, float)
TO_INTEGERS(double_to_integers, double)
TO_INTEGERS(int_to_integers, int)
TO_INTEGERS(uint_to_integers, uint)
TO_INTEGERS(long_to_integers, long)
TO_INTEGERS(ulong_to_integers, ulong)

#define TO_REALS(name, t)                                                                          \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        BEGIN t a = *(__global const t *)src;                                                      \
        __global float *f = (__global float *)dst;                                                 \
        __global double *d = (__global double *)(dst + 16);                                        \
        f[0] = convert_float(a);                                                                   \
        f[1] = convert_float_rte(a);                                                               \
        f[2] = convert_float_rtz(a);                                                               \
        f[3] = convert_float_rtp(a);                                                               \
        f[4] = convert_float_rtn(a);                                                               \
        d[0] = convert_double(a);                                                                  \
        d[1] = convert_double_rtz(a);                                                              \
        d[2] = convert_double_rtp(a);                                                              \
        d[3] = convert_double_rtn(a);                                                              \
    }
TO_REALS(char_to_reals, char)
TO_REALS(ushort_to_reals, ushort)
TO_REALS(int_to_reals, int)
TO_REALS(uint_to_reals, uint)
TO_REALS(long_to_reals, long)
TO_REALS(ulong_to_reals, ulong)

KERNEL(double_to_reals)
{
    BEGIN double a = *(__global const double *)src;
    __global float *f = (__global float *)dst;
    if (isnan(a))
        a = 1;
    f[0] = convert_float(a);
    f[1] = convert_float_rte(a);
    f[2] = convert_float_rtz(a);
    f[3] = convert_float_rtp(a);
    f[4] = convert_float_rtn(a);
}

KERNEL(vector_conversions)
{
    BEGIN int4 a = vload4(0, (__global const int *)src);
    vstore4(convert_float4(a), 0, (__global float *)dst);
    vstore4(convert_short4_sat(a), 0, (__global short *)(dst + 8));
    vstore4(convert_uchar4_sat(as_float4(a)), 0, (__global uchar *)(dst + 12));
    vstore3(a.zyx, 0, (__global int *)(dst + 16));
    vstore8(as_short8(a), 0, (__global short *)(dst + 20));
    vstore16(as_uchar16(a), 0, (__global uchar *)(dst + 24));
}

/* --- Reals: everything that is exact --- */

#define REAL_BODY(t, i, n)                                                                         \
    {                                                                                              \
        BEGIN t a = ((__global const t *)src)[0], b = ((__global const t *)src)[1];                \
        __global t *r = (__global t *)dst;                                                         \
        r[0] = QUIET(floor(a));                                                                    \
        r[1] = QUIET(ceil(a));                                                                     \
        r[2] = QUIET(trunc(a));                                                                    \
        r[3] = QUIET(rint(a));                                                                     \
        r[4] = QUIET(round(a));                                                                    \
        r[5] = QUIET(fmax(a, b));                                                                  \
        r[6] = QUIET(fmin(a, b));                                                                  \
        r[7] = copysign(a, b);                                                                     \
        r[8] = QUIET(fdim(a, b));                                                                  \
        r[9] = QUIET(maxmag(a, b));                                                                \
        r[10] = QUIET(minmag(a, b));                                                               \
        r[11] = fabs(a);                                                                           \
        r[12] = QUIET(step(a, b));                                                                 \
        r[13] = QUIET(sign(a));                                                                    \
        r[14] = QUIET(nextafter(a, b));                                                            \
        r[15] = bitselect(a, b, (t)n);                                                             \
        dst[40] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 |                 \
                  signbit(a) << 4 | isequal(a, b) << 5 | isless(a, b) << 6 |                       \
                  isgreaterequal(a, b) << 7 | isunordered(a, b) << 8 | islessgreater(a, b) << 9;   \
        r[24] = select(a, b, (i)(src[5] & 1 ? -1 : 0));                                            \
    }
/* Which NaN comes out is not specified. */
#define QUIET(x) (isnan(x) ? 7 : (x))
KERNEL(real_float)
REAL_BODY(float, int, 1.5f)
KERNEL(real_double)
REAL_BODY(double, long, 1.5)

/* Finite, not too large: what the exponent functions do with NaN is not specified to the bit. */
#define EXPONENT_BODY(t)                                                                           \
    {                                                                                              \
        BEGIN t a = (t)(int)src[0] / (t)1024, b = (t)((int)src[1] | 1);                            \
        int e, q;                                                                                  \
        t whole;                                                                                   \
        __global t *r = (__global t *)dst;                                                         \
        r[0] = frexp(a, &e);                                                                       \
        r[1] = e;                                                                                  \
        r[2] = ldexp(a, (int)(src[2] & 31) - 16);                                                  \
        r[3] = src[0] ? logb(a) : 0;                                                               \
        r[4] = src[0] ? ilogb(a) : 0;                                                              \
        r[5] = modf(a, &whole);                                                                    \
        r[6] = whole;                                                                              \
        r[7] = fract(a, &whole);                                                                   \
        r[8] = whole;                                                                              \
        r[9] = fmod(a, b);                                                                         \
        r[10] = remainder(a, b);                                                                   \
        r[11] = remquo(a, b, &q);                                                                  \
        r[12] = q & 7;                                                                             \
        r[13] = fma(a, b, a);                                                                      \
    }
KERNEL(exponent_float)
EXPONENT_BODY(float)
KERNEL(exponent_double)
EXPONENT_BODY(double)

/* Small whole numbers: every intermediate result is exact. */
KERNEL(geometric)
{
    BEGIN float4 a = convert_float4(vload4(0, (__global const char *)src));
    float4 b = convert_float4(vload4(1, (__global const char *)src));
    __global float *r = (__global float *)dst;
    r[0] = dot(a, b);
    r[1] = dot(a.xyz, b.xyz);
    r[2] = dot(a.xy, b.xy);
    r[3] = length((float2)(3 * a.x, 4 * a.x));
    r[4] = distance((float2)(a.x, b.x), (float2)(a.x + 3 * b.y, b.x + 4 * b.y));
    vstore4(cross(a, b), 2, r);
    vstore3(cross(a.xyz, b.xyz), 4, r);
}

/* --- Halves --- */

KERNEL(halves)
{
    BEGIN __global half *h = (__global half *)dst;
    float a = as_float(src[0]);
    double d = as_double((ulong)src[1] << 32 | src[0]);
    if (isnan(a))
        a = 0;
    if (isnan(d))
        d = 0;
    vstore_half(a, 0, h);
    vstore_half_rtz(a, 1, h);
    vstore_half_rtp(a, 2, h);
    vstore_half_rtn(a, 3, h);
    vstore_half_rte(d, 4, h);
    vstore_half_rtz(d, 5, h);
    vstore_half4((float4)(a, 1, 2, 3), 2, h);
    ushort bits = (ushort)src[2];
    if ((bits & 0x7c00) == 0x7c00)
        bits &= 0xfc00;
    ((__global ushort *)dst)[20] = bits;
    ((__global float *)dst)[16] = vload_half(20, (__global half *)dst);
}

/* --- Vectors --- */

KERNEL(vectors)
{
    BEGIN int4 a = vload4(0, (__global const int *)src);
    int4 b = vload4(1, (__global const int *)src);
    uint4 m = vload4(2, src);
    __global int *r = (__global int *)dst;
    vstore4(shuffle(a, m), 0, r);
    vstore4(shuffle2(a, b, m), 1, r);
    vstore4(select(a, b, as_int4(m)), 2, r);
    vstore4(bitselect(a, b, as_int4(m)), 3, r);
    r[16] = any(a) | all(a) << 1 | any(a & b) << 2 | all(a | b) << 3;
    vstore8(shuffle2(a, b, (uint8)(m, m.wzyx)), 3, r);
    vstore2(vload2(3, (__global const int *)src), 16, r);
    vstore3(vload3(2, (__global const int *)src), 12, r);
    vstore4((int4)(a == b) | (int4)(a < b), 10, r);
    r[44] = vec_step(int3) + vec_step(short16);
}

/* --- Atomics: results that do not depend on the order --- */

#define ATOMICS(add, sub, inc, dec, mn, mx, an, o, xo, xchg, cas, p, v)                            \
    add(p + 0, v);                                                                                 \
    sub(p + 1, v);                                                                                 \
    inc(p + 2);                                                                                    \
    dec(p + 3);                                                                                    \
    mn(p + 4, v);                                                                                  \
    mx(p + 5, v);                                                                                  \
    an(p + 6, v);                                                                                  \
    o(p + 7, v);                                                                                   \
    xo(p + 8, v);                                                                                  \
    xchg(p + 9, 7);                                                                                \
    cas(p + 10, 0, 9);
#define ATOMIC_KERNEL(name, t, prefix)                                                             \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __local t l[16];                                                                           \
        size_t lid = get_local_id(0);                                                              \
        t v = ((__global const t *)in)[get_global_id(0)];                                          \
        if (lid < 16)                                                                              \
            l[lid] = 0;                                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        __global t *g = (__global t *)out;                                                         \
        ATOMICS(prefix##_add, prefix##_sub, prefix##_inc, prefix##_dec, prefix##_min,              \
                prefix##_max, prefix##_and, prefix##_or, prefix##_xor, prefix##_xchg,              \
                prefix##_cmpxchg, g, v)                                                            \
        ATOMICS(prefix##_add, prefix##_sub, prefix##_inc, prefix##_dec, prefix##_min,              \
                prefix##_max, prefix##_and, prefix##_or, prefix##_xor, prefix##_xchg,              \
                prefix##_cmpxchg, l, v)                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (lid < 11)                                                                              \
            g[32 + 16 * get_group_id(0) + lid] = l[lid];                                           \
    }
ATOMIC_KERNEL(atomic_on_int, int, atomic)
ATOMIC_KERNEL(atomic_on_uint, uint, atomic)
ATOMIC_KERNEL(atom_on_int, int, atom)
ATOMIC_KERNEL(atom_on_long, long, atom)
ATOMIC_KERNEL(atom_on_ulong, ulong, atom)

/* --- Copies by the whole work-group --- */

KERNEL(group_copies)
{
    __local uint tile[256], spread[64];
    size_t group = get_group_id(0), lid = get_local_id(0), n = get_local_size(0);
    event_t e = async_work_group_copy(tile, in + 16 * n * group, 4 * n, 0);
    e = async_work_group_strided_copy(spread, in + 16 * n * group, n, 3, e);
    wait_group_events(1, &e);
    prefetch(in, 16);
    out[64 * get_global_id(0)] = tile[4 * n - 1 - lid];
    out[64 * get_global_id(0) + 1] = spread[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 64 * n * group + 64 * n - 64 + 2, tile, 60, 0);
    wait_group_events(1, &e);
}

/* --- Where a work-item is --- */

KERNEL(places)
{
    BEGIN for (uint d = 0; d < 3; d++)
    {
        dst[8 * d] = get_global_id(d);
        dst[8 * d + 1] = get_global_size(d);
        dst[8 * d + 2] = get_local_id(d);
        dst[8 * d + 3] = get_local_size(d);
        dst[8 * d + 4] = get_group_id(d);
        dst[8 * d + 5] = get_num_groups(d);
        dst[8 * d + 6] = get_global_offset(d);
    }
}
