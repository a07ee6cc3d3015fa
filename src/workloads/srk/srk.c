/* SRK: symmetric rank-k update, C = alpha A A^T + beta C, naive (Polybench SYRK; S2 Table 2,
 * 256x256).
 *
 * Access pattern: a warp spans 32 columns j of one row i of C. Per step of k it reads one word of
 * row i of A (broadcast) and one word each of 32 rows of A, a row apart: 32 lines, each of which is
 * wanted again in the next 31 steps. All of C is computed, as in the GPU version of the original,
 * not one triangle. The input values differ (eighths.h). */
#include "workloads/eighths.h"

extern const char workload_srk_source[];

enum { GROUP_X = 32, GROUP_Y = 8 };
static const float ALPHA = 1.5f, BETA = 0.5f;

struct srk {
    struct arena arena;
    uint32_t n, m; /* A is n x m, C is n x n */
    float *a, *c;  /* the inputs */
    float *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct srk *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->m = (uint32_t)size->p[1];
    s->a = random_eighths(&s->arena, &rng, (size_t)s->n * s->m);
    s->c = random_eighths(&s->arena, &rng, (size_t)s->n * s->n);
    s->got = ARENA_ARRAY(&s->arena, float, (size_t)s->n * s->n);
    s->want = ARENA_ARRAY(&s->arena, float, (size_t)s->n * s->n);
}

static void run(void *state, struct device *d)
{
    struct srk *s = state;
    size_t c_bytes = (size_t)s->n * s->n * sizeof(float);
    device_buffer a = device_alloc_from(d, s->a, (size_t)s->n * s->m * sizeof(float), "A");
    device_buffer c = device_alloc_from(d, s->c, c_bytes, "C");
    DEVICE_LAUNCH_2D(d, "srk", device_round_up(s->n, GROUP_X), device_round_up(s->n, GROUP_Y),
                     GROUP_X, GROUP_Y, device_arg_buffer(a), device_arg_buffer(c),
                     device_arg_i32((int32_t)s->n), device_arg_i32((int32_t)s->m),
                     device_arg_f32(ALPHA), device_arg_f32(BETA));
    device_download(d, c, 0, s->got, c_bytes);
}

/* A sum of rank-one updates: the outer product of each column of A with itself. */
static void reference(void *state)
{
    struct srk *s = state;
    for (size_t e = 0; e < (size_t)s->n * s->n; e++)
        s->want[e] = BETA * s->c[e];
    for (size_t k = 0; k < s->m; k++)
        for (size_t i = 0; i < s->n; i++)
            for (size_t j = 0; j < s->n; j++)
                s->want[i * s->n + j] += ALPHA * (s->a[i * s->m + k] * s->a[j * s->m + k]);
}

static bool check(const void *state, struct strbuf *why)
{
    const struct srk *s = state;
    return workload_check_f32(why, "C", s->got, s->want, (size_t)s->n * s->n, 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct srk *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {96, 96}},
    {"small", {256, 256}},
    {"paper-s2", {256, 256}},
    {NULL, {0}},
};

const struct workload workload_srk = {
    .name = "srk",
    .paper_name = "SRK",
    .title = "Symmetric rank-k update",
    .summary = "C = alpha A A^T + beta C, one thread per element of C; the threads of a warp read "
               "32 rows of A at once, a row apart.",
    .origin = "Polybench",
    .categories = {.s2 = "cache-insufficient"},
    .source = workload_srk_source,
    .param_names = {"n", "m"},
    .sizes = sizes,
    .state_bytes = sizeof(struct srk),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
