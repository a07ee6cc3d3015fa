/* A machine as a graph: groups of parts of one kind, and the links over which they send.
 *
 * Whoever describes a machine adds groups and links in any order and builds it once. The rest
 * follows from the links. The quantum is the latency of the shortest one. If the groups can be
 * given two colours such that every link joins different ones, the colours are the engine's halves,
 * which take turns (doc/adr/0016); else all parts advance together. Nothing is sent but over a link
 * that was declared, as fast as it is at most, and of a kind it carries: anything else is an
 * assertion.
 *
 * An optional link is declared like the others and counts only while it is switched on, between two
 * runs of the engine: a machine pays for a short link only when it uses it.
 *
 * The parts of a group stand side by side, in memory and by their ids. A receiver serves messages
 * of one time in the order in which their senders' groups were added, whatever the colours. */
#ifndef HEDDLE_NOC_PART_GRAPH_H
#define HEDDLE_NOC_PART_GRAPH_H

#include "noc/port.h"

struct part_graph;

/* Where a part is, as it is told when it is created. All ids are known by then. */
struct part_place {
    const struct part_graph *graph;
    uint32_t group;
    uint32_t index; /* which of its group */
    uint32_t id;    /* of its shard */
};

/* A kind of part. What it is called and does as a shard is in the shard's ops. */
struct part_kind {
    size_t bytes; /* of a part, which begins with its struct shard */
    /* Makes one out of zeros: fills in the shard, and opens the ports it has. Others of the machine
     * may not have been created yet. */
    void (*create)(struct shard *part, const struct part_place *place, const void *setup);
    void (*destroy)(struct shard *part); /* NULL = nothing to do */
};

/* From every part of a group to every part of another one, or of the same. */
struct part_link {
    uint32_t from, to; /* groups */
    uint32_t messages; /* the kinds it carries, a bit each */
    bool optional;     /* off until part_graph_switch(); has no ports */
    const struct clock_domain *clock;
    uint32_t latency_cycles; /* of that clock, one way; 1 at least */
    /* Of a link that goes through ports (port.h): */
    const struct noc_config *format; /* sizes of flits and messages; NULL = it needs no bandwidth */
    uint32_t network;                /* a part has one port into, and one out of each */
    uint32_t flits_in, flits_out;    /* a cycle, into the network and out of it */
    uint32_t credits; /* flits, per sender at a receiver; 0 = bandwidth x round trip */
    /* Of one whose messages are handed to parts of a third group, which pass them on, over links of
     * their own: these are what counts for halves and the quantum. */
    struct part_via {
        uint32_t group;    /* of these parts */
        uint32_t n_each;   /* parts that share one, of the senders or of the receivers; 0 = none */
        bool of_receivers; /* of the receivers */
        uint32_t hop_cycles; /* of the latency, up to them */
    } via;
};

struct part_group {
    const struct part_kind *kind;
    const void *setup;
    uint32_t n, first_id;
    bool second; /* its colour, where there are two */
    size_t stride;
    char *parts;  /* NULL until they are built */
    char *memory; /* that they are in */
};

/* Zeroed is an empty one. Read by all, changed by the functions below alone. */
struct part_graph {
    struct part_group *groups;
    uint32_t n_groups, cap_groups;
    struct part_link *links;
    uint32_t n_links, cap_links;
    bool has_halves;            /* there are two colours */
    bool optional_on;           /* optional links count */
    struct shard **shards;      /* indexed by id */
    uint32_t n_shards, n_first; /* of them, and those of the first colour */
    uint32_t *group_of;         /* by id */
    struct shard_link *routes;  /* n_groups x n_groups: what may be sent from one to another */
};

/* Returns the group's number. `setup` is given to each part that is created. */
uint32_t part_graph_add(struct part_graph *g, const struct part_kind *kind, uint32_t n,
                        const void *setup);
void part_graph_link(struct part_graph *g, struct part_link l);
/* Finds the colours, gives ids, creates the parts and fills in what `e` has of them: shards and
 * their links, halves and the quantum. Once; `e` is then ready for engine_connect(). */
void part_graph_build(struct part_graph *g, struct engine *e);
void part_graph_destroy(struct part_graph *g);
/* Switches the optional links on or off while nothing is on its way: the quantum and the halves of
 * `e` follow from the links that count. Colours and ids are those of the other links. */
void part_graph_switch(struct part_graph *g, struct engine *e, bool on);

/* What follows from the description alone, before anything is built. */
/* Gives the groups two colours such that each link joins different ones, the first group having the
 * first; false if there is no such way, or no link. */
bool part_graph_colour(struct part_graph *g);
/* The latency of the shortest link; TIME_NEVER if there is none. */
sim_time part_graph_quantum(const struct part_graph *g);

static inline sim_time link_latency(const struct part_link *l)
{
    return (sim_time)l->latency_cycles * l->clock->period;
}
/* The i-th part of a group, once it is built. */
static inline struct shard *part_at(const struct part_graph *g, uint32_t group, uint32_t i)
{
    const struct part_group *p = &g->groups[group];
    assert(i < p->n);
    return (struct shard *)(void *)(p->parts + i * p->stride);
}

/* For a part that is being created: its port into a network, or out of it, as the links say. A port
 * in has peers for all ids from its first receiver to its last. */
void part_open_tx(const struct part_place *at, uint32_t network, struct shard *s,
                  struct tx_port *p);
void part_open_rx(const struct part_place *at, uint32_t network, struct shard *s,
                  struct rx_port *p);

/* Sums over the ports of all parts. */
struct port_stats part_graph_tx_stats(const struct part_graph *g, uint32_t network);
struct port_stats part_graph_rx_stats(const struct part_graph *g, uint32_t network);
/* When nothing is on its way any more: takes all credits back; returns when the last one came, as
 * its owner's clock has it. */
sim_time part_graph_settle(struct part_graph *g);

#endif
