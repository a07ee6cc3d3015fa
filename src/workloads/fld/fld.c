/* FLD: Floyd-Warshall, all shortest paths of a dense graph (Pannotia; S3 Table 5.3, 256 vertices,
 * 16 K edges).
 *
 * One launch per vertex k. Access pattern: the original numbers rows with the first work-item
 * index, so the 32 threads of a warp (16 rows x 2 columns of a 16x16 group) touch 16 lines of the
 * matrix per access; the other warps of the group and the neighbouring groups use the rest of each
 * line soon after. The graph is drawn at random instead of read from a file. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_fld_source[];

enum {
    GROUP = 16,
    MAX_WEIGHT = 100,
    UNREACHED = 1 << 28, /* twice this still fits */
    NO_VIA = -1,
};

struct fld {
    struct arena arena;
    uint32_t n;
    int32_t *weight; /* n x n; UNREACHED where there is no edge, 0 on the diagonal */
    int32_t *dist, *via;
    int32_t *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct fld *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    size_t cells = (size_t)s->n * s->n;
    s->weight = ARENA_ARRAY(&s->arena, int32_t, cells);
    s->dist = ARENA_ARRAY(&s->arena, int32_t, cells);
    s->via = ARENA_ARRAY(&s->arena, int32_t, cells);
    s->want = ARENA_ARRAY(&s->arena, int32_t, cells);
    for (size_t c = 0; c < cells; c++)
        s->weight[c] = c / s->n == c % s->n ? 0 : UNREACHED;
    for (int64_t left = size->p[1]; left > 0;) {
        size_t c = workload_rng_below(&rng, (uint32_t)cells);
        if (s->weight[c] == UNREACHED) {
            s->weight[c] = 1 + (int32_t)workload_rng_below(&rng, MAX_WEIGHT);
            left--;
        }
    }
}

static void run(void *state, struct device *d)
{
    struct fld *s = state;
    size_t bytes = (size_t)s->n * s->n * sizeof(int32_t);
    for (size_t c = 0; c < (size_t)s->n * s->n; c++)
        s->via[c] = NO_VIA;
    device_buffer dist = device_alloc_from(d, s->weight, bytes, "dist");
    device_buffer via = device_alloc_from(d, s->via, bytes, "via");
    uint32_t side = device_round_up(s->n, GROUP);
    for (uint32_t k = 0; k < s->n && device_ok(d); k++)
        DEVICE_LAUNCH_2D(d, "fld_step", side, side, GROUP, GROUP, device_arg_buffer(dist),
                         device_arg_buffer(via), device_arg_i32((int32_t)s->n),
                         device_arg_i32((int32_t)k));
    device_download(d, dist, 0, s->dist, bytes);
    device_download(d, via, 0, s->via, bytes);
}

/* Dijkstra from one source, without a heap, because the graph is dense. */
static void shortest_from(const struct fld *s, uint32_t source, bool *settled, int32_t *dist)
{
    for (uint32_t v = 0; v < s->n; v++) {
        settled[v] = false;
        dist[v] = v == source ? 0 : UNREACHED;
    }
    for (uint32_t round = 0; round < s->n; round++) {
        uint32_t nearest = s->n;
        for (uint32_t v = 0; v < s->n; v++)
            if (!settled[v] && (nearest == s->n || dist[v] < dist[nearest]))
                nearest = v;
        settled[nearest] = true;
        for (uint32_t v = 0; v < s->n; v++) {
            int32_t through = dist[nearest] + s->weight[(size_t)nearest * s->n + v];
            if (through < dist[v])
                dist[v] = through;
        }
    }
}

static void reference(void *state)
{
    struct fld *s = state;
    bool *settled = ARENA_ARRAY(&s->arena, bool, s->n);
    for (uint32_t v = 0; v < s->n; v++)
        shortest_from(s, v, settled, &s->want[(size_t)v * s->n]);
}

/* `via` must explain each distance: the edge itself, or two shorter paths that meet in `via`. */
static bool via_explains(const struct fld *s, size_t i, size_t j)
{
    int32_t k = s->via[i * s->n + j];
    int32_t dist = s->want[i * s->n + j];
    if (k == NO_VIA)
        return dist == s->weight[i * s->n + j];
    return k >= 0 && (uint32_t)k < s->n && dist < s->weight[i * s->n + j] &&
           dist == s->want[i * s->n + (size_t)k] + s->want[(size_t)k * s->n + j];
}

static bool check(const void *state, struct strbuf *why)
{
    const struct fld *s = state;
    if (!workload_check_i32(why, "distance", s->dist, s->want, (size_t)s->n * s->n))
        return false;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            if (!via_explains(s, i, j)) {
                strbuf_addf(why, "via[%zu][%zu] = %d is not on a shortest path", i, j,
                            (int)s->via[i * s->n + j]);
                return false;
            }
    return true;
}

static void teardown(void *state)
{
    struct fld *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {64, 1024}},
    {"small", {192, 9216}},
    {"paper-s3", {256, 16384}},
    {NULL, {0}},
};

const struct workload workload_fld = {
    .name = "fld",
    .paper_name = "FLD",
    .title = "Floyd-Warshall shortest paths",
    .summary = "All shortest paths of a dense graph, one launch per intermediate vertex and one "
               "thread per pair; a warp touches 16 rows of the matrix per access.",
    .origin = "Pannotia",
    .categories = {.s3_ch5 = "cache-sensitive"},
    .source = workload_fld_source,
    .param_names = {"vertices", "edges"},
    .sizes = sizes,
    .state_bytes = sizeof(struct fld),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
