/* MYC: simulation of heart muscle cells (S3 Table 3.2; Rodinia's Myocyte).
 *
 * Differential equations of the membrane of independent cells, one thread each, advanced over many
 * launches. There are few cells and hardly any memory accesses, but a long loop body: S3 finds that
 * MYC lacks warps and waits for instruction fetch and for results.
 *
 * Differences from the original: Beeler and Reuter's model with 8 variables (J. Physiology 268,
 * 1977) instead of one with 91, and steps of fixed length instead of adaptive ones, whose number
 * would depend on the last digit. "100 nodes" is read as 100 cells. Cells differ in their sodium
 * channels, in the current that excites them and in how far they have recovered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_myc_source[];

enum { GROUP_SIZE = 32, STEPS_PER_MS = 32, STIMULUS_MS = 1 };

enum myc_variable { POTENTIAL, CALCIUM, X1, M, H, J, D, F, N_VARIABLES };
static const char *const names[N_VARIABLES] = {"potential", "calcium", "x1", "m",
                                               "h",         "j",       "d",  "f"};
static const float rest[N_VARIABLES] = {-84.574f, 1e-7f,  1e-4f,  0.011f,
                                        0.988f,   0.975f, 0.003f, 0.994f};

struct myc {
    struct arena arena;
    uint32_t n_cells, milliseconds;
    float *state; /* variable by variable */
    float *sodium, *stimulus;
    float *expected; /* initially the cells' start values; the reference overwrites it */
};

static void myc_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct myc *s = state;
    struct workload_rng rng = {seed};
    s->n_cells = (uint32_t)size->p[0];
    s->milliseconds = (uint32_t)size->p[1];
    s->state = ARENA_ARRAY(&s->arena, float, N_VARIABLES *(size_t)s->n_cells);
    s->expected = ARENA_ARRAY(&s->arena, float, N_VARIABLES *(size_t)s->n_cells);
    s->sodium = ARENA_ARRAY(&s->arena, float, s->n_cells);
    s->stimulus = ARENA_ARRAY(&s->arena, float, s->n_cells);
    for (uint32_t cell = 0; cell < s->n_cells; cell++) {
        for (uint32_t v = 0; v < N_VARIABLES; v++)
            s->state[(size_t)v * s->n_cells + cell] = rest[v];
        s->sodium[cell] = 3.2f + 1.6f * workload_rng_unit(&rng);
        s->stimulus[cell] = 45.0f + 25.0f * workload_rng_unit(&rng);
        /* The slower gates have not all recovered since the last beat. */
        s->state[(size_t)X1 * s->n_cells + cell] = 0.4f * workload_rng_unit(&rng);
        s->state[(size_t)H * s->n_cells + cell] = 1.0f - 0.2f * workload_rng_unit(&rng);
        s->state[(size_t)J * s->n_cells + cell] = 1.0f - 0.3f * workload_rng_unit(&rng);
        s->state[(size_t)F * s->n_cells + cell] = 1.0f - 0.4f * workload_rng_unit(&rng);
    }
    memcpy(s->expected, s->state, N_VARIABLES * (size_t)s->n_cells * sizeof *s->state);
}

static void myc_run(void *state, struct device *d)
{
    struct myc *s = state;
    size_t state_bytes = N_VARIABLES * (size_t)s->n_cells * sizeof(float);
    device_buffer variables = device_alloc_from(d, s->state, state_bytes, "state");
    device_buffer sodium =
        device_alloc_from(d, s->sodium, s->n_cells * sizeof(float), "sodium_conductance");
    device_buffer stimulus =
        device_alloc_from(d, s->stimulus, s->n_cells * sizeof(float), "stimulus");
    for (uint32_t ms = 0; ms < s->milliseconds && device_ok(d); ms++)
        DEVICE_LAUNCH_1D(d, "myc_advance", device_round_up(s->n_cells, GROUP_SIZE), GROUP_SIZE,
                         device_arg_buffer(variables), device_arg_buffer(sodium),
                         device_arg_buffer(stimulus), device_arg_u32(s->n_cells),
                         device_arg_u32(STEPS_PER_MS),
                         device_arg_u32(ms < STIMULUS_MS ? STEPS_PER_MS : 0),
                         device_arg_f32(1.0f / STEPS_PER_MS));
    device_download(d, variables, 0, s->state, state_bytes);
}

/* --- The reference: in double, rates from the table of Beeler and Reuter's paper --- */

/* (c1 exp(c2 (v + c3)) + c4 (v + c5)) / (exp(c6 (v + c3)) + c7), opening and closing. */
static const struct rates {
    enum myc_variable gate;
    double opening[7], closing[7];
} rates[] = {
    {X1, {0.0005, 0.083, 50, 0, 0, 0.057, 1}, {0.0013, -0.06, 20, 0, 0, -0.04, 1}},
    {M, {0, 0, 47, -1, 47, -0.1, -1}, {40, -0.056, 72, 0, 0, 0, 0}},
    {H, {0.126, -0.25, 77, 0, 0, 0, 0}, {1.7, 0, 22.5, 0, 0, -0.082, 1}},
    {J, {0.055, -0.25, 78, 0, 0, -0.2, 1}, {0.3, 0, 32, 0, 0, -0.1, 1}},
    {D, {0.095, -0.01, -5, 0, 0, -0.072, 1}, {0.07, -0.017, 44, 0, 0, 0.05, 1}},
    {F, {0.012, -0.008, 28, 0, 0, 0.15, 1}, {0.0065, -0.02, 30, 0, 0, -0.2, 1}},
};

static double rate_of(const double c[7], double v)
{
    return (c[0] * exp(c[1] * (v + c[2])) + c[3] * (v + c[4])) / (exp(c[5] * (v + c[2])) + c[6]);
}

static double membrane_current(const double y[N_VARIABLES], double sodium_max)
{
    double v = y[POTENTIAL];
    double k1 = 0.35 * (4 * expm1(0.04 * (v + 85)) / (exp(0.08 * (v + 53)) + exp(0.04 * (v + 53))) -
                        0.2 * (v + 23) / expm1(-0.04 * (v + 23)));
    double slow = y[X1] * 0.8 * expm1(0.04 * (v + 77)) / exp(0.04 * (v + 35));
    double sodium = (sodium_max * pow(y[M], 3) * y[H] * y[J] + 0.003) * (v - 50);
    return k1 + slow + sodium;
}

static void advance(double y[N_VARIABLES], double sodium_max, double driven, double dt)
{
    double v = y[POTENTIAL];
    double slow_inward = 0.09 * y[D] * y[F] * (v - (-82.3 - 13.0287 * log(y[CALCIUM])));
    double total = membrane_current(y, sodium_max) + slow_inward - driven;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double opening = rate_of(rates[i].opening, v), closing = rate_of(rates[i].closing, v);
        double goal = opening / (opening + closing), *gate = &y[rates[i].gate];
        *gate += (goal - *gate) * -expm1(-dt * (opening + closing));
    }
    y[CALCIUM] += dt * (-1e-7 * slow_inward + 0.07 * (1e-7 - y[CALCIUM]));
    y[POTENTIAL] -= dt * total;
}

static void myc_reference(void *state)
{
    struct myc *s = state;
    for (uint32_t cell = 0; cell < s->n_cells; cell++) {
        double y[N_VARIABLES];
        for (uint32_t v = 0; v < N_VARIABLES; v++)
            y[v] = (double)s->expected[(size_t)v * s->n_cells + cell];
        for (uint32_t step = 0; step < s->milliseconds * STEPS_PER_MS; step++)
            advance(y, (double)s->sodium[cell],
                    step < STIMULUS_MS * STEPS_PER_MS ? (double)s->stimulus[cell] : 0,
                    1.0 / STEPS_PER_MS);
        for (uint32_t v = 0; v < N_VARIABLES; v++)
            s->expected[(size_t)v * s->n_cells + cell] = (float)y[v];
    }
}

/* A gate's target may be near 1 while the gate is near 0, so every step may add a rounding error
 * relative to 1; the potential, of some 10 mV, follows the gates, and errors grow with time. */
static bool myc_check(const void *state, struct strbuf *why)
{
    const struct myc *s = state;
    float growth = 1.0f + (float)s->milliseconds / 20.0f;
    for (uint32_t v = 0; v < N_VARIABLES; v++) {
        size_t at = (size_t)v * s->n_cells;
        float absolute = growth * (v == POTENTIAL ? 1e-3f : v == CALCIUM ? 0.0f : 1e-5f);
        if (!workload_check_f32(why, names[v], s->state + at, s->expected + at, s->n_cells, 2e-5f,
                                absolute))
            return false;
    }
    return true;
}

static void myc_teardown(void *state)
{
    struct myc *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size myc_sizes[] = {
    {"tiny", {100, 2}},
    {"small", {100, 20}},
    {"paper-s3", {100, 100}},
    {NULL, {0}},
};

static const struct workload_input myc_inputs[] = {
    {"cells", NULL, 1, 1000000, "independent of each other, one thread each"},
    {"milliseconds", NULL, 1, 100, "of a heartbeat, one launch each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_myc = {
    .name = "myc",
    .paper_name = "MYC",
    .title = "Myocyte (heart muscle cells)",
    .summary = "Differential equations of a few cells' membranes, one thread per cell: a long loop "
               "body of exponentials, hardly any memory accesses and hardly any warps.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive"},
    .source = workload_myc_source,
    .param_names = {"cells", "milliseconds"},
    .sizes = myc_sizes,
    .inputs = myc_inputs,
    .state_bytes = sizeof(struct myc),
    .setup = myc_setup,
    .run = myc_run,
    .reference = myc_reference,
    .check = myc_check,
    .teardown = myc_teardown,
};
