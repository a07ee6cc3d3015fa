/* MCA: Monte-Carlo prices of Asian options (MonteCarloAsian of the AMD SDK; S3 Table 6.3).
 *
 * Each work-item follows its own random walks and draws its own numbers; nothing is read but the
 * parameters, so the kernel is all arithmetic and special functions. */
#include "base/arena.h"
#include "workloads/mix32.h"
#include "workloads/workload.h"

extern const char workload_mca_source[];

enum { GROUP = 256 };
static const float PRICE = 50, STRIKE = 55, RATE = 0.06f, VOLATILITY = 0.2f, YEARS = 1;

struct mca {
    struct arena arena;
    uint32_t n, paths, steps, seed; /* an even number of steps */
    float drift, deviation;         /* of the logarithm of the price, per step */
    float *call, *put, *want_call, *want_put;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct mca *s = state;
    struct workload_rng rng = {seed};
    s->n = device_round_up((uint32_t)size->p[0], GROUP);
    s->paths = (uint32_t)size->p[1];
    s->steps = device_round_up((uint32_t)size->p[2], 2);
    s->seed = (uint32_t)workload_rng_u64(&rng);
    float step_years = YEARS / (float)s->steps;
    s->drift = (RATE - VOLATILITY * VOLATILITY / 2) * step_years;
    s->deviation = VOLATILITY * sqrtf(step_years);
    float **arrays[] = {&s->call, &s->put, &s->want_call, &s->want_put};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = ARENA_ARRAY(&s->arena, float, s->n);
}

static void run(void *state, struct device *d)
{
    struct mca *s = state;
    size_t bytes = s->n * sizeof(float);
    device_buffer call = device_alloc(d, bytes, "call");
    device_buffer put = device_alloc(d, bytes, "put");
    DEVICE_LAUNCH_1D(d, "asian_options", s->n, GROUP, device_arg_f32(PRICE), device_arg_f32(STRIKE),
                     device_arg_f32(s->drift), device_arg_f32(s->deviation),
                     device_arg_u32(s->steps), device_arg_u32(s->paths), device_arg_u32(s->seed),
                     device_arg_buffer(call), device_arg_buffer(put));
    device_download(d, call, 0, s->call, bytes);
    device_download(d, put, 0, s->put, bytes);
}

/* The mean price along the path that begins at a counter. */
static double mean_of_path(const struct mca *s, uint32_t counter)
{
    double logarithm = log((double)PRICE), sum = 0, normal[2];
    for (uint32_t step = 0; step < s->steps; step++) {
        if (step % 2 == 0)
            mix32_normals(counter + step, normal);
        logarithm += (double)s->drift + (double)s->deviation * normal[step % 2];
        sum += exp(logarithm);
    }
    return sum / s->steps;
}

static void reference(void *state)
{
    struct mca *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        double calls = 0, puts = 0;
        for (uint32_t p = 0; p < s->paths; p++) {
            double mean = mean_of_path(s, s->seed + (i * s->paths + p) * s->steps);
            calls += fmax(mean - (double)STRIKE, 0);
            puts += fmax((double)STRIKE - mean, 0);
        }
        s->want_call[i] = (float)(calls / s->paths);
        s->want_put[i] = (float)(puts / s->paths);
    }
}

/* A price near 50 after some tens of steps, each with a relative error of a few 1e-7. */
static bool check(const void *state, struct strbuf *why)
{
    const struct mca *s = state;
    return workload_check_f32(why, "call", s->call, s->want_call, s->n, 0.0f, 1e-3f) &&
           workload_check_f32(why, "put", s->put, s->want_put, s->n, 0.0f, 1e-3f);
}

static void teardown(void *state)
{
    struct mca *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {1024, 2, 16}},
    {"small", {1 << 14, 8, 16}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"work_items", NULL, 1, 1 << 22, "each with its own paths"},
    {"paths", NULL, 1, 4096, "of a work-item"},
    {"steps", NULL, 2, 256, "of a path"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_mca = {
    .name = "mca",
    .paper_name = "MCA",
    .title = "Monte-Carlo prices of Asian options",
    .summary = "Random walks whose mean decides the payoff, several per work-item: logarithms, "
               "exponentials, sines; no reads.",
    .origin = "AMD SDK",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_mca_source,
    .param_names = {"work_items", "paths", "steps"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct mca),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
