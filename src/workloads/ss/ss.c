/* SS: similarity score, the cosine of every pair of documents, as a MapReduce job (Mars; S2 Table
 * 2, 512x128; S3 Table 5.3, 1024x256: documents x features).
 *
 * Access pattern: the tasks of a warp share the first document of the pair (broadcast) and read 32
 * second ones, a vector apart, in quads of floats: 32 lines per access, each reused in the next
 * seven steps. Count and map passes as in mars.h; the grouping of equal scores that follows in Mars
 * is left out. */
#include <math.h>

#include "workloads/mars.h"

extern const char workload_ss_source[];

enum { QUAD = 4, MAX_FEATURE = 99 };

struct ss {
    struct arena arena;
    uint32_t n_documents, n_features; /* features: a multiple of QUAD */
    uint32_t n_pairs;
    float *features;
    int32_t *pair; /* the two documents of each task */
    struct mars_output out;
    float *want;
};

static void list_pairs(struct ss *s)
{
    size_t at = 0;
    for (uint32_t first = 0; first < s->n_documents; first++)
        for (uint32_t second = first + 1; second < s->n_documents; second++) {
            s->pair[at++] = (int32_t)first;
            s->pair[at++] = (int32_t)second;
        }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct ss *s = state;
    struct workload_rng rng = {seed};
    s->n_documents = (uint32_t)size->p[0];
    s->n_features = (uint32_t)size->p[1];
    s->n_pairs = s->n_documents * (s->n_documents - 1) / 2;
    size_t n = (size_t)s->n_documents * s->n_features;
    s->features = ARENA_ARRAY(&s->arena, float, n);
    s->pair = ARENA_ARRAY(&s->arena, int32_t, 2 * (size_t)s->n_pairs);
    s->want = ARENA_ARRAY(&s->arena, float, s->n_pairs);
    for (size_t i = 0; i < n; i++)
        s->features[i] = (float)workload_rng_below(&rng, MAX_FEATURE + 1);
    list_pairs(s);
}

static void run(void *state, struct device *d)
{
    struct ss *s = state;
    size_t bytes = (size_t)s->n_documents * s->n_features * sizeof(float);
    const struct mars_job job = {
        .count_kernel = "ss_map_count",
        .map_kernel = "ss_map",
        .shared = {device_arg_buffer(device_alloc_from(d, s->features, bytes, "features")),
                   device_arg_i32((int32_t)(s->n_features / QUAD))},
        .n_shared = 2,
        .n_tasks = s->n_pairs,
        .values = s->pair,
        .words_per_value = 2,
    };
    s->out = mars_run(&job, d, &s->arena);
}

static double dot_product(const struct ss *s, uint32_t a, uint32_t b)
{
    double sum = 0.0;
    for (uint32_t f = 0; f < s->n_features; f++)
        sum += (double)s->features[(size_t)a * s->n_features + f] *
               (double)s->features[(size_t)b * s->n_features + f];
    return sum;
}

static void reference(void *state)
{
    struct ss *s = state;
    double *length = ARENA_ARRAY(&s->arena, double, s->n_documents);
    for (uint32_t v = 0; v < s->n_documents; v++)
        length[v] = sqrt(dot_product(s, v, v));
    for (uint32_t p = 0; p < s->n_pairs; p++) {
        uint32_t a = (uint32_t)s->pair[2 * p], b = (uint32_t)s->pair[2 * p + 1];
        s->want[p] = (float)(dot_product(s, a, b) / (length[a] * length[b]));
    }
}

/* Features are whole numbers, so the three sums are exact in a float. What remains are two square
 * roots (OpenCL allows 3 ulp each), a product (half) and a division (2.5): 9 ulp of at most 2^-23.
 */
static bool check(const void *state, struct strbuf *why)
{
    const struct ss *s = state;
    return mars_check_directory(why, &s->out, s->n_pairs, sizeof(float), 2 * sizeof(int32_t)) &&
           workload_check_i32(why, "pair", s->out.values, s->pair, 2 * (size_t)s->n_pairs) &&
           workload_check_f32(why, "score", s->out.keys, s->want, s->n_pairs, 9 * 0x1p-23f, 0.0f);
}

static void teardown(void *state)
{
    struct ss *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {128, 64}},       {"small", {512, 128}}, {"paper-s2", {512, 128}},
    {"paper-s3", {1024, 256}}, {NULL, {0}},
};

const struct workload workload_ss = {
    .name = "ss",
    .paper_name = "SS",
    .title = "Similarity score",
    .summary = "One map task per pair of documents computes the cosine of their feature vectors; a "
               "warp reads 32 vectors at once, a vector apart.",
    .origin = "Mars",
    .categories = {.s2 = "cache-insufficient", .s3_ch5 = "cache-sensitive"},
    .source = workload_ss_source,
    .param_names = {"documents", "features"},
    .sizes = sizes,
    .state_bytes = sizeof(struct ss),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
