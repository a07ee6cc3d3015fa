#include "workloads/graph.h"

#include <stdlib.h>

#include "base/arena.h"

/* Turns degrees (in first_edge[v + 1]) into the offsets of the rows. */
static void sum_degrees(struct graph *g)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        g->first_edge[v + 1] += g->first_edge[v];
}

void graph_create_uniform(struct graph *g, uint32_t n_nodes, uint32_t n_edges,
                          struct workload_rng *rng)
{
    uint32_t n_pairs = n_edges / 2;
    g->n_nodes = n_nodes;
    g->n_edges = 2 * n_pairs;
    g->first_edge = xcalloc((size_t)n_nodes + 1, sizeof *g->first_edge);
    g->target = xcalloc(g->n_edges, sizeof *g->target);

    uint32_t(*pairs)[2] = xcalloc(n_pairs, sizeof *pairs);
    for (uint32_t i = 0; i < n_pairs; i++) {
        for (int end = 0; end < 2; end++) {
            pairs[i][end] = rng_below(rng, n_nodes);
            g->first_edge[pairs[i][end] + 1]++;
        }
    }
    sum_degrees(g);

    uint32_t *next = xcalloc(n_nodes, sizeof *next);
    for (uint32_t v = 0; v < n_nodes; v++)
        next[v] = g->first_edge[v];
    for (uint32_t i = 0; i < n_pairs; i++) {
        g->target[next[pairs[i][0]]++] = pairs[i][1];
        g->target[next[pairs[i][1]]++] = pairs[i][0];
    }
    free(next);
    free(pairs);
}

void graph_destroy(struct graph *g)
{
    free(g->first_edge);
    free(g->target);
    *g = (struct graph){0};
}

uint32_t graph_first_connected(const struct graph *g)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (g->first_edge[v + 1] > g->first_edge[v])
            return v;
    return 0;
}
