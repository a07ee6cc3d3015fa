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
    l->prepared = l->gathers; /* one that hits too, if it is not to be done ahead of its time */
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

/* Where a load is. No function that is called gets its address, so it stays in registers. One
 * access is done a cycle, so the cycle of the next one says which it is. */
struct walk {
    const struct line_access *next; /* the access to do next */
    uint64_t at;                    /* its cycle */
    uint64_t last_at;               /* that of the last of all, if none has to wait */
    uint64_t begun;                 /* the last cycle that has begun */
    uint64_t early;                 /* hits of cycles before that may be done ahead of their time */
    struct late_found found;        /* by the next one */
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
static inline __attribute__((always_inline)) bool miss(struct sm *sm, struct cache *c,
                                                       struct ldst_op *l, const struct walk *w)
{
    struct load_record *record = l->record;
    uint64_t line = w->next->line;
    size_t bucket = mshr_bucket(&c->mshrs, line);
    uint16_t mshr = mshr_find_in(&c->mshrs, bucket, line, w->found.lacks);
    if (mshr != MSHR_NONE) {
        if (!late_join(c, w->found, mshr, record))
            return stalls(sm, STALL_MERGE);
        record->outstanding++;
        return true;
    }
    if (sm_miss_queue_full(sm) || !c->mshrs.n_free)
        return stalls(sm, c->mshrs.n_free ? STALL_MISS_QUEUE : STALL_MSHR);
    mshr = late_fetch(c, line, bucket, w->found, w->at, record);
    record->outstanding++;
    if (sm->describes_loads)
        send_described(sm, l, w->next, w->at, w->found.lacks, mshr);
    else
        sm_ask_for_l1d(sm, line, mshr, w->found.lacks, w->at);
    return true;
}

/* A hit is later than those before it, and so is what it brings. */
static inline void note_later_hit(const struct ldst_op *l, uint64_t at)
{
    l->record->done_at = at + l->hit_latency;
}

/* The next access, in its cycle. False if it has to wait. */
static inline __attribute__((always_inline)) bool do_next(struct sm *sm, struct cache *c,
                                                          struct ldst_op *l, const struct walk *w)
{
    if (w->found.lacks)
        return miss(sm, c, l, w);
    cache_count_hit(c);
    late_use(c, w->found.place);
    note_later_hit(l, w->at);
    return true;
}

/* Will a reply give a line of L1D a place? Otherwise all it can change there is that a line which
 * is there has more sectors. */
static inline bool gives_place(const struct sm *sm, const struct mem_request *r)
{
    const struct cache *c = sm->l1d;
    return r->origin == FROM_L1D &&
           !late_seek(&c->tags.index, c->tags.lines, c->mshrs.entries[r->id].line);
}

/* Up to where hits may be done ahead of their time: not past the quantum, at the end of which
 * statistics may be wanted, nor past a line that gets a place, which may be that of theirs. Replies
 * of the quantum are all known. The last access, that of cycle `last`, is none of them: it ends the
 * instruction. */
static __attribute__((noinline)) uint64_t early_until(const struct sm *sm, uint64_t last)
{
    uint64_t end = sm->end < last ? sm->end : last;
    if (sm->n_put_off && sm->wheel.due < end)
        end = sm->wheel.due;
    if (sm->replies.due >= end)
        return end;
    for (const struct timed_reply *r = sm->replies.first; r->at < end; r++)
        if (gives_place(sm, r->request))
            return r->at;
    return end;
}

/* Looks at the next access, and if that hits does the hits that may be done ahead. */
static inline __attribute__((always_inline)) void look(struct cache *c, const struct ldst_op *l,
                                                       struct walk *w)
{
    w->found = late_find(c, w->next);
    if (w->found.lacks || w->at >= w->early)
        return;
    struct late_next n = late_load_hits(c, w->next, w->early - w->at, w->found);
    w->next += n.n_hits;
    w->at += n.n_hits;
    w->found = n.found;
    note_later_hit(l, w->at - 1);
}

/* Will nothing be due in that cycle, which has not begun, but the next access and replies? Nothing
 * that was fetched waits to be taken: that was done before the unit's turn. */
static inline bool is_alone_at(const struct sm *sm, uint64_t at, uint64_t end)
{
    return sm->issue_due > at && at < end && sm->wheel.due > at && !sm->miss_n &&
           !(sm->can_fetch && !sm->fetch_stalled);
}

static __attribute__((noinline)) void begin_with_replies(struct sm *sm, uint64_t at)
{
    sm_finish_replies(sm, at, 0);
    if (sm->drain_due <= at) /* a line that had to make room */
        sm_drain_miss_queue(sm, at);
}

/* Does accesses, the last one included, and looks at the first that has to wait: for its cycle, or
 * in it, or, at the end, for nothing any more. The cycle of the next one has begun. */
enum walk_end { FOR_ITS_CYCLE, IN_ITS_CYCLE, FOR_NOTHING };
static inline __attribute__((always_inline)) enum walk_end walk(struct sm *sm, struct ldst_op *l,
                                                                struct walk *w, uint64_t end)
{
    struct cache *c = sm->l1d;
    for (;;) {
        if (!w->found.lacks)
            look(c, l, w);
        if (w->at > w->begun) {
            uint64_t next = sm->replies.due < w->at ? sm->replies.due : w->at;
            if (!is_alone_at(sm, next, end))
                return FOR_ITS_CYCLE;
            w->begun = next;
            if (sm->replies.due <= next) {
                begin_with_replies(sm, next);
                if (next >= w->early)
                    w->early = early_until(sm, w->last_at);
                w->found.lacks = 0; /* what they brought may change what it finds */
                continue;
            }
        }
        if (!do_next(sm, c, l, w))
            return IN_ITS_CYCLE;
        if (w->at == w->last_at)
            return FOR_NOTHING;
        w->next++;
        w->at++;
        w->found.lacks = 0;
    }
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
    struct walk w = {.next = l->access + l->next,
                     .at = now,
                     .last_at = now + (l->n - 1 - l->next),
                     .begun = now};
    w.early = l->early;
    if (w.early <= now && now < w.last_at)
        w.early = early_until(sm, w.last_at);
    if (l->fills_seen == sm->l1d->stats.fills)
        w.found = l->found;
    enum walk_end waits = walk(sm, l, &w, end);
    if (waits == FOR_NOTHING) {
        ldst_note_next(sm, l, l->n);
        l->found.lacks = 0;
        l->early = 0;
        ldst_finish(sm, l, w.begun);
    } else {
        l->found = w.found;
        l->early = w.early;
        l->fills_seen = sm->l1d->stats.fills;
        ldst_note_next(sm, l, l->n - 1 - (uint32_t)(w.last_at - w.at));
        await_next(sm, &w, waits == IN_ITS_CYCLE);
    }
    return w.begun;
}
