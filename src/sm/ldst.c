/* The load/store unit: one memory instruction at a time, one access a cycle. When an access cannot
 * be accepted it waits here and everything behind it waits too (S2 Fig. 1). */
#include <string.h>

#include "emu/atomic.h"
#include "sm/sm.h"

/* Local memory of a warp slot: words of 32 lanes side by side, in an address range of its own. */
#define LOCAL_BASE 0x2000000000ull

static struct ldst_op *ldst_front(const struct sm *sm)
{
    return &sm->ldst[sm->ldst_head];
}

static struct load_record *new_record(struct sm *sm, uint32_t slot, uint32_t pc)
{
    struct load_record *r = sm->free_records;
    if (r)
        sm->free_records = r->next;
    else
        r = ARENA_NEW(&sm->pool, struct load_record);
    *r = (struct load_record){.slot = slot, .pc = pc};
    return r;
}

static void free_record(struct sm *sm, struct load_record *r)
{
    r->next = sm->free_records;
    sm->free_records = r;
}

/* --- what an instruction touches --- */

/* The first-level cache of a space: its lines are what lanes are joined into. */
static const struct cache_config *l1_of(const struct sm *sm, enum mem_space space)
{
    return space == MEM_CONST ? &sm->config->l1c : &sm->config->l1d;
}

/* Global memory and constants. */
static void add_global(struct sm *sm, struct ldst_op *l, uint32_t mask)
{
    const struct emu_access *last = &sm->emu.last;
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec, group = sm->config->coalesce_lanes;
    uint32_t line_bytes = l1_of(sm, l->space)->line_bytes,
             step = last->shape == UNIFORM ? 0 : bytes;
    struct line_access *out = l->access + l->n;
    if (last->shape != SCATTERED && mask == ~0u)
        l->n += coalesce_run(last->address[0], step, bytes, line_bytes, group, out);
    else
        l->n += coalesce(last->address, mask, bytes, line_bytes, group, out);
}

static void add_local(struct sm *sm, struct ldst_op *l, uint32_t mask, const uint64_t *offset)
{
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec, piece = bytes < 4 ? bytes : 4;
    uint64_t warp = (uint64_t)sm->index * SM_MAX_WARPS + l->slot, address[WARP_LANES];
    uint64_t base = LOCAL_BASE + warp * sm->emu.max_local_bytes * WARP_LANES;
    l->space = MEM_LOCAL;
    for (uint32_t done = 0; done < bytes; done += 4) {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            uint64_t at = offset[i] + done;
            address[i] = base + (at & ~3ull) * WARP_LANES + i * 4 + (at & 3);
        }
        l->n += coalesce(address, mask, piece, sm->config->l1d.line_bytes, WARP_LANES,
                         l->access + l->n);
    }
}

static void add_shared(struct sm *sm, struct ldst_op *l, uint32_t mask, const uint64_t *address)
{
    uint32_t bytes = (uint32_t)l->op->width * l->op->vec, n_banks = sm->config->shared_banks;
    bool is_run = sm->emu.last.shape != SCATTERED && mask == ~0u;
    l->shared_passes +=
        is_run && bytes == 4 && n_banks == WARP_LANES /* a bank a lane, or one word for all */
            ? 1
            : shared_passes(address, mask, bytes, n_banks);
}

/* Lanes of a generic access go where their address says. */
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

/* Atomics that could be issued may have to let the store pass first. */
static void note_store(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    w->visible_at = sm_visible_cycle(sm, now * sm->clock->period);
    if (sm->stores_visible_at == w->visible_at)
        return;
    sm->stores_visible_at = w->visible_at;
    for (uint64_t m = sm->can_issue & sm->by_class[ISSUE_ATOMIC]; m; m &= m - 1)
        sm_refresh(sm, (uint32_t)__builtin_ctzll(m), now);
}

/* What all accesses of an instruction have in common; mem_access is large, so it is written once.
 */
static void begin_accesses(const struct sm *sm, struct ldst_op *l)
{
    const struct sched_warp *w = &sm->sched_warps[l->slot];
    l->common = (struct mem_access){.launch = sm->launch,
                                    .cta = w->cta,
                                    .warp_slot = l->slot,
                                    .warp_uid = w->uid,
                                    .warp_age = w->age,
                                    .scheduler = l->slot % sm->config->n_schedulers,
                                    .pc = l->pc,
                                    .load_index = sm->timing[l->pc].load_index,
                                    .kind = l->kind,
                                    .space = l->space,
                                    .op = sm->timing[l->pc].memory_op,
                                    .source = sm->index};
}

void ldst_push(struct sm *sm, uint32_t slot, uint32_t pc, uint64_t ready_at, uint64_t now)
{
    struct ldst_op *l = &sm->ldst[(sm->ldst_head + sm->ldst_n++) % sm->config->ldst_queue];
    const struct op *op = &sm->emu.program->ops[pc];
    const struct op_timing *t = &sm->timing[pc];
    struct sm_warp *w = &sm->warps[slot];
    enum ptx_class class = op->klass;
    uint32_t mask = sm->emu.last.mask;
    bool load = is_load_class(class);
    l->slot = slot;
    l->pc = pc;
    l->op = op;
    l->entered = now;
    l->ready_at = ready_at;
    queue_enter(&sm->ldst_account, now);
    if (sm->ldst_n == 1)
        sm->ldst_due = 0;
    l->shared_passes = l->n = l->next = 0;
    l->started_shared = false;
    l->kind = load ? MEM_LOAD : MEM_STORE;
    l->space = class == PTX_CLASS_LD_CONST ? MEM_CONST : MEM_GLOBAL;
    l->uncached = class != PTX_CLASS_LD_CONST && (t->uncached || !sm->config->l1d_global);
    l->record = load && t->n_writes ? new_record(sm, slot, pc) : NULL;
    l->atomic.mask = 0;
    if (class == PTX_CLASS_ATOMIC) {
        l->atomic = sm->emu.atomic;
        memcpy(l->address, sm->emu.last.address, sizeof l->address);
    }
    if (mask)
        find_accesses(sm, l, mask);
    if (l->kind == MEM_ATOMIC)
        note_atomics(sm, l);
    if (l->kind == MEM_STORE && l->n && l->space == MEM_GLOBAL)
        note_store(sm, w, now);
    if (!l->n)
        return;
    const uint32_t *block = sm->emu.launch.block;
    l->first_thread_of_warp =
        w->emu->cta->number * block[0] * block[1] * block[2] + (uint64_t)w->emu->id * WARP_LANES;
    l->first_id = sm->next_access_id;
    sm->next_access_id += l->n;
    l->prepared = false;
    begin_accesses(sm, l);
}

/* --- one access --- */

/* What does not change however often the access is tried. */
static void prepare_access(const struct sm *sm, struct ldst_op *l)
{
    const struct line_access *x = &l->access[l->next];
    struct mem_access *a = &l->common;
    a->id = l->first_id + l->next;
    a->active_mask = x->lanes;
    a->first_lane = (uint32_t)__builtin_ctz(x->lanes);
    a->first_thread = l->first_thread_of_warp + a->first_lane;
    a->address = x->address;
    a->line = x->line;
    a->segments = x->segments;
    a->sector_mask = cache_sectors_of(l1_of(sm, l->space), x->segments);
    a->set = cache_set_of(l->space == MEM_CONST ? sm->l1c : sm->l1d, x->line);
    a->byte_mask[0] = x->bytes[0];
    a->byte_mask[1] = x->bytes[1];
    a->full_line = (x->bytes[0] & x->bytes[1]) == ~0ull;
    l->prepared = true;
    l->routed = false;
}

/* Where its line is. Not worked out before somebody asks: hits do not. */
static const struct route *route_of(const struct sm *sm, struct ldst_op *l)
{
    if (!l->routed)
        l->route = sm_route(sm, l->common.line);
    l->routed = true;
    return &l->route;
}

/* The access to do next. */
static struct mem_access *next_access(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    const struct criticality *crit = sm->criticality;
    struct mem_access *a = &l->common;
    if (!l->prepared)
        prepare_access(sm, l);
    a->cycle = now;
    if (sm->criticality_counts) {
        bool has_warp = sm->warps[l->slot].emu != NULL;
        a->criticality = has_warp ? crit->desc->value(crit, l->slot, now) : 0;
        a->is_critical = has_warp && crit->desc->is_critical(crit, l->slot, now);
    }
    return a;
}

static uint32_t segment_bytes(uint32_t segments)
{
    bool whole_line = segments == 15; /* mostly; counting bits costs more than to see it */
    return (whole_line ? 4 : (uint32_t)__builtin_popcount(segments)) * SEGMENT_BYTES;
}

static void set_bytes(struct mem_access *a, uint32_t segments)
{
    a->byte_mask[0] = a->byte_mask[1] = 0;
    for (; segments; segments &= segments - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(segments);
        a->byte_mask[i / 2] |= 0xffffffffull << i % 2 * 32;
    }
    a->full_line = (a->byte_mask[0] & a->byte_mask[1]) == ~0ull;
}

/* What local stores made dirty must be written back before its place is used again. */
void sm_queue_writeback(struct sm *sm, const struct mem_access *cause,
                        const struct cache_result *victim, uint64_t now)
{
    struct mem_access back = *cause;
    back.line = back.address = victim->victim_line;
    back.kind = MEM_STORE;
    back.space = MEM_LOCAL;
    back.sector_mask = victim->victim_sectors;
    back.segments = cache_segments_of(&sm->config->l1d, victim->victim_sectors);
    set_bytes(&back, back.segments);
    struct route route = sm_route(sm, back.line);
    uint32_t bytes = segment_bytes(back.segments);
    sm_queue_request(sm, sm_new_request(sm, &back, &route, FROM_STORE, 0, bytes), now);
}

static uint32_t free_bypass_slot(const struct sm *sm)
{
    uint32_t i = 0;
    while (sm->bypass[i])
        i++;
    return i;
}

/* Straight to the interconnect: only the segments its lanes touch (S3 section 5.1). */
static void send_bypass(struct sm *sm, struct ldst_op *l, const struct mem_access *a, uint64_t now)
{
    uint32_t slot = free_bypass_slot(sm);
    struct mem_request *r =
        sm_new_request(sm, a, route_of(sm, l), FROM_BYPASS, slot, segment_bytes(a->segments));
    if (sm->config->bypass_bytes != SEGMENT_BYTES) {
        r->access.segments = all_segments(sm->config->l1d.line_bytes);
        r->data_bytes = sm->config->l1d.line_bytes;
    }
    sm->bypass[slot] = l->record;
    sm->n_bypass++;
    l->record->outstanding++;
    sm_send(sm, r, now);
}

static bool stall(struct sm *sm, enum cache_stall cause)
{
    sm->ldst_cause = cause;
    return false;
}

static inline struct cache_room room_now(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint32_t to = route_of(sm, l)->to;
    return (struct cache_room){
        .miss_queue = !sm_miss_queue_full(sm),
        .port = tx_can_send(&sm->up, now * sm->clock->period, to, sm->header_flits),
        .bypass_table = sm->n_bypass < sm->config->bypass_slots,
    };
}

static bool load_uncached(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_result r = cache_load_around(sm->l1d, a, room_now(sm, l, now));
    if (r.answer == CACHE_STALLED)
        return stall(sm, r.stall);
    send_bypass(sm, l, a, now);
    return true;
}

/* A request for these sectors of the line. */
static struct mem_request *new_fetch(struct sm *sm, const struct mem_access *a,
                                     const struct route *route, const struct cache_config *c,
                                     enum request_origin origin, const struct cache_result *miss)
{
    uint32_t segments = cache_segments_of(c, miss->fetch_sectors);
    struct mem_request *r =
        sm_new_request(sm, a, route, origin, miss->mshr, segment_bytes(segments));
    r->access.segments = segments;
    return r;
}

static void send_miss(struct sm *sm, struct ldst_op *l, const struct mem_access *a,
                      const struct cache_result *r, uint64_t now)
{
    bool constant = l->space == MEM_CONST;
    if (r->writeback)
        sm_queue_writeback(sm, a, r, now);
    enum request_origin origin = constant ? FROM_L1C : FROM_L1D;
    sm_queue_request(sm, new_fetch(sm, a, route_of(sm, l), l1_of(sm, l->space), origin, r), now);
}

static bool load_cached(struct sm *sm, struct ldst_op *l, const struct mem_access *a, uint64_t now)
{
    bool constant = l->space == MEM_CONST;
    struct cache *c = constant ? sm->l1c : sm->l1d;
    if (cache_load_lacks_mshr(c, a))
        return stall(sm, STALL_MSHR);
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    if (sm->may_bypass)
        room = room_now(sm, l, now);
    struct cache_result r = cache_load(c, a, room, l->record);
    uint64_t done_at = now + (constant ? sm->config->const_latency : sm->config->l1d_latency);
    switch (r.answer) {
    case CACHE_STALLED:
        return stall(sm, r.stall);
    case CACHE_HIT:
        if (done_at > l->record->done_at)
            l->record->done_at = done_at;
        break;
    case CACHE_MERGE:
        l->record->outstanding++;
        break;
    case CACHE_MISS:
        l->record->outstanding++;
        send_miss(sm, l, a, &r, now);
        break;
    case CACHE_BYPASSED:
        send_bypass(sm, l, a, now);
    }
    return true;
}

/* Stores to global memory remove their line and go on; those to local memory, which nobody else
 * sees, stay until they are evicted. */
static bool store_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_room room = room_now(sm, l, now);
    if (!room.miss_queue)
        return stall(sm, STALL_MISS_QUEUE);
    struct cache_result r = cache_store(sm->l1d, a, room, NULL);
    if (r.answer == CACHE_STALLED)
        return stall(sm, r.stall);
    if (r.writeback)
        sm_queue_writeback(sm, a, &r, now);
    if (r.answer == CACHE_MISS && r.mshr != CACHE_NO_MSHR) {
        struct mem_access fetch = *a;
        fetch.kind = MEM_LOAD;
        sm_queue_request(sm, new_fetch(sm, &fetch, route_of(sm, l), &sm->config->l1d, FROM_L1D, &r),
                         now);
    }
    if (r.forward)
        sm_queue_request(
            sm, sm_new_request(sm, a, route_of(sm, l), FROM_STORE, 0, segment_bytes(a->segments)),
            now);
    return true;
}

static bool atomic_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    if (sm_miss_queue_full(sm))
        return stall(sm, STALL_MISS_QUEUE);
    if (sm->on_atomic)
        sm->on_atomic(sm->on_atomic_user, a);
    cache_invalidate_line(sm->l1d, a->line);
    struct mem_request *r =
        sm_new_request(sm, a, route_of(sm, l), FROM_ATOMIC, 0, segment_bytes(a->segments));
    if (!r->atomic)
        r->atomic = ARENA_NEW(&sm->pool, struct atomic_part);
    r->atomic->op = l->op;
    r->atomic->mask = a->active_mask;
    r->atomic->replayed = sm->emu.tracer && sm->emu.tracer->replays;
    for (uint32_t m = a->active_mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        r->atomic->address[i] = l->address[i];
        r->atomic->b[i] = l->atomic.b[i];
        r->atomic->c[i] = l->atomic.c[i];
    }
    r->waiter = l->record;
    if (l->record)
        l->record->outstanding++;
    sm_queue_request(sm, r, now);
    return true;
}

static bool do_access(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    struct mem_access *a = next_access(sm, l, now);
    if (l->kind == MEM_ATOMIC)
        return atomic_access(sm, l, a, now);
    if (l->kind == MEM_STORE) {
        bool ok = store_access(sm, l, a, now);
        sm->stats.store_requests += ok;
        return ok;
    }
    if (l->record == NULL) /* a load whose result nobody wants still asks for its line */
        l->record = new_record(sm, l->slot, l->pc);
    bool around = l->uncached && l->space == MEM_GLOBAL;
    bool ok = around ? load_uncached(sm, l, a, now) : load_cached(sm, l, a, now);
    sm->stats.load_requests += ok && l->space != MEM_CONST;
    return ok;
}

/* --- stepping --- */

static void release_record(struct sm *sm, struct load_record *r, uint64_t now)
{
    uint64_t at = r->done_at > now ? r->done_at : now + 1;
    struct wheel_event e = {EV_RELEASE, r->pc, &sm->warps[r->slot]};
    wheel_add(&sm->wheel, now, at, e);
    free_record(sm, r);
}

void record_reply(struct sm *sm, struct load_record *r, uint64_t now)
{
    r->outstanding--;
    if (!r->all_sent || r->outstanding)
        return;
    uint32_t slot = r->slot, pc = r->pc;
    if (r->done_at > now) {
        release_record(sm, r, now);
        return;
    }
    free_record(sm, r);
    sm_release(sm, &sm->warps[slot], pc, now);
}

static void finish_op(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    struct load_record *r = l->record;
    if (r) {
        r->all_sent = true;
        if (!r->outstanding)
            release_record(sm, r, now);
    }
    sm->ldst_head = sm->ldst_head + 1 < sm->config->ldst_queue ? sm->ldst_head + 1 : 0;
    sm->ldst_n--;
    if (sm->can_issue & sm->by_unit[UNIT_LDST])
        sm->issue_due = 0;
    queue_leave(&sm->ldst_account, l->entered, now);
}

static void begin_shared(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    l->started_shared = true;
    sm->ldst_busy_until = now + l->shared_passes;
    sm->stats.shared_passes += l->shared_passes;
    if (l->record)
        l->record->done_at = now + l->shared_passes - 1 + sm->config->shared_latency;
}

/* A stalled access waits until ldst_wake(), unless only the port is in its way. */
static uint64_t stalled_until(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint64_t next = cache_next_change(sm->l1d, now);
    if (sm->ldst_cause != STALL_PORT && !sm->answers_drift)
        return next;
    sim_time t =
        tx_ready_at(&sm->up, now * sm->clock->period, route_of(sm, l)->to, sm->header_flits);
    uint64_t open = t == TIME_NEVER ? UINT64_MAX : sm_cycle_at(sm, t);
    return open < next ? open : next;
}

/* Will the access to do next find no MSHR in the next cycle, whatever else it needs? Nothing but a
 * fill can change that, and a fill wakes the unit; so it need not be tried to find that out. */
static bool foresees_stall(struct sm *sm, struct ldst_op *l)
{
    bool plain_load = l->kind == MEM_LOAD && l->space != MEM_CONST && !l->uncached;
    bool first_shared = l->shared_passes && !l->started_shared;
    if (!plain_load || first_shared || l->next == l->n || !cache_waits_for_mshrs(sm->l1d))
        return false;
    if (!l->prepared)
        prepare_access(sm, l);
    return cache_load_lacks_mshr(sm->l1d, &l->common);
}

/* As if it had been tried at `at`. */
static void stall_from(struct sm *sm, uint64_t at)
{
    sm->ldst_stalled = true;
    sm->ldst_cause = STALL_MSHR;
    sm->ldst_stalled_since = at;
    sm->ldst_due = UINT64_MAX;
}

/* When the unit has something to do again, as things are. */
static uint64_t ldst_next(const struct sm *sm, uint64_t now)
{
    if (!sm->ldst_n)
        return UINT64_MAX;
    struct ldst_op *l = ldst_front(sm);
    if (sm->ldst_stalled)
        return stalled_until(sm, l, now);
    return l->ready_at > sm->ldst_busy_until ? l->ready_at : sm->ldst_busy_until;
}

/* One access, or the passes of one in shared memory. */
static void work_on(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    if (l->shared_passes && !l->started_shared) {
        begin_shared(sm, l, now);
        if (!l->n)
            finish_op(sm, l, now);
        return;
    }
    if (l->next < l->n) {
        if (!do_access(sm, l, now)) {
            sm->ldst_stalled = true;
            sm->ldst_stalled_since = now;
            return;
        }
        l->next++;
        l->prepared = false;
    }
    if (l->next == l->n)
        finish_op(sm, l, now);
}

void ldst_step(struct sm *sm, uint64_t now)
{
    if (!sm->ldst_n)
        return;
    struct ldst_op *l = ldst_front(sm);
    if (now >= l->ready_at && now >= sm->ldst_busy_until) {
        if (sm->ldst_stalled)
            sm->stats.stall_cycles[sm->ldst_cause] += now - sm->ldst_stalled_since;
        sm->ldst_stalled = false;
        work_on(sm, l, now);
    }
    sm->ldst_due = ldst_next(sm, now);
    if (sm->ldst_due <= now + 1 && !sm->ldst_stalled && sm_looks_ahead(sm) &&
        foresees_stall(sm, ldst_front(sm)))
        stall_from(sm, now + 1);
}
