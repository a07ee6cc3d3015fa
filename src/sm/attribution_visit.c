/* Where the cycles of warps go: what a scheduler finds when it visits a warp (S3 Algorithm 2). */
#include "sm/attribution_account.h"

/* --- pieces of time --- */

void attribution_close_span(struct attribution *a, struct account *w)
{
    for (uint32_t i = 0; w->span.to > w->span.from && i < a->n_listeners; i++)
        if (a->listeners[i].on_span)
            a->listeners[i].on_span(a->listeners[i].user, &w->span);
    w->span.from = w->span.to;
}

static __attribute__((noinline)) void grow_span(struct sm *sm, uint32_t slot, enum latency latency,
                                                uint64_t to)
{
    struct account *w = &sm->attribution->accounts[slot];
    if (w->span.latency != latency || w->span.to == w->span.from) {
        attribution_close_span(sm->attribution, w);
        w->span = (struct latency_span){
            .slot = slot, .latency = latency, .from = w->next, .pc = sm->warps[slot].emu->pc};
    }
    w->span.to = to;
}

void attribution_add(struct sm *sm, uint32_t slot, enum latency latency, uint64_t to)
{
    struct account *w = &sm->attribution->accounts[slot];
    if (to <= w->next)
        return;
    w->cycles[latency] += to - w->next;
    if (sm->attribution->wants_spans)
        grow_span(sm, slot, latency, to);
    w->next = to;
}

/* --- causes --- */

/* MODEL: attribution counts a transfer of control as CtrlHazard from the branch until the fetch of
 * its target is accepted, and as Fetch while that fetch misses the instruction cache. Algorithm 2
 * tests for an empty buffer before it tests for a taken branch, whose buffer still holds the wrong
 * instructions; here a taken branch empties the buffer at once. (A fetch that hits delivers before
 * the next issue, so a fetch that is still in flight has missed.) */
static enum latency fetch_cause(const struct sm_warp *w, const struct account *account)
{
    bool redirected = account->has_issued && w->emu->pc != account->issued_pc + 1;
    return redirected && !w->fetching ? LATENCY_CTRL_HAZARD : LATENCY_FETCH;
}

static bool unit_waits_for_a_place(const struct sm *sm)
{
    return sm->ldst.stalled && sm->ldst.cause != STALL_PORT;
}

/* MODEL: a load waits for an MSHR also when it waits behind an access that does: the load/store
 * unit works in order. The same holds for merge entries, ways that can be reserved, and entries of
 * the miss queue and the bypass table. An access that waits only for the network's port counts as a
 * miss. */
static bool waits_for_a_place(const struct sm *sm, const struct load_record *r)
{
    return !r->all_performed && unit_waits_for_a_place(sm);
}

/* MODEL: attribution counts a memory instruction that waits for the full load/store unit as
 * StructuralHazard (Algorithm 2, line 23), although S3's text names waits of stores for MSHRs too:
 * Algorithm 2 has no line for MSHRs. With sm.mshr_delay=unit it waits for an MSHR while the unit
 * does. */
static enum latency unit_cause(const struct sm *sm, uint32_t unit)
{
    bool is_mshr = unit == UNIT_LDST && sm->config->mshr_delay == MSHR_OF_UNIT;
    return is_mshr && unit_waits_for_a_place(sm) ? LATENCY_MSHR : LATENCY_STRUCTURAL_HAZARD;
}

/* Loads that hit, or whose data have arrived, are not missing. */
static bool is_missing(const struct sm *sm, uint32_t slot, const struct pending_load *l)
{
    const struct load_record *r = l->record;
    return r && r->slot == slot && r->pc == l->pc &&
           (r->outstanding > !r->all_performed || (!r->all_performed && sm->ldst.stalled));
}

static const struct pending_load *missing_load(const struct sm *sm, uint32_t slot, uint32_t reg)
{
    const struct attribution *a = sm->attribution;
    const struct pending_load *l = &a->loads[(size_t)slot * a->n_registers + reg];
    bool is_pending = scoreboard_awaits_memory(&sm->warps[slot].scoreboard, reg);
    return is_pending && is_missing(sm, slot, l) ? l : NULL;
}

/* The load that misses and that the next instruction waits for; the first one in operand order. */
static const struct pending_load *awaited_load(const struct sm *sm, uint32_t slot)
{
    const struct op_info *info = &sm->emu.program->info[sm->warps[slot].emu->pc];
    const struct pending_load *l = NULL;
    for (uint32_t i = 0; !l && i < (uint32_t)info->n_reads + info->n_writes; i++)
        l = missing_load(sm, slot, info->regs[i]);
    return l;
}

/* MODEL: attribution counts a return, an exit or a call that waits for loads which miss, but whose
 * data it does not read, as Sync. S3 counts no cycles of a miss that no instruction depends on; in
 * GPGPU-Sim a warp that has exited is `waiting()`, like one at a barrier, until its loads are done.
 */
static bool drains_loads(const struct sm *sm, uint32_t slot)
{
    if (!(sm->timing[sm->warps[slot].emu->pc].needs & NEEDS_DRAINED))
        return false;
    for (uint32_t r = 0; r < sm->attribution->n_registers; r++)
        if (missing_load(sm, slot, r))
            return true;
    return false;
}

/* Algorithm 2, lines 12 to 22. The first cycle on a load that misses is a data hazard like any
 * other. MODEL: attribution distinguishes loads, where Algorithm 2 compares the pending address
 * with the last one: S3's text refers to the load, and one load of a warp has many addresses. */
static void add_data_hazard(struct sm *sm, uint32_t slot, uint64_t to)
{
    struct account *w = &sm->attribution->accounts[slot];
    const struct pending_load *l = awaited_load(sm, slot);
    if (!l) {
        attribution_add(sm, slot, drains_loads(sm, slot) ? LATENCY_SYNC : LATENCY_DATA_HAZARD, to);
        return;
    }
    if (l->number != w->missed_load)
        attribution_add(sm, slot, LATENCY_DATA_HAZARD, w->next + 1);
    w->missed_load = l->number;
    attribution_add(sm, slot,
                    waits_for_a_place(sm, l->record) ? LATENCY_MSHR : LATENCY_DATA_CACHE_MISS, to);
}

/* Lines 23 and 24. */
static void add_unit_hazard(struct sm *sm, uint32_t slot, uint64_t from, uint64_t to)
{
    uint32_t unit = sm->warps[slot].kind.unit;
    enum latency cause = unit_cause(sm, unit);
    if (cause == LATENCY_STRUCTURAL_HAZARD)
        sm->attribution->stats.structural[unit] += to - from;
    attribution_add(sm, slot, cause, to);
}

/* A visit in each of the cycles from .. to-1, in which the warp does not issue and nothing changes
 * but that units become free. A warp that could issue was held back by the policy: it was not
 * looked at. */
static void visit(struct sm *sm, uint32_t slot, uint64_t from, uint64_t to)
{
    const struct sm_warp *w = &sm->warps[slot];
    if (w->cause == STALLED_NONE) {
        uint64_t free_at = sm_unit_next(sm, slot, (enum sm_unit)w->kind.unit);
        to = free_at < to ? free_at : to;
        if (to <= from)
            return;
    }
    attribution_add(sm, slot, LATENCY_SCHEDULING, from);
    switch (w->cause) {
    case STALLED_BARRIER:
    case STALLED_FENCE: /* MODEL: waiting for memory order is attributed to Sync */
        attribution_add(sm, slot, LATENCY_SYNC, to);
        break;
    case STALLED_FETCH:
    case STALLED_BRANCH:
        attribution_add(sm, slot, fetch_cause(w, &sm->attribution->accounts[slot]), to);
        break;
    case STALLED_DATA:
    case STALLED_MEMORY:
        add_data_hazard(sm, slot, to);
        break;
    case STALLED_UNIT:
    case STALLED_POLICY:
    case STALLED_NONE:
        add_unit_hazard(sm, slot, from, to);
    }
}

/* --- visits --- */

void attribution_leave_queue(struct sm *sm, uint64_t warps, uint64_t now)
{
    sm->attribution->queued &= ~warps;
    for (; warps; warps &= warps - 1)
        attribution_add(sm, (uint32_t)__builtin_ctzll(warps), sm->attribution->queued_cause, now);
}

/* If memory is the bottleneck, most visits are of warps that would issue to the full load/store
 * unit. Nothing changes for them from cycle to cycle: their cycles are added when that is over.
 * Returns which of the warps that scheduler `s` visits are of this kind. */
static uint64_t visit_queued(struct sm *sm, uint32_t s, uint64_t warps, uint64_t from, uint64_t to)
{
    struct attribution *a = sm->attribution;
    uint64_t queued = warps & sm->issue.ready & sm->issue.by_unit[UNIT_LDST];
    if (sm_unit_next(sm, 0, UNIT_LDST) < to)
        queued = 0;
    enum latency cause = unit_cause(sm, UNIT_LDST);
    attribution_leave_queue(
        sm, a->queued & (cause != a->queued_cause ? ~0ull : sm->issue.slot_mask[s] & ~queued),
        from);
    a->queued_cause = cause;
    for (uint64_t come = queued & ~a->queued; come; come &= come - 1)
        attribution_add(sm, (uint32_t)__builtin_ctzll(come), LATENCY_SCHEDULING, from);
    a->queued |= queued;
    if (cause == LATENCY_STRUCTURAL_HAZARD)
        a->stats.structural[UNIT_LDST] += (uint64_t)__builtin_popcountll(queued) * (to - from);
    return queued;
}

/* Scheduler `s` visits these in each of the cycles from .. to-1. */
static void visit_all(struct sm *sm, uint32_t s, uint64_t warps, uint64_t from, uint64_t to)
{
    warps &= ~visit_queued(sm, s, warps, from, to);
    for (; warps; warps &= warps - 1)
        visit(sm, (uint32_t)__builtin_ctzll(warps), from, to);
}

void attribution_visit(struct sm *sm, uint32_t s, struct sched_pick p, uint64_t now)
{
    uint64_t picked = p.warp >= 0 ? 1ull << p.warp : 0;
    visit_all(sm, s, p.visited & ~picked, now, now + 1);
    sm->attribution->next = now + 1;
    if (!picked)
        return;
    attribution_add(sm, (uint32_t)p.warp, LATENCY_SCHEDULING, now);
    attribution_add(sm, (uint32_t)p.warp, LATENCY_EXEC, now + 1);
}

/* No warp issues in skipped cycles: every scheduler visits all its warps, or those that pick()
 * names when it leaves ready ones alone. */
void attribution_catch_up(struct sm *sm, uint64_t now)
{
    struct attribution *a = sm->attribution;
    if (now <= a->next)
        return;
    for (uint32_t s = 0; sm->view.live && s < sm->config->n_schedulers; s++)
        visit_all(sm, s, sm_pick(sm, s, a->next).visited, a->next, now);
    a->next = now;
}
