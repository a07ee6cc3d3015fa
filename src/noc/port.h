/* Ports: how messages share the bandwidth of a shard's way into and out of a network.
 *
 * A message of f flits leaves through the sender's injection port, f port cycles; travels
 * `latency`; then occupies the receiver's ejection port for f cycles, in the order (arrival,
 * sender). It is usable when its last flit is through. Unloaded, from the moment it is offered:
 * f * period + latency + f * period. A receiver's buffer is finite: the sender holds credits, in
 * flits, per receiver; they return `latency` after the message has left the ejection port. */
#ifndef HEDDLE_NOC_PORT_H
#define HEDDLE_NOC_PORT_H

#include "noc/shard.h"

struct noc_config {
    uint32_t flit_bytes, header_bytes;
    uint32_t latency_cycles; /* of the interconnect clock, one way */
    uint32_t flits_per_cycle_up,
        flits_per_cycle_down; /* port bandwidth per cycle: injection and ejection */
    uint32_t buffer_flits; /* at the receiver, per sender; 0 = bandwidth x round trip, rounded up */
};

/* Flits of a message with that much data. */
uint32_t noc_flits(const struct noc_config *c, uint32_t data_bytes);

struct port_stats {
    uint64_t messages, flits;
};

/* Injection side, one per network per shard. */
struct tx_port {
    struct shard *shard;
    const struct clock_domain *clock;
    uint32_t flits_per_cycle;
    sim_time latency;
    sim_time free_at;  /* when the port is free again */
    uint32_t *credits; /* per receiver, indexed by shard id - first_receiver */
    uint32_t first_receiver, n_receivers, max_credits;
    struct port_stats stats;
};
void tx_init(struct tx_port *p, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint32_t first_receiver,
             uint32_t n_receivers);
void tx_destroy(struct tx_port *p);
/* Can a message of that many flits be handed over now? (Port free by `now`, credits there.) */
bool tx_can_send(const struct tx_port *p, sim_time now, uint32_t to, uint32_t flits);
/* When could it be, if no credits are missing: TIME_NEVER if they are. */
sim_time tx_ready_at(const struct tx_port *p, sim_time now, uint32_t to, uint32_t flits);
void tx_send(struct tx_port *p, sim_time now, struct message m);
/* A credit message came back. */
void tx_credit(struct tx_port *p, uint32_t from, uint32_t flits);

/* Ejection side: turns arrivals into the times they are usable. */
struct rx_port {
    struct shard *shard;
    const struct clock_domain *clock;
    uint32_t flits_per_cycle;
    sim_time latency; /* of the credits' way back */
    sim_time free_at;
    uint16_t credit_kind; /* message.kind of credits */
    struct port_stats stats;
};
void rx_init(struct rx_port *p, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint16_t credit_kind);
/* Begins to take a message that has arrived (m->at <= now), as soon as the port is free; returns
 * when its last flit is through, and sends the credits back from then. A receiver without room for
 * it does not call this yet: the message, and those behind it, wait in the buffer. */
sim_time rx_take(struct rx_port *p, sim_time now, const struct message *m);

#endif
