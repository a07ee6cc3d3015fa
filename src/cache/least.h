/* The position of the least number in a row, sixteen numbers at a time if the host has vectors of
 * eight. */
#ifndef HEDDLE_CACHE_LEAST_H
#define HEDDLE_CACHE_LEAST_H

#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef __AVX2__

static inline __m256i least_load(const uint32_t *row)
{
    return _mm256_loadu_si256((const __m256i *)row);
}

/* A mask of those of the next eight numbers that equal the corresponding one in `eight`. */
static inline uint32_t least_equal(const uint32_t *row, __m256i eight)
{
    __m256i equal = _mm256_cmpeq_epi32(least_load(row), eight);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

/* The position of the least of `n` numbers, the first one if there are several; n is a multiple of
 * 16. */
static inline __attribute__((always_inline)) uint32_t least_of(const uint32_t *row, size_t n)
{
    __m256i a = least_load(row), b = least_load(row + 8);
#pragma GCC unroll 4
    for (size_t i = 16; i < n; i += 16) {
        a = _mm256_min_epu32(a, least_load(row + i));
        b = _mm256_min_epu32(b, least_load(row + i + 8));
    }
    a = _mm256_min_epu32(a, b);
    __m128i four = _mm_min_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    __m256i least = _mm256_broadcastd_epi32(_mm_min_epu32(two, _mm_shuffle_epi32(two, 0xb1)));
    size_t i = 0;
    uint32_t found;
    while (!(found = least_equal(row + i, least) | least_equal(row + i + 8, least) << 8))
        i += 16;
    return (uint32_t)i + (uint32_t)__builtin_ctz(found);
}

#else

static inline uint32_t least_of(const uint32_t *row, size_t n)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        least = row[i] < row[least] ? i : least;
    return least;
}

#endif

#endif
