/* Loads and stores of a warp, by state space. Compiled once per host vector variant.
 *
 * The common patterns are recognised first: adjacent lanes, one address, or even spacing. Every
 * access is checked against the allocation that this instruction accessed last, and only if that
 * does not contain it, lane by lane (lane_memory.c), where faults are reported. */
#include "emu/vec_load.h"
#include "emu/vec_store.h"

#define FN(name) static void name(struct emu_warp *w, const struct op *op, uint32_t mask)

/* --- global and shared memory --- */

FN(load_global)
{
    struct emu *e = w->emu;
    struct run_stats *s = e->stats;
    vec_find_addresses(w, op, mask);
    vec_count_bytes(op->klass == PTX_CLASS_LD_CONST ? &s->const_load_bytes : &s->global_load_bytes,
                    mask, (uint32_t)op->width * op->vec);
    vec_load_image(w, op, mask);
}

FN(load_shared)
{
    struct mem_range range = {0, w->cta->shared_bytes};
    vec_find_addresses(w, op, mask);
    vec_count_bytes(&w->emu->stats->shared_load_bytes, mask, (uint32_t)op->width * op->vec);
    vec_load_flat(w, op, mask, &range, w->cta->shared, PTX_SHARED);
}

FN(store_global)
{
    struct emu *e = w->emu;
    vec_find_addresses(w, op, mask);
    vec_count_bytes(&e->stats->global_store_bytes, mask, (uint32_t)op->width * op->vec);
    vec_store_image(w, op, mask);
}

FN(store_shared)
{
    struct mem_range range = {0, w->cta->shared_bytes};
    vec_find_addresses(w, op, mask);
    vec_count_bytes(&w->emu->stats->shared_store_bytes, mask, (uint32_t)op->width * op->vec);
    vec_store_flat(w, op, mask, &range, w->cta->shared, PTX_SHARED);
}

/* --- local memory: words of 32 lanes are adjacent --- */

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
        vec_put_lane(warp_row(w, rows[e]), op, i,
                     local_read(w, i, (uint32_t)at + e * op->width, op->width));
}

static void store_local_lane(struct emu_warp *w, const struct op *op, uint32_t i, uint64_t at)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    if (!local_ok(w, op, i, at, (uint32_t)op->width * op->vec))
        return;
    for (uint32_t e = 0; e < op->vec; e++)
        local_write(w, i, (uint32_t)at + e * op->width, op->width,
                    vec_get_lane(warp_row(w, rows[e]), op, i));
}

FN(load_local)
{
    vec_find_addresses(w, op, mask);
    vec_count_bytes(&w->emu->stats->local_load_bytes, mask, (uint32_t)op->width * op->vec);
    for (uint32_t m = mask; m; m &= m - 1)
        load_local_lane(w, op, (uint32_t)__builtin_ctz(m), w->emu->last.address[__builtin_ctz(m)]);
}

FN(store_local)
{
    vec_find_addresses(w, op, mask);
    vec_count_bytes(&w->emu->stats->local_store_bytes, mask, (uint32_t)op->width * op->vec);
    for (uint32_t m = mask; m; m &= m - 1)
        store_local_lane(w, op, (uint32_t)__builtin_ctz(m), w->emu->last.address[__builtin_ctz(m)]);
}

/* Named variables and call parameters of a function: one address for all lanes. The variables are
 * in local memory. On hardware, parameters are passed in registers, so they need no access. */
FN(load_frame)
{
    if (op->klass == PTX_CLASS_LD_LOCAL) {
        w->emu->last.mask = mask;
        vec_count_bytes(&w->emu->stats->local_load_bytes, mask, (uint32_t)op->width * op->vec);
    }
    uint32_t at = w->frames[w->n_frames - 1].local_at + (uint32_t)op->imm;
    for (uint32_t m = mask; m; m &= m - 1)
        load_local_lane(w, op, (uint32_t)__builtin_ctz(m), at);
}

FN(store_frame)
{
    if (op->klass == PTX_CLASS_ST_LOCAL) {
        w->emu->last.mask = mask;
        vec_count_bytes(&w->emu->stats->local_store_bytes, mask, (uint32_t)op->width * op->vec);
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
        uint64_t v = vec_extend(op, vec_read_element(from, op->width));
        vec_broadcast(warp_row(w, rows[e]), op, mask, v);
    }
}

FN(load_param_all)
{
    const struct emu_launch *l = &w->emu->launch;
    const uint8_t *from = l->params + op->imm;
    bool inside = op->imm >= 0 && (uint64_t)op->imm + op->width <= l->func->param_bytes;
    if (inside && vec_same_layout(op))
        vec_broadcast(warp_row(w, op->dst), op, ~0u,
                      vec_read_element((const char *)from, op->width));
    else
        load_param_some(w, op, mask);
}

/* --- generic addresses: the window determines the space of a lane --- */

struct split {
    uint32_t global, shared, local;
};

static struct split split_spaces(struct emu_warp *w, uint32_t mask)
{
    const uint64_t *address = w->emu->last.address;
    uint32_t global = 0, shared = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        /* An address in no window is global: a fault there names the address as it is. */
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

/* Each lane's access goes to the space of its address; `load` is a compile-time constant. */
static inline void access_generic(struct emu_warp *w, const struct op *op, uint32_t mask, bool load)
{
    struct run_stats *s = w->emu->stats;
    const uint64_t *address = w->emu->last.address;
    struct mem_range range = {0, w->cta->shared_bytes};
    uint32_t bytes = (uint32_t)op->width * op->vec;
    vec_find_addresses(w, op, mask);
    struct split part = split_spaces(w, mask);
    vec_count_bytes(load ? &s->global_load_bytes : &s->global_store_bytes, part.global, bytes);
    vec_count_bytes(load ? &s->shared_load_bytes : &s->shared_store_bytes, part.shared, bytes);
    vec_count_bytes(load ? &s->local_load_bytes : &s->local_store_bytes, part.local, bytes);
    if (part.global)
        (load ? vec_load_image : vec_store_image)(w, op, part.global);
    if (part.shared) {
        move_window(w, part.shared, GENERIC_SHARED_BASE);
        if (load)
            vec_load_flat(w, op, part.shared, &range, w->cta->shared, PTX_SHARED);
        else
            vec_store_flat(w, op, part.shared, &range, w->cta->shared, PTX_SHARED);
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
