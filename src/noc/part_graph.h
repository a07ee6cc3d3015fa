/* A machine as a graph: groups of parts of one kind, and the links over which they send.
 *
 * A machine adds its groups and links in any order and builds the graph once. Everything else is
 * derived from the links. The quantum is the latency of the shortest link. If the groups can be
 * given two colours such that every link joins different ones, the colours are the engine's halves,
 * which take turns (doc/adr/0016); otherwise all parts advance together. A message must use a
 * declared link, respect its latency, and be of a kind that the link carries; anything else fails
 * an assertion. A port checks the kinds that its owner declares (tx_declare()) once, instead of
 * those of its messages; a part that does not check each message declares the kinds that it takes,
 * and its links are checked when they are added.
 *
 * An optional link is declared like the others and counts only while it is switched on, between two
 * runs of the engine: a machine pays for a short link only when it uses it.
 *
 * The parts of a group are adjacent in memory and have consecutive ids. A receiver serves messages
 * of the same time in the order in which their senders' groups were added, whatever the colours. */
#ifndef HEDDLE_NOC_PART_GRAPH_H
#define HEDDLE_NOC_PART_GRAPH_H

#include "noc/port.h"

struct part_graph;

/* The position of a part in the graph, passed to its create(). All ids are known by then. */
struct part_position {
    const struct part_graph *graph;
    uint32_t group;
    uint32_t index; /* index in its group */
    uint32_t id;    /* id of its shard */
};

/* A kind of part. The shard's ops have its name and functions. */
struct part_kind {
    size_t bytes; /* size of a part, which begins with its struct shard */
    /* Initialises a zeroed part: fills in the shard and opens its ports. Other parts of the machine
     * may not exist yet. */
    void (*create)(struct shard *part, const struct part_position *place, const void *setup);
    void (*destroy)(struct shard *part); /* NULL = nothing to do */
    uint32_t takes; /* bit mask of the message kinds that it takes; 0 = it checks each message */
};

/* From every part of a group to every part of another group, or of the same. */
struct part_link {
    uint32_t from, to; /* groups */
    uint32_t messages; /* bit mask of the message kinds it carries */
    bool optional;     /* off until part_graph_switch(); has no ports */
    const struct clock_domain *clock;
    uint32_t latency_cycles; /* in cycles of that clock, one way; at least 1 */
    /* For a link that goes through ports (port.h): */
    const struct noc_config *format; /* sizes of flits and messages; NULL = no bandwidth limit */
    uint32_t network;                /* a part has one port into each network and one out of it */
    uint32_t flits_in, flits_out;    /* flits per cycle, into the network and out of it */
    uint32_t credits; /* flits, per sender at a receiver; 0 = bandwidth x round trip */
    /* For a link whose messages go through parts of a third group, which forward them over their
     * own links. Those links determine the halves and the quantum. */
    struct part_via {
        uint32_t group;      /* group of the forwarding parts */
        uint32_t n_each;     /* senders or receivers that share one forwarding part; 0 = none */
        bool of_receivers;   /* receivers share it, not senders */
        uint32_t hop_cycles; /* part of the latency, up to the forwarding part */
    } via;
};

struct part_group {
    const struct part_kind *kind;
    const void *setup;
    uint32_t n, first_id;
    bool second; /* its colour, if there are two */
    size_t stride;
    char *parts;  /* NULL until they are built */
    char *memory; /* the allocation that holds them */
};

/* A zeroed graph is empty. Read it anywhere; only the functions below change it. */
struct part_graph {
    struct part_group *groups;
    uint32_t n_groups, cap_groups;
    struct part_link *links;
    uint32_t n_links, cap_links;
    bool has_halves;            /* the groups have two colours */
    bool optional_on;           /* optional links count */
    struct shard **shards;      /* indexed by id */
    uint32_t n_shards, n_first; /* number of shards, and of those with the first colour */
    uint32_t *group_of;         /* by id */
    struct shard_link *routes;  /* n_groups x n_groups: what one group may send to another */
};

/* Returns the group's number. Each part's create() receives `setup`. */
uint32_t part_graph_add(struct part_graph *g, const struct part_kind *kind, uint32_t n,
                        const void *setup);
void part_graph_link(struct part_graph *g, struct part_link l);
/* Finds the colours, assigns ids, creates the parts and fills in their shards, links, halves and
 * quantum in `e`. Call it once; then `e` is ready for engine_connect(). */
void part_graph_build(struct part_graph *g, struct engine *e);
void part_graph_destroy(struct part_graph *g);
/* Switches the optional links on or off while nothing is in flight. The quantum and the halves of
 * `e` follow from the links that count; colours and ids depend only on the other links. */
void part_graph_switch(struct part_graph *g, struct engine *e, bool on);

/* Derived from the description alone, before anything is built. */
/* Gives the groups two colours such that each link joins different ones; the first group gets the
 * first colour. False if that is impossible, or if there is no link. */
bool part_graph_colour(struct part_graph *g);
/* The latency of the shortest link; TIME_NEVER if there is none. */
sim_time part_graph_quantum(const struct part_graph *g);

static inline sim_time link_latency(const struct part_link *l)
{
    return (sim_time)l->latency_cycles * l->clock->period;
}
/* The i-th part of a group, after the build. */
static inline struct shard *part_at(const struct part_graph *g, uint32_t group, uint32_t i)
{
    const struct part_group *p = &g->groups[group];
    assert(i < p->n);
    return (struct shard *)(void *)(p->parts + i * p->stride);
}

/* Opens the port of a part that is being created, into a network or out of it, as the part's links
 * say. An injection port has peers for all ids from its first receiver to its last. */
void part_open_tx(const struct part_position *at, uint32_t network, struct shard *s,
                  struct tx_port *p);
void part_open_rx(const struct part_position *at, uint32_t network, struct shard *s,
                  struct rx_port *p);

/* Sums over the ports of all parts. */
struct port_stats part_graph_tx_stats(const struct part_graph *g, uint32_t network);
struct port_stats part_graph_rx_stats(const struct part_graph *g, uint32_t network);
/* When nothing is in flight any more: collects all credits. Returns the time at which the last one
 * came back, in its owner's clock. */
sim_time part_graph_settle(struct part_graph *g);

#endif
