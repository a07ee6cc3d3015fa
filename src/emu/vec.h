/* Shared by the files that are compiled once per host vector variant. */
#ifndef HEDDLE_EMU_VEC_H
#define HEDDLE_EMU_VEC_H

#include "emu/warp.h"

/* [0] under a mask, [1] all live lanes; NULL if another table has the operation. */
typedef op_fn vec_table[N_EXEC][2];

#define VEC_PASTE2(a, b) a##_##b
#define VEC_PASTE(a, b)  VEC_PASTE2(a, b)
#define VEC_NAME(table)  VEC_PASTE(table, HEDDLE_VEC)

/* Runs a warp until it stops or has executed `slice` operations. Returns how many it executed. */
#define VEC_VARIANT_TABLES(variant)                                                                \
    extern const vec_table vec_alu_##variant, vec_mem_##variant, vec_sreg_##variant;               \
    uint64_t vec_run_##variant(struct emu_warp *w, uint64_t slice);
VEC_VARIANT_TABLES(generic)
#if defined(__x86_64__)
VEC_VARIANT_TABLES(avx2)
VEC_VARIANT_TABLES(avx512)
#endif

static inline uint32_t vec_combine(uint8_t mod, uint32_t a, uint32_t b)
{
    switch (mod) {
    case PTX_MOD_BOOL_AND:
        return a & b;
    case PTX_MOD_BOOL_OR:
        return a | b;
    case PTX_MOD_BOOL_XOR:
        return a ^ b;
    default:
        return a;
    }
}

/* Writes the same value to every lane of the mask. */
static inline void vec_broadcast(void *row, const struct op *op, uint32_t mask, uint64_t v)
{
    if (op->flags & OP_DST64) {
        uint64_t *d = row;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            d[i] = mask >> i & 1 ? v : d[i];
    } else {
        uint32_t *d = row;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            d[i] = mask >> i & 1 ? (uint32_t)v : d[i];
    }
}

/* Counts a division by zero and, if the run is strict, stops the warp. */
void emu_divided_by_zero(struct emu_warp *w, uint32_t lanes);

#endif
