#include "analysis/mix_metrics.h"

double mix_weighted_speedup(const double *ratios, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += ratios[i];
    return sum;
}

double mix_fairness(const double *ratios, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (ratios[i] <= 0)
            return 0;
        sum += 1 / ratios[i];
    }
    return n ? n / sum : 0;
}
