/* A sum without a tree: each work-item adds up its own values and then adds that to one of a few
 * totals, which all work-items share. */
__kernel void reduce_atomic(__global const uint *data, uint words, uint totals,
                            __global uint *total)
{
    uint sum = 0, thread = get_global_id(0);
    for (uint i = thread; i < words; i += get_global_size(0))
        sum += data[i];
    atomic_add(&total[thread / 32 % totals * 32], sum);
}
