/* SR1: speckle-reducing anisotropic diffusion of an ultrasonic image, first version (SRAD v1).
 *
 * Used by S3 (502x458). S2 (512x512) and S4 (no size given) list one SRAD without saying which of
 * Rodinia's two; their category is kept here. As in Rodinia v1: kernels extract, prepare, reduce,
 * srad, srad2, compress; 512 work-items a group; neighbours through index arrays; derivatives and
 * coefficients in global memory; the statistics of the image come back to the host every iteration.
 *
 * Simplified: the image is drawn from the seed (patches of grey under speckle). The papers give no
 * number of iterations (Rodinia's example: 100); it is ours. */
#include <math.h>

#include "workloads/srad.h"
#include "workloads/workload.h"

extern const char workload_sr1_source[];

enum { GROUP = 512 /* as in sr1.cl */ };
static const float LAMBDA = 0.5f; /* update rate */

struct sr1 {
    struct arena memory;
    uint32_t rows, cols, pixels, iterations;
    float *image; /* column-major, grey levels */
    float *smooth, *expected;
};

struct device_state {
    device_buffer image, sums, sums_of_squares, iN, iS, jW, jE, dN, dS, dW, dE, c;
};

static void sr1_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sr1 *s = state;
    struct workload_rng rng = {seed};
    s->rows = (uint32_t)size->p[0];
    s->cols = (uint32_t)size->p[1];
    s->iterations = (uint32_t)size->p[2];
    s->pixels = s->rows * s->cols;
    s->image = ARENA_ARRAY(&s->memory, float, s->pixels);
    s->smooth = ARENA_ARRAY(&s->memory, float, s->pixels);
    s->expected = ARENA_ARRAY(&s->memory, float, s->pixels);
    for (uint32_t col = 0; col < s->cols; col++)
        for (uint32_t row = 0; row < s->rows; row++) {
            uint32_t patch = (row / 24 + 3 * (col / 40)) % 5;
            s->image[(size_t)col * s->rows + row] =
                (float)(32 * patch + workload_rng_below(&rng, 96));
        }
}

/* For each of n rows or columns the one before (step -1) or after it (+1), or itself at the edge.
 */
static device_buffer upload_neighbours(struct device *d, uint32_t n, int32_t step,
                                       const char *label)
{
    struct arena scratch = {0};
    int32_t *index = ARENA_ARRAY(&scratch, int32_t, n);
    for (int32_t i = 0; i < (int32_t)n; i++) {
        int32_t neighbour = i + step;
        index[i] = neighbour < 0 || neighbour >= (int32_t)n ? i : neighbour;
    }
    device_buffer b = device_alloc_from(d, index, n * sizeof *index, label);
    arena_destroy(&scratch);
    return b;
}

static struct device_state make_buffers(struct sr1 *s, struct device *d)
{
    size_t bytes = s->pixels * sizeof(float);
    return (struct device_state){
        .image = device_alloc_from(d, s->image, bytes, "image"),
        .sums = device_alloc(d, bytes, "sums"),
        .sums_of_squares = device_alloc(d, bytes, "sums of squares"),
        .iN = upload_neighbours(d, s->rows, -1, "iN"),
        .iS = upload_neighbours(d, s->rows, 1, "iS"),
        .jW = upload_neighbours(d, s->cols, -1, "jW"),
        .jE = upload_neighbours(d, s->cols, 1, "jE"),
        .dN = device_alloc(d, bytes, "dN"),
        .dS = device_alloc(d, bytes, "dS"),
        .dW = device_alloc(d, bytes, "dW"),
        .dE = device_alloc(d, bytes, "dE"),
        .c = device_alloc(d, bytes, "c"),
    };
}

/* The squared coefficient of variation of the whole image: how strong the speckle is. */
static float measure_speckle(const struct sr1 *s, struct device *d, const struct device_state *b)
{
    DEVICE_LAUNCH_1D(d, "prepare", device_round_up(s->pixels, GROUP), GROUP,
                     device_arg_u32(s->pixels), device_arg_buffer(b->image),
                     device_arg_buffer(b->sums), device_arg_buffer(b->sums_of_squares));
    uint32_t n = s->pixels, stride = 1;
    while (n > 1) {
        DEVICE_LAUNCH_1D(d, "reduce", device_round_up(n, GROUP), GROUP, device_arg_u32(n),
                         device_arg_u32(stride), device_arg_buffer(b->sums),
                         device_arg_buffer(b->sums_of_squares));
        n = device_round_up(n, GROUP) / GROUP;
        stride *= GROUP;
    }
    float sum = 0, sum_of_squares = 0;
    device_download(d, b->sums, 0, &sum, sizeof sum);
    device_download(d, b->sums_of_squares, 0, &sum_of_squares, sizeof sum_of_squares);
    double mean = (double)sum / s->pixels;
    double variance = (double)sum_of_squares / s->pixels - mean * mean;
    return (float)(variance / (mean * mean));
}

static void diffuse(const struct sr1 *s, struct device *d, const struct device_state *b)
{
    uint32_t global = device_round_up(s->pixels, GROUP);
    float q0_squared = measure_speckle(s, d, b);
    DEVICE_LAUNCH_1D(d, "srad", global, GROUP, device_arg_u32(s->rows), device_arg_u32(s->pixels),
                     device_arg_buffer(b->iN), device_arg_buffer(b->iS), device_arg_buffer(b->jW),
                     device_arg_buffer(b->jE), device_arg_buffer(b->image),
                     device_arg_f32(q0_squared), device_arg_buffer(b->dN), device_arg_buffer(b->dS),
                     device_arg_buffer(b->dW), device_arg_buffer(b->dE), device_arg_buffer(b->c));
    DEVICE_LAUNCH_1D(d, "srad2", global, GROUP, device_arg_u32(s->rows), device_arg_u32(s->pixels),
                     device_arg_buffer(b->iS), device_arg_buffer(b->jE), device_arg_f32(LAMBDA),
                     device_arg_buffer(b->dN), device_arg_buffer(b->dS), device_arg_buffer(b->dW),
                     device_arg_buffer(b->dE), device_arg_buffer(b->c),
                     device_arg_buffer(b->image));
}

static void sr1_run(void *state, struct device *d)
{
    struct sr1 *s = state;
    struct device_state b = make_buffers(s, d);
    uint32_t global = device_round_up(s->pixels, GROUP);

    DEVICE_LAUNCH_1D(d, "extract", global, GROUP, device_arg_u32(s->pixels),
                     device_arg_buffer(b.image));
    for (uint32_t i = 0; i < s->iterations; i++)
        diffuse(s, d, &b);
    DEVICE_LAUNCH_1D(d, "compress", global, GROUP, device_arg_u32(s->pixels),
                     device_arg_buffer(b.image));
    device_download(d, b.image, 0, s->smooth, s->pixels * sizeof(float));
}

static void sr1_reference(void *state)
{
    struct sr1 *s = state;
    struct arena scratch = {0};
    struct srad_image image = srad_create(&scratch, s->rows, s->cols);
    for (size_t i = 0; i < s->pixels; i++)
        *srad_at(&image.now, i % s->rows, i / s->rows) = exp((double)s->image[i] / 255);
    for (uint32_t i = 0; i < s->iterations; i++)
        srad_diffuse(&image, srad_speckle(&image.now, s->rows, s->cols), (double)LAMBDA);
    for (size_t i = 0; i < s->pixels; i++)
        s->expected[i] = (float)(log(*srad_at(&image.now, i % s->rows, i / s->rows)) * 255);
    arena_destroy(&scratch);
}

/* Grey levels 0..255 come from the logarithm of values from 1 to e, whose rounding errors of 1e-7
 * become 3e-5 grey levels; exp and log may add a few units in the last place. Diffusion averages
 * such errors out; each iteration adds errors of the same size. */
static bool sr1_check(const void *state, struct strbuf *why)
{
    const struct sr1 *s = state;
    float tolerance = 2e-4f + 2e-5f * (float)s->iterations;
    return workload_check_f32(why, "grey level", s->smooth, s->expected, s->pixels, 0.0f,
                              tolerance);
}

static void sr1_teardown(void *state)
{
    struct sr1 *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {125, 98, 4}},
    {"small", {502, 458, 4}},
    {"paper-s2", {512, 512, 20}},
    {"paper-s3", {502, 458, 20}},
    {NULL, {0}},
};

const struct workload workload_sr1 = {
    .name = "sr1",
    .paper_name = "SR1",
    .title = "Speckle-reducing anisotropic diffusion (v1)",
    .summary = "Iterated image diffusion: neighbours through index arrays in global memory, five "
               "arrays between two kernels, a tree reduction per iteration.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-sufficient",
                   .s3_ch3 = "computation-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "not cache-sensitive",
                   .s4 = "insensitive"},
    .source = workload_sr1_source,
    .param_names = {"rows", "cols", "iterations"},
    .sizes = sizes,
    .state_bytes = sizeof(struct sr1),
    .setup = sr1_setup,
    .run = sr1_run,
    .reference = sr1_reference,
    .check = sr1_check,
    .teardown = sr1_teardown,
};
