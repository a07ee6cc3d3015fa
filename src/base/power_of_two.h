/* Powers of two. */
#ifndef HEDDLE_BASE_POWER_OF_TWO_H
#define HEDDLE_BASE_POWER_OF_TWO_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

#endif
