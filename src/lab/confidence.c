#include "lab/confidence.h"

#include <math.h>

double confidence_student_t(uint32_t degrees)
{
    /* From tables. */
    static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                 2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                 2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                 2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    if (degrees <= sizeof few / sizeof few[0])
        return few[degrees - 1];
    /* The normal distribution's quantile and its correction (Cornish and Fisher): accurate to four
     * digits. */
    double z = 1.959963985, d = degrees;
    return z + (pow(z, 3) + z) / (4 * d) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * d * d);
}

struct confidence confidence_of(const double *values, uint32_t n)
{
    struct confidence c = {.n = n, .mean = NAN, .half = NAN};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    if (n)
        c.mean = sum / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (values[i] - c.mean) * (values[i] - c.mean);
    if (n > 1)
        c.half = confidence_student_t(n - 1) * sqrt(squares / (n - 1) / n);
    return c;
}
