/* A warp that issues alone: no other warp can issue or fetch, and no reply, result or request is
 * due for some cycles.
 *
 * Only the load/store unit works beside it. Between two instructions of this warp, the scheduler
 * need not be asked, no event is needed to wake the warp, and no other unit of the SM has to run.
 * Register banks, units and fetches are accounted for as always.
 * The per-cycle engine does not use this. */
#include "sm/fetch.h"
#include "sm/issue.h"

/* sm_issue_cycle() handles all other instructions: shared memory, atomics, barriers, exits and
 * returns. */
static inline bool is_for_us(const struct op_timing *t)
{
    return t->needs & (IS_SIMPLE_ALU | IS_BRANCH | TOUCHES_GLOBAL);
}

/* The cycle, not before `from`, in which the instruction's unit accepts it; UINT64_MAX if
 * unknown. */
static inline uint64_t open_from(const struct sm *sm, const struct sub_core *core,
                                 const struct op_timing *t, uint64_t from)
{
    uint32_t unit = t->kind.unit;
    if (t->needs & TOUCHES_GLOBAL)
        return ldst_has_room(sm) ? from : UINT64_MAX;
    return core->closed >> unit & 1 && core->opens_at[unit] > from ? core->opens_at[unit] : from;
}

/* The cycle after `now` in which the warp's next instruction issues if nothing intervenes;
 * UINT64_MAX if its results alone do not determine it. */
static inline uint64_t next_issue(const struct sm *sm, const struct sm_warp *w, uint64_t now)
{
    const struct op_timing *t = w->next;
    uint64_t registers = w->scoreboard.pending & t->waits_for;
    if (!is_for_us(t) || w->scoreboard.memory & registers)
        return UINT64_MAX;
    uint64_t at = registers ? sm_last_result(w, registers) : 0;
    return open_from(sm, w->core, t, at > now ? at : now + 1);
}

/* The first cycle before `end` in which a reply or a waiting request is due; `end` if there is
 * none. */
static inline uint64_t others_due(const struct sm *sm, uint64_t end)
{
    uint64_t due = sm->in.queue.due < end ? sm->in.queue.due : end;
    return sm->out.due < due ? sm->out.due : due;
}

/* Leaves the warp, which has issued in cycle `now`, in the state in which issue leaves it. */
static inline void leave(struct sm *sm, struct sm_warp *w, bool has_fetched, uint64_t now)
{
    if (has_fetched)
        sm_fetch_arrives(sm, w, now);
    else
        sm_examine(sm, w, now, PLANNED_RESULTS);
}

/* Fetches if the warp needs it. If until its next issue nothing but the load/store unit has work,
 * returns the cycle of that issue. Otherwise hands the warp back to the usual path and returns
 * UINT64_MAX. */
static inline uint64_t follow(struct sm *sm, struct sm_warp *w, uint64_t now, uint64_t until)
{
    bool fetches = !w->ibuf;
    if (fetches && (w->fetching || now + 1 >= sm->end || !sm_fetch_hits(sm, w))) {
        sm_await_fetch(sm, w, now, PLANNED_RESULTS);
        return UINT64_MAX;
    }
    uint64_t at = next_issue(sm, w, now);
    if (at >= until || at >= sm->wheel.due) {
        leave(sm, w, fetches, now);
        return UINT64_MAX;
    }
    if (fetches)
        w->ibuf = w->next->n_fetched;
    return at;
}

/* Notifies the listeners of an issue. The scheduler receives only on_branch(). */
static inline void tell_issue(struct sm *sm, const struct sm_warp *w, uint32_t pc, uint64_t now,
                              bool wants_lanes, uint32_t active, uint32_t lanes)
{
    if (sm->issue.tells_criticality)
        sm->criticality->desc->on_issue(sm->criticality, w->slot, pc, now);
    if (wants_lanes)
        sm_tell_lanes(sm, w->slot, pc, active, lanes);
}

/* Issues the warp's next instruction in cycle `now`; false if it does not simply continue. */
static inline __attribute__((always_inline)) bool step(struct sm *sm, struct sm_warp *w,
                                                       uint64_t now)
{
    const struct op_timing *t = w->next;
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc, active = e->active;
    bool wants_lanes = sm_wants_lanes(sm, t);
    uint32_t lanes = wants_lanes ? sm_issue_lanes(e, &e->code[pc]) : 0;
    sm->emu.cycle = now;
    sm_forget_last_access(sm, t);
    emu_step_begin(e, &sm->run_stats);
    if (sm->issue.tells_issues && e->state != WARP_FAULTED)
        tell_issue(sm, w, pc, now, wants_lanes, active, lanes);
    if (__builtin_expect(e->state != WARP_RUNNING || e->pc == e->rpc, false)) {
        sm_issue_stopped_or_joined(sm, w, t, pc, now);
        return false;
    }
    sm->stats.issued++;
    sm_pass_instruction(sm, w, t, pc);
    if (t->needs & TOUCHES_GLOBAL) {
        sm_occupy_ldst(sm, w, t, pc, now);
    } else {
        uint64_t done = sm_occupy_arithmetic(sm, w, t, now);
        if (sm->issue.tells_commits && t->n_writes)
            sm_plan_commit(sm, w, done, now);
    }
    sm_commit_now(sm, w, t, now);
    return true;
}

/* Runs the load/store unit after `now`, up to and including cycle `at` (the warp's next issue), or
 * until another unit has work. The cause is cleared so that results of loads that arrive meanwhile
 * do not re-examine the warp: it does not wait for them. Returns the last cycle done. */
static inline uint64_t let_ldst_work(struct sm *sm, struct sm_warp *w, uint64_t now, uint64_t at)
{
    w->cause = STALLED_NONE;
    return ldst_step(sm, sm->ldst.due > now ? sm->ldst.due : now + 1, at + 1);
}

/* Does anything else have to happen up to and including cycle `at`, in which the warp issues? The
 * load/store unit lets no other warp issue or fetch: the results of its loads are events. */
static inline bool is_disturbed(const struct sm *sm, uint64_t at, uint64_t until)
{
    return at >= until || at >= sm->wheel.due || at >= sm->ldst.due;
}

/* Issues the warp's instructions from cycle `now` on, in which it can issue, and before `end`.
 * Returns the last cycle done. If sm->issue.due is not after that cycle, issue must still run in
 * it. */
static uint64_t go_on(struct sm *sm, struct sm_warp *w, uint64_t now, uint64_t end)
{
    uint64_t until = others_due(sm, end), at;
    for (; step(sm, w, now); now = at) {
        at = follow(sm, w, now, until);
        if (at == UINT64_MAX)
            break;
        if (sm->ldst.due > at)
            continue;
        uint64_t begun = let_ldst_work(sm, w, now, at);
        until = others_due(sm, end);
        if (is_disturbed(sm, at, until)) {
            sm_examine(sm, w, begun, PLANNED_RESULTS);
            return begun;
        }
    }
    if (sm->issue.ready)
        sm->issue.due = now + 1;
    return now;
}

uint64_t sm_issue_alone(struct sm *sm, uint64_t now, uint64_t end)
{
    struct sm_warp *w = sm_warp_of(sm, (uint32_t)__builtin_ctzll(sm->issue.ready));
    if (!is_for_us(w->next) || w->n_atomics || sm->fetch.ready || !sm->issue.takes_short_path ||
        open_from(sm, w->core, w->next, now) > now) {
        sm_issue(sm, now);
        return now;
    }
    sm->issue.pick_and_issue(sm->scheduler, w->scheduler, w->bit, now);
    sm->issue.ready = 0;
    sm->issue.due = UINT64_MAX;
    return go_on(sm, w, now, end);
}
