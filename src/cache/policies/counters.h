/* Small saturating counters, as hardware has them. */
#ifndef HEDDLE_CACHE_POLICIES_COUNTERS_H
#define HEDDLE_CACHE_POLICIES_COUNTERS_H

#include <stdint.h>

static inline void counter_up(uint8_t *c, uint32_t top)
{
    if (*c < top)
        ++*c;
}

static inline void counter_down(uint8_t *c)
{
    if (*c > 0)
        --*c;
}

#endif
