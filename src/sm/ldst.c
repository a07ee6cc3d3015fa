/* The load/store unit: one memory instruction at a time, one access a cycle. When an access cannot
 * be accepted it waits here and everything behind it waits too (S2 Fig. 1). */
#include "sm/ldst.h"

/* --- loads --- */

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
    uint32_t segments = cache_segments_for(l->l1, r.fetch_sectors);
    sm_request_line(sm, a, route, segments, origin, r.mshr, now);
}

/* Determines the criticality of a load that the fast path declines. */
static inline void rate_load(const struct sm *sm, struct ldst_op *l, struct cache_location at,
                             uint64_t now)
{
    const struct mem_access *a = &l->current;
    bool found =
        !sm->ldst.rates_if_found || cache_would_hit_or_merge(l->l1, at, a->line, a->sector_mask);
    ldst_rate(sm, l, found, now);
}

/* A load that the fast path declines. Not inline: the fast path would lose host registers to it. */
static __attribute__((noinline)) bool load_cached(struct sm *sm, struct ldst_op *l,
                                                  struct cache_location at, uint64_t now)
{
    ldst_prepare(sm, l, at.set->set);
    struct mem_access *a = &l->current;
    a->cycle = now;
    if (__builtin_expect(sm->ldst.rates_accesses, false))
        rate_load(sm, l, at, now);
    struct cache_resources room = {.miss_queue = !sm_miss_queue_full(sm)};
    if (sm->ldst.may_bypass)
        room = ldst_room(sm, l, now);
    struct cache_result r = cache_load_at(l->l1, a, &room, l->record, at);
    if (r.answer == CACHE_STALLED)
        return ldst_stall(sm, r.stall);
    if (r.answer == CACHE_HIT) {
        note_hit(l, now);
    } else if (r.answer == CACHE_BYPASSED) {
        ldst_send_bypass(sm, l, a, now);
    } else { /* it waits for a miss, its own or another's */
        l->record->outstanding++;
        if (r.answer == CACHE_MISS) {
            l->absent_from = NULL;
            send_miss(sm, l, a, r, now);
        }
    }
    return true;
}

/* The first cycle in which another unit of the SM may have work, at most `end`. */
static inline uint64_t no_other_unit_until(const struct sm *sm, uint64_t end)
{
    if (sm->fetch.ready && !sm->fetch.stalled)
        return 0;
    uint64_t first = sm->issue.due < end ? sm->issue.due : end;
    first = sm->wheel.due < first ? sm->wheel.due : first;
    return sm->in.queue.due < first ? sm->in.queue.due : first;
}

/* The cycle up to which hits may be done early. Before `sm->end` (the end of the quantum, or the
 * next message that is neither a reply nor a returned store), only replies and the unit's own
 * accesses change the cache's contents. The effect of a hit on a policy may depend on the
 * instructions that issue before it: then hits are done early only while the miss queue is empty,
 * and only until another unit has work. Hits that an observer sees are never done early. */
static inline uint64_t hits_until(const struct sm *sm, const struct cache *c, bool has_listeners,
                                  uint64_t end)
{
    if (has_listeners &&
        (cache_hits_have_observer(c) || (sm->ldst.hits_depend_on_issue && sm->out.n)))
        return 0;
    if (has_listeners && sm->ldst.hits_depend_on_issue)
        return no_other_unit_until(sm, end);
    return sm->in.queue.due < sm->end ? sm->in.queue.due : sm->end;
}

/* How many accesses after the current one may be done early if they hit. Never the last one: it
 * must end the instruction in the cycle in which it is due. */
static inline uint32_t most_ahead(const struct sm *sm, const struct ldst_op *l, bool has_listeners,
                                  uint64_t now, uint64_t end)
{
    uint32_t left = l->n - l->next;
    /* skips_units_not_due is false with --attribute, with mutexes, or if the scheduler's answers or
     * criticality change with time alone. */
    if (left <= 2 || !sm->skips_units_not_due || sm->in.n_put_off)
        return 0;
    uint64_t until = hits_until(sm, l->l1, has_listeners, end);
    uint64_t most = until > now + 1 ? until - now - 1 : 0;
    return most < left - 2 ? (uint32_t)most : left - 2;
}

/* Performs the hit at `at` in cycle `now` and notifies its listeners, then at most `most` further
 * hits, one per cycle: the caller has made sure that nothing that listeners read changes in these
 * cycles, except criticality, which is determined again when due. Returns the number of further
 * hits. `notify_all`: listeners are notified of every hit, and no
 * hit needs its criticality determined. */
static inline __attribute__((always_inline)) uint32_t
notify_hits_from(struct sm *sm, struct ldst_op *l, struct cache_location at, uint32_t sectors,
                 enum cache_hit_effect effect, bool notify_all, uint32_t most, uint64_t now)
{
    uint64_t rate_again = now;
    for (uint32_t i = l->next, last = i + most;; i++, now++) {
        if (!notify_all && now >= rate_again)
            rate_again = ldst_rate(sm, l, true, now);
        if (!notify_all && cache_effect_is_silent(effect, l->current.is_critical)) {
            cache_load_silently(l->l1, at, l->pc);
        } else {
            ldst_describe(sm, l, i, at.set->set, sectors);
            l->current.cycle = now;
            cache_do_hit(l->l1, at, &l->current);
        }
        if (!notify_all && i < last) {
            uint64_t steady = rate_again - now - 1; /* cycles */
            uint32_t room = steady < last - i ? (uint32_t)steady : last - i;
            uint32_t n = cache_load_silent_hits(l->l1, &l->access[i + 1], room, l->pc,
                                                l->current.is_critical);
            i += n, now += n;
        }
        if (i == last)
            return most;
        const struct line_access *x = &l->access[i + 1];
        at = cache_find(l->l1, x->line);
        sectors = cache_sectors_for(l->l1, x->segments);
        if (!cache_is_hit(l->l1, at, sectors))
            return i - l->next;
        if (!notify_all)
            effect = cache_hit_effect(l->l1, at);
    }
}

/* Neither this function nor the next is inline: inlined, they would take host registers from other
 * accesses. */
static __attribute__((noinline)) uint32_t notify_hits(struct sm *sm, struct ldst_op *l,
                                                      struct cache_location at, uint32_t sectors,
                                                      uint32_t most, uint64_t now)
{
    return notify_hits_from(sm, l, at, sectors, HIT_MATTERS, true, most, now);
}

/* The same if listeners need not be notified of every hit, or if the criticality of hits must be
 * determined. */
static __attribute__((noinline)) uint32_t notify_mixed_hits(struct sm *sm, struct ldst_op *l,
                                                            struct cache_location at,
                                                            enum cache_fast fast, uint32_t most,
                                                            uint64_t now)
{
    bool if_critical = fast == CACHE_FAST_CRITICAL;
    enum cache_hit_effect effect = if_critical ? HIT_MATTERS_IF_CRITICAL : HIT_MATTERS;
    uint32_t sectors = cache_sectors_for(l->l1, l->access[l->next].segments);
    return notify_hits_from(sm, l, at, sectors, effect, false, most, now);
}

/* Finishes a hit in cycle `now` and performs the hits that follow it. If no listener needs to be
 * notified of the hit, cache_load_fast() has already performed it. */
static inline void do_hits(struct sm *sm, struct ldst_op *l, struct cache_location at,
                           uint32_t sectors, enum cache_fast fast, uint64_t now, uint64_t end)
{
    bool has_listeners = fast != CACHE_FAST_HIT;
    uint32_t most = most_ahead(sm, l, has_listeners, now, end), n = 0;
    if (has_listeners && (cache_may_be_silent(l->l1) || sm->ldst.rates_accesses))
        n = notify_mixed_hits(sm, l, at, fast, most, now);
    else if (has_listeners)
        n = notify_hits(sm, l, at, sectors, most, now);
    else if (most)
        n = cache_load_silent_hits(l->l1, l->access + l->next + 1, most, l->pc, true);
    l->next += n;
    sm->ldst.busy_until = now + n + 1;
    note_hit(l, now + n);
}

/* Does the next access; false if it has to wait. A struct mem_access is built only for
 * hits with listeners and for accesses that the fast path declines. */
static inline bool do_access(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    if (!l->looks_up)
        return ldst_do_other(sm, l, now);
    const struct line_access *x = &l->access[l->next];
    struct cache_location at = {l->absent_from, -1};
    if (!at.set)
        at = cache_find(l->l1, x->line);
    uint32_t sectors = at.way < 0 ? 0 : cache_sectors_for(l->l1, x->segments);
    enum cache_fast fast = cache_load_fast(l->l1, at, sectors, l->pc);
    if (fast == CACHE_FAST_HIT || fast == CACHE_FAST_LISTENERS || fast == CACHE_FAST_CRITICAL) {
        do_hits(sm, l, at, sectors, fast, now, end);
        return true;
    }
    if (fast == CACHE_FAST_NO_MSHR) {
        l->absent_from = at.set;
        return ldst_stall(sm, STALL_MSHR);
    }
    return load_cached(sm, l, at, now);
}

/* --- stepping --- */

static void finish_op(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    struct load_record *r = l->record;
    if (r) {
        r->all_performed = true;
        if (!--r->outstanding)
            sm_schedule_release(sm, r, now);
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

/* The next cycle in which a stalled access is retried although nothing calls ldst_wake(): when the
 * port is free, if the access waits for the port or might bypass; or when the policy's decision may
 * change with time alone. */
static uint64_t stalled_until(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint64_t next = sm->ldst.changes_alone ? cache_next_change(sm->l1d, now) : UINT64_MAX;
    bool may_bypass = sm->ldst.stalls_may_bypass && sm->ldst.n_bypass < sm->config->bypass_slots;
    if (sm->ldst.cause != STALL_PORT && !may_bypass)
        return next;
    sim_time t = tx_ready_at(&sm->out.port, now * sm->clock->period, ldst_route(sm, l)->to,
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

/* A scheduler may listen to more L1D events of some warps than of others. */
static void choose_events(struct sm *sm, uint32_t slot)
{
    bool all = sm->scheduler->l1d_warps >> slot & 1;
    if (all != sm->ldst.notifies_all)
        sm_change_l1d_events(sm, all);
}

/* Performs the accesses of the unit's instruction, one per cycle from `now` on. Stops at `end`, or
 * earlier if a request waits to leave or another unit of the SM is due. Returns the cycle of the
 * last access that it tried. */
static uint64_t do_accesses(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    uint32_t first = l->next;
    if (sm->ldst.varies_by_warp)
        choose_events(sm, l->slot);
    while (l->next < l->n) {
        if (!do_access(sm, l, now, end)) {
            sm->ldst.stalled = true;
            sm->ldst.stalled_since = now;
            break;
        }
        l->next++;
        uint64_t next = sm->ldst.busy_until > now ? sm->ldst.busy_until : now + 1;
        if (l->next == l->n || sm->out.n || next >= no_other_unit_until(sm, end))
            break;
        now = next;
    }
    if (l->next != first) /* access_counter is not set for an instruction without accesses */
        *l->access_counter += l->next - first;
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
        if (l->next < l->n && !sm->ldst.stalled) /* do_accesses() stopped early */
            break;
        uint64_t next = sm->ldst.due > now ? sm->ldst.due : now + 1;
        if (next >= end || sm->out.n || next >= no_other_unit_until(sm, end))
            break;
        now = next;
    }
    return now;
}
