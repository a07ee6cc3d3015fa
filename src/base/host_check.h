/* What this processor supports, and whether the program was compiled for it. */
#ifndef HEDDLE_BASE_HOST_CHECK_H
#define HEDDLE_BASE_HOST_CHECK_H

#include <stdbool.h>

/* AVX2 and the extensions that come with it: FMA, BMI1, BMI2, POPCNT. */
bool host_has_avx2(void);

/* NULL if the processor can run this program; otherwise a line that says what is missing and what
 * to do. Call it first: the rest of the program may use instructions that the processor lacks. */
const char *host_check(void);

#endif
