/* Monte-Carlo prices of Asian options, whose payoff depends on the mean of a path: each work-item
 * follows `paths` random walks of `steps` steps and keeps the mean payoff. */

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

__kernel void asian_options(float price, float strike, float drift, float deviation, uint steps,
                            uint paths, uint seed, __global float *call, __global float *put)
{
    uint id = get_global_id(0);
    uint counter = seed + id * paths * steps;
    float calls = 0.0f, puts = 0.0f;
    for (uint p = 0; p < paths; p++) {
        float now = price, sum = 0.0f;
        for (uint s = 0; s < steps; s += 2, counter += 2) {
            float radius = sqrt(-2.0f * log(unit(counter)));
            float angle = 6.28318531f * unit(counter + 1);
            now *= exp(drift + deviation * radius * cos(angle));
            sum += now;
            now *= exp(drift + deviation * radius * sin(angle));
            sum += now;
        }
        float mean = sum / (float)steps;
        calls += max(mean - strike, 0.0f);
        puts += max(strike - mean, 0.0f);
    }
    call[id] = calls / (float)paths;
    put[id] = puts / (float)paths;
}
