/* BO: prices of European options by the binomial model (binomialOptions of the CUDA Samples; S3
 * Table 5.3, 512 options).
 *
 * As in the sample: one work-group of 256 per option, values in a buffer in global memory that is
 * walked back in tiles through local memory, 2048 steps. Access pattern: arithmetic, barriers and
 * local memory; short coalesced reads and writes of a private buffer. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bo_source[];

enum { TILE = 256, DELTA = 32 }; /* as in bo.cl; steps are a multiple of DELTA */
static const double RATE = 0.06, VOLATILITY = 0.1;

struct option {
    float price, strike, step, up, down; /* see bo.cl */
};

struct bo {
    struct arena arena;
    uint32_t n, steps;
    struct option *option;
    float *got, *want;
};

/* Cox, Ross and Rubinstein's model of a price over `years`. */
static struct option make_option(float price, float strike, double years, uint32_t steps)
{
    double dt = years / steps;
    double step = VOLATILITY * sqrt(dt);
    double up = (exp(RATE * dt) - exp(-step)) / (exp(step) - exp(-step));
    double discount = exp(-RATE * dt);
    return (struct option){price, strike, (float)step, (float)(up * discount),
                           (float)((1 - up) * discount)};
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bo *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->steps = (uint32_t)size->p[1];
    s->option = ARENA_ARRAY(&s->arena, struct option, s->n);
    s->got = ARENA_ARRAY(&s->arena, float, s->n);
    s->want = ARENA_ARRAY(&s->arena, float, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        float price = 5 + 25 * workload_rng_unit(&rng);
        float strike = price * (0.7f + 0.4f * workload_rng_unit(&rng));
        s->option[i] =
            make_option(price, strike, 0.25 + 9.75 * (double)workload_rng_unit(&rng), s->steps);
    }
}

static void run(void *state, struct device *d)
{
    struct bo *s = state;
    device_buffer options = device_alloc_from(d, s->option, s->n * sizeof *s->option, "options");
    device_buffer buffer =
        device_alloc(d, (size_t)s->n * (s->steps + 1) * sizeof(float), "values over time");
    device_buffer value = device_alloc(d, s->n * sizeof(float), "value");
    DEVICE_LAUNCH_1D(d, "binomial", s->n * TILE, TILE, device_arg_buffer(options),
                     device_arg_buffer(buffer), device_arg_buffer(value),
                     device_arg_i32((int32_t)s->steps));
    device_download(d, value, 0, s->got, s->n * sizeof(float));
}

/* No walk through time: the expected value over the binomial distribution of the up moves. */
static double expected_value(const struct option *o, uint32_t steps)
{
    double n = steps, sum = 0;
    for (uint32_t ups = 0; ups <= steps; ups++) {
        double k = ups;
        double price = (double)o->price * exp((double)o->step * (2 * k - n));
        double log_weight = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                            k * log((double)o->up) + (n - k) * log((double)o->down);
        sum += exp(log_weight) * fmax(price - (double)o->strike, 0);
    }
    return sum;
}

static void reference(void *state)
{
    struct bo *s = state;
    for (uint32_t i = 0; i < s->n; i++)
        s->want[i] = (float)expected_value(&s->option[i], s->steps);
}

/* The two products and the sum of a step have an error of up to 1.5 halves of a unit in the last
 * place, all in one direction at worst; the values at expiry, differences of prices, of a few units
 * of the price. */
static bool check(const void *state, struct strbuf *why)
{
    const struct bo *s = state;
    return workload_check_f32(why, "value", s->got, s->want, s->n,
                              0x1p-24f * 1.5f * (float)s->steps, 2e-5f);
}

static void teardown(void *state)
{
    struct bo *s = state;
    arena_destroy(&s->arena);
}

/* Enough steps that the relevant prices lie at the border of the first two tiles. */
static const struct workload_size sizes[] = {
    {"tiny", {3, 448}},
    {"small", {30, 512}},
    {"paper-s3", {512, 2048}},
    {NULL, {0}},
};

const struct workload workload_bo = {
    .name = "bo",
    .paper_name = "BO",
    .title = "Binomial options",
    .summary = "One work-group per option walks a binomial tree back in time, tile by tile in "
               "local memory: arithmetic and barriers, few accesses to global memory.",
    .origin = "CUDA Samples",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_bo_source,
    .param_names = {"options", "steps"},
    .sizes = sizes,
    .state_bytes = sizeof(struct bo),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
