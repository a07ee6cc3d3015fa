/* Black-Scholes prices of European options, one option per work-item. */

/* The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17. */
static float normal_cdf(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float poly = k * (0.31938153f +
                      k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * x * x) * poly;
    return x < 0.0f ? tail : 1.0f - tail;
}

/* Each option has one random number, from which all five inputs follow as in the sample. */
__kernel void black_scholes(__global const float *random, __global float *call, __global float *put)
{
    size_t i = get_global_id(0);
    float r = random[i], q = 1.0f - r;
    float price = 10.0f * r + 100.0f * q;
    float strike = 10.0f * r + 100.0f * q;
    float years = 1.0f * r + 10.0f * q;
    float rate = 0.01f * r + 0.05f * q;
    float volatility = 0.01f * r + 0.10f * q;

    float deviation = volatility * sqrt(years);
    float d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / deviation;
    float d2 = d1 - deviation;
    float discounted = strike * exp(-rate * years);
    call[i] = price * normal_cdf(d1) - discounted * normal_cdf(d2);
    put[i] = discounted * normal_cdf(-d2) - price * normal_cdf(-d1);
}
