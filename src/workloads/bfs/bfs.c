/* BFS: breadth-first search of a graph (S2 Table 2, S3 Tables 3.2, 4.2, 5.3, S4 Table 2; all from
 * Rodinia).
 *
 * Algorithm and data structures as Rodinia describes them: one thread per node, a mask array for
 * the frontier, every thread of the frontier walks its edge list, two kernels a level. Access
 * pattern: coalesced mask reads, then gathers over edges, visited marks and costs whose length
 * differs from thread to thread.
 *
 * Differences from the original: the graph is made from the seed with the papers' node or edge
 * counts, not read from their input files. It is a uniform random one unless the user chooses
 * another shape; S4's Figures 15 and 18 vary the graph from 500,000 to 20 million edges. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/graph.h"
#include "workloads/workload.h"

extern const char workload_bfs_source[];

enum { UNREACHED = -1 };
enum { EDGES, DEGREE, SHAPE, THREADS }; /* parameters */

struct bfs_node {
    uint32_t first_edge, n_edges;
};

struct bfs {
    struct graph graph;
    uint32_t root, group_size;
    int32_t *cost; /* levels from the root, from the device */
    int32_t *expected_cost;
};

static void bfs_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bfs *s = state;
    struct workload_rng rng = {seed};
    graph_create(&s->graph, (enum graph_shape)size->p[SHAPE], (uint32_t)size->p[EDGES],
                 (uint32_t)size->p[DEGREE], &rng);
    s->root = graph_first_connected(&s->graph);
    s->group_size = (uint32_t)size->p[THREADS];
    s->cost = xcalloc(s->graph.n_nodes, sizeof *s->cost);
    s->expected_cost = xcalloc(s->graph.n_nodes, sizeof *s->expected_cost);
}

static device_buffer upload_nodes(struct device *d, const struct graph *g)
{
    struct bfs_node *nodes = xcalloc(g->n_nodes, sizeof *nodes);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        nodes[v].first_edge = g->first_edge[v];
        nodes[v].n_edges = g->first_edge[v + 1] - g->first_edge[v];
    }
    device_buffer b = device_alloc_from(d, nodes, g->n_nodes * sizeof *nodes, "nodes");
    free(nodes);
    return b;
}

/* A mask over the nodes in which only the root is set. */
static device_buffer upload_root_mask(struct device *d, const struct bfs *s, const char *label)
{
    const uint8_t one = 1;
    device_buffer b = device_alloc(d, s->graph.n_nodes, label);
    device_upload(d, b, s->root, &one, sizeof one);
    return b;
}

static device_buffer upload_costs(struct device *d, const struct bfs *s)
{
    for (uint32_t v = 0; v < s->graph.n_nodes; v++)
        s->cost[v] = v == s->root ? 0 : UNREACHED;
    return device_alloc_from(d, s->cost, s->graph.n_nodes * sizeof *s->cost, "cost");
}

static void bfs_run(void *state, struct device *d)
{
    struct bfs *s = state;
    const struct graph *g = &s->graph;
    device_buffer nodes = upload_nodes(d, g);
    device_buffer edges = device_alloc_from(d, g->target, g->n_edges * sizeof *g->target, "edges");
    device_buffer frontier = upload_root_mask(d, s, "frontier");
    device_buffer visited = upload_root_mask(d, s, "visited");
    device_buffer next = device_alloc(d, g->n_nodes, "next");
    device_buffer cost = upload_costs(d, s);
    device_buffer more = device_alloc(d, sizeof(int32_t), "more");

    uint32_t group_size = s->group_size, global_size = device_round_up(g->n_nodes, group_size);
    int32_t has_more = 1;
    /* No graph has more levels than nodes, so a wrong kernel cannot keep this loop going. */
    for (uint32_t level = 0; has_more && level < g->n_nodes && device_ok(d); level++) {
        has_more = 0;
        device_upload(d, more, 0, &has_more, sizeof has_more);
        DEVICE_LAUNCH_1D(d, "bfs_expand", global_size, group_size, device_arg_buffer(nodes),
                         device_arg_buffer(edges), device_arg_buffer(frontier),
                         device_arg_buffer(next), device_arg_buffer(visited),
                         device_arg_buffer(cost), device_arg_u32(g->n_nodes));
        DEVICE_LAUNCH_1D(d, "bfs_collect", global_size, group_size, device_arg_buffer(frontier),
                         device_arg_buffer(next), device_arg_buffer(visited),
                         device_arg_buffer(more), device_arg_u32(g->n_nodes));
        device_download(d, more, 0, &has_more, sizeof has_more);
    }
    device_download(d, cost, 0, s->cost, g->n_nodes * sizeof *s->cost);
}

/* The textbook search with a queue. */
static void bfs_reference(void *state)
{
    struct bfs *s = state;
    const struct graph *g = &s->graph;
    uint32_t *queue = xcalloc(g->n_nodes, sizeof *queue);
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        s->expected_cost[v] = UNREACHED;
    s->expected_cost[s->root] = 0;
    queue[tail++] = s->root;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
            uint32_t w = g->target[e];
            if (s->expected_cost[w] != UNREACHED)
                continue;
            s->expected_cost[w] = s->expected_cost[v] + 1;
            queue[tail++] = w;
        }
    }
    free(queue);
}

static bool bfs_check(const void *state, struct strbuf *why)
{
    const struct bfs *s = state;
    return workload_check_i32(why, "cost", s->cost, s->expected_cost, s->graph.n_nodes);
}

static void bfs_teardown(void *state)
{
    struct bfs *s = state;
    graph_destroy(&s->graph);
    free(s->cost);
    free(s->expected_cost);
}

/* S4 gives only the number of edges; the others only that of nodes, 65536, whose Rodinia input has
 * six edges a node. S3 section 3.3 has thread blocks of 512. */
static const struct workload_size bfs_sizes[] = {
    {"tiny", {98304, 6, GRAPH_UNIFORM, 256}},      {"small", {1572864, 6, GRAPH_UNIFORM, 256}},
    {"paper-s2", {393216, 6, GRAPH_UNIFORM, 256}}, {"paper-s3", {393216, 6, GRAPH_UNIFORM, 512}},
    {"paper-s4", {500000, 6, GRAPH_UNIFORM, 256}}, {NULL, {0}},
};

static const struct workload_input bfs_inputs[] = {
    {"edges", NULL, 1000, 40000000, "directed edges, two for every pair of neighbours"},
    {"degree", NULL, 3, 64,
     "edges of a node: their mean (uniform, power-law), of inner nodes (tree); roads ignore it"},
    {"graph", graph_shape_names, 0, 0,
     "pairs drawn at random, hubs by preferential attachment, a grid with missing roads, or a "
     "balanced tree"},
    {"threads", NULL, 32, 1024, "threads of a CTA"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bfs = {
    .name = "bfs",
    .paper_name = "BFS",
    .title = "Breadth-first search",
    .summary = "Level-synchronous search of a graph: one thread per node walks its own "
               "edge list and gathers marks and costs of the neighbours.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-insufficient",
                   .s3_ch3 = "memory-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "cache-sensitive",
                   .s4 = "highly sensitive"},
    .source = workload_bfs_source,
    .param_names = {"edges", "degree", "graph", "threads"},
    .sizes = bfs_sizes,
    .inputs = bfs_inputs,
    .state_bytes = sizeof(struct bfs),
    .setup = bfs_setup,
    .run = bfs_run,
    .reference = bfs_reference,
    .check = bfs_check,
    .teardown = bfs_teardown,
};
