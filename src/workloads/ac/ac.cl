/* Autocorrelation: one work-item per lag. All work-items of a warp read one sample together
 * (a broadcast) and 32 neighbouring samples a lag further on. */
__kernel void autocorrelate(__global const float *samples, uint n, uint lags, __global float *result)
{
    uint lag = get_global_id(0);
    if (lag >= lags)
        return;
    float sum = 0.0f;
    for (uint i = 0; i + lag < n; i++)
        sum += samples[i] * samples[i + lag];
    result[lag] = sum;
}
