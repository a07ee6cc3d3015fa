/* MM: matrix multiplication as a MapReduce job (Mars; S2 Table 2, 256x256; S3 Table 5.3,
 * 1024x1024).
 *
 * Each task computes one element from a row of the left matrix and a column of the right one, which
 * is stored column by column. Access pattern: the tasks of a warp share the row (broadcast) and
 * read 32 columns, a column apart, in quads of floats: 32 lines per access, each reused in the next
 * seven steps. Count and map passes as in mars.h. The input values differ (eighths.h). */
#include "workloads/eighths.h"
#include "workloads/mars.h"

extern const char workload_mm_source[];

enum { QUAD = 4 };

struct mm {
    struct arena arena;
    uint32_t n;     /* all matrices are n x n; a multiple of QUAD */
    float *a, *b;   /* b column by column */
    int32_t *place; /* row and column of each task */
    struct mars_output out;
    float *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct mm *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    size_t cells = (size_t)s->n * s->n;
    s->a = random_eighths(&s->arena, &rng, cells);
    s->b = random_eighths(&s->arena, &rng, cells);
    s->place = ARENA_ARRAY(&s->arena, int32_t, 2 * cells);
    s->want = ARENA_ARRAY(&s->arena, float, cells);
    for (size_t t = 0; t < cells; t++) {
        s->place[2 * t] = (int32_t)(t / s->n);
        s->place[2 * t + 1] = (int32_t)(t % s->n);
    }
}

static void run(void *state, struct device *d)
{
    struct mm *s = state;
    size_t bytes = (size_t)s->n * s->n * sizeof(float);
    const struct mars_job job = {
        .count_kernel = "mm_map_count",
        .map_kernel = "mm_map",
        .shared = {device_arg_buffer(device_alloc_from(d, s->a, bytes, "left matrix")),
                   device_arg_buffer(device_alloc_from(d, s->b, bytes, "right matrix")),
                   device_arg_i32((int32_t)(s->n / QUAD))},
        .n_shared = 3,
        .n_tasks = s->n * s->n,
        .values = s->place,
        .words_per_value = 2,
    };
    s->out = mars_run(&job, d, &s->arena);
}

/* Row by row of the right matrix: each row of the product is a sum of its rows. */
static void reference(void *state)
{
    struct mm *s = state;
    size_t n = s->n;
    float *right = ARENA_ARRAY(&s->arena, float, n);
    for (size_t k = 0; k < n; k++) {
        for (size_t column = 0; column < n; column++)
            right[column] = s->b[column * n + k];
        for (size_t row = 0; row < n; row++)
            for (size_t column = 0; column < n; column++)
                s->want[row * n + column] += s->a[row * n + k] * right[column];
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct mm *s = state;
    size_t cells = (size_t)s->n * s->n;
    return mars_check_directory(why, &s->out, cells, sizeof(float), 2 * sizeof(int32_t)) &&
           workload_check_i32(why, "row or column", s->out.values, s->place, 2 * cells) &&
           workload_check_f32(why, "element", s->out.keys, s->want, cells, 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct mm *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {128}}, {"small", {384}}, {"paper-s2", {256}}, {"paper-s3", {1024}}, {NULL, {0}},
};

const struct workload workload_mm = {
    .name = "mm",
    .paper_name = "MM",
    .title = "Matrix multiplication (MapReduce)",
    .summary = "One map task per element of the product reads a row and a column; a warp reads 32 "
               "columns at once, a column apart.",
    .origin = "Mars",
    .categories = {.s2 = "cache-insufficient", .s3_ch5 = "cache-sensitive"},
    .source = workload_mm_source,
    .param_names = {"n"},
    .sizes = sizes,
    .state_bytes = sizeof(struct mm),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
