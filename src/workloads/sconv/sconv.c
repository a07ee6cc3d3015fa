/* SCONV: convolution with a separable filter (S2 Table 2, there SC, 2048x512; S2 names Rodinia, but
 * the program is convolutionSeparable of the CUDA Samples).
 *
 * As in the sample: a filter of 17 taps, work-groups of 16x4 for rows and 16x8 for columns, eight
 * results per work-item, strips in local memory with a tile more at either end, the filter in
 * constant memory. Access pattern: two streaming passes; every tenth to fifth read is of a pixel
 * that another group reads too.
 *
 * Inputs are eighths and the taps small whole numbers of eighths, so that sums are exact. */
#include "workloads/eighths.h"

extern const char workload_sconv_source[];

/* As in sconv.cl. */
enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, STEPS = 8, ROW_X = 16, ROW_Y = 4, COL_X = 16, COL_Y = 8 };

struct sconv {
    struct arena arena;
    uint32_t width, height; /* multiples of STEPS * ROW_X and STEPS * COL_Y */
    float *filter;
    float *in, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sconv *s = state;
    struct workload_rng rng = {seed};
    s->width = (uint32_t)size->p[0];
    s->height = (uint32_t)size->p[1];
    size_t pixels = (size_t)s->width * s->height;
    s->filter = random_eighths(&s->arena, &rng, TAPS);
    s->in = random_eighths(&s->arena, &rng, pixels);
    s->got = ARENA_ARRAY(&s->arena, float, pixels);
    s->want = ARENA_ARRAY(&s->arena, float, pixels);
}

static void run(void *state, struct device *d)
{
    struct sconv *s = state;
    size_t bytes = (size_t)s->width * s->height * sizeof(float);
    device_buffer in = device_alloc_from(d, s->in, bytes, "in");
    device_buffer between = device_alloc(d, bytes, "between");
    device_buffer out = device_alloc(d, bytes, "out");
    device_buffer filter = device_alloc_from(d, s->filter, TAPS * sizeof(float), "filter");
    struct device_arg width = device_arg_i32((int32_t)s->width);
    DEVICE_LAUNCH_2D(d, "sconv_rows", s->width / STEPS, s->height, ROW_X, ROW_Y,
                     device_arg_buffer(in), device_arg_buffer(between), device_arg_buffer(filter),
                     width);
    DEVICE_LAUNCH_2D(d, "sconv_columns", s->width, s->height / STEPS, COL_X, COL_Y,
                     device_arg_buffer(between), device_arg_buffer(out), device_arg_buffer(filter),
                     width, device_arg_i32((int32_t)s->height));
    device_download(d, out, 0, s->got, bytes);
}

/* Scatters a pixel's contributions to its neighbours in the row, or with `stride` in the column;
 * the kernels gather. */
static void spread(const struct sconv *s, const float *in, float *out, size_t at, size_t place,
                   size_t length, size_t stride)
{
    for (size_t tap = 0; tap < TAPS; tap++)
        if (place + tap >= RADIUS && place + tap - RADIUS < length)
            out[at + tap * stride - RADIUS * stride] += s->filter[tap] * in[at];
}

static void reference(void *state)
{
    struct sconv *s = state;
    size_t pixels = (size_t)s->width * s->height;
    float *between = ARENA_ARRAY(&s->arena, float, pixels);
    for (size_t i = 0; i < pixels; i++)
        spread(s, s->in, between, i, i / s->width, s->height, s->width);
    for (size_t i = 0; i < pixels; i++)
        spread(s, between, s->want, i, i % s->width, s->width, 1);
}

/* A term is a multiple of 1/512, a sum of 17 x 17 of them is below 2^18 units: exact. */
static bool check(const void *state, struct strbuf *why)
{
    const struct sconv *s = state;
    return workload_check_f32(why, "pixel", s->got, s->want, (size_t)s->width * s->height, 0.0f,
                              0.0f);
}

static void teardown(void *state)
{
    struct sconv *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {128, 128}},
    {"small", {1024, 512}},
    {"paper-s2", {2048, 512}},
    {NULL, {0}},
};

const struct workload workload_sconv = {
    .name = "sconv",
    .paper_name = "SC",
    .title = "Separable convolution",
    .summary = "A filter of 17 taps along the rows, then along the columns of an image: strips in "
               "local memory, the filter in constant memory, streaming reads.",
    .origin = "CUDA Samples",
    .categories = {.s2 = "cache-sufficient"},
    .source = workload_sconv_source,
    .param_names = {"width", "height"},
    .sizes = sizes,
    .state_bytes = sizeof(struct sconv),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
