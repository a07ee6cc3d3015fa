/* Which warps can issue: the scoreboard, the order of memory accesses, and what changes either:
 * results, arriving instructions, barriers. */
#include "sm/ready.h"

/* --- hazards --- */

/* Does the memory instruction that the warp would issue next touch a line of an atomic that has not
 * been performed? MODEL: overlap of a warp's accesses with its outstanding atomics is compared by
 * lines. */
static bool overlaps_atomic(const struct sm *sm, const struct sm_warp *w, const struct op *op)
{
    const void *base = warp_row(w->emu, op->a);
    uint64_t line_mask = ~(uint64_t)(sm->config->l1d.line_bytes - 1);
    for (uint32_t m = sm_issue_lanes(w->emu, op); m; m &= m - 1) {
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
 * stores are visible. An atomic must not be performed before the stores of its SM are visible:
 * those before it in its warp, or in other warps at the preceding barrier. By default the path to
 * L2 is long enough for that. */
static uint64_t allowed_from(const struct sm *sm, const struct sm_warp *w,
                             const struct op_timing *t)
{
    if (t->needs & NEEDS_VISIBLE)
        return w->visible_at;
    sim_time visible = sm->ldst.stores_visible_at * sm->clock->period;
    if (t->kind.issue_class != ISSUE_ATOMIC || visible <= sm->atomics_lead + sm->clock->period)
        return 0;
    return clock_cycle_at(sm->clock, visible - sm->atomics_lead - sm->clock->period);
}

/* A separate function: few instructions are atomics, fences or affected by one. */
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

void sm_tell_stall(struct sm *sm, const struct sm_warp *w, uint64_t now)
{
    const struct scheduler_desc *d = sm->sched;
    bool wakes =
        w->cause == STALLED_NONE || (sm->issue.tells_long_stalls && !sm_is_long_stall(w->cause));
    if (wakes && d->on_wake)
        d->on_wake(sm->scheduler, w->slot, now);
    else if (!wakes && d->on_stall)
        d->on_stall(sm->scheduler, w->slot, w->cause, now);
    sm->issue.due = 0; /* it may be another one's turn */
}

void sm_settle_in_order(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    const struct op_timing *t = w->next;
    uint64_t registers = w->scoreboard.pending & t->waits_for;
    uint64_t at = registers ? sm_last_result(w, registers) : 0;
    if (at > now) {
        sm_settle_simple(sm, w, STALLED_DATA, now, ANY_MACHINE);
        wheel_add_far(&sm->wheel, at, (struct wheel_event){EV_WAKE, 0, w});
        return;
    }
    enum stall_cause cause = order_hazard(sm, w, t, now);
    if (cause == STALLED_NONE)
        sm_enter_ready(sm, w, t);
    sm_settle(sm, w, cause, now);
}

void sm_refresh(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    const struct emu_warp *e = w->emu;
    sm->issue.ready &= ~w->bit;
    if (sm->fetch.ready & w->bit) {
        sm->fetch.ready &= ~w->bit;
        sm->fetch.stalled = false; /* it may be another one's turn */
    }
    if (!e || e->state == WARP_FAULTED)
        return;
    if (e->state != WARP_RUNNING)
        sm_settle(sm, w, e->state == WARP_AT_BARRIER ? STALLED_BARRIER : STALLED_FENCE, now);
    else if (w->ibuf)
        sm_examine(sm, w, now, ANY_MACHINE);
    else
        sm_await_fetch(sm, w, now, ANY_MACHINE);
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
        sm_examine(sm, w, now, SIMPLE_MACHINE);
    else
        sm_refresh(sm, w->slot, now);
}

static __attribute__((noinline)) void take_all_fetched(struct sm *sm, uint64_t now)
{
    bool simple = sm->issue.is_simple;
    for (; sm->fetch.arrived; sm->fetch.arrived &= sm->fetch.arrived - 1)
        take_instructions(sm, sm_warp_of(sm, (uint32_t)__builtin_ctzll(sm->fetch.arrived)), now,
                          simple);
}

/* Often it is one warp, for which no registers need to be saved. */
void sm_take_fetched(struct sm *sm, uint64_t now)
{
    uint64_t fetched = sm->fetch.arrived;
    if (fetched & (fetched - 1) || !sm->issue.is_simple) {
        take_all_fetched(sm, now);
        return;
    }
    sm->fetch.arrived = 0;
    take_instructions(sm, sm_warp_of(sm, (uint32_t)__builtin_ctzll(fetched)), now, true);
}

/* --- results and other events --- */

/* With planned results, only those are written that no bank expects. */
static inline void write_row(struct sm *sm, const struct sm_warp *w, uint32_t row, uint64_t now)
{
    struct register_banks *banks = &w->core->banks;
    if (sm->issue.plans_results)
        bank_write_late(banks, sm_bank_of(sm, w, row), now);
    else
        bank_write(banks, sm_bank_of(sm, w, row), now);
}

static void write_results(struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                          uint64_t now)
{
    const uint16_t *row = t->all->rows + t->n_rows_read, *end = row + t->n_rows_written;
    for (; row != end; row++)
        write_row(sm, w, *row, now);
}

void sm_tell_commit(struct sm *sm, uint32_t slot, uint64_t now)
{
    if (sm->criticality->desc->on_commit)
        sm->criticality->desc->on_commit(sm->criticality, slot, now);
    if (sm->sched->on_commit)
        sm->sched->on_commit(sm->scheduler, slot, now);
}

static inline bool awaits_results(const struct sm_warp *w)
{
    return w->cause == STALLED_DATA || w->cause == STALLED_MEMORY;
}

/* For at most one row, where issue_part.is_simple holds; false if memory order must still settle
 * the warp. */
static inline __attribute__((always_inline)) bool
release_simply(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    scoreboard_clear(&w->scoreboard, t, 1);
    if (t->n_rows_written)
        write_row(sm, w, t->result, now);
    return !awaits_results(w) || sm_examine_simple(sm, w, now, SIMPLE_MACHINE);
}

/* A separate function, so that the common path, which makes only its last call, saves no
 * registers. */
static __attribute__((noinline)) void release_and_tell(struct sm *sm, struct sm_warp *w,
                                                       const struct op_timing *t, uint64_t now)
{
    scoreboard_clear(&w->scoreboard, t, sm->operands.pending_words);
    write_results(sm, w, t, now);
    if (sm->issue.tells_commits)
        sm_tell_commit(sm, w->slot, now);
    if (awaits_results(w))
        sm_refresh(sm, w->slot, now);
}

void sm_release(struct sm *sm, struct sm_warp *w, uint32_t pc, uint64_t now)
{
    const struct op_timing *t = &sm->timing[pc];
    if (!sm->issue.releases_simply || t->n_rows_written > 1)
        release_and_tell(sm, w, t, now);
    else if (!release_simply(sm, w, t, now))
        sm_settle_in_order(sm, w, now);
}

/* A separate function, because nearly all events are results. */
static __attribute__((noinline)) void finish_other(struct sm *sm, struct wheel_event e,
                                                   uint64_t now)
{
    switch (e.kind) {
    case EV_RELEASE:
        sm_release(sm, e.body, e.value, now);
        break;
    case EV_FETCHED:
        take_instructions(sm, e.body, now, sm->issue.is_simple);
        break;
    case EV_REPLY:
        sm_retry_put_off_reply(sm, e.body, now);
        break;
    case EV_ANSWER:
        sm_answer_atomic(sm, e.body, now);
        break;
    case EV_PERFORMED:
        sm_atomic_visible(sm, e.body, now);
        break;
    case EV_WRITE:
        bank_write_late(e.body, e.value, now);
        break;
    case EV_COMMIT:
        sm_tell_commit(sm, e.value, now);
        break;
    default: /* EV_WAKE */
        sm_refresh(sm, ((const struct sm_warp *)e.body)->slot, now);
    }
}

/* The events of the cycle from that one on, those that were far ahead; processing one may add more,
 * and move them. */
static __attribute__((noinline)) void finish_rest(struct sm *sm, const struct wheel_event *from,
                                                  uint64_t now)
{
    const struct wheel_list *list = wheel_list_of(&sm->wheel, now);
    for (uint32_t i = (uint32_t)(from - list->items); i < list->n; i++)
        finish_other(sm, list->items[i], now);
    wheel_turn(&sm->wheel, now);
}

static __attribute__((noinline)) void
settle_and_finish(struct sm *sm, struct sm_warp *w, const struct wheel_event *next, uint64_t now)
{
    sm_settle_in_order(sm, w, now);
    finish_rest(sm, next, now);
}

static __attribute__((noinline)) void finish_all(struct sm *sm, uint64_t now)
{
    struct wheel_event far;
    while (wheel_take_first(&sm->wheel, now, &far))
        finish_other(sm, far, now);
    finish_rest(sm, wheel_list_of(&sm->wheel, now)->items, now);
}

/* Usually warps wake, or results arrive without listeners; these call no other function, so that no
 * registers need to be saved. */
void sm_finish_events(struct sm *sm, uint64_t now)
{
    sm_wake_warps(sm, now);
    if (!sm->issue.releases_simply || wheel_has_far(&sm->wheel, now)) {
        finish_all(sm, now);
        return;
    }
    const struct wheel_list *list = wheel_list_of(&sm->wheel, now);
    const struct wheel_event *e = list->items, *end = e + list->n;
    for (; e != end; e++) {
        const struct op_timing *t = &sm->timing[e->value];
        if (e->kind != EV_RELEASE || t->n_rows_written > 1) {
            finish_rest(sm, e, now);
            return;
        }
        if (!release_simply(sm, e->body, t, now)) {
            settle_and_finish(sm, e->body, e + 1, now);
            return;
        }
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
