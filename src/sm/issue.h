/* Issue and the arithmetic units: the inline part, which every instruction executes.
 *
 * MODEL: operands are read at the earliest one cycle after issue, in issue order; each bank reads
 * one per cycle. An instruction is dispatched when its operands have been read and a unit of its
 * kind is free, with a single unit in the order of issue; until then it holds an operand collector.
 * So all times of an arithmetic instruction are known when it issues. */
#ifndef HEDDLE_SM_ISSUE_H
#define HEDDLE_SM_ISSUE_H

#include "sm/ready.h"

/* --- issue.c: rarely needed, so not inline --- */
/* Completes the issue of an instruction that stopped its warp (exit, barrier, malloc or free,
 * fault); used where issue_part.takes_short_path holds. False after a fault. */
bool sm_issue_stopped(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                      uint64_t now);
/* The rest of sm_issue_arithmetic() below if the warp has stopped, or a path of it has reached its
 * reconvergence point. */
bool sm_issue_stopped_or_joined(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                uint32_t pc, uint64_t now);
void sm_barrier_issued(struct sm *sm, uint32_t slot, uint64_t now);
/* The rest of sm_collect_operands(): banks that could not read at once, and further operands in the
 * same bank. */
uint64_t sm_collect_later(const struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                          uint64_t banks, uint64_t now);
/* The same as sm_expect_results(), for any number of registers. */
void sm_expect_any(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                   uint64_t done, uint64_t now);
/* Asks the scheduler for a warp and notifies it that this warp issues. Returns the warp; -1 if
 * none. */
int sm_pick_then_tell(struct sm *sm, uint32_t issue_slot, uint64_t ready, uint64_t now);
/* Issues the warp's next instruction as sm_issue_unobserved() does, and notifies listeners. */
bool sm_issue_and_tell(struct sm *sm, struct sm_warp *w, uint64_t now);
/* Notifies the L1D policy and L1D watchers of the number of lanes that execute an issued
 * instruction, and listeners of branches. */
void sm_tell_lanes(struct sm *sm, uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes);
/* sm_issue_short() below where issue_part.has_listeners holds. */
void sm_issue_to_listeners(struct sm *sm, uint64_t now);
/* One cycle of issue where issue_part.takes_short_path does not hold. */
void sm_issue_by_policy(struct sm *sm, uint64_t now);

/* --- units --- */

/* The cycle in which all operands have been read. The bank of a row depends on the warp; predicates
 * have their own file and use no bank. */
static inline uint64_t sm_collect_operands(const struct sm *sm, const struct sm_warp *w,
                                           const struct op_timing *t, uint64_t now)
{
    uint64_t reads = banks_turned(t->read_banks, w->bank_turn);
    uint64_t later = banks_read_at_once(&w->core->banks, reads, now + 1);
    if (later || t->needs & READS_AGAIN)
        return sm_collect_later(sm, w, t, later, now);
    return now + 1 + (reads != 0);
}

/* The cycle in which an instruction leaves its collector for a unit; with a single unit, after
 * those issued before it. */
static inline uint64_t sm_dispatch(struct sub_core *core, const struct op_timing *t, uint64_t ready,
                                   uint64_t now)
{
    struct arithmetic_unit *unit = core->units[t->kind.unit];
    uint64_t free = free_times_first(&unit->units), at = free > ready ? free : ready;
    if (free_times_is_one(&unit->units)) {
        unit->units.at[0] = at + t->interval;
        free_times_take_in_order(&unit->collectors, at);
    } else {
        free_times_take(&unit->units, at + t->interval);
        free_times_take(&unit->collectors, at);
    }
    uint64_t opens_at = free_times_first(&unit->collectors);
    if (opens_at > now) {
        core->closed |= 1u << t->kind.unit;
        core->opens_at[t->kind.unit] = opens_at;
    }
    return at;
}

/* --- an instruction --- */

/* The results arrive in cycle `done`. With planned results, a single result needs no event if its
 * bank can note the write (bank_expect()). */
static inline __attribute__((always_inline)) void
sm_expect_results(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                  uint64_t done, uint64_t now, enum issue_mode mode)
{
    bool plans = mode == PLANNED_RESULTS || sm->issue.plans_results;
    if (!plans || t->n_writes > 1 || done - now > BANK_LOOKS_AHEAD) {
        sm_expect_any(sm, w, t, pc, done, now);
        return;
    }
    w->result_at[__builtin_ctzll(t->writes)] = done;
    if (!t->n_rows_written)
        return;
    struct register_banks *banks = &w->core->banks;
    uint32_t bank = sm_bank_of(sm, w, t->result);
    if (!bank_expect(banks, banks->first << bank, done))
        wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_WRITE, bank, banks});
}

/* The commit of an arithmetic instruction with results, in cycle `done`: counted in advance by the
 * criticality provider (commit_ahead()), or else an event. */
static inline void sm_plan_commit(struct sm *sm, const struct sm_warp *w, uint64_t done,
                                  uint64_t now)
{
    struct criticality *c = sm->criticality;
    if (!sm->issue.commits_ahead || !c->desc->commit_ahead(c, w->slot, done))
        wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_COMMIT, w->slot, NULL});
}

/* An instruction without results commits as it issues: nothing of it is outstanding. */
static inline void sm_commit_now(struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                                 uint64_t now)
{
    if (sm->issue.tells_commits && !t->n_writes)
        sm_tell_commit(sm, w->slot, now);
}

/* Reserves the registers and units, and plans the events, of an instruction that has just been
 * executed. */
static inline __attribute__((always_inline)) void sm_occupy(struct sm *sm, struct sm_warp *w,
                                                            const struct op_timing *t, uint32_t pc,
                                                            uint64_t now, enum issue_mode mode)
{
    uint64_t ready = sm_collect_operands(sm, w, t, now);
    bool memory = t->kind.unit == UNIT_LDST;
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, mode == ANY_MACHINE ? sm->operands.pending_words : 1, memory);
    if (memory) {
        ldst_push(sm, w->slot, pc, ready, now);
        return;
    }
    uint64_t done = sm_dispatch(w->core, t, ready, now) + t->latency;
    if (t->n_writes)
        sm_expect_results(sm, w, t, pc, done, now, mode);
    if (mode != PLANNED_RESULTS && t->n_writes && sm->issue.tells_commits &&
        sm->issue.plans_results)
        sm_plan_commit(sm, w, done, now);
}

/* Does a listener need to know which lanes execute it? */
static inline bool sm_wants_lanes(const struct sm *sm, const struct op_timing *t)
{
    return sm->issue.counts_lanes || (sm->issue.tells_branches && t->needs & IS_BRANCH);
}

/* Clears the record of the last memory operation if this instruction is one. */
static inline void sm_forget_last_access(struct sm *sm, const struct op_timing *t)
{
    if (t->kind.unit == UNIT_LDST)
        sm->emu.last.mask = sm->emu.atomic.mask = 0;
}

/* Advances the warp past the instruction of `t` at `pc`. */
static inline void sm_pass_instruction(const struct sm *sm, struct sm_warp *w,
                                       const struct op_timing *t, uint32_t pc)
{
    if (__builtin_expect(w->emu->pc == pc + 1, true)) {
        w->next = t + 1;
        w->ibuf--;
    } else {
        w->next = &sm->timing[w->emu->pc];
        w->ibuf = 0;
    }
}

/* The instruction of `t` at `pc` has been executed: the warp is at its next one and no longer in
 * the ready mask. */
static inline void sm_note_executed(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                    uint32_t pc)
{
    sm->stats.issued++;
    sm->issue.ready &= ~w->bit;
    sm_pass_instruction(sm, w, t, pc);
}

/* Determines what the warp does after the instruction of `t`: wait at a barrier, issue the next
 * instruction, or wait for fetch. Only for a warp that continues. */
static inline __attribute__((always_inline)) void sm_examine_next(struct sm *sm, struct sm_warp *w,
                                                                  const struct op_timing *t,
                                                                  uint64_t now,
                                                                  enum issue_mode mode)
{
    if (t->kind.issue_class == ISSUE_BARRIER)
        sm_barrier_issued(sm, w->slot, now);
    else if (w->ibuf)
        sm_examine(sm, w, now, mode);
    else
        sm_await_fetch(sm, w, now, mode);
}

/* sm_expect_results() for a simple ALU instruction, where issue_part.plans_results holds (sm.h):
 * the warp stores the cycle of its result, so that no event is needed, unless its bank cannot note
 * the write. */
static inline void sm_expect_result(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                    uint64_t done, uint64_t now)
{
    w->result_at[__builtin_ctzll(t->writes)] = done;
    if (!t->n_rows_written)
        return;
    struct register_banks *banks = &w->core->banks;
    uint64_t mask = banks_turned(banks->first, t->result + (uint32_t)w->bank_turn);
    if (done - now > BANK_LOOKS_AHEAD || !bank_expect(banks, mask, done))
        wheel_add(&sm->wheel, now, done,
                  (struct wheel_event){EV_WRITE, (uint32_t)__builtin_ctzll(mask), banks});
}

/* The same as sm_occupy() for a memory instruction, where issue_part.is_simple holds. */
static inline void sm_occupy_ldst(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                  uint32_t pc, uint64_t now)
{
    uint64_t ready = sm_collect_operands(sm, w, t, now);
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, 1, true);
    ldst_push(sm, w->slot, pc, ready, now);
}

/* sm_occupy() for a simple ALU instruction or a jump, with planned results; commits are left to the
 * caller. Returns the cycle of the results. */
static inline __attribute__((always_inline)) uint64_t
sm_occupy_arithmetic(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    uint64_t ready = sm_collect_operands(sm, w, t, now);
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, 1, false);
    uint64_t done = sm_dispatch(w->core, t, ready, now) + t->latency;
    if (t->writes)
        sm_expect_result(sm, w, t, done, now);
    return done;
}

/* sm_issue_unobserved() for a simple ALU instruction, with planned results. */
static inline __attribute__((always_inline)) bool
sm_issue_arithmetic(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc;
    emu_step_begin(e, &sm->run_stats);
    if (__builtin_expect(e->state != WARP_RUNNING || pc + 1 == e->rpc, false))
        return sm_issue_stopped_or_joined(sm, w, t, pc, now);
    sm->stats.issued++;
    sm->issue.ready &= ~w->bit;
    w->next = t + 1;
    sm_occupy_arithmetic(sm, w, t, now);
    if (--w->ibuf)
        sm_examine(sm, w, now, PLANNED_RESULTS);
    else
        sm_await_fetch(sm, w, now, PLANNED_RESULTS);
    return true;
}

/* Issues the warp's next instruction where issue_part.takes_short_path holds and the scheduler has
 * been notified; false after a fault. */
static inline __attribute__((always_inline)) bool
sm_issue_unobserved(struct sm *sm, struct sm_warp *w, uint64_t now, enum issue_mode mode)
{
    const struct op_timing *t = w->next;
    if (mode == PLANNED_RESULTS && t->needs & IS_SIMPLE_ALU)
        return sm_issue_arithmetic(sm, w, t, now);
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc;
    sm_forget_last_access(sm, t);
    emu_step_counted(e, &sm->run_stats);
    sm_note_executed(sm, w, t, pc);
    if (e->state != WARP_RUNNING)
        return sm_issue_stopped(sm, w, t, pc, now);
    sm_occupy(sm, w, t, pc, now, mode);
    sm_examine_next(sm, w, t, now, mode);
    return true;
}

/* --- a cycle --- */

/* Those of `ready`, all of one sub-core, whose next instruction is accepted by its unit now. For
 * the others, lowers *next to the first cycle in which one of their units accepts an instruction;
 * the load/store unit reports when it has room. */
static inline uint64_t sm_warps_with_unit(const struct sm *sm, struct sub_core *core,
                                          uint64_t ready, uint64_t now, uint64_t *next)
{
    uint64_t waiting = 0;
    for (uint32_t closed = core->closed; closed; closed &= closed - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(closed);
        uint64_t opens_at = core->opens_at[u];
        if (opens_at <= now) {
            core->closed &= ~(1u << u);
        } else {
            waiting |= sm->issue.by_unit[u];
            if (ready & sm->issue.by_unit[u] && opens_at < *next)
                *next = opens_at;
        }
    }
    return sm_warps_not_at_ldst(sm, ready & ~waiting);
}

/* The warps that the scheduler holds back, if it keeps that mask. */
static inline uint64_t sm_warps_held(const struct sm *sm)
{
    const struct sched_hold *hold = &sm->scheduler->hold;
    return hold->all | (hold->loads & sm->issue.by_class[ISSUE_LOAD]);
}

/* Brings the hold up to date. Returns the first cycle after `now` in which time alone may change
 * it. */
static inline uint64_t sm_update_hold(struct sm *sm, uint64_t now)
{
    if (sm->scheduler->hold.until <= now)
        sm_advance_scheduler(sm, now);
    return sm->scheduler->hold.until;
}

/* One cycle of issue, each scheduler in turn, where issue_part.takes_short_path holds: only a busy
 * unit or the scheduler's hold can keep a ready warp from issuing. `has_listeners` is
 * issue_part.has_listeners. */
static inline __attribute__((always_inline)) void
sm_issue_short(struct sm *sm, uint64_t now, enum issue_mode mode, bool has_listeners)
{
    uint64_t next = UINT64_MAX;
    uint32_t n = sm->config->n_schedulers, s = 0;
    if (has_listeners && sm->issue.keeps_hold)
        next = sm_update_hold(sm, now);
    do {
        uint64_t ready = sm->issue.ready & sm->issue.slot_mask[s];
        if (has_listeners && sm->issue.keeps_hold)
            ready &= ~sm_warps_held(sm);
        if (!ready || !(ready = sm_warps_with_unit(sm, sm->operands.core_of[s], ready, now, &next)))
            continue;
        int warp_slot = sm->issue.pick_and_issue
                            ? sm->issue.pick_and_issue(sm->scheduler, s, ready, now)
                            : sm_pick_then_tell(sm, s, ready, now);
        if (warp_slot < 0 && has_listeners && sm->issue.tells_long_stalls)
            continue; /* issue slot s stays idle until the scheduler receives an event */
        next = 0;
        if (warp_slot < 0)
            continue;
        struct sm_warp *w = sm_warp_of(sm, (uint32_t)warp_slot);
        if (!(has_listeners && sm->issue.tells_issues ? sm_issue_and_tell(sm, w, now)
                                                      : sm_issue_unobserved(sm, w, now, mode)))
            break;
    } while (++s < n);
    bool waits = sm_warps_not_at_ldst(sm, sm->issue.ready);
    sm->issue.due = !waits ? UINT64_MAX : next > now ? next : now + 1;
}

/* One cycle of issue; sm_issue() is the same, not inline. `mode` applies where
 * issue_part.takes_short_path holds. */
static inline __attribute__((always_inline)) void sm_issue_cycle(struct sm *sm, uint64_t now,
                                                                 enum issue_mode mode)
{
    sm->emu.cycle = now;
    if (!sm->issue.takes_short_path)
        sm_issue_by_policy(sm, now);
    else if (sm->issue.has_listeners)
        sm_issue_to_listeners(sm, now);
    else
        sm_issue_short(sm, now, mode, false);
}

#endif
