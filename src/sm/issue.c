/* Scoreboard, issue and the arithmetic units.
 *
 * MODEL: operands are read one cycle after issue at the earliest, one a cycle and bank, in the
 * order of issue; an instruction is dispatched when its operands are there and a unit of its kind
 * is free, in the order of issue; until then it holds an operand collector. So everything about an
 * arithmetic instruction is known when it is issued. */
#include "emu/hostcall.h"
#include "sm/sm.h"

/* --- hazards --- */

static uint32_t issue_lanes(const struct emu_warp *e, const struct op *op)
{
    return op->guard == OP_NO_PRED ? e->active : e->active & warp_pred(e, op->guard);
}

/* Does the memory instruction the warp would issue next touch a line of an atomic that is not
 * performed yet? MODEL: compared by lines. */
static bool overlaps_atomic(const struct sm *sm, const struct sm_warp *w, const struct op *op)
{
    const void *base = warp_row(w->emu, op->a);
    uint64_t line_mask = ~(uint64_t)(sm->config->l1d.line_bytes - 1);
    for (uint32_t m = issue_lanes(w->emu, op); m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t address = op->flags & OP_ADDR32
                               ? (uint32_t)(((const uint32_t *)base)[i] + (uint32_t)op->imm)
                               : ((const uint64_t *)base)[i] + (uint64_t)op->imm;
        for (uint32_t k = 0; k < w->n_atomics; k++)
            if ((address & line_mask) == w->atomic_lines[k])
                return true;
    }
    return false;
}

static enum stall_cause atomic_hazard(const struct sm *sm, const struct sm_warp *w,
                                      const struct op_timing *t)
{
    const struct op *op = &w->emu->code[w->emu->pc];
    if (t->needs & NEEDS_NO_ATOMICS)
        return STALLED_FENCE;
    if (t->needs & TOUCHES_GLOBAL && overlaps_atomic(sm, w, op))
        return STALLED_FENCE;
    bool full = t->kind.issue_class == ISSUE_ATOMIC && w->n_atomics + WARP_LANES > MAX_WARP_ATOMICS;
    return full ? STALLED_FENCE : STALLED_NONE;
}

/* The cycle before which memory order forbids the instruction. A fence waits until the warp's
 * stores are visible. An atomic must not be performed before the stores of its SM are: those ahead
 * of it in its warp, or in others at the barrier before it. By default the way to L2 sees to that.
 */
static uint64_t allowed_from(const struct sm *sm, const struct sm_warp *w,
                             const struct op_timing *t)
{
    if (t->needs & NEEDS_VISIBLE)
        return w->visible_at;
    sim_time visible = sm->stores_visible_at * sm->clock->period;
    if (t->kind.issue_class != ISSUE_ATOMIC || visible <= sm->way_to_l2 + sm->clock->period)
        return 0;
    return clock_cycle_at(sm->clock, visible - sm->way_to_l2 - sm->clock->period);
}

/* Apart: few instructions are atomics, fences or in the way of one. */
static __attribute__((noinline)) enum stall_cause
order_hazard(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    if (w->n_atomics && atomic_hazard(sm, w, t) != STALLED_NONE)
        return STALLED_FENCE;
    uint64_t from = allowed_from(sm, w, t);
    if (from <= now)
        return STALLED_NONE;
    if (w->wake_at != from)
        wheel_add(&sm->wheel, now, from, (struct wheel_event){EV_WAKE, 0, w});
    w->wake_at = from;
    return STALLED_FENCE;
}

static __attribute__((noinline)) void tell_scheduler(struct sm *sm, const struct sm_warp *w,
                                                     uint64_t now)
{
    const struct scheduler_desc *d = sm->sched;
    if (w->cause == STALLED_NONE && d->on_wake)
        d->on_wake(sm->scheduler, w->slot, now);
    else if (w->cause != STALLED_NONE && d->on_stall)
        d->on_stall(sm->scheduler, w->slot, w->cause, now);
}

static inline void change_kind(struct sm *sm, struct sm_warp *w, struct op_kind kind)
{
    sm->by_unit[w->kind.unit] &= ~w->bit;
    sm->by_unit[kind.unit] |= w->bit;
    sm->by_class[w->kind.issue_class] &= ~w->bit;
    sm->by_class[kind.issue_class] |= w->bit;
    w->kind = kind;
}

/* Most instructions are of the kind of the one before: then the masks stand already. */
static inline void enter_ready(struct sm *sm, struct sm_warp *w, const struct op_timing *t)
{
    if (w->kind.unit != t->kind.unit || w->kind.issue_class != t->kind.issue_class)
        change_kind(sm, w, t->kind);
    sm->can_issue |= w->bit;
    sm->issue_due = 0;
}

static inline void settle(struct sm *sm, struct sm_warp *w, enum stall_cause cause, uint64_t now)
{
    bool is_news = cause != w->cause;
    w->cause = cause;
    if (is_news && sm->tells_stalls)
        tell_scheduler(sm, w, now);
}

/* Apart, like order_hazard(), so that the common way makes no calls but the last one. */
static __attribute__((noinline)) void settle_in_order(struct sm *sm, struct sm_warp *w,
                                                      uint64_t now)
{
    const struct op_timing *t = w->next;
    enum stall_cause cause = order_hazard(sm, w, t, now);
    if (cause == STALLED_NONE)
        enter_ready(sm, w, t);
    settle(sm, w, cause, now);
}

/* Can the next instruction of the warp, which runs and has it in its buffer, issue? The warp is in
 * none of the masks. `simple`: sm.is_simple is known to hold. */
static inline __attribute__((always_inline)) void examine(struct sm *sm, struct sm_warp *w,
                                                          uint64_t now, bool simple)
{
    const struct op_timing *t = w->next;
    uint32_t words = simple ? 1 : sm->pending_words;
    enum stall_cause cause = scoreboard_hazard(&w->scoreboard, t, words);
    if (cause == STALLED_NONE) {
        if (w->n_atomics || t->needs & IS_ORDERED) {
            settle_in_order(sm, w, now);
            return;
        }
        enter_ready(sm, w, t);
    }
    if (simple)
        w->cause = cause;
    else
        settle(sm, w, cause, now);
}

static inline __attribute__((always_inline)) void await_fetch(struct sm *sm, struct sm_warp *w,
                                                              uint64_t now, bool simple)
{
    if (!w->fetching) {
        sm->can_fetch |= w->bit;
        sm->fetch_stalled = false;
    }
    if (simple)
        w->cause = STALLED_FETCH;
    else
        settle(sm, w, STALLED_FETCH, now);
}

void sm_refresh(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    const struct emu_warp *e = w->emu;
    sm->can_issue &= ~w->bit;
    if (sm->can_fetch & w->bit) {
        sm->can_fetch &= ~w->bit;
        sm->fetch_stalled = false; /* it may be another one's turn */
    }
    if (!e || e->state == WARP_FAULTED)
        return;
    if (e->state != WARP_RUNNING)
        settle(sm, w, e->state == WARP_AT_BARRIER ? STALLED_BARRIER : STALLED_FENCE, now);
    else if (w->ibuf)
        examine(sm, w, now, false);
    else
        await_fetch(sm, w, now, false);
}

/* Instructions arrived for a warp: those that follow in its line. */
static inline __attribute__((always_inline)) void
take_instructions(struct sm *sm, struct sm_warp *w, uint64_t now, bool simple)
{
    if (!w->emu || !w->fetching)
        return;
    w->fetching = false;
    if (w->emu->pc == w->fetch_pc) /* otherwise the warp went elsewhere: it will fetch again */
        w->ibuf = w->next->n_fetched;
    if (w->ibuf && simple)
        examine(sm, w, now, true);
    else
        sm_refresh(sm, w->slot, now);
}

static __attribute__((noinline)) void take_all_fetched(struct sm *sm, uint64_t now)
{
    bool simple = sm->is_simple;
    for (; sm->fetched; sm->fetched &= sm->fetched - 1)
        take_instructions(sm, sm_warp_of(sm, (uint32_t)__builtin_ctzll(sm->fetched)), now, simple);
}

/* Often it is one warp, for which no registers need be saved. */
void sm_take_fetched(struct sm *sm, uint64_t now)
{
    uint64_t fetched = sm->fetched;
    if (fetched & (fetched - 1) || !sm->is_simple) {
        take_all_fetched(sm, now);
        return;
    }
    sm->fetched = 0;
    take_instructions(sm, sm_warp_of(sm, (uint32_t)__builtin_ctzll(fetched)), now, true);
}

/* --- units --- */

/* The first cycle in which the unit takes an instruction; the load/store unit, which all sub-cores
 * share, does not know. */
uint64_t sm_unit_next(const struct sm *sm, uint32_t slot, enum sm_unit unit)
{
    if (unit == UNIT_LDST)
        return ldst_has_room(sm) ? 0 : UINT64_MAX;
    return free_times_first(&sm->warps[slot].core->units[unit]->collectors);
}

/* When the operands have been read. The bank of a row is that of the warp; predicates, which have a
 * file of their own, are not among the rows. */
static inline uint64_t collect_operands(const struct sm_warp *w, const struct op_timing *t,
                                        uint64_t now)
{
    const uint16_t *row = t->rows, *end = row + t->n_rows_read;
    const uint8_t *bank_of = w->bank_of;
    struct register_banks *banks = &w->core->banks;
    uint64_t ready = now + 1;
    for (; row != end; row++) {
        uint64_t read = bank_read(banks, bank_of[*row], now + 1);
        ready = read > ready ? read : ready;
    }
    return ready;
}

/* Its results are written in cycle `done`. */
static inline void expect_results(const struct sm_warp *w, const struct op_timing *t, uint64_t done,
                                  uint64_t now)
{
    const uint16_t *row = t->rows + t->n_rows_read, *end = row + t->n_rows_written;
    const uint8_t *bank_of = w->bank_of;
    struct register_banks *banks = &w->core->banks;
    for (; row != end; row++)
        bank_expect(banks, bank_of[*row], done, now);
}

static inline void write_results(const struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    const uint16_t *row = t->rows + t->n_rows_read, *end = row + t->n_rows_written;
    const uint8_t *bank_of = w->bank_of;
    struct register_banks *banks = &w->core->banks;
    for (; row != end; row++)
        bank_write(banks, bank_of[*row], now);
}

/* The cycle in which it leaves its collector for a unit. */
static inline uint64_t dispatch(struct sub_core *core, const struct op_timing *t, uint64_t ready,
                                uint64_t now)
{
    struct arithmetic_unit *unit = core->units[t->kind.unit];
    uint64_t free = free_times_first(&unit->units), at = free > ready ? free : ready;
    free_times_take(&unit->units, at + t->interval);
    free_times_take(&unit->collectors, at);
    uint64_t opens_at = free_times_first(&unit->collectors);
    if (opens_at > now) {
        core->closed |= 1u << t->kind.unit;
        core->opens_at[t->kind.unit] = opens_at;
    }
    return at;
}

/* --- issue --- */

static __attribute__((noinline)) void tell_commit(struct sm *sm, uint32_t slot, uint64_t now)
{
    if (sm->criticality->desc->on_commit)
        sm->criticality->desc->on_commit(sm->criticality, slot, now);
    if (sm->sched->on_commit)
        sm->sched->on_commit(sm->scheduler, slot, now);
}

static inline __attribute__((always_inline)) void
release(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now, bool simple)
{
    scoreboard_clear(&w->scoreboard, t, simple ? 1 : sm->pending_words);
    write_results(w, t, now);
    if (!simple && sm->tells_commits)
        tell_commit(sm, w->slot, now);
    if (w->cause == STALLED_DATA || w->cause == STALLED_MEMORY) /* others wait for something else */
        examine(sm, w, now, simple);
}

/* Apart, so that the common way, which makes no calls but its last one, saves no registers. */
static __attribute__((noinline)) void release_and_tell(struct sm *sm, struct sm_warp *w,
                                                       const struct op_timing *t, uint64_t now)
{
    release(sm, w, t, now, false);
}

void sm_release(struct sm *sm, struct sm_warp *w, uint32_t pc, uint64_t now)
{
    const struct op_timing *t = &sm->timing[pc];
    if (sm->is_simple)
        release(sm, w, t, now, true);
    else
        release_and_tell(sm, w, t, now);
}

/* Apart, as nearly all events are results. */
static __attribute__((noinline)) void finish_other(struct sm *sm, struct wheel_event e,
                                                   uint64_t now)
{
    switch (e.kind) {
    case EV_RELEASE:
        sm_release(sm, e.body, e.value, now);
        break;
    case EV_FETCHED:
        take_instructions(sm, e.body, now, false);
        break;
    case EV_REPLY:
        sm_take_reply(sm, e.body, now);
        break;
    case EV_PERFORMED:
        sm_atomic_visible(sm, e.body, now);
        break;
    default: /* EV_WAKE */
        sm_refresh(sm, ((const struct sm_warp *)e.body)->slot, now);
    }
}

void sm_finish_events(struct sm *sm, uint64_t now)
{
    const struct wheel_list *list = wheel_list_of(&sm->wheel, now);
    enum sm_event quick = sm->is_simple ? EV_RELEASE : N_SM_EVENTS;
    struct wheel_event far;
    while (wheel_take_first(&sm->wheel, now, &far))
        finish_other(sm, far, now);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct wheel_event *e = &list->items[i];
        if (e->kind == quick)
            release(sm, e->body, &sm->timing[e->value], now, true);
        else
            finish_other(sm, *e, now);
    }
    wheel_turn(&sm->wheel, now);
}

void sm_barriers_changed(struct sm *sm, uint32_t cta_slot, uint64_t now)
{
    const struct scheduler_desc *d = sm->sched;
    uint64_t released = 0, mine = 0;
    for (uint64_t live = sm->view.live; live; live &= live - 1) {
        uint32_t s = (uint32_t)__builtin_ctzll(live);
        if (sm->warps[s].cta_slot != cta_slot)
            continue;
        bool waits = sm->warps[s].emu->state == WARP_AT_BARRIER;
        if (sm->sched_warps[s].at_barrier != waits)
            mine |= 1ull << s;
        if (sm->sched_warps[s].at_barrier && !waits)
            released |= 1ull << s;
        sm->sched_warps[s].at_barrier = waits;
    }
    if (released && d->on_barrier_release)
        d->on_barrier_release(sm->scheduler, released, now);
    for (; mine; mine &= mine - 1)
        sm_refresh(sm, (uint32_t)__builtin_ctzll(mine), now);
}

/* After a barrier instruction: who waits now, and who was let go. What the scheduler looks at shows
 * the warp waiting before it is told. */
static void barrier_issued(struct sm *sm, uint32_t slot, uint64_t now)
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
    if (sm->criticality->desc->on_branch)
        sm->criticality->desc->on_branch(sm->criticality, slot, &b);
    if (sm->sched->on_branch)
        sm->sched->on_branch(sm->scheduler, slot, &b);
}

/* Registers, units and events of an instruction that has just been executed. */
static inline __attribute__((always_inline)) void occupy(struct sm *sm, struct sm_warp *w,
                                                         const struct op_timing *t, uint32_t pc,
                                                         uint64_t now, bool simple)
{
    uint64_t ready = collect_operands(w, t, now);
    bool memory = t->kind.unit == UNIT_LDST;
    scoreboard_set(&w->scoreboard, t, simple ? 1 : sm->pending_words, memory);
    if (memory) {
        ldst_push(sm, w->slot, pc, ready, now);
        return;
    }
    uint64_t done = dispatch(w->core, t, ready, now) + t->latency;
    expect_results(w, t, done, now);
    if (t->n_writes)
        wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_RELEASE, pc, w});
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
    if (!faulty && sm->emu.fault.kind != FAULT_NONE)
        sm->fault_cycle = clock_cycle_at(sm->clock, t);
    return freed;
}

/* The warp has ended, or has come to wait for more than its next instruction. */
static __attribute__((noinline)) void stop_warp(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    if (w->emu->state == WARP_AT_HEAP)
        await_heap(sm, w, now);
    if (w->emu->state == WARP_DONE)
        sm_warp_done(sm, w->slot, now);
    else if (w->emu->state == WARP_AT_BARRIER)
        barrier_issued(sm, w->slot, now);
    else
        sm_refresh(sm, w->slot, now);
}

/* What some policies want to know of the lanes that issued. */
static __attribute__((noinline)) void tell_lanes(struct sm *sm, uint32_t slot, uint32_t pc,
                                                 uint32_t active, uint32_t lanes)
{
    uint32_t n_lanes = (uint32_t)__builtin_popcount(lanes);
    if (sm->l1d_counts_insts)
        cache_insts(sm->l1d, n_lanes);
    for (uint32_t i = 0; i < sm->n_l1d_watchers; i++)
        sm->l1d_watchers[i].on_issue(sm->l1d_watchers[i].user, n_lanes);
    if (sm->timing[pc].needs & IS_BRANCH)
        tell_branch(sm, slot, pc, active, lanes);
}

/* False if that was a fault. `simple`: sm.issues_simply is known to hold. */
static inline __attribute__((always_inline)) bool
issue_one(struct sm *sm, uint32_t scheduler, struct sm_warp *w, uint64_t now, bool simple)
{
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc, active = e->active;
    const struct op_timing *t = w->next;
    bool wants_lanes = !simple && sm->wants_lanes;
    uint32_t lanes = wants_lanes ? issue_lanes(e, &e->code[pc]) : 0;
    if (t->kind.unit == UNIT_LDST)
        sm->emu.last.mask = sm->emu.atomic.mask = 0;
    if (simple)
        emu_step(e);
    else
        sm->emu.run_warp(e, 1);
    w->next = &sm->timing[e->pc];
    sm->stats.issued++;
    if (!simple && sm->on_issue)
        sm->on_issue(sm->on_issue_user, &(struct sm_issue){now, sm->index, scheduler, w->slot, pc});
    w->ibuf = w->next == t + 1 ? w->ibuf - 1 : 0;
    sm->can_issue &= ~w->bit;
    if (e->state == WARP_FAULTED) {
        sm->fault_cycle = now;
        return false;
    }
    if (!simple && sm->tells_criticality)
        sm->criticality->desc->on_issue(sm->criticality, w->slot, pc, now);
    if (sm->sched->on_issue)
        sm->sched->on_issue(sm->scheduler, scheduler, w->slot, t->kind.issue_class, pc, now);
    if (wants_lanes)
        tell_lanes(sm, w->slot, pc, active, lanes);
    occupy(sm, w, t, pc, now, simple);
    if (!simple && !t->n_writes && sm->tells_commits) /* nothing of it is still to come */
        tell_commit(sm, w->slot, now);
    if (e->state != WARP_RUNNING)
        stop_warp(sm, w, now);
    else if (t->kind.issue_class == ISSUE_BARRIER)
        barrier_issued(sm, w->slot, now);
    else if (w->ibuf)
        examine(sm, w, now, simple);
    else
        await_fetch(sm, w, now, simple);
    return true;
}

/* Of the warps `ready` of a sub-core those whose unit takes an instruction now. For the others
 * *next becomes the cycle in which the first unit does, if that is earlier; the load/store unit
 * says itself when it has room. */
static inline uint64_t warps_with_unit(const struct sm *sm, struct sub_core *core, uint64_t ready,
                                       uint64_t now, uint64_t *next)
{
    uint64_t waiting = ldst_has_room(sm) ? 0 : sm->by_unit[UNIT_LDST];
    for (uint32_t closed = core->closed; closed; closed &= closed - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(closed);
        uint64_t opens_at = core->opens_at[u];
        if (opens_at <= now) {
            core->closed &= ~(1u << u);
        } else {
            waiting |= sm->by_unit[u];
            if (ready & sm->by_unit[u] && opens_at < *next)
                *next = opens_at;
        }
    }
    return ready & ~waiting;
}

/* Those of them that the policy lets issue. */
static uint64_t allowed_warps(const struct sm *sm, uint64_t ready)
{
    const struct scheduler_desc *d = sm->sched;
    for (uint32_t c = 0; ready && d->may_issue && c < N_ISSUE_CLASSES; c++)
        if (sm->by_class[c] & ready)
            ready &= ~sm->by_class[c] | d->may_issue(sm->scheduler, (enum issue_class)c);
    return ready;
}

/* Who issues if the warps `ready` of the slot can; if none can, the policy is not asked. */
static inline struct sched_pick pick_ready(const struct sm *sm, uint32_t s, uint64_t ready,
                                           uint64_t now)
{
    if (!ready)
        return (struct sched_pick){.warp = -1, .visited = sm->view.live & sm->slot_mask[s]};
    return sm->sched->pick(sm->scheduler, s, ready, ready & sm->by_class[ISSUE_LOAD], now);
}

struct sched_pick sm_pick(const struct sm *sm, uint32_t s, uint64_t now)
{
    uint64_t ready = sm->can_issue & sm->slot_mask[s], next = UINT64_MAX;
    ready = warps_with_unit(sm, sm->core_of[s], ready, now, &next);
    return pick_ready(sm, s, allowed_warps(sm, ready), now);
}

/* MODEL: schedulers issue one after the other in each cycle, always in the same order (as in
 * GPGPU-Sim before version 4), so that the first of them has the first call on what they share: the
 * one place before the load/store unit above all. With sm.rotate_schedulers they begin in turn. */
static inline uint32_t first_scheduler(const struct sm *sm, uint64_t now)
{
    return sm->config->rotate_schedulers ? (uint32_t)(now % sm->config->n_schedulers) : 0;
}

static inline uint32_t next_scheduler(const struct sm *sm, uint32_t s)
{
    return s + 1 == sm->config->n_schedulers ? 0 : s + 1;
}

/* Apart, as most machines have nobody to tell. */
static __attribute__((noinline)) bool issue_and_tell(struct sm *sm, uint32_t scheduler,
                                                     struct sm_warp *w, uint64_t now)
{
    return issue_one(sm, scheduler, w, now, false);
}

/* Each scheduler in turn, telling who was looked at on the way; false if none issued. */
static __attribute__((noinline)) bool issue_attributed(struct sm *sm, uint64_t now)
{
    bool any = false;
    uint32_t s = first_scheduler(sm, now);
    for (uint32_t i = 0; i < sm->config->n_schedulers; i++, s = next_scheduler(sm, s)) {
        if (sm->emu.fault.kind != FAULT_NONE)
            return any;
        struct sched_pick p = sm_pick(sm, s, now);
        attribution_visit(sm, p, now);
        if (p.warp < 0)
            continue;
        uint32_t slot = (uint32_t)p.warp, pc = sm->warps[slot].emu->pc;
        issue_and_tell(sm, s, &sm->warps[slot], now);
        attribution_issued(sm, slot, pc);
        any = true;
    }
    return any;
}

/* The same without telling, for when no fault has happened. */
static bool issue_ready(struct sm *sm, uint64_t now)
{
    bool any = false;
    uint32_t s = first_scheduler(sm, now);
    for (uint32_t i = 0; i < sm->config->n_schedulers; i++, s = next_scheduler(sm, s)) {
        /* anew for each: a unit was taken, a barrier opened */
        uint64_t ready = sm->can_issue & sm->slot_mask[s], next = UINT64_MAX;
        if (ready)
            ready = warps_with_unit(sm, sm->core_of[s], ready, now, &next);
        if (ready && sm->sched->may_issue)
            ready = allowed_warps(sm, ready);
        struct sched_pick p = pick_ready(sm, s, ready, now);
        if (p.warp < 0)
            continue;
        any = true;
        if (!issue_and_tell(sm, s, &sm->warps[p.warp], now))
            break;
    }
    return any;
}

/* The first cycle after `now` at which one of a sub-core's warps might issue; now or earlier = one
 * has a unit already. The load/store unit says when it has room. */
static uint64_t unit_for_any(const struct sm *sm, const struct sub_core *core, uint64_t warps)
{
    uint64_t next = UINT64_MAX, waiting = ldst_has_room(sm) ? 0 : sm->by_unit[UNIT_LDST];
    for (uint32_t closed = core->closed; closed; closed &= closed - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(closed);
        uint64_t free = core->opens_at[u];
        if (sm->by_unit[u] & warps)
            next = free < next ? free : next;
        waiting |= sm->by_unit[u];
    }
    return warps & ~waiting ? 0 : next;
}

/* The first cycle after `now` at which something might issue, as things are. */
static uint64_t issue_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (!sm->can_issue)
        return next;
    const struct scheduler_desc *d = sm->sched;
    uint64_t allowed = d->may_issue ? allowed_warps(sm, sm->can_issue) : sm->can_issue;
    for (uint32_t c = 0; c < sm->n_cores; c++) {
        uint64_t mine = allowed & sm->cores[c].warps;
        uint64_t free = mine ? unit_for_any(sm, &sm->cores[c], mine) : UINT64_MAX;
        next = free < next ? free : next;
    }
    if (d->next_change) {
        uint64_t change = d->next_change(sm->scheduler, now);
        next = change < next ? change : next;
    }
    return next > now ? next : now + 1;
}

/* After one that issued another mostly can, if any: not worth working out when. Apart, so that the
 * usual way saves no registers for its sake. */
static __attribute__((noinline)) void issue_by_policy(struct sm *sm, uint64_t now)
{
    const struct scheduler_desc *d = sm->sched;
    bool any = false;
    if (d->advance && now > sm->scheduler_time) {
        d->advance(sm->scheduler, now - sm->scheduler_time);
        sm->scheduler_time = now;
    }
    if (sm->attribution)
        any = issue_attributed(sm, now);
    else if (sm->can_issue && sm->emu.fault.kind == FAULT_NONE)
        any = issue_ready(sm, now);
    sm->issue_due = any && sm->can_issue ? now + 1 : issue_next(sm, now);
}

/* The same where sm.issues_simply holds and no fault has happened: what waits, waits for a unit. */
static inline void issue_simply(struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    uint32_t n = sm->config->n_schedulers;
    for (uint32_t s = 0; s < n; s++) {
        uint64_t ready = sm->can_issue & sm->slot_mask[s];
        if (!ready || !(ready = warps_with_unit(sm, sm->core_of[s], ready, now, &next)))
            continue;
        next = 0;
        struct sched_pick p = pick_ready(sm, s, ready, now);
        if (p.warp >= 0 && !issue_one(sm, s, sm_warp_of(sm, (uint32_t)p.warp), now, true))
            break;
    }
    sm->issue_due = !sm->can_issue ? UINT64_MAX : next > now ? next : now + 1;
}

void sm_issue(struct sm *sm, uint64_t now)
{
    sm->emu.cycle = now;
    if (sm->issues_simply && sm->emu.fault.kind == FAULT_NONE)
        issue_simply(sm, now);
    else
        issue_by_policy(sm, now);
}
