/* Random graphs for the graph workloads, in compressed sparse rows. */
#ifndef HEDDLE_WORKLOADS_GRAPH_H
#define HEDDLE_WORKLOADS_GRAPH_H

#include "workloads/workload.h"

struct graph {
    uint32_t n_nodes, n_edges;
    uint32_t *first_edge; /* n_nodes + 1: the edges of node v are first_edge[v] .. [v + 1] - 1 */
    uint32_t *target;     /* n_edges */
};

/* An undirected graph of `n_edges` (made even) directed edges: n_edges / 2 pairs of nodes are
 * drawn uniformly, each stored in both directions, so degrees scatter around n_edges / n_nodes.
 * There may be parallel edges, self-loops and isolated nodes, as in a real input. */
void graph_create_uniform(struct graph *g, uint32_t n_nodes, uint32_t n_edges,
                          struct workload_rng *rng);
void graph_destroy(struct graph *g);

/* The first node that has an edge: where a traversal starts. 0 if no node has one. */
uint32_t graph_first_connected(const struct graph *g);

#endif
