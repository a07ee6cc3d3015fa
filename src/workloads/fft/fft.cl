/* One stage of a radix-2 Stockham transform of n points: n/2 work-items, one butterfly each.
 *
 * Before the stage `in` holds, interleaved, transforms of `span` points; after it `out` holds half
 * as many of twice the length. The order of the data sorts itself out on the way, so there is no bit
 * reversal. What a work-group reads was written by other groups in the launch before. */
__kernel void fft_stage(__global const float2 *in, __global float2 *out,
                        __global const float2 *twiddle, uint half_n, uint span)
{
    uint t = (uint)get_global_id(0);
    if (t >= half_n)
        return;
    uint k = t & (span - 1);
    float2 w = twiddle[k * (half_n / span)];
    float2 even = in[t];
    float2 odd = in[t + half_n];
    float2 turned = (float2)(odd.x * w.x - odd.y * w.y, odd.x * w.y + odd.y * w.x);
    uint to = 2 * t - k;
    out[to] = even + turned;
    out[to + span] = even - turned;
}
