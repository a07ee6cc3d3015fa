/* MC: Monte-Carlo prices of European options (Intel SDK; S3 Table 6.3).
 *
 * A first launch draws normal numbers, a second one evaluates each option at all of them, a
 * work-group per option, and adds up in local memory. Access pattern: every work-group streams
 * through the same numbers, coalesced. */
#include "base/arena.h"
#include "workloads/mix32.h"
#include "workloads/workload.h"

extern const char workload_mc_source[];

enum { GROUP = 256 /* as in mc.cl */, FIELDS = 4 };
enum { PRICE, STRIKE, RATE, VOLATILITY };

struct mc {
    struct arena arena;
    uint32_t n_options, n_normals, seed; /* normals: a multiple of twice the group */
    float (*options)[FIELDS], *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct mc *s = state;
    struct workload_rng rng = {seed};
    s->n_options = (uint32_t)size->p[0];
    s->n_normals = device_round_up((uint32_t)size->p[1], 2 * GROUP);
    s->seed = (uint32_t)workload_rng_u64(&rng);
    s->options = arena_alloc(&s->arena, s->n_options * sizeof *s->options);
    s->got = ARENA_ARRAY(&s->arena, float, s->n_options);
    s->want = ARENA_ARRAY(&s->arena, float, s->n_options);
    for (uint32_t i = 0; i < s->n_options; i++) {
        s->options[i][PRICE] = 10 + 90 * workload_rng_unit(&rng);
        s->options[i][STRIKE] = s->options[i][PRICE] * (0.8f + 0.4f * workload_rng_unit(&rng));
        s->options[i][RATE] = 0.01f + 0.04f * workload_rng_unit(&rng);
        s->options[i][VOLATILITY] = 0.1f + 0.2f * workload_rng_unit(&rng);
    }
}

static void run(void *state, struct device *d)
{
    struct mc *s = state;
    device_buffer normals = device_alloc(d, s->n_normals * sizeof(float), "normals");
    device_buffer options =
        device_alloc_from(d, s->options, s->n_options * sizeof *s->options, "options");
    device_buffer call = device_alloc(d, s->n_options * sizeof(float), "call");
    DEVICE_LAUNCH_1D(d, "normal_numbers", s->n_normals / 2, GROUP, device_arg_u32(s->seed),
                     device_arg_buffer(normals));
    DEVICE_LAUNCH_1D(d, "european_options", s->n_options * GROUP, GROUP, device_arg_buffer(options),
                     device_arg_buffer(normals), device_arg_u32(s->n_normals),
                     device_arg_buffer(call));
    device_download(d, call, 0, s->got, s->n_options * sizeof(float));
}

static double payoff(const float option[FIELDS], double normal)
{
    double volatility = (double)option[VOLATILITY];
    double drift = (double)option[RATE] - volatility * volatility / 2;
    return fmax((double)option[PRICE] * exp(drift + volatility * normal) - (double)option[STRIKE],
                0);
}

static void reference(void *state)
{
    struct mc *s = state;
    double *sum = ARENA_ARRAY(&s->arena, double, s->n_options);
    for (uint32_t i = 0; i < s->n_normals / 2; i++) {
        double normal[2];
        mix32_normals(s->seed + 2 * i, normal);
        for (uint32_t o = 0; o < s->n_options; o++)
            sum[o] += payoff(s->options[o], normal[0]) + payoff(s->options[o], normal[1]);
    }
    for (uint32_t o = 0; o < s->n_options; o++)
        s->want[o] = (float)(exp(-(double)s->options[o][RATE]) * sum[o] / s->n_normals);
}

/* Payoffs come from prices of up to some hundreds, with a relative error of a few 1e-7. */
static bool check(const void *state, struct strbuf *why)
{
    const struct mc *s = state;
    return workload_check_f32(why, "call", s->got, s->want, s->n_options, 1e-5f, 2e-4f);
}

static void teardown(void *state)
{
    struct mc *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {60, 2048}},
    {"small", {512, 1 << 14}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"options", NULL, 1, 1 << 16, "priced, one work-group each"},
    {"normals", NULL, 1, 1 << 24, "at which an option is evaluated"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_mc = {
    .name = "mc",
    .paper_name = "MC",
    .title = "Monte-Carlo prices of European options",
    .summary = "One work-group per option streams through the same normal numbers and adds up in "
               "local memory; exponentials.",
    .origin = "Intel SDK",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_mc_source,
    .param_names = {"options", "normals"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct mc),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
