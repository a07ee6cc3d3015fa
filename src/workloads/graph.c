#include "workloads/graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"

const char *const graph_shape_names[N_GRAPH_SHAPES + 1] = {"uniform", "power-law", "road", "tree",
                                                           NULL};

typedef uint32_t node_pair[2];

/* --- rows from pairs --- */

/* Turns degrees (in first_edge[v + 1]) into the offsets of the rows. */
static void sum_degrees(struct graph *g)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        g->first_edge[v + 1] += g->first_edge[v];
}

static void fill_rows(struct graph *g, const node_pair *pairs, uint32_t n_pairs)
{
    uint32_t *next = xcalloc(g->n_nodes, sizeof *next);
    for (uint32_t v = 0; v < g->n_nodes; v++)
        next[v] = g->first_edge[v];
    for (uint32_t i = 0; i < n_pairs; i++) {
        g->target[next[pairs[i][0]]++] = pairs[i][1];
        g->target[next[pairs[i][1]]++] = pairs[i][0];
    }
    free(next);
}

static void create_from_pairs(struct graph *g, uint32_t n_nodes, const node_pair *pairs,
                              uint32_t n_pairs)
{
    g->n_nodes = n_nodes;
    g->n_edges = 2 * n_pairs;
    g->first_edge = xcalloc((size_t)n_nodes + 1, sizeof *g->first_edge);
    g->target = xcalloc(g->n_edges, sizeof *g->target);
    for (uint32_t i = 0; i < n_pairs; i++)
        for (int end = 0; end < 2; end++)
            g->first_edge[pairs[i][end] + 1]++;
    sum_degrees(g);
    fill_rows(g, pairs, n_pairs);
}

/* --- the shapes --- */

static void draw_uniform(node_pair *pairs, uint32_t n_pairs, uint32_t n_nodes,
                         struct workload_rng *rng)
{
    for (uint32_t i = 0; i < n_pairs; i++)
        for (int end = 0; end < 2; end++)
            pairs[i][end] = workload_rng_below(rng, n_nodes);
}

/* With probability 3/4 an end of a random earlier pair (the more pairs a node has, the likelier),
 * otherwise any node below `limit`. */
static uint32_t pick_node(node_pair *pairs, uint32_t n_pairs, uint32_t limit,
                          struct workload_rng *rng)
{
    if (n_pairs > 0 && workload_rng_below(rng, 4) > 0)
        return pairs[workload_rng_below(rng, n_pairs)][workload_rng_below(rng, 2)];
    return workload_rng_below(rng, limit);
}

static void renumber(node_pair *pairs, uint32_t n_pairs, uint32_t n_nodes, struct workload_rng *rng)
{
    uint32_t *name = xcalloc(n_nodes, sizeof *name);
    random_order(name, n_nodes, rng);
    for (uint32_t i = 0; i < n_pairs; i++)
        for (int end = 0; end < 2; end++)
            pairs[i][end] = name[pairs[i][end]];
    free(name);
}

/* A tree first, so that every node has a neighbour, then the other pairs. */
static void grow_power_law(node_pair *pairs, uint32_t n_pairs, uint32_t n_nodes,
                           struct workload_rng *rng)
{
    assert(n_pairs + 1 >= n_nodes);
    for (uint32_t i = 0; i < n_pairs; i++) {
        bool in_tree = i + 1 < n_nodes;
        uint32_t from = in_tree ? i + 1 : pick_node(pairs, i, n_nodes, rng);
        uint32_t to;
        do
            to = pick_node(pairs, i, in_tree ? from : n_nodes, rng);
        while (to == from);
        pairs[i][0] = from;
        pairs[i][1] = to;
    }
    renumber(pairs, n_pairs, n_nodes, rng);
}

/* The largest integer whose square is at most n. */
static uint32_t root_of(uint32_t n)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

struct road_grid {
    uint32_t columns, rows;
};

/* Three crossings for every four roads. */
static struct road_grid road_grid_for(uint32_t n_pairs)
{
    uint32_t crossings = (uint32_t)((uint64_t)n_pairs * 3 / 4), columns = root_of(crossings);
    return (struct road_grid){columns, crossings / columns};
}

/* Each crossing except the first keeps the road to the left or the road up, which connects all of
 * them in a tree. Of the remaining roads a random subset of the required size is kept. */
static void lay_roads(node_pair *pairs, uint32_t n_pairs, struct road_grid grid,
                      struct workload_rng *rng)
{
    uint32_t n_nodes = grid.columns * grid.rows, n = 0;
    uint32_t spare = (grid.columns - 1) * (grid.rows - 1); /* crossings with both */
    uint32_t wanted = n_pairs - (n_nodes - 1);
    assert(n_pairs + 1 >= n_nodes && wanted <= spare);
    for (uint32_t v = 1; v < n_nodes; v++) {
        bool has_left = v % grid.columns > 0, has_up = v >= grid.columns;
        bool goes_left = has_left && (!has_up || workload_rng_below(rng, 2) == 0);
        uint32_t left = v - 1, up = v - grid.columns;
        pairs[n][0] = v;
        pairs[n++][1] = goes_left ? left : up;
        if (!has_left || !has_up)
            continue;
        if (workload_rng_below(rng, spare--) < wanted) {
            wanted--;
            pairs[n][0] = v;
            pairs[n++][1] = goes_left ? up : left;
        }
    }
    assert(n == n_pairs);
}

static void grow_tree(node_pair *pairs, uint32_t n_pairs, uint32_t children)
{
    for (uint32_t i = 0; i < n_pairs; i++) {
        pairs[i][0] = i + 1;
        pairs[i][1] = i / children;
    }
}

void graph_create(struct graph *g, enum graph_shape shape, uint32_t n_edges, uint32_t degree,
                  struct workload_rng *rng)
{
    uint32_t n_pairs = n_edges / 2, n_nodes = (n_edges + degree - 1) / degree;
    node_pair *pairs = xcalloc(n_pairs, sizeof *pairs);
    if (shape == GRAPH_ROAD) {
        struct road_grid grid = road_grid_for(n_pairs);
        n_nodes = grid.columns * grid.rows;
        lay_roads(pairs, n_pairs, grid, rng);
    } else if (shape == GRAPH_TREE) {
        n_nodes = n_pairs + 1;
        grow_tree(pairs, n_pairs, degree - 1);
    } else if (shape == GRAPH_POWER_LAW) {
        grow_power_law(pairs, n_pairs, n_nodes, rng);
    } else {
        draw_uniform(pairs, n_pairs, n_nodes, rng);
    }
    create_from_pairs(g, n_nodes, pairs, n_pairs);
    free(pairs);
}

void graph_create_uniform(struct graph *g, uint32_t n_nodes, uint32_t n_edges,
                          struct workload_rng *rng)
{
    uint32_t n_pairs = n_edges / 2;
    node_pair *pairs = xcalloc(n_pairs, sizeof *pairs);
    draw_uniform(pairs, n_pairs, n_nodes, rng);
    create_from_pairs(g, n_nodes, pairs, n_pairs);
    free(pairs);
}

void graph_create_grid(struct graph *g, uint32_t columns, uint32_t rows)
{
    uint32_t n_nodes = columns * rows, n_pairs = 0;
    node_pair *pairs = xcalloc(2 * (size_t)n_nodes, sizeof *pairs);
    for (uint32_t v = 0; v < n_nodes; v++) {
        if (v % columns > 0) {
            pairs[n_pairs][0] = v;
            pairs[n_pairs++][1] = v - 1;
        }
        if (v >= columns) {
            pairs[n_pairs][0] = v;
            pairs[n_pairs++][1] = v - columns;
        }
    }
    create_from_pairs(g, n_nodes, pairs, n_pairs);
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

struct graph_buffers graph_upload(const struct graph *g, struct device *d)
{
    size_t row_bytes = ((size_t)g->n_nodes + 1) * sizeof *g->first_edge;
    size_t edge_bytes = g->n_edges * sizeof *g->target;
    return (struct graph_buffers){
        .first_edge = device_alloc_from(d, g->first_edge, row_bytes, "first edge"),
        .target = device_alloc_from(d, g->target, edge_bytes, "target"),
    };
}

void random_order(uint32_t *order, uint32_t n, struct workload_rng *rng)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = workload_rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
