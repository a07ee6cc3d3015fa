/* BFSQ: breadth-first search in a random graph with an atomic work queue.
 *
 * For atomics units (S1 section 3): BFS of S2 to S4 visits all nodes in every level. Here a level
 * is a queue; nodes are claimed by compare-and-swap, scattered over the graph, and a contended
 * counter assigns their positions in the next level's queue. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/graph.h"
#include "workloads/workload.h"

extern const char workload_bfsq_source[];

enum { GROUP = 128 };
#define UNREACHED UINT32_MAX

struct bfsq {
    struct graph graph;
    uint32_t groups, root;
    uint32_t *level, *expected, *queue;
};

static void bfsq_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bfsq *s = state;
    struct workload_rng rng = {seed};
    graph_create_uniform(&s->graph, (uint32_t)size->p[0], (uint32_t)size->p[1], &rng);
    s->groups = (uint32_t)size->p[2];
    s->root = graph_first_connected(&s->graph);
    s->level = xcalloc(s->graph.n_nodes, sizeof *s->level);
    s->expected = xcalloc(s->graph.n_nodes, sizeof *s->expected);
    s->queue = xcalloc(s->graph.n_nodes, sizeof *s->queue);
}

static void bfsq_run(void *state, struct device *d)
{
    struct bfsq *s = state;
    const struct graph *g = &s->graph;
    size_t bytes = g->n_nodes * sizeof *s->level;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        s->level[v] = v == s->root ? 0 : UNREACHED;
    device_buffer first_edge =
        device_alloc_from(d, g->first_edge, (g->n_nodes + 1) * sizeof *g->first_edge, "first_edge");
    device_buffer target =
        device_alloc_from(d, g->target, g->n_edges * sizeof *g->target, "target");
    device_buffer level = device_alloc_from(d, s->level, bytes, "level");
    device_buffer queues[2] = {device_alloc(d, bytes, "queue"), device_alloc(d, bytes, "next")};
    device_buffer n_next = device_alloc(d, sizeof(uint32_t), "n_next");

    uint32_t n = 1;
    device_upload(d, queues[0], 0, &s->root, sizeof s->root);
    for (uint32_t depth = 0; n && depth < g->n_nodes && device_ok(d); depth++) {
        uint32_t n_queue = n;
        n = 0;
        device_upload(d, n_next, 0, &n, sizeof n);
        DEVICE_LAUNCH_1D(d, "bfs_queue", s->groups * GROUP, GROUP, device_arg_buffer(first_edge),
                         device_arg_buffer(target), device_arg_buffer(level),
                         device_arg_buffer(queues[depth % 2]), device_arg_u32(n_queue),
                         device_arg_buffer(queues[(depth + 1) % 2]), device_arg_buffer(n_next),
                         device_arg_u32(depth), device_arg_u32(UNREACHED));
        device_download(d, n_next, 0, &n, sizeof n);
    }
    device_download(d, level, 0, s->level, bytes);
}

static void bfsq_reference(void *state)
{
    struct bfsq *s = state;
    const struct graph *g = &s->graph;
    uint32_t first = 0, end = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        s->expected[v] = v == s->root ? 0 : UNREACHED;
    s->queue[end++] = s->root;
    while (first < end) {
        uint32_t v = s->queue[first++];
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++)
            if (s->expected[g->target[e]] == UNREACHED) {
                s->expected[g->target[e]] = s->expected[v] + 1;
                s->queue[end++] = g->target[e];
            }
    }
}

static bool bfsq_check(const void *state, struct strbuf *why)
{
    const struct bfsq *s = state;
    return workload_check_u32(why, "level", s->level, s->expected, s->graph.n_nodes);
}

static void bfsq_teardown(void *state)
{
    struct bfsq *s = state;
    graph_destroy(&s->graph);
    free(s->level);
    free(s->expected);
    free(s->queue);
}

static const struct workload_size sizes[] = {
    {"tiny", {16384, 131072, 60}},
    {"small", {65536, 524288, 120}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"nodes", NULL, 2, 1 << 24, "of the graph"},
    {"edges", NULL, 1, 1 << 26, "of the graph, undirected"},
    {"work_groups", NULL, 1, 4096, "of 128 work-items; with few of them, few SMs take part"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bfsq = {
    .name = "bfsq",
    .paper_name = "BFSQ",
    .title = "Breadth-first search with a queue",
    .summary = "Level by level through a work queue: nodes are claimed by compare-and-swap, and "
               "one counter assigns positions in the next queue.",
    .origin = "own, for S1 section 3",
    .source = workload_bfsq_source,
    .param_names = {"nodes", "edges", "work_groups"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct bfsq),
    .setup = bfsq_setup,
    .run = bfsq_run,
    .reference = bfsq_reference,
    .check = bfsq_check,
    .teardown = bfsq_teardown,
};
