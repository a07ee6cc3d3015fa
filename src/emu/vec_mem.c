/* Loads and stores of a warp. Compiled once per host vector variant.
 *
 * The common shapes are recognised first: all lanes at consecutive addresses, or all at one. Every
 * access is checked: against the allocation this instruction touched last, and only when that does
 * not hold it, lane by lane (lane_memory.c), where faults are reported. */
#include <string.h>

#include "emu/vec.h"

#define FN(name) static void name(struct emu_warp *w, const struct op *op, uint32_t mask)

/* The lanes' addresses, into emu->last. Lanes outside the mask get whatever their row holds. */
static inline void find_addresses(struct emu_warp *w, const struct op *op, uint32_t mask)
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

/* How the addresses of a full warp lie for elements of `bytes` bytes. The ends tell which shape is
 * possible; only that one is looked for. */
static inline enum access_shape find_shape(const uint64_t *address, uint32_t bytes)
{
    uint64_t first = address[0], span = address[WARP_LANES - 1] - first, unlike = 0;
    uint64_t step = span ? bytes : 0;
    if (span != step * (WARP_LANES - 1))
        return SCATTERED;
    uint64_t expected = first;
    for (uint32_t i = 0; i < WARP_LANES; i++, expected += step)
        unlike |= address[i] ^ expected;
    return unlike ? SCATTERED : span ? CONSECUTIVE : UNIFORM;
}

/* Is [address, address + bytes) inside the range, and aligned? */
static inline bool in_range(const struct mem_range *r, uint64_t address, uint64_t bytes,
                            uint32_t align)
{
    uint64_t offset = address - r->start;
    return offset < r->bytes && bytes <= r->bytes - offset && !(address & (align - 1));
}

/* The same for all lanes of the mask at once. What is wrong with one makes a difference negative;
 * of its bits only the highest counts, and only where that of the mask, moved there, is set. */
static inline bool all_in_range(const struct mem_range *r, const uint64_t *address, uint32_t mask,
                                uint32_t bytes)
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
static bool find_pointers(struct emu_warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
                          enum ptx_space space, char **pointer)
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

static inline uint64_t read_element(const char *p, uint32_t width)
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

static inline void write_element(char *p, uint32_t width, uint64_t v)
{
    memcpy(p, &v, width); /* hosts are little-endian, as devices are */
}

/* A loaded value as its register holds it: extended to the register's width. */
static inline uint64_t extend(const struct op *op, uint64_t v)
{
    if (op->flags & OP_SIGNED) {
        uint32_t unused = 64 - op->width * 8u;
        v = (uint64_t)((int64_t)(v << unused) >> unused);
    }
    return op->flags & OP_DST16 ? (uint16_t)v : v;
}

static inline void put_lane(void *row, const struct op *op, uint32_t i, uint64_t v)
{
    v = extend(op, v);
    if (op->flags & OP_DST64)
        ((uint64_t *)row)[i] = v;
    else
        ((uint32_t *)row)[i] = (uint32_t)v;
}

static inline uint64_t get_lane(const void *row, const struct op *op, uint32_t i)
{
    return op->flags & OP_SRC64 ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
}

/* Does a row hold the elements just as memory does? */
static inline bool same_layout(const struct op *op)
{
    bool wide = op->flags & (OP_DST64 | OP_SRC64);
    return op->vec == 1 && (op->width == 8 ? wide : op->width == 4 && !wide);
}

/* --- loads --- */

/* For a width known when compiling, one move a lane. */
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

static inline void gather(struct emu_warp *w, const struct op *op, uint32_t mask, const char *base)
{
    const uint64_t *address = w->emu->last.address;
    if (same_layout(op)) {
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
            put_lane(row, op, i, read_element(base + address[i] + e * op->width, op->width));
        }
    }
}

static void gather_slowly(struct emu_warp *w, const struct op *op, uint32_t mask, char **pointer)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t e = 0; e < op->vec; e++) {
        void *row = warp_row(w, rows[e]);
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            put_lane(row, op, i, read_element(pointer[i] + e * op->width, op->width));
        }
    }
}

static inline void count_bytes(uint64_t *counter, uint32_t mask, uint32_t bytes)
{
    *counter += (uint64_t)(uint32_t)__builtin_popcount(mask) * bytes;
}

/* 32 bytes of anything, anywhere. */
typedef uint64_t row_piece __attribute__((vector_size(32), aligned(1), may_alias));

/* As memcpy(), which compilers turn into a loop of words. */
static inline void copy_row(void *row, const void *from, uint32_t bytes)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < bytes; i++)
        ((row_piece *)row)[i] = ((const row_piece *)from)[i];
}

/* What a full warp loads that lies side by side, or at one place; false if it does not, or not all
 * of it within the range. `bytes` is known when compiling. */
static inline __attribute__((always_inline)) bool load_shape(struct emu_warp *w,
                                                             const struct op *op,
                                                             const struct mem_range *range,
                                                             const char *base, uint32_t bytes)
{
    struct emu_access *last = &w->emu->last;
    uint64_t first = last->address[0];
    enum access_shape shape = find_shape(last->address, bytes);
    void *row = warp_row(w, op->dst);
    if (shape == SCATTERED ||
        !in_range(range, first, shape == UNIFORM ? bytes : bytes * WARP_LANES, bytes))
        return false;
    last->shape = shape;
    if (shape == CONSECUTIVE)
        copy_row(row, base + first, bytes);
    else
        for (uint32_t i = 0; i < WARP_LANES; i++)
            memcpy((char *)row + (size_t)i * bytes, base + first, bytes);
    return true;
}

/* Apart, so that the common shapes need no room on the stack. */
static __attribute__((noinline)) void load_lanes(struct emu_warp *w, const struct op *op,
                                                 uint32_t mask, const struct mem_range *range,
                                                 const char *base, enum ptx_space space)
{
    uint32_t bytes = (uint32_t)op->width * op->vec;
    char *pointer[WARP_LANES];
    if (all_in_range(range, w->emu->last.address, mask, bytes))
        gather(w, op, mask, base);
    else if (find_pointers(w, op, mask, bytes, space, pointer))
        gather_slowly(w, op, mask, pointer);
}

/* A load through a flat base pointer: global memory, or a CTA's shared memory. */
static inline void load_flat(struct emu_warp *w, const struct op *op, uint32_t mask,
                             const struct mem_range *range, const char *base, enum ptx_space space)
{
    bool done =
        mask == ~0u && same_layout(op) &&
        (op->width == 4 ? load_shape(w, op, range, base, 4) : load_shape(w, op, range, base, 8));
    if (!done)
        load_lanes(w, op, mask, range, base, space);
}

/* Can what was loaded be there? Asked for lines, not lanes, where the shape is simple. */
static inline bool overlay_may_hold_any(const struct overlay *o, const struct emu_access *a)
{
    uint64_t last = a->address[WARP_LANES - 1] / OVERLAY_LINE;
    for (uint64_t line = a->address[0] / OVERLAY_LINE; a->shape != SCATTERED; line++) {
        if (overlay_may_hold(o, line * OVERLAY_LINE))
            return true;
        if (line == last)
            return false;
    }
    return true;
}

/* What the SM itself stored in this visibility period is not in the image yet. */
static __attribute__((noinline)) void patch_from_overlay(struct emu_warp *w, const struct op *op,
                                                         uint32_t mask)
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
            uint64_t v = read_element(e->mem->bias + at, op->width);
            overlay_read(e->overlay, at, &v, op->width);
            put_lane(warp_row(w, rows[k]), op, i, v);
        }
    }
}

/* A load from the memory image. */
static inline void load_image(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu *e = w->emu;
    load_flat(w, op, mask, &e->ranges[op - w->code], e->mem->bias, PTX_GLOBAL);
    if (e->overlay && e->overlay->n && w->state != WARP_FAULTED &&
        overlay_may_hold_any(e->overlay, &e->last))
        patch_from_overlay(w, op, mask);
}

FN(load_global)
{
    struct emu *e = w->emu;
    struct run_stats *s = e->stats;
    find_addresses(w, op, mask);
    count_bytes(op->klass == PTX_CLASS_LD_CONST ? &s->const_load_bytes : &s->global_load_bytes,
                mask, (uint32_t)op->width * op->vec);
    load_image(w, op, mask);
}

FN(load_shared)
{
    struct mem_range range = {0, w->cta->shared_bytes};
    find_addresses(w, op, mask);
    count_bytes(&w->emu->stats->shared_load_bytes, mask, (uint32_t)op->width * op->vec);
    load_flat(w, op, mask, &range, w->cta->shared, PTX_SHARED);
}

/* --- stores --- */

static inline void scatter(struct emu_warp *w, const struct op *op, uint32_t mask, char *base)
{
    const uint64_t *address = w->emu->last.address;
    if (same_layout(op)) {
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
            write_element(base + address[i] + e * op->width, op->width,
                          get_lane(warp_row(w, rows[e]), op, i));
    }
}

static void scatter_slowly(struct emu_warp *w, const struct op *op, uint32_t mask, char **pointer)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t e = 0; e < op->vec; e++)
            write_element(pointer[i] + e * op->width, op->width,
                          get_lane(warp_row(w, rows[e]), op, i));
    }
}

static inline void store_flat(struct emu_warp *w, const struct op *op, uint32_t mask,
                              const struct mem_range *range, char *base, enum ptx_space space)
{
    const uint64_t *address = w->emu->last.address;
    uint32_t bytes = (uint32_t)op->width * op->vec;
    if (mask == ~0u && same_layout(op) && find_shape(address, bytes) == CONSECUTIVE &&
        in_range(range, address[0], (uint64_t)bytes * WARP_LANES, bytes)) {
        w->emu->last.shape = CONSECUTIVE;
        memcpy(base + address[0], warp_row(w, op->b), (size_t)bytes * WARP_LANES);
        return;
    }
    if (all_in_range(range, address, mask, bytes)) {
        scatter(w, op, mask, base);
        return;
    }
    char *pointer[WARP_LANES];
    if (find_pointers(w, op, mask, bytes, space, pointer))
        scatter_slowly(w, op, mask, pointer);
}

/* Bytes of one stretch, line by line. */
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

/* As load_shape(), but a store of all lanes to one place is none of those. */
static inline __attribute__((always_inline)) bool
store_shape_in_overlay(struct emu_warp *w, const struct op *op, const struct mem_range *range,
                       uint32_t bytes)
{
    struct emu_access *last = &w->emu->last;
    uint64_t first = last->address[0];
    if (find_shape(last->address, bytes) != CONSECUTIVE ||
        !in_range(range, first, bytes * WARP_LANES, bytes))
        return false;
    last->shape = CONSECUTIVE;
    overlay_write_stretch(w->emu->overlay, first, warp_row(w, op->b), bytes * WARP_LANES);
    return true;
}

static __attribute__((noinline)) void store_lanes_in_overlay(struct emu_warp *w,
                                                             const struct op *op, uint32_t mask,
                                                             const struct mem_range *range)
{
    struct emu *e = w->emu;
    const uint64_t *address = e->last.address;
    const uint32_t *rows = &e->program->extra[op->extra];
    uint32_t bytes = (uint32_t)op->width * op->vec;
    char *pointer[WARP_LANES];
    if (!all_in_range(range, address, mask, bytes) &&
        !find_pointers(w, op, mask, bytes, PTX_GLOBAL, pointer))
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t k = 0; k < op->vec; k++) {
            uint64_t v = get_lane(warp_row(w, rows[k]), op, i);
            overlay_write(e->overlay, address[i] + k * op->width, &v, op->width);
        }
    }
}

/* A store under timing: checked like any other, but kept apart until the period ends. */
static inline void store_overlay(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    const struct mem_range *range = &w->emu->ranges[op - w->code];
    bool done = mask == ~0u && same_layout(op) &&
                (op->width == 4 ? store_shape_in_overlay(w, op, range, 4)
                                : store_shape_in_overlay(w, op, range, 8));
    if (!done)
        store_lanes_in_overlay(w, op, mask, range);
}

static inline void store_image(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu *e = w->emu;
    if (e->overlay)
        store_overlay(w, op, mask);
    else
        store_flat(w, op, mask, &e->ranges[op - w->code], e->mem->bias, PTX_GLOBAL);
}

FN(store_global)
{
    struct emu *e = w->emu;
    find_addresses(w, op, mask);
    count_bytes(&e->stats->global_store_bytes, mask, (uint32_t)op->width * op->vec);
    store_image(w, op, mask);
}

FN(store_shared)
{
    struct mem_range range = {0, w->cta->shared_bytes};
    find_addresses(w, op, mask);
    count_bytes(&w->emu->stats->shared_store_bytes, mask, (uint32_t)op->width * op->vec);
    store_flat(w, op, mask, &range, w->cta->shared, PTX_SHARED);
}

/* --- local memory: words of 32 lanes side by side --- */

static inline bool local_ok(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t at,
                            uint32_t bytes)
{
    uint32_t end = w->frames[w->n_frames - 1].local_end;
    if (at < end && bytes <= end - at && !(at & (bytes - 1)))
        return true;
    emu_fault_access(w, op, lane, at, bytes, PTX_LOCAL);
    return false;
}

static void load_local_lane(struct emu_warp *w, const struct op *op, uint32_t i, uint64_t at)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    if (!local_ok(w, op, i, at, (uint32_t)op->width * op->vec))
        return;
    for (uint32_t e = 0; e < op->vec; e++)
        put_lane(warp_row(w, rows[e]), op, i,
                 local_read(w, i, (uint32_t)at + e * op->width, op->width));
}

static void store_local_lane(struct emu_warp *w, const struct op *op, uint32_t i, uint64_t at)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    if (!local_ok(w, op, i, at, (uint32_t)op->width * op->vec))
        return;
    for (uint32_t e = 0; e < op->vec; e++)
        local_write(w, i, (uint32_t)at + e * op->width, op->width,
                    get_lane(warp_row(w, rows[e]), op, i));
}

FN(load_local)
{
    find_addresses(w, op, mask);
    count_bytes(&w->emu->stats->local_load_bytes, mask, (uint32_t)op->width * op->vec);
    for (uint32_t m = mask; m; m &= m - 1)
        load_local_lane(w, op, (uint32_t)__builtin_ctz(m), w->emu->last.address[__builtin_ctz(m)]);
}

FN(store_local)
{
    find_addresses(w, op, mask);
    count_bytes(&w->emu->stats->local_store_bytes, mask, (uint32_t)op->width * op->vec);
    for (uint32_t m = mask; m; m &= m - 1)
        store_local_lane(w, op, (uint32_t)__builtin_ctz(m), w->emu->last.address[__builtin_ctz(m)]);
}

/* Named variables and call parameters of a function: one address for all lanes. The variables are
 * local memory; parameters travel in registers on hardware, so they take no access there. */
FN(load_frame)
{
    if (op->klass == PTX_CLASS_LD_LOCAL) {
        w->emu->last.mask = mask;
        count_bytes(&w->emu->stats->local_load_bytes, mask, (uint32_t)op->width * op->vec);
    }
    uint32_t at = w->frames[w->n_frames - 1].local_at + (uint32_t)op->imm;
    for (uint32_t m = mask; m; m &= m - 1)
        load_local_lane(w, op, (uint32_t)__builtin_ctz(m), at);
}

FN(store_frame)
{
    if (op->klass == PTX_CLASS_ST_LOCAL) {
        w->emu->last.mask = mask;
        count_bytes(&w->emu->stats->local_store_bytes, mask, (uint32_t)op->width * op->vec);
    }
    uint32_t at = w->frames[w->n_frames - 1].local_at + (uint32_t)op->imm;
    for (uint32_t m = mask; m; m &= m - 1)
        store_local_lane(w, op, (uint32_t)__builtin_ctz(m), at);
}

/* --- kernel parameters: the same for every lane --- */

FN(load_param_some)
{
    const struct emu_launch *l = &w->emu->launch;
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    uint32_t bytes = (uint32_t)op->width * op->vec;
    if (op->imm < 0 || (uint64_t)op->imm + bytes > l->func->param_bytes) {
        emu_fault_access(w, op, (uint32_t)__builtin_ctz(mask), (uint64_t)op->imm, bytes, PTX_PARAM);
        return;
    }
    for (uint32_t e = 0; e < op->vec; e++) {
        const char *from = (const char *)l->params + op->imm + e * op->width;
        uint64_t v = extend(op, read_element(from, op->width));
        vec_broadcast(warp_row(w, rows[e]), op, mask, v);
    }
}

FN(load_param_all)
{
    const struct emu_launch *l = &w->emu->launch;
    const uint8_t *from = l->params + op->imm;
    bool inside = op->imm >= 0 && (uint64_t)op->imm + op->width <= l->func->param_bytes;
    if (inside && same_layout(op))
        vec_broadcast(warp_row(w, op->dst), op, ~0u, read_element((const char *)from, op->width));
    else
        load_param_some(w, op, mask);
}

/* --- generic addresses: the window says which space a lane means --- */

struct split {
    uint32_t global, shared, local;
};

static struct split split_spaces(struct emu_warp *w, uint32_t mask)
{
    const uint64_t *address = w->emu->last.address;
    uint32_t global = 0, shared = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        /* What lies in no window is global: a fault there names the address as it is. */
        bool in_shared = (address[i] >= GENERIC_SHARED_BASE) & (address[i] < GENERIC_LOCAL_BASE);
        bool below = address[i] < GENERIC_SHARED_BASE;
        global |= ((address[i] >= GENERIC_LOCAL_END) | below) ? 1u << i : 0;
        shared |= in_shared ? 1u << i : 0;
    }
    return (struct split){global & mask, shared & mask, mask & ~global & ~shared};
}

static void move_window(struct emu_warp *w, uint32_t lanes, uint64_t base)
{
    for (uint32_t m = lanes; m; m &= m - 1)
        w->emu->last.address[__builtin_ctz(m)] -= base;
}

/* Each lane's access goes to the space its address means; `load` is known when compiling. */
static inline void access_generic(struct emu_warp *w, const struct op *op, uint32_t mask, bool load)
{
    struct run_stats *s = w->emu->stats;
    const uint64_t *address = w->emu->last.address;
    struct mem_range range = {0, w->cta->shared_bytes};
    uint32_t bytes = (uint32_t)op->width * op->vec;
    find_addresses(w, op, mask);
    struct split part = split_spaces(w, mask);
    count_bytes(load ? &s->global_load_bytes : &s->global_store_bytes, part.global, bytes);
    count_bytes(load ? &s->shared_load_bytes : &s->shared_store_bytes, part.shared, bytes);
    count_bytes(load ? &s->local_load_bytes : &s->local_store_bytes, part.local, bytes);
    if (part.global)
        (load ? load_image : store_image)(w, op, part.global);
    if (part.shared) {
        move_window(w, part.shared, GENERIC_SHARED_BASE);
        if (load)
            load_flat(w, op, part.shared, &range, w->cta->shared, PTX_SHARED);
        else
            store_flat(w, op, part.shared, &range, w->cta->shared, PTX_SHARED);
        move_window(w, part.shared, 0 - GENERIC_SHARED_BASE);
    }
    for (uint32_t m = part.local; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        (load ? load_local_lane : store_local_lane)(w, op, i, address[i] - GENERIC_LOCAL_BASE);
    }
}

FN(load_generic)
{
    access_generic(w, op, mask, true);
}

FN(store_generic)
{
    access_generic(w, op, mask, false);
}

#define ENTRY(id, fn) [EXEC_##id] = {fn, fn}
const vec_table VEC_NAME(vec_mem) = {
    ENTRY(LD_GLOBAL, load_global),
    ENTRY(LD_SHARED, load_shared),
    ENTRY(LD_LOCAL, load_local),
    ENTRY(LD_GENERIC, load_generic),
    ENTRY(LD_FRAME, load_frame),
    ENTRY(ST_GLOBAL, store_global),
    ENTRY(ST_SHARED, store_shared),
    ENTRY(ST_LOCAL, store_local),
    ENTRY(ST_GENERIC, store_generic),
    ENTRY(ST_FRAME, store_frame),
    [EXEC_LD_PARAM] = {load_param_some, load_param_all},
};
