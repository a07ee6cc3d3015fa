/* Cloud physics of a weather model, one work-item per column of the atmosphere.
 *
 * Fields lie level by level, so that the columns of a warp are next to each other; a column is
 * walked several times, for each of its fields. Rain and snow fall in short steps, then water
 * changes its form on every level: condensation, collection, freezing, melting, evaporation. */

#define HEAT_OF_EVAPORATION 2.5e6f/* latent heat of evaporation, J/kg */
#define HEAT_OF_FUSION 3.5e5f/* J/kg */
#define HEAT_CAPACITY 1004.0f/* of air, J/(kg K) */
#define GAS_CONSTANT_VAPOUR 461.5f
#define MELTING_POINT 273.16f
#define FALL_STEPS 2

/* Water vapour that air can hold, kg/kg (Tetens's formula). */
static float saturation(float temperature, float pressure)
{
    float vapour = 610.78f * exp(17.269f * (temperature - MELTING_POINT) / (temperature - 35.86f));
    return 0.622f * vapour / (pressure - 0.378f * vapour);
}

static float eighth_root(float x)
{
    return sqrt(sqrt(sqrt(x)));
}

/* x to the power of 7/8. */
static float collecting(float x)
{
    return x > 0.0f ? x / eighth_root(x) : 0.0f;
}

/* What falls of one kind of water during `dt`, from the top down; returns what reaches the ground,
 * kg/m2. The speed is that of drops of their mean size in air of their level's density. */
static float fall(__global float *water, __global const float *density,
                  __global const float *thickness, uint column, uint n_columns, uint n_levels,
                  float speed_factor, float dt)
{
    float from_above = 0.0f;
    for (uint k = n_levels; k-- > 0;) {
        uint i = k * n_columns + column;
        float here = water[i], air = density[i] * thickness[k], out = 0.0f;
        if (here > 0.0f) {
            float speed = speed_factor * eighth_root(density[i] * here) * sqrt(1.2f / density[i]);
            out = air * here * fmin(1.0f, speed * dt / thickness[k]);
        }
        water[i] = fmax(0.0f, here + (from_above - out) / air);
        from_above = out;
    }
    return from_above;
}

struct level {
    float temperature, vapour, cloud, rain, snow;
};

/* Cloud drops that rain and snow form from or collect, rain that evaporates, snow that melts. */
static struct level convert(struct level a, float pressure, float dt)
{
    float cold = clamp((MELTING_POINT - a.temperature) / 40.0f, 0.0f, 1.0f);
    float to_rain = dt * (1e-3f * fmax(0.0f, a.cloud - 5e-4f) + 2.2f * a.cloud * collecting(a.rain));
    float to_snow = dt * cold * a.cloud * (5e-4f + 1.5f * collecting(a.snow));
    float share = fmin(1.0f, a.cloud / fmax(to_rain + to_snow, 1e-12f));
    to_rain *= share;
    to_snow *= share;
    float held = saturation(a.temperature, pressure);
    float dryness = 1.0f - fmin(1.0f, a.vapour / held);
    float evaporated = fmin(a.rain, dt * 0.02f * dryness * held * sqrt(a.rain));
    float melted =
        fmin(a.snow, dt * 1e-3f * fmax(0.0f, a.temperature - MELTING_POINT) * sqrt(a.snow));
    a.cloud = fmax(0.0f, a.cloud - (to_rain + to_snow)); /* rounding must not make less than nothing */
    a.rain = fmax(0.0f, a.rain + to_rain - evaporated + melted);
    a.snow = fmax(0.0f, a.snow + to_snow - melted);
    a.vapour += evaporated;
    a.temperature +=
        (HEAT_OF_FUSION * (to_snow - melted) - HEAT_OF_EVAPORATION * evaporated) / HEAT_CAPACITY;
    return a;
}

/* Vapour condenses, or cloud drops evaporate, until the air holds what it can. Condensing warms the
 * air, which can then hold more: one step of Newton's method, twice. */
static struct level condense(struct level a, float pressure)
{
    for (uint i = 0; i < 2; i++) {
        float held = saturation(a.temperature, pressure);
        float slope = HEAT_OF_EVAPORATION * HEAT_OF_EVAPORATION * held /
                      (HEAT_CAPACITY * GAS_CONSTANT_VAPOUR * a.temperature * a.temperature);
        float condensed = fmax((a.vapour - held) / (1.0f + slope), -a.cloud);
        a.vapour -= condensed;
        a.cloud += condensed;
        a.temperature += HEAT_OF_EVAPORATION / HEAT_CAPACITY * condensed;
    }
    return a;
}

__kernel void wp_step(__global float *temperature, __global float *vapour, __global float *cloud,
                      __global float *rain, __global float *snow, __global const float *pressure,
                      __global const float *density, __global const float *thickness,
                      __global float *fallen, uint n_columns, uint n_levels, float dt)
{
    uint column = get_global_id(0);
    if (column >= n_columns)
        return;
    float ground = fallen[column];
    for (uint s = 0; s < FALL_STEPS; s++) {
        ground += fall(rain, density, thickness, column, n_columns, n_levels, 14.0f,
                       dt / FALL_STEPS);
        ground += fall(snow, density, thickness, column, n_columns, n_levels, 3.0f,
                       dt / FALL_STEPS);
    }
    fallen[column] = ground;
    for (uint k = 0; k < n_levels; k++) {
        uint i = k * n_columns + column;
        struct level a = {temperature[i], vapour[i], cloud[i], rain[i], snow[i]};
        if (a.cloud + a.rain + a.snow > 0.0f)
            a = convert(a, pressure[i], dt);
        a = condense(a, pressure[i]);
        temperature[i] = a.temperature;
        vapour[i] = a.vapour;
        cloud[i] = a.cloud;
        rain[i] = a.rain;
        snow[i] = a.snow;
    }
}
