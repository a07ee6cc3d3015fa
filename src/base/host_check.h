/* What this processor can do, and whether that is what the program was compiled for. */
#ifndef HEDDLE_BASE_HOST_CHECK_H
#define HEDDLE_BASE_HOST_CHECK_H

#include <stdbool.h>

/* AVX2 and what came with it: FMA, BMI1, BMI2, POPCNT. */
bool host_has_avx2(void);

/* NULL if it can, else a line that says what it lacks and what to do. To be asked before anything
 * else: the rest may be made of instructions that the processor does not know. */
const char *host_check(void);

#endif
