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

/* The reply that is due at `now`, if it is the only one and brings a line of L1D; else NULL. */
static inline struct mem_request *only_reply(const struct reply_ring *q, uint64_t now)
{
    struct mem_request *r = q->items[q->head].request;
    bool alone = q->n == 1 || q->items[(q->head + 1) & (q->cap - 1)].at > now;
    return q->due <= now && alone && r->origin == FROM_L1D ? r : NULL;
}

static inline void drop_first(struct reply_ring *q)
{
    q->head = (q->head + 1) & (q->cap - 1);
    q->due = --q->n ? q->items[q->head].at : UINT64_MAX;
}

/* A request for a line of L1D goes out for another: of whom it is, its MSHR and how many bytes it
 * asks for stay as they are. */
static inline void send_again(struct sm *sm, struct mem_request *r, const struct ldst_op *l,
                              uint64_t now)
{
    struct route route = sm_find_route(sm, l->common.line);
    r->access = l->common;
    ldst_single_out(l, &r->access);
    r->access.segments = all_segments(sm->config->l1d.line_bytes);
    r->to = route.to;
    r->local = route.local;
    r->flits = sm->header_flits;
    if (sm_leaves_next(sm, r, now)) {
        sm->stats.bytes_asked[FROM_L1D] += r->data_bytes;
        sm_post(sm, r, now + 1);
        return;
    }
    sm->requests_out--;
    sm_queue_request(sm, r, now);
}

/* The unit goes on with the access that follows; true if that waits for an MSHR too. */
static inline bool next_waits(struct sm *sm, struct ldst_op *l, uint64_t now)
{
    const struct line_access *x = &l->access[++l->next];
    sm->stats.load_requests++;
    if (l->next + 1 < l->n) {
        uint32_t set = set_index_of(&sm->l1d->indexer, x->line);
        if (!cache_simple_holds(sm->l1d, set, x->line)) {
            l->common.line = x->line;
            l->common.set = set;
            sm->ldst_stalled_since = now + 1;
            return true;
        }
    }
    sm->ldst_stalled = sm->awaits_refill = false;
    ldst_look_ahead(sm, l, now + 1);
    return false;
}

/* True if it came to rest; if not, its registers may be free, and others have something to do. */
static inline bool still_waits(struct sm *sm, struct load_record *r, uint64_t now)
{
    if (r->all_sent && r->outstanding == 1) {
        record_reply(sm, r, now);
        return false;
    }
    r->outstanding--;
    return true;
}

/* Nothing but a reply is due at `now`, which the unit can go on with at once. */
static inline bool can_refill(const struct sm *sm, uint64_t now)
{
    return sm->ldst_stalled_since <= now && sm->wheel.due > now && !sm->fetched &&
           cache_is_simple(sm->l1d) && !sm->l1d->mshrs.n_free && sm_may_send_ahead(sm);
}

uint64_t sm_refill(struct sm *sm, uint64_t now, uint64_t end)
{
    uint64_t done = now;
    if (!can_refill(sm, now))
        return done;
    struct ldst_op *l = ldst_front(sm);
    bool fetches = sm->can_fetch && !sm->fetch_stalled, goes_on = !fetches && !sm->issue_drifts;
    if (sm->issue_due < end)
        end = sm->issue_due;
    if (sm->wheel.due < end)
        end = sm->wheel.due;
    do {
        struct mem_request *r = only_reply(&sm->replies, now);
        l->common.cycle = now;
        struct load_record *waited =
            r ? cache_exchange(sm->l1d, r->id, &l->common, l->record) : NULL;
        if (!waited)
            break;
        drop_first(&sm->replies);
        sm->stats.bytes_got += r->data_bytes;
        sm->stats.stall_cycles[STALL_MSHR] += now - sm->ldst_stalled_since;
        l->record->outstanding++;
        goes_on &= still_waits(sm, waited, now);
        send_again(sm, r, l, now);
        goes_on &= next_waits(sm, l, now) && !sm->miss_n;
        done = now + 1;
        now = sm->replies.due;
    } while (goes_on && now < end);
    return done;
}
