/* Loads of a simple L1D (cache/simple.h): the accesses of an instruction are looked up and done one
 * after the other in one function, the last one included. What goes on from reply to reply when
 * MSHRs are scarce is in refill.c. */
#include "cache/simple.h"
#include "sm/ldst.h"
#include "sm/send.h"

/* Any access, in its cycle, as cache_load() does it. False if it has to wait. */
static __attribute__((noinline)) bool load_any(struct sm *sm, struct ldst_op *l,
                                               const struct line_access *x, uint64_t now)
{
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct mem_access *a = &l->common;
    ldst_note_done(sm, l, x);
    ldst_single_out(l, a);
    a->cycle = now;
    a->set = cache_set_of(sm->l1d, a->line);
    a->sector_mask = cache_sectors_of(l->l1_config, a->segments);
    struct cache_result r = cache_load(sm->l1d, a, room, l->record);
    if (r.answer == CACHE_STALLED) {
        sm->ldst_cause = r.stall;
        return false;
    }
    if (r.answer == CACHE_HIT)
        ldst_note_hit(l, now);
    else
        l->record->outstanding++;
    if (r.answer == CACHE_MISS)
        ldst_send_miss(sm, l, a, r, now);
    return true;
}

/* The same for one whose line is absent: mostly a fetch that nobody wants to know more of. */
static inline __attribute__((always_inline)) bool load_absent(struct sm *sm, struct ldst_op *l,
                                                              const struct line_access *x,
                                                              struct cache_set *s, uint64_t now)
{
    if (sm->describes_loads)
        return load_any(sm, l, x, now);
    int mshr = simple_fetch(sm->l1d, s, x->line, !sm_miss_queue_full(sm), l->record, now);
    if (mshr == SIMPLE_NOT)
        return load_any(sm, l, x, now);
    if (mshr < 0) {
        sm->ldst_cause = (enum cache_stall) ~mshr;
        return false;
    }
    l->record->outstanding++;
    struct mem_request *r = sm_take_request(sm);
    r->access.kind = MEM_LOAD;
    sm_ask_for(sm, r, x->line, sm->line_segments, FROM_L1D, (uint32_t)mshr, now);
    return true;
}

/* One that hits never has to wait. */
static inline bool load_hits(struct sm *sm, const struct ldst_op *l, struct simple_found f,
                             uint64_t now)
{
    simple_hit(sm->l1d, f);
    ldst_note_hit(l, now);
    return true;
}

/* An access that was looked up, in its cycle. False if it has to wait. */
static inline __attribute__((always_inline)) bool load(struct sm *sm, struct ldst_op *l,
                                                       const struct line_access *x,
                                                       struct simple_found f, uint64_t now)
{
    if (f.way < 0)
        return load_absent(sm, l, x, f.set, now);
    return simple_hits(f) ? load_hits(sm, l, f, now) : load_any(sm, l, x, now);
}

/* The next access is not accepted from `at` on; if its line is absent and it lacks no more than an
 * MSHR, refill.c goes on from here. */
static inline void stall_at(struct sm *sm, struct ldst_op *l, const struct line_access *x,
                            struct simple_found f, uint64_t at)
{
    ldst_stall_from(sm, at);
    sm->ldst_due = UINT64_MAX;
    sm->awaits_refill = f.way < 0 && sm->ldst_cause == STALL_MSHR && sm->may_refill;
    l->common.line = x->line;
    l->common.set = f.set->set;
}

/* The next access waits for its cycle; if it will find no MSHR, that is clear now. */
static inline void await_cycle(struct sm *sm, struct ldst_op *l, const struct line_access *x,
                               struct simple_found f, uint64_t at)
{
    sm->ldst_due = at;
    if (f.way < 0 && !sm->l1d->mshrs.n_free) {
        sm->ldst_cause = STALL_MSHR;
        stall_at(sm, l, x, f, at);
    }
}

/* Accesses from that of cycle `at` on: those before `until`, and as many hits as follow before the
 * quantum ends, for they change nothing that others see. Only the last of all waits for its cycle
 * even if it hits: it ends the instruction. Returns the last cycle in which it did something that
 * cannot wait, `at` if there is none. */
static inline __attribute__((always_inline)) uint64_t walk(struct sm *sm, struct ldst_op *l,
                                                           uint64_t at, uint64_t until)
{
    const struct line_access *x = l->access + l->next, *last = l->access + l->n - 1;
    for (uint64_t done = at;; x++, at++) {
        struct simple_found f = simple_find(sm->l1d, x->line);
        if (simple_hits(f) && x != last && at < sm->end) {
            load_hits(sm, l, f, at);
            continue;
        }
        if (at >= until) {
            ldst_note_done(sm, l, x);
            await_cycle(sm, l, x, f, at);
            return done;
        }
        done = at;
        if (!load(sm, l, x, f, at)) {
            ldst_note_done(sm, l, x);
            stall_at(sm, l, x, f, at);
            return done;
        }
        if (x == last) {
            ldst_note_done(sm, l, x + 1);
            ldst_finish(sm, l, at);
            return done;
        }
        if (sm->miss_n) /* it leaves in a cycle that has to be done */
            until = 0;
    }
}

uint64_t gather_simple(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    uint64_t alone = sm->miss_n ? 0 : ldst_alone_until(sm, end);
    return walk(sm, l, now, alone > now ? alone : now + 1);
}

void gather_simple_ahead(struct sm *sm, struct ldst_op *l, uint64_t at)
{
    walk(sm, l, at, 0);
}
