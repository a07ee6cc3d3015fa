/* Division by a number that is known only when a machine is configured, without the host's slow
 * division: a multiplication by the reciprocal and one correction. Exact for every 64-bit dividend.
 *
 * Why: with r = floor((2^64 - 1) / d), 2^64 / d exceeds r by at most 1, so n * r / 2^64 falls short
 * of n / d by at most n / 2^64 < 1, and its whole part is the quotient or one less. */
#ifndef HEDDLE_BASE_DIVIDER_H
#define HEDDLE_BASE_DIVIDER_H

#include <stdint.h>

struct divider {
    uint64_t reciprocal; /* also the largest quotient there is */
    uint64_t inverse;    /* modulo 2^64, of the divisor's odd part */
    uint32_t divisor;
    uint32_t shift; /* the divisor is its odd part times 2 to this */
};

/* Modulo 2^64: an odd number is its own inverse to 3 bits, and each step doubles those. */
static inline uint64_t odd_inverse(uint64_t odd)
{
    uint64_t inverse = odd;
    for (uint32_t bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* `divisor` is not 0. */
static inline struct divider divider_make(uint32_t divisor)
{
    uint32_t shift = (uint32_t)__builtin_ctz(divisor);
    return (struct divider){.reciprocal = UINT64_MAX / divisor,
                            .inverse = odd_inverse(divisor >> shift),
                            .divisor = divisor,
                            .shift = shift};
}

static inline uint64_t divide(const struct divider *d, uint64_t n)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)n * d->reciprocal >> 64);
    return quotient + (n - quotient * d->divisor >= d->divisor);
}

/* The same without the correction, where (n + 1) * divisor is not more than 2^64. Why: r * d falls
 * short of 2^64 by 1 to d, so (n + 1) * r / 2^64 of (n + 1) / d by something, but by no more than
 * (n + 1) / 2^64 <= 1 / d; and from n / d up to below (n + 1) / d all have the same whole part. */
static inline uint64_t divide_small(const struct divider *d, uint64_t n)
{
    return (uint64_t)((unsigned __int128)(n + 1) * d->reciprocal >> 64);
}

/* The quotient rounded up. n + divisor must not overflow. */
static inline uint64_t divide_up(const struct divider *d, uint64_t n)
{
    return divide(d, n + d->divisor - 1);
}

/* For what mostly is a multiple, the quotient in fewer steps: a cycle's time, to be told in cycles
 * of a clock of the same frequency. A multiple q * odd * 2^s times the inverse of `odd` is q * 2^s,
 * and turned by s bits q. No two numbers come out as the same, and those up to the largest quotient
 * are taken by the multiples: whatever comes out larger was none. */
static inline uint64_t quotient_of_multiple(const struct divider *d, uint64_t n)
{
    uint64_t product = n * d->inverse;
    return product >> d->shift | product << (-d->shift & 63);
}
static inline uint64_t divide_multiple(const struct divider *d, uint64_t n)
{
    uint64_t quotient = quotient_of_multiple(d, n);
    return __builtin_expect(quotient <= d->reciprocal, 1) ? quotient : divide(d, n);
}
static inline uint64_t divide_up_multiple(const struct divider *d, uint64_t n)
{
    uint64_t quotient = quotient_of_multiple(d, n);
    return __builtin_expect(quotient <= d->reciprocal, 1) ? quotient : divide_up(d, n);
}

static inline uint32_t remainder_of(const struct divider *d, uint64_t n, uint64_t quotient)
{
    return (uint32_t)(n - quotient * d->divisor);
}

#endif
