/* The least of a row of numbers, eight at a time where the host has vectors of eight. */
#ifndef HEDDLE_CACHE_LEAST_H
#define HEDDLE_CACHE_LEAST_H

#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef __AVX2__

static inline __m256i least_load(const uint32_t *row)
{
    return _mm256_loadu_si256((const __m256i *)row);
}

/* Which of `n` it is, the first if there are several; n is a multiple of 8. */
static inline uint32_t least_of(const uint32_t *row, uint32_t n)
{
    __m256i eight = least_load(row);
    for (uint32_t i = 8; i < n; i += 8)
        eight = _mm256_min_epu32(eight, least_load(row + i));
    __m128i four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    __m256i least = _mm256_broadcastd_epi32(_mm_min_epu32(two, _mm_shuffle_epi32(two, 0xb1)));
    uint32_t i = 0;
    int found;
    while (!(found = _mm256_movemask_ps(
                 _mm256_castsi256_ps(_mm256_cmpeq_epi32(least_load(row + i), least)))))
        i += 8;
    return i + (uint32_t)__builtin_ctz((unsigned)found);
}

#else

static inline uint32_t least_of(const uint32_t *row, uint32_t n)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        least = row[i] < row[least] ? i : least;
    return least;
}

#endif

#endif
