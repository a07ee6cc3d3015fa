/* Compiled for the oldest processors of the architecture, unlike the rest of the program. */
#include "base/host_check.h"

#include <stddef.h>

bool host_has_avx2(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

const char *host_check(void)
{
#if defined(HEDDLE_FOR_AVX2)
    if (!host_has_avx2())
        return "this Heddle was built for processors with AVX2, FMA and BMI2 (x86-64-v3), which "
               "this processor lacks: build it with 'make clean all "
               "CMAKE_FLAGS=-DHEDDLE_AVX2=OFF'\n";
#endif
    return NULL;
}
