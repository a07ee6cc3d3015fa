/* LMD: forces between particles in a box of boxes (S3 Table 3.2; Rodinia's LavaMD).
 *
 * As in Rodinia: a work-group per box, which brings the particles of its own box and of the up to
 * 26 boxes around it to local memory, one box after the other, and adds up a Gaussian potential and
 * its forces. Access pattern: coalesced loads, then broadcasts from local memory and exponentials.
 *
 * Differences from the original: single precision, and a cutoff that is the boxes' alone, as there.
 * "10 nodes" are Rodinia's 10 boxes along each axis; 100 particles a box are its constant.
 *
 * Exactness: coordinates are multiples of 1/64 below 16, so that half the square of a distance is
 * exact; what is left of rounding is in the exponential and the sums. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_lmd_source[];

enum {
    GROUP = 128, /* as in the kernel text */
    NEIGHBOURS = 27,
    GRID_UNIT = 64,
    NO_BOX = -1,
};
static const float DECAY = 0.5f;

struct particle {
    float x, y, z, w;
};

struct lmd {
    struct arena arena;
    uint32_t boxes_along, n_boxes, per_box, n_particles;
    struct particle *particle;
    float *charge;
    int32_t *neighbour; /* NEIGHBOURS of each box, those that are not there at the end */
    struct particle *force, *expected;
};

/* --- Input --- */

static uint32_t box_at(const struct lmd *s, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * s->boxes_along + y) * s->boxes_along + x;
}

/* The boxes that touch this one, itself included. */
static void find_neighbours(struct lmd *s, uint32_t x, uint32_t y, uint32_t z)
{
    int32_t *list = s->neighbour + (size_t)box_at(s, x, y, z) * NEIGHBOURS;
    uint32_t n = 0, along = s->boxes_along;
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        /* Unsigned, so that what is left of the first box is far right of the last. */
        uint32_t nx = x + i % 3 - 1, ny = y + i / 3 % 3 - 1, nz = z + i / 9 - 1;
        if (nx < along && ny < along && nz < along)
            list[n++] = (int32_t)box_at(s, nx, ny, nz);
    }
    while (n < NEIGHBOURS)
        list[n++] = NO_BOX;
}

static float draw_coordinate(uint32_t box, struct workload_rng *rng)
{
    return (float)(box * GRID_UNIT + workload_rng_below(rng, GRID_UNIT)) / GRID_UNIT;
}

static void fill_box(struct lmd *s, uint32_t x, uint32_t y, uint32_t z, struct workload_rng *rng)
{
    for (uint32_t i = 0; i < s->per_box; i++) {
        size_t at = (size_t)box_at(s, x, y, z) * s->per_box + i;
        struct particle *p = &s->particle[at];
        p->x = draw_coordinate(x, rng);
        p->y = draw_coordinate(y, rng);
        p->z = draw_coordinate(z, rng);
        p->w = 0.5f * (p->x * p->x + p->y * p->y + p->z * p->z);
        s->charge[at] = 0.1f + 0.9f * workload_rng_unit(rng);
    }
}

static void lmd_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct lmd *s = state;
    struct workload_rng rng = {seed};
    s->boxes_along = (uint32_t)size->p[0];
    s->per_box = (uint32_t)size->p[1];
    s->n_boxes = s->boxes_along * s->boxes_along * s->boxes_along;
    s->n_particles = s->n_boxes * s->per_box;
    s->particle = ARENA_ARRAY(&s->arena, struct particle, s->n_particles);
    s->force = ARENA_ARRAY(&s->arena, struct particle, s->n_particles);
    s->expected = ARENA_ARRAY(&s->arena, struct particle, s->n_particles);
    s->charge = ARENA_ARRAY(&s->arena, float, s->n_particles);
    s->neighbour = ARENA_ARRAY(&s->arena, int32_t, (size_t)s->n_boxes * NEIGHBOURS);
    for (uint32_t z = 0; z < s->boxes_along; z++)
        for (uint32_t y = 0; y < s->boxes_along; y++)
            for (uint32_t x = 0; x < s->boxes_along; x++) {
                find_neighbours(s, x, y, z);
                fill_box(s, x, y, z, &rng);
            }
}

static void lmd_run(void *state, struct device *d)
{
    struct lmd *s = state;
    size_t bytes = s->n_particles * sizeof(struct particle);
    device_buffer particles = device_alloc_from(d, s->particle, bytes, "particles");
    device_buffer charges =
        device_alloc_from(d, s->charge, s->n_particles * sizeof(float), "charges");
    device_buffer neighbours = device_alloc_from(
        d, s->neighbour, (size_t)s->n_boxes * NEIGHBOURS * sizeof(int32_t), "neighbours");
    device_buffer forces = device_alloc(d, bytes, "forces");
    DEVICE_LAUNCH_1D(d, "lmd_forces", s->n_boxes * GROUP, GROUP, device_arg_buffer(particles),
                     device_arg_buffer(charges), device_arg_buffer(neighbours),
                     device_arg_u32(s->per_box), device_arg_f32(DECAY), device_arg_buffer(forces));
    device_download(d, forces, 0, s->force, bytes);
}

/* --- The reference: in double, from coordinates and their differences alone --- */

/* Particles by the box that their coordinates say: of box b, order[first[b]] .. [first[b + 1] - 1].
 */
struct boxes {
    uint32_t *first, *order;
};

static uint32_t box_of(const struct lmd *s, const struct particle *p)
{
    return box_at(s, (uint32_t)p->x, (uint32_t)p->y, (uint32_t)p->z);
}

static void sort_into_boxes(const struct lmd *s, struct boxes *b)
{
    b->first = xcalloc(s->n_boxes + 2, sizeof *b->first);
    b->order = xcalloc(s->n_particles, sizeof *b->order);
    for (uint32_t i = 0; i < s->n_particles; i++)
        b->first[box_of(s, &s->particle[i]) + 2]++;
    for (uint32_t box = 0; box < s->n_boxes; box++)
        b->first[box + 2] += b->first[box + 1];
    for (uint32_t i = 0; i < s->n_particles; i++)
        b->order[b->first[box_of(s, &s->particle[i]) + 1]++] = i;
}

static void add_force(const struct lmd *s, uint32_t i, uint32_t j, double sum[4])
{
    const struct particle *a = &s->particle[i], *b = &s->particle[j];
    double d[3] = {(double)a->x - (double)b->x, (double)a->y - (double)b->y,
                   (double)a->z - (double)b->z};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double potential = (double)s->charge[j] * exp(-(double)DECAY * square / 2);
    for (int axis = 0; axis < 3; axis++)
        sum[axis] += 2 * potential * d[axis];
    sum[3] += potential;
}

/* Of all boxes, those at most one away along every axis. */
static bool do_touch(const struct lmd *s, uint32_t a, uint32_t b)
{
    for (int axis = 0; axis < 3; axis++, a /= s->boxes_along, b /= s->boxes_along)
        if (a % s->boxes_along > b % s->boxes_along + 1 ||
            b % s->boxes_along > a % s->boxes_along + 1)
            return false;
    return true;
}

static void lmd_reference(void *state)
{
    struct lmd *s = state;
    struct boxes boxes;
    sort_into_boxes(s, &boxes);
    double(*sum)[4] = xcalloc(s->n_particles, sizeof *sum);
    for (uint32_t a = 0; a < s->n_boxes; a++)
        for (uint32_t b = 0; b < s->n_boxes; b++)
            for (uint32_t i = boxes.first[a]; i < boxes.first[a + 1] && do_touch(s, a, b); i++)
                for (uint32_t j = boxes.first[b]; j < boxes.first[b + 1]; j++)
                    add_force(s, boxes.order[i], boxes.order[j], sum[boxes.order[i]]);
    for (uint32_t i = 0; i < s->n_particles; i++)
        s->expected[i] = (struct particle){(float)sum[i][0], (float)sum[i][1], (float)sum[i][2],
                                           (float)sum[i][3]};
    free(sum);
    free(boxes.first);
    free(boxes.order);
}

/* Forces cancel, so rounding errors of their partial sums remain. */
static bool lmd_check(const void *state, struct strbuf *why)
{
    const struct lmd *s = state;
    float tolerance = 1e-6f * NEIGHBOURS * (float)s->per_box;
    return workload_check_f32(why, "force", &s->force->x, &s->expected->x,
                              (size_t)s->n_particles * 4, 5e-6f, tolerance);
}

static void lmd_teardown(void *state)
{
    struct lmd *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size lmd_sizes[] = {
    {"tiny", {3, 16}},
    {"small", {5, 40}},
    {"paper-s3", {10, 100}},
    {NULL, {0}},
};

static const struct workload_input lmd_inputs[] = {
    {"boxes", NULL, 1, 16, "along each of the three axes"},
    {"particles", NULL, 1, GROUP, "in each box"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_lmd = {
    .name = "lmd",
    .paper_name = "LMD",
    .title = "LavaMD (forces between particles)",
    .summary = "One work-group per box of particles brings the boxes around it to local memory, "
               "one after the other, and adds up potentials: exponentials and broadcasts.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive"},
    .source = workload_lmd_source,
    .param_names = {"boxes", "particles"},
    .sizes = lmd_sizes,
    .inputs = lmd_inputs,
    .state_bytes = sizeof(struct lmd),
    .setup = lmd_setup,
    .run = lmd_run,
    .reference = lmd_reference,
    .check = lmd_check,
    .teardown = lmd_teardown,
};
