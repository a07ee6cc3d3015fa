/* From a line's address to its set.
 *
 * Linear: line number mod sets. Hashed, for a power of two of sets: with 128-byte lines and 32 or
 * 64 sets the function measured on Fermi's L1D (C. Nugteren et al.: A Detailed GPU Cache Model
 * Based on Reuse Distance Theory, HPCA 2014), which GPGPU-Sim's Fermi configurations use:
 *     set bits 0-4 = address bits 7-11 xor address bits 13, 14, 15, 17, 19
 *     set bit 5    = address bit 12 (64 sets)
 * and for all other shapes the line number cut into pieces as wide as a set number, all xored. */
#ifndef HEDDLE_CACHE_SET_INDEX_H
#define HEDDLE_CACHE_SET_INDEX_H

#include <stdint.h>

enum set_index_kind { SET_LINEAR_MASK, SET_LINEAR_MODULO, SET_FERMI, SET_XOR_FOLD };

struct set_indexer {
    enum set_index_kind kind;
    uint32_t n_sets, set_bits, line_shift;
};

struct set_indexer set_indexer_make(uint32_t n_sets, uint32_t line_bytes, uint32_t index);
uint32_t set_index_of(const struct set_indexer *x, uint64_t line);

#endif
