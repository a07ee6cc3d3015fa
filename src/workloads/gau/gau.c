/* GAU: Gaussian elimination (Rodinia; S3 Table 3.2, 1024x1024).
 *
 * As in Rodinia: two launches per pivot over a grid of the whole matrix, multipliers in a matrix of
 * their own, work-groups of 4x4 for the elimination, so that a warp has 16 threads on four rows.
 * Access pattern: short pieces of four rows, a row apart; row t and column t are wanted by all.
 *
 * Simplified: the host does not solve the triangular system, which is checked as it is. The matrix
 * is drawn from the seed with a heavy diagonal, since nothing is pivoted. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_gau_source[];

enum { COLUMN_GROUP = 512, GROUP = 4 };

struct gau {
    struct arena arena;
    uint32_t n, columns;             /* columns that are eliminated */
    float *a, *b;                    /* the system */
    float *upper, *multiplier, *rhs; /* computed by the device */
    float *want_u, *want_l, *want_rhs;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct gau *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->columns = s->n - 1;
    if (size->p[1] && size->p[1] < s->columns)
        s->columns = (uint32_t)size->p[1];
    size_t cells = (size_t)s->n * s->n;
    float **matrices[] = {&s->a, &s->upper, &s->multiplier, &s->want_u, &s->want_l};
    float **vectors[] = {&s->b, &s->rhs, &s->want_rhs};
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        *matrices[i] = ARENA_ARRAY(&s->arena, float, cells);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = ARENA_ARRAY(&s->arena, float, s->n);
    for (size_t row = 0; row < s->n; row++) {
        for (size_t column = 0; column < s->n; column++)
            s->a[row * s->n + column] =
                2 * workload_rng_unit(&rng) - 1 + (row == column ? (float)s->n : 0.0f);
        s->b[row] = 2 * workload_rng_unit(&rng) - 1;
    }
}

static void run(void *state, struct device *d)
{
    struct gau *s = state;
    size_t bytes = (size_t)s->n * s->n * sizeof(float);
    device_buffer a = device_alloc_from(d, s->a, bytes, "a");
    device_buffer b = device_alloc_from(d, s->b, s->n * sizeof(float), "b");
    device_buffer m = device_alloc(d, bytes, "multipliers");
    uint32_t side = device_round_up(s->n, GROUP);
    struct device_arg n = device_arg_i32((int32_t)s->n);
    for (uint32_t t = 0; t < s->columns && device_ok(d); t++) {
        struct device_arg step = device_arg_i32((int32_t)t);
        DEVICE_LAUNCH_1D(d, "gau_multipliers", device_round_up(s->n, COLUMN_GROUP), COLUMN_GROUP,
                         device_arg_buffer(a), device_arg_buffer(m), n, step);
        DEVICE_LAUNCH_2D(d, "gau_eliminate", side, side, GROUP, GROUP, device_arg_buffer(a),
                         device_arg_buffer(b), device_arg_buffer(m), n, step);
    }
    device_download(d, a, 0, s->upper, bytes);
    device_download(d, m, 0, s->multiplier, bytes);
    device_download(d, b, 0, s->rhs, s->n * sizeof(float));
}

/* Doolittle: each entry of L and U at once, as an inner product of the entries computed so far. */
static double factor_entry(const struct gau *s, const double *lu, size_t row, size_t column)
{
    size_t n = s->n, known = row < column ? row : column;
    bool is_eliminated = column < row && column < s->columns;
    known = known < s->columns ? known : s->columns;
    double rest = (double)s->a[row * n + column];
    for (size_t k = 0; k < known; k++)
        rest -= lu[row * n + k] * lu[k * n + column];
    return is_eliminated ? rest / lu[column * n + column] : rest;
}

static void reference(void *state)
{
    struct gau *s = state;
    size_t n = s->n;
    double *lu = ARENA_ARRAY(&s->arena, double, n *n); /* L below the diagonal, U from it on */
    double *y = ARENA_ARRAY(&s->arena, double, n);
    for (size_t row = 0; row < n; row++) {
        y[row] = (double)s->b[row];
        for (size_t column = 0; column < n; column++) {
            double entry = lu[row * n + column] = factor_entry(s, lu, row, column);
            bool is_eliminated = column < row && column < s->columns;
            if (is_eliminated)
                y[row] -= entry * y[column];
            (is_eliminated ? s->want_l : s->want_u)[row * n + column] = (float)entry;
        }
        s->want_rhs[row] = (float)y[row];
    }
}

/* An entry sees up to n subtractions, each rounded at the entry's size: at most n halves of a unit
 * in the last place, and as much again from the operands. Below the diagonal zeros remain, to that
 * precision. */
static bool check(const void *state, struct strbuf *why)
{
    const struct gau *s = state;
    size_t cells = (size_t)s->n * s->n;
    float tolerance = (float)s->n * 0x1p-23f;
    return workload_check_f32(why, "upper", s->upper, s->want_u, cells, tolerance, tolerance) &&
           workload_check_f32(why, "multiplier", s->multiplier, s->want_l, cells, tolerance,
                              0x1p-23f) &&
           workload_check_f32(why, "right-hand side", s->rhs, s->want_rhs, s->n, tolerance,
                              tolerance);
}

static void teardown(void *state)
{
    struct gau *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {48}},
    {"small", {128}},
    {"paper-s3", {1024}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"n", NULL, 2, 4096, "unknowns and equations"},
    {"columns", NULL, 0, 4096, "that are eliminated, from the first; 0: all"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_gau = {
    .name = "gau",
    .paper_name = "GAU",
    .title = "Gaussian elimination",
    .summary = "Two launches per pivot, over the whole matrix: work-groups of 4x4 subtract "
               "multiples of one row from those below it, half a warp on four rows.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive", .s3_ch6 = "memory-intensive"},
    .source = workload_gau_source,
    .param_names = {"n", "columns"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct gau),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
