/* The replies of a memory slice: a queue in the order in which L2 serves their requests.
 *
 * MODEL: the path from L2 to the reply port is a pipeline of l2_latency stages with a queue at its
 * end. Data from DRAM have a reserved entry.
 *
 * Replies leave in order, and only they use credits. So the departure of a reply is known as soon
 * as that of the one before it is. The reply is sent at that point, marked with the cycle in which
 * it leaves. It stays in the queue until that cycle, because it occupies its entry until then. A
 * slice that works on time (slice.works_on_time) sends a reply in the cycle in which it leaves. */
#include "slice/slice_parts.h"

static uint32_t reply_bytes(const struct mem_request *r)
{
    if (r->access.kind == MEM_ATOMIC)
        return atomic_request_reply_bytes(r->atomic, r->data_bytes);
    bool data = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION;
    return data ? r->data_bytes : 0;
}

uint32_t slice_other_flits(struct slice *p, uint32_t bytes)
{
    p->usual_bytes = bytes;
    p->usual_flits = noc_flits(&p->config->noc, bytes);
    return p->usual_flits;
}

void slice_reply(struct slice *p, struct mem_request *r, uint64_t at)
{
    slice_queue_reply(p, r, reply_bytes(r), at);
}

/* --- queue entries --- */

/* Has reply `i` left before cycle `now`? Then its `request` must not be read: its memory may serve
 * another request. */
static bool has_departed(const struct slice *p, uint32_t i, uint64_t now)
{
    return i < p->n_sent && ring_at(&p->replies, i)->at < now;
}

/* The number of replies that left before cycle `now`, by a binary search, because they leave in
 * order. */
static uint32_t n_departed(const struct slice *p, uint64_t now)
{
    uint32_t n = 0, end = p->n_sent;
    while (n < end) {
        uint32_t middle = (n + end) / 2;
        if (has_departed(p, middle, now))
            n = middle + 1;
        else
            end = middle;
    }
    return n;
}

uint32_t slice_n_replies(const struct slice *p, uint64_t now)
{
    return p->replies.n - n_departed(p, now);
}

/* Removes replies that left before the current cycle. */
static void drop_departed(struct slice *p)
{
    uint32_t n = n_departed(p, p->l2_cycle);
    ring_drop(&p->replies, n);
    p->n_sent -= n;
}

/* Drops departed replies; doubles the ring if it is still at least half full, so that the next call
 * is far off. */
void slice_grow_replies(struct slice *p)
{
    if (p->n_sent)
        drop_departed(p);
    if (p->replies.n >= p->replies.cap / 2)
        ring_grow(&p->replies);
}

struct slice_ahead slice_ahead(const struct slice *p, sim_time now)
{
    struct slice_ahead ahead = {0};
    uint64_t cycle = divider_div_up_multiple(&p->l2_period, now);
    for (uint32_t i = p->n_sent; i && !has_departed(p, i - 1, cycle); i--) {
        ahead.messages++;
        ahead.flits += ring_at(&p->replies, i - 1)->request->flits;
    }
    return ahead;
}

/* --- sending --- */

/* For a reply that lacks credits in `cycle`: the first cycle from `cycle` on in which credits and
 * port allow it to leave. CYCLE_NEVER if that is not known yet: returns of credits are known up to
 * the end of the quantum only, and slice_send_replies() tries again in the next one. */
static uint64_t await_credits(struct slice *p, struct tx_peer *to, const struct mem_request *r,
                              uint64_t cycle)
{
    sim_time t = l2_time(p, cycle);
    tx_take_credits(&p->down, to, t);
    if (to->credits < r->flits && t >= p->shard.until) {
        p->reply_at = cycle;
        return CYCLE_NEVER;
    }
    sim_time ready = tx_ready_at(&p->down, t, r->sm, r->flits);
    if (ready == TIME_NEVER)
        return CYCLE_NEVER;
    cycle = divider_div_up_multiple(&p->l2_period, ready);
    tx_take_credits(&p->down, to, l2_time(p, cycle));
    assert(to->credits >= r->flits);
    return cycle;
}

/* The first cycle, from `cycle` on, in which the port accepts a reply whose credits are available.
 */
static inline uint64_t port_cycle(const struct slice *p, uint64_t cycle)
{
    sim_time t = l2_time(p, cycle);
    return gate_is_open(&p->down.gate, t)
               ? cycle
               : divider_div_multiple(&p->l2_period, gate_open_from(&p->down.gate, t) - 1) + 1;
}

static inline struct message reply_message(struct mem_request *r)
{
    return (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = r->flits, .body = r};
}

void slice_send_replies(struct slice *p)
{
    drop_departed(p);
    uint32_t i = p->n_sent, n = p->replies.n;
    p->reply_at = CYCLE_NEVER;
    for (; i < n; i++) {
        struct timed_request *first = ring_at(&p->replies, i);
        struct mem_request *r = first->request;
        struct tx_peer *to = tx_peer_of(&p->down, r->sm);
        uint64_t cycle = max_u64(first->at, p->next_reply);
        cycle = to->credits < r->flits ? await_credits(p, to, r, cycle) : port_cycle(p, cycle);
        if (cycle == CYCLE_NEVER)
            break;
        tx_post(&p->down, to, l2_time(p, cycle), reply_message(r));
        first->at = cycle;
        p->next_reply = cycle + 1;
    }
    p->outstanding -= i - p->n_sent;
    p->n_sent = i;
}

void slice_try_reply(struct slice *p, uint64_t now)
{
    const struct timed_request *front = ring_front(&p->replies);
    if (!front || front->at > now)
        return;
    struct mem_request *r = front->request;
    if (!tx_can_send(&p->down, l2_time(p, now), r->sm, r->flits))
        return;
    tx_send_declared(&p->down, l2_time(p, now), reply_message(r));
    p->outstanding--;
    ring_pop(&p->replies);
    l2_wake(p);
}
