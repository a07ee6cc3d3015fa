/* What a memory instruction accesses: the lines of its lanes, or in shared memory the number of
 * passes that its bank conflicts need. */
#include <string.h>

#include "sm/sm.h"

/* Where the timing model places local memory: a range that no other memory has. */
#define LOCAL_BASE 0x2000000000ull

/* Coalesces the accesses of the lanes in `mask` into lines; returns the number of lines. */
static inline uint32_t join_lanes(const struct sm *sm, uint32_t mask, uint32_t bytes,
                                  uint32_t line_bytes, struct line_access *out)
{
    const struct emu_access *last = &sm->emu.last;
    uint32_t group = sm->config->coalesce_lanes;
    if (mask != sm->ldst.all_lanes)
        return coalesce_by_lane(last->address, mask, line_bytes, group, out);
    if (last->shape == SCATTERED)
        return coalesce_warp(last->address, bytes, line_bytes, group, out);
    if (last->shape == STRIDED)
        return coalesce_strided(last->address, bytes, line_bytes, group, out);
    return coalesce_run(last->address[0], last->shape == UNIFORM ? 0 : bytes, bytes, line_bytes,
                        group, out);
}

/* Global memory and constants. */
static void add_global(struct sm *sm, struct ldst_op *l, uint32_t mask)
{
    const struct emu_access *last = &sm->emu.last;
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec;
    uint32_t line_bytes = sm_l1_of(sm, l->space)->line_bytes;
    struct line_access *out = l->access + l->n;
    struct line_detail *detail = l->detail + l->n;
    uint32_t n = join_lanes(sm, mask, bytes, line_bytes, out);
    l->n += n;
    if (!l->in_detail)
        return;
    if (last->shape >= CONSECUTIVE && mask == sm->ldst.all_lanes)
        coalesce_describe_run(last->address[0], last->shape == UNIFORM ? 0 : bytes, bytes,
                              line_bytes, out, n, detail);
    else
        coalesce_describe(last->address, bytes, line_bytes, out, n, detail);
}

/* The same word of all threads that the machine holds is contiguous, in the order of lanes, warp
 * slots and SMs. The next word follows after padding that makes the number of warps odd. This is
 * the order of the legacy branch of GPGPU-Sim's translate_local_memaddr; its default
 * (-gpgpu_local_mem_map 1) goes through the threads of a CTA, the CTAs of successive SMs, then
 * further CTAs of the same SM. */
static void add_local(struct sm *sm, struct ldst_op *l, uint32_t mask, const uint64_t *offset)
{
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec, piece = bytes < 4 ? bytes : 4;
    uint32_t line_bytes = sm->config->l1d.line_bytes;
    uint64_t warp = sm->local.first_warp + l->slot, address[WARP_LANES];
    uint64_t base = LOCAL_BASE + warp * WARP_LANES * 4;
    l->space = MEM_LOCAL;
    for (uint32_t done = 0; done < bytes; done += 4) {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            uint64_t at = offset[i] + done;
            address[i] = base + (at & ~3ull) * sm->local.stride + i * 4 + (at & 3);
        }
        struct line_access *out = l->access + l->n;
        uint32_t n = mask == sm->ldst.all_lanes
                         ? coalesce_warp(address, piece, line_bytes, WARP_LANES, out)
                         : coalesce_by_lane(address, mask, line_bytes, WARP_LANES, out);
        coalesce_describe(address, piece, line_bytes, out, n, l->detail + l->n);
        l->n += n;
    }
}

static void add_shared(struct sm *sm, struct ldst_op *l, uint32_t mask, const uint64_t *address)
{
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec, n_banks = sm->config->shared_banks;
    if (mask != sm->ldst.all_lanes)
        l->shared_passes += coalesce_passes_by_lane(address, mask, bytes, n_banks);
    else if (sm->emu.last.shape >= CONSECUTIVE && bytes == 4 && n_banks == WARP_LANES)
        l->shared_passes++; /* one bank per lane, or one word for all */
    else
        l->shared_passes += coalesce_warp_passes(address, bytes, n_banks);
}

/* Lanes of a generic access go to the space of their address. */
static void add_generic(struct sm *sm, struct ldst_op *l, uint32_t mask)
{
    uint32_t shared = 0, local = 0;
    uint64_t offset[WARP_LANES] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t a = sm->emu.last.address[i];
        if (a < GENERIC_LOCAL_BASE)
            shared |= 1u << i;
        else if (a < GENERIC_LOCAL_END)
            local |= 1u << i;
        offset[i] = a - (a < GENERIC_LOCAL_BASE ? GENERIC_SHARED_BASE : GENERIC_LOCAL_BASE);
    }
    if (shared)
        add_shared(sm, l, shared, offset);
    if (local)
        add_local(sm, l, local, offset);
    if (mask & ~shared & ~local)
        add_global(sm, l, mask & ~shared & ~local);
}

static void find_accesses(struct sm *sm, struct ldst_op *l, uint32_t mask)
{
    const struct emu_warp *e = sm->warps[l->slot].emu;
    const uint64_t *address = sm->emu.last.address;
    uint64_t frame[WARP_LANES];
    switch (sm->emu.program->info[l->pc].exec_id) {
    case EXEC_LD_SHARED:
    case EXEC_ST_SHARED:
        add_shared(sm, l, mask, address);
        break;
    case EXEC_LD_LOCAL:
    case EXEC_ST_LOCAL:
        add_local(sm, l, mask, address);
        break;
    case EXEC_LD_FRAME:
    case EXEC_ST_FRAME:
        for (uint32_t i = 0; i < WARP_LANES; i++)
            frame[i] = e->frames[e->n_frames - 1].local_at + (uint64_t)l->op->imm;
        add_local(sm, l, mask, frame);
        break;
    case EXEC_LD_GENERIC:
    case EXEC_ST_GENERIC:
        add_generic(sm, l, mask);
        break;
    case EXEC_ATOM_ANY:
        l->kind = MEM_ATOMIC;
        if (mask & ~l->atomic.mask)
            add_shared(sm, l, mask & ~l->atomic.mask, address);
        if (l->atomic.mask)
            add_global(sm, l, l->atomic.mask);
        break;
    default:
        add_global(sm, l, mask);
    }
}

static bool is_load_class(enum ptx_class class)
{
    return class == PTX_CLASS_LD_GLOBAL || class == PTX_CLASS_LD_LOCAL ||
           class == PTX_CLASS_LD_SHARED || class == PTX_CLASS_LD_CONST || class == PTX_CLASS_ATOMIC;
}

uint64_t sm_visible_cycle(const struct sm *sm, sim_time t)
{
    return clock_cycle_at(sm->clock, (t / sm->visibility + 1) * sm->visibility);
}

static void note_atomics(struct sm *sm, struct ldst_op *l)
{
    struct sm_warp *w = &sm->warps[l->slot];
    for (uint32_t i = 0; i < l->n; i++)
        w->atomic_lines[w->n_atomics++] = l->access[i].line;
    sm->stats.atomic_requests += l->n;
}

/* Re-examines warps whose next instruction is an atomic: it may have to wait until the store is
 * visible (order_hazard()). */
static void note_store(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    w->visible_at = sm_visible_cycle(sm, now * sm->clock->period);
    if (sm->ldst.stores_visible_at == w->visible_at)
        return;
    sm->ldst.stores_visible_at = w->visible_at;
    for (uint64_t m = sm->issue.ready & sm->issue.by_class[ISSUE_ATOMIC]; m; m &= m - 1)
        sm_refresh(sm, (uint32_t)__builtin_ctzll(m), now);
}

/* The fields that all accesses of an instruction share; mem_access is large, so they are written
 * once. The remaining fields are set for each access, or stay 0. */
static void begin_accesses(struct sm *sm, struct ldst_op *l, const struct op_timing *t)
{
    const struct sched_warp *w = &sm->sched_warps[l->slot];
    bool constant = l->space == MEM_CONST;
    l->l1 = constant ? sm->l1c : sm->l1d;
    l->l1_config = sm_l1_of(sm, l->space);
    l->hit_latency = constant ? sm->config->const_latency : sm->config->l1d_latency;
    l->looks_up = l->kind == MEM_LOAD && !(l->uncached && l->space == MEM_GLOBAL);
    l->access_counter = l->kind == MEM_STORE                           ? &sm->stats.store_requests
                        : l->kind == MEM_LOAD && l->space != MEM_CONST ? &sm->stats.load_requests
                                                                       : &sm->stats.other_requests;
    struct mem_access *a = &l->current;
    a->launch = sm->launch;
    a->cta = w->cta;
    a->warp_slot = l->slot;
    a->warp_uid = w->uid;
    a->warp_age = w->age;
    a->scheduler = l->slot % sm->config->n_schedulers;
    a->pc = l->pc;
    a->load_index = t->load_index;
    a->kind = l->kind;
    a->space = l->space;
    a->op = t->memory_op;
    a->source = sm->index;
}

/* Takes an entry of the unit for the instruction that has just been executed. */
static inline struct ldst_op *enter(struct sm *sm, uint32_t slot, uint32_t pc, uint64_t ready_at,
                                    uint64_t now)
{
    uint32_t at = sm->ldst.head + sm->ldst.n++, places = sm->config->ldst_queue;
    struct ldst_op *l = &sm->ldst.ops[at < places ? at : at - places];
    l->slot = slot;
    l->pc = pc;
    l->op = &sm->emu.program->ops[pc];
    l->entered = now;
    l->ready_at = ready_at;
    queue_enter(&sm->ldst.account, now);
    if (sm->ldst.n == 1)
        sm->ldst.due = ready_at > sm->ldst.busy_until ? ready_at : sm->ldst.busy_until;
    l->shared_passes = l->n = l->next = l->prepared = 0;
    l->absent_from = NULL;
    return l;
}

void ldst_push(struct sm *sm, uint32_t slot, uint32_t pc, uint64_t ready_at, uint64_t now)
{
    const struct op_timing *t = &sm->timing[pc];
    struct ldst_op *l = enter(sm, slot, pc, ready_at, now);
    uint32_t mask = sm->emu.last.mask;
    struct sm_warp *w = &sm->warps[slot];
    enum ptx_class class = l->op->klass;
    bool load = is_load_class(class);
    l->in_detail = !load || class == PTX_CLASS_ATOMIC || sm->ldst.describes_loads;
    l->kind = load ? MEM_LOAD : MEM_STORE;
    l->space = class == PTX_CLASS_LD_CONST ? MEM_CONST : MEM_GLOBAL;
    l->uncached = class != PTX_CLASS_LD_CONST && (t->uncached || !sm->config->l1d_global);
    l->record = load && t->n_writes ? sm_new_record(sm, l->slot, l->pc) : NULL;
    l->atomic.mask = 0;
    if (class == PTX_CLASS_ATOMIC) {
        l->atomic = sm->emu.atomic;
        memcpy(l->address, sm->emu.last.address, sizeof l->address);
    }
    if (t->is_global && mask)
        add_global(sm, l, mask);
    else if (mask)
        find_accesses(sm, l, mask);
    if (l->kind == MEM_ATOMIC)
        note_atomics(sm, l);
    if (l->kind == MEM_STORE && l->n && l->space == MEM_GLOBAL)
        note_store(sm, w, now);
    if (!l->n)
        return;
    if (l->kind == MEM_LOAD &&
        !l->record) /* nothing uses its result; the line is still requested */
        l->record = sm_new_record(sm, l->slot, l->pc);
    const uint32_t *block = sm->emu.launch.block;
    l->first_thread_of_warp =
        w->emu->cta->number * block[0] * block[1] * block[2] + (uint64_t)w->emu->id * WARP_LANES;
    l->first_id = sm->ldst.next_access_id;
    sm->ldst.next_access_id += l->n;
    begin_accesses(sm, l, t);
}
