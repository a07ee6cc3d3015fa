/* Finite impulse response filter: one output sample per work-item. `history` holds the last
 * samples of the block before, then this block. */
__kernel void fir(__global const float *history, __constant float *coefficients, uint taps,
                  __global float *output)
{
    uint i = get_global_id(0);
    float sum = 0.0f;
    for (uint t = 0; t < taps; t++)
        sum += coefficients[t] * history[i + taps - t];
    output[i] = sum;
}

/* Moves the end of the block in front of the place for the next one. */
__kernel void fir_keep(__global float *history, uint block, uint taps)
{
    uint i = get_global_id(0);
    float sample = i < taps ? history[block + i] : 0.0f;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < taps)
        history[i] = sample;
}
