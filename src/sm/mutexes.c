/* What an SM does for its mutex unit (atomics/mutex_unit.h) if atomics are performed in SMs: data
 * through L1D, writes and messages. */
#include <stdlib.h>

#include "cache/cache.h"
#include "sm/send.h"

/* Slots of load records that belong to no warp. */
enum { SLOT_OF_FETCH = SM_MAX_WARPS, SLOT_OF_BYPASS };

/* --- data --- */

static uint32_t sectors(void *user, uint64_t line)
{
    return cache_valid_sectors(((const struct sm *)user)->l1d, line);
}

static void drop(void *user, uint64_t line)
{
    struct sm *sm = user;
    struct mem_access a = {.kind = MEM_ATOMIC,
                           .space = MEM_GLOBAL,
                           .launch = sm->launch,
                           .source = sm->index,
                           .line = line,
                           .address = line,
                           .set = cache_set_of(sm->l1d, line)};
    for (uint32_t i = 0; i < sm->n_l1d_watchers; i++)
        sm->l1d_watchers[i].on_atomic(sm->l1d_watchers[i].user, &a);
    sm_remove_line(sm, line);
}

/* Data of a load, in flight or in L1D, may be older than the mutex. */
static bool has_others_data(struct sm *sm, const struct mem_access *a)
{
    return sectors(sm, a->line) & a->sector_mask || cache_mshr_for(sm->l1d, a) != CACHE_NO_MSHR;
}

static struct load_record *new_record(struct sm *sm, uint32_t number)
{
    struct load_record *record = sm_new_record(sm, SLOT_OF_FETCH, number);
    record->all_performed = true;
    record->done_at = UINT64_MAX; /* no warp waits for it */
    return record;
}

static bool fetch(void *user, struct mutex_fetch *f, uint32_t number, uint64_t now)
{
    struct sm *sm = user;
    struct mem_access *a = &f->access;
    bool room = !sm_miss_queue_full(sm);
    struct cache_resources all = {.miss_queue = room,
                                  .port = room,
                                  .bypass_table = sm->ldst.n_bypass < sm->config->bypass_slots};
    if (!room)
        return false;
    a->cycle = now;
    a->for_atomic = true;
    a->set = cache_set_of(sm->l1d, a->line);
    bool around = f->around || !sm->config->l1d_global || (!f->fresh && has_others_data(sm, a));
    if (!around && f->fresh)
        drop(sm, a->line);
    struct load_record *record = new_record(sm, number);
    struct cache_result r =
        around ? cache_load_bypassing(sm->l1d, a, all) : cache_load(sm->l1d, a, all, record);
    if (r.answer == CACHE_STALLED) {
        sm_free_record(sm, record);
        return false;
    }
    assert(r.answer == CACHE_MISS || r.answer == CACHE_BYPASSED);
    sm->stats.atomic_fetches++;
    sm->ldst.first->absent_from = NULL; /* the line that the access waits for may have a way now */
    if (r.answer == CACHE_BYPASSED) {
        record->slot = SLOT_OF_BYPASS;
        struct route route = sm_route(sm, a->line); /* behind earlier writes, in the miss queue */
        sm_submit(sm, sm_new_bypass(sm, a, &route, record), now);
        return true;
    }
    if (r.writeback)
        sm_queue_writeback(sm, a, cache_victim(sm->l1d), now);
    uint32_t segments = cache_segments_of(&sm->config->l1d, r.fetch_sectors);
    sm_request_line(sm, a, sm_route(sm, a->line), segments, FROM_ATOMIC_FETCH, r.mshr, now);
    return true;
}

void sm_mutex_data(struct sm *sm, const struct load_record *record, uint64_t now)
{
    mutex_unit_data(sm->atomics.mutexes, record->pc, sm->in.n_writes, record->slot == SLOT_OF_FETCH,
                    now);
}

/* --- changes --- */

static uint32_t segments_of(const uint64_t bytes[2])
{
    uint32_t segments = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (bytes[i / 2] >> i % 2 * 32 & 0xffffffff)
            segments |= 1u << i;
    return segments;
}

static bool write(void *user, const struct mutex_line *l, uint32_t mutex, uint64_t now)
{
    struct sm *sm = user;
    struct mem_access a = l->access;
    if (sm_miss_queue_full(sm))
        return false;
    a.kind = MEM_STORE;
    a.for_atomic = true;
    a.cycle = now;
    a.line = a.address = l->line;
    a.byte_mask[0] = l->changed[0];
    a.byte_mask[1] = l->changed[1];
    a.segments = segments_of(l->changed);
    a.sector_mask = cache_sectors_of(&sm->config->l1d, a.segments);
    struct route route = sm_route(sm, a.line);
    uint32_t bytes = sm_segment_bytes(a.segments);
    sm_submit(sm, sm_new_request(sm, &a, &route, FROM_ATOMIC_WRITE, mutex, bytes), now);
    return true;
}

/* There is room for two requests: the store, and the write-back of a dirty line. (A store that
 * removes its line has none.)
 *
 * MODEL: in an L1D that keeps stored data (write_evict: false), the store passes the data that
 * atomics changed; these are written when the mutex drains. Retention ends anyway. */
void sm_store_under_mutex(struct sm *sm, uint64_t line, uint64_t now)
{
    if (sm->config->l1d.write_evict)
        mutex_unit_store(sm->atomics.mutexes, line, now);
    else
        mutex_unit_lose(sm->atomics.mutexes, line);
}

/* The bytes of the line that the lanes changed. */
static void find_changes(const struct sm *sm, const struct atomic_request *p, uint64_t changed[2])
{
    for (uint32_t m = p->changed; m; m &= m - 1) {
        uint64_t at = p->address[__builtin_ctz(m)] & (sm->config->l1d.line_bytes - 1);
        changed[at / 64] |= ((1ull << p->op->width) - 1) << at % 64;
    }
}

static void perform(void *user, struct mem_request *r, uint32_t busy, uint64_t now,
                    uint64_t changed[2])
{
    struct sm *sm = user;
    r->atomic->performed_at = now * sm->clock->period;
    atomic_request_perform(r->atomic, sm->emu.mem, sm->atomics.overlay);
    find_changes(sm, r->atomic, changed);
    wheel_add(&sm->wheel, now, now + busy + sm->config->l1d_latency,
              (struct wheel_event){EV_ANSWER, 0, r});
    shard_await_boundary(&sm->shard);
}

/* --- messages --- */

static void send(void *user, uint32_t to, uint64_t at, uintptr_t text, uint64_t now)
{
    struct sm *sm = user;
    shard_send(&sm->shard, now * sm->clock->period,
               (struct message){.at = at * sm->clock->period,
                                .to = sm->shard.id - sm->index + to,
                                .kind = MSG_MUTEX,
                                .body = (void *)text});
}

static void hear(void *user, struct sm *sm, const struct message *m, uint64_t now)
{
    (void)user;
    uint32_t from = m->from - (sm->shard.id - sm->index);
    mutex_unit_hear(sm->atomics.mutexes, from, (uintptr_t)m->body, now);
}

/* --- the rest --- */

static const struct mutex_host host = {.fetch = fetch,
                                       .write = write,
                                       .sectors = sectors,
                                       .drop = drop,
                                       .send = send,
                                       .perform = perform};

static void observe_evictions(void *user, const struct cache_event_info *e)
{
    struct sm *sm = user;
    mutex_unit_lose(sm->atomics.mutexes, e->line->line);
}

void sm_create_mutexes(struct sm *sm, const struct sm_setup *setup)
{
    if (!setup->atomics->net)
        return;
    sm->atomics.mutexes = mutex_unit_create(&(struct mutex_setup){
        .params = setup->atomics_params,
        .net = setup->atomics->net,
        .host = &host,
        .sm = sm,
        .index = sm->index,
        .n_sms = setup->n_sms,
        .line_bytes = setup->config->l1d.line_bytes,
        .per_cycle = setup->atomics_per_cycle,
        .period = setup->clock->period,
        .visibility = setup->visibility,
        .ledger = setup->ledger,
    });
    sm->atomics.overlay = xcalloc(1, sizeof *sm->atomics.overlay);
    overlay_init(sm->atomics.overlay);
    cache_observe_some(sm->l1d, 1u << CE_EVICT, observe_evictions, sm);
    sm_set_handler(sm, MSG_MUTEX, (struct sm_handler){.take = hear});
}

void sm_destroy_mutexes(struct sm *sm)
{
    if (!sm->atomics.mutexes)
        return;
    mutex_unit_destroy(sm->atomics.mutexes);
    overlay_destroy(sm->atomics.overlay);
    free(sm->atomics.overlay);
}

void sm_step_mutexes(struct sm *sm, uint64_t now)
{
    struct mutex_unit *u = sm->atomics.mutexes;
    bool was_full = !mutex_unit_has_room(u);
    mutex_unit_step(u, now);
    if (was_full && mutex_unit_has_room(u))
        ldst_wake(sm, 1u << STALL_ATOMICS);
}

/* Lines that atomics have touched: an ordinary store to one is recorded. */
static void note_line(struct sm *sm, uint64_t line, sim_time t)
{
    struct write_ledger *w = sm->atomics.mutexes->ledger;
    struct ledger_line *l = ledger_find(&w->of[write_ledger_mutex(w, line)], line);
    if (l)
        ledger_store(l, sm->index, t);
}

void sm_note_stores(struct sm *sm, sim_time t)
{
    uint32_t bytes = sm->config->l1d.line_bytes;
    for (uint32_t i = 0; i < sm->overlay.n; i++) {
        const struct overlay_line *o = &sm->overlay.lines[i];
        uint32_t segments = segments_of(o->mask), each = coalesce_all_segments(bytes);
        for (uint32_t at = 0; at < OVERLAY_LINE; at += bytes)
            if (segments >> at / SEGMENT_BYTES & each)
                note_line(sm, o->number * OVERLAY_LINE + at, t);
    }
}
