/* CSR and ELL: shortest paths from one node of a road map (Pannotia's Dijkstra-CSR and
 * Dijkstra-ELL; S3 Table 5.3, the roads of New York).
 *
 * As in Pannotia, whose name for it is Dijkstra: all nodes take the least of their neighbours'
 * distances in every round, as a sparse matrix-vector product, until nothing changes. Access
 * pattern: with compressed rows, columns and weights are read a row apart between the threads of a
 * warp; with padded ones they are coalesced. The neighbours' distances are near by in either case.
 *
 * The original reads a file of 264,346 crossings and 733,846 arcs; here roads with as many arcs are
 * laid over a grid. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/graph.h"

extern const char workload_dij_source[];

enum { GROUP = 128, MAX_WEIGHT = 100, UNREACHED = 1 << 29 };
enum { ROAD_DEGREE = 3 }; /* asked for, but roads ignore it */

struct dij {
    struct arena arena;
    struct graph graph;
    int32_t *weight; /* of each edge, the same in both directions */
    uint32_t source, rounds;
    int32_t *distance, *expected;
};

/* The same in both directions, although the two directions of an edge are stored separately. */
static int32_t weight_of(uint32_t a, uint32_t b, uint64_t seed)
{
    struct workload_rng rng = {seed ^ ((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a))};
    return 1 + (int32_t)workload_rng_below(&rng, MAX_WEIGHT);
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct dij *s = state;
    struct workload_rng rng = {seed};
    struct graph *g = &s->graph;
    graph_create(g, GRAPH_ROAD, (uint32_t)size->p[0], ROAD_DEGREE, &rng);
    s->source = graph_first_connected(g);
    s->rounds = size->p[1] ? (uint32_t)size->p[1] : g->n_nodes;
    s->weight = ARENA_ARRAY(&s->arena, int32_t, g->n_edges);
    s->distance = ARENA_ARRAY(&s->arena, int32_t, g->n_nodes);
    s->expected = ARENA_ARRAY(&s->arena, int32_t, g->n_nodes);
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++)
            s->weight[e] = weight_of(v, g->target[e], seed);
}

/* A format of the matrix: its kernel, and the arguments that differ. */
struct matrix {
    const char *kernel;
    struct device_arg rows; /* where each begins, or how long all are */
    device_buffer column, weight;
};

static void relax(struct dij *s, struct device *d, const struct matrix *m)
{
    uint32_t n = s->graph.n_nodes;
    for (uint32_t v = 0; v < n; v++)
        s->distance[v] = v == s->source ? 0 : UNREACHED;
    device_buffer distance = device_alloc_from(d, s->distance, n * sizeof(int32_t), "distance");
    device_buffer lower = device_alloc(d, n * sizeof(int32_t), "lower");
    device_buffer changed = device_alloc(d, sizeof(int32_t), "changed");
    int32_t has_changed = 1;
    for (uint32_t round = 0; has_changed && round < s->rounds && device_ok(d); round++) {
        has_changed = 0;
        device_upload(d, changed, 0, &has_changed, sizeof has_changed);
        DEVICE_LAUNCH_1D(d, m->kernel, device_round_up(n, GROUP), GROUP, m->rows,
                         device_arg_buffer(m->column), device_arg_buffer(m->weight),
                         device_arg_buffer(distance), device_arg_buffer(lower), device_arg_u32(n));
        DEVICE_LAUNCH_1D(d, "dij_adopt", device_round_up(n, GROUP), GROUP,
                         device_arg_buffer(distance), device_arg_buffer(lower),
                         device_arg_buffer(changed), device_arg_u32(n));
        device_download(d, changed, 0, &has_changed, sizeof has_changed);
    }
    device_download(d, distance, 0, s->distance, n * sizeof(int32_t));
}

static void run_csr(void *state, struct device *d)
{
    struct dij *s = state;
    const struct graph *g = &s->graph;
    struct graph_buffers graph = graph_upload(g, d);
    const struct matrix m = {
        .kernel = "dij_csr",
        .rows = device_arg_buffer(graph.first_edge),
        .column = graph.target,
        .weight = device_alloc_from(d, s->weight, g->n_edges * sizeof(int32_t), "weight"),
    };
    relax(s, d, &m);
}

static uint32_t longest_row(const struct graph *g)
{
    uint32_t longest = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (g->first_edge[v + 1] - g->first_edge[v] > longest)
            longest = g->first_edge[v + 1] - g->first_edge[v];
    return longest;
}

static void run_ell(void *state, struct device *d)
{
    struct dij *s = state;
    const struct graph *g = &s->graph;
    uint32_t length = longest_row(g);
    size_t cells = (size_t)length * g->n_nodes;
    int32_t *column = ARENA_ARRAY(&s->arena, int32_t, cells);
    int32_t *weight = ARENA_ARRAY(&s->arena, int32_t, cells);
    for (size_t c = 0; c < cells; c++)
        column[c] = -1;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
            size_t cell = (size_t)(e - g->first_edge[v]) * g->n_nodes + v;
            column[cell] = (int32_t)g->target[e];
            weight[cell] = s->weight[e];
        }
    const struct matrix m = {
        .kernel = "dij_ell",
        .rows = device_arg_u32(length),
        .column = device_alloc_from(d, column, cells * sizeof(int32_t), "column"),
        .weight = device_alloc_from(d, weight, cells * sizeof(int32_t), "weight"),
    };
    relax(s, d, &m);
}

/* --- The reference of a few rounds: the same rounds --- */

static void relax_rounds(struct dij *s)
{
    const struct graph *g = &s->graph;
    int32_t *before = ARENA_ARRAY(&s->arena, int32_t, g->n_nodes);
    for (uint32_t round = 0; round < s->rounds; round++) {
        memcpy(before, s->expected, g->n_nodes * sizeof *before);
        for (uint32_t v = 0; v < g->n_nodes; v++)
            for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
                int32_t through = before[g->target[e]] + s->weight[e];
                s->expected[v] = through < s->expected[v] ? through : s->expected[v];
            }
    }
}

/* --- That of all: Dijkstra with a bucket per distance, as many as an edge may be long --- */

struct entry {
    uint32_t node;
    int32_t distance;
    struct entry *next; /* in its bucket */
};

static void settle(struct dij *s, uint32_t v, struct entry **bucket, struct entry **unused)
{
    const struct graph *g = &s->graph;
    for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
        uint32_t w = g->target[e];
        int32_t through = s->expected[v] + s->weight[e];
        if (through >= s->expected[w])
            continue;
        s->expected[w] = through;
        struct entry *entry = (*unused)++;
        struct entry **head = &bucket[through % (MAX_WEIGHT + 1)];
        *entry = (struct entry){w, through, *head};
        *head = entry;
    }
}

static void find_shortest_paths(struct dij *s)
{
    const struct graph *g = &s->graph;
    struct entry *bucket[MAX_WEIGHT + 1] = {NULL};
    struct entry *entries = xcalloc((size_t)g->n_edges + 1, sizeof *entries);
    struct entry *unused = entries + 1;
    entries[0] = (struct entry){s->source, 0, NULL};
    bucket[0] = entries;
    int32_t empty_in_a_row = 0;
    for (int32_t distance = 0; empty_in_a_row <= MAX_WEIGHT; distance++) {
        struct entry **head = &bucket[distance % (MAX_WEIGHT + 1)];
        empty_in_a_row = *head ? 0 : empty_in_a_row + 1;
        while (*head) {
            const struct entry *nearest = *head;
            *head = nearest->next;
            if (nearest->distance == s->expected[nearest->node])
                settle(s, nearest->node, bucket, &unused);
        }
    }
    free(entries);
}

static void reference(void *state)
{
    struct dij *s = state;
    for (uint32_t v = 0; v < s->graph.n_nodes; v++)
        s->expected[v] = v == s->source ? 0 : UNREACHED;
    if (s->rounds < s->graph.n_nodes)
        relax_rounds(s);
    else
        find_shortest_paths(s);
}

static bool check(const void *state, struct strbuf *why)
{
    const struct dij *s = state;
    return workload_check_i32(why, "distance", s->distance, s->expected, s->graph.n_nodes);
}

static void teardown(void *state)
{
    struct dij *s = state;
    graph_destroy(&s->graph);
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {2730}},
    {"small", {13824}},
    {"paper-s3", {733846}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"edges", NULL, 100, 40000000, "of the road map, directed"},
    {"rounds", NULL, 0, 1000000, "at most; 0: until no distance changes"},
    {NULL, NULL, 0, 0, NULL},
};

#define ROAD_PATHS(format)                                                                         \
    .origin = "Pannotia",                                                                          \
    .categories = {.s3_ch5 = "cache-sensitive", .s3_ch6 = "memory-intensive"},                     \
    .source = workload_dij_source, .param_names = {"edges", "rounds"}, .sizes = sizes,             \
    .inputs = inputs, .state_bytes = sizeof(struct dij), .setup = setup, .run = run_##format,      \
    .reference = reference, .check = check, .teardown = teardown

const struct workload workload_csr = {
    .name = "csr",
    .paper_name = "CSR",
    .title = "Shortest paths on roads (CSR)",
    .summary = "Rounds of a min-plus matrix-vector product over a road map in compressed sparse "
               "rows, one thread per node; rows are read a row apart.",
    ROAD_PATHS(csr),
};

const struct workload workload_ell = {
    .name = "ell",
    .paper_name = "ELL",
    .title = "Shortest paths on roads (ELL)",
    .summary = "Rounds of a min-plus matrix-vector product over a road map in padded rows (ELL), "
               "one thread per node; columns and weights are coalesced.",
    ROAD_PATHS(ell),
};
