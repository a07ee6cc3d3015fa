/* Monte-Carlo prices of European call options: normal numbers first, then one work-group per
 * option, which evaluates its option at all of them. */

#define GROUP 256

static uint mix32(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static float unit(uint x)
{
    return (float)((mix32(x) >> 8) + 1) * 0x1p-24f;
}

/* Two numbers per work-item, half of the array apart, so that both writes are coalesced. */
__kernel void normal_numbers(uint seed, __global float *normals)
{
    uint i = get_global_id(0);
    float radius = sqrt(-2.0f * log(unit(seed + 2 * i)));
    float angle = 6.28318531f * unit(seed + 2 * i + 1);
    normals[i] = radius * cos(angle);
    normals[i + get_global_size(0)] = radius * sin(angle);
}

/* An option is its price, strike, rate and volatility, each for one year. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
european_options(__global const float4 *options, __global const float *normals, uint n,
                 __global float *call)
{
    __local float sums[GROUP];
    uint lid = get_local_id(0);
    float4 option = options[get_group_id(0)];
    float drift = option.z - 0.5f * option.w * option.w;
    float sum = 0.0f;
    for (uint i = lid; i < n; i += GROUP)
        sum += max(option.x * exp(drift + option.w * normals[i]) - option.y, 0.0f);
    sums[lid] = sum;
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
    }
    if (lid == 0)
        call[get_group_id(0)] = exp(-option.z) * sums[0] / (float)n;
}
