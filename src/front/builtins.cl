/* Heddle's OpenCL built-in library: what libclc's NVPTX library lacks, gets wrong, or has in a form
 * that the NVPTX back end cannot select. It is linked before libclc, so its definitions win; what
 * it calls itself (mul_hi, ...) comes from libclc. conversions.cl, math.cl and images.cl continue
 * this text.
 *
 * The launcher tells a kernel about the launch through %envreg registers, as NVIDIA's OpenCL does
 * for the offset: %envreg3, 4, 5 hold the global offset in x, y, z; %envreg6 holds the number of
 * work dimensions. %envreg0..2 are reserved.
 *
 * Work-item numbers are computed in 32 bits, like NVIDIA's compiler does: a range of more than
 * 2^32 work-items in one dimension cannot be launched. */

#define OVERLOAD __attribute__((overloadable, always_inline))
#define PURE __attribute__((overloadable, always_inline, const))

/* --- Work-items --- */

#define ENVREG(n)                                                                                  \
    ({                                                                                             \
        uint value_;                                                                               \
        __asm__("mov.u32 %0, %%envreg" #n ";" : "=r"(value_));                                     \
        value_;                                                                                    \
    })

#define BY_DIMENSION(name, x, y, z, beyond)                                                        \
    PURE size_t name(uint dimension)                                                               \
    {                                                                                              \
        switch (dimension) {                                                                       \
        case 0:                                                                                    \
            return (uint)(x);                                                                      \
        case 1:                                                                                    \
            return (uint)(y);                                                                      \
        case 2:                                                                                    \
            return (uint)(z);                                                                      \
        default:                                                                                   \
            return beyond;                                                                         \
        }                                                                                          \
    }

#define SREG(name) (uint) __nvvm_read_ptx_sreg_##name()
#define GLOBAL_ID(axis, offset) SREG(ctaid_##axis) * SREG(ntid_##axis) + SREG(tid_##axis) + (offset)

BY_DIMENSION(get_local_id, SREG(tid_x), SREG(tid_y), SREG(tid_z), 0)
BY_DIMENSION(get_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)
BY_DIMENSION(get_group_id, SREG(ctaid_x), SREG(ctaid_y), SREG(ctaid_z), 0)
BY_DIMENSION(get_num_groups, SREG(nctaid_x), SREG(nctaid_y), SREG(nctaid_z), 1)
BY_DIMENSION(get_global_size, SREG(nctaid_x) * SREG(ntid_x), SREG(nctaid_y) * SREG(ntid_y),
             SREG(nctaid_z) * SREG(ntid_z), 1)
BY_DIMENSION(get_global_offset, ENVREG(3), ENVREG(4), ENVREG(5), 0)
BY_DIMENSION(get_global_id, GLOBAL_ID(x, ENVREG(3)), GLOBAL_ID(y, ENVREG(4)),
             GLOBAL_ID(z, ENVREG(5)), 0)

PURE uint get_work_dim(void)
{
    return ENVREG(6);
}

/* --- Barriers and fences --- */

/* LLVM 14 assumes that intrinsics, barriers among them, write no __local variable whose address
 * does not escape, and so moves loads of such variables before a barrier. It moves nothing across
 * an asm statement that clobbers memory; this one is no instruction. */
#define COMPILER_FENCE() __asm__ volatile("" ::: "memory")

OVERLOAD void barrier(cl_mem_fence_flags flags)
{
    COMPILER_FENCE();
    __syncthreads();
}

#define FENCE(name)                                                                                \
    OVERLOAD void name(cl_mem_fence_flags flags)                                                   \
    {                                                                                              \
        COMPILER_FENCE();                                                                          \
        if (flags & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))                                  \
            __nvvm_membar_cta();                                                                   \
    }
FENCE(mem_fence)
FENCE(read_mem_fence)
FENCE(write_mem_fence)

/* --- What a program built as OpenCL C 2.0 or 3.0 calls besides --- */

BY_DIMENSION(get_enqueued_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)

PURE size_t get_local_linear_id(void)
{
    return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}

PURE size_t get_global_linear_id(void)
{
    size_t plane = (GLOBAL_ID(z, 0)) * get_global_size(1) + (GLOBAL_ID(y, 0));
    return plane * get_global_size(0) + (GLOBAL_ID(x, 0));
}

OVERLOAD void work_group_barrier(cl_mem_fence_flags flags)
{
    barrier(flags);
}

/* The name alone matters: it is part of the function's. */
typedef enum memory_scope { memory_scope_of_ours } memory_scope;

OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    barrier(flags);
}

/* --- One function for every vector width, component by component --- */

#define V_UNARY(result, f, a)                                                                      \
    PURE result##2 f(a##2 x) { return (result##2)(f(x.lo), f(x.hi)); }                             \
    PURE result##3 f(a##3 x) { return (result##3)(f(x.xy), f(x.z)); }                              \
    PURE result##4 f(a##4 x) { return (result##4)(f(x.lo), f(x.hi)); }                             \
    PURE result##8 f(a##8 x) { return (result##8)(f(x.lo), f(x.hi)); }                             \
    PURE result##16 f(a##16 x) { return (result##16)(f(x.lo), f(x.hi)); }

#define V_BINARY(t, f)                                                                             \
    PURE t##2 f(t##2 x, t##2 y) { return (t##2)(f(x.lo, y.lo), f(x.hi, y.hi)); }                   \
    PURE t##3 f(t##3 x, t##3 y) { return (t##3)(f(x.xy, y.xy), f(x.z, y.z)); }                     \
    PURE t##4 f(t##4 x, t##4 y) { return (t##4)(f(x.lo, y.lo), f(x.hi, y.hi)); }                   \
    PURE t##8 f(t##8 x, t##8 y) { return (t##8)(f(x.lo, y.lo), f(x.hi, y.hi)); }                   \
    PURE t##16 f(t##16 x, t##16 y) { return (t##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }

/* --- Approximate functions: the GPU's special function unit --- */

#define APPROX(instruction, x)                                                                     \
    ({                                                                                             \
        float result_;                                                                             \
        __asm__(instruction ".approx.f32 %0, %1;" : "=f"(result_) : "f"(x));                       \
        result_;                                                                                   \
    })

static PURE float approx_divide(float x, float y)
{
    float result;
    __asm__("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
    return result;
}

/* For divisors of any size. */
static PURE float full_divide(float x, float y)
{
    float result;
    __asm__("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
    return result;
}

#define UNARY(f, expression)                                                                       \
    PURE float f(float x) { return expression; }                                                   \
    V_UNARY(float, f, float)
#define BINARY(f, expression)                                                                      \
    PURE float f(float x, float y) { return expression; }                                          \
    V_BINARY(float, f)

UNARY(native_exp2, APPROX("ex2", x))
UNARY(native_exp, APPROX("ex2", x *M_LOG2E_F))
UNARY(native_exp10, APPROX("ex2", x *(M_LN10_F * M_LOG2E_F)))
UNARY(native_log2, APPROX("lg2", x))
UNARY(native_log, APPROX("lg2", x) * M_LN2_F)
UNARY(native_log10, APPROX("lg2", x) * (M_LN2_F * M_LOG10E_F))
UNARY(native_sin, APPROX("sin", x))
UNARY(native_cos, APPROX("cos", x))
UNARY(native_tan, approx_divide(APPROX("sin", x), APPROX("cos", x)))
UNARY(native_recip, APPROX("rcp", x))
UNARY(native_rsqrt, APPROX("rsqrt", x))
UNARY(native_sqrt, APPROX("sqrt", x))
BINARY(native_divide, approx_divide(x, y))
BINARY(native_powr, APPROX("ex2", y *APPROX("lg2", x)))

/* half_* must be right to 8192 ulp. The unit's sine, cosine and logarithm have a bounded absolute
 * error, which is too much near their zeros, so those stay libclc's. */
UNARY(half_exp2, APPROX("ex2", x))
UNARY(half_exp, APPROX("ex2", x *M_LOG2E_F))
UNARY(half_exp10, APPROX("ex2", x *(M_LN10_F * M_LOG2E_F)))
UNARY(half_recip, APPROX("rcp", x))
UNARY(half_rsqrt, APPROX("rsqrt", x))
UNARY(half_sqrt, APPROX("sqrt", x))
BINARY(half_divide, full_divide(x, y))

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
