/* Fast Walsh-Hadamard transform in place, radix 4: stages whose partners are far apart in global
 * memory, the rest in local memory. */

static float4 butterfly(float4 v)
{
    float a = v.x + v.z, b = v.y + v.w, c = v.x - v.z, d = v.y - v.w;
    return (float4)(a + b, a - b, c + d, c - d);
}

/* One radix-4 stage; a work-item's four values are `stride` apart. */
__kernel void fwt_global(__global float *data, uint stride)
{
    uint pos = get_global_id(0);
    uint low = pos & (stride - 1);
    __global float *p = data + ((pos - low) << 2) + low;
    float4 v = butterfly((float4)(p[0], p[stride], p[2 * stride], p[3 * stride]));
    p[0] = v.x;
    p[stride] = v.y;
    p[2 * stride] = v.z;
    p[3 * stride] = v.w;
}

/* All stages within pieces of n values, four per work-item. */
__kernel void fwt_local(__global float *data, __local float *piece, uint n)
{
    uint lid = get_local_id(0), threads = get_local_size(0);
    __global float *own = data + get_group_id(0) * n;
    for (uint i = lid; i < n; i += threads)
        piece[i] = own[i];

    uint stride = n / 4;
    for (; stride > 0; stride /= 4) {
        uint low = lid & (stride - 1);
        __local float *p = piece + ((lid - low) << 2) + low;
        barrier(CLK_LOCAL_MEM_FENCE);
        float4 v = butterfly((float4)(p[0], p[stride], p[2 * stride], p[3 * stride]));
        p[0] = v.x;
        p[stride] = v.y;
        p[2 * stride] = v.z;
        p[3 * stride] = v.w;
        if (stride == 2)
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stride == 2) { /* an odd number of stages: one of radix 2 is left */
        for (uint i = 2 * lid; i < n; i += 2 * threads) {
            float sum = piece[i] + piece[i + 1], difference = piece[i] - piece[i + 1];
            piece[i] = sum;
            piece[i + 1] = difference;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = lid; i < n; i += threads)
        own[i] = piece[i];
}

/* A dyadic convolution is a product in the transformed world. */
__kernel void fwt_modulate(__global float *data, __global const float *filter, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        data[i] *= filter[i] / (float)n;
}
