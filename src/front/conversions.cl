/* The second half of Heddle's OpenCL library: conversions that libclc gets wrong at the edges. The
 * GPU's cvt instruction rounds in any mode and saturates by itself; only what it makes of a NaN
 * (zero when everything is 32 bits wide, else the smallest number) is not OpenCL's zero. */

/* clang's own names for these are of no use: their 64-bit ones speak of long long, which OpenCL
 * takes for 128 bits. `when` is a condition on x for which the result is what cvt makes of it. */
#define CVT(linkage, name, to, to_letter, from, from_letter, types, when)                          \
    linkage PURE to name(from x)                                                                   \
    {                                                                                              \
        to result;                                                                                 \
        __asm__("cvt." types " %0, %1;" : "=" to_letter(result) : from_letter(x));                 \
        return when ? result : 0;                                                                  \
    }

/* --- Real to integer, saturated --- */

#define TO_WIDE(mode, ptx)                                                                         \
    CVT(static, wide_int##mode, int, "r", float, "f", ptx "i.s32.f32", true)                       \
    CVT(static, wide_uint##mode, uint, "r", float, "f", ptx "i.u32.f32", true)                     \
    CVT(static, wide_long##mode, long, "l", float, "f", ptx "i.s64.f32", x == x)                   \
    CVT(static, wide_ulong##mode, ulong, "l", float, "f", ptx "i.u64.f32", x == x)                 \
    CVT(static, wide_int##mode, int, "r", double, "d", ptx "i.s32.f64", x == x)                    \
    CVT(static, wide_uint##mode, uint, "r", double, "d", ptx "i.u32.f64", x == x)                  \
    CVT(static, wide_long##mode, long, "l", double, "d", ptx "i.s64.f64", x == x)                  \
    CVT(static, wide_ulong##mode, ulong, "l", double, "d", ptx "i.u64.f64", x == x)
TO_WIDE(, "rz")
TO_WIDE(_rtz, "rz")
TO_WIDE(_rte, "rn")
TO_WIDE(_rtp, "rp")
TO_WIDE(_rtn, "rm")

/* A conversion carries its width in its name; halves of a vector are converted on their own. */
#define WIDER(to, from, suffix)                                                                    \
    PURE to##2 convert_##to##2##suffix(from##2 x)                                                  \
    {                                                                                              \
        return (to##2)(convert_##to##suffix(x.lo), convert_##to##suffix(x.hi));                    \
    }                                                                                              \
    PURE to##3 convert_##to##3##suffix(from##3 x)                                                  \
    {                                                                                              \
        return (to##3)(convert_##to##2##suffix(x.xy), convert_##to##suffix(x.z));                  \
    }                                                                                              \
    PURE to##4 convert_##to##4##suffix(from##4 x)                                                  \
    {                                                                                              \
        return (to##4)(convert_##to##2##suffix(x.lo), convert_##to##2##suffix(x.hi));              \
    }                                                                                              \
    PURE to##8 convert_##to##8##suffix(from##8 x)                                                  \
    {                                                                                              \
        return (to##8)(convert_##to##4##suffix(x.lo), convert_##to##4##suffix(x.hi));              \
    }                                                                                              \
    PURE to##16 convert_##to##16##suffix(from##16 x)                                               \
    {                                                                                              \
        return (to##16)(convert_##to##8##suffix(x.lo), convert_##to##8##suffix(x.hi));             \
    }

#define SATURATED(to, wide, low, high, from, mode)                                                 \
    PURE to convert_##to##_sat##mode(from x)                                                       \
    {                                                                                              \
        return (to)clamp(wide_##wide##mode(x), (wide)low, (wide)high);                             \
    }                                                                                              \
    WIDER(to, from, _sat##mode)
#define SATURATED_ALL(from, mode)                                                                  \
    SATURATED(char, int, CHAR_MIN, CHAR_MAX, from, mode)                                           \
    SATURATED(uchar, uint, 0, UCHAR_MAX, from, mode)                                               \
    SATURATED(short, int, SHRT_MIN, SHRT_MAX, from, mode)                                          \
    SATURATED(ushort, uint, 0, USHRT_MAX, from, mode)                                              \
    SATURATED(int, int, INT_MIN, INT_MAX, from, mode)                                              \
    SATURATED(uint, uint, 0, UINT_MAX, from, mode)                                                 \
    SATURATED(long, long, LONG_MIN, LONG_MAX, from, mode)                                          \
    SATURATED(ulong, ulong, 0, ULONG_MAX, from, mode)
#define SATURATED_MODES(from)                                                                      \
    SATURATED_ALL(from, )                                                                          \
    SATURATED_ALL(from, _rtz)                                                                      \
    SATURATED_ALL(from, _rte)                                                                      \
    SATURATED_ALL(from, _rtp)                                                                      \
    SATURATED_ALL(from, _rtn)
SATURATED_MODES(float)
SATURATED_MODES(double)

/* --- To real, in a direction --- */

#define DIRECTED(to, to_letter, from, from_letter, types, mode)                                    \
    CVT(, convert_##to##mode, to, to_letter, from, from_letter, types, true)                       \
    WIDER(to, from, mode)
#define DIRECTED_ALL(mode, ptx)                                                                    \
    DIRECTED(float, "f", int, "r", ptx ".f32.s32", mode)                                           \
    DIRECTED(float, "f", uint, "r", ptx ".f32.u32", mode)                                          \
    DIRECTED(float, "f", long, "l", ptx ".f32.s64", mode)                                          \
    DIRECTED(float, "f", ulong, "l", ptx ".f32.u64", mode)                                         \
    DIRECTED(float, "f", double, "d", ptx ".f32.f64", mode)                                        \
    DIRECTED(double, "d", long, "l", ptx ".f64.s64", mode)                                         \
    DIRECTED(double, "d", ulong, "l", ptx ".f64.u64", mode)
DIRECTED_ALL(_rtz, "rz")
DIRECTED_ALL(_rtp, "rp")
DIRECTED_ALL(_rtn, "rm")

/* --- Stores as half --- */

#define TO_HALF(mode, ptx)                                                                         \
    CVT(static, half_bits##mode, ushort, "h", float, "f", ptx ".f16.f32", true)                    \
    CVT(static, half_bits##mode, ushort, "h", double, "d", ptx ".f16.f64", true)                   \
    V_UNARY(ushort, half_bits##mode, float)                                                        \
    V_UNARY(ushort, half_bits##mode, double)
TO_HALF(, "rn")
TO_HALF(_rte, "rn")
TO_HALF(_rtz, "rz")
TO_HALF(_rtp, "rp")
TO_HALF(_rtn, "rm")

/* The aligned form of three lies four apart. */
#define STORE_N(n, apart, from, mode, space)                                                       \
    OVERLOAD void vstore_half##n##mode(from##n x, size_t i, space half *p)                         \
    {                                                                                              \
        vstore##n(half_bits##mode(x), i, (space ushort *)p);                                       \
    }                                                                                              \
    OVERLOAD void vstorea_half##n##mode(from##n x, size_t i, space half *p)                        \
    {                                                                                              \
        vstore##n(half_bits##mode(x), 0, (space ushort *)p + apart * i);                           \
    }
#define STORES(from, mode, space)                                                                  \
    OVERLOAD void vstore_half##mode(from x, size_t i, space half *p)                               \
    {                                                                                              \
        ((space ushort *)p)[i] = half_bits##mode(x);                                               \
    }                                                                                              \
    STORE_N(2, 2, from, mode, space)                                                               \
    STORE_N(3, 4, from, mode, space)                                                               \
    STORE_N(4, 4, from, mode, space)                                                               \
    STORE_N(8, 8, from, mode, space)                                                               \
    STORE_N(16, 16, from, mode, space)
#define STORES_ALL(from, space)                                                                    \
    STORES(from, , space)                                                                          \
    STORES(from, _rte, space)                                                                      \
    STORES(from, _rtz, space)                                                                      \
    STORES(from, _rtp, space)                                                                      \
    STORES(from, _rtn, space)
STORES_ALL(float, __global)
STORES_ALL(float, __local)
STORES_ALL(float, __private)
STORES_ALL(double, __global)
STORES_ALL(double, __local)
STORES_ALL(double, __private)
