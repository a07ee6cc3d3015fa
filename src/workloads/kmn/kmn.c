/* KMN: k-means clustering (S2 Table 2 as KM, S3 Tables 3.2, 4.2, 5.3, S4 Table 2; from Rodinia).
 *
 * As in Rodinia the device transposes the features once and then assigns points to centres, and the
 * host moves the centres, until no point changes its cluster or the iterations are used up. The
 * papers ran two programs:
 *
 * `km` is Rodinia's, which S2 and S3 ran. The transposition reads `in[tid * m + i]` (S3 Algorithm
 * 10): each thread walks its own row of m features, so a warp keeps coming back to about m lines,
 * and many warps together thrash the L1D. The assignment reads the transposed features, coalesced,
 * and the centres from constant memory. MODEL: Rodinia's CUDA program reads the transposed features
 * through the texture unit, which has its own cache. Heddle has none: the features go through L1D,
 * as in Rodinia's OpenCL program. With max_iterations=0 L1D sees the transposition alone, which is
 * all that it sees in Rodinia's CUDA program.
 *
 * `kmn` is S4's, which has "global memory in place of both texture and constant memory" (section
 * 4). S4 counts it among programs with uncoalesced loads (section 5.1), so its assignment reads the
 * point-major array: each thread walks its row once for every centre. With coalesced=1 it reads the
 * transposed one.
 *
 * Differences from the original: features are random rather than network-intrusion records.
 *
 * Exactness: features are integers below 32 and centres multiples of 1/16, so a squared distance is
 * a multiple of 1/256 below 2^23/256 for up to 34 features. Every order of operations, fused or
 * not, gives the same float, and the reference works in integers. */
#include <stdlib.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_kmn_source[];

enum {
    GROUP_SIZE = 256,
    FEATURE_LIMIT = 32,
    CENTRE_UNIT = 16, /* centres are in 1/16 */
    NOISE = 14,       /* how far a point strays from where its group is */
    MAX_CLUSTERS = 64,
};

struct kmn {
    uint32_t n_points, n_features, n_clusters, max_iterations;
    bool is_rodinia; /* coalesced, and centres in constant memory */
    bool coalesced;
    int32_t *feature; /* point-major */

    /* From the device and the host that steers it. */
    float *transposed;
    int32_t *membership;
    int32_t *centre; /* cluster-major, in 1/CENTRE_UNIT */
    int32_t iterations;

    int32_t *expected_membership;
    int32_t *expected_centre;
    int32_t expected_iterations;
};

/* --- Input --- */

static int32_t clamp_feature(int32_t v)
{
    return v < 0 ? 0 : v >= FEATURE_LIMIT ? FEATURE_LIMIT - 1 : v;
}

/* Points scatter widely around twice as many group centres as there will be clusters, so that the
 * clusters change and the iteration does not end at once. */
static void scatter_points(struct kmn *s, struct workload_rng *rng)
{
    uint32_t n_groups = 2 * s->n_clusters, m = s->n_features;
    int32_t *group = xcalloc((size_t)n_groups * m, sizeof *group);
    for (uint32_t i = 0; i < n_groups * m; i++)
        group[i] = (int32_t)workload_rng_below(rng, FEATURE_LIMIT);
    for (uint32_t p = 0; p < s->n_points; p++) {
        uint32_t g = workload_rng_below(rng, n_groups);
        for (uint32_t i = 0; i < m; i++) {
            int32_t noise = (int32_t)workload_rng_below(rng, 2 * NOISE + 1) - NOISE;
            s->feature[(size_t)p * m + i] = clamp_feature(group[g * m + i] + noise);
        }
    }
    free(group);
}

static void kmn_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct kmn *s = state;
    s->n_points = (uint32_t)size->p[0];
    s->n_features = (uint32_t)size->p[1];
    s->n_clusters = (uint32_t)size->p[2];
    s->max_iterations = (uint32_t)size->p[3];
    s->coalesced = size->p[4] != 0;
    size_t n_values = (size_t)s->n_points * s->n_features;
    size_t n_centres = (size_t)s->n_clusters * s->n_features;
    s->feature = xcalloc(n_values, sizeof *s->feature);
    s->transposed = xcalloc(n_values, sizeof *s->transposed);
    s->membership = xcalloc(s->n_points, sizeof *s->membership);
    s->expected_membership = xcalloc(s->n_points, sizeof *s->expected_membership);
    s->centre = xcalloc(n_centres, sizeof *s->centre);
    s->expected_centre = xcalloc(n_centres, sizeof *s->expected_centre);
    struct workload_rng rng = {seed};
    scatter_points(s, &rng);
}

static void km_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct kmn *s = state;
    kmn_setup(state, size, seed);
    s->is_rodinia = true;
    s->coalesced = true;
}

/* --- The steps on the host: the first points are the first centres, then centres move --- */

static void start_centres(const struct kmn *s, int32_t *centre)
{
    for (uint32_t i = 0; i < s->n_clusters * s->n_features; i++)
        centre[i] = s->feature[i] * CENTRE_UNIT;
}

/* Moves every centre to the mean of its points, rounded; a centre without points stays. */
static void move_centres(const struct kmn *s, const int32_t *membership, int32_t *centre)
{
    uint32_t m = s->n_features;
    int64_t *sum = xcalloc((size_t)s->n_clusters * m, sizeof *sum);
    int64_t *count = xcalloc(s->n_clusters, sizeof *count);
    for (uint32_t p = 0; p < s->n_points; p++) {
        uint32_t c = (uint32_t)membership[p];
        count[c]++;
        for (uint32_t i = 0; i < m; i++)
            sum[c * m + i] += s->feature[(size_t)p * m + i];
    }
    for (uint32_t c = 0; c < s->n_clusters; c++)
        for (uint32_t i = 0; i < m && count[c] > 0; i++)
            centre[c * m + i] = (int32_t)((sum[c * m + i] * CENTRE_UNIT + count[c] / 2) / count[c]);
    free(sum);
    free(count);
}

/* --- The device part --- */

static device_buffer upload_as_float(struct device *d, const int32_t *values, size_t n,
                                     const char *label)
{
    float *copy = xcalloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (float)values[i];
    device_buffer b = device_alloc_from(d, copy, n * sizeof *copy, label);
    free(copy);
    return b;
}

static void upload_centres(const struct kmn *s, struct device *d, device_buffer centres)
{
    size_t n = (size_t)s->n_clusters * s->n_features;
    float *copy = xcalloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (float)s->centre[i] / CENTRE_UNIT;
    device_upload(d, centres, 0, copy, n * sizeof *copy);
    free(copy);
}

/* Takes the device's assignment; true if a point changed its cluster. If the device names a cluster
 * that does not exist, it is not used again: the check will report it. */
static bool adopt_membership(struct kmn *s, const int32_t *found)
{
    bool changed = false, valid = true;
    for (uint32_t p = 0; p < s->n_points; p++) {
        changed = changed || s->membership[p] != found[p];
        valid = valid && found[p] >= 0 && found[p] < (int32_t)s->n_clusters;
        s->membership[p] = found[p];
    }
    return changed && valid;
}

static void launch_assignment(const struct kmn *s, struct device *d, device_buffer features,
                              device_buffer centres, device_buffer membership)
{
    if (s->is_rodinia) {
        DEVICE_LAUNCH_1D(d, "km_assign", device_round_up(s->n_points, GROUP_SIZE), GROUP_SIZE,
                         device_arg_buffer(features), device_arg_buffer(centres),
                         device_arg_buffer(membership), device_arg_u32(s->n_points),
                         device_arg_u32(s->n_features), device_arg_u32(s->n_clusters));
        return;
    }
    DEVICE_LAUNCH_1D(d, "kmn_assign", device_round_up(s->n_points, GROUP_SIZE), GROUP_SIZE,
                     device_arg_buffer(features), device_arg_buffer(centres),
                     device_arg_buffer(membership), device_arg_u32(s->n_points),
                     device_arg_u32(s->n_features), device_arg_u32(s->n_clusters),
                     device_arg_u32(s->coalesced ? 1 : s->n_features),
                     device_arg_u32(s->coalesced ? s->n_points : 1));
}

static bool assign_points(struct kmn *s, struct device *d, device_buffer features,
                          device_buffer centres, device_buffer membership)
{
    upload_centres(s, d, centres);
    launch_assignment(s, d, features, centres, membership);
    int32_t *found = xcalloc(s->n_points, sizeof *found);
    device_download(d, membership, 0, found, s->n_points * sizeof *found);
    bool changed = adopt_membership(s, found);
    free(found);
    return changed;
}

static void kmn_run(void *state, struct device *d)
{
    struct kmn *s = state;
    size_t n_values = (size_t)s->n_points * s->n_features;
    size_t n_centres = (size_t)s->n_clusters * s->n_features;
    device_buffer features = upload_as_float(d, s->feature, n_values, "features");
    device_buffer transposed = device_alloc(d, n_values * sizeof(float), "transposed");
    device_buffer centres = device_alloc(d, n_centres * sizeof(float), "centres");
    device_buffer membership = device_alloc(d, s->n_points * sizeof *s->membership, "membership");

    DEVICE_LAUNCH_1D(d, "kmn_transpose", device_round_up(s->n_points, GROUP_SIZE), GROUP_SIZE,
                     device_arg_buffer(features), device_arg_buffer(transposed),
                     device_arg_u32(s->n_points), device_arg_u32(s->n_features));

    start_centres(s, s->centre);
    bool changed = true;
    for (uint32_t i = 0; i < s->max_iterations && changed && device_ok(d); i++) {
        changed = assign_points(s, d, s->coalesced ? transposed : features, centres, membership);
        if (changed)
            move_centres(s, s->membership, s->centre);
        s->iterations++;
    }
    device_download(d, transposed, 0, s->transposed, n_values * sizeof(float));
}

/* --- The reference: integers, and squared distances by expansion of the square --- */

static int32_t nearest_centre(const struct kmn *s, const int32_t *point)
{
    int32_t nearest = 0;
    int64_t nearest_score = INT64_MAX;
    for (uint32_t c = 0; c < s->n_clusters; c++) {
        const int32_t *centre = &s->expected_centre[c * s->n_features];
        int64_t score = 0; /* |x - c|^2 - |x|^2, which orders the centres as the distance does */
        for (uint32_t i = 0; i < s->n_features; i++)
            score += (int64_t)centre[i] * (centre[i] - 2 * CENTRE_UNIT * point[i]);
        if (score < nearest_score) {
            nearest_score = score;
            nearest = (int32_t)c;
        }
    }
    return nearest;
}

static void kmn_reference(void *state)
{
    struct kmn *s = state;
    start_centres(s, s->expected_centre);
    bool changed = true;
    while (changed && s->expected_iterations < (int32_t)s->max_iterations) {
        changed = false;
        for (uint32_t p = 0; p < s->n_points; p++) {
            int32_t c = nearest_centre(s, &s->feature[(size_t)p * s->n_features]);
            changed = changed || c != s->expected_membership[p];
            s->expected_membership[p] = c;
        }
        if (changed)
            move_centres(s, s->expected_membership, s->expected_centre);
        s->expected_iterations++;
    }
}

static bool check_transposed(const struct kmn *s, struct strbuf *why)
{
    for (uint32_t p = 0; p < s->n_points; p++) {
        for (uint32_t i = 0; i < s->n_features; i++) {
            float got = s->transposed[(size_t)i * s->n_points + p];
            int32_t want = s->feature[(size_t)p * s->n_features + i];
            if (got == (float)want)
                continue;
            strbuf_addf(why, "transposed feature %u of point %u is %g, should be %d", i, p, got,
                        want);
            return false;
        }
    }
    return true;
}

static bool kmn_check(const void *state, struct strbuf *why)
{
    const struct kmn *s = state;
    return check_transposed(s, why) &&
           workload_check_i32(why, "membership", s->membership, s->expected_membership,
                              s->n_points) &&
           workload_check_i32(why, "centre", s->centre, s->expected_centre,
                              (size_t)s->n_clusters * s->n_features) &&
           workload_check_i32(why, "iterations", &s->iterations, &s->expected_iterations, 1);
}

static void kmn_teardown(void *state)
{
    struct kmn *s = state;
    free(s->feature);
    free(s->transposed);
    free(s->membership);
    free(s->centre);
    free(s->expected_membership);
    free(s->expected_centre);
}

/* S2 and S3 do not say how often points are assigned. We assign once: S2 counts the program among
 * those with more than 1 % of memory accesses per thread instruction (section 3.2), and with three
 * or more assignments it has less. */
static const struct workload_size km_sizes[] = {
    {"tiny", {4096, 34, 5, 3}},
    {"small", {32768, 34, 5, 1}},
    {"paper-s2", {204800, 34, 5, 1}},
    {"paper-s3", {494020, 34, 5, 1}},
    {NULL, {0}},
};

static const struct workload_size kmn_sizes[] = {
    {"tiny", {4096, 34, 5, 3, 0}},
    {"small", {32768, 34, 5, 6, 0}},
    {"small-coalesced", {32768, 34, 5, 6, 1}},
    {NULL, {0}},
};

#define KMN_INPUTS                                                                                 \
    {"points", NULL, MAX_CLUSTERS, 4 << 20, "to assign, one thread each"},                         \
        {"clusters", NULL, 1, MAX_CLUSTERS, "that they are assigned to"},                          \
    {                                                                                              \
        "max_iterations", NULL, 0, 1000, "assignments; 0 = only transpose the features"            \
    }

static const struct workload_input km_inputs[] = {KMN_INPUTS, {NULL, NULL, 0, 0, NULL}};

static const struct workload_input kmn_inputs[] = {
    KMN_INPUTS,
    {"coalesced", NULL, 0, 1, "1 = assignments read the transposed features"},
    {NULL, NULL, 0, 0, NULL},
};

#define KMEANS                                                                                     \
    .origin = "Rodinia", .source = workload_kmn_source, .state_bytes = sizeof(struct kmn),         \
    .run = kmn_run, .reference = kmn_reference, .check = kmn_check, .teardown = kmn_teardown

const struct workload workload_km = {
    .name = "km",
    .paper_name = "KMN",
    .title = "K-means clustering (Rodinia's)",
    .summary = "The transposition walks rows of features, uncoalesced, and thrashes the L1D; the "
               "assignment of points to centres reads columns, coalesced.",
    .categories = {.s2 = "cache-insufficient",
                   .s3_ch6 = "memory-intensive",
                   .s3_ch3 = "memory-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "cache-sensitive"},
    .param_names = {"points", "features", "clusters", "max_iterations"},
    .sizes = km_sizes,
    .inputs = km_inputs,
    .setup = km_setup,
    KMEANS,
};

const struct workload workload_kmn = {
    .name = "kmn",
    .paper_name = "KMN",
    .title = "K-means clustering (S4's)",
    .summary = "Each thread compares its point with every centre, walking its own row of "
               "features: uncoalesced reads with much intra-warp reuse that thrash the L1D.",
    .categories = {.s4 = "highly sensitive"},
    .param_names = {"points", "features", "clusters", "max_iterations", "coalesced"},
    .sizes = kmn_sizes,
    .inputs = kmn_inputs,
    .setup = kmn_setup,
    KMEANS,
};
