/* PRK: PageRank by sparse matrix-vector products (Pannotia's PageRank-SPMV; S3 Table 5.3, the
 * co-author graph of DBLP).
 *
 * One thread per vertex walks its neighbours in compressed sparse rows: the columns and weights are
 * read a row apart between the threads of a warp, the ranks of the neighbours at random, and
 * degrees vary, so warps diverge. Two launches per iteration.
 *
 * The original reads its graph from a file. Here a graph of the same numbers of vertices and edges
 * is grown by preferential attachment, which gives the skewed degrees of a co-author graph, and its
 * vertices are renumbered at random, so that hubs do not sit together. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_prk_source[];

enum { GROUP = 128 };
static const float DAMPING = 0.85f;

struct prk {
    struct arena arena;
    uint32_t n, n_edges, iterations;
    uint32_t (*edge)[2]; /* undirected */
    int32_t *row, *column, *degree;
    float *got, *want;
};

static void swap_u32(uint32_t *a, uint32_t *b)
{
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

/* With probability 1/2 an end of a random earlier edge (the more edges, the likelier), otherwise
 * any vertex below `limit`. */
static uint32_t pick_vertex(const struct prk *s, struct workload_rng *rng, uint32_t n_edges,
                            uint32_t limit)
{
    if (n_edges > 0 && workload_rng_below(rng, 2) == 0)
        return s->edge[workload_rng_below(rng, n_edges)][workload_rng_below(rng, 2)];
    return workload_rng_below(rng, limit);
}

/* A tree first, so that every vertex has a neighbour, then the other edges; no self-loops. */
static void grow_edges(struct prk *s, struct workload_rng *rng)
{
    for (uint32_t e = 0; e < s->n_edges; e++) {
        bool in_tree = e + 1 < s->n;
        uint32_t from = in_tree ? e + 1 : workload_rng_below(rng, s->n);
        uint32_t to;
        do
            to = pick_vertex(s, rng, e, in_tree ? from : s->n);
        while (to == from);
        s->edge[e][0] = from;
        s->edge[e][1] = to;
    }
}

static void renumber(struct prk *s, struct workload_rng *rng)
{
    uint32_t *name = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    for (uint32_t v = 0; v < s->n; v++) {
        name[v] = v;
        swap_u32(&name[v], &name[workload_rng_below(rng, v + 1)]);
    }
    for (uint32_t e = 0; e < s->n_edges; e++)
        for (uint32_t end = 0; end < 2; end++)
            s->edge[e][end] = name[s->edge[e][end]];
}

/* Both directions of every edge, sorted by vertex (a counting sort). */
static void build_rows(struct prk *s)
{
    int32_t *next = ARENA_ARRAY(&s->arena, int32_t, s->n);
    for (uint32_t e = 0; e < s->n_edges; e++)
        for (uint32_t end = 0; end < 2; end++)
            s->degree[s->edge[e][end]]++;
    for (uint32_t v = 0; v < s->n; v++) {
        next[v] = s->row[v];
        s->row[v + 1] = s->row[v] + s->degree[v];
    }
    for (uint32_t e = 0; e < s->n_edges; e++)
        for (uint32_t end = 0; end < 2; end++)
            s->column[next[s->edge[e][end]]++] = (int32_t)s->edge[e][1 - end];
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct prk *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->n_edges = (uint32_t)size->p[1];
    s->iterations = (uint32_t)size->p[2];
    s->edge = arena_alloc(&s->arena, s->n_edges * sizeof *s->edge);
    s->row = ARENA_ARRAY(&s->arena, int32_t, s->n + 1);
    s->column = ARENA_ARRAY(&s->arena, int32_t, 2 * (size_t)s->n_edges);
    s->degree = ARENA_ARRAY(&s->arena, int32_t, s->n);
    s->got = ARENA_ARRAY(&s->arena, float, s->n);
    s->want = ARENA_ARRAY(&s->arena, float, s->n);
    grow_edges(s, &rng);
    renumber(s, &rng);
    build_rows(s);
}

static void run(void *state, struct device *d)
{
    struct prk *s = state;
    size_t n_arcs = 2 * (size_t)s->n_edges;
    device_buffer row = device_alloc_from(d, s->row, (s->n + 1) * sizeof(int32_t), "row");
    device_buffer column = device_alloc_from(d, s->column, n_arcs * sizeof(int32_t), "column");
    device_buffer degree = device_alloc_from(d, s->degree, s->n * sizeof(int32_t), "degree");
    device_buffer weight = device_alloc(d, n_arcs * sizeof(float), "weight");
    device_buffer rank = device_alloc(d, s->n * sizeof(float), "rank");
    device_buffer gathered = device_alloc(d, s->n * sizeof(float), "gathered");
    uint32_t items = device_round_up(s->n, GROUP);
    struct device_arg n = device_arg_i32((int32_t)s->n);

    DEVICE_LAUNCH_1D(d, "prk_start", items, GROUP, device_arg_buffer(rank),
                     device_arg_buffer(gathered), n);
    DEVICE_LAUNCH_1D(d, "prk_weights", items, GROUP, device_arg_buffer(row),
                     device_arg_buffer(column), device_arg_buffer(degree),
                     device_arg_buffer(weight), n);
    for (uint32_t i = 0; i < s->iterations && device_ok(d); i++) {
        DEVICE_LAUNCH_1D(d, "prk_gather", items, GROUP, device_arg_buffer(row),
                         device_arg_buffer(column), device_arg_buffer(weight),
                         device_arg_buffer(rank), device_arg_buffer(gathered), n);
        DEVICE_LAUNCH_1D(d, "prk_damp", items, GROUP, device_arg_buffer(rank),
                         device_arg_buffer(gathered), n, device_arg_f32(DAMPING));
    }
    device_download(d, rank, 0, s->got, s->n * sizeof(float));
}

/* The same in double, from the list of edges: each edge transfers rank in both directions. */
static void reference(void *state)
{
    struct prk *s = state;
    double *rank = ARENA_ARRAY(&s->arena, double, s->n);
    double *received = ARENA_ARRAY(&s->arena, double, s->n);
    for (uint32_t v = 0; v < s->n; v++)
        rank[v] = 1.0 / s->n;
    for (uint32_t i = 0; i < s->iterations; i++) {
        for (uint32_t v = 0; v < s->n; v++)
            received[v] = 0.0;
        for (uint32_t e = 0; e < s->n_edges; e++) {
            uint32_t a = s->edge[e][0], b = s->edge[e][1];
            received[b] += rank[a] / s->degree[a];
            received[a] += rank[b] / s->degree[b];
        }
        for (uint32_t v = 0; v < s->n; v++)
            rank[v] = (1.0 - (double)DAMPING) / s->n + (double)DAMPING * received[v];
    }
    for (uint32_t v = 0; v < s->n; v++)
        s->want[v] = (float)rank[v];
}

/* All terms are positive, so the error of a sum of t terms is at most t roundings (2^-24 each); the
 * vertices that contribute to others have few, and damping reduces errors of earlier iterations. */
static bool check(const void *state, struct strbuf *why)
{
    const struct prk *s = state;
    return workload_check_f32(why, "rank", s->got, s->want, s->n, 4e-6f, 0.0f);
}

static void teardown(void *state)
{
    struct prk *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {2048, 6656, 20}},
    {"small", {32768, 106496, 20}},
    {"paper-s3", {299067, 977676, 20}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"iterations", NULL, 1, 1000, "of the whole graph"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_prk = {
    .name = "prk",
    .paper_name = "PRK",
    .title = "PageRank (SPMV)",
    .summary = "PageRank on a skewed graph in compressed sparse rows, one thread per vertex; the "
               "ranks of the neighbours are gathered at random, and warps diverge.",
    .origin = "Pannotia",
    .categories = {.s3_ch5 = "cache-sensitive", .s3_ch6 = "computation-intensive"},
    .source = workload_prk_source,
    .param_names = {"vertices", "edges", "iterations"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct prk),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
