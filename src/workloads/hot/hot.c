/* HOT: HotSpot, the temperature of a chip over time, from its floor plan's power.
 *
 * Used by S2 (as HS, 512x512) and S3 (512x512). As in Rodinia: 16x16 work-groups with pyramid
 * blocking in local memory (two time steps a launch), two temperature arrays that alternate, and
 * HotSpot's thermal constants. S1's L2 study uses it for its traffic between launches.
 *
 * Simplified: temperature and power maps are drawn from the seed; power stays in a register rather
 * than in a second local tile. The papers give no number of time steps; it is ours. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_hot_source[];

enum { TILE = 16 /* as in hot.cl */ };

/* HotSpot's chip: metres, watts, kelvins, seconds. */
static const double CHIP_SIDE = 0.016, CHIP_THICKNESS = 0.0005, MAX_POWER_DENSITY = 3e6,
                    SPECIFIC_HEAT = 1.75e6, CONDUCTIVITY = 100, CAPACITY_FACTOR = 0.5,
                    PRECISION = 0.001, AMBIENT = 80;

/* The grid of thermal resistances between cells. */
struct circuit {
    double along_x, along_y, to_ambient; /* reciprocal resistances, W/K */
    double step_over_capacity;           /* K/W */
};

struct hot {
    struct arena memory;
    uint32_t cols, rows, steps, height; /* height: steps per launch */
    struct circuit circuit;
    float *power, *temp;
    float *final, *expected;
};

static struct circuit make_circuit(uint32_t cols, uint32_t rows)
{
    double dx = CHIP_SIDE / cols, dy = CHIP_SIDE / rows;
    double capacity = CAPACITY_FACTOR * SPECIFIC_HEAT * CHIP_THICKNESS * dx * dy;
    double steepest = MAX_POWER_DENSITY / (CAPACITY_FACTOR * CHIP_THICKNESS * SPECIFIC_HEAT);
    return (struct circuit){
        .along_x = 2 * CONDUCTIVITY * CHIP_THICKNESS * dy / dx,
        .along_y = 2 * CONDUCTIVITY * CHIP_THICKNESS * dx / dy,
        .to_ambient = CONDUCTIVITY * dx * dy / CHIP_THICKNESS,
        .step_over_capacity = PRECISION / steepest / capacity,
    };
}

static void hot_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct hot *s = state;
    struct workload_rng rng = {seed};
    s->cols = (uint32_t)size->p[0];
    s->rows = (uint32_t)size->p[1];
    s->steps = (uint32_t)size->p[2];
    s->height = (uint32_t)size->p[3];
    s->circuit = make_circuit(s->cols, s->rows);
    size_t cells = (size_t)s->cols * s->rows;
    s->power = ARENA_ARRAY(&s->memory, float, cells);
    s->temp = ARENA_ARRAY(&s->memory, float, cells);
    s->final = ARENA_ARRAY(&s->memory, float, cells);
    s->expected = ARENA_ARRAY(&s->memory, float, cells);

    float hottest_cell = (float)(MAX_POWER_DENSITY * CHIP_SIDE * CHIP_SIDE / (double)cells);
    for (size_t i = 0; i < cells; i++) {
        s->temp[i] = 40.0f + 50.0f * workload_rng_unit(&rng);
        s->power[i] = hottest_cell * workload_rng_unit(&rng);
    }
}

static void hot_run(void *state, struct device *d)
{
    struct hot *s = state;
    const struct circuit *c = &s->circuit;
    size_t bytes = (size_t)s->cols * s->rows * sizeof(float);
    uint32_t useful = TILE - 2 * s->height;
    uint32_t width = (s->cols + useful - 1) / useful * TILE;
    uint32_t depth = (s->rows + useful - 1) / useful * TILE;
    device_buffer power = device_alloc_from(d, s->power, bytes, "power");
    device_buffer temp_in = device_alloc_from(d, s->temp, bytes, "temperature a");
    device_buffer temp_out = device_alloc(d, bytes, "temperature b");

    for (uint32_t done = 0; done < s->steps; done += s->height) {
        uint32_t left = s->steps - done;
        DEVICE_LAUNCH_2D(
            d, "hotspot", width, depth, TILE, TILE, device_arg_buffer(power),
            device_arg_buffer(temp_in), device_arg_buffer(temp_out), device_arg_u32(s->cols),
            device_arg_u32(s->rows), device_arg_u32(left < s->height ? left : s->height),
            device_arg_u32(s->height), device_arg_f32((float)c->along_x),
            device_arg_f32((float)c->along_y), device_arg_f32((float)c->to_ambient),
            device_arg_f32((float)c->step_over_capacity), device_arg_f32((float)AMBIENT));
        device_buffer swap = temp_in;
        temp_in = temp_out;
        temp_out = swap;
    }
    device_download(d, temp_in, 0, s->final, bytes);
}

/* The heat a neighbour brings in, W; nothing where there is no neighbour. */
static double inflow(const double *temp, const struct hot *s, uint32_t x, uint32_t y)
{
    const double *cell = temp + (size_t)y * s->cols + x;
    double watts = (AMBIENT - *cell) * s->circuit.to_ambient;
    if (x > 0)
        watts += (cell[-1] - *cell) * s->circuit.along_x;
    if (x + 1 < s->cols)
        watts += (cell[1] - *cell) * s->circuit.along_x;
    if (y > 0)
        watts += (*(cell - s->cols) - *cell) * s->circuit.along_y;
    if (y + 1 < s->rows)
        watts += (cell[s->cols] - *cell) * s->circuit.along_y;
    return watts;
}

/* One explicit step over the whole chip after the other, in double precision. */
static void hot_reference(void *state)
{
    struct hot *s = state;
    struct arena scratch = {0};
    size_t cells = (size_t)s->cols * s->rows;
    double *now = ARENA_ARRAY(&scratch, double, cells),
           *next = ARENA_ARRAY(&scratch, double, cells);
    for (size_t i = 0; i < cells; i++)
        now[i] = (double)s->temp[i];
    for (uint32_t step = 0; step < s->steps; step++) {
        for (uint32_t y = 0; y < s->rows; y++)
            for (uint32_t x = 0; x < s->cols; x++) {
                size_t i = (size_t)y * s->cols + x;
                double watts = (double)s->power[i] + inflow(now, s, x, y);
                next[i] = now[i] + s->circuit.step_over_capacity * watts;
            }
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t i = 0; i < cells; i++)
        s->expected[i] = (float)now[i];
    arena_destroy(&scratch);
}

/* Temperatures are below 128, where a float has steps of 7.6e-6 K; each time step rounds the sum
 * once and the flow terms, some 1e-6 K each, a few times. A step's power alone is 1e-3 K. */
static bool hot_check(const void *state, struct strbuf *why)
{
    const struct hot *s = state;
    float tolerance = 1e-5f * (float)s->steps;
    return workload_check_f32(why, "temperature", s->final, s->expected, (size_t)s->cols * s->rows,
                              0.0f, tolerance);
}

static void hot_teardown(void *state)
{
    struct hot *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {100, 90, 7, 2}},
    {"small", {512, 512, 6, 2}},
    {"paper-s2", {512, 512, 20, 2}},
    {"paper-s3", {512, 512, 20, 2}},
    {NULL, {0}},
};

const struct workload workload_hot = {
    .name = "hot",
    .paper_name = "HOT",
    .title = "HotSpot",
    .summary = "Five-point thermal stencil over a chip: two time steps per launch in local memory, "
               "with overlapping tiles; power and temperature read coalesced.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-sufficient",
                   .s3_ch3 = "computation-intensive",
                   .s3_ch5 = "not cache-sensitive"},
    .source = workload_hot_source,
    .param_names = {"cols", "rows", "steps", "steps_per_launch"},
    .sizes = sizes,
    .state_bytes = sizeof(struct hot),
    .setup = hot_setup,
    .run = hot_run,
    .reference = hot_reference,
    .check = hot_check,
    .teardown = hot_teardown,
};
