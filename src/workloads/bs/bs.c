/* BS: Black-Scholes prices of European options (AMD SDK; S3 Table 6.3).
 *
 * As in the sample, one random number gives all five inputs of an option. Access pattern: one
 * coalesced read and two coalesced writes around some hundred operations. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bs_source[];

enum { GROUP = 256 };

struct bs {
    struct arena arena;
    uint32_t n;
    float *random, *call, *put, *want_call, *want_put;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bs *s = state;
    struct workload_rng rng = {seed};
    s->n = device_round_up((uint32_t)size->p[0], GROUP);
    float **arrays[] = {&s->random, &s->call, &s->put, &s->want_call, &s->want_put};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = ARENA_ARRAY(&s->arena, float, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        s->random[i] = workload_rng_unit(&rng);
}

static void run(void *state, struct device *d)
{
    struct bs *s = state;
    size_t bytes = s->n * sizeof(float);
    device_buffer random = device_alloc_from(d, s->random, bytes, "random");
    device_buffer call = device_alloc(d, bytes, "call");
    device_buffer put = device_alloc(d, bytes, "put");
    DEVICE_LAUNCH_1D(d, "black_scholes", s->n, GROUP, device_arg_buffer(random),
                     device_arg_buffer(call), device_arg_buffer(put));
    device_download(d, call, 0, s->call, bytes);
    device_download(d, put, 0, s->put, bytes);
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* Uses the distribution itself instead of the kernel's polynomial. */
static void reference(void *state)
{
    struct bs *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        double r = (double)s->random[i], q = 1 - r;
        double price = 10 * r + 100 * q, strike = price;
        double years = r + 10 * q, rate = 0.01 * r + 0.05 * q, volatility = 0.01 * r + 0.1 * q;
        double deviation = volatility * sqrt(years);
        double d1 = (rate + volatility * volatility / 2) * years / deviation, d2 = d1 - deviation;
        double discounted = strike * exp(-rate * years);
        s->want_call[i] = (float)(price * normal_cdf(d1) - discounted * normal_cdf(d2));
        s->want_put[i] = (float)(discounted * normal_cdf(-d2) - price * normal_cdf(-d1));
    }
}

/* Prices are at most 100; the relative error is 7.5e-8 for the polynomial and about 1e-6 for
 * floats. */
static bool check(const void *state, struct strbuf *why)
{
    const struct bs *s = state;
    return workload_check_f32(why, "call", s->call, s->want_call, s->n, 0.0f, 4e-4f) &&
           workload_check_f32(why, "put", s->put, s->want_put, s->n, 0.0f, 4e-4f);
}

static void teardown(void *state)
{
    struct bs *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {1 << 15}},
    {"small", {1 << 20}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"options", NULL, 1, 1 << 26, "priced, one work-item each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bs = {
    .name = "bs",
    .paper_name = "BS",
    .title = "Black-Scholes",
    .summary = "European options in closed form, one per work-item: logarithms, exponentials and a "
               "polynomial between one coalesced read and two writes.",
    .origin = "AMD SDK",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_bs_source,
    .param_names = {"options"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct bs),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
