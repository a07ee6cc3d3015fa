/* S3D: rates of a chemical mechanism over a grid (the chemistry of SHOC's S3D; S3 Table 6.3).
 *
 * As there: 22 species and 206 reactions, a cell per work-item, a launch for the thermodynamics,
 * one for the rate constants and one for the production rates. Access pattern: coalesced streams
 * of a value per cell and reaction; exponentials.
 *
 * SHOC's mechanism is the combustion of ethylene, with constants in the code. Ours is drawn from
 * the seed: two reactants and two products for each reaction, Arrhenius constants and free energies
 * of a few RT, so that no rate leaves the range of a float. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_s3d_source[];

enum { GROUP = 128, SPECIES = 22 /* as in s3d.cl */ };

struct s3d {
    struct arena arena;
    uint32_t n, reactions;
    float *temperature, *concentration; /* concentration: [species][cell] */
    float (*thermo)[4], (*arrhenius)[4];
    int32_t (*reaction)[4];
    float *got, *want; /* of the sum of all rates of the species, which is 1 */
    float *production;
};

static float between(struct workload_rng *rng, float low, float high)
{
    return low + (high - low) * workload_rng_unit(rng);
}

static void draw_mechanism(struct s3d *s, struct workload_rng *rng)
{
    for (uint32_t k = 0; k < SPECIES; k++) {
        s->thermo[k][0] = between(rng, -1, 1);
        s->thermo[k][1] = between(rng, -5e-4f, 5e-4f);
        s->thermo[k][2] = between(rng, -0.2f, 0.2f);
        s->thermo[k][3] = between(rng, -500, 500);
    }
    for (uint32_t r = 0; r < s->reactions; r++) {
        s->arrhenius[r][0] = between(rng, 1, 5);
        s->arrhenius[r][1] = between(rng, -0.5f, 0.5f);
        s->arrhenius[r][2] = between(rng, 0, 5000);
        for (uint32_t k = 0; k < 4; k++)
            s->reaction[r][k] = (int32_t)workload_rng_below(rng, SPECIES);
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct s3d *s = state;
    struct workload_rng rng = {seed};
    s->n = device_round_up((uint32_t)size->p[0], GROUP);
    s->reactions = (uint32_t)size->p[1];
    size_t values = (size_t)s->n * SPECIES;
    s->thermo = arena_alloc(&s->arena, SPECIES * sizeof *s->thermo);
    s->arrhenius = arena_alloc(&s->arena, s->reactions * sizeof *s->arrhenius);
    s->reaction = arena_alloc(&s->arena, s->reactions * sizeof *s->reaction);
    s->temperature = ARENA_ARRAY(&s->arena, float, s->n);
    s->concentration = ARENA_ARRAY(&s->arena, float, values);
    s->production = ARENA_ARRAY(&s->arena, float, values);
    s->got = ARENA_ARRAY(&s->arena, float, values);
    s->want = ARENA_ARRAY(&s->arena, float, values);
    draw_mechanism(s, &rng);
    for (uint32_t i = 0; i < s->n; i++)
        s->temperature[i] = between(&rng, 800, 2000);
    for (size_t i = 0; i < values; i++)
        s->concentration[i] = between(&rng, 0.01f, 1);
}

static void run(void *state, struct device *d)
{
    struct s3d *s = state;
    size_t bytes = (size_t)s->n * SPECIES * sizeof(float);
    size_t rate_bytes = (size_t)s->n * s->reactions * sizeof(float);
    device_buffer temperature =
        device_alloc_from(d, s->temperature, s->n * sizeof(float), "temperature");
    device_buffer concentration = device_alloc_from(d, s->concentration, bytes, "concentration");
    device_buffer thermo = device_alloc_from(d, s->thermo, SPECIES * sizeof *s->thermo, "thermo");
    device_buffer arrhenius =
        device_alloc_from(d, s->arrhenius, s->reactions * sizeof *s->arrhenius, "arrhenius");
    device_buffer reaction =
        device_alloc_from(d, s->reaction, s->reactions * sizeof *s->reaction, "reaction");
    device_buffer energy = device_alloc(d, bytes, "energy");
    device_buffer forwards = device_alloc(d, rate_bytes, "forwards");
    device_buffer backwards = device_alloc(d, rate_bytes, "backwards");
    device_buffer production = device_alloc(d, bytes, "production");
    DEVICE_LAUNCH_1D(d, "free_energies", s->n, GROUP, device_arg_buffer(temperature),
                     device_arg_buffer(thermo), device_arg_buffer(energy));
    DEVICE_LAUNCH_1D(d, "rate_constants", s->n, GROUP, device_arg_buffer(temperature),
                     device_arg_buffer(arrhenius), device_arg_buffer(reaction),
                     device_arg_u32(s->reactions), device_arg_buffer(energy),
                     device_arg_buffer(forwards), device_arg_buffer(backwards));
    DEVICE_LAUNCH_1D(d, "production_rates", s->n, GROUP, device_arg_buffer(concentration),
                     device_arg_buffer(reaction), device_arg_u32(s->reactions),
                     device_arg_buffer(forwards), device_arg_buffer(backwards),
                     device_arg_buffer(production));
    device_download(d, production, 0, s->production, bytes);
}

static double free_energy(const struct s3d *s, int32_t species, double t)
{
    const float *a = s->thermo[species];
    return (double)a[0] + (double)a[1] * t + (double)a[2] * log(t) + (double)a[3] / t;
}

/* Adds one reaction of one cell to the gain of each species, and to the sum of its rates. */
static void add_reaction(const struct s3d *s, uint32_t r, uint32_t cell, double made[SPECIES],
                         double moved[SPECIES])
{
    double t = (double)s->temperature[cell], gain = 0;
    const float *a = s->arrhenius[r];
    double rate[2] = {exp((double)a[0] + (double)a[1] * log(t) - (double)a[2] / t)};
    for (uint32_t k = 0; k < 4; k++)
        gain += (k < 2 ? -1 : 1) * free_energy(s, s->reaction[r][k], t);
    rate[1] = rate[0] * exp(gain);
    for (uint32_t k = 0; k < 4; k++)
        rate[k / 2] *= (double)s->concentration[(size_t)s->reaction[r][k] * s->n + cell];
    for (uint32_t k = 0; k < 4; k++) {
        made[s->reaction[r][k]] += (k < 2 ? -1 : 1) * (rate[0] - rate[1]);
        moved[s->reaction[r][k]] += rate[0] + rate[1];
    }
}

/* Gains and losses nearly cancel: both sides are relative to the sum of all rates of the
 * species. */
static void reference(void *state)
{
    struct s3d *s = state;
    for (uint32_t cell = 0; cell < s->n; cell++) {
        double made[SPECIES] = {0}, moved[SPECIES] = {0};
        for (uint32_t r = 0; r < s->reactions; r++)
            add_reaction(s, r, cell, made, moved);
        for (uint32_t k = 0; k < SPECIES; k++) {
            size_t at = (size_t)k * s->n + cell;
            double whole = moved[k] > 0 ? moved[k] : 1;
            s->got[at] = (float)((double)s->production[at] / whole);
            s->want[at] = (float)(made[k] / whole);
        }
    }
}

/* Exponents of up to about 20 have an error of some 1e-6, and so do the rates. */
static bool check(const void *state, struct strbuf *why)
{
    const struct s3d *s = state;
    return workload_check_f32(why, "rate", s->got, s->want, (size_t)s->n * SPECIES, 0.0f, 2e-5f);
}

static void teardown(void *state)
{
    struct s3d *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {1024, 60}},
    {"small", {1 << 14, 206}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"cells", NULL, 1, 1 << 20, "of the grid, one work-item each"},
    {"reactions", NULL, 1, 1000, "of the mechanism"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_s3d = {
    .name = "s3d",
    .paper_name = "S3D",
    .title = "Chemical rates of a combustion code",
    .summary = "Arrhenius rates and production of 22 species in each cell: exponentials, and "
               "coalesced streams of one value per cell and reaction.",
    .origin = "SHOC",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_s3d_source,
    .param_names = {"cells", "reactions"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct s3d),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
