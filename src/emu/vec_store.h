/* Stores of a warp through a flat base pointer: to the memory image or, under timing, to the
 * overlay that is committed when the visibility period ends; and to a CTA's shared memory. Part of
 * vec_mem.c. */
#ifndef HEDDLE_EMU_VEC_STORE_H
#define HEDDLE_EMU_VEC_STORE_H

#include "emu/vec_access.h"

static inline void vec_scatter(struct emu_warp *w, const struct op *op, uint32_t mask, char *base)
{
    const uint64_t *address = w->emu->last.address;
    if (vec_same_layout(op)) {
        const void *row = warp_row(w, op->b);
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            if (op->width == 4)
                *(uint32_t *)(base + address[i]) = ((const uint32_t *)row)[i];
            else
                *(uint64_t *)(base + address[i]) = ((const uint64_t *)row)[i];
        }
        return;
    }
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t e = 0; e < op->vec; e++)
            vec_write_element(base + address[i] + e * op->width, op->width,
                              vec_get_lane(warp_row(w, rows[e]), op, i));
    }
}

static void vec_scatter_slowly(struct emu_warp *w, const struct op *op, uint32_t mask,
                               char **pointer)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t e = 0; e < op->vec; e++)
            vec_write_element(pointer[i] + e * op->width, op->width,
                              vec_get_lane(warp_row(w, rows[e]), op, i));
    }
}

static inline void vec_store_flat(struct emu_warp *w, const struct op *op, uint32_t mask,
                                  const struct mem_range *range, char *base, enum ptx_space space)
{
    const uint64_t *address = w->emu->last.address;
    uint32_t bytes = (uint32_t)op->width * op->vec;
    if (mask == ~0u && vec_same_layout(op) && vec_are_apart_by(address, bytes) &&
        vec_in_range(range, address[0], (uint64_t)bytes * WARP_LANES, bytes)) {
        w->emu->last.shape = CONSECUTIVE;
        memcpy(base + address[0], warp_row(w, op->b), (size_t)bytes * WARP_LANES);
        return;
    }
    if (vec_all_in_range(range, address, mask, bytes)) {
        vec_scatter(w, op, mask, base);
        return;
    }
    char *pointer[WARP_LANES];
    if (vec_find_pointers(w, op, mask, bytes, space, pointer))
        vec_scatter_slowly(w, op, mask, pointer);
}

/* Contiguous bytes, line by line. */
static void overlay_write_stretch(struct overlay *o, uint64_t address, const char *data,
                                  uint32_t bytes)
{
    while (bytes) {
        uint32_t room = OVERLAY_LINE - (uint32_t)(address % OVERLAY_LINE);
        uint32_t n = bytes < room ? bytes : room;
        overlay_write(o, address, data, n);
        address += n;
        data += n;
        bytes -= n;
    }
}

/* Like vec_load_shape(), except that a store of all lanes to one address does not count. */
static inline __attribute__((always_inline)) bool
vec_store_shape_in_overlay(struct emu_warp *w, const struct op *op, const struct mem_range *range,
                           uint32_t bytes)
{
    struct emu_access *last = &w->emu->last;
    uint64_t first = last->address[0];
    if (!vec_are_apart_by(last->address, bytes) ||
        !vec_in_range(range, first, bytes * WARP_LANES, bytes))
        return false;
    last->shape = CONSECUTIVE;
    overlay_write_stretch(w->emu->overlay, first, warp_row(w, op->b), bytes * WARP_LANES);
    return true;
}

static __attribute__((noinline)) void vec_store_lanes_in_overlay(struct emu_warp *w,
                                                                 const struct op *op, uint32_t mask,
                                                                 const struct mem_range *range)
{
    struct emu *e = w->emu;
    const uint64_t *address = e->last.address;
    const uint32_t *rows = &e->program->extra[op->extra];
    uint32_t bytes = (uint32_t)op->width * op->vec;
    char *pointer[WARP_LANES];
    if (!vec_all_in_range(range, address, mask, bytes) &&
        !vec_find_pointers(w, op, mask, bytes, PTX_GLOBAL, pointer))
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t k = 0; k < op->vec; k++) {
            uint64_t v = vec_get_lane(warp_row(w, rows[k]), op, i);
            overlay_write(e->overlay, address[i] + k * op->width, &v, op->width);
        }
    }
}

/* A store under timing: checked like any other, but kept in the overlay until the period ends. */
static inline void vec_store_overlay(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    const struct mem_range *range = &w->emu->ranges[op - w->code];
    bool done = mask == ~0u && vec_same_layout(op) &&
                (op->width == 4 ? vec_store_shape_in_overlay(w, op, range, 4)
                                : vec_store_shape_in_overlay(w, op, range, 8));
    if (!done)
        vec_store_lanes_in_overlay(w, op, mask, range);
}

static inline void vec_store_image(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu *e = w->emu;
    if (e->overlay)
        vec_store_overlay(w, op, mask);
    else
        vec_store_flat(w, op, mask, &e->ranges[op - w->code], e->mem->bias, PTX_GLOBAL);
}

#endif
