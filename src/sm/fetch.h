/* The common case of a fetch: its line is in the instruction cache. */
#ifndef HEDDLE_SM_FETCH_H
#define HEDDLE_SM_FETCH_H

#include "cache/fast.h"
#include "sm/ready.h"

/* Code has its own address range, so it shares only L2 with data. */
#define CODE_BASE 0x8000000000ull

static inline void sm_begin_fetch(struct sm_warp *w)
{
    w->fetching = true;
    w->fetch_pc = w->emu->pc;
}

/* The instructions come from the cache and can issue in the next cycle. If nothing but results can
 * change what they wait for until then, the warp is examined now; a result in between examines it
 * again. Not in the last cycle of a quantum, which must leave the SM consistent. */
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
    struct cache_location at = cache_find(sm->l1i, line);
    if (cache_load_fast(sm->l1i, at, 1, w->emu->pc) != CACHE_FAST_HIT)
        return false;
    sm_note_fetched(sm, w);
    return true;
}

#endif
