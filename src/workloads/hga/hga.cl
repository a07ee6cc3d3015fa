/* A histogram counted with global atomics alone: no sub-histograms, so that every word is an atomic
 * and lanes, warps and SMs meet in its bin. */
__kernel void histogram_global(__global const uint *data, uint words, uint bins,
                               __global uint *histogram)
{
    for (uint i = get_global_id(0); i < words; i += get_global_size(0))
        atomic_inc(&histogram[data[i] % bins]);
}
