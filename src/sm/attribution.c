#include "sm/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "sm/pace.h"
#include "sm/sm.h"

/* A load whose result a register waits for. There is at most one in flight for each register, so a
 * record of the same warp and PC is the load's own; any other was freed when the data came. */
struct pending_load {
    const struct load_record *record;
    uint32_t pc;
    uint64_t number; /* of all loads of the SM, from 1 */
};

/* What is known of a live warp. */
struct account {
    uint64_t next; /* the first cycle not attributed yet */
    uint64_t cycles[N_LATENCIES];
    uint64_t missed_load; /* the last load that it was seen to miss, by number */
    bool has_issued;
    uint32_t issued_pc;
    struct latency_span span; /* still growing; empty while from == to */
};

struct attribution {
    struct account accounts[SM_MAX_WARPS];
    struct pending_load *loads; /* by warp slot and register */
    uint32_t n_registers;       /* per slot */
    uint64_t n_loads;
    uint64_t next;   /* cycles before this one have been attributed, or are nobody's */
    uint64_t queued; /* warps: see visit_queued() */
    enum latency queued_cause;
    struct latency_stats stats;
    struct pace *pace;
    struct attribution_listener listeners[ATTRIBUTION_MAX_LISTENERS];
    uint32_t n_listeners;
    bool wants_spans;
};

const char *const latency_unit_titles[N_UNITS] = {[UNIT_SP] = "SP units",
                                                  [UNIT_INT] = "integer units",
                                                  [UNIT_FP64] = "FP64 units",
                                                  [UNIT_SFU] = "SFUs",
                                                  [UNIT_LDST] = "load/store"};

/* --- pieces of time --- */

static void close_span(struct attribution *a, struct account *w)
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
        close_span(sm->attribution, w);
        w->span = (struct latency_span){
            .slot = slot, .latency = latency, .from = w->next, .pc = sm->warps[slot].emu->pc};
    }
    w->span.to = to;
}

/* The cycles of the warp from where it stands up to `to`. */
static inline void add(struct sm *sm, uint32_t slot, enum latency latency, uint64_t to)
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
 * the next issue, so one that is seen under way has missed.) */
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
    return !r->all_sent && unit_waits_for_a_place(sm);
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

/* Loads that hit, or whose data have come, are not missing. */
static bool is_missing(const struct sm *sm, uint32_t slot, const struct pending_load *l)
{
    const struct load_record *r = l->record;
    return r && r->slot == slot && r->pc == l->pc &&
           (r->outstanding > !r->all_sent || (!r->all_sent && sm->ldst.stalled));
}

static const struct pending_load *missing_load(const struct sm *sm, uint32_t slot, uint32_t reg)
{
    const struct attribution *a = sm->attribution;
    const struct pending_load *l = &a->loads[(size_t)slot * a->n_registers + reg];
    bool is_pending = scoreboard_awaits_memory(&sm->warps[slot].scoreboard, reg);
    return is_pending && is_missing(sm, slot, l) ? l : NULL;
}

/* The load that misses and that the next instruction waits for, the first by operands. */
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
        add(sm, slot, drains_loads(sm, slot) ? LATENCY_SYNC : LATENCY_DATA_HAZARD, to);
        return;
    }
    if (l->number != w->missed_load)
        add(sm, slot, LATENCY_DATA_HAZARD, w->next + 1);
    w->missed_load = l->number;
    add(sm, slot, waits_for_a_place(sm, l->record) ? LATENCY_MSHR : LATENCY_DATA_CACHE_MISS, to);
}

/* Lines 23 and 24. */
static void add_unit_hazard(struct sm *sm, uint32_t slot, uint64_t from, uint64_t to)
{
    uint32_t unit = sm->warps[slot].kind.unit;
    enum latency cause = unit_cause(sm, unit);
    if (cause == LATENCY_STRUCTURAL_HAZARD)
        sm->attribution->stats.structural[unit] += to - from;
    add(sm, slot, cause, to);
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
    add(sm, slot, LATENCY_SCHEDULING, from);
    switch (w->cause) {
    case STALLED_BARRIER:
    case STALLED_FENCE: /* MODEL: waiting for memory order is attributed to Sync */
        add(sm, slot, LATENCY_SYNC, to);
        break;
    case STALLED_FETCH:
    case STALLED_BRANCH:
        add(sm, slot, fetch_cause(w, &sm->attribution->accounts[slot]), to);
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

/* These wait for the load/store unit no more, from cycle `now` on. */
static void leave_queue(struct sm *sm, uint64_t warps, uint64_t now)
{
    sm->attribution->queued &= ~warps;
    for (; warps; warps &= warps - 1)
        add(sm, (uint32_t)__builtin_ctzll(warps), sm->attribution->queued_cause, now);
}

/* Where memory is the limit, most visits are of warps that would issue to the load/store unit while
 * that is full. Those are the same from cycle to cycle: their cycles are added when that is over.
 * Returns which of the warps of scheduler `s` that it visits are such. */
static uint64_t visit_queued(struct sm *sm, uint32_t s, uint64_t warps, uint64_t from, uint64_t to)
{
    struct attribution *a = sm->attribution;
    uint64_t queued = warps & sm->issue.ready & sm->issue.by_unit[UNIT_LDST];
    if (sm_unit_next(sm, 0, UNIT_LDST) < to)
        queued = 0;
    enum latency cause = unit_cause(sm, UNIT_LDST);
    leave_queue(sm,
                a->queued & (cause != a->queued_cause ? ~0ull : sm->issue.slot_mask[s] & ~queued),
                from);
    a->queued_cause = cause;
    for (uint64_t come = queued & ~a->queued; come; come &= come - 1)
        add(sm, (uint32_t)__builtin_ctzll(come), LATENCY_SCHEDULING, from);
    a->queued |= queued;
    if (cause == LATENCY_STRUCTURAL_HAZARD)
        a->stats.structural[UNIT_LDST] += (uint64_t)__builtin_popcountll(queued) * (to - from);
    return queued;
}

/* Scheduler `s` looks at these in each of the cycles from .. to-1. */
static void visit_all(struct sm *sm, uint32_t s, uint64_t warps, uint64_t from, uint64_t to)
{
    warps &= ~visit_queued(sm, s, warps, from, to);
    for (; warps; warps &= warps - 1)
        visit(sm, (uint32_t)__builtin_ctzll(warps), from, to);
}

/* --- what the SM tells --- */

void attribution_visit(struct sm *sm, uint32_t s, struct sched_pick p, uint64_t now)
{
    uint64_t picked = p.warp >= 0 ? 1ull << p.warp : 0;
    visit_all(sm, s, p.visited & ~picked, now, now + 1);
    sm->attribution->next = now + 1;
    if (!picked)
        return;
    add(sm, (uint32_t)p.warp, LATENCY_SCHEDULING, now);
    add(sm, (uint32_t)p.warp, LATENCY_EXEC, now + 1);
}

void attribution_issued(struct sm *sm, uint32_t slot, uint32_t pc)
{
    struct attribution *a = sm->attribution;
    const struct op_info *info = &sm->emu.program->info[pc];
    a->accounts[slot].has_issued = true;
    a->accounts[slot].issued_pc = pc;
    if (sm->timing[pc].kind.unit != UNIT_LDST || !info->n_writes)
        return;
    const struct ldst_op *l =
        &sm->ldst.ops[(sm->ldst.head + sm->ldst.n - 1) % sm->config->ldst_queue];
    struct pending_load load = {.record = l->record, .pc = pc, .number = ++a->n_loads};
    for (uint32_t i = info->n_reads; i < (uint32_t)info->n_reads + info->n_writes; i++)
        a->loads[(size_t)slot * a->n_registers + info->regs[i]] = load;
}

/* In skipped cycles nobody issues: every scheduler looks at all its warps, or at those that pick()
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

static void resize_loads(struct sm *sm)
{
    struct attribution *a = sm->attribution;
    uint32_t n = sm->operands.pending_words * 64;
    if (a->n_registers == n)
        return;
    free(a->loads);
    a->loads = xcalloc((size_t)n * SM_MAX_WARPS, sizeof *a->loads);
    a->n_registers = n;
}

void attribution_start(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct attribution *a = sm->attribution;
    resize_loads(sm);
    memset(a->loads + (size_t)slot * a->n_registers, 0, a->n_registers * sizeof *a->loads);
    a->accounts[slot] = (struct account){.next = now};
    pace_start(a->pace, &sm->view, slot, sm->view.criticality_of(sm->criticality, slot, now));
    for (uint32_t i = 0; i < a->n_listeners; i++)
        if (a->listeners[i].on_warp_start)
            a->listeners[i].on_warp_start(a->listeners[i].user, slot, now);
}

/* The sums, and whether they add up. */
static void take_account(struct attribution *a, const struct warp_latency *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_LATENCIES; i++) {
        sum += w->cycles[i];
        a->stats.cycles[i] += w->cycles[i];
    }
    a->stats.warps++;
    a->stats.cut += w->is_cut;
    a->stats.twice += w->twice;
    a->stats.broken += sum != w->end - w->start + w->twice;
}

/* Algorithm 2 as printed: each visit adds a cycle more to Scheduling. A cycle is a visit or is
 * Scheduling already. */
static void count_as_printed(struct warp_latency *w)
{
    w->twice = w->end - w->start - w->cycles[LATENCY_SCHEDULING];
    w->cycles[LATENCY_SCHEDULING] += w->twice;
}

/* The warp's account is over before cycle `end`. */
static struct warp_latency close_account(struct sm *sm, uint32_t slot, uint64_t end)
{
    struct attribution *a = sm->attribution;
    const struct sched_warp *s = &sm->sched_warps[slot];
    leave_queue(sm, a->queued & 1ull << slot, end);
    add(sm, slot, LATENCY_SCHEDULING, end);
    close_span(a, &a->accounts[slot]);
    struct warp_latency w = {.sm = sm->index,
                             .slot = slot,
                             .cta_slot = s->cta_slot,
                             .launch = s->launch,
                             .warp_in_cta = s->warp_in_cta,
                             .cta = s->cta,
                             .start = s->start_cycle,
                             .end = end};
    memcpy(w.cycles, a->accounts[slot].cycles, sizeof w.cycles);
    if (sm->config->scheduling_delay == DELAY_AS_PRINTED)
        count_as_printed(&w);
    return w;
}

static void tell_of_warp(const struct attribution *a, const struct warp_latency *w)
{
    for (uint32_t i = 0; i < a->n_listeners; i++)
        if (a->listeners[i].on_warp_end)
            a->listeners[i].on_warp_end(a->listeners[i].user, w);
}

void attribution_end(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct attribution *a = sm->attribution;
    struct warp_latency w = close_account(sm, slot, now + 1);
    w.is_last_of_cta = sm->cta_warps[w.cta_slot] == 1;
    take_account(a, &w);
    pace_end(a->pace, &w, &a->stats.pace);
    tell_of_warp(a, &w);
}

void attribution_cut(struct sm *sm, uint64_t now)
{
    attribution_catch_up(sm, now);
    for (uint64_t live = sm->view.live; live; live &= live - 1) {
        struct warp_latency w = close_account(sm, (uint32_t)__builtin_ctzll(live), now);
        w.is_cut = true;
        take_account(sm->attribution, &w);
        tell_of_warp(sm->attribution, &w);
    }
}

void attribution_sample(struct sm *sm, uint64_t now)
{
    pace_sample(sm->attribution->pace, &sm->view, now);
}

static void count_critical(void *user, const struct cache_event_info *e)
{
    struct latency_stats *s = user;
    bool hits = e->event == CE_HIT || e->event == CE_MERGE;
    bool goes_around = e->event == CE_BYPASS && e->reason != BYPASS_NO_CACHE;
    if (!(hits || goes_around || e->event == CE_MISS) || e->access->kind != MEM_LOAD ||
        !e->access->is_critical)
        return;
    if (goes_around) /* its miss has been counted just before */
        s->critical_loads--;
    else
        s->critical_loads++;
    s->critical_hits += hits;
}

/* --- set-up --- */

void attribution_create(struct sm *sm)
{
    if (sm->attribution)
        return;
    sm->attribution = xcalloc(1, sizeof *sm->attribution);
    if (sm->criticality->desc != criticality_find("none")) /* else no access is critical */
        cache_observe(sm->l1d, count_critical, &sm->attribution->stats);
    sm->attribution->pace = pace_create(sm->criticality->desc == criticality_find("oracle"));
}

void attribution_destroy(struct attribution *a)
{
    if (!a)
        return;
    pace_destroy(a->pace);
    free(a->loads);
    free(a);
}

void attribution_listen(struct attribution *a, const struct attribution_listener *l)
{
    assert(a->n_listeners < ATTRIBUTION_MAX_LISTENERS);
    a->listeners[a->n_listeners++] = *l;
    a->wants_spans |= l->on_span != NULL;
}

const struct latency_stats *attribution_stats(const struct attribution *a)
{
    return &a->stats;
}
