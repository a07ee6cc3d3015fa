/* Two-point angular correlation: histograms of the angles between pairs of points on the sky.
 *
 * Set 0 is what was observed, the others are random. There is a work-group for the pairs within each
 * set, and one for those between each random set and the observed one. Points of one side come
 * through local memory a tile at a time; each warp counts in a histogram of its own. Pairs within a
 * set are counted once, so that work-items with late points have little to do and wait for the
 * others. */

#define GROUP 256
#define WARP_SIZE 32
#define WARPS (GROUP / WARP_SIZE)
#define BINS 20

/* The cosine's bin: the last whose edge is below it. */
static uint bin_of(__constant const float *edges, float cosine)
{
    uint low = 0, high = BINS - 1;
    while (low < high) {
        uint middle = (low + high + 1) / 2;
        if (cosine > edges[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Adds the pairs of a point of `a` and one of `b`; of one set, those of an earlier and a later
 * point. A set is all x, then all y, then all z. */
static void count_pairs(__global const float *a, __global const float *b, bool is_one_set, uint n,
                        __constant const float *edges, __local float *tile, __local uint *own)
{
    uint lid = get_local_id(0);
    for (uint first = 0; first < n; first += GROUP) {
        uint in_tile = min((uint)GROUP, n - first);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < in_tile)
            for (uint axis = 0; axis < 3; axis++)
                tile[axis * GROUP + lid] = b[axis * n + first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lid; i < n; i += GROUP) {
            float x = a[i], y = a[n + i], z = a[2 * n + i];
            uint from = is_one_set && i >= first ? i + 1 - first : 0;
            for (uint j = from; j < in_tile; j++) {
                float cosine = x * tile[j] + y * tile[GROUP + j] + z * tile[2 * GROUP + j];
                atomic_inc(&own[bin_of(edges, cosine)]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Groups 0, 2, 4, ... count within sets 0, 1, 2, ..., groups 1, 3, ... between sets 1, 2, ... and
 * the observed one. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tpf_count(__global const float *points, uint n, __constant const float *edges,
          __global uint *histograms)
{
    __local float tile[3 * GROUP];
    __local uint counts[WARPS * BINS];
    uint lid = get_local_id(0), group = get_group_id(0);
    bool is_one_set = group % 2 == 0;
    __global const float *set = points + (group + 1) / 2 * 3 * n;

    for (uint i = lid; i < WARPS * BINS; i += GROUP)
        counts[i] = 0;
    count_pairs(is_one_set ? set : points, set, is_one_set, n, edges, tile,
                counts + lid / WARP_SIZE * BINS);
    if (lid < BINS) {
        uint sum = 0;
        for (uint warp = 0; warp < WARPS; warp++)
            sum += counts[warp * BINS + lid];
        histograms[group * BINS + lid] = sum;
    }
}
