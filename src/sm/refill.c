/* A kernel that thrashes L1D, in one go.
 *
 * The load/store unit gathers, and for its next access waits for an MSHR. A reply brings a line and
 * sets one free; the access takes that, its request leaves, and the next access waits likewise: for
 * many cycles on end nothing else happens in such an SM. What finishing replies and stepping the
 * unit would do in a tick each is done here from reply to reply, while nothing else is due and as
 * long as each is as simple as that; the request that has come back goes out again. */
#include "cache/exchange.h"
#include "sm/ldst.h"
#include "sm/send.h"

/* A request for a line of L1D goes out for another: of whom it is, its MSHR and how many bytes it
 * asks for stay as they are. */
static inline void send_again(struct sm *sm, struct mem_request *r, struct ldst_op *l, uint64_t now)
{
    if (sm->describes_loads) {
        ldst_single_out(l, &l->common);
        l->common.sector_mask = cache_sectors_of(l->l1_config, l->common.segments);
        l->common.cycle = now;
        r->access = l->common;
    }
    sm_direct_load(sm, r, l->common.line, sm->line_segments);
    if (sm_send_ahead(sm, r, now)) {
        sm->stats.bytes_asked[FROM_L1D] += r->data_bytes;
        return;
    }
    sm->requests_out--;
    sm_queue_request(sm, r, now);
}

/* The unit goes on with the access that follows; true if that waits for an MSHR too. */
static inline bool next_waits(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint32_t next = l->next + 1;
    const struct line_access *x = &l->access[next];
    const struct cache *c = sm->l1d;
    sm->stats.load_requests++;
    l->next = next;
    bool ends = next == l->n;
    if (!ends) {
        uint32_t set = set_index_of(&c->indexer, x->line);
        if (!cache_simple_holds(c, set, x->line)) {
            l->common.line = x->line;
            l->common.set = set;
            sm->ldst_stalled_since = now + 1;
            return true;
        }
    }
    sm->ldst_stalled = sm->awaits_refill = false;
    if (ends)
        ldst_finish(sm, l, now);
    else
        gather_simple_ahead(sm, l, now + 1);
    return false;
}

/* The reply that is due at `now`, and what comes of it. REFILL_NOT: nothing has been done, for it
 * is not that simple: another one is due too, it brings no line of L1D, or somebody else waits for
 * that as well. */
static inline enum refill refill(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    struct reply_queue *q = &sm->replies;
    const struct timed_reply *first = q->first;
    struct mem_request *r = first->request;
    if (first[1].at <= now || r->origin != FROM_L1D)
        return REFILL_NOT;
    struct load_record *record = l->record,
                       *waited = cache_exchange(sm->l1d, r->id, &l->common, now, record);
    if (!waited)
        return REFILL_NOT;
    sm_drop_reply(q);
    sm->stats.bytes_got += r->data_bytes;
    sm->stats.stall_cycles[STALL_MSHR] += now - sm->ldst_stalled_since;
    record->outstanding++;
    send_again(sm, r, l, now);
    bool waits = next_waits(sm, l, now);
    if (!--waited->outstanding) { /* others have something to do */
        record_done(sm, waited, now);
        return REFILL_PART;
    }
    return waits && !sm->miss_n ? REFILL_ALL : REFILL_PART;
}

/* When something else is due than replies. */
static inline uint64_t others_due(const struct sm *sm)
{
    if (sm->fetched || (sm->can_fetch && !sm->fetch_stalled))
        return 0;
    return sm->issue_due < sm->wheel.due ? sm->issue_due : sm->wheel.due;
}

enum refill sm_refill(struct sm *sm, uint64_t now, uint64_t end)
{
    uint64_t others = others_due(sm);
    if (others <= now || sm->ldst_stalled_since > now || sm->miss_n || sm->l1d->mshrs.n_free)
        return REFILL_NOT;
    struct ldst_op *l = ldst_front(sm);
    uint64_t until = others < end ? others : end;
    enum refill done = REFILL_NOT, last;
    do {
        last = refill(sm, l, now);
        if (last == REFILL_NOT)
            break;
        done = last;
        sm->cycle = now + 1;
        now = sm->replies.due;
    } while (last == REFILL_ALL && now < until);
    sm->planned = others < now ? others : now;
    return done;
}

bool sm_may_refill(const struct sm *sm)
{
    return cache_is_simple(sm->l1d) && sm->queue_is_deep && sm_looks_ahead(sm);
}
