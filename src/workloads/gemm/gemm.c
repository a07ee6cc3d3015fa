/* GEMM: dense C = alpha A B + beta C, naive (Polybench; S2 Table 2, 512x512x512).
 *
 * Access pattern: a warp spans 32 columns of one row. It reads one word of A (broadcast) and one
 * line of B (coalesced) per step of k, and stores its line of C; B is reused by the warps of the
 * other rows. Only the input values differ from the original (eighths.h). */
#include "workloads/eighths.h"

extern const char workload_gemm_source[];

enum { GROUP_X = 32, GROUP_Y = 8 };
static const float ALPHA = 1.5f, BETA = 0.5f;

struct gemm {
    struct arena arena;
    uint32_t ni, nj, nk;
    float *a, *b, *c; /* the inputs */
    float *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct gemm *s = state;
    struct workload_rng rng = {seed};
    s->ni = (uint32_t)size->p[0];
    s->nj = (uint32_t)size->p[1];
    s->nk = (uint32_t)size->p[2];
    s->a = random_eighths(&s->arena, &rng, (size_t)s->ni * s->nk);
    s->b = random_eighths(&s->arena, &rng, (size_t)s->nk * s->nj);
    s->c = random_eighths(&s->arena, &rng, (size_t)s->ni * s->nj);
    s->got = ARENA_ARRAY(&s->arena, float, (size_t)s->ni * s->nj);
    s->want = ARENA_ARRAY(&s->arena, float, (size_t)s->ni * s->nj);
}

static void run(void *state, struct device *d)
{
    struct gemm *s = state;
    size_t c_bytes = (size_t)s->ni * s->nj * sizeof(float);
    device_buffer a = device_alloc_from(d, s->a, (size_t)s->ni * s->nk * sizeof(float), "A");
    device_buffer b = device_alloc_from(d, s->b, (size_t)s->nk * s->nj * sizeof(float), "B");
    device_buffer c = device_alloc_from(d, s->c, c_bytes, "C");
    DEVICE_LAUNCH_2D(d, "gemm", device_round_up(s->nj, GROUP_X), device_round_up(s->ni, GROUP_Y),
                     GROUP_X, GROUP_Y, device_arg_buffer(a), device_arg_buffer(b),
                     device_arg_buffer(c), device_arg_i32((int32_t)s->ni),
                     device_arg_i32((int32_t)s->nj), device_arg_i32((int32_t)s->nk),
                     device_arg_f32(ALPHA), device_arg_f32(BETA));
    device_download(d, c, 0, s->got, c_bytes);
}

/* Row by row of B, so that the host's cache is kind to the larger sizes. */
static void reference(void *state)
{
    struct gemm *s = state;
    for (size_t i = 0; i < s->ni; i++) {
        float *row = &s->want[i * s->nj];
        for (size_t j = 0; j < s->nj; j++)
            row[j] = BETA * s->c[i * s->nj + j];
        for (size_t k = 0; k < s->nk; k++) {
            float scaled = ALPHA * s->a[i * s->nk + k];
            for (size_t j = 0; j < s->nj; j++)
                row[j] += scaled * s->b[k * s->nj + j];
        }
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct gemm *s = state;
    return workload_check_f32(why, "C", s->got, s->want, (size_t)s->ni * s->nj, 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct gemm *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {96, 96, 96}},
    {"small", {256, 256, 256}},
    {"paper-s2", {512, 512, 512}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"ni", NULL, 1, 8192, "rows of A and C"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_gemm = {
    .name = "gemm",
    .paper_name = "GEMM",
    .title = "Matrix multiply-add",
    .summary = "C = alpha A B + beta C, one thread per element of C; reads of A are broadcast, "
               "those of B coalesced, and the sum is stored to C at every step.",
    .origin = "Polybench",
    .categories = {.s2 = "cache-sufficient", .s3_ch6 = "memory-intensive"},
    .source = workload_gemm_source,
    .param_names = {"ni", "nj", "nk"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct gemm),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
