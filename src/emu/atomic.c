/* Atomics and reductions. Performed at issue, in lane order. */
#include "emu/atomic.h"

#include <string.h>

#include "base/softfp.h"
#include "emu/vec.h"

#define EACH_LANE(i, mask)                                                                         \
    for (uint32_t m_ = (mask), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static uint64_t add_floats(const struct op *op, uint64_t a, uint64_t b)
{
    struct fp_mode nearest = {FP_RN, false, false};
    switch (op->type) {
    case PTX_F64:
        return fp_add(FP_F64, a, b, nearest);
    case PTX_F16:
        return fp_add(FP_F16, a, b, nearest);
    case PTX_BF16:
        return fp_add(FP_BF16, a, b, nearest);
    case PTX_F16X2:
    case PTX_BF16X2: {
        enum fp_format f = op->type == PTX_F16X2 ? FP_F16 : FP_BF16;
        return fp_add(f, a & 0xffff, b & 0xffff, nearest) |
               fp_add(f, a >> 16 & 0xffff, b >> 16 & 0xffff, nearest) << 16;
    }
    default: /* MODEL: atom.add.f32 on global memory flushes subnormals (PTX ISA, atom) */
        nearest.ftz = op->sub2 != PTX_SHARED;
        return fp_add(FP_F32, a, b, nearest);
    }
}

static bool less(const struct op *op, uint64_t a, uint64_t b)
{
    uint32_t unused = 64 - op->width * 8u;
    if (ptx_types[op->type].kind == 's')
        return (int64_t)(a << unused) < (int64_t)(b << unused);
    return a < b;
}

uint64_t atomic_result(const struct op *op, uint64_t old, uint64_t b, uint64_t c)
{
    uint64_t all = op->width == 8 ? ~0ull : (1ull << op->width * 8) - 1;
    b &= all;
    c &= all;
    switch (op->sub) {
    case PTX_MOD_ATOMOP_ADD:
        return ptx_types[op->type].kind == 'f' ? add_floats(op, old, b) : (old + b) & all;
    case PTX_MOD_ATOMOP_MIN:
        return less(op, b, old) ? b : old;
    case PTX_MOD_ATOMOP_MAX:
        return less(op, old, b) ? b : old;
    case PTX_MOD_ATOMOP_INC:
        return old >= b ? 0 : old + 1;
    case PTX_MOD_ATOMOP_DEC:
        return old == 0 || old > b ? b : old - 1;
    case PTX_MOD_ATOMOP_AND:
        return old & b;
    case PTX_MOD_ATOMOP_OR:
        return old | b;
    case PTX_MOD_ATOMOP_XOR:
        return old ^ b;
    case PTX_MOD_ATOMOP_CAS:
        return old == b ? c : old;
    default: /* EXCH */
        return b;
    }
}

static uint64_t row_value(const struct emu_warp *w, const struct op *op, uint32_t row, uint32_t i)
{
    return op->flags & OP_DST64 ? ((const uint64_t *)warp_row(w, row))[i]
                                : ((const uint32_t *)warp_row(w, row))[i];
}

static enum ptx_space lane_space(const struct op *op, uint64_t *address)
{
    if (op->sub2 != PTX_GENERIC)
        return op->sub2;
    if (*address >= GENERIC_LOCAL_END || *address < GENERIC_SHARED_BASE)
        return PTX_GLOBAL;
    if (*address >= GENERIC_LOCAL_BASE)
        return PTX_LOCAL; /* refused by lane_pointer() */
    *address -= GENERIC_SHARED_BASE;
    return PTX_SHARED;
}

static void find_addresses(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    const void *base = warp_row(w, op->a);
    w->emu->last.mask = mask;
    w->emu->last.shape = SCATTERED;
    EACH_LANE(i, mask)
    w->emu->last.address[i] = op->flags & OP_ADDR32
                                  ? (uint32_t)(((const uint32_t *)base)[i] + (uint32_t)op->imm)
                                  : ((const uint64_t *)base)[i] + (uint64_t)op->imm;
}

void atomic_finish(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t old)
{
    if (op->flags & OP_DST64)
        ((uint64_t *)warp_row(w, op->dst))[lane] = old;
    else
        ((uint32_t *)warp_row(w, op->dst))[lane] = (uint32_t)old;
}

void emu_x_ATOM_ANY(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu_atomic *later = &w->emu->atomic;
    find_addresses(w, op, mask);
    w->emu->stats->atomics += (uint32_t)__builtin_popcount(mask);
    later->op = op;
    later->mask = 0;
    EACH_LANE(i, mask)
    {
        uint64_t address = w->emu->last.address[i], old = 0;
        enum ptx_space space = lane_space(op, &address);
        char *p = lane_pointer(w, op, i, address, op->width, space);
        if (!p)
            return;
        uint64_t b = row_value(w, op, op->b, i), c = row_value(w, op, op->c, i);
        if (w->emu->overlay && space == PTX_GLOBAL) { /* the timing model decides when */
            later->mask |= 1u << i;
            later->b[i] = b;
            later->c[i] = c;
            continue;
        }
        struct op here = *op;
        here.sub2 = (uint8_t)space; /* the space that a generic address refers to */
        memcpy(&old, p, op->width);
        uint64_t v = atomic_result(&here, old, b, c);
        memcpy(p, &v, op->width);
        atomic_finish(w, op, i, old);
    }
}
