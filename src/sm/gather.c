/* Loads of L1D that touch several lines: under a policy that only holds or fetches, they are done
 * one after the other without asking again what kind of instruction they belong to.
 *
 * Hits change nothing that others see; they are done ahead of their time. A cache whose lines get
 * their places when their data come has a way of its own: nothing that a load does there depends on
 * what it replaces, so it is looked up and done at once. */
#include "cache/late_load.h"
#include "sm/ldst.h"
#include "sm/send.h"

/* Up to which cycle hits may be done ahead of their time. They change nothing that others see; but
 * at the end of a quantum statistics may be wanted, and a fill may push their line out. */
static uint64_t hits_end(const struct sm *sm)
{
    uint64_t end = sm->end;
    if (!sm->config->l1d.allocate_on_fill)
        return end;
    if (sm->replies.due < end)
        end = sm->replies.due;
    return sm->n_put_off && sm->wheel.due < end ? sm->wheel.due : end;
}

/* The first cycle in which something else may be due in the SM, `end` at the latest. */
static uint64_t alone_until(const struct sm *sm, uint64_t end)
{
    if (sm->can_fetch && !sm->fetch_stalled)
        return 0;
    uint64_t first = sm->issue_due < end ? sm->issue_due : end;
    first = sm->wheel.due < first ? sm->wheel.due : first;
    return sm->replies.due < first ? sm->replies.due : first;
}

/* --- any L1D --- */

/* Does the accesses that hit, from that of cycle `at` on, and looks at the first that does not. The
 * last of all is none of these: it ends the instruction. */
static struct cache_prospect do_hits(struct sm *sm, struct ldst_op *l, uint64_t *at)
{
    uint64_t end = hits_end(sm), n_cycles = *at < end ? end - *at : 0;
    uint32_t n = l->n - l->next - 1;
    struct cache_prospect next;
    uint32_t n_hits = cache_look_ahead(sm->l1d, &l->access[l->next], n,
                                       n_cycles < n ? (uint32_t)n_cycles : n, l->pc, &next);
    if (!n_hits)
        return next;
    l->next += n_hits;
    *at += n_hits;
    sm->stats.load_requests += n_hits;
    ldst_note_hit(l, *at - 1);
    return next;
}

static inline __attribute__((always_inline)) void look_ahead(struct sm *sm, struct ldst_op *l,
                                                             uint64_t at)
{
    struct cache_prospect p = do_hits(sm, l, &at);
    bool lacks_mshr = p.lacks_mshr;
    sm->ldst_due = at;
    l->absent = p.absent;
    l->gathers = l->next + 1 < l->n;
    l->prepared = l->gathers && !p.hit;
    if (l->prepared) {
        const struct line_access *x = &l->access[l->next];
        l->common.line = x->line;
        l->common.set = p.set;
        l->common.sector_mask = cache_sectors_of(l->l1_config, x->segments);
    } else if (!l->gathers) {
        lacks_mshr = ldst_foresees_stall(sm, l);
    }
    if (lacks_mshr) {
        sm->ldst_cause = STALL_MSHR;
        ldst_stall_from(sm, at);
        sm->awaits_refill = l->gathers && l->absent && sm->may_refill;
        sm->ldst_due = UINT64_MAX;
    }
}

void ldst_look_ahead(struct sm *sm, struct ldst_op *l, uint64_t at)
{
    look_ahead(sm, l, at);
}

/* The access of a gather that has been looked at and found not to hit. */
static inline __attribute__((always_inline)) void do_gathered(struct sm *sm, struct ldst_op *l,
                                                              uint64_t now)
{
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    ldst_single_out(l, &l->common);
    l->common.cycle = now;
    struct cache_result r = l->absent ? cache_load_absent(sm->l1d, &l->common, room, l->record)
                                      : cache_load(sm->l1d, &l->common, room, l->record);
    if (r.answer == CACHE_STALLED) {
        sm->ldst_cause = r.stall;
        ldst_stall_from(sm, now);
        sm->awaits_refill = l->absent && r.stall == STALL_MSHR && sm->may_refill;
        sm->ldst_due = UINT64_MAX;
        return;
    }
    if (r.answer == CACHE_HIT)
        ldst_note_hit(l, now);
    else
        l->record->outstanding++;
    if (r.answer == CACHE_MISS)
        ldst_send_miss(sm, l, &l->common, r, now);
    sm->stats.load_requests++;
    l->next++;
    look_ahead(sm, l, now + 1);
}

/* All but the last, which is done as any: what work_on() and plan_ldst() do for them. That the unit
 * is due says that the load is ready. */
uint64_t gather(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    if (!l->prepared)
        ldst_look_ahead(sm, l, now);
    if (sm->ldst_due > now)
        return now;
    for (uint64_t until = alone_until(sm, end);; now = sm->ldst_due) {
        do_gathered(sm, l, now);
        if (sm->ldst_due >= until || !l->gathers || sm->miss_n)
            return now;
    }
}

/* --- L1D is late (cache/late.h) --- */

/* Where a load is. */
struct walk {
    const struct line_access *next, *last; /* access to do next, and the last of all */
    uint64_t at;                           /* the cycle of the next one */
    struct late_found found;               /* what it finds */
};

/* Looks at the next access, and if that hits before cycle `end` does all that do, up to the first
 * that does not. The last of all is none of these: it ends the instruction, in its cycle. */
static inline void pass_hits(struct sm *sm, const struct ldst_op *l, struct walk *w, uint64_t end)
{
    struct cache *c = sm->l1d;
    w->found = late_find(c, w->next);
    if (w->found.lacks || w->at >= end || w->next == w->last)
        return;
    uint64_t cycles = end - w->at, n = (uint64_t)(w->last - w->next);
    n = late_pass_hits(c, w->next, (uint32_t)(cycles < n ? cycles : n));
    w->next += n;
    w->at += n;
    ldst_note_hit(l, w->at - 1);
    w->found = late_find(c, w->next);
}

/* Accesses before that one are done. */
static inline void note_done(struct sm *sm, struct ldst_op *l, const struct line_access *x)
{
    uint32_t next = (uint32_t)(x - l->access);
    sm->stats.load_requests += next - l->next;
    l->next = next;
}

/* L2 may want to know who asks. All by value: a walk whose address nobody has stays in registers.
 */
static __attribute__((noinline)) void send_described(struct sm *sm, struct ldst_op *l,
                                                     const struct line_access *x, uint64_t at,
                                                     uint32_t sectors, uint16_t mshr)
{
    struct mem_access *a = &l->common;
    note_done(sm, l, x);
    ldst_single_out(l, a);
    a->cycle = at;
    a->set = cache_set_of(sm->l1d, a->line);
    a->sector_mask = a->segments;
    sm_fetch_line(sm, a, l->l1_config, FROM_L1D, mshr, sectors, at);
}

static inline bool stalls(struct sm *sm, enum cache_stall cause)
{
    sm->ldst_cause = cause;
    return false;
}

/* The next access lacks something. False if it has to wait. */
static inline __attribute__((always_inline)) bool miss(struct sm *sm, struct ldst_op *l,
                                                       const struct walk *w)
{
    struct cache *c = sm->l1d;
    uint64_t line = w->next->line;
    uint16_t mshr = mshr_find(&c->mshrs, line, w->found.lacks);
    if (mshr != MSHR_NONE && !late_join(c, w->found, mshr, l->record))
        return stalls(sm, STALL_MERGE);
    if (mshr == MSHR_NONE && (!c->mshrs.n_free || sm_miss_queue_full(sm)))
        return stalls(sm, c->mshrs.n_free ? STALL_MISS_QUEUE : STALL_MSHR);
    l->record->outstanding++;
    if (mshr != MSHR_NONE)
        return true;
    mshr = late_fetch(c, line, w->found, w->at, l->record);
    if (sm->describes_loads)
        send_described(sm, l, w->next, w->at, w->found.lacks, mshr);
    else
        sm_ask_for_l1d(sm, line, mshr, w->found.lacks, w->at);
    return true;
}

/* The next access, in its cycle. False if it has to wait. */
static inline __attribute__((always_inline)) bool do_next(struct sm *sm, struct ldst_op *l,
                                                          const struct walk *w)
{
    if (w->found.lacks)
        return miss(sm, l, w);
    cache_count_hit(sm->l1d);
    late_use(sm->l1d, w->found.place);
    ldst_note_hit(l, w->at);
    return true;
}

/* The next access waits for its cycle, or from that on. */
static inline void await_next(struct sm *sm, struct ldst_op *l, const struct walk *w, bool stalled)
{
    sm->ldst_due = w->at;
    if (!stalled && late_lacks_mshr(sm->l1d, w->next->line, w->found)) {
        sm->ldst_cause = STALL_MSHR;
        stalled = true;
    }
    if (stalled) {
        ldst_stall_from(sm, w->at);
        sm->ldst_due = UINT64_MAX;
    }
    note_done(sm, l, w->next);
}

uint64_t gather_late(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    struct walk w = {.next = l->access + l->next, .last = l->access + l->n - 1, .at = now};
    uint64_t alone = sm->miss_n ? 0 : alone_until(sm, end), ahead = hits_end(sm), done = now;
    uint64_t until = alone > now ? alone : now + 1; /* the first is due */
    bool goes_on = true;
    for (;; w.next++, w.at++) {
        pass_hits(sm, l, &w, ahead);
        if (w.at >= until || !(goes_on = do_next(sm, l, &w)))
            break;
        done = w.at;
        if (w.next == w.last) {
            note_done(sm, l, w.next + 1);
            ldst_finish(sm, l, done);
            return done;
        }
        if (sm->miss_n)
            until = 0;
    }
    await_next(sm, l, &w, !goes_on);
    return done;
}
