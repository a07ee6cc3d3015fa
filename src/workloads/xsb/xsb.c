/* XSB: look-ups of cross sections in neutron transport (XSBench; S3 Table 6.3).
 *
 * As in XSBench with its united grid: each nuclide has energies of its own, the united grid has all
 * of them in order, and for each of its points the place in the grid of every nuclide. A look-up is
 * a binary search, then two points of each nuclide of a material. Access pattern: dependent gathers
 * over tables much larger than the caches; divergence, since materials differ in size.
 *
 * Materials have as many nuclides, and are drawn as often, as in XSBench's small reactor; which
 * nuclides they have, and all cross sections, are drawn from the seed. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/mix32.h"
#include "workloads/workload.h"

extern const char workload_xsb_source[];

enum { GROUP = 256, KINDS = 5, MATERIALS = 12 /* as in xsb.cl */, SHARES = 65536 };

struct point {
    float energy, section[KINDS];
};

/* XSBench's small reactor: fuel has 34 nuclides. */
static const uint32_t nuclides_of[MATERIALS] = {34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static const double share_of[MATERIALS] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064,
                                           0.066, 0.055, 0.008, 0.015, 0.025, 0.013};

struct xsb {
    struct arena arena;
    uint32_t n, n_nuclides, points, n_united, seed;
    struct point *grid; /* [nuclide][point] */
    float *united;
    uint32_t *places; /* [point of the united grid][nuclide] */
    uint32_t first[MATERIALS + 1], share[MATERIALS];
    uint32_t *nuclides;
    float *densities, *got, *want;
};

/* Energies rise strictly from 0 to 1. */
static void draw_grids(struct xsb *s, struct workload_rng *rng)
{
    for (uint32_t i = 0; i < s->n_united; i++) {
        uint32_t at = i % s->points, last = s->points - 1;
        float inside = ((float)at + 0.9f * workload_rng_unit(rng)) / (float)s->points;
        s->grid[i].energy = at == 0 ? 0 : at == last ? 1 : inside;
        s->united[i] = s->grid[i].energy;
        for (uint32_t k = 0; k < KINDS; k++)
            s->grid[i].section[k] = 0.1f + workload_rng_unit(rng);
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void unite_grids(struct xsb *s)
{
    qsort(s->united, s->n_united, sizeof *s->united, compare);
    for (uint32_t nuclide = 0; nuclide < s->n_nuclides; nuclide++) {
        const struct point *grid = s->grid + (size_t)nuclide * s->points;
        uint32_t place = 0;
        for (uint32_t u = 0; u < s->n_united; u++) {
            while (place + 2 < s->points && grid[place + 1].energy <= s->united[u])
                place++;
            s->places[(size_t)u * s->n_nuclides + nuclide] = place;
        }
    }
}

static void draw_materials(struct xsb *s, struct workload_rng *rng)
{
    double share = 0;
    for (uint32_t m = 0; m < MATERIALS; m++) {
        uint32_t n = nuclides_of[m] < s->n_nuclides ? nuclides_of[m] : s->n_nuclides;
        uint32_t from = workload_rng_below(rng, s->n_nuclides);
        share += share_of[m];
        s->share[m] = m + 1 == MATERIALS ? SHARES : (uint32_t)(share * SHARES);
        s->first[m + 1] = s->first[m] + n;
        for (uint32_t j = 0; j < n; j++) {
            s->nuclides[s->first[m] + j] = (from + j) % s->n_nuclides;
            s->densities[s->first[m] + j] = 0.1f + workload_rng_unit(rng);
        }
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct xsb *s = state;
    struct workload_rng rng = {seed};
    s->n = device_round_up((uint32_t)size->p[0], GROUP);
    s->n_nuclides = (uint32_t)size->p[1];
    s->points = (uint32_t)size->p[2];
    s->n_united = s->n_nuclides * s->points;
    s->seed = (uint32_t)workload_rng_u64(&rng);
    uint32_t most = 0;
    for (uint32_t m = 0; m < MATERIALS; m++)
        most += nuclides_of[m];
    s->grid = ARENA_ARRAY(&s->arena, struct point, s->n_united);
    s->united = ARENA_ARRAY(&s->arena, float, s->n_united);
    s->places = ARENA_ARRAY(&s->arena, uint32_t, (size_t)s->n_united * s->n_nuclides);
    s->nuclides = ARENA_ARRAY(&s->arena, uint32_t, most);
    s->densities = ARENA_ARRAY(&s->arena, float, most);
    s->got = ARENA_ARRAY(&s->arena, float, (size_t)s->n *KINDS);
    s->want = ARENA_ARRAY(&s->arena, float, (size_t)s->n *KINDS);
    draw_grids(s, &rng);
    unite_grids(s);
    draw_materials(s, &rng);
}

static void run(void *state, struct device *d)
{
    struct xsb *s = state;
    size_t place_bytes = (size_t)s->n_united * s->n_nuclides * sizeof *s->places;
    size_t listed = s->first[MATERIALS], bytes = (size_t)s->n * KINDS * sizeof(float);
    device_buffer united = device_alloc_from(d, s->united, s->n_united * sizeof(float), "united");
    device_buffer places = device_alloc_from(d, s->places, place_bytes, "places");
    device_buffer grid = device_alloc_from(d, s->grid, s->n_united * sizeof *s->grid, "grid");
    device_buffer first = device_alloc_from(d, s->first, sizeof s->first, "first");
    device_buffer nuclides =
        device_alloc_from(d, s->nuclides, listed * sizeof *s->nuclides, "nuclides");
    device_buffer densities =
        device_alloc_from(d, s->densities, listed * sizeof(float), "densities");
    device_buffer share = device_alloc_from(d, s->share, sizeof s->share, "share");
    device_buffer sections = device_alloc(d, bytes, "sections");
    DEVICE_LAUNCH_1D(d, "look_up", s->n, GROUP, device_arg_u32(s->seed), device_arg_buffer(united),
                     device_arg_u32(s->n_united), device_arg_buffer(places),
                     device_arg_buffer(grid), device_arg_u32(s->n_nuclides),
                     device_arg_u32(s->points), device_arg_buffer(first),
                     device_arg_buffer(nuclides), device_arg_buffer(densities),
                     device_arg_buffer(share), device_arg_buffer(sections));
    device_download(d, sections, 0, s->got, bytes);
}

/* Without the united grid: finds the index in the grid of one nuclide by counting. */
static const struct point *point_below(const struct xsb *s, uint32_t nuclide, double energy)
{
    const struct point *low = s->grid + (size_t)nuclide * s->points, *last = low + s->points - 2;
    /* Point i lies between i and i + 0.9 of the grid's steps. */
    const struct point *guess = low + (uint32_t)(energy * s->points);
    guess = guess > last ? last : guess;
    return guess > low && (double)guess->energy > energy ? guess - 1 : guess;
}

static void reference(void *state)
{
    struct xsb *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        double energy = (double)(mix32(s->seed + 2 * i) >> 8) * 0x1p-24, sum[KINDS] = {0};
        uint32_t drawn = mix32(s->seed + 2 * i + 1) % SHARES, m = 0;
        while (s->share[m] <= drawn)
            m++;
        for (uint32_t j = s->first[m]; j < s->first[m + 1]; j++) {
            const struct point *low = point_below(s, s->nuclides[j], energy);
            double width = (double)low[1].energy - (double)low[0].energy;
            double part = (energy - (double)low[0].energy) / width;
            for (uint32_t k = 0; k < KINDS; k++)
                sum[k] += (double)s->densities[j] * ((1 - part) * (double)low[0].section[k] +
                                                     part * (double)low[1].section[k]);
        }
        for (uint32_t k = 0; k < KINDS; k++)
            s->want[(size_t)k * s->n + i] = (float)sum[k];
    }
}

/* Sums of up to 34 positive terms, each with a relative error of a few 1e-7. */
static bool check(const void *state, struct strbuf *why)
{
    const struct xsb *s = state;
    return workload_check_f32(why, "section", s->got, s->want, (size_t)s->n * KINDS, 1e-5f, 0.0f);
}

static void teardown(void *state)
{
    struct xsb *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {2048, 40, 64}},
    {"small", {1 << 15, 68, 512}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"lookups", NULL, 1, 1 << 24, "one work-item each"},
    {"nuclides", NULL, 1, 400, "XSBench's reactors have 68 and 355"},
    {"points", NULL, 3, 12000, "of a nuclide's grid; XSBench has 11303"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_xsb = {
    .name = "xsb",
    .paper_name = "XSB",
    .title = "Look-ups of cross sections (XSBench)",
    .summary = "A binary search in a grid of energies, then two points of each nuclide of a "
               "material: dependent gathers over large tables, divergent.",
    .origin = "XSBench",
    .categories = {.s3_ch6 = "memory-intensive"},
    .source = workload_xsb_source,
    .param_names = {"lookups", "nuclides", "points"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct xsb),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
