/* FIR: a finite impulse response filter over a stream of blocks (Hetero-Mark; S3 Table 6.3).
 *
 * One launch filters a block; the samples that the next block still needs stay on the device.
 * Access pattern: the coefficients are broadcast from constant memory, samples are read coalesced,
 * each from `taps` shifted positions, so L1D serves nearly all of them.
 *
 * Samples and coefficients are eighths, so sums are exact. */
#include "workloads/eighths.h"

extern const char workload_fir_source[];

enum { GROUP = 256, KEEP_GROUP = 256 };

struct fir {
    struct arena arena;
    uint32_t block, blocks, taps;
    float *samples, *coefficients, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct fir *s = state;
    struct workload_rng rng = {seed};
    s->block = device_round_up((uint32_t)size->p[0], GROUP);
    s->blocks = (uint32_t)size->p[1];
    s->taps = (uint32_t)size->p[2];
    size_t n = (size_t)s->block * s->blocks;
    s->samples = random_eighths(&s->arena, &rng, n);
    s->coefficients = random_eighths(&s->arena, &rng, s->taps);
    s->got = ARENA_ARRAY(&s->arena, float, n);
    s->want = ARENA_ARRAY(&s->arena, float, n);
}

static void run(void *state, struct device *d)
{
    struct fir *s = state;
    size_t bytes = s->block * sizeof(float), kept = s->taps * sizeof(float);
    device_buffer history = device_alloc(d, kept + bytes, "history");
    device_buffer coefficients =
        device_alloc_from(d, s->coefficients, s->taps * sizeof(float), "coefficients");
    device_buffer output = device_alloc(d, bytes, "output");
    for (uint32_t b = 0; b < s->blocks && device_ok(d); b++) {
        size_t at = (size_t)b * s->block;
        device_upload(d, history, kept, s->samples + at, bytes);
        DEVICE_LAUNCH_1D(d, "fir", s->block, GROUP, device_arg_buffer(history),
                         device_arg_buffer(coefficients), device_arg_u32(s->taps),
                         device_arg_buffer(output));
        DEVICE_LAUNCH_1D(d, "fir_keep", KEEP_GROUP, KEEP_GROUP, device_arg_buffer(history),
                         device_arg_u32(s->block), device_arg_u32(s->taps));
        device_download(d, output, 0, s->got + at, bytes);
    }
}

/* With zeros before the first sample. */
static void reference(void *state)
{
    struct fir *s = state;
    size_t n = (size_t)s->block * s->blocks;
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (size_t t = 0; t < s->taps && t <= i; t++)
            sum += (int64_t)(8 * s->coefficients[t]) * (int64_t)(8 * s->samples[i - t]);
        s->want[i] = (float)((double)sum / 64);
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct fir *s = state;
    return workload_check_f32(why, "sample", s->got, s->want, (size_t)s->block * s->blocks, 0.0f,
                              0.0f);
}

static void teardown(void *state)
{
    struct fir *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {4096, 4, 32}},
    {"small", {1 << 17, 8, 64}},
    {NULL, {0}},
};

/* The kept samples fit in one work-group and in less than a block. */
static const struct workload_input inputs[] = {
    {"block", NULL, 256, 1 << 24, "samples of a launch"},
    {"blocks", NULL, 1, 4096, "one after another"},
    {"taps", NULL, 1, KEEP_GROUP, "of the filter"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_fir = {
    .name = "fir",
    .paper_name = "FIR",
    .title = "Finite impulse response filter",
    .summary = "A stream of blocks, one output sample per work-item: coefficients broadcast from "
               "constant memory, overlapping coalesced reads.",
    .origin = "Hetero-Mark",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_fir_source,
    .param_names = {"block", "blocks", "taps"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct fir),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
