/* The load/store unit: one memory instruction at a time, one access a cycle. When an access cannot
 * be accepted it waits here and everything behind it waits too (S2 Fig. 1). */
#include <string.h>

#include "cache/fast.h"
#include "sm/send.h"

struct load_record *sm_new_record(struct sm *sm, uint32_t slot, uint32_t pc)
{
    struct load_record *r = sm->ldst.free_records;
    if (r)
        sm->ldst.free_records = r->next;
    else
        r = ARENA_NEW(&sm->pool, struct load_record);
    *r = (struct load_record){.slot = slot, .pc = pc, .outstanding = 1};
    return r;
}

void sm_free_record(struct sm *sm, struct load_record *r)
{
    r->next = sm->ldst.free_records;
    sm->ldst.free_records = r;
}

/* --- one access --- */

/* The fields in which the next access differs from the others of its instruction; they do not
 * change between tries. */
static inline void describe(const struct sm *sm, struct ldst_op *l, uint32_t set, uint32_t sectors)
{
    const struct line_access *x = &l->access[l->next];
    struct mem_access *a = &l->common;
    a->line = x->line;
    a->segments = x->segments;
    a->sector_mask = sectors;
    a->set = set;
    if (l->in_detail || sm->ldst.shows_loads) {
        a->active_mask = x->lanes;
        a->id = l->first_id + l->next;
        a->first_lane = (uint32_t)__builtin_ctz(x->lanes);
        a->first_thread = l->first_thread_of_warp + a->first_lane;
    }
    if (l->in_detail) {
        const struct line_detail *d = &l->detail[l->next];
        a->address = d->address;
        memcpy(a->byte_mask, d->bytes, sizeof d->bytes);
        a->full_line = (d->bytes[0] & d->bytes[1]) == ~0ull;
    }
    l->prepared = l->next + 1;
    l->routed = false;
}

static inline void prepare(const struct sm *sm, struct ldst_op *l, uint32_t set)
{
    if (l->prepared != l->next + 1)
        describe(sm, l, set, cache_asked_sectors(l->l1, l->access[l->next].segments));
}

/* The slice of its line. Computed only when needed: hits do not need it. */
static inline __attribute__((always_inline)) const struct route *route_of(const struct sm *sm,
                                                                          struct ldst_op *l)
{
    if (!l->routed)
        l->route = sm_route(sm, l->common.line);
    l->routed = true;
    return &l->route;
}

/* The fields that change with each try; `found`: the line of the load has a way. */
static inline struct mem_access *try_access(const struct sm *sm, struct ldst_op *l, bool found,
                                            uint64_t now)
{
    const struct criticality *crit = sm->criticality;
    struct mem_access *a = &l->common;
    a->cycle = now;
    if (sm->ldst.rates_accesses) {
        bool matters = sm->warps[l->slot].emu && (!sm->ldst.rates_found_only || found);
        a->criticality = matters ? crit->desc->value(crit, l->slot, now) : 0;
        a->is_critical = matters && crit->desc->is_critical(crit, l->slot, now);
    }
    return a;
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

/* A line that local stores made dirty must be written back before its way is reused. */
void sm_queue_writeback(struct sm *sm, const struct mem_access *cause,
                        const struct cache_victim *victim, uint64_t now)
{
    struct mem_access back = *cause;
    back.line = back.address = victim->line;
    back.kind = MEM_STORE;
    back.space = MEM_LOCAL;
    back.sector_mask = victim->sectors;
    back.segments = cache_segments_of(&sm->config->l1d, victim->sectors);
    set_bytes(&back, back.segments);
    struct route route = sm_route(sm, back.line);
    uint32_t bytes = sm_segment_bytes(back.segments);
    sm_queue_request(sm, sm_new_request(sm, &back, &route, FROM_STORE, 0, bytes), now);
}

/* A bypassed load goes straight to the interconnect and fetches only the segments that its lanes
 * touch (S3 section 5.1). */
static void send_bypass(struct sm *sm, struct ldst_op *l, const struct mem_access *a, uint64_t now)
{
    uint32_t slot = sm->ldst.free_bypass[sm->ldst.n_bypass];
    struct mem_request *r =
        sm_new_request(sm, a, route_of(sm, l), FROM_BYPASS, slot, sm_segment_bytes(a->segments));
    if (sm->config->bypass_bytes != SEGMENT_BYTES) {
        r->access.segments = coalesce_all_segments(sm->config->l1d.line_bytes);
        r->data_bytes = sm->config->l1d.line_bytes;
    }
    sm->ldst.bypass[slot] = l->record;
    sm->ldst.n_bypass++;
    l->record->outstanding++;
    sm_send(sm, r, now);
}

static bool stall(struct sm *sm, enum cache_stall cause)
{
    sm->ldst.cause = cause;
    return false;
}

static inline struct cache_room room_now(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint32_t to = route_of(sm, l)->to;
    return (struct cache_room){
        .miss_queue = !sm_miss_queue_full(sm),
        .port = tx_can_send(&sm->out.port, now * sm->clock->period, to, sm->out.header_flits),
        .bypass_table = sm->ldst.n_bypass < sm->config->bypass_slots,
    };
}

static bool load_uncached(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_result r = cache_load_bypassing(sm->l1d, a, room_now(sm, l, now));
    if (r.answer == CACHE_STALLED)
        return stall(sm, r.stall);
    send_bypass(sm, l, a, now);
    return true;
}

static inline void note_hit(const struct ldst_op *l, uint64_t now)
{
    if (now + l->hit_latency > l->record->done_at)
        l->record->done_at = now + l->hit_latency;
}

/* Fetches the sectors that the cache asks for. */
static inline void send_miss(struct sm *sm, struct ldst_op *l, const struct mem_access *a,
                             struct cache_result r, uint64_t now)
{
    if (r.writeback)
        sm_queue_writeback(sm, a, cache_victim(l->l1), now);
    enum request_origin origin = l->space == MEM_CONST ? FROM_L1C : FROM_L1D;
    struct route route = sm->ldst.may_bypass ? l->route : sm_route(sm, a->line);
    uint32_t segments = cache_fetched_segments(l->l1, r.fetch_sectors);
    sm_fetch_line(sm, a, route, segments, origin, r.mshr, now);
}

/* A load that the fast path declines. Not inline: it needs all registers. */
static __attribute__((noinline)) bool load_cached(struct sm *sm, struct ldst_op *l,
                                                  struct cache_place at, uint64_t now)
{
    prepare(sm, l, at.set->set);
    const struct mem_access *a = try_access(sm, l, at.way >= 0, now);
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    if (sm->ldst.may_bypass)
        room = room_now(sm, l, now);
    struct cache_result r = cache_load_at(l->l1, a, &room, l->record, at);
    if (r.answer == CACHE_STALLED)
        return stall(sm, r.stall);
    if (r.answer == CACHE_HIT) {
        note_hit(l, now);
    } else if (r.answer == CACHE_BYPASSED) {
        send_bypass(sm, l, a, now);
    } else { /* it waits for a miss, its own or another's */
        l->record->outstanding++;
        if (r.answer == CACHE_MISS) {
            l->absent_from = NULL;
            send_miss(sm, l, a, r, now);
        }
    }
    return true;
}

/* Stores to global memory remove their line and continue to L2; those to local memory, which no
 * other SM sees, stay until they are evicted. */
static bool store_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_room room = room_now(sm, l, now);
    if (!room.miss_queue)
        return stall(sm, STALL_MISS_QUEUE);
    struct cache_result r = cache_store(sm->l1d, a, room, NULL);
    if (r.answer == CACHE_STALLED)
        return stall(sm, r.stall);
    if (sm->atomics.mutexes && a->space == MEM_GLOBAL)
        sm_store_under_mutex(sm, a->line, now);
    if (r.writeback)
        sm_queue_writeback(sm, a, cache_victim(sm->l1d), now);
    if (r.answer == CACHE_MISS && r.mshr != CACHE_NO_MSHR) {
        struct mem_access fetch = *a;
        fetch.kind = MEM_LOAD;
        uint32_t segments = cache_segments_of(&sm->config->l1d, r.fetch_sectors);
        sm_fetch_line(sm, &fetch, *route_of(sm, l), segments, FROM_L1D, r.mshr, now);
    }
    if (r.forward)
        sm_submit(
            sm,
            sm_new_request(sm, a, route_of(sm, l), FROM_STORE, 0, sm_segment_bytes(a->segments)),
            now);
    return true;
}

static struct mem_request *new_atomic(struct sm *sm, struct ldst_op *l, const struct mem_access *a)
{
    struct mem_request *r =
        sm_new_request(sm, a, route_of(sm, l), FROM_ATOMIC, 0, sm_segment_bytes(a->segments));
    if (!r->atomic)
        r->atomic = ARENA_NEW(&sm->pool, struct atomic_part);
    bool replayed = sm->emu.tracer && sm->emu.tracer->replays;
    atomic_part_gather(r->atomic, l->op, a->active_mask, l->address, &l->atomic, replayed);
    r->waiter = l->record;
    if (l->record)
        l->record->outstanding++;
    return r;
}

static bool atomic_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct atomics_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct atomics_taken taken = sm->atomics.desc->take(&sm->atomics, a, room);
    if (taken.step == ATOMICS_WAIT)
        return stall(sm, taken.cause);
    if (taken.step == ATOMICS_HERE) {
        mutex_unit_enter(sm->atomics.mutexes, new_atomic(sm, l, a), now);
        return true;
    }
    for (uint32_t i = 0; i < sm->n_l1d_watchers; i++)
        sm->l1d_watchers[i].on_atomic(sm->l1d_watchers[i].user, a);
    cache_invalidate_line(sm->l1d, a->line);
    sm_submit(sm, new_atomic(sm, l, a), now);
    return true;
}

/* Stores, atomics, and loads that the program marks as uncached. */
static __attribute__((noinline)) bool do_other(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    prepare(sm, l, cache_set_of(l->l1, l->access[l->next].line));
    bool found = sm->ldst.rates_found_only && l->kind == MEM_LOAD &&
                 cache_find(l->l1, l->common.line).way >= 0;
    struct mem_access *a = try_access(sm, l, found, now);
    if (l->kind == MEM_LOAD)
        return load_uncached(sm, l, a, now);
    if (l->kind == MEM_STORE)
        return store_access(sm, l, a, now);
    assert(l->kind == MEM_ATOMIC);
    return atomic_access(sm, l, a, now);
}

/* Notifies listeners of a hit in cycle `now`. */
static inline void tell_hit(struct sm *sm, struct ldst_op *l, struct cache_place at,
                            uint32_t sectors, uint64_t now)
{
    describe(sm, l, at.set->set, sectors);
    cache_load_hits(l->l1, at, try_access(sm, l, true, now));
}

/* Does hits that have listeners, for the accesses after that of cycle `now`, at most `most`.
 * Returns their number. */
static uint32_t tell_more_hits(struct sm *sm, struct ldst_op *l, uint32_t most, uint64_t now)
{
    uint32_t first = l->next, last = first + most;
    while (l->next < last) {
        const struct line_access *x = &l->access[l->next + 1];
        struct cache_place at = cache_find(l->l1, x->line);
        uint32_t sectors = cache_asked_sectors(l->l1, x->segments);
        if (!cache_hits(l->l1, at, sectors))
            break;
        l->next++;
        tell_hit(sm, l, at, sectors, ++now);
    }
    return l->next - first;
}

/* The first cycle in which something else may be due in the SM, `end` at the latest. */
static inline uint64_t alone_until(const struct sm *sm, uint64_t end)
{
    if (sm->fetch.ready && !sm->fetch.stalled)
        return 0;
    uint64_t first = sm->issue.due < end ? sm->issue.due : end;
    first = sm->wheel.due < first ? sm->wheel.due : first;
    return sm->in.queue.due < first ? sm->in.queue.due : first;
}

/* Until when hits of a cache may be done ahead of their time. Only replies and the unit's own
 * accesses change what is in it. A policy that listens to hits may depend on what issues in
 * between; an observer does. */
static inline uint64_t hits_until(const struct sm *sm, const struct cache *c, bool told,
                                  uint64_t end)
{
    if (told && (cache_watches_hits(c) || (sm->ldst.hits_mind_issue && sm->out.n)))
        return 0;
    if (told && sm->ldst.hits_mind_issue)
        return alone_until(sm, end);
    return sm->in.queue.due < sm->end ? sm->in.queue.due : sm->end;
}

/* Does a hit in cycle `now` and the hits that follow it, except for the last access, which ends the
 * instruction in its own cycle. */
static inline void hit_ahead(struct sm *sm, struct ldst_op *l, bool told, uint64_t now,
                             uint64_t end)
{
    uint32_t left = l->n - l->next;
    if (left > 2 && sm->goes_by_dues && !sm->in.n_put_off) {
        uint64_t until = hits_until(sm, l->l1, told, end);
        uint64_t most = until > now + 1 ? until - now - 1 : 0;
        uint32_t n = most < left - 2 ? (uint32_t)most : left - 2;
        n = told ? tell_more_hits(sm, l, n, now)
                 : cache_load_more(l->l1, l->access + l->next + 1, n, l->pc);
        l->next += told ? 0 : n;
        now += n;
        sm->ldst.busy_until = now + 1;
    }
    note_hit(l, now);
}

/* The same for hits that have listeners. Not inline: other accesses would lose registers to it. */
static __attribute__((noinline)) void tell_hits(struct sm *sm, struct ldst_op *l,
                                                struct cache_place at, uint32_t sectors,
                                                uint64_t now, uint64_t end)
{
    tell_hit(sm, l, at, sectors, now);
    hit_ahead(sm, l, true, now, end);
}

/* Does the next access; false if it has to wait. Only accesses that the fast path declines need a
 * struct mem_access. */
static inline bool do_access(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    if (!l->looks_up)
        return do_other(sm, l, now);
    const struct line_access *x = &l->access[l->next];
    struct cache_place at = {l->absent_from, -1};
    if (!at.set)
        at = cache_find(l->l1, x->line);
    uint32_t sectors = at.way < 0 ? 0 : cache_asked_sectors(l->l1, x->segments);
    enum cache_fast fast = cache_load_fast(l->l1, at, sectors, l->pc);
    if (fast == CACHE_FAST_LISTENERS)
        tell_hits(sm, l, at, sectors, now, end);
    if (fast == CACHE_FAST_HIT)
        hit_ahead(sm, l, false, now, end);
    if (fast == CACHE_FAST_HIT || fast == CACHE_FAST_LISTENERS)
        return true;
    if (fast == CACHE_FAST_NO_MSHR) {
        l->absent_from = at.set;
        return stall(sm, STALL_MSHR);
    }
    return load_cached(sm, l, at, now);
}

/* --- stepping --- */

static void release_record(struct sm *sm, struct load_record *r, uint64_t now)
{
    if (r->done_at == UINT64_MAX) { /* data for an atomic */
        sm_mutex_data(sm, r, now);
        sm_free_record(sm, r);
        return;
    }
    uint64_t at = r->done_at > now ? r->done_at : now + 1;
    struct wheel_event e = {EV_RELEASE, r->pc, &sm->warps[r->slot]};
    wheel_add(&sm->wheel, now, at, e);
    sm_free_record(sm, r);
}

void sm_record_done(struct sm *sm, struct load_record *r, uint64_t now)
{
    uint32_t slot = r->slot, pc = r->pc;
    if (r->done_at > now) {
        release_record(sm, r, now);
        return;
    }
    sm_free_record(sm, r);
    sm_release(sm, &sm->warps[slot], pc, now);
}

static void finish_op(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    struct load_record *r = l->record;
    if (r) {
        r->all_sent = true;
        if (!--r->outstanding)
            release_record(sm, r, now);
    }
    sm->ldst.head = sm->ldst.head + 1 < sm->config->ldst_queue ? sm->ldst.head + 1 : 0;
    sm->ldst.first = &sm->ldst.ops[sm->ldst.head];
    sm->ldst.n--;
    if (sm->issue.ready & sm->issue.by_unit[UNIT_LDST])
        sm->issue.due = 0;
    queue_leave(&sm->ldst.account, l->entered, now);
}

static void begin_shared(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    sm->ldst.busy_until = now + l->shared_passes;
    sm->stats.shared_passes += l->shared_passes;
    if (l->record)
        l->record->done_at = now + l->shared_passes - 1 + sm->config->shared_latency;
    l->shared_passes = 0;
    if (!l->n)
        finish_op(sm, l, now);
}

/* A stalled access waits until ldst_wake(), unless it waits only for the port. */
static uint64_t stalled_until(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint64_t next = sm->ldst.changes_alone ? cache_next_change(sm->l1d, now) : UINT64_MAX;
    bool may_bypass = sm->ldst.stalls_may_bypass && sm->ldst.n_bypass < sm->config->bypass_slots;
    if (sm->ldst.cause != STALL_PORT && !may_bypass)
        return next;
    sim_time t = tx_ready_at(&sm->out.port, now * sm->clock->period, route_of(sm, l)->to,
                             sm->out.header_flits);
    uint64_t open = t == TIME_NEVER ? UINT64_MAX : sm_cycle_at(sm, t);
    return open < next ? open : next;
}

/* The next cycle in which the unit has something to do, as far as known now. */
static void plan_ldst(struct sm *sm, uint64_t now)
{
    if (!sm->ldst.n) {
        sm->ldst.due = UINT64_MAX;
        return;
    }
    struct ldst_op *l = sm->ldst.first;
    if (sm->ldst.stalled)
        sm->ldst.due = stalled_until(sm, l, now);
    else
        sm->ldst.due = l->ready_at > sm->ldst.busy_until ? l->ready_at : sm->ldst.busy_until;
}

static void end_stall(struct sm *sm, uint64_t now)
{
    if (sm->ldst.stalled)
        sm->stats.stall_cycles[sm->ldst.cause] += now - sm->ldst.stalled_since;
    sm->ldst.stalled = false;
}

/* Which L1D events the scheduler listens to depends on the warp of the access. */
static void choose_events(struct sm *sm, uint32_t slot)
{
    bool all = sm->scheduler->l1d_warps >> slot & 1;
    if (all != sm->ldst.tells_all)
        sm_change_l1d_events(sm, all);
}

/* Does the accesses of the unit's instruction, one per cycle, from cycle `now` on, as long as
 * nothing else can happen in the SM: before `end`, and while no request waits to leave. Returns the
 * last cycle. */
static uint64_t do_accesses(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    uint32_t first = l->next;
    if (sm->ldst.tells_some)
        choose_events(sm, l->slot);
    while (l->next < l->n) {
        if (!do_access(sm, l, now, end)) {
            sm->ldst.stalled = true;
            sm->ldst.stalled_since = now;
            break;
        }
        l->next++;
        uint64_t next = sm->ldst.busy_until > now ? sm->ldst.busy_until : now + 1;
        if (l->next == l->n || sm->out.n || next >= alone_until(sm, end))
            break;
        now = next;
    }
    if (l->next != first) /* one without accesses has no counter */
        *l->n_requests += l->next - first;
    if (l->next == l->n)
        finish_op(sm, l, now);
    return now;
}

uint64_t ldst_step(struct sm *sm, uint64_t now, uint64_t end)
{
    while (sm->ldst.n) {
        struct ldst_op *l = sm->ldst.first;
        if (now >= l->ready_at && now >= sm->ldst.busy_until) {
            end_stall(sm, now);
            if (l->shared_passes)
                begin_shared(sm, l, now);
            else
                now = do_accesses(sm, l, now, end);
        }
        plan_ldst(sm, now);
        uint64_t next = sm->ldst.due > now ? sm->ldst.due : now + 1;
        if (next >= end || sm->out.n || next >= alone_until(sm, end))
            break;
        now = next;
    }
    return now;
}
