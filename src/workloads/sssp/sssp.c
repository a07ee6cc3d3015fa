/* SSSP: single-source shortest paths in a random weighted graph (S4 Table 2).
 *
 * Bellman-Ford in the topology-driven style of LonestarGPU: one thread per node relaxes all its
 * edges with an atomic minimum on the neighbour's distance, sweep after sweep until nothing
 * changes. Access pattern: each thread strides through its own row of targets and weights (much
 * intra-warp locality, as S4 finds), gathers and atomics scatter over the distances.
 *
 * Differences from the original: the graph is a uniform random one from the seed; S4 gives no input
 * size. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/graph.h"
#include "workloads/workload.h"

extern const char workload_sssp_source[];

enum { GROUP_SIZE = 256, MAX_WEIGHT = 100 };
#define UNREACHED UINT32_MAX

struct sssp {
    struct graph graph;
    uint32_t *weight; /* of every directed edge; the two directions differ */
    uint32_t root;
    uint32_t *distance; /* from the device */
    uint32_t *expected_distance;
};

static void sssp_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sssp *s = state;
    struct workload_rng rng = {seed};
    graph_create_uniform(&s->graph, (uint32_t)size->p[0], (uint32_t)size->p[1], &rng);
    s->root = graph_first_connected(&s->graph);
    s->weight = xcalloc(s->graph.n_edges, sizeof *s->weight);
    for (uint32_t e = 0; e < s->graph.n_edges; e++)
        s->weight[e] = 1 + workload_rng_below(&rng, MAX_WEIGHT);
    s->distance = xcalloc(s->graph.n_nodes, sizeof *s->distance);
    s->expected_distance = xcalloc(s->graph.n_nodes, sizeof *s->expected_distance);
}

static void sssp_run(void *state, struct device *d)
{
    struct sssp *s = state;
    const struct graph *g = &s->graph;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        s->distance[v] = v == s->root ? 0 : UNREACHED;
    device_buffer first_edge =
        device_alloc_from(d, g->first_edge, (g->n_nodes + 1) * sizeof *g->first_edge, "first_edge");
    device_buffer target =
        device_alloc_from(d, g->target, g->n_edges * sizeof *g->target, "target");
    device_buffer weight =
        device_alloc_from(d, s->weight, g->n_edges * sizeof *s->weight, "weight");
    device_buffer distance =
        device_alloc_from(d, s->distance, g->n_nodes * sizeof *s->distance, "distance");
    device_buffer changed = device_alloc(d, sizeof(int32_t), "changed");

    int32_t has_changed = 1;
    /* No shortest path has more edges than there are nodes, so this many sweeps are enough. */
    for (uint32_t sweep = 0; has_changed && sweep < g->n_nodes && device_ok(d); sweep++) {
        has_changed = 0;
        device_upload(d, changed, 0, &has_changed, sizeof has_changed);
        DEVICE_LAUNCH_1D(d, "sssp_relax", device_round_up(g->n_nodes, GROUP_SIZE), GROUP_SIZE,
                         device_arg_buffer(first_edge), device_arg_buffer(target),
                         device_arg_buffer(weight), device_arg_buffer(distance),
                         device_arg_buffer(changed), device_arg_u32(g->n_nodes),
                         device_arg_u32(UNREACHED));
        device_download(d, changed, 0, &has_changed, sizeof has_changed);
    }
    device_download(d, distance, 0, s->distance, g->n_nodes * sizeof *s->distance);
}

/* --- The reference: Dijkstra's algorithm with a binary heap --- */

struct heap_entry {
    uint32_t distance, node;
};

struct heap {
    struct heap_entry *entries;
    size_t n, cap;
};

static void heap_push(struct heap *h, struct heap_entry entry)
{
    ARRAY_RESERVE(h->entries, h->cap, h->n + 1);
    size_t i = h->n++;
    for (; i > 0 && h->entries[(i - 1) / 2].distance > entry.distance; i = (i - 1) / 2)
        h->entries[i] = h->entries[(i - 1) / 2];
    h->entries[i] = entry;
}

static struct heap_entry heap_pop(struct heap *h)
{
    struct heap_entry least = h->entries[0], last = h->entries[--h->n];
    size_t i = 0;
    for (size_t child = 1; child < h->n; child = 2 * i + 1) {
        if (child + 1 < h->n && h->entries[child + 1].distance < h->entries[child].distance)
            child++;
        if (last.distance <= h->entries[child].distance)
            break;
        h->entries[i] = h->entries[child];
        i = child;
    }
    h->entries[i] = last;
    return least;
}

static void settle(struct sssp *s, struct heap *h, uint32_t v)
{
    const struct graph *g = &s->graph;
    for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
        uint32_t length = s->expected_distance[v] + s->weight[e];
        if (length >= s->expected_distance[g->target[e]])
            continue;
        s->expected_distance[g->target[e]] = length;
        heap_push(h, (struct heap_entry){length, g->target[e]});
    }
}

static void sssp_reference(void *state)
{
    struct sssp *s = state;
    for (uint32_t v = 0; v < s->graph.n_nodes; v++)
        s->expected_distance[v] = v == s->root ? 0 : UNREACHED;
    struct heap h = {0};
    heap_push(&h, (struct heap_entry){0, s->root});
    while (h.n > 0) {
        struct heap_entry nearest = heap_pop(&h);
        if (nearest.distance == s->expected_distance[nearest.node])
            settle(s, &h, nearest.node);
    }
    free(h.entries);
}

static bool sssp_check(const void *state, struct strbuf *why)
{
    const struct sssp *s = state;
    return workload_check_u32(why, "distance", s->distance, s->expected_distance, s->graph.n_nodes);
}

static void sssp_teardown(void *state)
{
    struct sssp *s = state;
    graph_destroy(&s->graph);
    free(s->weight);
    free(s->distance);
    free(s->expected_distance);
}

static const struct workload_size sssp_sizes[] = {
    {"tiny", {8192, 65536}},
    {"small", {65536, 524288}},
    {NULL, {0}},
};

const struct workload workload_sssp = {
    .name = "sssp",
    .paper_name = "SSSP",
    .title = "Single-source shortest paths",
    .summary = "Bellman-Ford without a worklist: one thread per node strides through its edges "
               "and lowers the neighbours' distances with atomic minima.",
    .origin = "GPGPU-Sim",
    .categories = {.s4 = "moderately sensitive"},
    .source = workload_sssp_source,
    .param_names = {"nodes", "edges"},
    .sizes = sssp_sizes,
    .state_bytes = sizeof(struct sssp),
    .setup = sssp_setup,
    .run = sssp_run,
    .reference = sssp_reference,
    .check = sssp_check,
    .teardown = sssp_teardown,
};
