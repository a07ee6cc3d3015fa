/* Ports of a network and their credits; port.h says what is modelled. All times are computed when a
 * message is sent or taken: a port does nothing by itself and costs nothing per cycle. */
#include "noc/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

uint32_t noc_flits(const struct noc_config *c, uint32_t data_bytes)
{
    return (c->header_bytes + data_bytes + c->flit_bytes - 1) / c->flit_bytes;
}

uint32_t noc_full_buffer_flits(const struct noc_config *c, uint32_t flits_per_cycle)
{
    uint32_t message_cycles =
        (noc_flits(c, c->max_data_bytes) + flits_per_cycle - 1) / flits_per_cycle;
    return 2 * (message_cycles + c->latency_cycles) * flits_per_cycle;
}

enum noc_buffer_verdict noc_check_buffer(const struct noc_config *c, uint32_t flits_per_cycle,
                                         struct strbuf *why)
{
    uint32_t largest = noc_flits(c, c->max_data_bytes);
    uint32_t full = noc_full_buffer_flits(c, flits_per_cycle);
    if (c->buffer_flits == 0 || c->buffer_flits >= full)
        return NOC_BUFFER_FULL;
    if (c->buffer_flits < largest) {
        strbuf_addf(why,
                    "a buffer of %u flits is too small for the largest message, %u flits (%u bytes "
                    "with the header)",
                    c->buffer_flits, largest, c->header_bytes + c->max_data_bytes);
        return NOC_BUFFER_TOO_SMALL;
    }
    strbuf_addf(why,
                "a buffer of %u flits is smaller than bandwidth x round trip, %u flits: one sender "
                "cannot use the full bandwidth of a port",
                c->buffer_flits, full);
    return NOC_BUFFER_SHALLOW;
}

void port_stats_add(struct port_stats *into, const struct port_stats *from)
{
    into->messages += from->messages;
    into->flits += from->flits;
    into->sent += from->sent;
    into->in_use += from->in_use;
    into->back += from->back;
    into->held += from->held;
    into->entered += from->entered;
    into->left += from->left;
}

static bool is_equal(const char *what, uint64_t a, uint64_t b, struct strbuf *why)
{
    if (a != b)
        strbuf_addf(why, "network: %s: %llu on one side, %llu on the other\n", what,
                    (unsigned long long)a, (unsigned long long)b);
    return a == b;
}

bool noc_is_conserved(const struct port_stats *tx, const struct port_stats *rx, struct strbuf *why)
{
    bool holds = is_equal("messages sent and received", tx->messages, rx->messages, why);
    holds &= is_equal("flits sent and received", tx->flits, rx->flits, why);
    holds &= is_equal("time in the receivers' buffers", rx->held, rx->left - rx->entered, why);
    holds &= is_equal("time that credits were in use", tx->in_use, rx->back - tx->sent, why);
    return holds;
}

/* The inverse is exact for this many slots: its error is less than width / 2^32. */
enum { MAX_WIDTH = 1 << 15, MAX_SLOTS = UINT16_MAX + MAX_WIDTH };
_Static_assert((uint64_t)MAX_SLOTS *MAX_WIDTH <= UINT64_C(1) << 32, "of a message and a cycle");

struct port_gate gate_make(const struct clock_domain *clock, const struct noc_config *c,
                           uint32_t flits_per_cycle, const struct shard *s)
{
    assert(flits_per_cycle > 0 && flits_per_cycle <= MAX_WIDTH);
    bool in_step = s->tick && s->tick % clock->period == 0 && !c->no_fast_paths;
    return (struct port_gate){
        .period = clock->period,
        .width = flits_per_cycle,
        .in_step = in_step,
        .is_one_per_cycle = in_step && flits_per_cycle == 1,
        .width_inverse = ((UINT64_C(1) << 32) + flits_per_cycle - 1) / flits_per_cycle,
        .cycles = divider_make(clock->period),
    };
}

sim_time gate_next_cycle(const struct port_gate *g, sim_time now)
{
    return divider_div_up(&g->cycles, now) * g->period;
}

/* --- injection --- */

void tx_init(struct tx_port *p, uint32_t network, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint32_t first_receiver,
             uint32_t n_receivers)
{
    uint32_t depth = c->buffer_flits ? c->buffer_flits : noc_full_buffer_flits(c, flits_per_cycle);
    uint32_t size = depth + 1; /* each message in its buffer has at least one flit */
    assert(noc_flits(c, c->max_data_bytes) <= UINT16_MAX);
    *p = (struct tx_port){
        .shard = s,
        .from = s->id,
        .gate = gate_make(clock, c, flits_per_cycle, s),
        .latency = (sim_time)c->latency_cycles * clock->period,
        .peers = xcalloc_lines(n_receivers * sizeof *p->peers),
        .first_receiver = first_receiver,
        .n_receivers = n_receivers,
        .max_credits = depth,
        .rings = xcalloc((size_t)size * n_receivers, sizeof *p->rings),
        .wants = xcalloc(1, sizeof *p->wants + n_receivers * sizeof p->wants->items[0]),
    };
    for (uint32_t i = 0; i < n_receivers; i++) {
        struct credit *ring = p->rings + (size_t)i * size; /* an empty credit precedes the first */
        p->peers[i] = (struct tx_peer){.credits = depth,
                                       .via = first_receiver + i,
                                       .taken = ring,
                                       .ring = ring,
                                       .ring_end = ring + size,
                                       .given = ring,
                                       .latency = p->latency};
    }
    assert(network < SHARD_NETWORKS);
    s->tx[network] = p;
}

void tx_destroy(struct tx_port *p)
{
    free(p->peers);
    free(p->rings);
    free(p->wants);
    p->peers = NULL;
    p->rings = NULL;
    p->wants = NULL;
}

void tx_declare(struct tx_port *p, uint32_t kinds)
{
    p->kinds = kinds;
    p->connection = TX_UNCONNECTED;
}

/* Does the link to that receiver carry the declared kinds? Also true of receivers without a link,
 * of which there may be some between the others. */
static bool carries_declared(const struct tx_port *p, const struct tx_peer *to)
{
    const struct engine *e = p->shard->engine;
    uint32_t messages = e->group_of ? p->shard->links[e->group_of[to->via]].messages : 0;
    return !messages || !(p->kinds & ~messages);
}

void tx_connect(struct tx_port *p)
{
    const struct engine *e = p->shard->engine;
    enum tx_connection wanted = e->team ? TX_BY_NUMBER : TX_BY_ADDRESS;
    if (p->connection == wanted)
        return;
    p->connection = wanted;
    for (uint32_t i = 0; i < p->n_receivers; i++) {
        p->peers[i].receiver = e->team ? NULL : e->shards[p->peers[i].via];
        assert(carries_declared(p, &p->peers[i]));
    }
}

void tx_go_via(struct tx_port *p, uint32_t to, uint32_t via, sim_time latency)
{
    p->connection = TX_UNCONNECTED;
    tx_peer_of(p, to)->via = via;
    tx_peer_of(p, to)->latency = latency;
    if (latency < p->latency)
        p->latency = latency;
}

void tx_post_by_id(struct tx_port *p, sim_time at, uint32_t to, uint32_t kind, uint32_t flits,
                   void *body)
{
    shard_hand_to(
        p->shard, tx_peer_of(p, to)->via,
        (struct message){
            .at = at, .from = p->from, .to = to, .kind = kind, .flits = flits, .body = body});
}

void tx_send_beside(struct tx_port *p, sim_time now, struct message m)
{
    uint32_t via = tx_peer_of(p, m.to)->via;
    m.at = now + tx_peer_of(p, m.to)->latency;
    m.from = p->from;
    assert(engine_may_send(p->shard->engine, p->from, via) && tx_carries(p, m.to, m.kind));
    shard_hand_to(p->shard, via, m);
}

static const struct credit *last_given(const struct tx_peer *peer)
{
    return atomic_load_explicit(&peer->given, memory_order_acquire);
}

/* Takes the credits that are back before `end` out of the ring. Most are back by the time some are
 * missing, so the search runs backwards from the last one. */
static void take_before(struct tx_port *p, struct tx_peer *peer, sim_time end)
{
    const struct credit *c = last_given(peer);
    while (c != peer->taken && c->at >= end)
        c = (c == peer->ring ? peer->ring_end : c) - 1;
    peer->credits += (uint32_t)(c->given - peer->taken->given);
    peer->taken = c;
    assert(peer->credits <= p->max_credits);
}

void tx_take_credits(struct tx_port *p, struct tx_peer *peer, sim_time now)
{
    sim_time until = p->shard->until;
    take_before(p, peer, now < until ? now + 1 : until);
}

/* The time at which the peer will have `flits` credits, if that is before `until` and the ring
 * already holds them; else TIME_NEVER. */
static sim_time enough_at(const struct tx_peer *peer, uint32_t flits, sim_time until)
{
    const struct credit *last = last_given(peer), *c = peer->taken;
    uint64_t enough = c->given + flits - peer->credits;
    while (c != last) {
        if (++c == peer->ring_end)
            c = peer->ring;
        if (c->at >= until)
            break;
        if (c->given >= enough)
            return c->at;
    }
    return TIME_NEVER;
}

static void want(const struct tx_port *p, uint32_t peer, uint32_t flits)
{
    struct tx_wants *w = p->wants;
    uint32_t i = 0;
    while (i < w->n && w->items[i].peer != peer)
        i++;
    if (i == w->n)
        w->items[w->n++] = (struct tx_want){peer, flits};
    else if (flits < w->items[i].flits)
        w->items[i].flits = flits;
    shard_starve(p->shard);
}

sim_time tx_await(const struct tx_port *p, sim_time now, uint32_t peer, uint32_t flits)
{
    sim_time at = enough_at(&p->peers[peer], flits, p->shard->until);
    if (at == TIME_NEVER) {
        want(p, peer, flits);
        return TIME_NEVER;
    }
    at = now > at ? now : at;
    return gate_open_from(&p->gate, at);
}

sim_time tx_awaited(struct tx_port *p)
{
    struct tx_wants *w = p->wants;
    sim_time first = TIME_NEVER;
    for (uint32_t i = 0; i < w->n;) {
        sim_time at = enough_at(&p->peers[w->items[i].peer], w->items[i].flits, TIME_NEVER);
        if (at == TIME_NEVER) {
            i++;
            continue;
        }
        first = at < first ? at : first;
        w->items[i] = w->items[--w->n];
    }
    return first;
}

sim_time tx_settle(struct tx_port *p)
{
    sim_time last = 0;
    uint64_t back = 0;
    for (uint32_t i = 0; i < p->n_receivers; i++) {
        struct tx_peer *peer = &p->peers[i];
        take_before(p, peer, TIME_NEVER);
        back += peer->back;
        last = peer->taken->at > last ? peer->taken->at : last;
    }
    p->in_use = back - p->sent;
    return last;
}

/* The credit of every flit sent is either back or still missing. */
struct port_stats tx_stats(const struct tx_port *p)
{
    uint64_t flits = 0;
    for (uint32_t i = 0; i < p->n_receivers; i++)
        flits += p->peers[i].taken->given + p->max_credits - p->peers[i].credits;
    return (struct port_stats){
        .messages = p->n_messages, .flits = flits, .sent = p->sent, .in_use = p->in_use};
}

bool tx_is_quiet(const struct tx_port *p)
{
    for (uint32_t i = 0; i < p->n_receivers; i++)
        if (p->peers[i].credits < p->max_credits)
            return false;
    return true;
}

/* --- ejection --- */

void rx_init(struct rx_port *p, uint32_t network, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle)
{
    *p = (struct rx_port){
        .shard = s,
        .gate = gate_make(clock, c, flits_per_cycle, s),
        .latency = (sim_time)c->latency_cycles * clock->period,
        .network = network,
    };
    assert(network < SHARD_NETWORKS);
    s->rx[network] = p;
}

void rx_destroy(struct rx_port *p)
{
    free(p->buffer.items);
    free(p->senders);
    memset(&p->buffer, 0, sizeof p->buffer);
    p->senders = NULL;
}

void rx_connect(struct rx_port *p)
{
    const struct engine *e = p->shard->engine;
    if (p->senders)
        return;
    p->senders = xcalloc(e->n, sizeof *p->senders);
    for (uint32_t i = 0; i < e->n; i++) {
        const struct tx_port *from = e->shards[i]->tx[p->network];
        if (from && p->shard->id - from->first_receiver < from->n_receivers)
            p->senders[i] = &from->peers[p->shard->id - from->first_receiver];
    }
}

/* Flits whose credits were returned. */
static uint64_t flits_taken(const struct rx_port *p)
{
    uint64_t flits = 0;
    for (uint32_t i = 0; p->senders && i < p->shard->engine->n; i++)
        flits += p->senders[i] ? last_given(p->senders[i])->given : 0;
    return flits;
}

struct port_stats rx_stats(const struct rx_port *p)
{
    return (struct port_stats){
        .messages = p->n_messages,
        .flits = flits_taken(p) + p->held.n,
        .back = p->through + (p->n_messages - p->buffer.n) * p->latency,
        .held = occupancy_area(&p->held),
        .entered = p->entered,
        .left = p->left,
    };
}

/* Doubles the ring; no longer happens once it holds what the senders' credits allow. */
static void buffer_grow(struct message_ring *q)
{
    uint32_t cap = q->cap ? 2 * q->cap : 16;
    struct message *items = xalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < q->n; i++)
        items[i] = q->items[(q->head + i) & (q->cap - 1)];
    free(q->items);
    *q = (struct message_ring){.items = items, .n = q->n, .cap = cap};
}

void rx_arrive(struct rx_port *p, const struct message *m)
{
    struct message_ring *q = &p->buffer;
    if (q->n == q->cap)
        buffer_grow(q);
    q->items[(q->head + q->n++) & (q->cap - 1)] = *m;
    occupancy_add(&p->held, m->at, m->flits);
    p->n_messages++;
}

sim_time rx_take(struct rx_port *p, sim_time now, struct message *out)
{
    struct message_ring *q = &p->buffer;
    assert(q->n > 0);
    *out = q->items[q->head];
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;
    assert(out->at <= now);
    sim_time through = rx_leave(p, now, out->from, out->flits);
    occupancy_remove(&p->held, through, out->flits);
    p->entered += out->flits * out->at;
    p->left += out->flits * through;
    return through;
}
