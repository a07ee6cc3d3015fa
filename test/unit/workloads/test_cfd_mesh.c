/* The CFD mesh is shared by the kernel's run and the reference, so neither would notice an invalid
 * mesh. These facts of geometry would: they hold for every conforming mesh and are not used to make
 * it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "workloads/cfd/cfd_mesh.h"

enum { ELEMENTS = 1000, STRIDE = 1056, WINDOW = 64 }; /* 1000 = 166 cubes and 4 tetrahedra */

static struct arena memory;
static struct cfd_mesh mesh;

static int make_mesh(void **state)
{
    (void)state;
    struct workload_rng rng = {7};
    cfd_mesh_create(&mesh, &memory, ELEMENTS, STRIDE, WINDOW, &rng);
    return 0;
}

static int free_mesh(void **state)
{
    (void)state;
    arena_destroy(&memory);
    return 0;
}

static float normal_of(uint32_t element, uint32_t face, uint32_t axis)
{
    return mesh.inward_normal[(face * CFD_AXES + axis) * STRIDE + element];
}

static int32_t neighbour_of(uint32_t element, uint32_t face)
{
    return mesh.neighbour[face * STRIDE + element];
}

/* Gauss: the normals of a closed surface add up to nothing. */
static void elements_are_closed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t axis = 0; axis < CFD_AXES; axis++) {
            float sum = 0;
            for (uint32_t face = 0; face < CFD_FACES; face++)
                sum += normal_of(i, face, axis);
            assert_true(fabsf(sum) < 1e-6f);
        }
}

static void faces_have_area_and_surfaces_add_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        float area = 0;
        for (uint32_t face = 0; face < CFD_FACES; face++) {
            float x = normal_of(i, face, 0), y = normal_of(i, face, 1), z = normal_of(i, face, 2);
            float face_area = sqrtf(x * x + y * y + z * z);
            assert_true(face_area > 0.1f);
            area += face_area;
        }
        assert_true(fabsf(area / 2 - mesh.surface[i]) < 1e-5f);
    }
}

/* Across an inner face lies an element that sees exactly one face back, with the opposite normal.
 */
static void neighbours_share_one_face(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t face = 0; face < CFD_FACES; face++) {
            int32_t other = neighbour_of(i, face);
            uint32_t seen = 0;
            if (other < 0)
                continue;
            assert_in_range(other, 0, ELEMENTS - 1);
            for (uint32_t back = 0; back < CFD_FACES; back++) {
                if (neighbour_of((uint32_t)other, back) != (int32_t)i)
                    continue;
                seen++;
                for (uint32_t axis = 0; axis < CFD_AXES; axis++)
                    assert_true(normal_of(i, face, axis) ==
                                -normal_of((uint32_t)other, back, axis));
            }
            assert_int_equal(seen, 1);
        }
}

/* The wall is the square z = 0 of 6 x 6 cubes (6^3 is the first cube number that holds 1000 / 6):
 * two faces a cube, whose normals point up and project onto the whole square, whatever the moved
 * corners inside it. */
static void wall_covers_the_bottom(void **state)
{
    (void)state;
    uint32_t faces = 0;
    double upward = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t face = 0; face < CFD_FACES; face++)
            if (neighbour_of(i, face) == CFD_WALL) {
                faces++;
                upward += (double)normal_of(i, face, 2);
                assert_true(normal_of(i, face, 2) > 0);
            }
    assert_int_equal(faces, 2 * 6 * 6);
    assert_true(fabs(upward - 36) < 6 * 4 * 0.15); /* the rim moves by up to 0.15 */
}

static void numbering_is_shuffled_but_near(void **state)
{
    (void)state;
    uint32_t adjacent = 0, inner = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t face = 0; face < CFD_FACES; face++) {
            int32_t other = neighbour_of(i, face);
            if (other < 0)
                continue;
            int32_t distance = other - (int32_t)i;
            inner++;
            adjacent += distance >= -5 && distance <= 5; /* within a cube when unshuffled */
            assert_in_range(distance + 6 * 36 + 2 * WINDOW, 0, 2 * (6 * 36 + 2 * WINDOW));
        }
    assert_true(inner > 3 * ELEMENTS);
    assert_true(adjacent < inner / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_closed),
        cmocka_unit_test(faces_have_area_and_surfaces_add_up),
        cmocka_unit_test(neighbours_share_one_face),
        cmocka_unit_test(wall_covers_the_bottom),
        cmocka_unit_test(numbering_is_shuffled_but_near),
    };
    return cmocka_run_group_tests(tests, make_mesh, free_mesh);
}
