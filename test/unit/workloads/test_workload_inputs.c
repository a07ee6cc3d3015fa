/* Kernel and reference share the inputs that the host parts send, so neither would notice an input
 * that does not have the promised properties. These tests do: they follow from the documentation,
 * not from the code that makes the inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/workloads/host_memory_device.h"
#include "workloads/leu/leu_frame.h"
#include "workloads/run.h"

/* The workload's buffers after its run on a device that computes nothing, until the next call. */
static char **buffers_of(const char *name, const char *size_text)
{
    static struct device *device;
    struct host_memory *memory;
    struct arena arena = {0};
    struct strbuf why = {0};
    struct workload_result result = {0};
    device_destroy(device);
    device = NULL;
    if (!name)
        return NULL;
    const struct workload *w = workload_find(name);
    device = host_memory_create(&memory);
    workload_run(w, workload_make_size(w, size_text, &arena, &why), 1, device, &result);
    workload_result_destroy(&result);
    strbuf_destroy(&why);
    arena_destroy(&arena);
    return memory->buffers;
}

static int free_buffers(void **state)
{
    (void)state;
    buffers_of(NULL, NULL);
    return 0;
}

/* --- memc --- */

enum { REQUESTS = 100000, ITEMS = 8192, PACKET_BYTES = 64 };

/* Keys end with their number, the last digit first. */
static uint32_t number_in(const char *packet)
{
    uint32_t number = 0;
    const char *end = memchr(packet, '\r', PACKET_BYTES);
    for (int i = 1; i <= 8; i++)
        number = number * 10 + (uint32_t)(end[-i] - '0');
    return number;
}

static int compare_down(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* The i-th most popular key is requested 1 / i as often as the first; one request in ten finds
 * nothing. The sum of 1/1 to 1/8192 is 9.588. */
static void keys_are_asked_for_as_zipf_says(void **state)
{
    (void)state;
    char **buffers = buffers_of("memc", "tiny:requests=100000");
    uint32_t *asked = xcalloc(ITEMS, sizeof *asked), vain = 0;
    for (uint32_t r = 0; r < REQUESTS; r++) {
        const char *packet = buffers[0] + (size_t)r * PACKET_BYTES;
        assert_memory_equal(packet, "get ", 4);
        uint32_t number = number_in(packet);
        if (number < ITEMS)
            asked[number]++;
        else
            vain++;
    }
    assert_in_range(vain, REQUESTS / 10 - 500, REQUESTS / 10 + 500);
    /* Not the first items of the store in order of their numbers. */
    assert_true(asked[0] + asked[1] + asked[2] < REQUESTS / 50);
    qsort(asked, ITEMS, sizeof *asked, compare_down);
    static const uint32_t ranks[] = {1, 2, 3, 10, 30};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        double expected = 0.9 * REQUESTS / 9.588 / ranks[i];
        assert_true(fabs(asked[ranks[i] - 1] / expected - 1) < 0.15);
    }
    free(asked);
}

/* --- gc --- */

enum { OBJECTS = 8192 };

static uint32_t count_reachable(const uint32_t *heap, const uint32_t *starts,
                                const uint32_t *is_root)
{
    uint32_t *stack = xcalloc(OBJECTS, sizeof *stack), depth = 0, n = 0;
    uint32_t heap_words = starts[OBJECTS - 1] + (heap[starts[OBJECTS - 1]] & 0xffff);
    bool *is_seen = xcalloc(heap_words, sizeof *is_seen);
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (is_root[starts[i]]) {
            is_seen[starts[i]] = true;
            stack[depth++] = starts[i];
        }
    for (; depth > 0; n++) {
        uint32_t object = stack[--depth], references = heap[object] >> 16;
        for (uint32_t slot = object + 1; slot <= object + references; slot++) {
            assert_in_range(heap[slot], 0, heap_words - 1);
            if (heap[slot] && !is_seen[heap[slot]]) {
                is_seen[heap[slot]] = true;
                stack[depth++] = heap[slot];
            }
        }
    }
    free(stack);
    free(is_seen);
    return n;
}

static void objects_fill_the_heap_and_some_are_garbage(void **state)
{
    (void)state;
    char **buffers = buffers_of("gc", "tiny");
    const uint32_t *heap = (uint32_t *)buffers[0], *starts = (uint32_t *)buffers[1];
    assert_int_equal(starts[0], 1);
    for (uint32_t i = 0; i + 1 < OBJECTS; i++)
        assert_int_equal(starts[i + 1], starts[i] + (heap[starts[i]] & 0xffff));
    uint32_t reachable = count_reachable(heap, starts, (uint32_t *)buffers[2]);
    assert_in_range(reachable, OBJECTS / 4, OBJECTS / 2);
}

/* --- tpf --- */

enum { POINTS = 270 };

static uint32_t count_close(const float *set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t j = 0; j < i; j++) {
            float square = 0;
            for (uint32_t axis = 0; axis < 3; axis++) {
                float d = set[axis * POINTS + i] - set[axis * POINTS + j];
                square += d * d;
            }
            n += square < 0.04f * 0.04f;
        }
    return n;
}

static void points_are_on_the_sky_and_observed_ones_flock_together(void **state)
{
    (void)state;
    char **buffers = buffers_of("tpf", "tiny");
    const float *observed = (float *)buffers[0], *random = observed + 3 * POINTS;
    double mean[3] = {0};
    for (uint32_t i = 0; i < POINTS; i++) {
        float square = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            square += random[axis * POINTS + i] * random[axis * POINTS + i];
            mean[axis] += (double)random[axis * POINTS + i] / POINTS;
        }
        assert_true(fabsf(square - 1) < 0.003f);
    }
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(mean[axis]) < 0.15); /* four standard deviations */
    assert_true(count_close(observed) > 5 * count_close(random));
}

/* --- leu --- */

/* The mean of the edges at about this distance from the tile's centre. */
static double mean_edge(const float *edge, double from, double to)
{
    double sum = 0, n = 0;
    for (int i = 0; i < LEU_TILE_PIXELS; i++) {
        double distance = hypot(i % LEU_TILE - 20, i / LEU_TILE - 20);
        if (distance < from || distance >= to)
            continue;
        sum += (double)edge[i];
        n++;
    }
    return sum / n;
}

static void circles_are_round_and_cells_have_rims(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct leu_frame f = {0};
    struct workload_rng rng = {1};
    leu_frame_create(&f, &arena, 200, 160, 3, &rng);
    for (uint32_t i = 0; i < LEU_SAMPLES; i++) {
        const double angle = 2 * 3.14159265358979323846 * i / LEU_SAMPLES;
        assert_true(fabs((double)f.direction[i].x - cos(angle)) < 1e-6);
        assert_true(fabs((double)f.direction[i].y - sin(angle)) < 1e-6);
        for (uint32_t c = 0; c < LEU_CIRCLES; c++) {
            double distance = hypot(f.offset[c][i].x, f.offset[c][i].y);
            assert_true(fabs(distance - (8 + 2 * c)) < 0.75);
            assert_true(distance < LEU_MARGIN);
        }
    }
    for (uint32_t cell = 0; cell < f.n_cells; cell++) {
        const float *edge = f.edge + (size_t)cell * LEU_TILE_PIXELS;
        double rim = 0;
        for (int radius = 8; radius <= 20; radius += 2)
            rim = fmax(rim, mean_edge(edge, radius - 0.5, radius + 1.5));
        for (int i = 0; i < LEU_TILE_PIXELS; i++)
            assert_true(edge[i] >= 0 && edge[i] <= 1);
        assert_true(rim > 2 * mean_edge(edge, 0, 29));
    }
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_asked_for_as_zipf_says),
        cmocka_unit_test(objects_fill_the_heap_and_some_are_garbage),
        cmocka_unit_test(points_are_on_the_sky_and_observed_ones_flock_together),
        cmocka_unit_test(circles_are_round_and_cells_have_rims),
    };
    return cmocka_run_group_tests(tests, NULL, free_buffers);
}
