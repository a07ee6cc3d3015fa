/* One step of a bitonic sort: each work-item compares two keys that are `distance` apart. Runs of
 * `span` keys are sorted upwards and downwards in turn; the last span is the whole array. */
__kernel void bitonic_step(__global uint *keys, uint distance, uint span)
{
    uint i = get_global_id(0);
    uint low = i / distance * 2 * distance + i % distance;
    uint a = keys[low], b = keys[low + distance];
    bool falls = (low & span) != 0;
    if ((a > b) != falls) {
        keys[low] = b;
        keys[low + distance] = a;
    }
}
