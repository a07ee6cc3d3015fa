/* The core of Heddle's OpenCL built-in library: work-items, barriers and approximate functions. It
 * needs nothing of libclc, so it suffices for programs that call nothing else; builtins.cl continues
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
