/* SR2K: symmetric rank-2k update, C = alpha A B^T + alpha B A^T + beta C, naive (Polybench SYR2K;
 * S2 Table 2, 256x256).
 *
 * Access pattern: that of SRK twice over. A warp spans 32 columns j of one row i of C; per step of
 * k it reads a word of row i of each matrix (broadcast) and a word each of 32 rows of each, a row
 * apart: 64 lines that are wanted again in the next 31 steps. All of C is computed, as in the GPU
 * version of the original, not one triangle. The input values differ (eighths.h). */
#include "workloads/eighths.h"

extern const char workload_sr2k_source[];

enum { GROUP_X = 32, GROUP_Y = 8 };
static const float ALPHA = 1.5f, BETA = 0.5f;

struct sr2k {
    struct arena arena;
    uint32_t n, m;    /* A and B are n x m, C is n x n */
    float *a, *b, *c; /* the inputs */
    float *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sr2k *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->m = (uint32_t)size->p[1];
    s->a = random_eighths(&s->arena, &rng, (size_t)s->n * s->m);
    s->b = random_eighths(&s->arena, &rng, (size_t)s->n * s->m);
    s->c = random_eighths(&s->arena, &rng, (size_t)s->n * s->n);
    s->got = ARENA_ARRAY(&s->arena, float, (size_t)s->n * s->n);
    s->want = ARENA_ARRAY(&s->arena, float, (size_t)s->n * s->n);
}

static void run(void *state, struct device *d)
{
    struct sr2k *s = state;
    size_t in_bytes = (size_t)s->n * s->m * sizeof(float);
    size_t out_bytes = (size_t)s->n * s->n * sizeof(float);
    device_buffer a = device_alloc_from(d, s->a, in_bytes, "A");
    device_buffer b = device_alloc_from(d, s->b, in_bytes, "B");
    device_buffer c = device_alloc_from(d, s->c, out_bytes, "C");
    DEVICE_LAUNCH_2D(d, "sr2k", device_round_up(s->n, GROUP_X), device_round_up(s->n, GROUP_Y),
                     GROUP_X, GROUP_Y, device_arg_buffer(a), device_arg_buffer(b),
                     device_arg_buffer(c), device_arg_i32((int32_t)s->n),
                     device_arg_i32((int32_t)s->m), device_arg_f32(ALPHA), device_arg_f32(BETA));
    device_download(d, c, 0, s->got, out_bytes);
}

/* The update is a product and its transpose: one is computed, both are added. */
static void reference(void *state)
{
    struct sr2k *s = state;
    size_t n = s->n;
    float *product = ARENA_ARRAY(&s->arena, float, n *n); /* A B^T */
    for (size_t k = 0; k < s->m; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                product[i * n + j] += s->a[i * s->m + k] * s->b[j * s->m + k];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            s->want[i * n + j] =
                ALPHA * (product[i * n + j] + product[j * n + i]) + BETA * s->c[i * n + j];
}

static bool check(const void *state, struct strbuf *why)
{
    const struct sr2k *s = state;
    return workload_check_f32(why, "C", s->got, s->want, (size_t)s->n * s->n, 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct sr2k *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {64, 64}},
    {"small", {128, 128}},
    {"paper-s2", {256, 256}},
    {NULL, {0}},
};

const struct workload workload_sr2k = {
    .name = "sr2k",
    .paper_name = "SR2K",
    .title = "Symmetric rank-2k update",
    .summary = "C = alpha A B^T + alpha B A^T + beta C, one thread per element of C; the threads "
               "of a warp read 32 rows of both matrices at once, a row apart.",
    .origin = "Polybench",
    .categories = {.s2 = "cache-insufficient"},
    .source = workload_sr2k_source,
    .param_names = {"n", "m"},
    .sizes = sizes,
    .state_bytes = sizeof(struct sr2k),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
