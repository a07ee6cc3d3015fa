/* Accesses of the load/store unit that do not begin with a look-up: stores, atomics, bypassed loads
 * and write-backs; and the records of loads. */
#include "sm/ldst.h"

/* --- records --- */

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

void sm_schedule_release(struct sm *sm, struct load_record *r, uint64_t now)
{
    if (r->done_at == UINT64_MAX) { /* the record of an atomic's data */
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
        sm_schedule_release(sm, r, now);
        return;
    }
    sm_free_record(sm, r);
    sm_release(sm, &sm->warps[slot], pc, now);
}

/* --- accesses --- */

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
    mem_bytes_of_segments(back.segments, back.byte_mask);
    struct route route = sm_route(sm, back.line);
    uint32_t bytes = sm_segment_bytes(back.segments);
    sm_queue_request(sm, sm_new_request(sm, &back, &route, FROM_STORE, 0, bytes), now);
}

void sm_remove_line(struct sm *sm, uint64_t line)
{
    cache_invalidate_line(sm->l1d, line);
    ldst_wake(sm, ~0u); /* its way is free, and the line can be fetched again */
}

/* It fetches only the segments that its lanes touch, unless configured otherwise (S3 section 5.1).
 */
struct mem_request *sm_new_bypass(struct sm *sm, const struct mem_access *a,
                                  const struct route *route, struct load_record *record)
{
    uint32_t slot = sm->ldst.free_bypass[sm->ldst.n_bypass++];
    struct mem_request *r =
        sm_new_request(sm, a, route, FROM_BYPASS, slot, sm_segment_bytes(a->segments));
    if (sm->config->bypass_bytes != SEGMENT_BYTES) {
        r->access.segments = coalesce_all_segments(sm->config->l1d.line_bytes);
        r->data_bytes = sm->config->l1d.line_bytes;
    }
    sm->ldst.bypass[slot] = record;
    return r;
}

/* A bypassed load goes straight to the interconnect. */
void ldst_send_bypass(struct sm *sm, struct ldst_op *l, const struct mem_access *a, uint64_t now)
{
    struct mem_request *r = sm_new_bypass(sm, a, ldst_route(sm, l), l->record);
    l->record->outstanding++;
    sm_send(sm, r, now);
}

static bool load_uncached(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_result r = cache_load_bypassing(sm->l1d, a, ldst_room(sm, l, now));
    if (r.answer == CACHE_STALLED)
        return ldst_stall(sm, r.stall);
    ldst_send_bypass(sm, l, a, now);
    return true;
}

/* Stores to global memory remove their line and continue to L2; those to local memory, which no
 * other SM sees, stay until they are evicted. */
static bool store_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct cache_resources room = ldst_room(sm, l, now);
    if (!room.miss_queue)
        return ldst_stall(sm, STALL_MISS_QUEUE);
    struct cache_result r = cache_store(sm->l1d, a, room, NULL);
    if (r.answer == CACHE_STALLED)
        return ldst_stall(sm, r.stall);
    if (sm->atomics.mutexes && a->space == MEM_GLOBAL)
        sm_store_under_mutex(sm, a->line, now);
    if (r.writeback)
        sm_queue_writeback(sm, a, cache_victim(sm->l1d), now);
    if (r.answer == CACHE_MISS && r.mshr != CACHE_NO_MSHR) {
        struct mem_access fetch = *a;
        fetch.kind = MEM_LOAD;
        uint32_t segments = cache_segments_of(&sm->config->l1d, r.fetch_sectors);
        sm_request_line(sm, &fetch, *ldst_route(sm, l), segments, FROM_L1D, r.mshr, now);
    }
    if (r.forward)
        sm_submit(
            sm,
            sm_new_request(sm, a, ldst_route(sm, l), FROM_STORE, 0, sm_segment_bytes(a->segments)),
            now);
    return true;
}

static struct mem_request *new_atomic(struct sm *sm, struct ldst_op *l, const struct mem_access *a)
{
    struct mem_request *r =
        sm_new_request(sm, a, ldst_route(sm, l), FROM_ATOMIC, 0, sm_segment_bytes(a->segments));
    if (!r->atomic)
        r->atomic = ARENA_NEW(&sm->pool, struct atomic_request);
    bool replayed = sm->emu.tracer && sm->emu.tracer->replays;
    atomic_request_gather(r->atomic, l->op, a->active_mask, l->address, &l->atomic, replayed);
    r->waiter = l->record;
    if (l->record)
        l->record->outstanding++;
    return r;
}

static bool atomic_access(struct sm *sm, struct ldst_op *l, struct mem_access *a, uint64_t now)
{
    struct atomics_resources room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct atomics_taken taken = sm->atomics.desc->take(&sm->atomics, a, room);
    if (taken.step == ATOMICS_WAIT)
        return ldst_stall(sm, taken.cause);
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

bool ldst_do_other(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    ldst_prepare(sm, l, cache_set_of(l->l1, l->access[l->next].line));
    bool found = sm->ldst.rates_if_found && l->kind == MEM_LOAD &&
                 cache_find(l->l1, l->current.line).way >= 0;
    struct mem_access *a = ldst_try(sm, l, found, now);
    if (l->kind == MEM_LOAD)
        return load_uncached(sm, l, a, now);
    if (l->kind == MEM_STORE)
        return store_access(sm, l, a, now);
    assert(l->kind == MEM_ATOMIC);
    return atomic_access(sm, l, a, now);
}
