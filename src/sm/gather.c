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

/* Goes on with the accesses, of which the next one is that of cycle `at`, as far as they hit; then
 * plans for the one that does not, or for the last one, which ldst_step() does as any. */
static void look_ahead(struct sm *sm, struct ldst_op *l, uint64_t at)
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
        sm->ldst_due = UINT64_MAX;
    }
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
        look_ahead(sm, l, now);
    if (sm->ldst_due > now)
        return now;
    for (uint64_t until = ldst_alone_until(sm, end);; now = sm->ldst_due) {
        do_gathered(sm, l, now);
        if (sm->ldst_due >= until || !l->gathers || sm->miss_n)
            return now;
    }
}

/* --- L1D is late (cache/late.h) --- */

/* Where a load is. No function that is called gets its address, so it stays in registers. */
struct walk {
    const struct line_access *next, *last; /* the access to do next, and the last of all */
    uint64_t at;                           /* the cycle of the next one */
    uint64_t done;                         /* the last cycle in which something was to be done */
    struct late_found found;               /* by the next one */
};

/* L2 may want to know who asks. All by value: a walk whose address nobody has stays in registers.
 */
static __attribute__((noinline)) void send_described(struct sm *sm, struct ldst_op *l,
                                                     const struct line_access *x, uint64_t at,
                                                     uint32_t sectors, uint16_t mshr)
{
    struct mem_access *a = &l->common;
    ldst_note_done(sm, l, x);
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

/* The first cycle that is not the unit's alone, after that which has begun. */
static inline uint64_t others_from(const struct sm *sm, uint64_t begun, uint64_t end)
{
    uint64_t alone = sm->miss_n ? 0 : ldst_alone_until(sm, end);
    return alone > begun ? alone : begun + 1;
}

/* Hits before that access may be done ahead of their time. The last of all is none of them: it ends
 * the instruction. */
static inline const struct line_access *early_hits(const struct sm *sm, const struct walk *w)
{
    uint64_t end = hits_end(sm), left = (uint64_t)(w->last - w->next);
    uint64_t n_cycles = w->at < end ? end - w->at : 0;
    return w->next + (n_cycles < left ? n_cycles : left);
}

static inline void pass_hits(struct cache *c, const struct ldst_op *l, struct walk *w,
                             const struct line_access *end)
{
    struct late_next n = late_load_hits(c, w->next, end, w->found);
    w->at += (uint64_t)(n.x - w->next);
    w->next = n.x;
    w->found = n.found;
    ldst_note_hit(l, w->at - 1);
}

/* Does accesses, the last one included, and looks at the first that has to wait: for its cycle, or
 * in it, or, at the end, for nothing any more. The cycle of the next one has begun. */
enum walk_end { FOR_ITS_CYCLE, IN_ITS_CYCLE, FOR_NOTHING };
static inline __attribute__((always_inline)) enum walk_end walk(struct sm *sm, struct ldst_op *l,
                                                                struct walk *w, uint64_t end)
{
    struct cache *c = sm->l1d;
    uint64_t until = others_from(sm, w->at, end);
    const struct line_access *early = early_hits(sm, w);
    w->done = w->at;
    for (;; w->next++, w->at++) {
        w->found = late_find(c, w->next);
        if (!w->found.lacks && w->next < early)
            pass_hits(c, l, w, early);
        if (w->at >= until)
            return FOR_ITS_CYCLE;
        w->done = w->at;
        if (!do_next(sm, l, w))
            return IN_ITS_CYCLE;
        if (w->next == w->last)
            return FOR_NOTHING;
        if (sm->miss_n)
            until = 0;
    }
}

/* If nothing but replies is due in the next cycle, begins that with them. */
static inline bool begin_with_replies(struct sm *sm, uint64_t at, uint64_t end)
{
    bool fetches = sm->fetched || (sm->can_fetch && !sm->fetch_stalled);
    if (sm->replies.due > at || at >= end || fetches || sm->issue_due <= at ||
        sm->wheel.due <= at || sm->miss_n)
        return false;
    sm_finish_replies(sm, at, 0);
    if (sm->drain_due <= at) /* a line that had to make room */
        sm_drain_miss_queue(sm, at);
    return true;
}

/* The next access waits for its cycle, or from that on. */
static inline void await_next(struct sm *sm, const struct walk *w, bool stalled)
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
}

uint64_t gather_late(struct sm *sm, struct ldst_op *l, uint64_t now, uint64_t end)
{
    struct walk w = {.next = l->access + l->next, .last = l->access + l->n - 1, .at = now};
    enum walk_end waits;
    do
        waits = walk(sm, l, &w, end);
    while (waits == FOR_ITS_CYCLE && begin_with_replies(sm, w.at, end));
    if (waits == FOR_NOTHING) {
        ldst_note_done(sm, l, w.last + 1);
        ldst_finish(sm, l, w.done);
    } else {
        ldst_note_done(sm, l, w.next);
        await_next(sm, &w, waits == IN_ITS_CYCLE);
    }
    return w.done;
}
