/* WP: cloud physics of a numerical weather prediction (S4 Table 2).
 *
 * A microphysics scheme with one moment and five classes of water, in the manner of the WSM5 scheme
 * of WRF whose GPU version is among the benchmarks of Bakhoda et al. (ISPASS 2009): one thread per
 * column, which lets rain and snow fall and then lets water change its form level by level. Access
 * pattern: coalesced; every thread walks its column of eight fields several times, more than L1D
 * holds of the resident warps, and columns without clouds skip a good part of the work.
 *
 * Differences from the original: a simpler scheme (no separate cloud ice, no graupel, a fixed
 * number of steps of falling), and an atmosphere made from the seed. S4 gives no size, and cites
 * Rodinia. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_wp_source[];

enum {
    GROUP_SIZE = 64,
    MAX_LEVELS = 48,
    PATCH = 80, /* columns with clouds, or without, next to each other */
};
static const float STEP_SECONDS = 60.0f;

enum wp_field { TEMPERATURE, VAPOUR, CLOUD, RAIN, SNOW, N_FIELDS };
static const char *const field_names[N_FIELDS] = {"temperature", "vapour", "cloud", "rain", "snow"};

struct wp {
    struct arena arena;
    uint32_t n_columns, n_levels, steps;
    float *field[N_FIELDS]; /* level by level; from the device in the end */
    float *pressure, *density, *thickness;
    float *fallen;

    float *expected[N_FIELDS], *expected_fallen;
};

/* --- The atmosphere --- */

static void fill_level(struct wp *s, uint32_t column, uint32_t k, double height, double ground,
                       double *pressure, bool is_cloudy, struct workload_rng *rng)
{
    size_t i = (size_t)k * s->n_columns + column;
    double temperature = fmax(ground - 6.5e-3 * height, 212) + (double)workload_rng_unit(rng) - 0.5;
    double dry = height < 9000 ? 1 - height / 9000 : 0;
    double humidity = is_cloudy ? 0.9 + 0.5 * (double)workload_rng_unit(rng)
                                : 0.3 + 0.4 * (double)workload_rng_unit(rng);
    s->field[TEMPERATURE][i] = (float)temperature;
    s->field[VAPOUR][i] = (float)(humidity * 0.012 * dry * dry * dry);
    s->pressure[i] = (float)*pressure;
    s->density[i] = (float)(*pressure / (287.0 * temperature));
    *pressure *= 1 - 9.81 * (double)s->thickness[k] / (287.0 * temperature);
    if (!is_cloudy)
        return;
    bool is_cold = temperature < 273.16;
    s->field[CLOUD][i] = 2e-3f * workload_rng_unit(rng);
    s->field[RAIN][i] = is_cold ? 0.0f : 2e-3f * workload_rng_unit(rng);
    s->field[SNOW][i] = is_cold ? 1e-3f * workload_rng_unit(rng) : 0.0f;
}

static void make_atmosphere(struct wp *s, struct workload_rng *rng)
{
    /* Air so thin at the ground that rain falls through more than one level per step. */
    for (uint32_t k = 0; k < s->n_levels; k++)
        s->thickness[k] = 120.0f + 24.0f * (float)k;
    bool is_cloudy = false;
    for (uint32_t column = 0; column < s->n_columns; column++) {
        if (column % PATCH == 0)
            is_cloudy = workload_rng_below(rng, 5) < 3;
        double height = 0, pressure = 1e5, ground = 283 + 15 * (double)workload_rng_unit(rng);
        for (uint32_t k = 0; k < s->n_levels; k++) {
            fill_level(s, column, k, height, ground, &pressure, is_cloudy, rng);
            height += (double)s->thickness[k];
        }
    }
}

static void wp_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct wp *s = state;
    struct workload_rng rng = {seed};
    s->n_columns = (uint32_t)size->p[0];
    s->n_levels = (uint32_t)size->p[1];
    s->steps = (uint32_t)size->p[2];
    size_t n = (size_t)s->n_columns * s->n_levels;
    for (int f = 0; f < N_FIELDS; f++) {
        s->field[f] = ARENA_ARRAY(&s->arena, float, n);
        s->expected[f] = ARENA_ARRAY(&s->arena, float, n);
    }
    s->pressure = ARENA_ARRAY(&s->arena, float, n);
    s->density = ARENA_ARRAY(&s->arena, float, n);
    s->thickness = ARENA_ARRAY(&s->arena, float, s->n_levels);
    s->fallen = ARENA_ARRAY(&s->arena, float, s->n_columns);
    s->expected_fallen = ARENA_ARRAY(&s->arena, float, s->n_columns);
    make_atmosphere(s, &rng);
    for (int f = 0; f < N_FIELDS; f++)
        for (size_t i = 0; i < n; i++)
            s->expected[f][i] = s->field[f][i];
}

static void wp_run(void *state, struct device *d)
{
    struct wp *s = state;
    size_t bytes = (size_t)s->n_columns * s->n_levels * sizeof(float);
    device_buffer field[N_FIELDS];
    for (int f = 0; f < N_FIELDS; f++)
        field[f] = device_alloc_from(d, s->field[f], bytes, field_names[f]);
    device_buffer pressure = device_alloc_from(d, s->pressure, bytes, "pressure");
    device_buffer density = device_alloc_from(d, s->density, bytes, "density");
    device_buffer thickness =
        device_alloc_from(d, s->thickness, s->n_levels * sizeof(float), "thickness");
    device_buffer fallen = device_alloc(d, s->n_columns * sizeof(float), "fallen");
    for (uint32_t i = 0; i < s->steps && device_ok(d); i++)
        DEVICE_LAUNCH_1D(d, "wp_step", device_round_up(s->n_columns, GROUP_SIZE), GROUP_SIZE,
                         device_arg_buffer(field[TEMPERATURE]), device_arg_buffer(field[VAPOUR]),
                         device_arg_buffer(field[CLOUD]), device_arg_buffer(field[RAIN]),
                         device_arg_buffer(field[SNOW]), device_arg_buffer(pressure),
                         device_arg_buffer(density), device_arg_buffer(thickness),
                         device_arg_buffer(fallen), device_arg_u32(s->n_columns),
                         device_arg_u32(s->n_levels), device_arg_f32(STEP_SECONDS));
    for (int f = 0; f < N_FIELDS; f++)
        device_download(d, field[f], 0, s->field[f], bytes);
    device_download(d, fallen, 0, s->fallen, s->n_columns * sizeof(float));
}

/* --- The reference: in double, a column at a time, with the library's powers --- */

struct column {
    uint32_t n;
    double *q[N_FIELDS], *pressure, *density, *thickness;
};

static double saturated(double temperature, double pressure)
{
    double vapour = 610.78 * exp(17.269 * (temperature - 273.16) / (temperature - 35.86));
    return 0.622 * vapour / (pressure - 0.378 * vapour);
}

/* First all fluxes of a short step, from the state before it, then their effects. */
static double let_fall(const struct column *c, enum wp_field f, double factor, double dt)
{
    double flux[MAX_LEVELS], *q = c->q[f];
    for (uint32_t k = 0; k < c->n; k++) {
        double speed = factor * pow(c->density[k] * q[k], 0.125) * sqrt(1.2 / c->density[k]);
        flux[k] = c->density[k] * q[k] * fmin(speed, c->thickness[k] / dt);
    }
    for (uint32_t k = 0; k < c->n; k++) {
        double from_above = k + 1 < c->n ? flux[k + 1] : 0;
        q[k] = fmax(0, q[k] + dt * (from_above - flux[k]) / (c->density[k] * c->thickness[k]));
    }
    return dt * flux[0];
}

static void change_form(const struct column *c, uint32_t k, double dt)
{
    double *t = &c->q[TEMPERATURE][k], *vapour = &c->q[VAPOUR][k], *cloud = &c->q[CLOUD][k];
    double *rain = &c->q[RAIN][k], *snow = &c->q[SNOW][k];
    double cold = fmin(1, fmax(0, (273.16 - *t) / 40));
    double grown = 1e-3 * fmax(0, *cloud - 5e-4) + 2.2 * *cloud * pow(*rain, 0.875);
    double frozen = cold * *cloud * (5e-4 + 1.5 * pow(*snow, 0.875));
    double wanted = dt * (grown + frozen), taken = fmin(wanted, *cloud);
    double to_rain = wanted > 0 ? taken * grown / (grown + frozen) : 0;
    double to_snow = taken - to_rain;
    double held = saturated(*t, c->pressure[k]);
    double lack = fmax(0, held - *vapour);
    double evaporated = fmin(*rain, dt * 0.02 * lack * sqrt(*rain));
    double melted = fmin(*snow, dt * 1e-3 * fmax(0, *t - 273.16) * sqrt(*snow));
    *cloud = fmax(0, *cloud - taken); /* rounding must not make it negative */
    *rain = fmax(0, *rain + to_rain - evaporated + melted);
    *snow = fmax(0, *snow + to_snow - melted);
    *vapour += evaporated;
    *t += (3.5e5 * (to_snow - melted) - 2.5e6 * evaporated) / 1004;
}

static void saturate(const struct column *c, uint32_t k)
{
    double *t = &c->q[TEMPERATURE][k], *vapour = &c->q[VAPOUR][k], *cloud = &c->q[CLOUD][k];
    for (int i = 0; i < 2; i++) {
        double held = saturated(*t, c->pressure[k]);
        double slope = 2.5e6 * 2.5e6 * held / (1004 * 461.5 * *t * *t);
        double condensed = fmax((*vapour - held) / (1 + slope), -*cloud);
        *vapour -= condensed;
        *cloud += condensed;
        *t += 2.5e6 / 1004 * condensed;
    }
}

static double advance_column(const struct column *c, double dt)
{
    double fallen = 0;
    for (int i = 0; i < 2; i++)
        fallen += let_fall(c, RAIN, 14, dt / 2) + let_fall(c, SNOW, 3, dt / 2);
    for (uint32_t k = 0; k < c->n; k++) {
        change_form(c, k, dt);
        saturate(c, k);
    }
    return fallen;
}

static void wp_reference(void *state)
{
    struct wp *s = state;
    double values[N_FIELDS + 3][MAX_LEVELS];
    struct column c = {.n = s->n_levels,
                       .pressure = values[N_FIELDS],
                       .density = values[N_FIELDS + 1],
                       .thickness = values[N_FIELDS + 2]};
    for (int f = 0; f < N_FIELDS; f++)
        c.q[f] = values[f];
    for (uint32_t column = 0; column < s->n_columns; column++) {
        double fallen = 0;
        for (uint32_t k = 0; k < s->n_levels; k++) {
            size_t i = (size_t)k * s->n_columns + column;
            for (int f = 0; f < N_FIELDS; f++)
                c.q[f][k] = (double)s->expected[f][i];
            c.pressure[k] = (double)s->pressure[i];
            c.density[k] = (double)s->density[i];
            c.thickness[k] = (double)s->thickness[k];
        }
        for (uint32_t step = 0; step < s->steps; step++)
            fallen += advance_column(&c, (double)STEP_SECONDS);
        for (uint32_t k = 0; k < s->n_levels; k++)
            for (int f = 0; f < N_FIELDS; f++)
                s->expected[f][(size_t)k * s->n_columns + column] = (float)c.q[f][k];
        s->expected_fallen[column] = (float)fallen;
    }
}

/* Temperatures are about 280 K, where a float has steps of 3e-5, and saturation changes by 7 % per
 * kelvin, so water, of which there are grams per kilogram, has an error of some 1e-7. */
static bool wp_check(const void *state, struct strbuf *why)
{
    const struct wp *s = state;
    size_t n = (size_t)s->n_columns * s->n_levels;
    for (int f = 0; f < N_FIELDS; f++)
        if (!workload_check_f32(why, field_names[f], s->field[f], s->expected[f], n,
                                f == TEMPERATURE ? 2e-6f : 1e-4f, f == TEMPERATURE ? 0.0f : 5e-7f))
            return false;
    return workload_check_f32(why, "fallen", s->fallen, s->expected_fallen, s->n_columns, 1e-4f,
                              1e-6f);
}

static void wp_teardown(void *state)
{
    struct wp *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size wp_sizes[] = {
    {"tiny", {1600, 16, 1}},
    {"small", {16384, 28, 2}},
    {NULL, {0}},
};

static const struct workload_input wp_inputs[] = {
    {"columns", NULL, 1, 4000000, "of the atmosphere, one thread each"},
    {"levels", NULL, 1, MAX_LEVELS, "from the ground up; the higher ones are thicker"},
    {"steps", NULL, 1, 20, "launches, of a minute of weather each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_wp = {
    .name = "wp",
    .paper_name = "WP",
    .title = "Weather prediction (cloud physics)",
    .summary = "One thread per column of the atmosphere walks eight fields up and down, level by "
               "level: coalesced, but together more than L1D holds; cloudless columns do less.",
    .origin = "Rodinia",
    .categories = {.s4 = "moderately sensitive"},
    .source = workload_wp_source,
    .param_names = {"columns", "levels", "steps"},
    .sizes = wp_sizes,
    .inputs = wp_inputs,
    .state_bytes = sizeof(struct wp),
    .setup = wp_setup,
    .run = wp_run,
    .reference = wp_reference,
    .check = wp_check,
    .teardown = wp_teardown,
};
