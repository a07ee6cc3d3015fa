/* CFD: supersonic flow by finite volumes on an unstructured mesh (Euler equations).
 *
 * Used by S2 (97,046 elements) and S4 (no size given). As in Rodinia's euler3d: four neighbours per
 * element in an index list, variable-major arrays, local time steps, a central scheme with
 * artificial viscosity, three Runge-Kutta stages per iteration, kernels compute_step_factor,
 * compute_flux and time_step in work-groups of 192, Mach 1.2 from the far field.
 *
 * Simplified: the mesh is made from the seed (see cfd_mesh.c; Rodinia's files are of aircraft
 * parts) and starts from a disturbed far field, since from a uniform one nearly every flux would be
 * zero; the far field's state comes as scalar arguments, not from constant memory; two arrays
 * alternate where Rodinia copies one. The papers give no number of iterations (Rodinia's example:
 * 2,000); it is ours. */
#include <math.h>

#include "workloads/cfd/cfd_mesh.h"

extern const char workload_cfd_source[];

/* As in cfd.cl. */
enum { GROUP = 192, STAGES = 3 };
enum variable { DENSITY, MOMENTUM_X, MOMENTUM_Y, MOMENTUM_Z, ENERGY, VARIABLES };
static const double GAMMA = 1.4, MACH = 1.2, SMOOTHING = 0.2, CFL = 0.5;

struct cfd {
    struct arena memory;
    struct cfd_mesh mesh;
    uint32_t iterations;
    size_t values; /* VARIABLES x stride */
    double far_field[VARIABLES];
    float *initial, *final, *expected;
};

/* Pressure 1 and speed of sound 1. */
static void set_far_field(double far_field[VARIABLES])
{
    far_field[DENSITY] = GAMMA;
    far_field[MOMENTUM_X] = GAMMA * MACH;
    far_field[MOMENTUM_Y] = far_field[MOMENTUM_Z] = 0;
    far_field[ENERGY] = GAMMA * MACH * MACH / 2 + 1 / (GAMMA - 1);
}

static void cfd_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct cfd *s = state;
    struct workload_rng rng = {seed};
    uint32_t n = (uint32_t)size->p[0], stride = device_round_up(n, GROUP);
    s->iterations = (uint32_t)size->p[2];
    cfd_mesh_create(&s->mesh, &s->memory, n, stride, (uint32_t)size->p[1], &rng);
    s->values = VARIABLES * (size_t)stride;
    s->initial = ARENA_ARRAY(&s->memory, float, s->values);
    s->final = ARENA_ARRAY(&s->memory, float, s->values);
    s->expected = ARENA_ARRAY(&s->memory, float, s->values);
    set_far_field(s->far_field);
    for (uint32_t v = 0; v < VARIABLES; v++)
        for (uint32_t i = 0; i < n; i++) {
            float disturbance = 0.1f * (2.0f * workload_rng_unit(&rng) - 1.0f);
            s->initial[(size_t)v * stride + i] = (float)s->far_field[v] + disturbance;
        }
}

struct device_mesh {
    device_buffer neighbour, normal, surface, step_factor, flux;
};

static struct device_mesh upload_mesh(const struct cfd *s, struct device *d)
{
    const struct cfd_mesh *m = &s->mesh;
    size_t row_bytes = m->stride * sizeof(float);
    return (struct device_mesh){
        .neighbour = device_alloc_from(d, m->neighbour, CFD_FACES * row_bytes, "neighbours"),
        .normal =
            device_alloc_from(d, m->inward_normal, CFD_FACES * CFD_AXES * row_bytes, "normals"),
        .surface = device_alloc_from(d, m->surface, row_bytes, "surface"),
        .step_factor = device_alloc(d, row_bytes, "step factor"),
        .flux = device_alloc(d, VARIABLES * row_bytes, "fluxes"),
    };
}

/* From `old` to `now`, which is also where the stages pass through. */
static void iterate(const struct cfd *s, struct device *d, const struct device_mesh *m,
                    device_buffer old, device_buffer now)
{
    struct device_arg n = device_arg_u32(s->mesh.n), stride = device_arg_u32(s->mesh.stride);
    uint32_t global = s->mesh.stride;
    DEVICE_LAUNCH_1D(d, "compute_step_factor", global, GROUP, n, stride, device_arg_buffer(old),
                     device_arg_buffer(m->surface), device_arg_buffer(m->step_factor));
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        DEVICE_LAUNCH_1D(d, "compute_flux", global, GROUP, n, stride,
                         device_arg_buffer(m->neighbour), device_arg_buffer(m->normal),
                         device_arg_buffer(stage == 0 ? old : now), device_arg_buffer(m->flux),
                         device_arg_f32((float)s->far_field[DENSITY]),
                         device_arg_f32((float)s->far_field[MOMENTUM_X]),
                         device_arg_f32((float)s->far_field[ENERGY]));
        DEVICE_LAUNCH_1D(d, "time_step", global, GROUP, n, stride, device_arg_u32(stage),
                         device_arg_buffer(old), device_arg_buffer(now),
                         device_arg_buffer(m->step_factor), device_arg_buffer(m->flux));
    }
}

static void cfd_run(void *state, struct device *d)
{
    struct cfd *s = state;
    size_t bytes = s->values * sizeof(float);
    struct device_mesh m = upload_mesh(s, d);
    device_buffer old = device_alloc_from(d, s->initial, bytes, "variables a");
    device_buffer now = device_alloc(d, bytes, "variables b");
    for (uint32_t i = 0; i < s->iterations; i++) {
        iterate(s, d, &m, old, now);
        device_buffer swap = old;
        old = now;
        now = swap;
    }
    device_download(d, old, 0, s->final, bytes);
}

/* --- Reference: face by face in double precision, each inner face once for both its elements ---
 */

struct gas {
    double pressure, sound, speed, velocity[CFD_AXES];
};

static struct gas gas_of(const double u[VARIABLES])
{
    struct gas g;
    double kinetic = 0;
    for (int axis = 0; axis < CFD_AXES; axis++) {
        g.velocity[axis] = u[MOMENTUM_X + axis] / u[DENSITY];
        kinetic += u[MOMENTUM_X + axis] * g.velocity[axis] / 2;
    }
    g.speed = sqrt(2 * kinetic / u[DENSITY]);
    g.pressure = (u[ENERGY] - kinetic) * (GAMMA - 1);
    g.sound = sqrt(GAMMA * g.pressure / u[DENSITY]);
    return g;
}

/* The Euler flux of each variable along a unit direction. */
static void euler_flux(const double u[VARIABLES], const double along[CFD_AXES],
                       double flux[VARIABLES])
{
    struct gas g = gas_of(u);
    double velocity = 0;
    for (int axis = 0; axis < CFD_AXES; axis++)
        velocity += g.velocity[axis] * along[axis];
    for (int v = 0; v < VARIABLES; v++)
        flux[v] = velocity * u[v];
    for (int axis = 0; axis < CFD_AXES; axis++)
        flux[MOMENTUM_X + axis] += g.pressure * along[axis];
    flux[ENERGY] += velocity * g.pressure;
}

struct face {
    double area, inward[CFD_AXES]; /* into `left` */
    uint32_t left;
    int32_t right; /* an element, CFD_WALL or CFD_FAR_FIELD */
};

static struct face face_of(const struct cfd_mesh *m, uint32_t element, uint32_t face)
{
    struct face f = {.left = element, .right = m->neighbour[(size_t)face * m->stride + element]};
    for (uint32_t axis = 0; axis < CFD_AXES; axis++) {
        size_t row = (size_t)face * CFD_AXES + axis;
        f.inward[axis] = (double)m->inward_normal[row * m->stride + element];
        f.area += f.inward[axis] * f.inward[axis];
    }
    f.area = sqrt(f.area);
    for (uint32_t axis = 0; axis < CFD_AXES; axis++)
        f.inward[axis] /= f.area;
    return f;
}

/* What flows through a face into its left element, per unit of area. */
static void face_flux(const struct cfd *s, const struct face *f, double (*u)[VARIABLES],
                      double flux[VARIABLES])
{
    const double *left = u[f->left], *right = f->right >= 0 ? u[f->right] : s->far_field;
    double from_left[VARIABLES], from_right[VARIABLES];
    struct gas l = gas_of(left), r = gas_of(right);
    if (f->right == CFD_WALL) {
        flux[DENSITY] = flux[ENERGY] = 0;
        for (int axis = 0; axis < CFD_AXES; axis++)
            flux[MOMENTUM_X + axis] = l.pressure * f->inward[axis];
        return;
    }
    double viscosity = f->right >= 0 ? SMOOTHING * (l.speed + l.sound + r.speed + r.sound) : 0;
    euler_flux(left, f->inward, from_left);
    euler_flux(right, f->inward, from_right);
    for (int v = 0; v < VARIABLES; v++)
        flux[v] = (from_left[v] + from_right[v] + viscosity * (right[v] - left[v])) / 2;
}

static void sum_fluxes(const struct cfd *s, double (*u)[VARIABLES], double (*sum)[VARIABLES])
{
    for (uint32_t i = 0; i < s->mesh.n; i++)
        for (int v = 0; v < VARIABLES; v++)
            sum[i][v] = 0;
    for (uint32_t i = 0; i < s->mesh.n; i++)
        for (uint32_t k = 0; k < CFD_FACES; k++) {
            struct face f = face_of(&s->mesh, i, k);
            double flux[VARIABLES];
            if (f.right >= 0 && (uint32_t)f.right < i)
                continue; /* done from the other side */
            face_flux(s, &f, u, flux);
            for (int v = 0; v < VARIABLES; v++) {
                sum[i][v] += flux[v] * f.area;
                if (f.right >= 0)
                    sum[f.right][v] -= flux[v] * f.area;
            }
        }
}

static void advance(const struct cfd *s, double (*u)[VARIABLES], double (*start)[VARIABLES],
                    double (*sum)[VARIABLES])
{
    uint32_t n = s->mesh.n;
    for (uint32_t i = 0; i < n; i++)
        for (int v = 0; v < VARIABLES; v++)
            start[i][v] = u[i][v];
    for (int stage = 0; stage < STAGES; stage++) {
        sum_fluxes(s, u, sum);
        for (uint32_t i = 0; i < n; i++) {
            struct gas g = gas_of(start[i]);
            double step = CFL / ((double)s->mesh.surface[i] * (g.speed + g.sound));
            for (int v = 0; v < VARIABLES; v++)
                u[i][v] = start[i][v] + step / (STAGES + 1 - stage) * sum[i][v];
        }
    }
}

static void cfd_reference(void *state)
{
    struct cfd *s = state;
    uint32_t n = s->mesh.n, stride = s->mesh.stride;
    struct arena scratch = {0};
    double(*u)[VARIABLES] = arena_alloc(&scratch, n * sizeof *u);
    double(*start)[VARIABLES] = arena_alloc(&scratch, n * sizeof *start);
    double(*sum)[VARIABLES] = arena_alloc(&scratch, n * sizeof *sum);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = 0; v < VARIABLES; v++)
            u[i][v] = (double)s->initial[(size_t)v * stride + i];
    for (uint32_t i = 0; i < s->iterations; i++)
        advance(s, u, start, sum);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = 0; v < VARIABLES; v++)
            s->expected[(size_t)v * stride + i] = (float)u[i][v];
    arena_destroy(&scratch);
}

/* Values are of size 1 to 4; a stage adds some ten roundings of 1e-7 each, and the scheme is
 * stable, so they do not grow. One iteration moves a value by some 1e-2. */
static bool cfd_check(const void *state, struct strbuf *why)
{
    const struct cfd *s = state;
    static const char *const name[VARIABLES] = {"density", "momentum x", "momentum y", "momentum z",
                                                "energy"};
    float tolerance = 2e-6f * (float)s->iterations;
    bool right = true;
    for (uint32_t v = 0; v < VARIABLES && right; v++) {
        size_t row = (size_t)v * s->mesh.stride;
        right = workload_check_f32(why, name[v], s->final + row, s->expected + row, s->mesh.n, 0.0f,
                                   tolerance);
    }
    return right;
}

static void cfd_teardown(void *state)
{
    struct cfd *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {2000, 256, 3}},
    {"small", {30000, 256, 5}},
    {"paper-s2", {97046, 256, 8}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"elements", NULL, 1000, 10000000, "of the mesh, a work-item each"},
    {"shuffle_window", NULL, 1, 1 << 20,
     "so many elements in a row are numbered at random; 1 = none are"},
    {"iterations", NULL, 1, 1000, "of the solver"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_cfd = {
    .name = "cfd",
    .paper_name = "CFD",
    .title = "Computational fluid dynamics",
    .summary = "Euler equations on an unstructured mesh: each element gathers five variables of "
               "its four neighbours through an index list; variable-major arrays.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-insufficient",
                   .s3_ch6 = "memory-intensive",
                   .s4 = "moderately sensitive"},
    .source = workload_cfd_source,
    .param_names = {"elements", "shuffle_window", "iterations"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct cfd),
    .setup = cfd_setup,
    .run = cfd_run,
    .reference = cfd_reference,
    .check = cfd_check,
    .teardown = cfd_teardown,
};
