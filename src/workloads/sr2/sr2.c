/* SR2: speckle-reducing anisotropic diffusion of an ultrasonic image, second version (SRAD v2 of
 * Rodinia; S3 Tables 3.2 and 5.3, 2048x2048).
 *
 * As in Rodinia v2: the image is on the exponential scale all the time; two kernels per iteration
 * with 16x16 tiles in local memory; derivatives and coefficients in global memory; the host fetches
 * the image every iteration and measures the speckle of a uniform part of it. Access pattern:
 * streaming over seven arrays, with single columns at the edges of tiles.
 *
 * Simplified: the image is drawn from the seed. S3 gives no number of iterations; two is Rodinia's
 * example. */
#include "workloads/srad.h"
#include "workloads/workload.h"

extern const char workload_sr2_source[];

enum { TILE = 16 /* as in sr2.cl */, UNIFORM_PART = 128 };
static const float LAMBDA = 0.5f;

struct sr2 {
    struct arena memory;
    uint32_t rows, cols, iterations; /* multiples of TILE */
    size_t pixels;
    float *image; /* row-major */
    float *smooth, *expected;
};

struct buffers {
    device_buffer image, dN, dS, dW, dE, c;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sr2 *s = state;
    struct workload_rng rng = {seed};
    s->rows = (uint32_t)size->p[0];
    s->cols = (uint32_t)size->p[1];
    s->iterations = (uint32_t)size->p[2];
    s->pixels = (size_t)s->rows * s->cols;
    s->image = ARENA_ARRAY(&s->memory, float, s->pixels);
    s->smooth = ARENA_ARRAY(&s->memory, float, s->pixels);
    s->expected = ARENA_ARRAY(&s->memory, float, s->pixels);
    for (size_t i = 0; i < s->pixels; i++)
        s->image[i] = 1 + 1.7f * workload_rng_unit(&rng);
}

static uint32_t uniform_part(uint32_t side)
{
    return side < UNIFORM_PART ? side : UNIFORM_PART;
}

/* The squared coefficient of variation of the upper left part of `smooth`. */
static float measure_speckle(const struct sr2 *s)
{
    uint32_t rows = uniform_part(s->rows), cols = uniform_part(s->cols);
    double sum = 0, sum_of_squares = 0, pixels = (double)rows * cols;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t col = 0; col < cols; col++) {
            double value = (double)s->smooth[(size_t)row * s->cols + col];
            sum += value;
            sum_of_squares += value * value;
        }
    double mean = sum / pixels;
    return (float)((sum_of_squares / pixels - mean * mean) / (mean * mean));
}

static void diffuse(struct sr2 *s, struct device *d, const struct buffers *b)
{
    struct device_arg rows = device_arg_i32((int32_t)s->rows),
                      cols = device_arg_i32((int32_t)s->cols);
    DEVICE_LAUNCH_2D(d, "sr2_coefficients", s->cols, s->rows, TILE, TILE, rows, cols,
                     device_arg_f32(measure_speckle(s)), device_arg_buffer(b->image),
                     device_arg_buffer(b->dN), device_arg_buffer(b->dS), device_arg_buffer(b->dW),
                     device_arg_buffer(b->dE), device_arg_buffer(b->c));
    DEVICE_LAUNCH_2D(d, "sr2_update", s->cols, s->rows, TILE, TILE, rows, cols,
                     device_arg_f32(LAMBDA), device_arg_buffer(b->dN), device_arg_buffer(b->dS),
                     device_arg_buffer(b->dW), device_arg_buffer(b->dE), device_arg_buffer(b->c),
                     device_arg_buffer(b->image));
    device_download(d, b->image, 0, s->smooth, s->pixels * sizeof(float));
}

static void run(void *state, struct device *d)
{
    struct sr2 *s = state;
    size_t bytes = s->pixels * sizeof(float);
    const struct buffers b = {
        .image = device_alloc_from(d, s->image, bytes, "image"),
        .dN = device_alloc(d, bytes, "dN"),
        .dS = device_alloc(d, bytes, "dS"),
        .dW = device_alloc(d, bytes, "dW"),
        .dE = device_alloc(d, bytes, "dE"),
        .c = device_alloc(d, bytes, "c"),
    };
    for (size_t i = 0; i < s->pixels; i++)
        s->smooth[i] = s->image[i];
    for (uint32_t i = 0; i < s->iterations && device_ok(d); i++)
        diffuse(s, d, &b);
}

static void reference(void *state)
{
    struct sr2 *s = state;
    struct arena scratch = {0};
    struct srad_image image = srad_create(&scratch, s->rows, s->cols);
    for (size_t i = 0; i < s->pixels; i++)
        *srad_at(&image.now, i / s->cols, i % s->cols) = (double)s->image[i];
    for (uint32_t i = 0; i < s->iterations; i++) {
        double speckle = srad_speckle(&image.now, uniform_part(s->rows), uniform_part(s->cols));
        srad_diffuse(&image, speckle, (double)LAMBDA);
    }
    for (size_t i = 0; i < s->pixels; i++)
        s->expected[i] = (float)*srad_at(&image.now, i / s->cols, i % s->cols);
    arena_destroy(&scratch);
}

/* Values from 1 to 2.7, and some ten roundings per iteration, of which diffusion keeps a
 * quarter. */
static bool check(const void *state, struct strbuf *why)
{
    const struct sr2 *s = state;
    float tolerance = 2e-6f * (float)s->iterations;
    return workload_check_f32(why, "pixel", s->smooth, s->expected, s->pixels, tolerance, 0.0f);
}

static void teardown(void *state)
{
    struct sr2 *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {112, 128, 2}},
    {"small", {512, 512, 2}},
    {"paper-s3", {2048, 2048, 2}},
    {NULL, {0}},
};

const struct workload workload_sr2 = {
    .name = "sr2",
    .paper_name = "SR2",
    .title = "Speckle-reducing anisotropic diffusion (v2)",
    .summary = "Iterated image diffusion: 16x16 tiles in local memory, edges from global memory; "
               "four derivatives and a coefficient per pixel stream from kernel to kernel.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "memory-intensive", .s3_ch5 = "not cache-sensitive"},
    .source = workload_sr2_source,
    .param_names = {"rows", "cols", "iterations"},
    .sizes = sizes,
    .state_bytes = sizeof(struct sr2),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
