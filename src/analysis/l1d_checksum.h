/* A checksum of packed frames, for readers that skip some: zstd's own checksum covers the unpacked
 * data. It is fast and protects against accidents only. Each step is reversible, so a change of a
 * single word is always detected; other changes go undetected with probability 2^-64. */
#ifndef HEDDLE_ANALYSIS_L1D_CHECKSUM_H
#define HEDDLE_ANALYSIS_L1D_CHECKSUM_H

#include "analysis/l1d_format.h"

static inline uint64_t l1d_checksum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
    return sum ^ sum >> 32;
}

/* Extends a checksum by these bytes: words of 8, the last one padded with zeros, then the number of
 * bytes. */
static inline uint64_t l1d_checksum(uint64_t sum, const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    uint64_t word = 0;
    for (; n - at >= 8; at += 8)
        sum = l1d_checksum_word(sum, l1d_get_u64(bytes + at));
    for (size_t i = at; i < n; i++)
        word |= (uint64_t)bytes[i] << 8 * (i - at);
    if (at < n)
        sum = l1d_checksum_word(sum, word);
    return l1d_checksum_word(sum, n);
}

#endif
