/* Tetrahedra from a grid of cubes, each cut into six along its diagonal (Kuhn's subdivision): a
 * tetrahedron is a walk from the cube's corner 000 to 111, one axis after the other, so the six
 * orders of the axes name them. Corners are moved at random, which keeps the mesh conforming and
 * makes volumes and normals differ. The last cubes may be missing some of their tetrahedra.
 *
 * Faces at z = 0 are a wall, all others at the border are open to the far field. */
#include "workloads/cfd/cfd_mesh.h"

#include <math.h>

enum { WALKS = 6, CORNERS = 4 };
static const float JITTER = 0.15f; /* of a cube's side, either way; flips no tetrahedron */

static const uint8_t walk_axes[WALKS][CFD_AXES] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
};

struct builder {
    uint32_t n, side;  /* the grid has side^3 cubes */
    float *corner;     /* [(side + 1)^3][axis] */
    uint32_t *renamed; /* from the order of creation to the mesh's numbering */
};

struct vector {
    double x, y, z;
};

static struct vector minus(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector half_cross(struct vector a, struct vector b)
{
    return (struct vector){(a.y * b.z - a.z * b.y) / 2, (a.z * b.x - a.x * b.z) / 2,
                           (a.x * b.y - a.y * b.x) / 2};
}

static float *corner_at(const struct builder *b, const uint32_t at[CFD_AXES])
{
    size_t corners = b->side + 1;
    return b->corner + ((at[2] * corners + at[1]) * corners + at[0]) * CFD_AXES;
}

static void place_corners(struct builder *b, struct workload_rng *rng)
{
    uint32_t at[CFD_AXES];
    for (at[2] = 0; at[2] <= b->side; at[2]++)
        for (at[1] = 0; at[1] <= b->side; at[1]++)
            for (at[0] = 0; at[0] <= b->side; at[0]++)
                for (uint32_t axis = 0; axis < CFD_AXES; axis++) {
                    float moved = JITTER * (2.0f * workload_rng_unit(rng) - 1.0f);
                    corner_at(b, at)[axis] = (float)at[axis] + moved;
                }
}

static void shuffle_names(struct builder *b, uint32_t window, struct workload_rng *rng)
{
    for (uint32_t i = 0; i < b->n; i++)
        b->renamed[i] = i;
    for (uint32_t first = 0; first < b->n; first += window) {
        uint32_t size = b->n - first < window ? b->n - first : window;
        for (uint32_t i = size; i > 1; i--) {
            uint32_t *a = &b->renamed[first + i - 1],
                     *c = &b->renamed[first + workload_rng_below(rng, i)];
            uint32_t swap = *a;
            *a = *c;
            *c = swap;
        }
    }
}

static void cube_of(const struct builder *b, uint32_t element, uint32_t at[CFD_AXES])
{
    uint32_t cube = element / WALKS;
    at[0] = cube % b->side;
    at[1] = cube / b->side % b->side;
    at[2] = cube / b->side / b->side;
}

static uint32_t find_walk(uint8_t first, uint8_t second)
{
    uint32_t walk = 0;
    while (walk_axes[walk][0] != first || walk_axes[walk][1] != second)
        walk++;
    return walk;
}

/* The element across the face opposite to corner `face`. Leaving out the first corner leads to the
 * cube one step along the first axis, the last to the one a step back along the last axis; leaving
 * out one between leads to the walk with the two axes around it exchanged. */
static int32_t neighbour_across(const struct builder *b, uint32_t element, uint32_t face)
{
    const uint8_t *axes = walk_axes[element % WALKS];
    uint32_t at[CFD_AXES], walk;
    cube_of(b, element, at);
    switch (face) {
    case 0:
        if (++at[axes[0]] == b->side)
            return CFD_FAR_FIELD;
        walk = find_walk(axes[1], axes[2]);
        break;
    case 1:
        walk = find_walk(axes[1], axes[0]);
        break;
    case 2:
        walk = find_walk(axes[0], axes[2]);
        break;
    default:
        if (at[axes[2]]-- == 0)
            return axes[2] == 2 ? CFD_WALL : CFD_FAR_FIELD;
        walk = find_walk(axes[2], axes[0]);
        break;
    }
    uint32_t other = ((at[2] * b->side + at[1]) * b->side + at[0]) * WALKS + walk;
    return other < b->n ? (int32_t)b->renamed[other] : CFD_FAR_FIELD;
}

static void corners_of(const struct builder *b, uint32_t element, struct vector corner[CORNERS])
{
    uint32_t at[CFD_AXES];
    cube_of(b, element, at);
    for (uint32_t i = 0; i < CORNERS; i++) {
        const float *p = corner_at(b, at);
        corner[i] = (struct vector){(double)p[0], (double)p[1], (double)p[2]};
        if (i < CFD_AXES)
            at[walk_axes[element % WALKS][i]]++;
    }
}

/* Neighbours list a common face's corners in the same order, so their normals are exact opposites.
 */
static struct vector inward_normal(const struct vector corner[CORNERS], uint32_t face)
{
    struct vector p = corner[face == 0 ? 1 : 0], q = corner[face <= 1 ? 2 : 1],
                  r = corner[face <= 2 ? 3 : 2];
    struct vector normal = half_cross(minus(q, p), minus(r, p));
    if (dot(normal, minus(corner[face], p)) > 0)
        return normal;
    return (struct vector){-normal.x, -normal.y, -normal.z};
}

static void add_element(struct cfd_mesh *m, const struct builder *b, uint32_t element)
{
    struct vector corner[CORNERS];
    uint32_t name = b->renamed[element];
    double area = 0;
    corners_of(b, element, corner);
    for (uint32_t face = 0; face < CFD_FACES; face++) {
        struct vector normal = inward_normal(corner, face);
        float *out = m->inward_normal + (size_t)face * CFD_AXES * m->stride + name;
        out[0] = (float)normal.x;
        out[m->stride] = (float)normal.y;
        out[2 * (size_t)m->stride] = (float)normal.z;
        m->neighbour[(size_t)face * m->stride + name] = neighbour_across(b, element, face);
        area += sqrt(dot(normal, normal));
    }
    m->surface[name] = (float)(area / 2);
}

void cfd_mesh_create(struct cfd_mesh *m, struct arena *a, uint32_t n, uint32_t stride,
                     uint32_t window, struct workload_rng *rng)
{
    struct arena scratch = {0};
    struct builder b = {.n = n, .side = 1};
    while ((uint64_t)b.side * b.side * b.side * WALKS < n)
        b.side++;
    size_t corners = (size_t)(b.side + 1) * (b.side + 1) * (b.side + 1);
    b.corner = ARENA_ARRAY(&scratch, float, corners *CFD_AXES);
    b.renamed = ARENA_ARRAY(&scratch, uint32_t, n);
    place_corners(&b, rng);
    shuffle_names(&b, window, rng);

    m->n = n;
    m->stride = stride;
    m->neighbour = ARENA_ARRAY(a, int32_t, CFD_FACES * (size_t)stride);
    m->inward_normal = ARENA_ARRAY(a, float, CFD_FACES *CFD_AXES *(size_t)stride);
    m->surface = ARENA_ARRAY(a, float, stride);
    for (uint32_t element = 0; element < n; element++)
        add_element(m, &b, element);
    arena_destroy(&scratch);
}
