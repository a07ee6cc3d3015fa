/* BC: betweenness centrality of a graph (Pannotia; S3 Table 5.3, 1 K vertices and 128 K edges).
 *
 * As in Pannotia: for each source a level-synchronous search forward and the way back, a matrix of
 * predecessors that is cleared for every source. Access pattern: long rows of neighbours read a row
 * apart between the threads of a warp; levels, path counts and single words of the matrix gathered.
 *
 * The graph is a uniform random one. All vertices are sources at the paper's size only. */
#include "base/arena.h"
#include "workloads/graph.h"

extern const char workload_bc_source[];

enum { GROUP = 128, NO_LEVEL = -1 };

struct bc {
    struct arena arena;
    struct graph graph;
    uint32_t n_sources;
    float *centrality, *expected;
};

struct buffers {
    struct graph_buffers graph;
    device_buffer level, paths, dependency, precedes, more, centrality;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bc *s = state;
    struct workload_rng rng = {seed};
    graph_create_uniform(&s->graph, (uint32_t)size->p[0], (uint32_t)size->p[1], &rng);
    s->n_sources = (uint32_t)(size->p[2] < size->p[0] ? size->p[2] : size->p[0]);
    s->centrality = ARENA_ARRAY(&s->arena, float, s->graph.n_nodes);
    s->expected = ARENA_ARRAY(&s->arena, float, s->graph.n_nodes);
}

/* Returns the number of levels. */
static uint32_t search_forward(const struct bc *s, struct device *d, const struct buffers *b)
{
    uint32_t n = s->graph.n_nodes, level = 0;
    int32_t has_more = 1;
    for (; has_more && level < n && device_ok(d); level++) {
        has_more = 0;
        device_upload(d, b->more, 0, &has_more, sizeof has_more);
        DEVICE_LAUNCH_1D(d, "bc_forward", device_round_up(n, GROUP), GROUP,
                         device_arg_buffer(b->graph.first_edge), device_arg_buffer(b->graph.target),
                         device_arg_buffer(b->level), device_arg_buffer(b->paths),
                         device_arg_buffer(b->precedes), device_arg_buffer(b->more),
                         device_arg_u32(level), device_arg_u32(n));
        device_download(d, b->more, 0, &has_more, sizeof has_more);
    }
    return level;
}

static void add_source(const struct bc *s, struct device *d, const struct buffers *b,
                       uint32_t source)
{
    uint32_t n = s->graph.n_nodes, items = device_round_up(n, GROUP);
    DEVICE_LAUNCH_1D(d, "bc_clear", device_round_up(n * n, GROUP), GROUP,
                     device_arg_buffer(b->precedes), device_arg_u32(n * n));
    DEVICE_LAUNCH_1D(d, "bc_start", items, GROUP, device_arg_buffer(b->level),
                     device_arg_buffer(b->paths), device_arg_buffer(b->dependency),
                     device_arg_u32(source), device_arg_u32(n));
    for (uint32_t level = search_forward(s, d, b); level-- > 0;)
        DEVICE_LAUNCH_1D(d, "bc_backward", items, GROUP, device_arg_buffer(b->graph.first_edge),
                         device_arg_buffer(b->graph.target), device_arg_buffer(b->level),
                         device_arg_buffer(b->paths), device_arg_buffer(b->precedes),
                         device_arg_buffer(b->dependency), device_arg_u32(level),
                         device_arg_u32(n));
    DEVICE_LAUNCH_1D(d, "bc_add", items, GROUP, device_arg_buffer(b->centrality),
                     device_arg_buffer(b->dependency), device_arg_u32(source), device_arg_u32(n));
}

static void run(void *state, struct device *d)
{
    struct bc *s = state;
    size_t n = s->graph.n_nodes, bytes = n * sizeof(int32_t);
    const struct buffers b = {
        .graph = graph_upload(&s->graph, d),
        .level = device_alloc(d, bytes, "level"),
        .paths = device_alloc(d, bytes, "paths"),
        .dependency = device_alloc(d, bytes, "dependency"),
        .precedes = device_alloc(d, n * bytes, "precedes"),
        .more = device_alloc(d, sizeof(int32_t), "more"),
        .centrality = device_alloc(d, bytes, "centrality"),
    };
    for (uint32_t source = 0; source < s->n_sources && device_ok(d); source++)
        add_source(s, d, &b, source);
    device_download(d, b.centrality, 0, s->centrality, bytes);
}

/* --- The reference: Brandes with a queue that serves as stack on the way back --- */

struct search {
    uint32_t *queue;
    int32_t *level;
    double *paths, *dependency, *centrality;
};

static uint32_t visit(const struct graph *g, uint32_t source, struct search *t)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        t->level[v] = NO_LEVEL;
        t->paths[v] = t->dependency[v] = 0;
    }
    t->level[source] = 0;
    t->paths[source] = 1;
    t->queue[tail++] = source;
    while (head < tail) {
        uint32_t v = t->queue[head++];
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
            uint32_t w = g->target[e];
            if (t->level[w] == NO_LEVEL) {
                t->level[w] = t->level[v] + 1;
                t->queue[tail++] = w;
            }
            if (t->level[w] == t->level[v] + 1)
                t->paths[w] += t->paths[v];
        }
    }
    return tail;
}

/* Each vertex adds its dependency to its predecessors. */
static void accumulate(const struct graph *g, uint32_t source, uint32_t n_visited, struct search *t)
{
    while (n_visited-- > 0) {
        uint32_t w = t->queue[n_visited];
        for (uint32_t e = g->first_edge[w]; e < g->first_edge[w + 1]; e++) {
            uint32_t v = g->target[e];
            if (t->level[v] + 1 == t->level[w])
                t->dependency[v] += t->paths[v] / t->paths[w] * (1 + t->dependency[w]);
        }
        if (w != source)
            t->centrality[w] += t->dependency[w];
    }
}

static void reference(void *state)
{
    struct bc *s = state;
    uint32_t n = s->graph.n_nodes;
    struct search t = {
        .queue = ARENA_ARRAY(&s->arena, uint32_t, n),
        .level = ARENA_ARRAY(&s->arena, int32_t, n),
        .paths = ARENA_ARRAY(&s->arena, double, n),
        .dependency = ARENA_ARRAY(&s->arena, double, n),
        .centrality = ARENA_ARRAY(&s->arena, double, n),
    };
    for (uint32_t source = 0; source < s->n_sources; source++)
        accumulate(&s->graph, source, visit(&s->graph, source, &t), &t);
    for (uint32_t v = 0; v < n; v++)
        s->expected[v] = (float)t.centrality[v];
}

/* Path counts are exact. The sums have positive terms, at most a hundred on each of three levels
 * and one per source: the rounding errors stay below some tens of units. */
static bool check(const void *state, struct strbuf *why)
{
    const struct bc *s = state;
    return workload_check_f32(why, "centrality", s->centrality, s->expected, s->graph.n_nodes,
                              1e-5f, 0.0f);
}

static void teardown(void *state)
{
    struct bc *s = state;
    graph_destroy(&s->graph);
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {256, 6144, 4}},
    {"small", {512, 32768, 12}},
    {"paper-s3", {1024, 131072, 1024}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"vertices", NULL, 2, 1000000, "of the graph"},
    {"edges", NULL, 2, 40000000, "directed"},
    {"sources", NULL, 1, 1000000, "vertices that paths begin at, all if there are fewer"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bc = {
    .name = "bc",
    .paper_name = "BC",
    .title = "Betweenness centrality",
    .summary = "Brandes' algorithm, one thread per vertex: levels forward with atomic path counts, "
               "then back; neighbours and a matrix of predecessors are gathered.",
    .origin = "Pannotia",
    .categories = {.s3_ch5 = "cache-sensitive", .s3_ch6 = "memory-intensive"},
    .source = workload_bc_source,
    .param_names = {"vertices", "edges", "sources"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct bc),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
