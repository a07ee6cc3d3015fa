/* The load/store unit from within. */
#ifndef HEDDLE_SM_LDST_H
#define HEDDLE_SM_LDST_H

#include <string.h>

#include "sm/sm.h"

static inline struct ldst_op *ldst_front(const struct sm *sm)
{
    return &sm->ldst[sm->ldst_head];
}

/* What distinguishes the access to do next from the others of its instruction, but for what its
 * cache makes of it: set and sectors. */
static inline void ldst_single_out(const struct ldst_op *l, struct mem_access *a)
{
    const struct line_access *x = &l->access[l->next];
    a->line = x->line;
    a->active_mask = x->lanes;
    a->segments = x->segments;
    a->id = l->first_id + l->next;
    a->first_lane = (uint32_t)__builtin_ctz(x->lanes);
    a->first_thread = l->first_thread_of_warp + a->first_lane;
    if (l->in_detail) {
        const struct line_detail *d = &l->detail[l->next];
        a->address = d->address;
        memcpy(a->byte_mask, d->bytes, sizeof d->bytes);
        a->full_line = (d->bytes[0] & d->bytes[1]) == ~0ull;
    }
}

/* It is tried at `at`, or as if it were, and not accepted. */
static inline void ldst_stall_from(struct sm *sm, uint64_t at)
{
    sm->ldst_stalled = true;
    sm->ldst_stalled_since = at;
}

static inline void ldst_note_hit(const struct ldst_op *l, uint64_t now)
{
    if (now + l->hit_latency > l->record->done_at)
        l->record->done_at = now + l->hit_latency;
}

/* Accesses before that one are done. */
static inline void ldst_note_next(struct sm *sm, struct ldst_op *l, uint32_t next)
{
    sm->stats.load_requests += next - l->next;
    l->next = next;
}
static inline void ldst_note_done(struct sm *sm, struct ldst_op *l, const struct line_access *x)
{
    ldst_note_next(sm, l, (uint32_t)(x - l->access));
}

/* Fetches what its cache says. */
static inline void ldst_send_miss(struct sm *sm, struct ldst_op *l, const struct mem_access *a,
                                  struct cache_result r, uint64_t now)
{
    if (r.writeback)
        sm_queue_writeback(sm, a, cache_victim(l->l1), now);
    enum request_origin origin = l->space == MEM_CONST ? FROM_L1C : FROM_L1D;
    if (origin == FROM_L1C || sm->describes_loads)
        sm_fetch_line(sm, a, l->l1_config, origin, r.mshr, r.fetch_sectors, now);
    else
        sm_ask_for_l1d(sm, a->line, r.mshr, cache_segments_of(l->l1_config, r.fetch_sectors), now);
}

/* Will the access to do next find no MSHR in the next cycle, whatever else it needs? Nothing but a
 * fill can change that, and a fill wakes the unit; so it need not be tried to find that out. */
bool ldst_foresees_stall(struct sm *sm, struct ldst_op *l);
/* The last access is done: the unit goes on with the next instruction. */
void ldst_finish(struct sm *sm, struct ldst_op *l, uint64_t now);

/* The first cycle in which something else may be due in the SM, `end` at the latest. */
static inline uint64_t ldst_alone_until(const struct sm *sm, uint64_t end)
{
    if (sm->can_fetch && !sm->fetch_stalled)
        return 0;
    uint64_t first = sm->issue_due < end ? sm->issue_due : end;
    first = sm->wheel.due < first ? sm->wheel.due : first;
    return sm->replies.due < first ? sm->replies.due : first;
}

/* --- gather.c, gather_simple.c --- */
/* Accesses of a load that gathers, from that of cycle `now` on: what ldst_step() does for any, but
 * in one go. While nothing else is due and no request waits to leave, the cycles that follow, up to
 * `end`, consist of nothing but these. Returns the last one done. */
uint64_t gather(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end);
uint64_t gather_late(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end);
uint64_t gather_simple(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end);
/* Of these, the next of which is that of cycle `at`, does the ones that hit, then plans for the one
 * that does not, or for the last. */
void gather_simple_ahead(struct sm *sm, struct ldst_op *l, uint64_t at);

#endif
