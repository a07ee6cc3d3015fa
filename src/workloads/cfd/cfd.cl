/* Finite volumes for the Euler equations on an unstructured mesh of tetrahedra, one work-item an
 * element.
 *
 * All arrays are variable-major: a variable of neighbouring elements lies side by side, `stride`
 * elements to the next variable, so an element's own data is read coalesced. Its four neighbours
 * are gathered through an index list, five variables each, wherever the mesh's numbering has put
 * them: that gather is what the caches make or break.
 *
 * Normals point inward and are as long as their face's area. */

#define GROUP 192
#define FACES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f
#define CFL 0.5f
#define STAGES 3

/* In the place of a neighbour. */
#define WALL -1
#define FAR_FIELD -2

enum variable { DENSITY, MOMENTUM_X, MOMENTUM_Y, MOMENTUM_Z, ENERGY, VARIABLES };

struct conserved {
    float density, energy;
    float3 momentum;
};

struct fluid {
    struct conserved u;
    float3 velocity;
    float pressure, speed, sound;
};

static struct conserved load_conserved(__global const float *variables, int stride, int i)
{
    struct conserved u;
    u.density = variables[DENSITY * stride + i];
    u.momentum.x = variables[MOMENTUM_X * stride + i];
    u.momentum.y = variables[MOMENTUM_Y * stride + i];
    u.momentum.z = variables[MOMENTUM_Z * stride + i];
    u.energy = variables[ENERGY * stride + i];
    return u;
}

static struct fluid make_fluid(struct conserved u)
{
    struct fluid f;
    f.u = u;
    f.velocity = u.momentum / u.density;
    float speed_squared = dot(f.velocity, f.velocity);
    f.speed = sqrt(speed_squared);
    f.pressure = (GAMMA - 1.0f) * (u.energy - 0.5f * u.density * speed_squared);
    f.sound = sqrt(GAMMA * f.pressure / u.density);
    return f;
}

/* The local time step over the element's volume. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
compute_step_factor(int elements, int stride, __global const float *variables,
                    __global const float *surface, __global float *step_factor)
{
    int i = get_global_id(0);
    if (i >= elements)
        return;
    struct fluid f = make_fluid(load_conserved(variables, stride, i));
    step_factor[i] = CFL / (surface[i] * (f.speed + f.sound));
}

/* Adds half of what fluid f carries through a face. */
static void add_transport(struct conserved *flux, struct fluid f, float3 normal)
{
    float through = 0.5f * dot(f.velocity, normal);
    flux->density += through * f.u.density;
    flux->momentum += through * f.u.momentum + 0.5f * f.pressure * normal;
    flux->energy += through * (f.u.energy + f.pressure);
}

/* Artificial viscosity: without it a central difference of a shock would ring. */
static void add_smoothing(struct conserved *flux, struct fluid own, struct fluid other,
                          float3 normal)
{
    float area = sqrt(dot(normal, normal));
    float fastest = own.speed + other.speed + own.sound + other.sound;
    float factor = 0.5f * SMOOTHING * area * fastest;
    flux->density += factor * (other.u.density - own.u.density);
    flux->momentum += factor * (other.u.momentum - own.u.momentum);
    flux->energy += factor * (other.u.energy - own.u.energy);
}

static float3 load_normal(__global const float *normals, int stride, int i, int face)
{
    __global const float *n = normals + face * 3 * stride + i;
    return (float3)(n[0], n[stride], n[2 * stride]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
compute_flux(int elements, int stride, __global const int *neighbours,
             __global const float *normals, __global const float *variables,
             __global float *fluxes, float far_density, float far_momentum_x, float far_energy)
{
    int i = get_global_id(0);
    if (i >= elements)
        return;
    struct fluid own = make_fluid(load_conserved(variables, stride, i));
    struct conserved flux = {0.0f, 0.0f, (float3)(0.0f)};

    for (int face = 0; face < FACES; face++) {
        int neighbour = neighbours[face * stride + i];
        float3 normal = load_normal(normals, stride, i, face);
        if (neighbour >= 0) {
            struct fluid other = make_fluid(load_conserved(variables, stride, neighbour));
            add_smoothing(&flux, own, other, normal);
            add_transport(&flux, own, normal);
            add_transport(&flux, other, normal);
        } else if (neighbour == WALL) {
            flux.momentum += own.pressure * normal;
        } else {
            struct conserved far = {far_density, far_energy, (float3)(far_momentum_x, 0.0f, 0.0f)};
            add_transport(&flux, own, normal);
            add_transport(&flux, make_fluid(far), normal);
        }
    }
    fluxes[DENSITY * stride + i] = flux.density;
    fluxes[MOMENTUM_X * stride + i] = flux.momentum.x;
    fluxes[MOMENTUM_Y * stride + i] = flux.momentum.y;
    fluxes[MOMENTUM_Z * stride + i] = flux.momentum.z;
    fluxes[ENERGY * stride + i] = flux.energy;
}

/* One stage of the Runge-Kutta scheme, always from the variables at the iteration's start. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
time_step(int elements, int stride, int stage, __global const float *old_variables,
          __global float *variables, __global const float *step_factor,
          __global const float *fluxes)
{
    int i = get_global_id(0);
    if (i >= elements)
        return;
    float factor = step_factor[i] / (float)(STAGES + 1 - stage);
    for (int v = DENSITY; v < VARIABLES; v++)
        variables[v * stride + i] = old_variables[v * stride + i] + factor * fluxes[v * stride + i];
}
