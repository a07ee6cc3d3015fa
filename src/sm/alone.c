/* A warp that goes on alone: nobody else can issue or fetch, and nothing is due for some cycles.
 *
 * Then it meets nobody. From one of its instructions to the next there is nothing to be asked of
 * the scheduler, nothing to be put on the wheel and no other part of the SM to be looked at; what
 * its instructions take of banks and units, and what they fetch, is taken down as always. Not for
 * the plain engine. */
#include "sm/fetch.h"
#include "sm/issue.h"

/* Others are left to issue(): memory, barriers, what ends a warp or leaves a function. */
static inline bool is_for_us(const struct op_timing *t)
{
    return t->needs & (IS_PLAIN | IS_BRANCH);
}

/* The cycle, not before `from`, in which the unit of the instruction takes it. */
static inline uint64_t open_from(const struct sub_core *core, const struct op_timing *t,
                                 uint64_t from)
{
    uint32_t unit = t->kind.unit;
    return core->closed >> unit & 1 && core->opens_at[unit] > from ? core->opens_at[unit] : from;
}

/* Something else than issue is due in that cycle. */
static inline uint64_t others_due(const struct sm *sm, uint64_t end)
{
    uint64_t due = sm->replies.due < end ? sm->replies.due : end;
    due = sm->ldst_due < due ? sm->ldst_due : due;
    return sm->drain_due < due ? sm->drain_due : due;
}

/* The cycle after `now` in which the warp's next instruction issues if nothing comes in between;
 * UINT64_MAX if that does not follow from its results alone. */
static inline uint64_t next_issue(const struct sm_warp *w, uint64_t now)
{
    const struct op_timing *t = w->next;
    uint64_t registers = w->scoreboard.pending & t->waits_for;
    if (!is_for_us(t) || w->scoreboard.memory & registers)
        return UINT64_MAX;
    uint64_t at = registers ? last_result(w, registers) : 0;
    return open_from(w->core, t, at > now ? at : now + 1);
}

/* The warp, which has issued in cycle `now`, is left as issue leaves it. */
static inline void leave(struct sm *sm, struct sm_warp *w, bool has_fetched, uint64_t now)
{
    if (has_fetched)
        arrive(sm, w, now);
    else
        examine(sm, w, now, BY_PLAN);
}

/* Fetches if the warp has to, and returns the cycle in which it issues again; `until` if it does
 * not before. A result that is put on the wheel meanwhile may set an earlier end. */
static inline uint64_t follow(struct sm *sm, struct sm_warp *w, uint64_t now, uint64_t until)
{
    bool fetches = !w->ibuf;
    if (fetches && (w->fetching || now + 1 >= sm->end || !fetch_recent(sm, w))) {
        await_fetch(sm, w, now, BY_PLAN);
        return until;
    }
    uint64_t at = next_issue(w, now);
    if (at >= until || at >= sm->wheel.due) {
        leave(sm, w, fetches, now);
        return until;
    }
    if (fetches)
        w->ibuf = w->next->n_fetched;
    return at;
}

/* The instructions of the warp from cycle `now` on, in which it can issue, and before `until`.
 * Returns the cycle of the last one, in which fetch is still to look at what it left to it. */
static uint64_t go_on(struct sm *sm, struct sm_warp *w, uint64_t now, uint64_t until)
{
    struct emu_warp *e = w->emu;
    for (uint64_t at = now; at < until; at = follow(sm, w, now, until)) {
        const struct op_timing *t = w->next;
        uint32_t pc = e->pc;
        now = sm->emu.cycle = at;
        emu_step_begin(e, &sm->run_stats);
        if (__builtin_expect(e->state != WARP_RUNNING || e->pc == e->rpc, false)) {
            sm_issue_turn(sm, w, t, pc, now);
            break;
        }
        sm->stats.issued++;
        pass(sm, w, t, pc);
        occupy_plainly(sm, w, t, now);
    }
    return now;
}

uint64_t sm_issue_alone(struct sm *sm, uint64_t now, uint64_t end)
{
    uint64_t until = others_due(sm, end);
    struct sm_warp *w = sm_warp_of(sm, (uint32_t)__builtin_ctzll(sm->can_issue));
    if (!is_for_us(w->next) || w->n_atomics || sm->can_fetch || !sm->issues_simply ||
        until <= now || open_from(w->core, w->next, now) > now) {
        sm_issue(sm, now);
        return now;
    }
    sm->pick_and_issue(sm->scheduler, w->scheduler, w->bit);
    sm->can_issue = 0;
    sm->issue_due = UINT64_MAX;
    return go_on(sm, w, now, until);
}
