/* Random graphs for the graph workloads, in compressed sparse rows. */
#ifndef HEDDLE_WORKLOADS_GRAPH_H
#define HEDDLE_WORKLOADS_GRAPH_H

#include "workloads/workload.h"

struct graph {
    uint32_t n_nodes, n_edges;
    uint32_t *first_edge; /* n_nodes + 1: the edges of node v are first_edge[v] .. [v + 1] - 1 */
    uint32_t *target;     /* n_edges */
};

/* All are undirected: every pair of nodes is stored in both directions. */
enum graph_shape {
    /* Pairs drawn uniformly: degrees scatter around their mean. There may be parallel edges,
     * self-loops and isolated nodes, as in real inputs. */
    GRAPH_UNIFORM,
    /* Preferential attachment: a few hubs, many nodes with few edges, a small diameter. Connected,
     * without self-loops, nodes numbered at random. */
    GRAPH_POWER_LAW,
    /* Crossings of a square grid, numbered row by row, each connected to some of its four
     * neighbours, 2 2/3 on average (New York's roads have 2.8): degrees are similar, the diameter
     * is large. */
    GRAPH_ROAD,
    /* A balanced tree, numbered level by level. */
    GRAPH_TREE,
    N_GRAPH_SHAPES
};

/* The shapes as users write them; ends with NULL. */
extern const char *const graph_shape_names[N_GRAPH_SHAPES + 1];

/* A graph of `n_edges` (rounded to even) directed edges. `degree` is the mean number of edges per
 * node where the shape leaves that open; inner nodes of a tree have exactly that many; roads ignore
 * it. Roads need at least 100 edges, trees a degree of at least 2. */
void graph_create(struct graph *g, enum graph_shape shape, uint32_t n_edges, uint32_t degree,
                  struct workload_rng *rng);
/* The same with the number of nodes given. */
void graph_create_uniform(struct graph *g, uint32_t n_nodes, uint32_t n_edges,
                          struct workload_rng *rng);
/* All crossings of a grid, numbered row by row, connected to their four neighbours: the matrix of a
 * five-point stencil. */
void graph_create_grid(struct graph *g, uint32_t columns, uint32_t rows);
void graph_destroy(struct graph *g);

/* The first node with an edge, where a traversal starts. 0 if no node has one. */
uint32_t graph_first_connected(const struct graph *g);

/* Both arrays on a device, as kernels receive them. */
struct graph_buffers {
    device_buffer first_edge, target;
};
struct graph_buffers graph_upload(const struct graph *g, struct device *d);

/* A random permutation of 0..n-1, for example as distinct priorities of nodes. */
void random_order(uint32_t *order, uint32_t n, struct workload_rng *rng);

#endif
