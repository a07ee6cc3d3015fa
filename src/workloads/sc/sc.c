/* SC: streamcluster, online clustering by facility location (S3 Tables 3.2, 4.2, 5.3, S4 Table 2;
 * from Rodinia). S3's inputs small (32x4096) and mid (64x8192, dimensions x points) behave
 * differently enough to count as two benchmarks, so they are two workloads here.
 *
 * The host proposes random points as centres; for each the device computes, one thread per point,
 * what opening it would change (Rodinia's pgain kernel); the host adds that up, opens the centre if
 * the total cost falls, and closes those no longer worth their price. Access pattern: coalesced
 * streaming through dimension-major coordinates, point records of 24 bytes, scattered stores to a
 * row of K + 1 words a thread.
 *
 * Differences from the original: one batch of points instead of a stream of them, and a fixed
 * number of candidates from one starting centre.
 *
 * Exactness: coordinates are integers below 256 and weights at most 3, so with up to 64 dimensions
 * every cost is an integer below 2^24: exact in float in any order, fused or not. The reference
 * works in integers. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_sc_source[];

enum {
    GROUP_SIZE = 256,
    COORDINATE_LIMIT = 256,
    MAX_WEIGHT = 3,
    N_GROUPS = 12,         /* where points gather */
    NOISE = 48,            /* how far they stray */
    PRICE_PER_VALUE = 400, /* of a centre, times points and dimensions */
};

/* As in the kernel text; the padding is uploaded too and stays zero. */
struct sc_point {
    float weight;
    int64_t assign;
    float cost;
};

struct sc {
    uint32_t n_dims, n_points, n_candidates;
    int32_t *coordinate; /* point-major */
    int32_t *weight;
    uint32_t *candidate;
    int64_t price;

    /* The clustering the device and its host arrive at. */
    struct sc_point *points;
    bool *is_centre;
    int32_t *opened; /* per candidate */
    int32_t *assign;
    int32_t *cost;

    int32_t *expected_opened, *expected_assign, *expected_cost;
};

static int32_t clamp_coordinate(int32_t v)
{
    return v < 0 ? 0 : v >= COORDINATE_LIMIT ? COORDINATE_LIMIT - 1 : v;
}

static void scatter_points(struct sc *s, struct workload_rng *rng)
{
    int32_t *group = xcalloc((size_t)N_GROUPS * s->n_dims, sizeof *group);
    for (uint32_t i = 0; i < N_GROUPS * s->n_dims; i++)
        group[i] = (int32_t)workload_rng_below(rng, COORDINATE_LIMIT);
    for (uint32_t p = 0; p < s->n_points; p++) {
        uint32_t g = workload_rng_below(rng, N_GROUPS);
        s->weight[p] = 1 + (int32_t)workload_rng_below(rng, MAX_WEIGHT);
        for (uint32_t i = 0; i < s->n_dims; i++) {
            int32_t noise = (int32_t)workload_rng_below(rng, 2 * NOISE + 1) - NOISE;
            s->coordinate[(size_t)p * s->n_dims + i] =
                clamp_coordinate(group[g * s->n_dims + i] + noise);
        }
    }
    free(group);
}

static void sc_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct sc *s = state;
    struct workload_rng rng = {seed};
    s->n_dims = (uint32_t)size->p[0];
    s->n_points = (uint32_t)size->p[1];
    s->n_candidates = (uint32_t)size->p[2];
    s->price = (int64_t)PRICE_PER_VALUE * s->n_points * s->n_dims;
    s->coordinate = xcalloc((size_t)s->n_points * s->n_dims, sizeof *s->coordinate);
    s->points = xcalloc(s->n_points, sizeof *s->points);
    s->is_centre = xcalloc(s->n_points, sizeof *s->is_centre);
    int32_t **per_point[] = {&s->weight, &s->assign, &s->cost, &s->expected_assign,
                             &s->expected_cost};
    for (size_t i = 0; i < sizeof per_point / sizeof per_point[0]; i++)
        *per_point[i] = xcalloc(s->n_points, sizeof(int32_t));
    s->candidate = xcalloc(s->n_candidates, sizeof *s->candidate);
    s->opened = xcalloc(s->n_candidates, sizeof *s->opened);
    s->expected_opened = xcalloc(s->n_candidates, sizeof *s->expected_opened);
    scatter_points(s, &rng);
    for (uint32_t c = 0; c < s->n_candidates; c++)
        s->candidate[c] = workload_rng_below(&rng, s->n_points);
}

static int32_t weighted_distance(const struct sc *s, uint32_t p, uint32_t q)
{
    const int32_t *a = &s->coordinate[(size_t)p * s->n_dims];
    const int32_t *b = &s->coordinate[(size_t)q * s->n_dims];
    int32_t sum = 0;
    for (uint32_t i = 0; i < s->n_dims; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum * s->weight[p];
}

/* --- The device part --- */

struct sc_device {
    struct device *d;
    device_buffer points, coordinates, centre_column, work, switches;
    float *work_host; /* n_points rows of up to n_candidates + 2 columns */
    uint8_t *switches_host;
    int32_t *centre_column_host;
};

static device_buffer upload_dimension_major(const struct sc *s, struct device *d)
{
    size_t n = (size_t)s->n_points * s->n_dims;
    float *copy = xcalloc(n, sizeof *copy);
    for (uint32_t p = 0; p < s->n_points; p++)
        for (uint32_t i = 0; i < s->n_dims; i++)
            copy[(size_t)i * s->n_points + p] = (float)s->coordinate[(size_t)p * s->n_dims + i];
    device_buffer b = device_alloc_from(d, copy, n * sizeof *copy, "coordinates");
    free(copy);
    return b;
}

static void open_buffers(const struct sc *s, struct device *d, struct sc_device *sd)
{
    size_t max_work = (size_t)s->n_points * (s->n_candidates + 2);
    sd->d = d;
    sd->coordinates = upload_dimension_major(s, d);
    sd->points = device_alloc(d, s->n_points * sizeof *s->points, "points");
    sd->centre_column = device_alloc(d, s->n_points * sizeof(int32_t), "centre_column");
    sd->work = device_alloc(d, max_work * sizeof(float), "work");
    sd->switches = device_alloc(d, s->n_points, "switches");
    sd->work_host = xcalloc(max_work, sizeof *sd->work_host);
    sd->switches_host = xcalloc(s->n_points, sizeof *sd->switches_host);
    sd->centre_column_host = xcalloc(s->n_points, sizeof *sd->centre_column_host);
}

/* Gives the open centres columns 0, 1, ... and returns how many there are. */
static uint32_t number_centres(const struct sc *s, int32_t *column)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < s->n_points; p++)
        if (s->is_centre[p])
            column[p] = (int32_t)n++;
    return n;
}

static void launch_gain(struct sc *s, struct sc_device *sd, uint32_t n_centres, uint32_t candidate)
{
    struct device *d = sd->d;
    size_t work_values = (size_t)s->n_points * (n_centres + 1);
    size_t work_bytes = work_values * sizeof(float);
    for (size_t i = 0; i < work_values; i++)
        sd->work_host[i] = 0;
    device_upload(d, sd->points, 0, s->points, s->n_points * sizeof *s->points);
    device_upload(d, sd->centre_column, 0, sd->centre_column_host, s->n_points * sizeof(int32_t));
    device_upload(d, sd->work, 0, sd->work_host, work_bytes);
    DEVICE_LAUNCH_1D(d, "sc_gain", device_round_up(s->n_points, GROUP_SIZE), GROUP_SIZE,
                     device_arg_buffer(sd->points), device_arg_buffer(sd->coordinates),
                     device_arg_buffer(sd->centre_column), device_arg_buffer(sd->work),
                     device_arg_buffer(sd->switches), device_arg_local(s->n_dims * sizeof(float)),
                     device_arg_u32(s->n_points), device_arg_u32(s->n_dims),
                     device_arg_u32(n_centres), device_arg_u32(candidate));
    device_download(d, sd->work, 0, sd->work_host, work_bytes);
    device_download(d, sd->switches, 0, sd->switches_host, s->n_points);
}

/* Sums the columns of `work` into `change` (n_centres + 1 sums). */
static void sum_columns(const struct sc *s, const float *work, uint32_t n_centres, double *change)
{
    for (uint32_t k = 0; k <= n_centres; k++)
        change[k] = 0;
    for (uint32_t p = 0; p < s->n_points; p++)
        for (uint32_t k = 0; k <= n_centres; k++)
            change[k] += (double)work[(size_t)p * (n_centres + 1) + k];
}

/* Moves to the candidate every point that gains by it or loses its centre. */
static void open_candidate(struct sc *s, const struct sc_device *sd, const double *change,
                           uint32_t candidate)
{
    for (uint32_t p = 0; p < s->n_points; p++) {
        int32_t column = sd->centre_column_host[s->points[p].assign];
        if (!sd->switches_host[p] && change[column] >= (double)s->price)
            continue;
        s->points[p].assign = candidate;
        s->points[p].cost = (float)weighted_distance(s, p, candidate);
    }
    for (uint32_t p = 0; p < s->n_points; p++)
        if (s->is_centre[p] && change[sd->centre_column_host[p]] < (double)s->price)
            s->is_centre[p] = false;
    s->is_centre[candidate] = true;
}

static bool consider(struct sc *s, struct sc_device *sd, uint32_t candidate)
{
    uint32_t n_centres = number_centres(s, sd->centre_column_host);
    launch_gain(s, sd, n_centres, candidate);
    double *change = xcalloc(n_centres + 1, sizeof *change);
    sum_columns(s, sd->work_host, n_centres, change);
    double total = (double)s->price + change[n_centres];
    for (uint32_t k = 0; k < n_centres; k++)
        if (change[k] < (double)s->price)
            total += change[k] - (double)s->price;
    bool better = total < 0;
    if (better)
        open_candidate(s, sd, change, candidate);
    free(change);
    return better;
}

static void sc_run(void *state, struct device *d)
{
    struct sc *s = state;
    struct sc_device sd;
    open_buffers(s, d, &sd);
    s->is_centre[0] = true;
    for (uint32_t p = 0; p < s->n_points; p++) {
        s->points[p].weight = (float)s->weight[p];
        s->points[p].cost = (float)weighted_distance(s, p, 0);
    }
    for (uint32_t c = 0; c < s->n_candidates && device_ok(d); c++)
        s->opened[c] = consider(s, &sd, s->candidate[c]);
    for (uint32_t p = 0; p < s->n_points; p++) {
        s->assign[p] = (int32_t)s->points[p].assign;
        s->cost[p] = (int32_t)s->points[p].cost;
    }
    free(sd.work_host);
    free(sd.switches_host);
    free(sd.centre_column_host);
}

/* --- The reference: the definition of the gain, in integers --- */

/* The cost of closing each point if `candidate` were open (only meaningful for centres); returns
 * the change from opening it. */
static int64_t measure(const struct sc *s, uint32_t candidate, int64_t *closing)
{
    int64_t opening = s->price;
    for (uint32_t p = 0; p < s->n_points; p++)
        closing[p] = -s->price;
    for (uint32_t p = 0; p < s->n_points; p++) {
        int64_t change = (int64_t)weighted_distance(s, p, candidate) - s->expected_cost[p];
        if (change < 0)
            opening += change;
        else
            closing[s->expected_assign[p]] += change;
    }
    return opening;
}

static bool reference_consider(struct sc *s, uint32_t candidate, bool *is_centre, int64_t *closing)
{
    int64_t total = measure(s, candidate, closing);
    for (uint32_t p = 0; p < s->n_points; p++)
        if (is_centre[p] && closing[p] < 0)
            total += closing[p];
    if (total >= 0)
        return false;
    for (uint32_t p = 0; p < s->n_points; p++) {
        int32_t distance = weighted_distance(s, p, candidate);
        if (distance < s->expected_cost[p] || closing[s->expected_assign[p]] < 0) {
            s->expected_assign[p] = (int32_t)candidate;
            s->expected_cost[p] = distance;
        }
    }
    for (uint32_t p = 0; p < s->n_points; p++)
        is_centre[p] = p == candidate || (is_centre[p] && closing[p] >= 0);
    return true;
}

static void sc_reference(void *state)
{
    struct sc *s = state;
    bool *is_centre = xcalloc(s->n_points, sizeof *is_centre);
    int64_t *closing = xcalloc(s->n_points, sizeof *closing);
    is_centre[0] = true;
    for (uint32_t p = 0; p < s->n_points; p++)
        s->expected_cost[p] = weighted_distance(s, p, 0);
    for (uint32_t c = 0; c < s->n_candidates; c++)
        s->expected_opened[c] = reference_consider(s, s->candidate[c], is_centre, closing);
    free(is_centre);
    free(closing);
}

static bool sc_check(const void *state, struct strbuf *why)
{
    const struct sc *s = state;
    return workload_check_i32(why, "opened", s->opened, s->expected_opened, s->n_candidates) &&
           workload_check_i32(why, "assign", s->assign, s->expected_assign, s->n_points) &&
           workload_check_i32(why, "cost", s->cost, s->expected_cost, s->n_points);
}

static void sc_teardown(void *state)
{
    struct sc *s = state;
    int32_t *arrays[] = {s->coordinate, s->weight,          s->opened,          s->assign,
                         s->cost,       s->expected_opened, s->expected_assign, s->expected_cost};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(s->candidate);
    free(s->points);
    free(s->is_centre);
}

/* S3 gives dimensions and points; how many candidates a run tries is our choice. */
static const struct workload_size sc_small_sizes[] = {
    {"tiny", {32, 1024, 16}},
    {"small", {32, 4096, 96}},
    {"paper-s3", {32, 4096, 192}},
    {NULL, {0}},
};
static const struct workload_size sc_mid_sizes[] = {
    {"tiny", {64, 1024, 12}},
    {"small", {64, 8192, 32}},
    {"paper-s3", {64, 8192, 192}},
    {NULL, {0}},
};

static const struct workload_input sc_inputs[] = {
    {"points", NULL, 16, 1 << 20, "to cluster, a work-item each"},
    {"candidates", NULL, 1, 100000, "for a centre, a launch each"},
    {NULL, NULL, 0, 0, NULL},
};

#define STREAMCLUSTER                                                                              \
    .summary = "Each thread streams through its point's coordinates and computes what opening a "  \
               "centre would change: coalesced reads, scattered row stores.",                      \
    .origin = "Rodinia", .source = workload_sc_source,                                             \
    .param_names = {"dims", "points", "candidates"}, .inputs = sc_inputs,                          \
    .state_bytes = sizeof(struct sc), .setup = sc_setup, .run = sc_run, .reference = sc_reference, \
    .check = sc_check, .teardown = sc_teardown

const struct workload workload_sc_small = {
    .name = "sc_small",
    .paper_name = "SC_small",
    .title = "Streamcluster (small)",
    .categories = {.s3_ch3 = "memory-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "not cache-sensitive",
                   .s4 = "moderately sensitive"},
    .sizes = sc_small_sizes,
    STREAMCLUSTER,
};

const struct workload workload_sc_mid = {
    .name = "sc_mid",
    .paper_name = "SC_mid",
    .title = "Streamcluster (mid)",
    .categories = {.s3_ch3 = "memory-intensive",
                   .s3_ch6 = "memory-intensive",
                   .s3_ch4 = "non-sensitive",
                   .s4 = "moderately sensitive"},
    .sizes = sc_mid_sizes,
    STREAMCLUSTER,
};
