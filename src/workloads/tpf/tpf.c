/* TPF: two-point angular correlation function (S3 Tables 3.2 and 4.2; Parboil's TPACF).
 *
 * As in Parboil: a work-group per set of points counts the angles between all pairs, of the set
 * with itself and with the observed one, into logarithmic bins found by binary search; a tile of
 * points and the histograms are in local memory. Access pattern: little of L1D, much of local
 * memory and its atomics, and barriers at which unequal warps wait for each other.
 *
 * Differences from the original: points are drawn from the seed, and the last step, a ratio of the
 * three histograms' sums, is left out. "487x100 nodes" is read as 487 points and 100 random sets.
 *
 * Exactness: coordinates are multiples of 1/1024, so that a scalar product is a multiple of 2^-20
 * below 2^2 and exact in a float in any order, fused or not. Edges of bins lie halfway between two
 * such numbers. The reference works in integers. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_tpf_source[];

enum { GROUP = 256, BINS = 20, UNIT = 1024 }; /* the first two as in the kernel text */

struct tpf {
    struct arena arena;
    uint32_t n_points, n_sets; /* with the observed one, which is the first */
    int32_t *coordinate;       /* in 1/UNIT: of each set all x, all y, all z */
    /* A pair belongs to the last bin whose edge is below its scalar product; in half units. */
    int64_t edge[BINS];
    /* BINS each: within sets 0, 1, ..., between set 1, 2, ... and 0 in between. */
    uint32_t *count, *expected;
};

/* --- Input --- */

/* A direction: a point of the ball, moved to its surface and then to the nearest grid point. */
static void draw_direction(int32_t out[3], struct workload_rng *rng)
{
    double p[3], square;
    do {
        square = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = 2 * (double)workload_rng_unit(rng) - 1;
            square += p[axis] * p[axis];
        }
    } while (square > 1 || square < 1e-4);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (int32_t)floor(p[axis] / sqrt(square) * UNIT + 0.5);
}

/* The observed points cluster: half of them are near an earlier one. */
static void draw_near(int32_t out[3], const int32_t *set, uint32_t n, uint32_t before,
                      struct workload_rng *rng)
{
    uint32_t other = workload_rng_below(rng, before);
    for (uint32_t axis = 0; axis < 3; axis++)
        out[axis] = set[axis * n + other] + (int32_t)workload_rng_below(rng, 65) - 32;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = out[axis] > UNIT ? UNIT : out[axis] < -UNIT ? -UNIT : out[axis];
}

static void fill_set(struct tpf *s, uint32_t set, struct workload_rng *rng)
{
    int32_t *mine = s->coordinate + (size_t)set * 3 * s->n_points;
    for (uint32_t i = 0; i < s->n_points; i++) {
        int32_t p[3];
        if (set == 0 && i > 0 && workload_rng_below(rng, 2) == 0)
            draw_near(p, mine, s->n_points, i, rng);
        else
            draw_direction(p, rng);
        for (uint32_t axis = 0; axis < 3; axis++)
            mine[axis * s->n_points + i] = p[axis];
    }
}

/* 1 - cosine falls by a third from bin to bin, from 2, which is opposite, to less than 0.001. */
static void make_edges(struct tpf *s)
{
    int64_t one = (int64_t)UNIT * UNIT, distance = 4 * one; /* in half units */
    for (int bin = 0; bin < BINS; bin++) {
        s->edge[bin] = bin == 0 ? -8 * one : 2 * one - (distance | 1);
        distance = distance * 2 / 3;
    }
}

static uint32_t n_histograms(const struct tpf *s)
{
    return 2 * s->n_sets - 1;
}

static void tpf_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct tpf *s = state;
    struct workload_rng rng = {seed};
    s->n_points = (uint32_t)size->p[0];
    s->n_sets = (uint32_t)size->p[1] + 1;
    s->coordinate = ARENA_ARRAY(&s->arena, int32_t, (size_t)s->n_sets * 3 * s->n_points);
    s->count = ARENA_ARRAY(&s->arena, uint32_t, (size_t)n_histograms(s) * BINS);
    s->expected = ARENA_ARRAY(&s->arena, uint32_t, (size_t)n_histograms(s) * BINS);
    make_edges(s);
    for (uint32_t set = 0; set < s->n_sets; set++)
        fill_set(s, set, &rng);
}

static void tpf_run(void *state, struct device *d)
{
    struct tpf *s = state;
    size_t n = (size_t)s->n_sets * 3 * s->n_points;
    size_t count_bytes = (size_t)n_histograms(s) * BINS * sizeof *s->count;
    float *coordinate = xcalloc(n, sizeof *coordinate), edge[BINS];
    for (size_t i = 0; i < n; i++)
        coordinate[i] = (float)s->coordinate[i] / UNIT;
    for (int bin = 0; bin < BINS; bin++)
        edge[bin] = (float)s->edge[bin] / (2.0f * UNIT * UNIT);
    device_buffer points = device_alloc_from(d, coordinate, n * sizeof *coordinate, "points");
    device_buffer edges = device_alloc_from(d, edge, sizeof edge, "edges");
    device_buffer counts = device_alloc(d, count_bytes, "histograms");
    DEVICE_LAUNCH_1D(d, "tpf_count", n_histograms(s) * GROUP, GROUP, device_arg_buffer(points),
                     device_arg_u32(s->n_points), device_arg_buffer(edges),
                     device_arg_buffer(counts));
    device_download(d, counts, 0, s->count, count_bytes);
    free(coordinate);
}

/* --- The reference: every pair, every edge, in integers --- */

static void count_pair(struct tpf *s, uint32_t histogram, int64_t product)
{
    uint32_t last = 0;
    for (uint32_t bin = 0; bin < BINS; bin++)
        if (2 * product > s->edge[bin])
            last = bin;
    s->expected[(size_t)histogram * BINS + last]++;
}

static int64_t product_of(const struct tpf *s, uint32_t set_a, uint32_t i, uint32_t set_b,
                          uint32_t j)
{
    const int32_t *a = s->coordinate + (size_t)set_a * 3 * s->n_points + i;
    const int32_t *b = s->coordinate + (size_t)set_b * 3 * s->n_points + j;
    int64_t sum = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        sum += (int64_t)a[axis * s->n_points] * b[axis * s->n_points];
    return sum;
}

static void tpf_reference(void *state)
{
    struct tpf *s = state;
    for (uint32_t set = 0; set < s->n_sets; set++) {
        for (uint32_t i = 0; i < s->n_points; i++)
            for (uint32_t j = 0; j < i; j++)
                count_pair(s, 2 * set, product_of(s, set, i, set, j));
        for (uint32_t i = 0; set > 0 && i < s->n_points; i++)
            for (uint32_t j = 0; j < s->n_points; j++)
                count_pair(s, 2 * set - 1, product_of(s, set, i, 0, j));
    }
}

static bool tpf_check(const void *state, struct strbuf *why)
{
    const struct tpf *s = state;
    return workload_check_u32(why, "count", s->count, s->expected, (size_t)n_histograms(s) * BINS);
}

static void tpf_teardown(void *state)
{
    struct tpf *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size tpf_sizes[] = {
    {"tiny", {270, 1}},
    {"small", {487, 20}},
    {"paper-s3", {487, 100}},
    {NULL, {0}},
};

static const struct workload_input tpf_inputs[] = {
    {"points", NULL, 1, 10000, "of each set"},
    {"random_sets", NULL, 0, 10000, "that the observed points are compared with"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_tpf = {
    .name = "tpf",
    .paper_name = "TPF",
    .title = "Two-point angular correlation",
    .summary = "Work-groups count the angles of all pairs of two sets of points on the sky: a tile "
               "and the warps' histograms in local memory, a binary search and an atomic per pair.",
    .origin = "Parboil",
    .categories = {.s3_ch3 = "memory-intensive", .s3_ch4 = "non-sensitive"},
    .source = workload_tpf_source,
    .param_names = {"points", "random_sets"},
    .sizes = tpf_sizes,
    .inputs = tpf_inputs,
    .state_bytes = sizeof(struct tpf),
    .setup = tpf_setup,
    .run = tpf_run,
    .reference = tpf_reference,
    .check = tpf_check,
    .teardown = tpf_teardown,
};
