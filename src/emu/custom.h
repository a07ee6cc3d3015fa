/* Shared by the files of rare operations: one lane at a time, values as bit patterns. */
#ifndef HEDDLE_EMU_CUSTOM_H
#define HEDDLE_EMU_CUSTOM_H

#include "base/softfp.h"
#include "emu/vec.h"

#define FN(id) void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask)
#define EACH_LANE(i, mask)                                                                         \
    for (uint32_t m_ = (mask), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static inline uint64_t custom_get(const struct emu_warp *w, uint32_t row, uint32_t lane, bool wide)
{
    return wide ? ((const uint64_t *)warp_row(w, row))[lane]
                : ((const uint32_t *)warp_row(w, row))[lane];
}

static inline void custom_put(struct emu_warp *w, uint32_t row, uint32_t lane, bool wide,
                              uint64_t v)
{
    if (wide)
        ((uint64_t *)warp_row(w, row))[lane] = v;
    else
        ((uint32_t *)warp_row(w, row))[lane] = (uint32_t)v;
}

static inline enum fp_format custom_format_of(uint8_t type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return FP_F16;
    case PTX_BF16:
    case PTX_BF16X2:
        return FP_BF16;
    case PTX_F64:
        return FP_F64;
    default:
        return FP_F32;
    }
}

static inline bool custom_is_pair(uint8_t type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

static inline struct fp_mode custom_mode_of(const struct op *op)
{
    return (struct fp_mode){(enum fp_round)op->round, op->flags & OP_FTZ, op->flags & OP_SAT};
}

static inline uint32_t custom_sign_bit(enum fp_format f)
{
    return f == FP_F64 ? 63 : f == FP_F32 ? 31 : 15;
}

static inline bool custom_sign_of(enum fp_format f, uint64_t a)
{
    return a >> custom_sign_bit(f) & 1;
}

static inline uint64_t custom_flush(enum fp_format f, uint64_t a)
{
    uint64_t exponent = f == FP_F16 ? 0x7c00 : 0x7f800000;
    return (f != FP_F32 && f != FP_F16) || (a & exponent) ? a : a & 1ull << custom_sign_bit(f);
}

#endif
