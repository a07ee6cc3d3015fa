/* Ports: how messages share the bandwidth of a shard's connection to a network.
 *
 * A port moves flits_per_cycle flits in each cycle of its clock. A message of f flits takes the
 * next f free slots of the sender's injection port, from the first cycle that begins when it is
 * offered or later. When the cycle of its last flit is over, it travels for `latency`. Then it
 * waits in the receiver's buffer, in the order (arrival, sender), until the receiver takes it
 * through the ejection port in the same way. It is usable when its last flit is through. On an
 * idle network with one flit per cycle, a message offered at the beginning of a cycle takes f *
 * period + latency + f * period.
 *
 * A receiver's buffer is finite, and each sender has its own share of it: the sender holds credits,
 * in flits, per receiver. They come back `latency` after the message has left the ejection port.
 *
 * MODEL: credits use no bandwidth; a message moves as a whole (store and forward); the network
 * between the ports never blocks. */
#ifndef HEDDLE_NOC_PORT_H
#define HEDDLE_NOC_PORT_H

#include "base/divider.h"
#include "base/hot_assert.h"
#include "base/occupancy.h"
#include "noc/shard.h"

struct noc_config {
    uint32_t flit_bytes, header_bytes;
    uint32_t max_data_bytes; /* of one message: a cache line */
    uint32_t latency_cycles; /* in the interconnect clock, one way */
    /* Per port, for injection and ejection alike: up = towards memory, down = back. */
    uint32_t flits_per_cycle_up, flits_per_cycle_down;
    uint32_t buffer_flits; /* at the receiver, per sender; 0 = noc_full_buffer_flits() */
    uint32_t
        sms_per_port;   /* SMs that share the bandwidth of one port; see gpu/shared_port_part.c */
    bool no_fast_paths; /* ports take the general path; the results are the same */
};

/* Flits of a message with `data_bytes` bytes of data. */
uint32_t noc_flits(const struct noc_config *c, uint32_t data_bytes);

/* Bandwidth x round trip: the buffer with which one sender of the largest messages keeps a port
 * busy. A message holds its credits while it is injected, travels and is ejected, and until they
 * return. */
uint32_t noc_full_buffer_flits(const struct noc_config *c, uint32_t flits_per_cycle);

enum noc_buffer_verdict {
    NOC_BUFFER_FULL,
    NOC_BUFFER_SHALLOW,  /* works, but cannot use the full bandwidth: worth a warning */
    NOC_BUFFER_TOO_SMALL /* the largest message would never be sent: an error */
};
/* Checks c->buffer_flits; if it is not OK, adds a sentence that says what is wrong. */
enum noc_buffer_verdict noc_check_buffer(const struct noc_config *c, uint32_t flits_per_cycle,
                                         struct strbuf *why);

struct port_stats {
    uint64_t messages, flits;
    /* Sums in time units, modulo 2^64, for noc_is_conserved(). Of messages: */
    uint64_t sent;   /* tx: the times they were sent */
    uint64_t in_use; /* tx: how long their credits were in use */
    uint64_t back;   /* rx: the times their credits came back */
    /* Of flits in the receiver's buffer: */
    uint64_t held;    /* rx: area under its occupancy */
    uint64_t entered; /* rx: the times they arrived */
    uint64_t left;    /* rx: the times they left the ejection port */
};
void port_stats_add(struct port_stats *into, const struct port_stats *from);

/* Checks, from the sums over the ports of a network, that nothing was lost, duplicated or mistimed
 * between sender and receiver, or on the return of credits. Call it when buffers are empty and all
 * credits are back. If sums differ, returns false, and `why` says which. */
bool noc_is_conserved(const struct port_stats *tx, const struct port_stats *rx, struct strbuf *why);

/* The bandwidth of a port: flits pass in slots, `width` of them per cycle. */
struct port_gate {
    sim_time free_at; /* start of the cycle with the first free slot */
    uint32_t used;    /* slots taken in that cycle */
    uint32_t period;  /* of a cycle */
    uint32_t width;
    bool in_step;           /* messages arrive only at the beginning of a cycle */
    bool is_one_per_cycle;  /* in_step, and each flit takes a cycle */
    uint64_t width_inverse; /* 2^32 / width, rounded up */
    struct divider cycles;  /* divides by `period` */
};

/* Credits being returned. */
struct credit {
    sim_time at;    /* usable from this time on */
    uint64_t given; /* total flits that the receiver has returned, including these */
};

/* One receiver as a sender sees it. The receiver's thread appends to the ring and the sender's
 * thread removes from it: credits need no messages. Credits that are usable before the current
 * quantum ends were all appended before it began; only those are read during the quantum. */
struct tx_peer {
    _Alignas(64) uint32_t credits; /* that the sender can spend; not those still in the ring */
    uint32_t via; /* the shard that receives the messages: the receiver, or one that forwards
                   * them */
    struct shard *receiver;         /* that shard; NULL = not known yet, or possibly on another
                                 * thread */
    const struct credit *taken;     /* the last credit removed; it stays in the ring */
    struct credit *ring, *ring_end; /* room for all possible credits and `taken` */
    /* The receiver's: */
    struct credit *_Atomic given; /* the last credit appended */
    uint64_t back;                /* sum of the times at which credits come back */
    sim_time latency;             /* the sender's again: latency from its port to shard `via` */
};

/* Receivers for which credits are missing, and how many. */
struct tx_wants {
    uint32_t n;
    struct tx_want {
        uint32_t peer, flits;
    } items[];
};

/* How a port finds the shards that it sends to: by their addresses with one thread, by their
 * ids with several. */
enum tx_connection { TX_UNCONNECTED, TX_BY_ADDRESS, TX_BY_NUMBER };

/* Injection side, one per network and shard. */
struct tx_port {
    struct shard *shard;
    uint32_t from; /* its id */
    struct port_gate gate;
    sim_time latency;      /* the shortest */
    struct tx_peer *peers; /* receivers, indexed by shard id - first_receiver */
    uint32_t first_receiver, n_receivers, max_credits;
    struct credit *rings;
    struct tx_wants *wants;
    uint64_t n_messages, sent, in_use; /* as in port_stats */
    uint32_t kinds;                    /* bit mask; see tx_declare() */
    enum tx_connection connection;
};
/* Makes the port the shard's injection port of that network (a number below SHARD_NETWORKS). */
void tx_init(struct tx_port *p, uint32_t network, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle, uint32_t first_receiver,
             uint32_t n_receivers);
void tx_destroy(struct tx_port *p);
/* Messages to a receiver go to another shard, which forwards them. m.to, m.from and the credits are
 * still those of the receiver and the sender. `latency` is that of the link to the forwarding
 * shard. Call it before anything is sent. */
void tx_go_via(struct tx_port *p, uint32_t to, uint32_t via, sim_time latency);
/* Declares the kinds of messages, as a bit mask, that tx_post() and tx_send_declared() may send.
 * Their links are checked once, by tx_connect(), because a check of each message would cost
 * noticeable time. */
void tx_declare(struct tx_port *p, uint32_t kinds);
/* Before a run: with one thread, looks up the receivers. Asserts that their links carry the kinds
 * that were declared. */
void tx_connect(struct tx_port *p);
struct port_stats tx_stats(const struct tx_port *p);
/* A gate that passes `flits_per_cycle` flits in each cycle of the clock, for a shard. */
struct port_gate gate_make(const struct clock_domain *clock, const struct noc_config *c,
                           uint32_t flits_per_cycle, const struct shard *s);
/* Can the port accept a message? Yes, if less than one port cycle remains until the cycle with the
 * first free slot (`free_at`). A sender on another clock may have no cycle that begins exactly at
 * free_at; if it had to wait until free_at, it would send late and leave slots unused. */
static inline bool gate_is_open(const struct port_gate *g, sim_time now)
{
    return now + g->period > g->free_at;
}
/* The first time >= now at which gate_is_open(). */
static inline sim_time gate_open_from(const struct port_gate *g, sim_time now)
{
    return gate_is_open(g, now) ? now : g->free_at - g->period + 1;
}
/* tx_ready_at() when credits are missing. */
sim_time tx_await(const struct tx_port *p, sim_time now, uint32_t peer, uint32_t flits);
/* The first time >= now at which the port accepts a message of `flits` flits; TIME_NEVER if too few
 * credits are known to come back within the quantum. In that case the shard's credit_at says when
 * to ask again. */
static inline sim_time tx_ready_at(const struct tx_port *p, sim_time now, uint32_t to,
                                   uint32_t flits)
{
    uint32_t peer = to - p->first_receiver;
    assert(flits > 0 && flits <= p->max_credits);
    assert(peer < p->n_receivers);
    if (p->peers[peer].credits < flits)
        return tx_await(p, now, peer, flits);
    return gate_open_from(&p->gate, now);
}
/* Does the port accept such a message now? (The same as tx_ready_at() <= now.) */
static inline bool tx_can_send(const struct tx_port *p, sim_time now, uint32_t to, uint32_t flits)
{
    return tx_ready_at(p, now, to, flits) <= now;
}
/* Are there enough credits, without collecting those that have come back? */
static inline bool tx_has_credits(const struct tx_port *p, uint32_t to, uint32_t flits)
{
    return p->peers[to - p->first_receiver].credits >= flits;
}
/* Is it certain that the port accepts such a message at time `at`? */
static inline bool tx_is_open(const struct tx_port *p, sim_time at, uint32_t to, uint32_t flits)
{
    return tx_has_credits(p, to, flits) && gate_is_open(&p->gate, at);
}
/* Collects the credits that are back by `now` and before the end of the sender's quantum: whether
 * later ones are visible would depend on the progress of other threads. */
void tx_take_credits(struct tx_port *p, struct tx_peer *peer, sim_time now);

/* The start of the first cycle that begins at `now` or later; `now` may lie inside a cycle. */
sim_time gate_next_cycle(const struct port_gate *g, sim_time now);

/* gate_pass() for a gate with one flit per cycle: no cycle has slots left over. */
static inline sim_time gate_pass_one_per_cycle(struct port_gate *g, sim_time now, uint32_t flits)
{
    sim_time from = g->free_at;
    g->free_at = (now > from ? now : from) + (sim_time)flits * g->period;
    return g->free_at;
}

/* Takes the next `flits` free slots, starting with the first cycle at or after `now`. Returns the
 * end of the cycle of the last one. */
static inline sim_time gate_pass(struct port_gate *g, sim_time now, uint32_t flits)
{
    sim_time from = g->free_at;
    if (g->is_one_per_cycle)
        return gate_pass_one_per_cycle(g, now, flits);
    uint32_t used = g->used + flits;
    if (now > from) {
        from = g->in_step ? now : gate_next_cycle(g, now);
        used = flits;
    }
    if (used < g->width) {
        g->free_at = from;
        g->used = used;
        return from + g->period;
    }
    uint32_t whole_cycles = (uint32_t)(used * g->width_inverse >> 32);
    from += (sim_time)whole_cycles * g->period;
    used -= whole_cycles * g->width;
    g->free_at = from;
    g->used = used;
    return from + (used ? g->period : 0);
}

/* The port's state for its receiver `to`. */
static inline struct tx_peer *tx_peer_of(const struct tx_port *p, uint32_t to)
{
    return &p->peers[to - p->first_receiver];
}
/* Sends when there are several threads, or the receivers are not known yet. Takes no struct
 * message, so that the caller need not keep one in memory. */
void tx_post_by_id(struct tx_port *p, sim_time at, uint32_t to, uint32_t kind, uint32_t flits,
                   void *body);
/* Sends a message that is offered at `now` and leaves the gate at `through`. */
static inline __attribute__((always_inline)) void tx_post_through(struct tx_port *p,
                                                                  struct tx_peer *to, sim_time now,
                                                                  sim_time through,
                                                                  struct message m)
{
    to->credits -= m.flits;
    p->n_messages++;
    p->sent += now;
    m.at = through + to->latency;
    m.from = p->from;
    if (__builtin_expect(to->receiver != NULL, 1))
        shard_deliver(to->receiver, m); /* last, because it may call a function */
    else
        tx_post_by_id(p, m.at, m.to, m.kind, m.flits, m.body);
}
static inline bool tx_is_declared(const struct tx_port *p, uint32_t kind)
{
    return kind < 32 && p->kinds >> kind & 1;
}
/* Does the link to that receiver, or to the shard that forwards its messages, carry the kind? If no
 * links are declared, any kind is allowed. */
static inline bool tx_carries(const struct tx_port *p, uint32_t to, uint32_t kind)
{
    const struct engine *e = p->shard->engine;
    if (!e->group_of)
        return true;
    uint32_t messages = p->shard->links[e->group_of[tx_peer_of(p, to)->via]].messages;
    return kind < 32 && messages >> kind & 1;
}
/* Sends m.flits flits to m.to, whose peer is given; the caller has checked that this is possible
 * and has declared the kind. Fills in m.from and m.at. */
static inline __attribute__((always_inline)) void tx_post(struct tx_port *p, struct tx_peer *to,
                                                          sim_time now, struct message m)
{
    hot_assert(tx_is_declared(p, m.kind));
    tx_post_through(p, to, now, gate_pass(&p->gate, now, m.flits), m);
}
/* Like tx_post(), but finds the receiver by m.to and collects its credits if necessary. The caller
 * has called tx_ready_at() or made an equivalent check. The message's kind is not checked. */
static inline __attribute__((always_inline)) void tx_offer(struct tx_port *p, sim_time now,
                                                           struct message m)
{
    assert(m.to - p->first_receiver < p->n_receivers);
    struct tx_peer *to = tx_peer_of(p, m.to);
    if (to->credits < m.flits)
        tx_take_credits(p, to, now);
    assert(to->credits >= m.flits && gate_is_open(&p->gate, now));
    tx_post_through(p, to, now, gate_pass(&p->gate, now, m.flits), m);
}
/* Sends after tx_ready_at() or an equivalent check. The link must carry the message's kind. */
static inline void tx_send(struct tx_port *p, sim_time now, struct message m)
{
    assert(m.to - p->first_receiver < p->n_receivers && tx_carries(p, m.to, m.kind));
    tx_offer(p, now, m);
}
/* The same for a kind that was declared. */
static inline __attribute__((always_inline)) void tx_send_declared(struct tx_port *p, sim_time now,
                                                                   struct message m)
{
    hot_assert(tx_is_declared(p, m.kind));
    tx_offer(p, now, m);
}
/* Sends to one of the port's receivers without passing through the port: uses neither bandwidth nor
 * credits. The link must carry the message's kind. Fills in m.from and m.at. */
void tx_send_beside(struct tx_port *p, sim_time now, struct message m);
/* Returns credits of a receiver to its sender, usable from `at` on. */
static inline void tx_credit(struct tx_peer *receiver, sim_time at, uint32_t flits)
{
    struct credit *last = atomic_load_explicit(&receiver->given, memory_order_relaxed);
    uint64_t given = last->given + flits;
    if (++last == receiver->ring_end)
        last = receiver->ring;
    last->at = at;
    last->given = given;
    receiver->back += at;
    atomic_store_explicit(&receiver->given, last, memory_order_release);
}
/* Between quanta: the earliest time at which enough credits will be back for one of the shortages
 * that tx_await() found; TIME_NEVER if no such time is known. Clears the shortages for which it is
 * known. */
sim_time tx_awaited(struct tx_port *p);
/* When nothing is in flight any more: collects all credits and brings the statistics up to date.
 * Returns the time at which the last credit came back. */
sim_time tx_settle(struct tx_port *p);
/* Are all credits back, after tx_settle()? */
bool tx_is_quiet(const struct tx_port *p);

struct message_ring {
    struct message *items;
    uint32_t head, n, cap;
};

/* Ejection side. */
struct rx_port {
    struct shard *shard;
    struct port_gate gate;
    sim_time latency;         /* latency of the credits' return */
    struct tx_peer **senders; /* the senders' state for this receiver, by shard id */
    uint32_t network;
    struct message_ring buffer; /* arrived messages; bounded by the senders' credits */
    /* n_messages and `through`, which rx_pass() changes together, are kept apart on purpose: if
     * they were adjacent, the compiler would combine them into a vector, which is slower. */
    uint64_t n_messages, entered, left; /* as in port_stats */
    struct occupancy held;              /* flits in the buffer, until they have left the port */
    uint64_t through;                   /* sum of the times at which messages left the port */
};
void rx_init(struct rx_port *p, uint32_t network, struct shard *s, const struct clock_domain *clock,
             const struct noc_config *c, uint32_t flits_per_cycle);
void rx_destroy(struct rx_port *p);
/* Before a run, when all ports exist: looks up the senders. */
void rx_connect(struct rx_port *p);
struct port_stats rx_stats(const struct rx_port *p);
/* Moves a message from the inbox into the buffer; call it in inbox order. */
void rx_arrive(struct rx_port *p, const struct message *m);
/* The first message in the buffer; NULL if it is empty. The receiver looks at it and takes it once
 * it has room. Until then this message and all behind it wait. */
static inline const struct message *rx_peek(const struct rx_port *p)
{
    return p->buffer.n > 0 ? &p->buffer.items[p->buffer.head] : NULL;
}
/* Takes the first message, which enters the port as soon as the port is free. Returns the time at
 * which its last flit is through; the sender's credits travel back from then on. */
sim_time rx_take(struct rx_port *p, sim_time now, struct message *out);
/* Passes a message through the port at `now` and returns its credits to the sender. Returns the
 * time at which it is through. */
static inline sim_time rx_leave(struct rx_port *p, sim_time now, uint32_t from, uint32_t flits)
{
    sim_time through = gate_pass(&p->gate, now, flits);
    sim_time back = through + p->latency;
    p->through += through;
    tx_credit(p->senders[from], back, flits);
    return through;
}
/* For a receiver with room and an empty buffer: passes a message that has arrived by `now` through
 * the port without buffering it. Returns the time at which it is through. */
static inline __attribute__((always_inline)) sim_time rx_pass(struct rx_port *p, sim_time now,
                                                              const struct message *m)
{
    p->n_messages++;
    return rx_leave(p, now, m->from, m->flits);
}

#endif
