/* STEN: a seven-point stencil on a regular 3D grid, iterated.
 *
 * Used by S2 (512x512x64). As in Parboil: 2D work-groups march along z with the column in registers
 * and the plane in local memory, two grids alternate, the border is fixed.
 *
 * Simplified: no coarsening along x. The weights add up to 1 (heat diffusion); Parboil's add up to
 * 0, so its grid fades to nothing within a few iterations, which no check could tell from an error.
 * The paper gives no number of iterations; it is ours. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_sten_source[];

enum { TILE_X = 32, TILE_Y = 4 /* as in sten.cl */ };
static const float CENTRE_WEIGHT = 0.4f, SIDE_WEIGHT = 0.1f;

struct sten {
    struct arena memory;
    uint32_t nx, ny, nz, iterations;
    size_t cells;
    float *initial, *final, *expected;
};

static void sten_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sten *s = state;
    struct workload_rng rng = {seed};
    s->nx = (uint32_t)size->p[0];
    s->ny = (uint32_t)size->p[1];
    s->nz = (uint32_t)size->p[2];
    s->iterations = (uint32_t)size->p[3];
    s->cells = (size_t)s->nx * s->ny * s->nz;
    s->initial = ARENA_ARRAY(&s->memory, float, s->cells);
    s->final = ARENA_ARRAY(&s->memory, float, s->cells);
    s->expected = ARENA_ARRAY(&s->memory, float, s->cells);
    for (size_t i = 0; i < s->cells; i++)
        s->initial[i] = workload_rng_unit(&rng);
}

static void sten_run(void *state, struct device *d)
{
    struct sten *s = state;
    size_t bytes = s->cells * sizeof(float);
    device_buffer in = device_alloc_from(d, s->initial, bytes, "grid a");
    device_buffer out = device_alloc_from(d, s->initial, bytes, "grid b");

    for (uint32_t i = 0; i < s->iterations; i++) {
        DEVICE_LAUNCH_2D(d, "stencil", device_round_up(s->nx, TILE_X),
                         device_round_up(s->ny, TILE_Y), TILE_X, TILE_Y, device_arg_buffer(in),
                         device_arg_buffer(out), device_arg_u32(s->nx), device_arg_u32(s->ny),
                         device_arg_u32(s->nz), device_arg_f32(CENTRE_WEIGHT),
                         device_arg_f32(SIDE_WEIGHT));
        device_buffer swap = in;
        in = out;
        out = swap;
    }
    device_download(d, in, 0, s->final, bytes);
}

static void diffuse(const struct sten *s, const double *in, double *out)
{
    size_t row = s->nx, layer = row * s->ny;
    for (size_t z = 1; z + 1 < s->nz; z++)
        for (size_t y = 1; y + 1 < s->ny; y++)
            for (size_t x = 1; x + 1 < s->nx; x++) {
                const double *c = in + z * layer + y * row + x;
                double sides = c[-1] + c[1] + *(c - row) + c[row] + *(c - layer) + c[layer];
                out[c - in] = (double)CENTRE_WEIGHT * *c + (double)SIDE_WEIGHT * sides;
            }
}

/* Whole grids, in double precision. */
static void sten_reference(void *state)
{
    struct sten *s = state;
    struct arena scratch = {0};
    double *in = ARENA_ARRAY(&scratch, double, s->cells);
    double *out = ARENA_ARRAY(&scratch, double, s->cells);
    for (size_t i = 0; i < s->cells; i++)
        in[i] = out[i] = (double)s->initial[i];
    for (uint32_t i = 0; i < s->iterations; i++) {
        diffuse(s, in, out);
        double *swap = in;
        in = out;
        out = swap;
    }
    for (size_t i = 0; i < s->cells; i++)
        s->expected[i] = (float)in[i];
    arena_destroy(&scratch);
}

/* Each iteration is a weighted mean, so errors do not grow: it adds the roundings of six additions
 * of values up to 6 and scales them by 0.1, some 1e-7, at most. */
static bool sten_check(const void *state, struct strbuf *why)
{
    const struct sten *s = state;
    float tolerance = 1.5e-7f * (float)s->iterations;
    return workload_check_f32(why, "grid", s->final, s->expected, s->cells, 0.0f, tolerance);
}

static void sten_teardown(void *state)
{
    struct sten *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {70, 38, 18, 7}},
    {"small", {128, 128, 32, 10}},
    {"paper-s2", {512, 512, 64, 4}},
    {NULL, {0}},
};

const struct workload workload_sten = {
    .name = "sten",
    .paper_name = "STEN",
    .title = "3D stencil",
    .summary =
        "Seven-point Jacobi stencil: work-groups march along z with columns in registers and "
        "planes in local memory; streaming, coalesced.",
    .origin = "Parboil",
    .categories = {.s2 = "cache-sufficient"},
    .source = workload_sten_source,
    .param_names = {"nx", "ny", "nz", "iterations"},
    .sizes = sizes,
    .state_bytes = sizeof(struct sten),
    .setup = sten_setup,
    .run = sten_run,
    .reference = sten_reference,
    .check = sten_check,
    .teardown = sten_teardown,
};
