/* A port into the network that several SMs share, like the cores of a cluster in GPGPU-Sim
 * (-gpgpu_n_cores_per_cluster), as a part of a machine.
 *
 * It is in the middle of the path between SMs and memory partitions. Messages from its SMs, and
 * messages to them, pass through a gate of the width of one port, in the order (arrival, sender). A
 * message begins to pass when its first flit arrives (cut-through), so a message that meets no
 * other loses no time. Credits are those of SMs and partitions: what arrives here has a reserved
 * entry at the receiver, and the gates wait only for each other's flits. */
#include "gpu/machine.h"

struct shared_port {
    struct shard shard;
    struct port_gate up, down;
    sim_time hop; /* from here to the receiver */
};

/* When its last flit is through; it arrived at m->at. */
static sim_time pass(struct port_gate *g, const struct message *m)
{
    sim_time cycles = (m->flits + g->width - 1) / g->width;
    return gate_pass(g, m->at - cycles * g->period, m->flits);
}

static void pass_on(struct shared_port *p, struct message m)
{
    if (m.kind == MSG_REQUEST)
        m.at = pass(&p->up, &m);
    else if (m.kind == MSG_REPLY)
        m.at = pass(&p->down, &m);
    else
        assert(m.kind == MSG_FREE); /* not through ports */
    m.at += p->hop;
    shard_hand_to(&p->shard, m.to, m);
}

static void advance(struct shard *s, sim_time until)
{
    for (const struct message *m; (m = shard_peek(s, until));) {
        struct message out = *m;
        shard_take(s);
        pass_on((struct shared_port *)s, out);
    }
    s->next = TIME_NEVER;
}

static bool is_idle(const struct shard *s)
{
    (void)s; /* messages in flight are in its inbox */
    return true;
}

static const struct shard_ops shared_port_ops = {
    .kind = "shared port", .advance = advance, .is_idle = is_idle};

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct noc_config *c = &m->config->noc;
    const struct clock_domain *noc = &m->clocks[CLOCK_NOC];
    struct shared_port *p = (struct shared_port *)part;
    p->shard = (struct shard){.ops = &shared_port_ops, .id = at->id, .next = TIME_NEVER};
    p->up = gate_make(noc, c, c->flits_per_cycle_up, part);
    p->down = gate_make(noc, c, c->flits_per_cycle_down, part);
    p->hop = (sim_time)(c->latency_cycles - machine_hop_cycles(m)) * noc->period;
}

const struct machine_part_kind shared_port_part = {
    .part = {.bytes = sizeof(struct shared_port), .create = create}};
