/* What nearly every fetch does: its line is there. */
#ifndef HEDDLE_SM_FETCH_H
#define HEDDLE_SM_FETCH_H

#include "cache/fast.h"
#include "sm/ready.h"

/* Code lies in an address range of its own, so that it meets data only in L2. */
#define CODE_BASE 0x8000000000ull

static inline void sm_begin_fetch(struct sm_warp *w)
{
    w->fetching = true;
    w->fetch_pc = w->emu->pc;
}

/* Its instructions come from the cache, and can issue in the next cycle. Where nobody looks before
 * that, and nothing but results can change what they wait for, they are as good as there: a result
 * that comes in between looks at the warp again. Not in the last cycle of a quantum, which leaves
 * the SM as it is. */
static inline __attribute__((always_inline)) void sm_fetch_arrives(struct sm *sm, struct sm_warp *w,
                                                                   uint64_t now)
{
    if (sm->issue.plans_results && now + 1 < sm->end &&
        sm_examine_simple(sm, w, now + 1, SIMPLE_MACHINE)) {
        w->ibuf = w->next->n_fetched;
        return;
    }
    sm_begin_fetch(w);
    sm->fetch.arrived |= w->bit;
}

static inline void sm_note_fetched(struct sm *sm, const struct sm_warp *w)
{
    sm->ldst.next_access_id++;
    sm->fetch.last = w->slot;
    sm->fetch.ready &= ~w->bit;
}

/* Fetches for the warp if the instruction cache has its line and nobody listens; false, and
 * nothing done, otherwise. */
static inline bool sm_fetch_hits(struct sm *sm, const struct sm_warp *w)
{
    uint64_t line = CODE_BASE + w->next->code_line;
    struct cache_place at = cache_find(sm->l1i, line);
    if (cache_load_fast(sm->l1i, at, 1, w->emu->pc) != CACHE_FAST_HIT)
        return false;
    sm_note_fetched(sm, w);
    return true;
}

#endif
