/* DCT: forward discrete cosine transform of 8x8 blocks, quantisation, and the way back (dct8x8 of
 * the CUDA Samples; S3 Table 5.3).
 *
 * As in the sample's first version: work-groups of 8x8, the basis and the quantisation steps in
 * constant memory, blocks in local memory; the forward transform is run several times over, as for
 * timing. Access pattern: streaming, eight words of eight rows at a time.
 *
 * S3 says "10 blocks", taken for the ten rounds of the sample's forward transform; its image is
 * 512x512. Here the image is drawn from the seed: slopes under noise. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_dct_source[];

enum { SIDE = 8, BLOCK = SIDE * SIDE };

struct dct {
    struct arena arena;
    uint32_t width, height, rounds; /* multiples of SIDE */
    size_t pixels;
    float basis[BLOCK]; /* [k][n]: the weight of sample n in coefficient k */
    double exact_basis[BLOCK];
    float steps[BLOCK];
    float *image;
    float *coefficients, *quantised, *decoded;
    float *want_coefficients, *want_decoded;
};

/* The steps are coarser the higher the frequencies, as in JPEG. */
static void make_tables(struct dct *s)
{
    const double pi = 3.14159265358979323846;
    for (size_t i = 0; i < BLOCK; i++) {
        size_t k = i / SIDE, n = i % SIDE;
        double norm = sqrt((k == 0 ? 1.0 : 2.0) / SIDE);
        s->exact_basis[i] = norm * cos((double)((2 * n + 1) * k) * pi / (2 * SIDE));
        s->basis[i] = (float)s->exact_basis[i];
        s->steps[i] = (float)(8 + 4 * (k + n));
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct dct *s = state;
    struct workload_rng rng = {seed};
    s->width = (uint32_t)size->p[0];
    s->height = (uint32_t)size->p[1];
    s->rounds = (uint32_t)size->p[2];
    s->pixels = (size_t)s->width * s->height;
    float **images[] = {&s->image,   &s->coefficients,      &s->quantised,
                        &s->decoded, &s->want_coefficients, &s->want_decoded};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        *images[i] = ARENA_ARRAY(&s->arena, float, s->pixels);
    for (uint32_t i = 0; i < s->pixels; i++) {
        uint32_t slope = 3 * (i % s->width) + 5 * (i / s->width);
        s->image[i] = (float)(slope % 192 + workload_rng_below(&rng, 64));
    }
    make_tables(s);
}

static void run(void *state, struct device *d)
{
    struct dct *s = state;
    size_t bytes = s->pixels * sizeof(float);
    device_buffer image = device_alloc_from(d, s->image, bytes, "image");
    device_buffer coefficients = device_alloc(d, bytes, "coefficients");
    device_buffer quantised = device_alloc(d, bytes, "quantised");
    device_buffer decoded = device_alloc(d, bytes, "decoded");
    device_buffer basis = device_alloc_from(d, s->basis, sizeof s->basis, "basis");
    device_buffer steps = device_alloc_from(d, s->steps, sizeof s->steps, "steps");
    for (uint32_t i = 0; i < s->rounds && device_ok(d); i++)
        DEVICE_LAUNCH_2D(d, "dct_forward", s->width, s->height, SIDE, SIDE,
                         device_arg_buffer(image), device_arg_buffer(coefficients),
                         device_arg_buffer(basis));
    DEVICE_LAUNCH_2D(d, "dct_quantise", s->width, s->height, SIDE, SIDE,
                     device_arg_buffer(coefficients), device_arg_buffer(quantised),
                     device_arg_buffer(steps));
    DEVICE_LAUNCH_2D(d, "dct_inverse", s->width, s->height, SIDE, SIDE,
                     device_arg_buffer(quantised), device_arg_buffer(decoded),
                     device_arg_buffer(basis));
    device_download(d, coefficients, 0, s->coefficients, bytes);
    device_download(d, quantised, 0, s->quantised, bytes);
    device_download(d, decoded, 0, s->decoded, bytes);
}

/* The double sums of the definition, 64 terms for each of the 64 values of a block. */
static void transform_block(const struct dct *s, const float *in, bool forward, float *out)
{
    const double *basis = s->exact_basis;
    for (size_t at = 0; at < BLOCK; at++) {
        size_t v = at / SIDE, u = at % SIDE;
        double sum = forward ? 0 : 128;
        for (size_t from = 0; from < BLOCK; from++) {
            size_t y = from / SIDE, x = from % SIDE;
            double value = (double)in[y * s->width + x];
            sum += forward ? (value - 128) * basis[v * SIDE + y] * basis[u * SIDE + x]
                           : value * basis[y * SIDE + v] * basis[x * SIDE + u];
        }
        out[v * s->width + u] = (float)sum;
    }
}

/* The inverse is computed from what the device has quantised: a coefficient half-way between two
 * steps may be rounded either way. */
static void reference(void *state)
{
    struct dct *s = state;
    for (size_t y = 0; y < s->height; y += SIDE)
        for (size_t x = 0; x < s->width; x += SIDE) {
            size_t at = y * s->width + x;
            transform_block(s, s->image + at, true, s->want_coefficients + at);
            transform_block(s, s->quantised + at, false, s->want_decoded + at);
        }
}

/* An integer number of steps, at most half a step away. */
static bool check_quantised(const struct dct *s, struct strbuf *why)
{
    for (size_t i = 0; i < s->pixels; i++) {
        double step = (double)s->steps[i / s->width % SIDE * SIDE + i % SIDE];
        double steps = (double)s->quantised[i] / step;
        double off = fabs((double)s->quantised[i] - (double)s->coefficients[i]);
        if (steps == rint(steps) && off <= step / 2 * (1 + 1e-6))
            continue;
        strbuf_addf(why, "coefficient %zu is %g, quantised %g, in steps of %g", i,
                    (double)s->coefficients[i], (double)s->quantised[i], step);
        return false;
    }
    return true;
}

/* Sums of 8 terms twice, the largest partial sums below 1024: some ten roundings of 2^-15 at most.
 */
static bool check(const void *state, struct strbuf *why)
{
    const struct dct *s = state;
    return workload_check_f32(why, "coefficient", s->coefficients, s->want_coefficients, s->pixels,
                              0.0f, 3e-4f) &&
           check_quantised(s, why) &&
           workload_check_f32(why, "decoded", s->decoded, s->want_decoded, s->pixels, 0.0f, 3e-4f);
}

static void teardown(void *state)
{
    struct dct *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {128, 104, 2}},
    {"small", {512, 512, 2}},
    {"paper-s3", {512, 512, 10}},
    {NULL, {0}},
};

const struct workload workload_dct = {
    .name = "dct",
    .paper_name = "DCT",
    .title = "Discrete cosine transform",
    .summary = "8x8 blocks of an image, a work-group each: two small matrix products through local "
               "memory with the basis in constant memory; quantisation; the inverse.",
    .origin = "CUDA Samples",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_dct_source,
    .param_names = {"width", "height", "rounds"},
    .sizes = sizes,
    .state_bytes = sizeof(struct dct),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
