/* What OpenCL's mathematical functions should give, computed with MPFR in far more digits than any
 * result has. Infinities, NaNs and zeros are as section 7.5 of OpenCL 1.2 and C99 annex F have
 * them. */
#ifndef HEDDLE_TEST_ACCURACY_REFERENCE_H
#define HEDDLE_TEST_ACCURACY_REFERENCE_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

struct arguments {
    mpfr_t x, y, z; /* exact */
    double dx, dy;  /* x and y again: they fit */
    int32_t n;
    bool is_double;
};

typedef void reference_function(mpfr_t result, const struct arguments *a);

enum { REFERENCE_BITS = 320 };

#define FN(label, expression, reference, ...)        reference_function reference;
#define GEOMETRIC(label, expression, reference, ...) reference_function reference;
#include "functions.def"
#undef FN
#undef GEOMETRIC

#endif
