/* Binary search: one key per work-item. The first probes of all work-items meet in the same lines,
 * the last ones are scattered over the whole array. */
__kernel void binary_search(__global const uint *sorted, uint n, __global const uint *keys,
                            __global uint *found)
{
    uint key = keys[get_global_id(0)];
    uint low = 0, high = n; /* the first element that is not below the key lies in low..high */
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    found[get_global_id(0)] = low;
}
