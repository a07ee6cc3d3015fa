/* Issue where the short path of issue.h does not apply or listeners must be notified, and what
 * follows instructions that stop their warp (exit, barrier, malloc or free, fault). */
#include "sm/issue.h"

#include "emu/hostcall.h"

/* --- units --- */

/* The first cycle in which the unit accepts an instruction. For the load/store unit, which all
 * sub-cores share: 0 if it has room now, else UINT64_MAX. */
uint64_t sm_unit_next(const struct sm *sm, uint32_t slot, enum sm_unit unit)
{
    if (unit == UNIT_LDST)
        return ldst_has_room(sm) ? 0 : UINT64_MAX;
    return free_times_first(&sm->warps[slot].core->units[unit]->collectors);
}

uint64_t sm_collect_later(const struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                          uint64_t later, uint64_t now)
{
    struct register_banks *banks = &w->core->banks;
    uint64_t last = banks_read_later(banks, later, now + 1); /* the cycle of the last read */
    if (t->needs & READS_AGAIN)
        for (uint32_t i = 0; i < t->all->n_again; i++) {
            uint64_t read = bank_read(banks, sm_bank_of(sm, w, t->all->again[i]), now + 1);
            last = read > last ? read : last;
        }
    return last + 1;
}

/* Announces to the register banks that results will be written in cycle `done`. With planned
 * results there is no EV_RELEASE, so a write that a bank cannot note gets an EV_WRITE. */
static void expect_writes(struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                          uint64_t done, uint64_t now)
{
    struct register_banks *banks = &w->core->banks;
    for (uint32_t i = 0; i < t->n_rows_written; i++) {
        uint32_t bank = sm_bank_of(sm, w, t->all->rows[t->n_rows_read + i]);
        bool expected =
            done - now <= BANK_LOOKS_AHEAD && bank_expect(banks, banks->first << bank, done);
        if (!expected && sm->issue.plans_results)
            wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_WRITE, bank, banks});
    }
}

void sm_expect_any(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                   uint64_t done, uint64_t now)
{
    expect_writes(sm, w, t, done, now);
    if (!sm->issue.plans_results)
        wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_RELEASE, pc, w});
    else
        for (uint64_t m = t->writes; m; m &= m - 1)
            w->result_at[__builtin_ctzll(m)] = done;
}

/* --- issue --- */

/* Updates which warps wait at barriers after this warp has issued a barrier instruction. The
 * scheduler's view shows the warp as waiting before on_barrier_arrive() is called. */
void sm_barrier_issued(struct sm *sm, uint32_t slot, uint64_t now)
{
    sm->sched_warps[slot].at_barrier = true;
    if (sm->sched->on_barrier_arrive)
        sm->sched->on_barrier_arrive(sm->scheduler, slot, now);
    sm_barriers_changed(sm, sm->warps[slot].cta_slot, now);
    sm_refresh(sm, slot, now);
}

static void tell_branch(struct sm *sm, uint32_t slot, uint32_t pc, uint32_t active, uint32_t taken)
{
    const struct op_info *info = &sm->emu.program->info[pc];
    struct branch_info b = {.pc = pc,
                            .target = (uint32_t)sm->emu.program->ops[pc].imm,
                            .fallthrough = pc + 1,
                            .reconvergence = info->reconverge,
                            .taken_mask = taken,
                            .active_mask = active};
    if (info->exec_id == EXEC_BRX) { /* lanes with other targets execute it again */
        struct table_step step = sm->warps[slot].emu->by_table;
        b.target = step.target;
        b.active_mask = active & ~(taken & ~step.lanes);
        b.taken_mask = step.lanes;
    }
    if (sm->criticality->desc->on_branch)
        sm->criticality->desc->on_branch(sm->criticality, slot, &b);
    if (sm->sched->on_branch)
        sm->sched->on_branch(sm->scheduler, slot, &b);
}

/* MODEL: malloc and free on the device are performed when the visibility period ends, in the order
 * of SMs and of issue, and the warp waits for that; they use no bandwidth. */
static void await_heap(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    uint64_t at = sm_visible_cycle(sm, now * sm->clock->period);
    wheel_add(&sm->wheel, now, at, (struct wheel_event){EV_WAKE, 0, w});
}

bool sm_perform_heap_calls(struct sm *sm, sim_time t)
{
    bool faulty = sm->emu.fault.kind != FAULT_NONE;
    bool freed = heap_perform(&sm->heap);
    if (!faulty && sm->emu.fault.kind != FAULT_NONE) {
        sm->activity.fault_cycle = clock_cycle_at(sm->clock, t);
        sm->issue.takes_short_path = false;
    }
    return freed;
}

/* The warp does not continue with its next instruction: it has ended, or waits at a barrier or for
 * malloc or free. */
static __attribute__((noinline)) void stop_warp(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    if (w->emu->state == WARP_AT_HEAP)
        await_heap(sm, w, now);
    if (w->emu->state == WARP_DONE)
        sm_warp_done(sm, w->slot, now);
    else if (w->emu->state == WARP_AT_BARRIER)
        sm_barrier_issued(sm, w->slot, now);
    else
        sm_refresh(sm, w->slot, now);
}

bool sm_issue_stopped(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                      uint64_t now)
{
    if (w->emu->state == WARP_FAULTED) {
        sm->activity.fault_cycle = now;
        sm->issue.takes_short_path = false;
        return false;
    }
    sm_occupy(sm, w, t, pc, now, SIMPLE_MACHINE);
    sm_commit_now(sm, w, t, now);
    stop_warp(sm, w, now);
    return true;
}

bool sm_issue_stopped_or_joined(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                uint32_t pc, uint64_t now)
{
    emu_step_end(w->emu);
    sm_note_executed(sm, w, t, pc);
    if (w->emu->state != WARP_RUNNING)
        return sm_issue_stopped(sm, w, t, pc, now);
    sm_occupy(sm, w, t, pc, now, SIMPLE_MACHINE);
    sm_commit_now(sm, w, t, now);
    sm_examine_next(sm, w, t, now, SIMPLE_MACHINE);
    return true;
}

void sm_tell_lanes(struct sm *sm, uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes)
{
    uint32_t n_lanes = (uint32_t)__builtin_popcount(lanes);
    if (sm->ldst.counts_insts && cache_insts(sm->l1d, n_lanes))
        ldst_wake(sm, ~0u);
    for (uint32_t i = 0; i < sm->n_l1d_watchers; i++)
        sm->l1d_watchers[i].on_issue(sm->l1d_watchers[i].user, n_lanes);
    if (sm->timing[pc].needs & IS_BRANCH)
        tell_branch(sm, slot, pc, active, lanes);
}

/* The warps among `ready` that the scheduler permits to issue. */
static uint64_t allowed_warps(const struct sm *sm, uint64_t ready)
{
    const struct scheduler_desc *d = sm->sched;
    if (sm->issue.keeps_hold && !sm->every_cycle)
        return ready & ~sm_warps_held(sm);
    for (uint32_t c = 0; ready && d->may_issue && c < N_ISSUE_CLASSES; c++)
        if (sm->issue.by_class[c] & ready)
            ready &= ~sm->issue.by_class[c] | d->may_issue(sm->scheduler, (enum issue_class)c);
    return ready;
}

/* The warp that issue slot `s` picks among the warps `ready`. If there are none, the scheduler is
 * not called. */
static inline struct sched_pick pick_ready(const struct sm *sm, uint32_t s, uint64_t ready,
                                           uint64_t now)
{
    if (!ready)
        return (struct sched_pick){.warp = -1, .visited = sm->view.live & sm->issue.slot_mask[s]};
    return sm->sched->pick(sm->scheduler, s, ready, ready & sm->issue.by_class[ISSUE_LOAD], now);
}

struct sched_pick sm_pick(const struct sm *sm, uint32_t s, uint64_t now)
{
    uint64_t ready = sm->issue.ready & sm->issue.slot_mask[s], next = UINT64_MAX;
    ready = sm_warps_with_unit(sm, sm->operands.core_of[s], ready, now, &next);
    return pick_ready(sm, s, allowed_warps(sm, ready), now);
}

/* MODEL: schedulers issue one after the other in each cycle, always in the same order (as in
 * GPGPU-Sim before version 4), so the first of them has priority on shared resources, above all
 * on the last entry of the load/store unit. With sm.rotate_schedulers they take turns in being
 * first. */
static inline uint32_t first_scheduler(const struct sm *sm, uint64_t now)
{
    return sm->config->rotate_schedulers ? (uint32_t)(now % sm->config->n_schedulers) : 0;
}

static inline uint32_t next_scheduler(const struct sm *sm, uint32_t s)
{
    return s + 1 == sm->config->n_schedulers ? 0 : s + 1;
}

/* Issues the warp's next instruction and notifies listeners; false after a fault. `by` is the issue
 * slot. If mode is ANY_MACHINE, the scheduler has not been notified yet. */
static inline __attribute__((always_inline)) bool
issue_and_tell(struct sm *sm, uint32_t by, struct sm_warp *w, uint64_t now, enum issue_mode mode)
{
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc, active = e->active;
    const struct op_timing *t = w->next;
    bool wants_lanes = sm_wants_lanes(sm, t);
    uint32_t lanes = wants_lanes ? sm_issue_lanes(e, &e->code[pc]) : 0;
    sm_forget_last_access(sm, t);
    if (mode == ANY_MACHINE)
        sm->emu.run_warp(e, 1);
    else
        emu_step_counted(e, &sm->run_stats);
    sm_note_executed(sm, w, t, pc);
    if (mode == ANY_MACHINE && sm->issue.watcher)
        sm->issue.watcher(sm->issue.watcher_user,
                          &(struct sm_issue){now, sm->index, by, w->slot, pc});
    if (e->state == WARP_FAULTED) {
        sm->activity.fault_cycle = now;
        sm->issue.takes_short_path = false;
        return false;
    }
    if (sm->issue.tells_criticality)
        sm->criticality->desc->on_issue(sm->criticality, w->slot, pc, now);
    if (mode == ANY_MACHINE && sm->sched->on_issue)
        sm->sched->on_issue(sm->scheduler, by, w->slot, t->kind.issue_class, pc, now);
    if (wants_lanes)
        sm_tell_lanes(sm, w->slot, pc, active, lanes);
    sm_occupy(sm, w, t, pc, now, mode);
    sm_commit_now(sm, w, t, now);
    if (e->state != WARP_RUNNING)
        stop_warp(sm, w, now);
    else
        sm_examine_next(sm, w, t, now, mode);
    return true;
}

bool sm_issue_and_tell(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    return issue_and_tell(sm, w->scheduler, w, now, SIMPLE_MACHINE);
}

/* Each scheduler in turn, recording which warps were visited; false if none issued. */
static __attribute__((noinline)) bool issue_attributed(struct sm *sm, uint64_t now)
{
    bool any = false;
    uint32_t s = first_scheduler(sm, now);
    for (uint32_t i = 0; i < sm->config->n_schedulers; i++, s = next_scheduler(sm, s)) {
        if (sm->emu.fault.kind != FAULT_NONE)
            return any;
        struct sched_pick p = sm_pick(sm, s, now);
        attribution_visit(sm, s, p, now);
        if (p.warp < 0)
            continue;
        uint32_t slot = (uint32_t)p.warp, pc = sm->warps[slot].emu->pc;
        issue_and_tell(sm, s, &sm->warps[slot], now, ANY_MACHINE);
        attribution_issued(sm, slot, pc);
        any = true;
    }
    return any;
}

/* The same without recording, while no fault has happened. */
static bool issue_ready(struct sm *sm, uint64_t now)
{
    bool any = false;
    uint32_t s = first_scheduler(sm, now);
    for (uint32_t i = 0; i < sm->config->n_schedulers; i++, s = next_scheduler(sm, s)) {
        /* computed for each slot: the one before may have taken a unit or opened a barrier */
        uint64_t ready = sm->issue.ready & sm->issue.slot_mask[s], next = UINT64_MAX;
        if (ready)
            ready = sm_warps_with_unit(sm, sm->operands.core_of[s], ready, now, &next);
        if (ready && sm->sched->may_issue)
            ready = allowed_warps(sm, ready);
        struct sched_pick p = pick_ready(sm, s, ready, now);
        if (p.warp < 0)
            continue;
        any = true;
        if (!issue_and_tell(sm, s, &sm->warps[p.warp], now, ANY_MACHINE))
            break;
    }
    return any;
}

/* The first cycle in which a unit accepts one of `warps`; a cycle that has passed, or 0, means now.
 * UINT64_MAX if all wait for the load/store unit, which reports when it has room. */
static uint64_t unit_for_any(const struct sm *sm, const struct sub_core *core, uint64_t warps)
{
    uint64_t next = UINT64_MAX, waiting = ldst_has_room(sm) ? 0 : sm->issue.by_unit[UNIT_LDST];
    for (uint32_t closed = core->closed; closed; closed &= closed - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(closed);
        uint64_t free = core->opens_at[u];
        if (sm->issue.by_unit[u] & warps)
            next = free < next ? free : next;
        waiting |= sm->issue.by_unit[u];
    }
    return warps & ~waiting ? 0 : next;
}

/* The first cycle after `now` at which something might issue, as things are. */
static uint64_t issue_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (!sm->issue.ready)
        return next;
    const struct scheduler_desc *d = sm->sched;
    uint64_t allowed = d->may_issue ? allowed_warps(sm, sm->issue.ready) : sm->issue.ready;
    for (uint32_t c = 0; c < sm->operands.n_cores; c++) {
        uint64_t mine = allowed & sm->operands.cores[c].warps;
        uint64_t free = mine ? unit_for_any(sm, &sm->operands.cores[c], mine) : UINT64_MAX;
        next = free < next ? free : next;
    }
    uint64_t change = sm->issue.keeps_hold ? sm->scheduler->hold.until
                      : d->next_change     ? d->next_change(sm->scheduler, now)
                                           : UINT64_MAX;
    next = change < next ? change : next;
    return next > now ? next : now + 1;
}

void sm_advance_scheduler(struct sm *sm, uint64_t now)
{
    if (sm->sched->advance && now > sm->issue.scheduler_time) {
        sm->sched->advance(sm->scheduler, now - sm->issue.scheduler_time);
        sm->issue.scheduler_time = now;
    }
}

/* If warps are still ready after an issue, one can usually issue in the next cycle, so the exact
 * cycle is not computed. The per-cycle engine does not rely on the scheduler's hold. */
void sm_issue_by_policy(struct sm *sm, uint64_t now)
{
    bool any = false;
    if (sm->scheduler->hold.until <= now || sm->every_cycle)
        sm_advance_scheduler(sm, now);
    if (sm->attribution)
        any = issue_attributed(sm, now);
    else if (sm->issue.ready && sm->emu.fault.kind == FAULT_NONE)
        any = issue_ready(sm, now);
    sm->issue.due = any && sm->issue.ready ? now + 1 : issue_next(sm, now);
}

int sm_pick_then_tell(struct sm *sm, uint32_t s, uint64_t ready, uint64_t now)
{
    struct sched_pick p = pick_ready(sm, s, ready, now);
    if (p.warp < 0 || !sm->sched->on_issue)
        return p.warp;
    const struct sm_warp *w = &sm->warps[p.warp];
    enum issue_class class = w->next->kind.issue_class;
    sm->sched->on_issue(sm->scheduler, s, w->slot, class, w->emu->pc, now);
    return p.warp;
}

void sm_issue_to_listeners(struct sm *sm, uint64_t now)
{
    if (sm->issue.plans_results && !sm->issue.tells_long_stalls)
        sm_issue_short(sm, now, PLANNED_RESULTS, true);
    else
        sm_issue_short(sm, now, SIMPLE_MACHINE, true);
}

void sm_issue(struct sm *sm, uint64_t now)
{
    sm_issue_cycle(sm, now, SIMPLE_MACHINE);
}
