/* CUDA's barriers, fences, atomics, and loads and stores with a cache operator. */
#pragma once

/* --- Barriers and fences --- */

/* LLVM 14 assumes that intrinsics, barriers among them, write no __shared__ variable whose address
 * does not escape. It moves no loads across an asm statement that clobbers memory; this one is no
 * instruction. */
#define __HEDDLE_COMPILER_FENCE() __asm__ volatile("" ::: "memory")

__HEDDLE__ void __heddle_syncthreads()
{
    __HEDDLE_COMPILER_FENCE();
    __syncthreads();
}
#define __syncthreads() __heddle_syncthreads()

__HEDDLE__ int __syncthreads_count(int predicate)
{
    __HEDDLE_COMPILER_FENCE();
    return __nvvm_bar0_popc(predicate);
}
__HEDDLE__ int __syncthreads_and(int predicate)
{
    __HEDDLE_COMPILER_FENCE();
    return __nvvm_bar0_and(predicate);
}
__HEDDLE__ int __syncthreads_or(int predicate)
{
    __HEDDLE_COMPILER_FENCE();
    return __nvvm_bar0_or(predicate);
}
__HEDDLE__ void __threadfence_block()
{
    __HEDDLE_COMPILER_FENCE();
    __nvvm_membar_cta();
}
__HEDDLE__ void __threadfence()
{
    __HEDDLE_COMPILER_FENCE();
    __nvvm_membar_gl();
}
__HEDDLE__ void __threadfence_system()
{
    __HEDDLE_COMPILER_FENCE();
    __nvvm_membar_sys();
}

/* --- Atomics --- */

typedef unsigned long long __heddle_u64;

/* `scope` is "" for the GPU, cta_ or sys_; `suffix` what CUDA appends to the name for it. The
 * built-ins of narrower scopes are for 6.0 and later. */
#define __HEDDLE_ATOMIC(name, t, builtin, as)                                                      \
    __HEDDLE__ t name(t *p, t value) { return (t)__nvvm_atom_##builtin((as *)p, (as)value); }
#define __HEDDLE_ATOMIC_CAS(name, t, builtin, as)                                                  \
    __HEDDLE__ t name(t *p, t compare, t value)                                                    \
    {                                                                                              \
        return (t)__nvvm_atom_##builtin((as *)p, (as)compare, (as)value);                          \
    }

#define __HEDDLE_ATOMICS(suffix, scope)                                                            \
    __HEDDLE_ATOMIC(atomicAdd##suffix, int, scope##add_gen_i, int)                                 \
    __HEDDLE_ATOMIC(atomicAdd##suffix, unsigned, scope##add_gen_i, int)                            \
    __HEDDLE_ATOMIC(atomicAdd##suffix, __heddle_u64, scope##add_gen_ll, long long)                 \
    __HEDDLE_ATOMIC(atomicAdd##suffix, float, scope##add_gen_f, float)                             \
    __HEDDLE_ATOMIC(atomicExch##suffix, int, scope##xchg_gen_i, int)                               \
    __HEDDLE_ATOMIC(atomicExch##suffix, unsigned, scope##xchg_gen_i, int)                          \
    __HEDDLE_ATOMIC(atomicExch##suffix, __heddle_u64, scope##xchg_gen_ll, long long)               \
    __HEDDLE_ATOMIC(atomicMin##suffix, int, scope##min_gen_i, int)                                 \
    __HEDDLE_ATOMIC(atomicMin##suffix, unsigned, scope##min_gen_ui, unsigned)                      \
    __HEDDLE_ATOMIC(atomicMin##suffix, long long, scope##min_gen_ll, long long)                    \
    __HEDDLE_ATOMIC(atomicMin##suffix, __heddle_u64, scope##min_gen_ull, __heddle_u64)             \
    __HEDDLE_ATOMIC(atomicMax##suffix, int, scope##max_gen_i, int)                                 \
    __HEDDLE_ATOMIC(atomicMax##suffix, unsigned, scope##max_gen_ui, unsigned)                      \
    __HEDDLE_ATOMIC(atomicMax##suffix, long long, scope##max_gen_ll, long long)                    \
    __HEDDLE_ATOMIC(atomicMax##suffix, __heddle_u64, scope##max_gen_ull, __heddle_u64)             \
    __HEDDLE_ATOMIC(atomicInc##suffix, unsigned, scope##inc_gen_ui, unsigned)                      \
    __HEDDLE_ATOMIC(atomicDec##suffix, unsigned, scope##dec_gen_ui, unsigned)                      \
    __HEDDLE_ATOMIC(atomicAnd##suffix, int, scope##and_gen_i, int)                                 \
    __HEDDLE_ATOMIC(atomicAnd##suffix, unsigned, scope##and_gen_i, int)                            \
    __HEDDLE_ATOMIC(atomicAnd##suffix, __heddle_u64, scope##and_gen_ll, long long)                 \
    __HEDDLE_ATOMIC(atomicOr##suffix, int, scope##or_gen_i, int)                                   \
    __HEDDLE_ATOMIC(atomicOr##suffix, unsigned, scope##or_gen_i, int)                              \
    __HEDDLE_ATOMIC(atomicOr##suffix, __heddle_u64, scope##or_gen_ll, long long)                   \
    __HEDDLE_ATOMIC(atomicXor##suffix, int, scope##xor_gen_i, int)                                 \
    __HEDDLE_ATOMIC(atomicXor##suffix, unsigned, scope##xor_gen_i, int)                            \
    __HEDDLE_ATOMIC(atomicXor##suffix, __heddle_u64, scope##xor_gen_ll, long long)                 \
    __HEDDLE_ATOMIC_CAS(atomicCAS##suffix, int, scope##cas_gen_i, int)                             \
    __HEDDLE_ATOMIC_CAS(atomicCAS##suffix, unsigned, scope##cas_gen_i, int)                        \
    __HEDDLE_ATOMIC_CAS(atomicCAS##suffix, __heddle_u64, scope##cas_gen_ll, long long)             \
    __HEDDLE__ float atomicExch##suffix(float *p, float value)                                     \
    {                                                                                              \
        return __int_as_float(atomicExch##suffix((int *)p, __float_as_int(value)));                \
    }                                                                                              \
    __HEDDLE__ int atomicSub##suffix(int *p, int value) { return atomicAdd##suffix(p, -value); }   \
    __HEDDLE__ unsigned atomicSub##suffix(unsigned *p, unsigned value)                             \
    {                                                                                              \
        return atomicAdd##suffix(p, -value);                                                       \
    }

__HEDDLE_ATOMICS(, )
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__HEDDLE_ATOMICS(_block, cta_)
__HEDDLE_ATOMICS(_system, sys_)
/* Older GPUs lack it, and their programs bring their own. */
__HEDDLE_ATOMIC(atomicAdd, double, add_gen_d, double)
__HEDDLE_ATOMIC(atomicAdd_block, double, cta_add_gen_d, double)
__HEDDLE_ATOMIC(atomicAdd_system, double, sys_add_gen_d, double)
#endif

/* --- Read-only loads --- */

#define __HEDDLE_LDG(t, builtin, as)                                                               \
    __HEDDLE__ t __ldg(const t *p) { return (t)__nvvm_ldg_##builtin((const as *)p); }
__HEDDLE_LDG(char, c, char)
__HEDDLE_LDG(signed char, c, char)
__HEDDLE_LDG(unsigned char, uc, unsigned char)
__HEDDLE_LDG(short, s, short)
__HEDDLE_LDG(unsigned short, us, unsigned short)
__HEDDLE_LDG(int, i, int)
__HEDDLE_LDG(unsigned, ui, unsigned)
__HEDDLE_LDG(long, l, long)
__HEDDLE_LDG(unsigned long, ul, unsigned long)
__HEDDLE_LDG(long long, ll, long long)
__HEDDLE_LDG(unsigned long long, ull, unsigned long long)
__HEDDLE_LDG(float, f, float)
__HEDDLE_LDG(double, d, double)

#define __HEDDLE_LDG_VECTOR(t, n, builtin, element)                                                \
    __HEDDLE__ t##n __ldg(const t##n *p)                                                           \
    {                                                                                              \
        typedef element vector __attribute__((ext_vector_type(n)));                                \
        vector v = __nvvm_ldg_##builtin##n((const vector *)p);                                     \
        t##n result;                                                                               \
        __builtin_memcpy(&result, &v, sizeof result);                                              \
        return result;                                                                             \
    }
__HEDDLE_LDG_VECTOR(int, 2, i, int)
__HEDDLE_LDG_VECTOR(int, 4, i, int)
__HEDDLE_LDG_VECTOR(uint, 2, ui, unsigned)
__HEDDLE_LDG_VECTOR(uint, 4, ui, unsigned)
__HEDDLE_LDG_VECTOR(float, 2, f, float)
__HEDDLE_LDG_VECTOR(float, 4, f, float)
__HEDDLE_LDG_VECTOR(double, 2, d, double)
__HEDDLE_LDG_VECTOR(uchar, 4, uc, unsigned char)
__HEDDLE_LDG_VECTOR(char, 4, c, char)

/* --- Loads and stores with a cache operator --- */

#define __HEDDLE_CACHED_LOAD(name, operator, t, letter, type)                                      \
    __HEDDLE__ t name(const t *p)                                                                  \
    {                                                                                              \
        t value;                                                                                   \
        asm volatile("ld." operator "." type " %0, [%1];" : "=" letter(value) : "l"(p) : "memory");\
        return value;                                                                              \
    }
#define __HEDDLE_CACHED_STORE(name, operator, t, letter, type)                                     \
    __HEDDLE__ void name(t *p, t value)                                                            \
    {                                                                                              \
        asm volatile("st." operator "." type " [%0], %1;" ::"l"(p), letter(value) : "memory");     \
    }
#define __HEDDLE_CACHED(macro, name, operator)                                                     \
    macro(name, operator, int, "r", "s32")                                                         \
    macro(name, operator, unsigned, "r", "u32")                                                    \
    macro(name, operator, long long, "l", "s64")                                                   \
    macro(name, operator, unsigned long long, "l", "u64")                                          \
    macro(name, operator, float, "f", "f32")                                                       \
    macro(name, operator, double, "d", "f64")
__HEDDLE_CACHED(__HEDDLE_CACHED_LOAD, __ldca, "ca")
__HEDDLE_CACHED(__HEDDLE_CACHED_LOAD, __ldcg, "cg")
__HEDDLE_CACHED(__HEDDLE_CACHED_LOAD, __ldcs, "cs")
__HEDDLE_CACHED(__HEDDLE_CACHED_LOAD, __ldlu, "lu")
__HEDDLE_CACHED(__HEDDLE_CACHED_LOAD, __ldcv, "cv")
__HEDDLE_CACHED(__HEDDLE_CACHED_STORE, __stwb, "wb")
__HEDDLE_CACHED(__HEDDLE_CACHED_STORE, __stcg, "cg")
__HEDDLE_CACHED(__HEDDLE_CACHED_STORE, __stcs, "cs")
__HEDDLE_CACHED(__HEDDLE_CACHED_STORE, __stwt, "wt")

/* --- Textures: named only to be refused --- */

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };
template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
    static_assert(sizeof(T) == 0, "Heddle has no textures");
};
