/* LUD: LU decomposition of a dense matrix, blocked, in place, without pivoting.
 *
 * Used by S3 (2048x2048) and S4 (no size given). As in Rodinia: 16x16 tiles and three kernels per
 * step, for the diagonal tile, the tiles beside and below it, and the rest of the matrix, whose
 * launches shrink as the factorisation goes on.
 *
 * Simplified: the matrix is drawn from the seed, strictly diagonally dominant so that it needs no
 * pivoting; the diagonal tile is factored right-looking (the same operations in another order). */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_lud_source[];

enum { TILE = 16 /* as in lud.cl */ };

struct lud {
    struct arena memory;
    uint32_t n;
    float *a;                  /* n x n, row-major */
    float *factors, *expected; /* U on and above the diagonal, L below */
};

static void lud_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct lud *s = state;
    struct workload_rng rng = {seed};
    s->n = device_round_up((uint32_t)size->p[0], TILE);
    size_t n = s->n;
    s->a = ARENA_ARRAY(&s->memory, float, n *n);
    s->factors = ARENA_ARRAY(&s->memory, float, n *n);
    s->expected = ARENA_ARRAY(&s->memory, float, n *n);
    for (size_t i = 0; i < n * n; i++)
        s->a[i] = 2.0f * workload_rng_unit(&rng) - 1.0f;
    for (size_t i = 0; i < n; i++)
        s->a[i * n + i] = (float)n + workload_rng_unit(&rng);
}

static void lud_run(void *state, struct device *d)
{
    struct lud *s = state;
    size_t bytes = (size_t)s->n * s->n * sizeof(float);
    device_buffer a = device_alloc_from(d, s->a, bytes, "matrix");
    struct device_arg matrix = device_arg_buffer(a), n = device_arg_u32(s->n);

    for (uint32_t first = 0; first < s->n; first += TILE) {
        uint32_t rest = s->n - first - TILE; /* columns right of the diagonal tile */
        DEVICE_LAUNCH_1D(d, "lud_diagonal", TILE, TILE, matrix, n, device_arg_u32(first));
        if (rest == 0)
            break;
        DEVICE_LAUNCH_1D(d, "lud_perimeter", 2 * rest, 2 * TILE, matrix, n, device_arg_u32(first));
        DEVICE_LAUNCH_2D(d, "lud_internal", rest, rest, TILE, TILE, matrix, n,
                         device_arg_u32(first));
    }
    device_download(d, a, 0, s->factors, bytes);
}

/* Gaussian elimination row by row (unblocked), in double precision. */
static void lud_reference(void *state)
{
    struct lud *s = state;
    struct arena scratch = {0};
    size_t n = s->n;
    double *a = ARENA_ARRAY(&scratch, double, n *n);
    for (size_t i = 0; i < n * n; i++)
        a[i] = (double)s->a[i];
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    for (size_t i = 0; i < n * n; i++)
        s->expected[i] = (float)a[i];
    arena_destroy(&scratch);
}

/* L and U differ in scale by n, so they are compared apart. An element of U is a value of size 1 (n
 * on the diagonal) less up to n products of size 1/n: roundings of a few 1e-7. L is U's scale over
 * the diagonal. */
static bool lud_check(const void *state, struct strbuf *why)
{
    const struct lud *s = state;
    const float rel = 2e-6f, abs_upper = 1e-6f, abs_lower = 1e-6f / (float)s->n;
    size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        const float *got = s->factors + i * n, *want = s->expected + i * n;
        if (!workload_check_f32(why, "row of L", got, want, i, rel, abs_lower) ||
            !workload_check_f32(why, "row of U", got + i, want + i, n - i, rel, abs_upper)) {
            strbuf_addf(why, " (row %zu of %zu)", i, n);
            return false;
        }
    }
    return true;
}

static void lud_teardown(void *state)
{
    struct lud *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {192}},
    {"small", {512}},
    {"paper-s3", {2048}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"n", NULL, 2, 4096, "rows and columns, rounded up to tiles of 16"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_lud = {
    .name = "lud",
    .paper_name = "LUD",
    .title = "LU decomposition",
    .summary = "Blocked LU factorisation in place: 16x16 tiles through local memory, three kernels "
               "per step, shrinking launches.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive",
                   .s3_ch6 = "computation-intensive",
                   .s4 = "insensitive"},
    .source = workload_lud_source,
    .param_names = {"n"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct lud),
    .setup = lud_setup,
    .run = lud_run,
    .reference = lud_reference,
    .check = lud_check,
    .teardown = lud_teardown,
};
