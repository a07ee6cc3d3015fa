/* Division by a number that is known only when a machine is configured, without the host's slow
 * division: a multiplication by the reciprocal and one correction. Exact for every 64-bit dividend.
 *
 * Why: with r = floor((2^64 - 1) / d), 2^64 / d exceeds r by at most 1, so n * r / 2^64 falls short
 * of n / d by at most n / 2^64 < 1, and its whole part is the quotient or one less. */
#ifndef HEDDLE_BASE_DIVIDER_H
#define HEDDLE_BASE_DIVIDER_H

#include <stdint.h>

struct divider {
    uint64_t reciprocal;
    uint32_t divisor;
};

/* `divisor` is not 0. */
static inline struct divider divider_make(uint32_t divisor)
{
    return (struct divider){.reciprocal = UINT64_MAX / divisor, .divisor = divisor};
}

static inline uint64_t divide(const struct divider *d, uint64_t n)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)n * d->reciprocal >> 64);
    return quotient + (n - quotient * d->divisor >= d->divisor);
}

/* The quotient rounded up. n + divisor must not overflow. */
static inline uint64_t divide_up(const struct divider *d, uint64_t n)
{
    return divide(d, n + d->divisor - 1);
}

static inline uint32_t remainder_of(const struct divider *d, uint64_t n, uint64_t quotient)
{
    return (uint32_t)(n - quotient * d->divisor);
}

#endif
