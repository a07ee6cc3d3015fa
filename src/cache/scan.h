/* Searches a row of numbers SCAN_STEP at a time: in one step if the host has vectors of four, else
 * one by one. */
#ifndef HEDDLE_CACHE_SCAN_H
#define HEDDLE_CACHE_SCAN_H

#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { SCAN_STEP = 4, SCAN_NONE = -2 };

#ifdef __AVX2__

/* A mask of those equal to `x`. */
static inline uint32_t scan_equal(const uint64_t *row, uint64_t x)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)row);
    __m256i equal = _mm256_cmpeq_epi64(all, _mm256_set1_epi64x((long long)x));
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}

static inline __m256i scan_lesser(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* The first position of the least number that is not in the mask `except`, ignoring INT64_MAX;
 * SCAN_NONE if there is none. No number exceeds INT64_MAX. */
static inline int scan_least(const uint64_t *row, uint64_t except)
{
    const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1);
    __m256i set = _mm256_and_si256(_mm256_set1_epi64x((long long)except), bits);
    __m256i left_out = _mm256_srli_epi64(_mm256_cmpeq_epi64(set, bits), 1);
    __m256i all = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)row), left_out);
    __m256i two = scan_lesser(all, _mm256_permute4x64_epi64(all, 0x4e));
    __m256i one = scan_lesser(two, _mm256_shuffle_epi32(two, 0x4e));
    int least = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(all, one)));
    if (_mm_cvtsi128_si64(_mm256_castsi256_si128(one)) == INT64_MAX)
        return SCAN_NONE;
    return __builtin_ctz((unsigned)least);
}

#else

static inline uint32_t scan_equal(const uint64_t *row, uint64_t x)
{
    uint32_t mask = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < SCAN_STEP; i++)
        mask |= (uint32_t)(row[i] == x) << i;
    return mask;
}

static inline int scan_least(const uint64_t *row, uint64_t except)
{
    uint64_t least = INT64_MAX;
    int place = SCAN_NONE;
#pragma GCC unroll 4
    for (int i = 0; i < SCAN_STEP; i++)
        if (row[i] < least && !(except >> i & 1)) {
            least = row[i];
            place = i;
        }
    return place;
}

#endif

#endif
