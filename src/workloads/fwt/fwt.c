/* FWT: dyadic convolution by fast Walsh transforms (fastWalshTransform of the CUDA Samples; S3
 * Table 5.3, 32 k samples).
 *
 * As in the sample: data and filter are transformed, multiplied and transformed back; radix-4
 * stages in global memory until a piece of 2048 values fits local memory, which one work-group
 * finishes. Access pattern: coalesced, four streams at a time whose distance shrinks by four per
 * launch. */
#include "workloads/eighths.h"

extern const char workload_fwt_source[];

enum { GROUP = 256, LOCAL_LOG2 = 11, RADIX = 4, MODULATE_GROUPS = 128 };

struct fwt {
    struct arena arena;
    uint32_t n, n_filter; /* powers of two */
    float *data, *filter; /* both of n values; those of the filter beyond n_filter are zero */
    float *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct fwt *s = state;
    struct workload_rng rng = {seed};
    s->n = 1u << size->p[0];
    s->n_filter = 1u << size->p[1];
    s->data = random_eighths(&s->arena, &rng, s->n);
    s->filter = random_eighths(&s->arena, &rng, s->n);
    for (uint32_t i = s->n_filter; i < s->n; i++)
        s->filter[i] = 0;
    s->got = ARENA_ARRAY(&s->arena, float, s->n);
    s->want = ARENA_ARRAY(&s->arena, float, s->n);
}

static void transform(const struct fwt *s, struct device *d, device_buffer data)
{
    uint32_t piece = s->n;
    for (; piece > 1u << LOCAL_LOG2; piece /= RADIX)
        DEVICE_LAUNCH_1D(d, "fwt_global", s->n / RADIX, GROUP, device_arg_buffer(data),
                         device_arg_u32(piece / RADIX));
    DEVICE_LAUNCH_1D(d, "fwt_local", s->n / RADIX, piece / RADIX, device_arg_buffer(data),
                     device_arg_local(piece * sizeof(float)), device_arg_u32(piece));
}

static void run(void *state, struct device *d)
{
    struct fwt *s = state;
    size_t bytes = s->n * sizeof(float);
    device_buffer data = device_alloc_from(d, s->data, bytes, "data");
    device_buffer filter = device_alloc_from(d, s->filter, bytes, "filter");
    transform(s, d, data);
    transform(s, d, filter);
    DEVICE_LAUNCH_1D(d, "fwt_modulate", MODULATE_GROUPS * GROUP, GROUP, device_arg_buffer(data),
                     device_arg_buffer(filter), device_arg_u32(s->n));
    transform(s, d, data);
    device_download(d, data, 0, s->got, bytes);
}

/* The convolution by its definition. */
static void reference(void *state)
{
    struct fwt *s = state;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < s->n_filter; j++)
            s->want[i] += s->filter[j] * s->data[i ^ j];
}

/* Results are whole numbers of 1/64, so anything wrong is off by that or more; roundings of the
 * last transform stay below a hundredth of it. */
static bool check(const void *state, struct strbuf *why)
{
    const struct fwt *s = state;
    return workload_check_f32(why, "sample", s->got, s->want, s->n, 0.0f, 1.0f / 1024);
}

static void teardown(void *state)
{
    struct fwt *s = state;
    arena_destroy(&s->arena);
}

/* An odd number of stages leaves one of radix 2, an even number none: one of the sizes has each. */
static const struct workload_size sizes[] = {
    {"tiny", {15, 7}},
    {"small", {18, 7}},
    {"paper-s3", {15, 7}},
    {NULL, {0}},
};

const struct workload workload_fwt = {
    .name = "fwt",
    .paper_name = "FWT",
    .title = "Fast Walsh transform",
    .summary = "Dyadic convolution by three Walsh transforms: radix-4 stages over global memory, "
               "then pieces of 2048 values in local memory; coalesced streams.",
    .origin = "CUDA Samples",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_fwt_source,
    .param_names = {"log2_samples", "log2_filter"},
    .sizes = sizes,
    .state_bytes = sizeof(struct fwt),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
