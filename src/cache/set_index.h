/* From a line's address to its set.
 *
 * Linear: line number mod sets. Hashed indices need a power of two of sets. With 128-byte lines and
 * 32 or 64 sets this is the function measured on Fermi's L1D (C. Nugteren et al.: A Detailed GPU
 * Cache Model Based on Reuse Distance Theory, HPCA 2014), which GPGPU-Sim's Fermi configurations
 * use:
 *     set bits 0-4 = address bits 7-11 xor address bits 13, 14, 15, 17, 19
 *     set bit 5    = address bit 12 (64 sets)
 * For all other shapes the line number is cut into pieces as wide as a set number, which are xored.
 *
 * Inline, because every access needs a set; set_index_many() is faster for many lines. */
#ifndef HEDDLE_CACHE_SET_INDEX_H
#define HEDDLE_CACHE_SET_INDEX_H

#include <stdint.h>

/* XOR_16: XOR_FOLD with 16 sets, so that the number of folds is known at compile time. */
enum set_index_kind { SET_LINEAR_MASK, SET_LINEAR_MODULO, SET_FERMI, SET_XOR_FOLD, SET_XOR_16 };

struct set_indexer {
    enum set_index_kind kind;
    uint32_t n_sets, set_bits, line_shift;
    uint32_t fold_bits; /* width of the first pieces: set_bits doubled until 32 or more */
};

struct set_indexer set_indexer_make(uint32_t n_sets, uint32_t line_bytes, uint32_t index);
/* Computes the sets of `n` lines. */
void set_index_many(const struct set_indexer *x, const uint64_t *lines, uint32_t n, uint32_t *sets);

static inline uint32_t set_index_fermi(uint64_t address, uint32_t n_sets)
{
    uint64_t low = address >> 7 & 31;
    uint64_t high = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
    uint64_t top = n_sets == 64 ? (address >> 12 & 1) << 5 : 0;
    return (uint32_t)((low ^ high) | top);
}

/* Xors the two halves until the rest is as wide as a set number. */
static inline uint32_t set_index_folded(const struct set_indexer *x, uint64_t number)
{
    for (uint32_t bits = x->fold_bits; bits >= x->set_bits; bits >>= 1)
        number ^= number >> bits;
    return (uint32_t)number & (x->n_sets - 1);
}

static inline uint32_t set_index_folded_16(uint64_t number)
{
    number ^= number >> 32;
    number ^= number >> 16;
    number ^= number >> 8;
    number ^= number >> 4;
    return (uint32_t)number & 15;
}

/* The set of a line by its line number. */
static inline uint32_t set_index_of_number(const struct set_indexer *x, uint64_t line,
                                           uint64_t number)
{
    if (x->kind == SET_LINEAR_MASK) /* most common first */
        return (uint32_t)number & (x->n_sets - 1);
    if (x->kind == SET_XOR_16)
        return set_index_folded_16(number);
    if (x->kind == SET_FERMI)
        return set_index_fermi(line, x->n_sets);
    if (x->kind == SET_LINEAR_MODULO)
        return (uint32_t)(number % x->n_sets);
    return set_index_folded(x, number);
}

static inline uint32_t set_index_of(const struct set_indexer *x, uint64_t line)
{
    return set_index_of_number(x, line, line >> x->line_shift);
}

#endif
