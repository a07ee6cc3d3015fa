/* AC: autocorrelation of a signal (AMD SDK; S3 Table 6.3).
 *
 * Each work-item forms the sum of products for one lag over the whole signal. Access pattern: one
 * broadcast and one coalesced, usually misaligned read per product; neighbouring warps read nearly
 * the same lines at nearly the same time.
 *
 * S3 does not give its input. Samples are eighths, so sums are exact. */
#include "workloads/eighths.h"

extern const char workload_ac_source[];

enum { GROUP = 256 };

struct ac {
    struct arena arena;
    uint32_t n, lags;
    float *samples, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct ac *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->lags = (uint32_t)size->p[1];
    s->samples = random_eighths(&s->arena, &rng, s->n);
    s->got = ARENA_ARRAY(&s->arena, float, s->lags);
    s->want = ARENA_ARRAY(&s->arena, float, s->lags);
}

static void run(void *state, struct device *d)
{
    struct ac *s = state;
    device_buffer samples = device_alloc_from(d, s->samples, s->n * sizeof(float), "samples");
    device_buffer result = device_alloc(d, s->lags * sizeof(float), "result");
    DEVICE_LAUNCH_1D(d, "autocorrelate", device_round_up(s->lags, GROUP), GROUP,
                     device_arg_buffer(samples), device_arg_u32(s->n), device_arg_u32(s->lags),
                     device_arg_buffer(result));
    device_download(d, result, 0, s->got, s->lags * sizeof(float));
}

/* In integers, units of 1/64. */
static void reference(void *state)
{
    struct ac *s = state;
    for (uint32_t lag = 0; lag < s->lags; lag++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i + lag < s->n; i++)
            sum += (int64_t)(8 * s->samples[i]) * (int64_t)(8 * s->samples[i + lag]);
        s->want[lag] = (float)((double)sum / 64);
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct ac *s = state;
    return workload_check_f32(why, "lag", s->got, s->want, s->lags, 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct ac *s = state;
    arena_destroy(&s->arena);
}

/* Up to 2^17 products of at most 1 in steps of 2^-6 are exact in a float. */
static const struct workload_size sizes[] = {
    {"tiny", {1000, 1000}},
    {"small", {8192, 8192}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"samples", NULL, 32, 1 << 17, "of the signal"},
    {"lags", NULL, 1, 1 << 17, "from 0 on, one work-item each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_ac = {
    .name = "ac",
    .paper_name = "AC",
    .title = "Autocorrelation",
    .summary =
        "One work-item per lag multiplies the signal with itself, shifted: a broadcast and a "
        "coalesced, misaligned read per product.",
    .origin = "AMD SDK",
    .categories = {.s3_ch6 = "memory-intensive"},
    .source = workload_ac_source,
    .param_names = {"samples", "lags"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct ac),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
