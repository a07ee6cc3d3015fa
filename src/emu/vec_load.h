/* Loads of a warp through a flat base pointer: from the memory image, patched with what the SM has
 * stored in this visibility period, or from a CTA's shared memory. Part of vec_mem.c. */
#ifndef HEDDLE_EMU_VEC_LOAD_H
#define HEDDLE_EMU_VEC_LOAD_H

#include "emu/vec_access.h"

/* For a compile-time width, one move per lane. */
#define GATHER(type, from)                                                                         \
    do {                                                                                           \
        type *row_ = row;                                                                          \
        if (mask == ~0u) {                                                                         \
            _Pragma("GCC unroll 8") for (uint32_t i = 0; i < WARP_LANES; i++) row_[i] =            \
                *(const type *)(from);                                                             \
        } else {                                                                                   \
            for (uint32_t m = mask; m; m &= m - 1) {                                               \
                uint32_t i = (uint32_t)__builtin_ctz(m);                                           \
                row_[i] = *(const type *)(from);                                                   \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static inline void vec_gather(struct emu_warp *w, const struct op *op, uint32_t mask,
                              const char *base)
{
    const uint64_t *address = w->emu->last.address;
    if (vec_same_layout(op)) {
        void *row = warp_row(w, op->dst);
        if (op->width == 4)
            GATHER(uint32_t, base + address[i]);
        else
            GATHER(uint64_t, base + address[i]);
        return;
    }
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t e = 0; e < op->vec; e++) {
        void *row = warp_row(w, rows[e]);
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            vec_put_lane(row, op, i,
                         vec_read_element(base + address[i] + e * op->width, op->width));
        }
    }
}

static void vec_gather_slowly(struct emu_warp *w, const struct op *op, uint32_t mask,
                              char **pointer)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t e = 0; e < op->vec; e++) {
        void *row = warp_row(w, rows[e]);
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            vec_put_lane(row, op, i, vec_read_element(pointer[i] + e * op->width, op->width));
        }
    }
}

/* 32 bytes of any type and alignment. */
typedef uint64_t row_piece __attribute__((vector_size(32), aligned(1), may_alias));

/* Like memcpy(), which compilers turn into a loop of words here. */
static inline void vec_copy_row(void *row, const void *from, uint32_t bytes)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < bytes; i++)
        ((row_piece *)row)[i] = ((const row_piece *)from)[i];
}

typedef uint32_t words_of_4 __attribute__((vector_size(16), may_alias));
typedef uint64_t words_of_8 __attribute__((vector_size(16), may_alias));

/* Evenly spaced elements, 16 bytes of the row at a time. `bytes` is a compile-time constant. */
static inline void vec_load_strided(void *row, const char *from, uint64_t step, uint32_t bytes)
{
#define AT(type, lane) (*(const type *)(from + (lane)*step))
    if (bytes == 4)
        for (words_of_4 *to = row, *end = to + WARP_LANES / 4; to < end; to++, from += 4 * step)
            *to = (words_of_4){AT(uint32_t, 0), AT(uint32_t, 1), AT(uint32_t, 2), AT(uint32_t, 3)};
    else
        for (words_of_8 *to = row, *end = to + WARP_LANES / 2; to < end; to++, from += 2 * step)
            *to = (words_of_8){AT(uint64_t, 0), AT(uint64_t, 1)};
#undef AT
}

/* A full warp loads evenly spaced elements; false if they are not, or are not all within the range.
 * `bytes` is a compile-time constant. */
static inline __attribute__((always_inline)) bool vec_load_stride(struct emu_warp *w,
                                                                  const struct op *op,
                                                                  const struct mem_range *range,
                                                                  const char *base, uint32_t bytes)
{
    struct emu_access *last = &w->emu->last;
    uint64_t first = last->address[0], step = last->address[1] - first;
    if (step >= MAX_STRIDE || step & (bytes - 1) || !vec_are_apart_by(last->address, step) ||
        !vec_in_range(range, first, step * (WARP_LANES - 1) + bytes, bytes))
        return false;
    last->shape = STRIDED;
    vec_load_strided(warp_row(w, op->dst), base + first, step, bytes);
    return true;
}

/* A separate function, so that runs need fewer registers. */
#define LOAD_STRIDE(bytes)                                                                         \
    static __attribute__((noinline)) bool load_stride_##bytes(                                     \
        struct emu_warp *w, const struct op *op, const struct mem_range *range, const char *base)  \
    {                                                                                              \
        return vec_load_stride(w, op, range, base, bytes);                                         \
    }
LOAD_STRIDE(4)
LOAD_STRIDE(8)

/* A full warp loads some regular pattern; false if there is none, or not all of it is within the
 * range. `bytes` is a compile-time constant. */
static inline __attribute__((always_inline)) bool vec_load_shape(struct emu_warp *w,
                                                                 const struct op *op,
                                                                 const struct mem_range *range,
                                                                 const char *base, uint32_t bytes)
{
    struct emu_access *last = &w->emu->last;
    uint64_t first = last->address[0], step = last->address[1] - first;
    if (step && step != bytes)
        return bytes == 4 ? load_stride_4(w, op, range, base) : load_stride_8(w, op, range, base);
    void *row = warp_row(w, op->dst);
    if (!vec_are_apart_by(last->address, step) ||
        !vec_in_range(range, first, step ? bytes * WARP_LANES : bytes, bytes))
        return false;
    last->shape = step ? CONSECUTIVE : UNIFORM;
    if (step)
        vec_copy_row(row, base + first, bytes);
    else
        for (uint32_t i = 0; i < WARP_LANES; i++)
            memcpy((char *)row + (size_t)i * bytes, base + first, bytes);
    return true;
}

/* A separate function, so that the common patterns need no stack space. */
static __attribute__((noinline)) void vec_load_lanes(struct emu_warp *w, const struct op *op,
                                                     uint32_t mask, const struct mem_range *range,
                                                     const char *base, enum ptx_space space)
{
    uint32_t bytes = (uint32_t)op->width * op->vec;
    char *pointer[WARP_LANES];
    if (vec_all_in_range(range, w->emu->last.address, mask, bytes))
        vec_gather(w, op, mask, base);
    else if (vec_find_pointers(w, op, mask, bytes, space, pointer))
        vec_gather_slowly(w, op, mask, pointer);
}

/* A load through a flat base pointer: global memory, or a CTA's shared memory. */
static inline void vec_load_flat(struct emu_warp *w, const struct op *op, uint32_t mask,
                                 const struct mem_range *range, const char *base,
                                 enum ptx_space space)
{
    bool done = mask == ~0u && vec_same_layout(op) &&
                (op->width == 4 ? vec_load_shape(w, op, range, base, 4)
                                : vec_load_shape(w, op, range, base, 8));
    if (!done)
        vec_load_lanes(w, op, mask, range, base, space);
}

/* May any of the loaded bytes be in the overlay? Checked per line, not per lane, for runs. */
static inline bool overlay_may_hold_any(const struct overlay *o, const struct emu_access *a)
{
    uint64_t last = a->address[WARP_LANES - 1] / OVERLAY_LINE;
    for (uint64_t line = a->address[0] / OVERLAY_LINE; a->shape >= CONSECUTIVE; line++) {
        if (overlay_may_hold(o, line * OVERLAY_LINE))
            return true;
        if (line == last)
            return false;
    }
    return true;
}

/* What the SM itself stored in this visibility period is not in the image yet. */
static __attribute__((noinline)) void vec_patch_from_overlay(struct emu_warp *w,
                                                             const struct op *op, uint32_t mask)
{
    const struct emu *e = w->emu;
    const uint32_t *rows = &e->program->extra[op->extra];
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t address = e->last.address[i];
        if (!overlay_may_hold(e->overlay, address))
            continue;
        for (uint32_t k = 0; k < op->vec; k++) {
            uint64_t at = address + k * op->width;
            uint64_t v = vec_read_element(e->mem->bias + at, op->width);
            overlay_read(e->overlay, at, &v, op->width);
            vec_put_lane(warp_row(w, rows[k]), op, i, v);
        }
    }
}

/* A load from the memory image. */
static inline void vec_load_image(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu *e = w->emu;
    vec_load_flat(w, op, mask, &e->ranges[op - w->code], e->mem->bias, PTX_GLOBAL);
    if (e->overlay && e->overlay->n && w->state != WARP_FAULTED &&
        overlay_may_hold_any(e->overlay, &e->last))
        vec_patch_from_overlay(w, op, mask);
}

#endif
