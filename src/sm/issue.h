/* Issue and the arithmetic units: what every instruction does, compiled into the loop over cycles.
 *
 * MODEL: operands are read one cycle after issue at the earliest, one a cycle and bank, in the
 * order of issue; an instruction is dispatched when its operands are there and a unit of its kind
 * is free, in the order of issue; until then it holds an operand collector. So everything about an
 * arithmetic instruction is known when it is issued. */
#ifndef HEDDLE_SM_ISSUE_H
#define HEDDLE_SM_ISSUE_H

#include "sm/ready.h"

/* --- issue.c: apart, as it is rarely needed --- */
/* What is left to do for an instruction after which its warp does not just go on, where
 * issue_part.is_short holds; false if that is for a fault. */
bool sm_issue_last(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                   uint64_t now);
/* The rest of issue_plain() below if the warp has stopped or its lanes meet others. */
bool sm_issue_turn(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                   uint64_t now);
void sm_barrier_issued(struct sm *sm, uint32_t slot, uint64_t now);
/* The rest of collect_operands(): of the banks that could not read at once, and of what an
 * instruction reads of a bank beyond the first. */
uint64_t sm_collect_later(const struct sm *sm, const struct sm_warp *w, const struct op_timing *t,
                          uint64_t banks, uint64_t now);
/* The same as expect_results(), for any number of registers. */
void sm_expect_any(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint32_t pc,
                   uint64_t done, uint64_t now);
/* Whom the scheduler picks, after telling it that this one issues; -1 = none. */
int sm_pick_then_tell(struct sm *sm, uint32_t scheduler, uint64_t ready, uint64_t now);
/* Issues the warp's next instruction as issue_quietly() does, and tells who wants to know. */
bool sm_issue_and_tell(struct sm *sm, struct sm_warp *w, uint64_t now);
/* issue_simply() below where sm.has_listeners holds. */
void sm_issue_to_listeners(struct sm *sm, uint64_t now);
/* One cycle of issue where issue_part.is_short does not hold. */
void sm_issue_by_policy(struct sm *sm, uint64_t now);

/* --- units --- */

/* When the operands have been read. The bank of a row is that of the warp; predicates, which have a
 * file of their own, are not among the rows. */
static inline uint64_t collect_operands(const struct sm *sm, const struct sm_warp *w,
                                        const struct op_timing *t, uint64_t now)
{
    uint64_t reads = banks_turned(t->read_banks, w->bank_turn);
    uint64_t later = banks_read_at_once(&w->core->banks, reads, now + 1);
    if (later || t->needs & READS_AGAIN)
        return sm_collect_later(sm, w, t, later, now);
    return now + 1 + (reads != 0);
}

/* The cycle in which it leaves its collector for a unit; where there is only one, after those that
 * were issued before. */
static inline uint64_t dispatch(struct sub_core *core, const struct op_timing *t, uint64_t ready,
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

/* Its results come in cycle `done`. Where results are planned there is nothing to be done then,
 * if a single one is expected by its bank. */
static inline __attribute__((always_inline)) void expect_results(struct sm *sm, struct sm_warp *w,
                                                                 const struct op_timing *t,
                                                                 uint32_t pc, uint64_t done,
                                                                 uint64_t now, enum manner manner)
{
    bool plans = manner == BY_PLAN || sm->issue.plans_results;
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

/* Registers, units and events of an instruction that has just been executed. */
static inline __attribute__((always_inline)) void occupy(struct sm *sm, struct sm_warp *w,
                                                         const struct op_timing *t, uint32_t pc,
                                                         uint64_t now, enum manner manner)
{
    uint64_t ready = collect_operands(sm, w, t, now);
    bool memory = t->kind.unit == UNIT_LDST;
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, manner == IN_ANY_WAY ? sm->operands.pending_words : 1,
                   memory);
    if (memory) {
        ldst_push(sm, w->slot, pc, ready, now);
        return;
    }
    uint64_t done = dispatch(w->core, t, ready, now) + t->latency;
    if (t->n_writes)
        expect_results(sm, w, t, pc, done, now, manner);
    if (manner != BY_PLAN && t->n_writes && sm->issue.tells_commits && sm->issue.plans_results)
        wheel_add(&sm->wheel, now, done, (struct wheel_event){EV_COMMIT, w->slot, NULL});
}

/* What the last memory operation did is that of this one, if it is one. */
static inline void forget_last_access(struct sm *sm, const struct op_timing *t)
{
    if (t->kind.unit == UNIT_LDST)
        sm->emu.last.mask = sm->emu.atomic.mask = 0;
}

/* The warp leaves the instruction of `t` at `pc` behind. */
static inline void pass(const struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                        uint32_t pc)
{
    if (__builtin_expect(w->emu->pc == pc + 1, true)) {
        w->next = t + 1;
        w->ibuf--;
    } else {
        w->next = &sm->timing[w->emu->pc];
        w->ibuf = 0;
    }
}

/* The instruction of `t` at `pc` has been: the warp is at its next one, and no longer among those
 * that can issue. */
static inline void has_executed(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                                uint32_t pc)
{
    sm->stats.issued++;
    sm->issue.ready &= ~w->bit;
    pass(sm, w, t, pc);
}

/* After the instruction of `t`, when the warp goes on. */
static inline __attribute__((always_inline)) void look_at_next(struct sm *sm, struct sm_warp *w,
                                                               const struct op_timing *t,
                                                               uint64_t now, enum manner manner)
{
    if (t->kind.issue_class == ISSUE_BARRIER)
        sm_barrier_issued(sm, w->slot, now);
    else if (w->ibuf)
        examine(sm, w, now, manner);
    else
        await_fetch(sm, w, now, manner);
}

/* The same for plain arithmetic where results are planned. */
static inline void expect_result(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
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

/* The same as occupy() for a memory instruction, where issue_part.is_simple holds. */
static inline void occupy_ldst(struct sm *sm, struct sm_warp *w, const struct op_timing *t,
                               uint32_t pc, uint64_t now)
{
    uint64_t ready = collect_operands(sm, w, t, now);
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, 1, true);
    ldst_push(sm, w->slot, pc, ready, now);
}

/* The same as occupy() for plain arithmetic, or a jump, where results are planned. */
static inline __attribute__((always_inline)) void
occupy_plainly(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    uint64_t ready = collect_operands(sm, w, t, now);
    scoreboard_pass(&w->scoreboard, t);
    scoreboard_set(&w->scoreboard, t, 1, false);
    uint64_t done = dispatch(w->core, t, ready, now) + t->latency;
    if (t->writes)
        expect_result(sm, w, t, done, now);
}

/* Issues plain arithmetic as issue_quietly() does, where results are planned. */
static inline __attribute__((always_inline)) bool
issue_plain(struct sm *sm, struct sm_warp *w, const struct op_timing *t, uint64_t now)
{
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc;
    emu_step_begin(e, &sm->run_stats);
    if (__builtin_expect(e->state != WARP_RUNNING || pc + 1 == e->rpc, false))
        return sm_issue_turn(sm, w, t, pc, now);
    sm->stats.issued++;
    sm->issue.ready &= ~w->bit;
    w->next = t + 1;
    occupy_plainly(sm, w, t, now);
    if (--w->ibuf)
        examine(sm, w, now, BY_PLAN);
    else
        await_fetch(sm, w, now, BY_PLAN);
    return true;
}

/* Issues the warp's next instruction where issue_part.is_short holds and the scheduler has been
 * told; false if that was a fault. */
static inline __attribute__((always_inline)) bool issue_quietly(struct sm *sm, struct sm_warp *w,
                                                                uint64_t now, enum manner manner)
{
    const struct op_timing *t = w->next;
    if (manner == BY_PLAN && t->needs & IS_PLAIN)
        return issue_plain(sm, w, t, now);
    struct emu_warp *e = w->emu;
    uint32_t pc = e->pc;
    forget_last_access(sm, t);
    emu_step_counted(e, &sm->run_stats);
    has_executed(sm, w, t, pc);
    if (e->state != WARP_RUNNING)
        return sm_issue_last(sm, w, t, pc, now);
    occupy(sm, w, t, pc, now, manner);
    look_at_next(sm, w, t, now, manner);
    return true;
}

/* --- a cycle --- */

/* Of the warps `ready` of a sub-core those whose unit takes an instruction now. For the others
 * *next becomes the cycle in which the first unit does, if that is earlier; the load/store unit
 * says itself when it has room. */
static inline uint64_t warps_with_unit(const struct sm *sm, struct sub_core *core, uint64_t ready,
                                       uint64_t now, uint64_t *next)
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
    return warps_not_at_ldst(sm, ready & ~waiting);
}

/* Whom the scheduler holds back, where it keeps that. */
static inline uint64_t warps_held(const struct sm *sm)
{
    const struct sched_hold *hold = &sm->scheduler->hold;
    return hold->all | (hold->loads & sm->issue.by_class[ISSUE_LOAD]);
}

/* Returns the first cycle after `now` in which time alone may change that. */
static inline uint64_t bring_hold_to(struct sm *sm, uint64_t now)
{
    if (sm->scheduler->hold.until <= now)
        sm_advance_scheduler(sm, now);
    return sm->scheduler->hold.until;
}

/* Each scheduler in turn, where issue_part.is_short holds: what waits, waits for a unit, or until
 * the scheduler holds it back no more. `has_listeners` as in the SM. */
static inline __attribute__((always_inline)) void
issue_simply(struct sm *sm, uint64_t now, enum manner manner, bool has_listeners)
{
    uint64_t next = UINT64_MAX;
    uint32_t n = sm->config->n_schedulers, s = 0;
    if (has_listeners && sm->issue.keeps_hold)
        next = bring_hold_to(sm, now);
    do {
        uint64_t ready = sm->issue.ready & sm->issue.slot_mask[s];
        if (has_listeners && sm->issue.keeps_hold)
            ready &= ~warps_held(sm);
        if (!ready || !(ready = warps_with_unit(sm, sm->operands.core_of[s], ready, now, &next)))
            continue;
        int slot = sm->issue.pick_and_issue ? sm->issue.pick_and_issue(sm->scheduler, s, ready, now)
                                            : sm_pick_then_tell(sm, s, ready, now);
        if (slot < 0 && has_listeners && sm->issue.tells_long_stalls)
            continue; /* the slot stays idle until the scheduler is told of something */
        next = 0;
        if (slot < 0)
            continue;
        struct sm_warp *w = sm_warp_of(sm, (uint32_t)slot);
        if (!(has_listeners && sm->issue.tells_issues ? sm_issue_and_tell(sm, w, now)
                                                      : issue_quietly(sm, w, now, manner)))
            break;
    } while (++s < n);
    bool waits = warps_not_at_ldst(sm, sm->issue.ready);
    sm->issue.due = !waits ? UINT64_MAX : next > now ? next : now + 1;
}

/* One cycle; sm_issue() is the same for those who seldom call it. `manner` is for when
 * issue_part.is_short holds. */
static inline __attribute__((always_inline)) void issue(struct sm *sm, uint64_t now,
                                                        enum manner manner)
{
    sm->emu.cycle = now;
    if (!sm->issue.is_short)
        sm_issue_by_policy(sm, now);
    else if (sm->issue.has_listeners)
        sm_issue_to_listeners(sm, now);
    else
        issue_simply(sm, now, manner, false);
}

#endif
