/* 256-bin histogram: each warp counts into a sub-histogram of its own in local memory, each
 * work-group writes the sum of its sub-histograms, and a second kernel adds those up.
 *
 * The data is read as words of four bytes, coalesced, in strides of the whole grid. Local atomics
 * collide where lanes of a warp meet the same byte. */

#define WARP_SIZE 32
#define WARPS 6
#define GROUP (WARPS * WARP_SIZE)
#define BINS 256
#define MERGE_GROUP 256

static void count_bytes(__local uint *histogram, uint word)
{
    atomic_inc(&histogram[word & 255]);
    atomic_inc(&histogram[word >> 8 & 255]);
    atomic_inc(&histogram[word >> 16 & 255]);
    atomic_inc(&histogram[word >> 24]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_partial(__global const uint *data, uint words, __global uint *partial)
{
    __local uint counts[WARPS * BINS];
    uint lid = get_local_id(0);

    for (uint i = lid; i < WARPS * BINS; i += GROUP)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    __local uint *own = counts + lid / WARP_SIZE * BINS;
    for (uint i = get_global_id(0); i < words; i += get_global_size(0))
        count_bytes(own, data[i]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = lid; bin < BINS; bin += GROUP) {
        uint sum = 0;
        for (uint warp = 0; warp < WARPS; warp++)
            sum += counts[warp * BINS + bin];
        partial[get_group_id(0) * BINS + bin] = sum;
    }
}

/* One work-group per bin; its column of `partial` is read with a stride of BINS. */
__kernel __attribute__((reqd_work_group_size(MERGE_GROUP, 1, 1))) void
histogram_merge(__global const uint *partial, uint partials, __global uint *histogram)
{
    __local uint sums[MERGE_GROUP];
    uint lid = get_local_id(0), bin = get_group_id(0);

    uint sum = 0;
    for (uint i = lid; i < partials; i += MERGE_GROUP)
        sum += partial[i * BINS + bin];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint half_size = MERGE_GROUP / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        histogram[bin] = sums[0];
}
