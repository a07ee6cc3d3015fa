/* CUDA's warp operations. The forms without a mask of members, which CUDA 9 gave up, mean the
 * whole warp. */
#pragma once

__HEDDLE__ void __syncwarp(unsigned mask = 0xffffffff)
{
    __HEDDLE_COMPILER_FENCE();
    __nvvm_bar_warp_sync(mask);
}
__HEDDLE__ unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
__HEDDLE__ unsigned __lane_id()
{
    return __nvvm_read_ptx_sreg_laneid();
}

/* --- Votes --- */

__HEDDLE__ unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
__HEDDLE__ int __all_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
__HEDDLE__ int __any_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
__HEDDLE__ int __uni_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate);
}
__HEDDLE__ unsigned __ballot(int predicate)
{
    return __nvvm_vote_ballot(predicate);
}
__HEDDLE__ int __all(int predicate)
{
    return __nvvm_vote_all(predicate);
}
__HEDDLE__ int __any(int predicate)
{
    return __nvvm_vote_any(predicate);
}

/* --- Shuffles --- */

/* The last operand holds the segment's mask and the lane a source may not pass: the last one for
 * all but up, which stops at the first. */
#define __HEDDLE_SHUFFLE_WORD(name, instruction, lane_type, limit)                                 \
    __HEDDLE__ unsigned __heddle_##name(unsigned mask, unsigned value, lane_type lane, int width)  \
    {                                                                                              \
        unsigned result, segment = (unsigned)(32 - width) << 8 | limit;                            \
        asm volatile("shfl.sync." instruction ".b32 %0, %1, %2, %3, %4;"                           \
                     : "=r"(result)                                                                \
                     : "r"(value), "r"(lane), "r"(segment), "r"(mask));                            \
        return result;                                                                             \
    }
__HEDDLE_SHUFFLE_WORD(shfl, "idx", int, 31)
__HEDDLE_SHUFFLE_WORD(shfl_up, "up", unsigned, 0)
__HEDDLE_SHUFFLE_WORD(shfl_down, "down", unsigned, 31)
__HEDDLE_SHUFFLE_WORD(shfl_xor, "bfly", int, 31)

#define __HEDDLE_SHUFFLE_TYPE(name, lane_type, t)                                                  \
    __HEDDLE__ t __##name##_sync(unsigned mask, t value, lane_type lane, int width = 32)           \
    {                                                                                              \
        unsigned words[sizeof(t) / 4];                                                             \
        __builtin_memcpy(words, &value, sizeof value);                                             \
        for (unsigned i = 0; i < sizeof(t) / 4; i++)                                               \
            words[i] = __heddle_##name(mask, words[i], lane, width);                               \
        __builtin_memcpy(&value, words, sizeof value);                                             \
        return value;                                                                              \
    }                                                                                              \
    __HEDDLE__ t __##name(t value, lane_type lane, int width = 32)                                 \
    {                                                                                              \
        return __##name##_sync(0xffffffff, value, lane, width);                                    \
    }
#define __HEDDLE_SHUFFLE(t)                                                                        \
    __HEDDLE_SHUFFLE_TYPE(shfl, int, t)                                                            \
    __HEDDLE_SHUFFLE_TYPE(shfl_up, unsigned, t)                                                    \
    __HEDDLE_SHUFFLE_TYPE(shfl_down, unsigned, t)                                                  \
    __HEDDLE_SHUFFLE_TYPE(shfl_xor, int, t)
__HEDDLE_SHUFFLE(int)
__HEDDLE_SHUFFLE(unsigned)
__HEDDLE_SHUFFLE(long)
__HEDDLE_SHUFFLE(unsigned long)
__HEDDLE_SHUFFLE(long long)
__HEDDLE_SHUFFLE(unsigned long long)
__HEDDLE_SHUFFLE(float)
__HEDDLE_SHUFFLE(double)

/* --- Match and reduce --- */

#define __HEDDLE_MATCH(t, letter, type)                                                            \
    __HEDDLE__ unsigned __match_any_sync(unsigned mask, t value)                                   \
    {                                                                                              \
        unsigned same;                                                                             \
        asm volatile("match.any.sync." type " %0, %1, %2;"                                         \
                     : "=r"(same)                                                                  \
                     : letter(value), "r"(mask));                                                  \
        return same;                                                                               \
    }                                                                                              \
    __HEDDLE__ unsigned __match_all_sync(unsigned mask, t value, int *all_same)                    \
    {                                                                                              \
        unsigned same;                                                                             \
        asm volatile("{ .reg .pred %%p;\n\t"                                                       \
                     "match.all.sync." type " %0|%%p, %2, %3;\n\t"                                 \
                     "selp.s32 %1, 1, 0, %%p; }"                                                   \
                     : "=r"(same), "=r"(*all_same)                                                 \
                     : letter(value), "r"(mask));                                                  \
        return same;                                                                               \
    }
__HEDDLE_MATCH(int, "r", "b32")
__HEDDLE_MATCH(unsigned, "r", "b32")
__HEDDLE_MATCH(long long, "l", "b64")
__HEDDLE_MATCH(unsigned long long, "l", "b64")
__HEDDLE__ unsigned __match_any_sync(unsigned mask, float value)
{
    return __match_any_sync(mask, __float_as_uint(value));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __HEDDLE_REDUCE(name, t, instruction)                                                      \
    __HEDDLE__ t name(unsigned mask, t value)                                                      \
    {                                                                                              \
        t result;                                                                                  \
        asm volatile("redux.sync." instruction " %0, %1, %2;"                                      \
                     : "=r"(result)                                                                \
                     : "r"(value), "r"(mask));                                                     \
        return result;                                                                             \
    }
__HEDDLE_REDUCE(__reduce_add_sync, int, "add.s32")
__HEDDLE_REDUCE(__reduce_add_sync, unsigned, "add.u32")
__HEDDLE_REDUCE(__reduce_min_sync, int, "min.s32")
__HEDDLE_REDUCE(__reduce_min_sync, unsigned, "min.u32")
__HEDDLE_REDUCE(__reduce_max_sync, int, "max.s32")
__HEDDLE_REDUCE(__reduce_max_sync, unsigned, "max.u32")
__HEDDLE_REDUCE(__reduce_and_sync, unsigned, "and.b32")
__HEDDLE_REDUCE(__reduce_or_sync, unsigned, "or.b32")
__HEDDLE_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#endif
