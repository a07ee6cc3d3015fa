/* Shared by loads and stores of a warp: the lanes' addresses, their pattern, whether they are
 * allowed, and moving elements between memory and a row. */
#ifndef HEDDLE_EMU_VEC_ACCESS_H
#define HEDDLE_EMU_VEC_ACCESS_H

#include <string.h>

#include "emu/vec.h"

/* Computes the lanes' addresses into emu->last. Lanes outside the mask get arbitrary values. */
static inline void vec_find_addresses(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu_access *last = &w->emu->last;
    uint64_t *restrict address = last->address, offset = (uint64_t)op->imm;
    last->mask = mask;
    last->shape = SCATTERED;
    if (op->flags & OP_ADDR32) {
        const uint32_t *restrict base = warp_row(w, op->a);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = (uint32_t)(base[i] + (uint32_t)offset);
    } else {
        const uint64_t *restrict base = warp_row(w, op->a);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = base[i] + offset;
    }
}

/* Is each lane of a full warp at that distance above the previous one? The two ends tell whether
 * the others are worth checking. */
static inline bool vec_are_apart_by(const uint64_t *address, uint64_t step)
{
    uint64_t expected = address[0], unlike = 0;
    if (address[WARP_LANES - 1] - expected != step * (WARP_LANES - 1))
        return false;
    for (uint32_t i = 0; i < WARP_LANES; i++, expected += step)
        unlike |= address[i] ^ expected;
    return !unlike;
}

/* Is [address, address + bytes) inside the range, and aligned? */
static inline bool vec_in_range(const struct mem_range *r, uint64_t address, uint64_t bytes,
                                uint32_t align)
{
    uint64_t offset = address - r->start;
    return offset < r->bytes && bytes <= r->bytes - offset && !(address & (align - 1));
}

/* The same for all lanes of the mask at once. An error in a lane makes a difference negative; only
 * its top bit counts, and only if the lane's mask bit, shifted there, is set. */
static inline bool vec_all_in_range(const struct mem_range *r, const uint64_t *address,
                                    uint32_t mask, uint32_t bytes)
{
    if (r->bytes < bytes || r->bytes > INT64_MAX)
        return false;
    uint64_t last = r->bytes - bytes, bad = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t offset = address[i] - r->start, askew = address[i] & (bytes - 1);
        bad |= (offset | (last - offset) | (0 - askew)) & (uint64_t)mask << (63 - i);
    }
    return !(bad >> 63);
}

/* Pointers for all lanes of the mask; false after a fault. Slow: looks up each lane. */
static bool vec_find_pointers(struct emu_warp *w, const struct op *op, uint32_t mask,
                              uint32_t bytes, enum ptx_space space, char **pointer)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        pointer[i] = lane_pointer(w, op, i, w->emu->last.address[i], bytes, space);
        if (!pointer[i])
            return false;
    }
    return true;
}

/* --- moving one element between memory and a row --- */

static inline uint64_t vec_read_element(const char *p, uint32_t width)
{
    uint64_t v = 0;
    switch (width) {
    case 1:
        return *(const uint8_t *)p;
    case 2: {
        uint16_t h;
        memcpy(&h, p, 2);
        return h;
    }
    case 4: {
        uint32_t h;
        memcpy(&h, p, 4);
        return h;
    }
    default:
        memcpy(&v, p, 8);
        return v;
    }
}

static inline void vec_write_element(char *p, uint32_t width, uint64_t v)
{
    memcpy(p, &v, width); /* hosts are little-endian, like devices */
}

/* A loaded value as its register holds it: extended to the register's width. */
static inline uint64_t vec_extend(const struct op *op, uint64_t v)
{
    if (op->flags & OP_SIGNED) {
        uint32_t unused = 64 - op->width * 8u;
        v = (uint64_t)((int64_t)(v << unused) >> unused);
    }
    return op->flags & OP_DST16 ? (uint16_t)v : v;
}

static inline void vec_put_lane(void *row, const struct op *op, uint32_t i, uint64_t v)
{
    v = vec_extend(op, v);
    if (op->flags & OP_DST64)
        ((uint64_t *)row)[i] = v;
    else
        ((uint32_t *)row)[i] = (uint32_t)v;
}

static inline uint64_t vec_get_lane(const void *row, const struct op *op, uint32_t i)
{
    return op->flags & OP_SRC64 ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
}

/* Does a row have the same layout as memory? */
static inline bool vec_same_layout(const struct op *op)
{
    bool wide = op->flags & (OP_DST64 | OP_SRC64);
    return op->vec == 1 && (op->width == 8 ? wide : op->width == 4 && !wide);
}

static inline void vec_count_bytes(uint64_t *counter, uint32_t mask, uint32_t bytes)
{
    *counter += (uint64_t)(uint32_t)__builtin_popcount(mask) * bytes;
}

#endif
