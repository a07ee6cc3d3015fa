/* CLR: colours for the nodes of a graph, different from those of all neighbours (Pannotia's "max"
 * variant; S3 Table 5.3, the matrix "ecology").
 *
 * As in Pannotia: in round i the nodes whose priority is the highest among their uncoloured
 * neighbours get colour i. Access pattern: that of MIS, with one walk over the neighbours per round
 * and more rounds. The graph is also that of MIS. */
#include "base/arena.h"
#include "workloads/graph.h"

extern const char workload_clr_source[];

enum { GROUP = 128, BARE = -1 };

struct clr {
    struct arena arena;
    struct graph graph;
    uint32_t *priority;
    int32_t *colour, *expected;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct clr *s = state;
    struct workload_rng rng = {seed};
    graph_create_grid(&s->graph, (uint32_t)size->p[0], (uint32_t)size->p[1]);
    uint32_t n = s->graph.n_nodes;
    s->priority = ARENA_ARRAY(&s->arena, uint32_t, n);
    s->colour = ARENA_ARRAY(&s->arena, int32_t, n);
    s->expected = ARENA_ARRAY(&s->arena, int32_t, n);
    random_order(s->priority, n, &rng);
}

static void run(void *state, struct device *d)
{
    struct clr *s = state;
    uint32_t n = s->graph.n_nodes, items = device_round_up(n, GROUP);
    size_t bytes = n * sizeof(int32_t);
    for (uint32_t v = 0; v < n; v++)
        s->colour[v] = BARE;
    struct graph_buffers g = graph_upload(&s->graph, d);
    device_buffer priority = device_alloc_from(d, s->priority, bytes, "priority");
    device_buffer colour = device_alloc_from(d, s->colour, bytes, "colour");
    device_buffer highest = device_alloc(d, bytes, "highest");
    device_buffer more = device_alloc(d, sizeof(int32_t), "more");
    int32_t has_more = 1;
    for (uint32_t round = 0; has_more && round <= n && device_ok(d); round++) {
        has_more = 0;
        device_upload(d, more, 0, &has_more, sizeof has_more);
        DEVICE_LAUNCH_1D(d, "clr_highest", items, GROUP, device_arg_buffer(g.first_edge),
                         device_arg_buffer(g.target), device_arg_buffer(priority),
                         device_arg_buffer(colour), device_arg_buffer(highest),
                         device_arg_buffer(more), device_arg_u32(n));
        DEVICE_LAUNCH_1D(d, "clr_paint", items, GROUP, device_arg_buffer(priority),
                         device_arg_buffer(colour), device_arg_buffer(highest),
                         device_arg_u32(round), device_arg_u32(n));
        device_download(d, more, 0, &has_more, sizeof has_more);
    }
    device_download(d, colour, 0, s->colour, bytes);
}

/* A node gets its colour after its neighbours with higher priority: the colour is the length of the
 * longest ascending path from it. In descending order of priority, one look at the neighbours is
 * enough. */
static void reference(void *state)
{
    struct clr *s = state;
    const struct graph *g = &s->graph;
    uint32_t n = g->n_nodes;
    uint32_t *in_order = ARENA_ARRAY(&s->arena, uint32_t, n);
    for (uint32_t v = 0; v < n; v++)
        in_order[s->priority[v]] = v;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t v = in_order[i];
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++) {
            uint32_t w = g->target[e];
            if (s->priority[w] > i && s->expected[v] <= s->expected[w])
                s->expected[v] = s->expected[w] + 1;
        }
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct clr *s = state;
    return workload_check_i32(why, "colour", s->colour, s->expected, s->graph.n_nodes);
}

static void teardown(void *state)
{
    struct clr *s = state;
    graph_destroy(&s->graph);
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {64, 64}},
    {"small", {256, 256}},
    {"paper-s3", {1000, 1000}},
    {NULL, {0}},
};

const struct workload workload_clr = {
    .name = "clr",
    .paper_name = "CLR",
    .title = "Graph colouring",
    .summary = "A grid in compressed sparse rows, one thread per node: each round colours the "
               "nodes of highest priority around; states of the neighbours are gathered.",
    .origin = "Pannotia",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_clr_source,
    .param_names = {"cols", "rows"},
    .sizes = sizes,
    .state_bytes = sizeof(struct clr),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
