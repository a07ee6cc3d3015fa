/* Ports of a network and their credits; port.h says what is modelled. All times are computed when a
 * message is handed over or taken: a port does nothing by itself and costs nothing per cycle. */
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
                    "a buffer of %u flits never takes the largest message, %u flits (%u bytes "
                    "with the header)",
                    c->buffer_flits, largest, c->header_bytes + c->max_data_bytes);
        return NOC_BUFFER_TOO_SMALL;
    }
    strbuf_addf(why,
                "a buffer of %u flits is shallower than bandwidth x round trip, %u flits: one "
                "sender cannot use the whole bandwidth of a port",
                c->buffer_flits, full);
    return NOC_BUFFER_SHALLOW;
}

void port_stats_add(struct port_stats *into, const struct port_stats *from)
{
    into->messages += from->messages;
    into->flits += from->flits;
    into->held += from->held;
    into->entered += from->entered;
    into->left += from->left;
    into->back += from->back;
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
    holds &= is_equal("time that credits were in use", tx->held, rx->back - tx->entered, why);
    return holds;
}

/* Takes the next `flits` free flits of a port from the first cycle at or after `now` on; returns
 * when the cycle of the last one is over. */
static sim_time port_pass(uint64_t *next_slot, const struct clock_domain *clock,
                          uint32_t flits_per_cycle, sim_time now, uint32_t flits)
{
    uint64_t slot = clock_cycle_at(clock, now) * flits_per_cycle;
    if (slot < *next_slot)
        slot = *next_slot;
    *next_slot = slot + flits;
    return ((slot + flits - 1) / flits_per_cycle + 1) * clock->period;
}

/* --- injection --- */

void tx_init(struct tx_port *p, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint32_t first_receiver,
             uint32_t n_receivers)
{
    uint32_t depth = c->buffer_flits ? c->buffer_flits : noc_full_buffer_flits(c, flits_per_cycle);
    *p = (struct tx_port){
        .shard = s,
        .clock = clock,
        .flits_per_cycle = flits_per_cycle,
        .latency = (sim_time)c->latency_cycles * clock->period,
        .credits = xcalloc(n_receivers, sizeof *p->credits),
        .first_receiver = first_receiver,
        .n_receivers = n_receivers,
        .max_credits = depth,
    };
    for (uint32_t i = 0; i < n_receivers; i++)
        p->credits[i] = depth;
}

void tx_destroy(struct tx_port *p)
{
    free(p->credits);
    p->credits = NULL;
}

static uint32_t *credits_for(const struct tx_port *p, uint32_t receiver)
{
    assert(receiver - p->first_receiver < p->n_receivers);
    return &p->credits[receiver - p->first_receiver];
}

void tx_send(struct tx_port *p, sim_time now, struct message m)
{
    assert(tx_can_send(p, now, m.to, m.flits));
    *credits_for(p, m.to) -= m.flits;
    m.at = port_pass(&p->next_slot, p->clock, p->flits_per_cycle, now, m.flits) + p->latency;
    uint64_t free_cycle = p->next_slot / p->flits_per_cycle;
    p->open_from = free_cycle > 0 ? (free_cycle - 1) * p->clock->period + 1 : 0;
    shard_send(p->shard, now, m);
    occupancy_add(&p->held, now, m.flits);
    p->stats.messages++;
    p->stats.flits += m.flits;
    p->stats.entered += m.flits * now;
}

void tx_credit(struct tx_port *p, const struct message *credit)
{
    uint32_t *credits = credits_for(p, credit->from);
    *credits += credit->flits;
    assert(*credits <= p->max_credits);
    occupancy_remove(&p->held, credit->at, credit->flits);
    p->stats.held = p->held.area;
}

bool tx_is_quiet(const struct tx_port *p)
{
    return p->held.n == 0;
}

/* --- ejection --- */

void rx_init(struct rx_port *p, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint16_t credit_kind)
{
    *p = (struct rx_port){
        .shard = s,
        .clock = clock,
        .flits_per_cycle = flits_per_cycle,
        .latency = (sim_time)c->latency_cycles * clock->period,
        .credit_kind = credit_kind,
    };
}

void rx_destroy(struct rx_port *p)
{
    free(p->buffer.items);
    memset(&p->buffer, 0, sizeof p->buffer);
}

/* Doubles the ring; stops happening once it holds what the senders' credits allow. */
static void buffer_grow(struct message_queue *q)
{
    uint32_t cap = q->cap ? 2 * q->cap : 16;
    struct message *items = xcalloc(cap, sizeof *items);
    for (uint32_t i = 0; i < q->n; i++)
        items[i] = q->items[(q->head + i) & (q->cap - 1)];
    free(q->items);
    *q = (struct message_queue){.items = items, .n = q->n, .cap = cap};
}

void rx_arrive(struct rx_port *p, const struct message *m)
{
    struct message_queue *q = &p->buffer;
    if (q->n == q->cap)
        buffer_grow(q);
    q->items[(q->head + q->n++) & (q->cap - 1)] = *m;
    occupancy_add(&p->held, m->at, m->flits);
    p->stats.messages++;
    p->stats.flits += m->flits;
}

sim_time rx_take(struct rx_port *p, sim_time now, struct message *out)
{
    struct message_queue *q = &p->buffer;
    assert(q->n > 0);
    *out = q->items[q->head];
    assert(out->at <= now);
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;

    sim_time through = port_pass(&p->next_slot, p->clock, p->flits_per_cycle, now, out->flits);
    struct message credit = {
        .at = through + p->latency, .to = out->from, .kind = p->credit_kind, .flits = out->flits};
    shard_send(p->shard, now, credit);

    occupancy_remove(&p->held, through, out->flits);
    p->stats.held = p->held.area;
    p->stats.entered += out->flits * out->at;
    p->stats.left += out->flits * through;
    p->stats.back += out->flits * credit.at;
    return through;
}
