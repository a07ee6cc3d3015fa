/* Which warps can issue: the inline part, which every instruction uses. */
#ifndef HEDDLE_SM_READY_H
#define HEDDLE_SM_READY_H

#include "sm/sm.h"

/* --- ready.c: rarely needed, so not inline --- */
/* Tells the scheduler that the warp can issue, or why not. */
void sm_tell_stall(struct sm *sm, const struct sm_warp *w, uint64_t now);
/* As sm_examine() below, where memory order matters, or a result takes long. */
void sm_settle_in_order(struct sm *sm, struct sm_warp *w, uint64_t now);
/* Notifies listeners that an instruction of the warp has ended. */
void sm_tell_commit(struct sm *sm, uint32_t slot, uint64_t now);

/* What is known where an inline function is used: nothing; that issue_part.is_simple holds; that
 * issue_part.plans_results holds too, and nothing listens to long stalls. */
enum issue_mode { ANY_MACHINE, SIMPLE_MACHINE, PLANNED_RESULTS };

/* The lanes that would execute the operation. */
static inline uint32_t sm_issue_lanes(const struct emu_warp *e, const struct op *op)
{
    return op->guard == OP_NO_PRED ? e->active : e->active & warp_pred(e, op->guard);
}

static inline void sm_change_kind(struct sm *sm, struct sm_warp *w, struct op_kind kind)
{
    uint64_t bit = w->bit; /* set for the old kind, clear for the new one, where they differ */
    sm->issue.by_unit[w->kind.unit] ^= bit;
    sm->issue.by_unit[kind.unit] ^= bit;
    sm->issue.by_class[w->kind.issue_class] ^= bit;
    sm->issue.by_class[kind.issue_class] ^= bit;
    w->kind = kind;
}

/* Most instructions are of the same kind as the previous one: then the masks are already
 * correct. */
static inline void sm_take_kind(struct sm *sm, struct sm_warp *w, const struct op_timing *t)
{
    if (w->kind.unit != t->kind.unit || w->kind.issue_class != t->kind.issue_class)
        sm_change_kind(sm, w, t->kind);
}

static inline void sm_enter_ready(struct sm *sm, struct sm_warp *w, const struct op_timing *t)
{
    sm_take_kind(sm, w, t);
    sm->issue.ready |= w->bit;
    sm->issue.due = 0;
}

/* Of these warps, those that do not wait for a free entry of the load/store unit, which reports
 * when it has one. */
static inline uint64_t sm_warps_not_at_ldst(const struct sm *sm, uint64_t warps)
{
    return ldst_has_room(sm) ? warps : warps & ~sm->issue.by_unit[UNIT_LDST];
}

/* The warps that slept until this cycle can issue. */
static inline void sm_wake_warps(struct sm *sm, uint64_t now)
{
    uint64_t warps = wheel_wake(&sm->wheel, now);
    sm->issue.ready |= warps;
    sm->issue.due = sm_warps_not_at_ldst(sm, warps) ? 0 : sm->issue.due;
}

/* The stalls of HEARS_LONG_STALLS. */
static inline bool sm_is_long_stall(enum stall_cause cause)
{
    return 1u << cause & (1u << STALLED_MEMORY | 1u << STALLED_BARRIER | 1u << STALLED_FENCE);
}

/* Records why the warp stalls, if it does, where nothing listens to all stalls. */
static inline void sm_settle_simple(struct sm *sm, struct sm_warp *w, enum stall_cause cause,
                                    uint64_t now, enum issue_mode mode)
{
    bool tells = mode != PLANNED_RESULTS && sm->issue.tells_long_stalls;
    bool is_news = tells && sm_is_long_stall(cause) != sm_is_long_stall(w->cause);
    w->cause = cause;
    if (is_news)
        sm_tell_stall(sm, w, now);
}

static inline void sm_settle(struct sm *sm, struct sm_warp *w, enum stall_cause cause, uint64_t now)
{
    if (!sm->issue.tells_stalls) {
        sm_settle_simple(sm, w, cause, now, ANY_MACHINE);
        return;
    }
    bool is_news = cause != w->cause;
    w->cause = cause;
    if (is_news)
        sm_tell_stall(sm, w, now);
}

/* The cycle in which the last of the registers has its value. */
static inline uint64_t sm_last_result(const struct sm_warp *w, uint64_t registers)
{
    uint64_t last = 0;
    do {
        uint64_t at = w->result_at[__builtin_ctzll(registers)];
        last = at > last ? at : last;
    } while (registers &= registers - 1);
    return last;
}

/* Can the next instruction of the warp, which runs and has it in its buffer, issue in cycle `from`,
 * which is this one or the next? The warp is in none of the masks, and issue_part.is_simple holds.
 * False, and nothing done, if memory order matters or a result takes long.
 *
 * With planned results no event clears a register: it is pending until it is examined. Results from
 * memory are events. A warp that sleeps is already in the masks of its kind, so it can issue when
 * it wakes. */
static inline __attribute__((always_inline)) bool
sm_examine_simple(struct sm *sm, struct sm_warp *w, uint64_t from, enum issue_mode mode)
{
    const struct op_timing *t = w->next;
    uint64_t registers = w->scoreboard.pending & t->waits_for, at = 0;
    if (registers) {
        bool plans = mode == PLANNED_RESULTS || sm->issue.plans_results;
        if (!plans || w->scoreboard.memory & registers) {
            enum stall_cause cause =
                w->scoreboard.memory & t->touches ? STALLED_MEMORY : STALLED_DATA;
            sm_settle_simple(sm, w, cause, from, mode);
            return true;
        }
        at = sm_last_result(w, registers);
    }
    if (w->n_atomics || t->needs & IS_ORDERED)
        return false;
    if (at <= from) {
        sm_enter_ready(sm, w, t);
        sm_settle_simple(sm, w, STALLED_NONE, from, mode);
        return true;
    }
    if (at - from >= WHEEL_CYCLES - 1) /* `from` may be the next one */
        return false;
    sm_take_kind(sm, w, t);
    wheel_sleep(&sm->wheel, at, w->bit);
    sm_settle_simple(sm, w, STALLED_DATA, from, mode);
    return true;
}

/* The same for any warp. */
static inline __attribute__((always_inline)) void sm_examine(struct sm *sm, struct sm_warp *w,
                                                             uint64_t now, enum issue_mode mode)
{
    if (mode != ANY_MACHINE || sm->issue.plans_results) {
        if (!sm_examine_simple(sm, w, now, mode))
            sm_settle_in_order(sm, w, now);
        return;
    }
    const struct op_timing *t = w->next;
    enum stall_cause cause = scoreboard_hazard(&w->scoreboard, t, sm->operands.pending_words);
    if (cause == STALLED_NONE) {
        if (w->n_atomics || t->needs & IS_ORDERED) {
            sm_settle_in_order(sm, w, now);
            return;
        }
        sm_enter_ready(sm, w, t);
    }
    sm_settle(sm, w, cause, now);
}

static inline __attribute__((always_inline)) void sm_await_fetch(struct sm *sm, struct sm_warp *w,
                                                                 uint64_t now, enum issue_mode mode)
{
    if (!w->fetching) {
        sm->fetch.ready |= w->bit;
        sm->fetch.stalled = false;
    }
    if (mode != ANY_MACHINE)
        w->cause = STALLED_FETCH;
    else
        sm_settle(sm, w, STALLED_FETCH, now);
}

#endif
