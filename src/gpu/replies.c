/* The replies of a memory partition: a queue in the order in which L2 serves their requests.
 *
 * MODEL: from L2 to the reply port too there is a pipeline, of l2_latency stages, and a queue at
 * its end. What comes from DRAM has its place kept.
 *
 * The queue holds replies of three kinds, one behind the other. Those that are sent are on their
 * way to their SMs already, with the cycle in which they leave: they are remembered, for they have
 * their places until then. Those that are settled are served: nothing that may still happen can
 * change the cycle in which the first of them leaves, because replies leave in order, and only they
 * use credits. The last are those of hits that are served ahead of their time. That they hit is
 * certain, but a fill may still put its replies before theirs, and in their turn there may be no
 * place for them: each needs the place of the one that is so many before it, which must have left.
 * When their time comes, or when it is clear that nothing else can come before, they are settled.
 *
 * The plain engine sends a reply in the cycle in which it leaves, and all that it queues is
 * settled. */
#include "gpu/l2_queue.h"

static uint32_t reply_bytes(const struct mem_request *r)
{
    bool old_value = r->access.kind == MEM_ATOMIC && !r->atomic->op->round;
    bool data = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION || old_value;
    return data ? r->data_bytes : 0;
}

uint32_t partition_other_flits(struct partition *p, uint32_t bytes)
{
    p->usual_bytes = bytes;
    p->usual_flits = noc_flits(&p->config->noc, bytes);
    return p->usual_flits;
}

void partition_reply(struct partition *p, struct mem_request *r, uint64_t at)
{
    partition_make_reply(p, r, reply_bytes(r));
    partition_queue_settled(p, r, at);
}

/* --- their order --- */

/* A request knows the cycle in which its bank served it, or will. */
static bool is_later(const struct mem_request *r, uint64_t now, int bank)
{
    return r->access.cycle > now || (r->access.cycle == now && (int)r->bank > bank);
}

/* One that has left may be another request by now. */
static bool has_left(const struct partition *p, uint32_t i, uint64_t now)
{
    return i < p->n_sent && ring_at(&p->replies, i)->at < now;
}

uint32_t partition_n_later(const struct partition *p, uint64_t now, int bank)
{
    uint32_t first = p->replies.n;
    while (first && !has_left(p, first - 1, now) &&
           is_later(ring_at(&p->replies, first - 1)->request, now, bank))
        first--;
    return p->replies.n - first;
}

/* They leave in their order. */
static uint32_t n_left(const struct partition *p, uint64_t now)
{
    uint32_t n = 0, end = p->n_sent;
    while (n < end) {
        uint32_t middle = (n + end) / 2;
        if (has_left(p, middle, now))
            n = middle + 1;
        else
            end = middle;
    }
    return n;
}

uint32_t partition_n_replies(const struct partition *p, uint64_t now)
{
    return p->replies.n - n_left(p, now);
}

void partition_drop_left(struct partition *p)
{
    uint32_t n = n_left(p, p->l2_cycle);
    ring_drop(&p->replies, n);
    p->n_sent -= n;
    p->n_settled -= n;
}

/* Only now and then: so that some go at a time, it is left half empty. */
void partition_make_place(struct partition *p)
{
    if (p->n_sent)
        partition_drop_left(p);
    if (p->replies.n >= p->replies.cap / 2)
        ring_grow(&p->replies);
}

void partition_put_first(struct partition *p)
{
    ring_move_last(&p->replies, p->n_settled - 1);
}

void partition_put_in_order(struct partition *p, uint64_t now)
{
    uint32_t i = p->n_settled, end = p->replies.n - 1; /* the first later one is in between */
    int bank = (int)ring_at(&p->replies, end)->request->bank;
    while (i < end) {
        uint32_t middle = (i + end) / 2;
        if (is_later(ring_at(&p->replies, middle)->request, now, bank))
            end = middle;
        else
            i = middle + 1;
    }
    ring_move_last(&p->replies, i);
}

struct partition_ahead partition_ahead(const struct partition *p, sim_time now)
{
    struct partition_ahead ahead = {.hits = p->n_known_hits};
    uint64_t cycle = divide_up_multiple(&p->l2_period, now);
    for (uint32_t i = p->replies.n; i && !has_left(p, i - 1, cycle); i--) {
        const struct mem_request *r = ring_at(&p->replies, i - 1)->request;
        bool sent = i <= p->n_sent, later = is_later(r, cycle, BEFORE_BANKS);
        ahead.messages += sent;
        ahead.flits += sent ? r->flits : 0;
        ahead.hits += later;
        ahead.served += later;
        ahead.bytes += later ? reply_bytes(r) : 0;
    }
    return ahead;
}

/* --- settled --- */

static void put_back_ahead(struct partition *p)
{
    for (; p->replies.n > p->n_settled; p->replies.n--) {
        struct mem_request *r = ring_at(&p->replies, p->replies.n - 1)->request;
        p->stats.bytes_sent -= r->data_bytes;
        l2_put_back(p, r, r->access.cycle);
    }
}

/* There is no place for the first of those that are served ahead, in cycle `now`, and will not be
 * one in this quantum. If it is a later one's business, that may change. */
static bool lack_place(struct partition *p, uint64_t now, uint64_t room_from)
{
    if (room_from == CYCLE_NEVER && l2_time(p, now) >= p->shard.until)
        return false;
    put_back_ahead(p);
    return true;
}

bool partition_settle_some(struct partition *p, uint64_t now, int bank)
{
    uint32_t n = p->replies.n;
    if (p->ahead_until < now && n <= p->reply_places) { /* all of them */
        p->n_settled = n;
        return false;
    }
    for (; p->n_settled < n; p->n_settled++) {
        const struct timed_request *first = ring_at(&p->replies, p->n_settled);
        uint64_t served = first->at - p->l2_latency;
        if (served > now || (served == now && (int)first->request->bank >= bank))
            return false;
        uint64_t room_from = partition_room_from(p);
        if (room_from > served)
            return lack_place(p, served, room_from);
    }
    return false;
}

/* --- sent --- */

bool partition_takes_credits(struct partition *p, struct tx_peer *to, uint32_t flits,
                             uint64_t cycle)
{
    tx_take_credits(&p->down, to, l2_time(p, cycle));
    return to->credits >= flits;
}

/* Credits are short for a reply that could otherwise leave in that cycle. When they will be back
 * is known until the end of the quantum; who needs them later asks later. */
static uint64_t await_credits(struct partition *p, struct tx_peer *to, const struct mem_request *r,
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
    cycle = divide_up_multiple(&p->l2_period, ready);
    tx_take_credits(&p->down, to, l2_time(p, cycle));
    assert(to->credits >= r->flits);
    return cycle;
}

/* Sends a reply in the first cycle from that one on in which the port takes it; CYCLE_NEVER if that
 * is not known yet. */
static __attribute__((noinline)) uint64_t
send_when_possible(struct partition *p, struct tx_peer *to, struct mem_request *r, uint64_t cycle)
{
    if (to->credits < r->flits)
        cycle = await_credits(p, to, r, cycle);
    else
        cycle = partition_port_cycle(p, cycle);
    if (cycle != CYCLE_NEVER)
        tx_post(&p->down, to, l2_time(p, cycle), partition_reply_message(r, r->flits));
    return cycle;
}

void partition_send_replies(struct partition *p)
{
    uint32_t i = p->n_sent, n = p->n_settled;
    uint64_t next = p->next_reply;
    p->reply_at = CYCLE_NEVER;
    for (; i < n; i++) {
        struct timed_request *first = ring_at(&p->replies, i);
        struct mem_request *r = first->request;
        struct tx_peer *to = tx_peer_of(&p->down, r->sm);
        uint64_t cycle = max_u64(first->at, next);
        sim_time t = l2_time(p, cycle);
        if (to->credits >= r->flits && gate_is_plainly_free(&p->down.gate, t)) {
            tx_post_through(&p->down, to, t, gate_pass_free(&p->down.gate, t, r->flits),
                            partition_reply_message(r, r->flits));
        } else {
            cycle = send_when_possible(p, to, r, cycle);
            if (cycle == CYCLE_NEVER)
                break;
        }
        first->at = cycle;
        next = cycle + 1;
    }
    p->next_reply = next;
    p->outstanding -= i - p->n_sent;
    p->n_sent = i;
}

/* While there are places for all it does no harm to settle them late. */
uint64_t partition_settles_at(const struct partition *p)
{
    uint64_t leaves = ring_at(&p->replies, p->n_settled)->at;
    return p->replies.n <= p->reply_places ? leaves : leaves - p->l2_latency;
}

void partition_try_reply(struct partition *p, uint64_t now)
{
    const struct timed_request *front = ring_front(&p->replies);
    if (!front || front->at > now)
        return;
    struct mem_request *r = front->request;
    if (!tx_can_send(&p->down, l2_time(p, now), r->sm, r->flits))
        return;
    tx_send(&p->down, l2_time(p, now), partition_reply_message(r, r->flits));
    p->outstanding--;
    p->n_settled--;
    ring_pop(&p->replies);
}
