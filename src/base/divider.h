/* Division by a number that is known only when a machine is configured, without the host's slow
 * division: a multiplication by the reciprocal and one correction. Exact for every 64-bit dividend.
 *
 * Why: with r = floor((2^64 - 1) / d), 2^64 / d exceeds r by at most 1. So n * r / 2^64 is smaller
 * than n / d by at most n / 2^64 < 1, and its integer part is the quotient or one less. */
#ifndef HEDDLE_BASE_DIVIDER_H
#define HEDDLE_BASE_DIVIDER_H

#include <stdint.h>

struct divider {
    uint64_t reciprocal; /* also the largest possible quotient */
    uint64_t inverse;    /* inverse of the divisor's odd part modulo 2^64 */
    uint32_t divisor;
    uint32_t shift; /* the divisor is its odd part shifted left by this */
};

/* Modulo 2^64. An odd number is its own inverse in the low 3 bits, and each step doubles that
 * number of bits. */
static inline uint64_t divider_odd_inverse(uint64_t odd)
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
                            .inverse = divider_odd_inverse(divisor >> shift),
                            .divisor = divisor,
                            .shift = shift};
}

static inline uint64_t divider_div(const struct divider *d, uint64_t n)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)n * d->reciprocal >> 64);
    return quotient + (n - quotient * d->divisor >= d->divisor);
}

/* The same without the correction; (n + 1) * divisor must be at most 2^64. Why: r * d is smaller
 * than 2^64 by 1 to d. So (n + 1) * r / 2^64 is smaller than (n + 1) / d, but by no more than (n +
 * 1) / 2^64 <= 1 / d. Everything from n / d up to but excluding (n + 1) / d has the same integer
 * part. */
static inline uint64_t divider_div_small(const struct divider *d, uint64_t n)
{
    return (uint64_t)((unsigned __int128)(n + 1) * d->reciprocal >> 64);
}

/* The quotient rounded up. n + divisor must not overflow. */
static inline uint64_t divider_div_up(const struct divider *d, uint64_t n)
{
    return divider_div(d, n + d->divisor - 1);
}

/* The quotient in fewer steps where n is usually a multiple of the divisor: converts a cycle's time
 * to cycles of a clock of the same frequency. A multiple q * odd * 2^s times the inverse of `odd`
 * is q * 2^s; rotated by s bits, it is q. The mapping is one to one, and multiples take all results
 * up to the largest quotient; so a larger result means that n is not a multiple. */
static inline uint64_t divider_exact_quotient(const struct divider *d, uint64_t n)
{
    uint64_t product = n * d->inverse;
    return product >> d->shift | product << (-d->shift & 63);
}
static inline uint64_t divider_div_multiple(const struct divider *d, uint64_t n)
{
    uint64_t quotient = divider_exact_quotient(d, n);
    return __builtin_expect(quotient <= d->reciprocal, 1) ? quotient : divider_div(d, n);
}
static inline uint64_t divider_div_up_multiple(const struct divider *d, uint64_t n)
{
    uint64_t quotient = divider_exact_quotient(d, n);
    return __builtin_expect(quotient <= d->reciprocal, 1) ? quotient : divider_div_up(d, n);
}

static inline uint32_t divider_rem(const struct divider *d, uint64_t n, uint64_t quotient)
{
    return (uint32_t)(n - quotient * d->divisor);
}

#endif
