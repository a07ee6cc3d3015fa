/* MIS: a maximal independent set of a graph (Pannotia; S3 Table 5.3, the matrix "ecology").
 *
 * As in Pannotia: every node has a random priority for good; in each round the open nodes look for
 * the least priority among their open neighbours, those that come before it enter, and their
 * neighbours leave. Access pattern: rows read a row apart between the threads of a warp, states and
 * priorities of neighbours gathered, and fewer threads alive round by round.
 *
 * The original reads a matrix from a file; it is that of a five-point stencil on 1000 x 1000 points
 * (animal movement), which is made here. */
#include "base/arena.h"
#include "workloads/graph.h"

extern const char workload_mis_source[];

enum { GROUP = 128, OPEN = -1, OUT = 0, IN = 1 }; /* as in mis.cl */

struct mis {
    struct arena arena;
    struct graph graph;
    uint32_t *priority;
    int32_t *member, *expected;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct mis *s = state;
    struct workload_rng rng = {seed};
    graph_create_grid(&s->graph, (uint32_t)size->p[0], (uint32_t)size->p[1]);
    uint32_t n = s->graph.n_nodes;
    s->priority = ARENA_ARRAY(&s->arena, uint32_t, n);
    s->member = ARENA_ARRAY(&s->arena, int32_t, n);
    s->expected = ARENA_ARRAY(&s->arena, int32_t, n);
    random_order(s->priority, n, &rng);
}

static void run(void *state, struct device *d)
{
    struct mis *s = state;
    uint32_t n = s->graph.n_nodes, items = device_round_up(n, GROUP);
    size_t bytes = n * sizeof(int32_t);
    for (uint32_t v = 0; v < n; v++)
        s->member[v] = OPEN;
    struct graph_buffers g = graph_upload(&s->graph, d);
    device_buffer priority = device_alloc_from(d, s->priority, bytes, "priority");
    device_buffer member = device_alloc_from(d, s->member, bytes, "member");
    device_buffer least = device_alloc(d, bytes, "least");
    device_buffer shut = device_alloc(d, bytes, "shut out");
    device_buffer more = device_alloc(d, sizeof(int32_t), "more");
    int32_t has_more = 1;
    for (uint32_t round = 0; has_more && round <= n && device_ok(d); round++) {
        has_more = 0;
        device_upload(d, more, 0, &has_more, sizeof has_more);
        DEVICE_LAUNCH_1D(d, "mis_least", items, GROUP, device_arg_buffer(g.first_edge),
                         device_arg_buffer(g.target), device_arg_buffer(priority),
                         device_arg_buffer(member), device_arg_buffer(least),
                         device_arg_buffer(more), device_arg_u32(n));
        DEVICE_LAUNCH_1D(d, "mis_enter", items, GROUP, device_arg_buffer(g.first_edge),
                         device_arg_buffer(g.target), device_arg_buffer(priority),
                         device_arg_buffer(member), device_arg_buffer(least),
                         device_arg_buffer(shut), device_arg_u32(n));
        DEVICE_LAUNCH_1D(d, "mis_leave", items, GROUP, device_arg_buffer(member),
                         device_arg_buffer(shut), device_arg_u32(n));
        device_download(d, more, 0, &has_more, sizeof has_more);
    }
    device_download(d, member, 0, s->member, bytes);
}

/* With fixed priorities the rounds give the same set as a greedy search in the order of
 * priorities. */
static void reference(void *state)
{
    struct mis *s = state;
    const struct graph *g = &s->graph;
    uint32_t *in_order = ARENA_ARRAY(&s->arena, uint32_t, g->n_nodes);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        in_order[s->priority[v]] = v;
        s->expected[v] = OPEN;
    }
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        uint32_t v = in_order[i];
        if (s->expected[v] == OUT)
            continue;
        s->expected[v] = IN;
        for (uint32_t e = g->first_edge[v]; e < g->first_edge[v + 1]; e++)
            s->expected[g->target[e]] = OUT;
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct mis *s = state;
    return workload_check_i32(why, "member", s->member, s->expected, s->graph.n_nodes);
}

static void teardown(void *state)
{
    struct mis *s = state;
    graph_destroy(&s->graph);
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {80, 72}},
    {"small", {256, 256}},
    {"paper-s3", {1000, 1000}},
    {NULL, {0}},
};

const struct workload workload_mis = {
    .name = "mis",
    .paper_name = "MIS",
    .title = "Maximal independent set",
    .summary = "Luby's algorithm on a grid in compressed sparse rows, one thread per node: states "
               "and priorities of the neighbours are gathered while threads drop out.",
    .origin = "Pannotia",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_mis_source,
    .param_names = {"cols", "rows"},
    .sizes = sizes,
    .state_bytes = sizeof(struct mis),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
