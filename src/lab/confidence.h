/* How reliable a mean over seeds is. */
#ifndef HEDDLE_LAB_CONFIDENCE_H
#define HEDDLE_LAB_CONFIDENCE_H

#include <stdint.h>

/* The arithmetic mean of n values, and half the width of its 95 % confidence interval by Student's
 * t distribution with n - 1 degrees of freedom: t * s / sqrt(n). Assumes that the values are a
 * random sample of a normal distribution, as speed-ups on inputs of random seeds roughly are. */
struct confidence {
    uint32_t n;
    double mean; /* NAN if there are none */
    double half; /* NAN for fewer than two */
};
struct confidence confidence_of(const double *values, uint32_t n);

/* The 97.5 % quantile of Student's t distribution; `degrees` >= 1. */
double confidence_student_t(uint32_t degrees);

#endif
